"""Repair: remedies propose, counts choose, checks verify, until the goal is reached or nothing helps any more.

    change    texts in place, aimed at the patterns that an audit found          take out, normalise, exchange, put in, reshape
    add       rows with another label that keep what gives a label away          counterpart
    drop      the fewest rows such that what is left says little about labels    drop
    weigh     a weight for each row, with the same effect                        weigh

An edit is used only if the excess over all features falls, and what its target says does not rise (`balance.py`): a remedy stops where a pattern is balanced, a substitute
that becomes a shortcut itself is not used again, and no row returns to an earlier text. Rows that still show what most rows have lost are
dropped if that balances it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from longway.data.columns import WEIGHT_COLUMN
from longway.detect.levels import where
from longway.english.document import Document
from longway.language_names import ENGLISH, UNKNOWN
from longway.languages.row_languages import LEAST as LEAST_SHARE
from longway.languages.row_languages import NOT_ENGLISH
from longway.methods.additions import Proposal
from longway.methods.drafts import NOT_VERIFIED, first_failure, until_spent
from longway.methods.method import Figures, Round, Rows, Verify, fresh_id
from longway.methods.repair.balance import Balance, best_drops
from longway.methods.repair.concepts import ConceptPatterns
from longway.methods.repair.features import N_FEATURES, FeatureReader, Numbers, number_of
from longway.methods.repair.grammar import GrammarPatterns
from longway.methods.repair.remedy import BatchRemedy, Draft, Remedy, RepairRow, Target, drafts_of, repair_row
from longway.methods.repair.shown import ShownRows
from longway.methods.repair.weigh import balancing_weights
from longway.records import Edit, Leak, Pattern, Verdict
from longway.text.tokenizer import is_word, tokenize
from longway.verify.check import Candidate, Origin

AT_ONCE = 256  # rows that drafts are made and verified for together
FIRST = 32  # rows that a remedy is tried on first: without a single draft for them it is not tried on others
PROBED = 4  # rows of a target from which the number of drafts is estimated
MOST_DRAFTS = 3  # drafts of one row and target that are looked at
# Words that a rewording avoids, and the gain of each in nats: q = 0.014 for two labels.
MOST_TELLING, TELLING = 8, 3.0
MEASURES = 200  # parts of the rows; a leak is measured after some of them were dropped
FEW = 20  # rows by which labels may always differ
REST = 0.25  # share of a pattern's rows that still show it, up to which they may be dropped
MOST_ASIDES = 20  # asides that are looked for in all rows
FEW_LEFT = 5  # rows with a pattern, below which all are dropped if it was taken out of the others
EVEN = 1.1  # rows of a label, beside those of the rarest, up to which rows may be added
LEAST = -1e-6
ENOUGH = "enough rows are changed"
NO_BETTER = "it would not make the data more balanced"
SAME_TEXT = "the same row is there already"


class CounterpartSource(Protocol):
    """Proposes rows to add."""

    @property
    def engine(self) -> str:
        """The name of the engine that writes them."""
        ...

    def propose(self, rows: Sequence[int]) -> Iterator[list[Proposal]]:
        """The proposals for each row, in order."""
        ...


class EnglishRows:
    """Rows proposed by a source that knows English only: none for rows in other languages."""

    def __init__(self, source: CounterpartSource, rows: Rows) -> None:
        self.source, self._rows, self.engine = source, rows, source.engine

    def propose(self, rows: Sequence[int]) -> Iterator[list[Proposal]]:
        """The proposals for each row, in order."""
        found = self.source.propose([row for row in rows if self._rows.is_english(row)])
        for row in rows:
            yield next(found) if self._rows.is_english(row) else []


MeasureLeak = Callable[[Sequence[tuple[str, str | None, str]]], Leak]


@dataclass(frozen=True, slots=True)
class AddedText:
    """A row that was added, if it is not dropped again."""

    id: str
    text: str
    context: str | None
    label: str
    source: str


@dataclass(slots=True)
class Stage:
    """What one remedy did: rows looked at, drafts, edits used, and why drafts were not."""

    remedy: str
    rows: int = 0
    drafts: int = 0
    used: int = 0
    refused: Counter[str] = field(default_factory=Counter)


class Repair:
    """The repair of some rows.

    ignored: words that are real signal. verify: checks changed texts; verify_new: checks added rows. read: analyses English; None for other
    languages. max_changed: how many rows may be changed; half as many may be dropped. grammar, concepts: patterns of a grammar and of vectors
    to balance, too.
    """

    name = "repair"

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
        self._balanced = [
            one for one in (concepts, grammar) if one is not None
        ]  # their numbers in this order
        more = self._read_balanced if self._balanced else None
        self._parsed = N_FEATURES + (0 if concepts is None else len(concepts.targets))
        n_features = self._parsed + (0 if grammar is None else 1 + len(grammar.targets))
        frequent = [one for one, n in Counter(rows.languages).items() if n >= LEAST_SHARE * len(rows)]
        languages = {"" if language in (ENGLISH, UNKNOWN) else language for language in frequent}
        self.reader = FeatureReader.for_texts(
            rows.texts, rows.contexts, ignored=ignored, more=more, languages=sorted(languages)
        )
        self.balance = Balance(
            self.reader.read(rows.texts, rows.contexts), rows.labels, n_features, parsed=self._parsed
        )
        self.added: list[AddedText] = []  # numbered after the rows
        self.dropped: set[int] = set()
        self.weights: dict[int, float] = {}
        self.changed: set[int] = set()
        self.max_changed = len(rows) if max_changed is None else max_changed
        self._effects: dict[int, float] = {}  # of leaving rows out
        # By pattern: the texts that were read, and what they show.
        self._seen: dict[Pattern, tuple[list[str | None], ShownRows]] = {}
        self._origins: dict[int, Origin] = {}  # of rows that were changed
        # The words of asides that were taken out, with a label.
        self._asides: Counter[tuple[tuple[str, ...], str]] = Counter()
        self._number = 0
        self._earlier = {(row, text) for row, text in enumerate(rows.texts)}
        self._there = {(text, rows.context(i)) for i, text in enumerate(rows.texts)}
        self._taken = set(rows.ids)

    def _read_balanced(self, texts: Sequence[str], contexts: Sequence[str | None] | None) -> list[Numbers]:
        """For each text the numbers of the patterns of a grammar and of the concepts that it has, ascending."""
        read = [one.read(texts, contexts) for one in self._balanced]
        return [np.concatenate(numbers) for numbers in zip(*read, strict=True)]

    def rows_now(self) -> list[tuple[str, str | None, str]]:
        """Text, context and label of every row as it is now, with added rows."""
        rows = [(text, self.rows.context(i), self.rows.label(i)) for i, text in enumerate(self.texts)]
        rows += [(one.text, one.context, one.label) for one in self.added]
        return [row for i, row in enumerate(rows) if i not in self.dropped]

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
        words = list(dict.fromkeys(filter(is_word, tokenize(text))))
        numbers = np.array([number_of([word]) for word in words], dtype=np.int64)
        place = list(self.rows.label_names).index(label)
        counts, totals = self.balance.counts[:, numbers], self.balance.totals
        is_more = counts[place] * totals.sum() > counts.sum(axis=0) * totals[place]
        strength = np.where(is_more, self.balance.strength(numbers), 0.0)
        order = np.argsort(-strength, kind="stable")[:MOST_TELLING]
        return tuple(words[i] for i in order if strength[i] > TELLING)

    # Changes

    def change(self, remedy: Remedy | BatchRemedy, targets: Sequence[Target]) -> Iterator[Round]:
        """Let a remedy change rows, target by target, as long as it helps."""
        if remedy.needs_english and self.read is None:
            return
        self._effects.clear()
        for target in targets:
            shown = self._shown(target)
            rows = self._concerned(remedy, target, shown)
            parts = [rows[:FIRST], *(rows[i : i + AT_ONCE] for i in range(FIRST, len(rows), AT_ONCE))]
            for number, part in enumerate(parts):
                done = self._change_part(remedy, target, part, shown)
                yield done
                if not (done.figures.accepted if number else done.figures.candidates):
                    break
        if not remedy.into_others and not isinstance(remedy, BatchRemedy):
            for target in self.aside_targets:
                shown = self._shown(target)
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

    def expected_drafts(self, remedy: Remedy | BatchRemedy, targets: Sequence[Target]) -> float:
        """About how many drafts a remedy has for these targets, from a few rows of each; 0 if it asks an engine, which is not asked here."""
        if isinstance(remedy, BatchRemedy) or (remedy.needs_english and self.read is None):
            return 0.0
        expected = 0.0
        for target in targets:
            rows = self.rows_for(remedy, target)
            some = [self.row(row) for row in rows[:: max(1, len(rows) // PROBED)][:PROBED]]
            works = sum(next(iter(drafts), None) is not None for drafts in drafts_of(remedy, some, target))
            # More rows than show a pattern need not get it.
            most = int(self._shown(target).rows.sum()) if remedy.into_others else len(rows)
            expected += min(len(rows) * works / max(len(some), 1), most)
        return expected

    def rows_for(self, remedy: Remedy | BatchRemedy, target: Target) -> list[int]:
        """The rows that a remedy may change for a target; if they show it, those whose surface says most about their label first."""
        return self._concerned(remedy, target, self._shown(target))

    def _concerned(self, remedy: Remedy | BatchRemedy, target: Target, shown: ShownRows) -> list[int]:
        found = [
            row
            for row in np.flatnonzero(shown.rows != remedy.into_others).tolist()
            if row not in self.dropped and (self.rows.label(row) == target.label) != remedy.into_others
        ]
        if remedy.into_others:
            return found
        return sorted(found, key=lambda row: (self._telling_of(row), row))

    def _telling_of(self, row: int) -> float:
        """How much the excess would rise without a row, as it was when the remedy began."""
        if row not in self._effects:
            self._effects[row] = self.balance.effect_of_dropping(row)
        return self._effects[row]

    def _shown(self, target: Target) -> ShownRows:
        """The rows that show a pattern; none that is dropped. Texts that did not change since it was last asked are not read again."""
        read, shown = self._seen.get(target.pattern) or (
            [None] * len(self.rows),
            ShownRows(np.zeros(len(self.rows), bool), self.rows.labels, len(self.balance.totals)),
        )
        for row, text in enumerate(self.texts):
            if row in self.dropped:
                shown.set(row, False)
            elif read[row] is not text:
                read[row] = text
                shown.set(row, self._shows(row, text, target))
        self._seen[target.pattern] = read, shown
        return shown

    def _shown_at_first(self, target: Target, shown: ShownRows) -> int:
        """How many rows showed a pattern before anything was changed."""
        changed = sum(self._shows(row, self.rows.texts[row], target) for row in self.changed)
        return changed + sum(row not in self.changed for row in shown.numbers())

    def _shows(self, row: int, text: str, target: Target) -> bool:
        return where(target.pattern, self._fields(row, text), target.concepts) is not None

    def _effect(self, row: int, numbers: Numbers, *, shows: bool, shown: ShownRows) -> float:
        """How much the excess would rise, and with it what the target says about labels; infinite if that would rise."""
        effect = self.balance.effect_of_change(row, numbers)
        if shows == shown.rows[row]:
            return effect
        totals = self.balance.totals
        more = shown.gain_if(row, shows, totals) - shown.gain(totals)
        return effect + more if more < 0 else float("inf")

    def row(self, number: int) -> RepairRow:
        """A row as remedies see it."""
        return repair_row(self.rows, number, self.texts[number], self.read)

    def _fields(self, row: int, text: str) -> dict[str, str]:
        task = self.rows.task
        fields = {task.text_name: text}
        if task.context_name is not None:
            fields[task.context_name] = self.rows.context(row) or ""
        return fields

    def _change_part(
        self,
        remedy: Remedy | BatchRemedy,
        target: Target,
        rows: Sequence[int],
        shown: ShownRows,
        *,
        asides_only: bool = False,
    ) -> Round:
        """Use drafts that weaken the target. asides_only: use those that take asides out, whatever the row's label."""
        stage = Stage(remedy.name, rows=len(rows))
        if remedy.needs_english:
            english = [row for row in rows if self.rows.is_english(row)]
            if len(english) < len(rows):
                stage.refused[NOT_ENGLISH] += len(rows) - len(english)
            rows = english
        choices = self._drafts(remedy, target, rows)
        if asides_only:
            choices = {row: [one for one in drafts if one.asides] for row, drafts in choices.items()}
        stage.drafts = sum(map(len, choices.values()))
        edits: list[Edit] = []
        while any(choices.values()):
            first = [(row, drafts.pop(0)) for row, drafts in choices.items() if drafts]
            features = self.reader.read(
                [draft.text for _, draft in first], [self.rows.context(row) for row, _ in first]
            )
            given = [
                (row, draft, numbers, self._shows(row, draft.text, target))
                for (row, draft), numbers in zip(first, features, strict=True)
            ]
            helping = [
                (row, draft, numbers, shows)
                for row, draft, numbers, shows in given
                if asides_only or self._effect(row, numbers, shows=shows, shown=shown) < LEAST
            ]
            stage.refused[NO_BETTER] += len(first) - len(helping)
            verdicts = self._verdicts([self._candidate(row, draft, target) for row, draft, _, _ in helping])
            for (row, draft, numbers, shows), theirs in zip(helping, verdicts, strict=True):
                reason, why = _refusal(theirs)
                if not reason and not self._may_change(row):
                    reason = why = ENOUGH
                elif (
                    not (reason or asides_only)
                    and self._effect(row, numbers, shows=shows, shown=shown) >= LEAST
                ):
                    reason = why = NO_BETTER
                edits.append(self._edit(remedy.name, row, draft, theirs, reason))
                if reason:
                    stage.refused[why] += 1
                    continue
                choices[row] = []
                stage.used += 1
                self._origins[row] = self._candidate(row, draft, target).origin_now
                if not remedy.into_others:
                    for aside in (
                        draft.asides
                    ):  # "... an exhibition about the trains upstairs": by the words that recur, too
                        recurring = {_tokens_of(aside), target.pattern.words}
                        self._asides.update((words, target.label) for words in recurring)
                self._use(row, draft.text, numbers)
                shown.set(row, shows)
        return self._round(stage, edits)

    def _drafts(
        self, remedy: Remedy | BatchRemedy, target: Target, rows: Sequence[int]
    ) -> dict[int, list[Draft]]:
        """The drafts for each row that are not an earlier text of it."""
        rows = [row for row in rows if self._may_change(row)]
        given = [self.row(row) for row in rows]
        choices: dict[int, list[Draft]] = {}
        for row, drafts in zip(rows, drafts_of(remedy, given, target), strict=True):
            new = (draft for draft in drafts if (row, draft.text) not in self._earlier and draft.text.strip())
            choices[row] = list(islice(new, MOST_DRAFTS))
        return choices

    def _may_change(self, row: int) -> bool:
        """Whether a row may be changed: one that was changed before always, others as long as the most rows are not reached."""
        return row in self.changed or len(self.changed) < self.max_changed

    def _candidate(self, row: int, draft: Draft, target: Target) -> Candidate:
        return Candidate(
            row=row,
            before=self.texts[row],
            after=draft.text,
            label=self.rows.label(row),
            context=self.rows.context(row),
            keeps=draft.keeps,
            telling=frozenset([" ".join(target.pattern.words), *target.pattern.words]),
            origin=self._origins.get(row),
            may_copy=True,  # another mark may be all that changes
            asides=draft.asides,
        )

    def _use(self, row: int, text: str, features: Numbers) -> None:
        self.balance.change(row, features)
        self._earlier.add((row, text))
        self.texts[row] = text
        self.changed.add(row)

    # Additions

    def add(
        self, source: CounterpartSource, *, name: str = "counterpart", choose: bool = True
    ) -> Iterator[Round]:
        """Add counterparts. choose: only those that make the data more balanced, with labels about as frequent as they were; False to add all,
        if `drop` chooses among them afterwards."""
        every = [row for row in range(len(self.rows)) if row not in self.dropped]
        proposals = source.propose(every)
        for start in range(0, len(every), AT_ONCE):
            part: list[Proposal] = []
            for _ in every[start : start + AT_ONCE]:
                part += next(proposals)
            stage = Stage(name, rows=len(every[start : start + AT_ONCE]), drafts=len(part))
            yield self._add_part(stage, part, source.engine, choose)

    def _add_part(self, stage: Stage, proposals: Sequence[Proposal], engine: str, choose: bool) -> Round:
        labels = list(self.rows.label_names)
        features = self.reader.read([one.text for one in proposals], [one.context for one in proposals])
        waiting = []
        for proposal, numbers in zip(proposals, features, strict=True):
            if (proposal.text, proposal.context) in self._there:
                stage.refused[SAME_TEXT] += 1
            elif choose and self.balance.effect_of_adding(labels.index(proposal.label), numbers) >= LEAST:
                stage.refused[NO_BETTER] += 1
            else:
                waiting.append((proposal, numbers))
        verdicts = self._verdicts_new([proposal for proposal, _ in waiting])
        edits: list[Edit] = []
        for (proposal, numbers), theirs in zip(waiting, verdicts, strict=True):
            label = labels.index(proposal.label)
            reason, why = _refusal(theirs)
            if not reason and (proposal.text, proposal.context) in self._there:
                reason = why = SAME_TEXT
            elif not reason and choose and not self._helps(label, numbers):
                reason = why = NO_BETTER
            id_ = fresh_id(self._taken, self.rows.ids[proposal.row], "repair")
            own = self._added(proposal, id_, theirs, reason)
            edits += [replace(edit, method=stage.remedy, engine=engine) for edit in own]
            if reason:
                stage.refused[why] += 1
                continue
            stage.used += 1
            self.balance.add(label, numbers)
            self.added.append(
                AddedText(id_, proposal.text, proposal.context, proposal.label, self.rows.ids[proposal.row])
            )
            self._there.add((proposal.text, proposal.context))
        return self._round(stage, edits)

    def _helps(self, label: int, features: Numbers) -> bool:
        totals = self.balance.totals
        is_rare = totals[label] < EVEN * totals[totals > 0].min() + FEW
        return bool(is_rare and self.balance.effect_of_adding(label, features) < LEAST)

    # Removal

    def drop(self, goal: Callable[[Leak], bool], measure: MeasureLeak) -> Iterator[Round]:
        """Drop rows until the leak is at the goal, or the most rows are changed, or no removal helps.

        Rows that were added and make the data less balanced go first, whatever the leak: a counterpart must not bring a shortcut of its own.
        The order of the others is computed to its end; the shortest part of it that reaches the goal is found by bisection.
        """
        stage = Stage("drop", rows=len(self.texts) + len(self.added))
        order = list(
            best_drops(self.balance, range(len(self.rows), len(self.balance.features)), self._shares)
        )
        self.dropped.update(order)
        if not goal(measure(self.rows_now())):
            more = list(self._drops())
            order += more[: self._fewest(more, lambda: goal(measure(self.rows_now())))]
        stage.used = stage.drafts = len(order)
        yield self._round(stage, [self._drop_edit(row) for row in order])

    def drop_leftovers(self, targets: Sequence[Target]) -> Iterator[Round]:
        """Drop rows that still show a pattern which was taken out of most rows, until it is balanced: no remedy reached them.

        Of fewer than five rows all are dropped: what only they have would point at them. A pattern that most rows keep is left alone: that
        would cost too many rows.
        """
        stage, order = Stage("drop"), list[int]()
        for target in (*targets, *self.aside_targets):
            shown = self._shown(target)
            if not 0 < len(shown) <= REST * self._shown_at_first(target, shown):
                continue
            stage.rows += len(shown)
            by_label: dict[int, list[int]] = {}
            for row in sorted(shown.numbers(), key=lambda row: (-self._telling_of(row), row)):
                by_label.setdefault(int(self.rows.labels[row]), []).append(row)
            while self._room > 0 and (
                shown.gain(self.balance.totals) > self.balance.bound or 0 < len(shown) < FEW_LEFT
            ):
                left = [rows for rows in by_label.values() if rows]
                best = min(left, key=lambda rows: shown.gain_if(rows[-1], False, self.balance.totals)).pop()
                shown.set(best, False)
                self.dropped.add(best)
                self.balance.drop(best)
                order.append(best)
        stage.used = stage.drafts = len(order)
        if order:
            yield self._round(stage, [self._drop_edit(row) for row in order])

    def drop_for_patterns(self) -> Iterator[Round]:
        """Drop the fewest rows such that the patterns of a grammar and concepts say little about labels, or as many as may be dropped.

        No text is written for such patterns: they are about how a text is built, or what it is about. The labels keep their shares.
        """
        if not self._balanced:
            return
        rows = [row for row in range(len(self.balance.features)) if row not in self.dropped]
        features = [self.balance.features[row] for row in rows]
        own = [numbers[numbers >= N_FEATURES] - N_FEATURES for numbers in features]
        labels, parsed = [self.balance.labels[row] for row in rows], self._parsed - N_FEATURES
        apart = Balance(own, labels, self.balance.counts.shape[1] - N_FEATURES, parsed=parsed)
        stage, order = (
            Stage("drop", rows=sum(bool((numbers != parsed).any()) for numbers in own)),
            list[int](),
        )
        strictly = best_drops(apart, range(len(rows)), self._shares)
        left = (number for number in range(len(rows)) if rows[number] not in self.dropped)
        for number in chain(strictly, best_drops(apart, left, self._shares, strict=False)):
            row = rows[number]
            if row < len(self.rows) and self._room <= 0:
                break
            self.dropped.add(row)
            self.balance.drop(row)
            order.append(row)
            if not apart.excess():
                break
        stage.used = stage.drafts = len(order)
        if order:
            yield self._round(stage, [self._drop_edit(row) for row in order])

    @property
    def _room(self) -> int:
        """How many more rows may be dropped."""
        return self.max_changed // 2 - self.n_dropped

    def shrink(self) -> Iterator[Round]:
        """Drop as many rows as were added, so that the dataset keeps its size."""
        order = list(self._drops(size=len(self.rows)))
        self.dropped.update(order)
        stage = Stage("drop", rows=len(self.texts) + len(self.added), used=len(order), drafts=len(order))
        yield self._round(stage, [self._drop_edit(row) for row in order])

    def _drops(self, *, size: int | None = None) -> Iterator[int]:
        """Rows to drop, best first; rows that were added as well, and of the others as many as may change."""
        n, room = len(self.rows), self._room
        left = [row for row in range(len(self.balance.features)) if row not in self.dropped]
        taken: set[int] = set()
        order = best_drops(self.balance, left, self._shares, size=size)
        if (
            size is None and not self.rows.task.is_pair
        ):  # a length that rows of one label have ends the strict order soon
            rest = (row for row in left if row not in taken)
            order = chain(order, best_drops(self.balance, rest, self._shares, strict=False))
        for row in order:
            if row < n and room <= 0:
                self.balance.restore(row)
                break
            room -= row < n
            taken.add(row)
            yield row
        else:
            return
        added = [row for row in left if row >= n and row not in taken]
        yield from best_drops(self.balance, added, self._shares, size=size)

    def _fewest(self, order: Sequence[int], is_enough: Callable[[], bool]) -> int:
        """How many of these rows, in this order, must be dropped; all if that is not enough either."""
        kept = frozenset(self.dropped)
        step = max(1, (len(self.texts) + len(self.added)) // MEASURES)
        ends = [*range(step, len(order), step), len(order)]

        def reaches(end: int) -> bool:
            self.dropped = {*kept, *order[:end]}
            return is_enough()

        first = bisect_left(ends, True, hi=len(ends) - 1, key=reaches) if ends else 0
        n = ends[first] if ends else 0
        self.dropped = {*kept, *order[:n]}
        for row in order[n:]:
            self.balance.restore(row)
        return n

    # Weights

    def weigh(self) -> Iterator[Round]:
        """Give every row a weight, such that what is tied to a label in the rows is tied to none in the weighted rows."""
        kept = [row for row in range(len(self.balance.features)) if row not in self.dropped]
        labels = np.array([self.balance.labels[row] for row in kept], dtype=np.int64)
        weights = balancing_weights([self.balance.features[row] for row in kept], labels, parsed=self._parsed)
        self.weights = dict(zip(kept, weights.round(4).tolist(), strict=True))
        stage = Stage("weigh", rows=len(kept), drafts=len(kept), used=len(kept))
        yield self._round(stage, [self._weight_edit(row, weight) for row, weight in self.weights.items()])

    def _weight_edit(self, row: int, weight: float) -> Edit:
        edit = replace(self._drop_edit(row), method="weigh", how="weigh", drops=False, field=WEIGHT_COLUMN)
        source = "" if row < len(self.rows) else self.added[row - len(self.rows)].source
        return replace(edit, before="1", after=f"{weight:.4f}", source=source)

    @property
    def _shares(self) -> NDArray[np.float64]:
        """The shares of the labels in the rows as they were."""
        counts = np.bincount(self.rows.labels, minlength=len(self.balance.totals))
        return counts / max(counts.sum(), 1)

    def _drop_edit(self, row: int) -> Edit:
        is_new = row >= len(self.rows)
        if is_new:
            added = self.added[row - len(self.rows)]
            id_, text, label = added.id, added.text, added.label
        else:
            id_, text, label = self.rows.ids[row], self.texts[row], self.rows.label(row)
        return Edit(
            id=id_,
            field=self.rows.task.text_name,
            before=text,
            after=text,
            label_before=label,
            label_after=label,
            method="drop",
            engine="rules",
            accepted=True,
            round=self._number + 1,
            how="drop",
            drops=True,
        )

    # Shared

    def _verdicts(self, candidates: Sequence[Candidate]) -> list[tuple[Verdict, ...] | None]:
        return _all_verdicts(self.verify, candidates)

    def _verdicts_new(self, proposals: Sequence[Proposal]) -> list[tuple[Verdict, ...] | None]:
        """The verdicts on rows to add; those that only say the same in other words are checked as changes are."""
        verdicts: list[tuple[Verdict, ...] | None] = [None] * len(proposals)
        rows = self.changed_rows
        for verify, same in ((self.verify, True), (self.verify_new, False)):
            places = [i for i, one in enumerate(proposals) if (one.keeps == "meaning") == same]
            given = _all_verdicts(verify, [proposals[i].candidate(rows) for i in places])
            for place, theirs in zip(places, given, strict=True):
                verdicts[place] = theirs
        return verdicts

    def _edit(
        self, method: str, row: int, draft: Draft, verdicts: tuple[Verdict, ...] | None, reason: str
    ) -> Edit:
        label = self.rows.label(row)
        return Edit(
            id=self.rows.ids[row],
            field=self.rows.task.text_name,
            before=self.texts[row],
            after=draft.text,
            label_before=label,
            label_after=label,
            method=method,
            engine=draft.engine,
            accepted=not reason,
            reason=reason,
            verdicts=verdicts or (),
            round=self._number + 1,
            how=draft.how,
        )

    def _added(
        self, proposal: Proposal, id_: str, verdicts: tuple[Verdict, ...] | None, reason: str
    ) -> Iterator[Edit]:
        rows, row = self.rows, proposal.row
        own = Edit(
            id=id_,
            field=rows.task.text_name,
            before=self.texts[row],
            after=proposal.text,
            label_before=rows.label(row),
            label_after=proposal.label,
            method=self.name,
            engine="",
            accepted=not reason,
            reason=reason,
            verdicts=verdicts or (),
            round=self._number + 1,
            how=proposal.how,
            source=rows.ids[row],
        )
        yield own
        if rows.contexts is not None and proposal.context != rows.context(row):
            context = rows.task.context_name or "context"
            yield replace(
                own, field=context, before=rows.context(row) or "", after=proposal.context or "", verdicts=()
            )

    def _round(self, stage: Stage, edits: Sequence[Edit]) -> Round:
        self._number += 1
        figures = Figures(
            asked=stage.rows,
            candidates=stage.drafts,
            accepted=stage.used,
            rejected=dict(stage.refused.most_common()),
        )
        return Round(self._number, tuple(edits), figures)


def _tokens_of(aside: str) -> tuple[str, ...]:
    """The tokens of an aside without the marks at its ends."""
    tokens = tokenize(aside)
    words = [i for i, token in enumerate(tokens) if is_word(token)]
    return tuple(tokens[words[0] : words[-1] + 1]) if words else ()


def _all_verdicts(verify: Verify | None, candidates: Sequence[Candidate]) -> list[tuple[Verdict, ...] | None]:
    """The verdicts on each candidate; None for those that were not verified because the budget ended."""
    if verify is None or not candidates:
        return [() for _ in candidates]
    verdicts, _ = until_spent(lambda: verify(candidates))
    return [*verdicts, *[None] * (len(candidates) - len(verdicts))]


def _refusal(verdicts: tuple[Verdict, ...] | None) -> tuple[str, str]:
    """The full and the short reason for a refusal, both "" if all checks passed."""
    if verdicts is None:
        return NOT_VERIFIED, NOT_VERIFIED
    return first_failure(verdicts) or ("", "")
