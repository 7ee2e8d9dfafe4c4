"""CoBA for labelled rows: each text is written again with its spurious words and another label (sections 3.3.1 to 3.3.3).

    text -> triples -> spurious, principal, normal -> principal ones altered towards the new label
         -> gendered words swapped -> normal ones shuffled, some dropped -> text -> checks -> a row is added

Every step can be switched off (Table 10). A row whose triples cannot be read, or in which nothing can be altered, is refused with
the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import get_args

from longway.english.triples.gender import swap_gender
from longway.english.triples.triple import Triple
from longway.errors import BudgetSpent, SettingError
from longway.methods.additions import Adder, Proposal, Proposed, Refused, add_in_parts
from longway.methods.coba.steps import Alteration, Realisation, Split, TripleWriter
from longway.methods.coba.votes import Important, Kind, Mixed, arranged, kinds_of
from longway.methods.method import Round, Rows, Verify
from longway.text.tokenizer import tokenize

NOTHING_PRINCIPAL = "no triple has a principal word"
NOTHING_ALTERED = "the engine left every principal triple as it was"


@dataclass(frozen=True, slots=True)
class CobaSettings:
    """The steps, and their options.

    alter: change principal triples towards the new label; without it, labels stay (the control of Table 10).
    mixed: the kind of triples with principal and spurious words: "spurious", which stay (as in the paper), "principal", or "needed":
        spurious unless no triple of the row would be principal.
    gender: swap gendered words. permute: shuffle normal triples. drop: the probability that one is dropped.
    contexts: also change and rewrite the contexts of pairs, by their own important words; otherwise they stay as they are.
    to: the new label; "" for any other one, at random. variants: new texts per row.
    """

    alter: bool = True
    mixed: Mixed = "needed"
    gender: bool = True
    permute: bool = True
    drop: float = 0.1
    contexts: bool = False
    to: str = ""
    variants: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.drop < 1:
            raise SettingError(f"'drop' must be from 0 to less than 1. Got {self.drop}. Try 0.1.")
        if self.variants < 1:
            raise SettingError(f"'variants' must be at least 1. Got {self.variants}. Try 1 or 3.")
        if self.mixed not in get_args(Mixed):
            raise SettingError(f"'mixed' must be one of {', '.join(get_args(Mixed))}. Got {self.mixed!r}.")


@dataclass(slots=True)
class TripleDraft:
    """A new text in the making: the triples of a row before and after the changes, and their order. kinds: of `before`.

    context_before, context_kinds: empty if the context stays as it is.
    """

    row: int
    variant: int
    target: str
    before: list[Triple]
    kinds: list[Kind]
    context_before: list[Triple] = field(default_factory=list)
    context_kinds: list[Kind] = field(default_factory=list)
    after: list[Triple] = field(default_factory=list)
    context_after: list[Triple] = field(default_factory=list)
    swapped: list[tuple[str, str]] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    context_order: list[int] = field(default_factory=list)


class Coba:
    """CoBA over given rows.

    writer: takes the steps that write. important: the principal and spurious words of each row. verify: checks each new row.
    """

    name = "coba"

    def __init__(
        self,
        settings: CobaSettings | None = None,
        *,
        writer: TripleWriter,
        important: Sequence[Important],
        verify: Verify | None = None,
    ) -> None:
        self.settings = CobaSettings() if settings is None else settings
        self.writer, self.important, self.verify = writer, important, verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Yield rounds of 64 rows each; rows are added and none is changed."""
        self._check(rows)
        adder = Adder(rows, method=self.name, engine=self.writer.name, verify=self.verify)
        wanted = [row for row in range(len(rows)) if self._targets(rows, row, 1)]
        yield from add_in_parts(adder, wanted, lambda part: self._propose(rows, part))

    def _propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        result = Proposed()
        try:
            drafts = self._split(rows, part, result.refusals)
            drafts = self._altered(rows, drafts, result.refusals)
            for draft in drafts:
                self._arrange(rows, draft)
            result.proposals = self._realised(rows, drafts, result.refusals)
        except BudgetSpent:
            result.is_spent = True
        return result

    def _split(self, rows: Rows, part: Sequence[int], refusals: Counter[str]) -> list[TripleDraft]:
        """Section 3.3.1: the triples of each row and their kinds; one draft per variant."""
        drafts: list[TripleDraft] = []
        answers = self.writer.take([Split(rows.texts[row], rows.context(row)) for row in part])
        for row, answer in zip(part, answers, strict=True):
            if isinstance(answer, Refused):
                refusals[answer.reason] += 1
                continue
            context, text = answer if self.settings.contexts else ([], answer[1])
            kinds, of_context = kinds_of(text, context, self.important[row], mixed=self.settings.mixed)
            if self.settings.alter and "principal" not in (*kinds, *of_context):
                refusals[NOTHING_PRINCIPAL] += 1
                continue
            drafts += [
                TripleDraft(row, variant, target, text, kinds, context, of_context, list(text), list(context))
                for variant, target in enumerate(self._targets(rows, row, self.settings.variants))
            ]
        return drafts

    def _altered(self, rows: Rows, drafts: list[TripleDraft], refusals: Counter[str]) -> list[TripleDraft]:
        """Section 3.3.2: principal triples changed towards the new label, those of the context first."""
        if not self.settings.alter:
            return drafts
        old = [
            (_principal(draft.context_before, draft.context_kinds), _principal(draft.before, draft.kinds))
            for draft in drafts
        ]
        alterations = [
            Alteration(
                rows.texts[draft.row],
                rows.context(draft.row),
                draft.variant,
                label=rows.label(draft.row),
                target=draft.target,
                triples=text,
                context_triples=of_context,
                keep=self._spurious_in(draft.row, text, of_context),
            )
            for draft, (of_context, text) in zip(drafts, old, strict=True)
        ]
        kept: list[TripleDraft] = []
        answers = self.writer.take(alterations)
        for draft, (of_context, text), answer in zip(drafts, old, answers, strict=True):
            if isinstance(answer, Refused):
                refusals[answer.reason] += 1
            elif answer == [*of_context, *text]:
                refusals[NOTHING_ALTERED] += 1
            else:
                new = iter(answer)
                for triples, kinds in (
                    (draft.context_after, draft.context_kinds),
                    (draft.after, draft.kinds),
                ):
                    for place, kind in enumerate(kinds):
                        if kind == "principal":
                            triples[place] = next(new)
                kept.append(draft)
        return kept

    def _arrange(self, rows: Rows, draft: TripleDraft) -> None:
        """Swap gendered words in all triples together; then draw the order of the triples."""
        settings = self.settings
        random = Random(f"{settings.seed}|{rows.ids[draft.row]}|{draft.variant}")
        if settings.gender and (settings.contexts or rows.contexts is None):
            together = [*draft.after, *draft.context_after]
            swapped = swap_gender(together)
            draft.swapped = sorted(_changed_words(together, swapped))
            draft.after, draft.context_after = swapped[: len(draft.after)], swapped[len(draft.after) :]
        draft.order = arranged(draft.kinds, random, permute=settings.permute, drop=settings.drop)
        if draft.context_before:
            draft.context_order = arranged(
                draft.context_kinds, random, permute=settings.permute, drop=settings.drop
            )

    def _realised(self, rows: Rows, drafts: list[TripleDraft], refusals: Counter[str]) -> list[Proposal]:
        """Section 3.3.3: texts from the triples."""
        contexts = self.settings.contexts and rows.contexts is not None
        realisations = [
            Realisation(
                rows.texts[draft.row],
                rows.context(draft.row),
                draft.variant,
                triples=[draft.after[i] for i in draft.order],
                label=draft.target,
                context_triples=[draft.context_after[i] for i in draft.context_order] if contexts else None,
                keep=sorted(self._kept_words(draft)),
                context_keep=sorted(self._kept_in_context(draft)),
            )
            for draft in drafts
        ]
        answers = self.writer.take(realisations)
        proposals: list[Proposal] = []
        for draft, answer in zip(drafts, answers, strict=True):
            if isinstance(answer, Refused):
                refusals[answer.reason] += 1
                continue
            context, text = answer
            proposals.append(
                Proposal(
                    draft.row,
                    text,
                    draft.target,
                    context if contexts else rows.context(draft.row),
                    how=self._how(draft),
                    keep=self._kept_words(draft),
                    context_keep=self._kept_in_context(draft),
                    trace=self._trace(draft),
                )
            )
        return proposals

    def _targets(self, rows: Rows, row: int, n: int) -> list[str]:
        """The target labels of a row's variants; its own label if labels stay."""
        own = rows.label(row)
        if not self.settings.alter:
            return [own] * n
        if self.settings.to:
            return [] if own == self.settings.to else [self.settings.to] * n
        others = [label for label in rows.label_names if label != own]
        Random(f"{self.settings.seed}|{rows.ids[row]}|target").shuffle(others)
        return [others[i % len(others)] for i in range(n)]

    def _spurious_in(self, row: int, text: Sequence[Triple], context: Sequence[Triple]) -> tuple[str, ...]:
        """The spurious words of some triples, which must survive a change of these."""
        important = self.important[row]
        sides = ((text, important), (context, important.context or Important()))
        found = [
            word for triples, side in sides for word in side.spurious if any(word in t.words for t in triples)
        ]
        return tuple(dict.fromkeys(found))

    def _kept_words(self, draft: TripleDraft) -> frozenset[str]:
        """The spurious words that the new text must have: those of the triples, without those that a gender swap replaced."""
        words = {word for triple in draft.before for word in triple.words}
        return frozenset(self.important[draft.row].spurious) & words - {old for old, _ in draft.swapped}

    def _kept_in_context(self, draft: TripleDraft) -> frozenset[str]:
        """The same for the new context."""
        important = self.important[draft.row].context or Important()
        words = {word for triple in draft.context_before for word in triple.words}
        return frozenset(important.spurious) & words - {old for old, _ in draft.swapped}

    def _how(self, draft: TripleDraft) -> str:
        steps = {
            "alter": self.settings.alter,
            "gender": bool(draft.swapped),
            "permute": draft.order != sorted(draft.order),
            "drop": len(draft.order) < len(draft.before),
        }
        return " + ".join(name for name, done in steps.items() if done)

    def _trace(self, draft: TripleDraft) -> dict[str, object]:
        important = self.important[draft.row]
        trace: dict[str, object] = {
            "principal": list(important.principal),
            "spurious": list(important.spurious),
            "triples": traced(draft.kinds, draft.before, draft.after, draft.order),
            "order": draft.order,
            "dropped": [i for i in range(len(draft.before)) if i not in draft.order],
            "gender": [list(pair) for pair in draft.swapped],
        }
        if draft.context_before:
            of_context = important.context or Important()
            trace["context_principal"] = list(of_context.principal)
            trace["context_spurious"] = list(of_context.spurious)
            trace["context_triples"] = traced(
                draft.context_kinds, draft.context_before, draft.context_after, draft.context_order
            )
        return trace

    def _check(self, rows: Rows) -> None:
        if len(self.important) != len(rows):
            raise SettingError(
                f"CoBA needs the important words of each row. Got {len(self.important)} for {len(rows)} rows."
            )
        if self.settings.to and self.settings.to not in rows.label_names:
            raise SettingError(
                f"'to' must be a label of the data: {', '.join(map(str, rows.label_names))}. Got {self.settings.to!r}."
            )


def _principal(triples: Sequence[Triple], kinds: Sequence[Kind]) -> list[Triple]:
    return [triple for triple, kind in zip(triples, kinds, strict=True) if kind == "principal"]


def traced(
    kinds: Sequence[Kind], before: Sequence[Triple], after: Sequence[Triple], order: Sequence[int]
) -> list[dict[str, object]]:
    """The triples of a text for an edit's trace. after, place: None for a triple that was dropped."""
    place = {old: new for new, old in enumerate(order)}
    return [
        {
            "kind": kind,
            "before": str(before[i]),
            "after": str(after[i]) if i in place else None,
            "place": place.get(i),
        }
        for i, kind in enumerate(kinds)
    ]


def _changed_words(before: Sequence[Triple], after: Sequence[Triple]) -> set[tuple[str, str]]:
    """Replaced words, each with its replacement."""
    return {
        pair
        for old, new in zip(before, after, strict=True)
        for pair in zip(tokenize(old.text), tokenize(new.text), strict=False)
        if pair[0] != pair[1]
    }
