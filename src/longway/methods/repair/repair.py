"""Repair: remedies propose, counts choose, checks verify, until the goal is reached or nothing helps any more.

    change    texts in place, aimed at the patterns that an audit found          take out, normalise, exchange, put in, reshape
    add       rows with another label that keep what gives a label away          counterpart

`drop.py` and `weigh.py` leave rows out and weigh them.

An edit is used only if the excess over all features falls, and what its target says does not rise (`balance.py`): a remedy stops where a pattern is balanced, a substitute
that becomes a shortcut itself is not used again, and no row returns to an earlier text. Rows that still show what most rows have lost are
dropped if that balances it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from longway.data.columns import WEIGHT_COLUMN
from longway.english.document import Document
from longway.language_names import ENGLISH, UNKNOWN
from longway.languages.row_languages import LEAST as LEAST_SHARE
from longway.languages.row_languages import NOT_ENGLISH
from longway.methods.loop import Draft, verify_all
from longway.methods.method import Figures, Round, Rows, Verify, fresh_id
from longway.methods.repair import COUNTERPART, DROP, WEIGH
from longway.methods.repair.balance import Balance
from longway.methods.repair.features import N_FEATURES, FeatureReader, Numbers, number_of
from longway.methods.repair.remedy import Proposer, RepairRow, Source, Target, repair_row
from longway.methods.repair.shown import ShownRows
from longway.records import Edit, Pattern
from longway.text.tokenizer import Tokenizer, is_word
from longway.verify.check import Origin

if TYPE_CHECKING:
    from longway.methods.repair.concepts import ConceptPatterns
    from longway.methods.repair.grammar import GrammarPatterns

AT_ONCE = 256  # rows that drafts are made and verified for together
FIRST = 32  # rows that a remedy is tried on first: without a single draft for them it is not tried on others
MOST_DRAFTS = 3  # drafts of one row and target that are looked at
# Words that a rewording avoids, and the gain of each in nats: q = 0.014 for two labels.
MOST_TELLING, TELLING = 8, 3.0
FEW = 20  # rows by which labels may always differ
MOST_ASIDES = 20  # asides that are looked for in all rows
FEW_LEFT = 5  # rows with a pattern, below which all are dropped if it was taken out of the others
EVEN = 1.1  # rows of a label, beside those of the rarest, up to which rows may be added
LEAST = -1e-6
ENOUGH = "enough rows are changed"
NO_BETTER = "it would not make the data more balanced"
SAME_TEXT = "the same row is there already"


class Repair:
    """The repair of some rows.

    ignored: words that are real signal. verify: checks changed texts; verify_new: checks added rows. read: analyses English; None for other
    languages. max_changed: how many rows may be changed; half as many may be dropped. grammar, concepts: patterns of a grammar and of vectors
    to balance, too.
    """

    def __init__(
        self,
        rows: Rows,
        *,
        ignored: Sequence[str] = (),
        verify: Verify | None = None,
        verify_new: Verify | None = None,
        read: Callable[[str], Document] | None = None,
        max_changed: int | None = None,
        grammar: GrammarPatterns | None = None,
        concepts: ConceptPatterns | None = None,
    ) -> None:
        self.rows, self.verify, self.verify_new = rows, verify, verify_new
        self.read = (
            lru_cache(maxsize=2048)(read) if read is not None else None
        )  # each remedy and target reads the same texts
        self.texts = list(rows.texts)
        self.balanced = [one for one in (concepts, grammar) if one is not None]  # their numbers in this order
        more = self._read_balanced if self.balanced else None
        self.parsed = N_FEATURES + (0 if concepts is None else len(concepts.targets))
        n_features = self.parsed + (0 if grammar is None else 1 + len(grammar.targets))
        frequent = [one for one, n in Counter(rows.languages).items() if n >= LEAST_SHARE * len(rows)]
        languages = {"" if language in (ENGLISH, UNKNOWN) else language for language in frequent}
        self.reader = FeatureReader(
            rows.texts,
            rows.contexts,
            ignored=ignored,
            more=more,
            languages=sorted(languages),
            tokenizer=rows.tokenizer,
        )
        self.balance = Balance(
            self.reader.read(rows.texts, rows.contexts), rows.labels, n_features, parsed=self.parsed
        )
        self.added: list[Draft] = []  # numbered after the rows
        self.dropped: set[int] = set()
        self.weights: dict[int, float] = {}
        self.changed: set[int] = set()
        self.max_changed = len(rows) if max_changed is None else max_changed
        self._effects: dict[int, float] = {}  # of leaving rows out
        self._shown: dict[Pattern, ShownRows] = {}
        self._origins: dict[int, Origin] = {}  # of rows that were changed
        # The words of asides that were taken out, with a label.
        self._asides: Counter[tuple[tuple[str, ...], str]] = Counter()
        self._number = 0
        self._earlier: defaultdict[int, set[str]] = defaultdict(set)  # texts that a row had
        self._there: defaultdict[str, set[str | None]] = defaultdict(set)  # by text: its contexts
        for row, text in enumerate(rows.texts):
            self._there[text].add(rows.context(row))
        self._taken = set(rows.ids)

    def _read_balanced(self, texts: Sequence[str], contexts: Sequence[str | None] | None) -> list[Numbers]:
        """For each text the numbers of the patterns of a grammar and of the concepts that it has, ascending."""
        read = [one.read(texts, contexts) for one in self.balanced]
        return [np.concatenate(numbers) for numbers in zip(*read, strict=True)]

    @property
    def kept(self) -> list[int]:
        """The numbers of the rows that are not left out; added rows come after the others."""
        return [row for row in range(len(self.balance.features)) if row not in self.dropped]

    def rows_now(self) -> Rows:
        """The rows as they are now, with added rows and without those that are left out."""
        rows, added = self.rows, self.added
        ids, texts = [*rows.ids, *(one.id for one in added)], [*self.texts, *(one.after for one in added)]
        contexts = None
        if rows.contexts is not None:
            contexts = [*rows.contexts, *(one.context or "" for one in added)]
        labels = np.array(self.balance.labels, dtype=np.int64)
        return replace(rows, ids=ids, texts=texts, labels=labels, contexts=contexts).at(self.kept)

    @property
    def changed_rows(self) -> Rows:
        """The rows with their texts as they are now: what is added must not bring back what was taken out."""
        return self.rows.with_texts(list(self.texts))

    @property
    def n_dropped(self) -> int:
        """Rows of the dataset that are left out."""
        return sum(row < len(self.rows) for row in self.dropped)

    @property
    def n_added(self) -> int:
        """Rows that were added and not left out afterwards."""
        return len(self.added) - (len(self.dropped) - self.n_dropped)

    def telling(self, text: str, label: str) -> tuple[str, ...]:
        """The words of a text that predict its label, strongest first."""
        words = list(dict.fromkeys(filter(is_word, self.rows.tokenizer.tokens(text))))
        numbers = np.array([number_of([word]) for word in words], dtype=np.int64)
        place = list(self.rows.label_names).index(label)
        counts, totals = self.balance.counts[:, numbers], self.balance.totals
        is_more = counts[place] * totals.sum() > counts.sum(axis=0) * totals[place]
        strength = np.where(is_more, self.balance.strength(numbers), 0.0)
        order = np.argsort(-strength, kind="stable")[:MOST_TELLING]
        return tuple(words[i] for i in order if strength[i] > TELLING)

    # Changes

    def change(self, remedy: Proposer, targets: Sequence[Target]) -> Iterator[Round]:
        """Let a remedy change rows, target by target, as long as it helps."""
        if remedy.needs_english and self.read is None:
            return
        self._effects.clear()
        for target in targets:
            shown = self.shown(target)
            rows = self.rows_for(remedy, target)
            parts = [rows[:FIRST], *(rows[i : i + AT_ONCE] for i in range(FIRST, len(rows), AT_ONCE))]
            for number, part in enumerate(parts):
                done = self._change_part(remedy, target, part, shown)
                yield done
                if not (done.figures.accepted if number else done.figures.candidates):
                    break
        if not remedy.into_others and not remedy.asks:
            for target in self.aside_targets:
                shown = self.shown(target)
                rows = shown.numbers()
                for start in range(0, len(rows), AT_ONCE):
                    part = rows[start : start + AT_ONCE]
                    yield self._change_part(remedy, target, part, shown, asides_only=True)

    @property
    def aside_targets(self) -> list[Target]:
        """The asides that were taken out of several rows: the few rows that still have one, whatever their label, would stand out."""
        field = self.rows.task.text_name
        return [
            Target(Pattern("ngram" if len(words) > 1 else "token", field, words), label)
            for (words, label), n in self._asides.most_common(MOST_ASIDES)
            if words and n >= FEW_LEFT
        ]

    def rows_for(self, remedy: Proposer, target: Target) -> list[int]:
        """The rows that a remedy may change for a target; if they show it, those whose surface says most about their label first."""
        found = [
            row
            for row in np.flatnonzero(self.shown(target).rows != remedy.into_others).tolist()
            if row not in self.dropped and (self.rows.label(row) == target.label) != remedy.into_others
        ]
        if remedy.into_others:
            return found
        return sorted(found, key=lambda row: (self.telling_of(row), row))

    def telling_of(self, row: int) -> float:
        """How much the excess would rise without a row, as it was when the remedy began."""
        if row not in self._effects:
            self._effects[row] = self.balance.effect_of_dropping(row)
        return self._effects[row]

    def shown(self, target: Target) -> ShownRows:
        """The rows that show a pattern; none that is dropped. Texts that did not change since it was last asked are not read again."""
        if target.pattern not in self._shown:
            none = np.zeros(len(self.rows), bool)
            self._shown[target.pattern] = ShownRows(none, self.rows.labels, len(self.balance.totals))
        shown = self._shown[target.pattern]
        for row, text in enumerate(self.texts):
            if row in self.dropped:
                shown.set(row, False)
            elif shown.texts[row] is not text:
                shown.texts[row] = text
                shown.set(row, self.row(row).shows(target))
        return shown

    def shown_at_first(self, target: Target, shown: ShownRows) -> int:
        """How many rows showed a pattern before anything was changed."""
        changed = sum(self.row(row).shows(target, self.rows.texts[row]) for row in self.changed)
        return changed + sum(row not in self.changed for row in shown.numbers())

    def _effect(self, draft: Draft, shown: ShownRows, *, shows: bool) -> float:
        """How much the excess would rise, and with it what the target says about labels; infinite if that would rise."""
        effect = self.balance.effect_of_change(draft.row, draft.features)
        if shows == shown.rows[draft.row]:
            return effect
        totals = self.balance.totals
        more = shown.gain(totals, row=draft.row, shows=shows) - shown.gain(totals)
        return effect + more if more < 0 else float("inf")

    def row(self, number: int) -> RepairRow:
        """A row as remedies see it."""
        return repair_row(self.rows, number, self.texts[number], self.read, self._origins.get(number))

    def _change_part(
        self,
        remedy: Proposer,
        target: Target,
        rows: Sequence[int],
        shown: ShownRows,
        *,
        asides_only: bool = False,
    ) -> Round:
        """Use drafts that weaken the target. asides_only: use those that take asides out, whatever the row's label."""
        figures = Figures(asked=len(rows))
        if remedy.needs_english:
            english = [row for row in rows if self.rows.is_english(row)]
            if len(english) < len(rows):
                figures.rejected[NOT_ENGLISH] += len(rows) - len(english)
            rows = english
        choices = self._drafts(remedy, target, rows)
        if asides_only:
            choices = {row: [one for one in drafts if one.asides] for row, drafts in choices.items()}
        figures.candidates = sum(map(len, choices.values()))
        edits: list[Edit] = []

        def helps(draft: Draft) -> bool:
            return asides_only or self._effect(draft, shown, shows=remedy.into_others) < LEAST

        while any(choices.values()):
            first = [drafts.pop(0) for drafts in choices.values() if drafts]
            self._read_features(first)
            helping = list(filter(helps, first))
            figures.rejected[NO_BETTER] += len(first) - len(helping)
            verify_all(self.verify, helping)
            for draft in helping:
                if not draft.reason and not self._may_change(draft.row):
                    draft.refuse(ENOUGH)
                elif not draft.reason and not helps(draft):
                    draft.refuse(NO_BETTER)
                edits += draft.edits(self.rows, method=remedy.name, number=self._number + 1)
                if draft.reason:
                    figures.rejected[draft.why] += 1
                    continue
                choices[draft.row] = []
                figures.accepted += 1
                # Asides that are taken out, also by the words that recur: "... an exhibition about the trains upstairs".
                for aside in () if remedy.into_others else draft.asides:
                    recurring = {_tokens_of(aside, self.rows.tokenizer), target.pattern.words}
                    self._asides.update((words, target.label) for words in recurring)
                self._use(draft)
                shown.set(draft.row, remedy.into_others)
        return self.round(figures, edits)

    def _read_features(self, drafts: Sequence[Draft]) -> None:
        """Give each draft the numbers of its features."""
        features = self.reader.read([one.after for one in drafts], [one.context for one in drafts])
        for draft, numbers in zip(drafts, features, strict=True):
            draft.features = numbers

    def _drafts(self, remedy: Proposer, target: Target, rows: Sequence[int]) -> dict[int, list[Draft]]:
        """The drafts for each row that are not an earlier text of it."""
        rows = [row for row in rows if self._may_change(row)]
        words = target.pattern.words
        choices: dict[int, list[Draft]] = {}
        proposed = remedy.drafts([self.row(row) for row in rows], target)
        for row, drafts in zip(rows, proposed, strict=True):
            earlier = {*self._earlier[row], self.texts[row]}
            new = (one for one in drafts if one.after not in earlier and one.after.strip())
            choices[row] = list(islice(new, MOST_DRAFTS))
            for draft in choices[row]:
                draft.telling = frozenset([" ".join(words), *words])
        return choices

    def _may_change(self, row: int) -> bool:
        """Whether a row may be changed: one that was changed before always, others as long as the most rows are not reached."""
        return row in self.changed or len(self.changed) < self.max_changed

    def _use(self, draft: Draft) -> None:
        row, text = draft.row, draft.after
        self._origins[row] = draft.origin_now
        self.balance.change(row, draft.features)
        self._earlier[row].add(self.texts[row])
        self.texts[row] = text
        self.changed.add(row)

    # Additions

    def add(self, source: Source, *, name: str = COUNTERPART, choose: bool = True) -> Iterator[Round]:
        """Add counterparts. choose: only those that make the data more balanced, with labels about as frequent as they were; False to add all,
        if `drop` chooses among them afterwards."""
        every = [row for row in range(len(self.rows)) if row not in self.dropped]
        for start in range(0, len(every), AT_ONCE):
            part = every[start : start + AT_ONCE]
            drafts = source.drafts(self.rows, part)
            figures = Figures(asked=len(part), candidates=len(drafts))
            yield self.round(figures, self._add_part(figures, drafts, name, choose))

    def _add_part(self, figures: Figures, drafts: Sequence[Draft], name: str, choose: bool) -> list[Edit]:
        self._read_features(drafts)
        waiting = []
        for draft in drafts:
            if draft.context in self._there[draft.after]:
                figures.rejected[SAME_TEXT] += 1
            elif choose and self._effect_of_adding(draft) >= LEAST:
                figures.rejected[NO_BETTER] += 1
            else:
                waiting.append(draft)
        # Rows that only say the same in other words are checked as changes are.
        verify_all(self.verify, [draft for draft in waiting if draft.keeps == "meaning"])
        verify_all(self.verify_new, [draft for draft in waiting if draft.keeps != "meaning"])
        edits: list[Edit] = []
        totals = self.balance.totals
        for draft in waiting:
            label = list(self.rows.label_names).index(draft.label)
            is_frequent = totals[label] >= EVEN * totals[totals > 0].min() + FEW
            if not draft.reason and draft.context in self._there[draft.after]:
                draft.refuse(SAME_TEXT)
            elif not draft.reason and choose and (is_frequent or self._effect_of_adding(draft) >= LEAST):
                draft.refuse(NO_BETTER)
            draft.id = fresh_id(self._taken, self.rows.ids[draft.row], "repair")
            first, *others = draft.edits(self.rows, method=name, number=self._number + 1)
            edits += [first, *(replace(edit, verdicts=()) for edit in others)]
            if draft.reason:
                figures.rejected[draft.why] += 1
                continue
            figures.accepted += 1
            self.balance.add(label, draft.features)
            self.added.append(draft)
            self._there[draft.after].add(draft.context)
        return edits

    def _effect_of_adding(self, draft: Draft) -> float:
        return self.balance.effect_of_adding(list(self.rows.label_names).index(draft.label), draft.features)

    # What dropping and weighing need

    @property
    def shares(self) -> NDArray[np.float64]:
        """The shares of the labels in the rows as they were."""
        counts = np.bincount(self.rows.labels, minlength=len(self.balance.totals))
        return counts / max(counts.sum(), 1)

    @property
    def room(self) -> int:
        """How many more rows may be dropped."""
        return self.max_changed // 2 - self.n_dropped

    def dropped_round(self, order: Sequence[int], asked: int) -> Round:
        """The round in which these rows are left out. asked: rows that were looked at."""
        n = len(order)
        return self.round(
            Figures(asked=asked, candidates=n, accepted=n), [self.row_edit(row) for row in order]
        )

    def row_edit(self, row: int, weight: float | None = None) -> Edit:
        """The edit that leaves a row out, or gives it a weight."""
        n, how = len(self.rows), DROP if weight is None else WEIGH
        now = self.row(row).draft(self.texts[row], how) if row < n else self.added[row - n]
        context = self.rows.context(now.row)
        left = Draft(
            now.row, now.after, now.after, now.label, context, id=now.id, how=how, engine="rules", reason=""
        )
        left.drops = weight is None
        if weight is not None:
            left.column, left.before, left.after = WEIGHT_COLUMN, "1", f"{weight:.4f}"
        return left.edits(self.rows, method=how, number=self._number + 1)[0]

    def round(self, figures: Figures, edits: Sequence[Edit]) -> Round:
        """The next round."""
        self._number += 1
        return Round(self._number, tuple(edits), figures)


def _tokens_of(aside: str, tokenizer: Tokenizer) -> tuple[str, ...]:
    """The tokens of an aside without the marks at its ends."""
    tokens = tokenizer.tokens(aside)
    words = [i for i, token in enumerate(tokens) if is_word(token)]
    return tuple(tokens[words[0] : words[-1] + 1]) if words else ()
