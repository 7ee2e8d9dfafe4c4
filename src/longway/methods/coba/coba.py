"""CoBA for labelled rows: each text is written again with its spurious words and another label (sections 3.3.1 to 3.3.3).

    text -> triples -> spurious, principal, normal -> principal ones altered towards the new label
         -> gendered words swapped -> normal ones shuffled, some dropped -> text -> checks -> a row is added

Every step can be switched off (Table 10). A row whose triples cannot be read, or in which nothing can be altered, is refused with
the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TypeVar

from longway.english.triples.gender import swap_gender
from longway.english.triples.triple import Triple
from longway.methods.coba.steps import Alteration, Realisation, Split, TripleWriter
from longway.methods.coba.votes import Important, Kind, Mixed, arranged, kinds_of
from longway.methods.loop import Draft, Refused, added_rounds, new_row
from longway.methods.method import Round, Rows, Verify
from longway.text.tokenizer import tokenize

I = TypeVar("I")  # noqa: E741
A = TypeVar("A")
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


@dataclass(slots=True)
class Side:
    """A text in the making: its triples before and after the changes, and their order. kinds: of `before`."""

    before: list[Triple] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    after: list[Triple] = field(default_factory=list)
    order: list[int] = field(default_factory=list)

    @property
    def new(self) -> list[Triple]:
        """The triples of the new text, in its order."""
        return [self.after[place] for place in self.order]

    @property
    def words(self) -> set[str]:
        """The words of its triples before."""
        return {word for triple in self.before for word in triple.words}

    @property
    def principal(self) -> list[Triple]:
        """Its principal triples before."""
        return [triple for triple, kind in zip(self.before, self.kinds, strict=True) if kind == "principal"]

    def trace(self) -> list[dict[str, object]]:
        """Its triples for the trace of an edit. after, place: None for a triple that was dropped."""
        places = {old: new for new, old in enumerate(self.order)}
        return [
            {
                "kind": kind,
                "before": str(self.before[i]),
                "after": str(self.after[i]) if i in places else None,
                "place": places.get(i),
            }
            for i, kind in enumerate(self.kinds)
        ]


@dataclass(slots=True)
class NewRow:
    """A row in the making. context: empty if it stays as it is. swapped: gendered words, each with its replacement."""

    row: int
    variant: int
    target: str
    text: Side
    context: Side
    swapped: list[tuple[str, str]] = field(default_factory=list)


def answered(
    items: Iterable[I], answers: Iterable[A | Refused], refusals: Counter[str]
) -> Iterator[tuple[I, A]]:
    """The items that have an answer, each with it; why the others have none is counted."""
    for item, answer in zip(items, answers, strict=True):
        if isinstance(answer, Refused):
            refusals[answer.reason] += 1
        else:
            yield item, answer


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
        """Rounds of 64 rows each; rows are added and none is changed."""
        wanted = [row for row in range(len(rows)) if self._targets(rows, row, 1)]
        return added_rounds(rows, wanted, partial(self._propose, rows), method=self.name, verify=self.verify)

    def _propose(self, rows: Rows, part: Sequence[int], refusals: Counter[str]) -> Iterator[Draft]:
        """Section 3.3.3: texts from the triples, once these are altered and arranged."""
        made = self._split(rows, part, refusals)
        if self.settings.alter:
            made = self._altered(rows, made, refusals)
        contexts = self.settings.contexts and rows.contexts is not None
        realisations = []
        for one in made:
            self._arrange(rows, one)
            keep, context_keep = self._kept_words(one)
            realisations.append(
                Realisation(
                    rows.texts[one.row],
                    rows.context(one.row),
                    one.variant,
                    triples=one.text.new,
                    label=one.target,
                    context_triples=one.context.new if contexts else None,
                    keep=sorted(keep),
                    context_keep=sorted(context_keep),
                )
            )
        for one, (context, text) in answered(made, self.writer.take(realisations), refusals):
            new = context if contexts else None
            draft = new_row(rows, one.row, text, one.target, context=new, engine=self.writer.name)
            draft.how, draft.trace = self._how(one), self._trace(one)
            draft.keep, draft.context_keep = self._kept_words(one)
            yield draft

    def _split(self, rows: Rows, part: Sequence[int], refusals: Counter[str]) -> list[NewRow]:
        """Section 3.3.1: the triples of each row and their kinds; one new row per variant."""
        made: list[NewRow] = []
        answers = self.writer.take([Split(rows.texts[row], rows.context(row)) for row in part])
        for row, (context, text) in answered(part, answers, refusals):
            if not self.settings.contexts:
                context = []
            kinds, of_context = kinds_of(text, context, self.important[row], mixed=self.settings.mixed)
            if self.settings.alter and "principal" not in (*kinds, *of_context):
                refusals[NOTHING_PRINCIPAL] += 1
                continue
            for variant, target in enumerate(self._targets(rows, row, self.settings.variants)):
                sides = Side(text, kinds, list(text)), Side(context, of_context, list(context))
                made.append(NewRow(row, variant, target, *sides))
        return made

    def _altered(self, rows: Rows, made: Sequence[NewRow], refusals: Counter[str]) -> list[NewRow]:
        """Section 3.3.2: principal triples changed towards the new label, those of the context first."""
        alterations = [
            Alteration(
                rows.texts[one.row],
                rows.context(one.row),
                one.variant,
                label=rows.label(one.row),
                target=one.target,
                triples=one.text.principal,
                context_triples=one.context.principal,
                keep=self._spurious_in(one),
            )
            for one in made
        ]
        kept: list[NewRow] = []
        for one, answer in answered(made, self.writer.take(alterations), refusals):
            if answer == [*one.context.principal, *one.text.principal]:
                refusals[NOTHING_ALTERED] += 1
                continue
            new = iter(answer)
            for side in (one.context, one.text):
                for place, kind in enumerate(side.kinds):
                    if kind == "principal":
                        side.after[place] = next(new)
            kept.append(one)
        return kept

    def _arrange(self, rows: Rows, one: NewRow) -> None:
        """Swap gendered words in all triples together; then draw the order of the triples."""
        settings, text, context = self.settings, one.text, one.context
        random = Random(f"{settings.seed}|{rows.ids[one.row]}|{one.variant}")
        if settings.gender and (settings.contexts or rows.contexts is None):
            together = [*text.after, *context.after]
            swapped = swap_gender(together)
            one.swapped = sorted(_changed_words(together, swapped))
            text.after, context.after = swapped[: len(text.after)], swapped[len(text.after) :]
        for side in (text, context):
            if side.before:
                side.order = arranged(side.kinds, random, permute=settings.permute, drop=settings.drop)

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

    def _sides(self, one: NewRow) -> tuple[tuple[Side, Important], tuple[Side, Important]]:
        """Both sides, each with its important words."""
        important = self.important[one.row]
        return (one.text, important), (one.context, important.context or Important())

    def _spurious_in(self, one: NewRow) -> tuple[str, ...]:
        """The spurious words of principal triples, which must survive a change of these."""
        words = [
            word
            for side, important in self._sides(one)
            for word in important.spurious
            if any(word in triple.words for triple in side.principal)
        ]
        return tuple(dict.fromkeys(words))

    def _kept_words(self, one: NewRow) -> tuple[frozenset[str], ...]:
        """The spurious words that the new text and its context must have: those of the triples, without those that a gender swap replaced."""
        gone = {old for old, _ in one.swapped}
        return tuple(
            frozenset(important.spurious) & side.words - gone for side, important in self._sides(one)
        )

    def _how(self, one: NewRow) -> str:
        order = one.text.order
        steps = {
            "alter": self.settings.alter,
            "gender": bool(one.swapped),
            "permute": order != sorted(order),
            "drop": len(order) < len(one.text.before),
        }
        return " + ".join(name for name, done in steps.items() if done)

    def _trace(self, one: NewRow) -> dict[str, object]:
        trace: dict[str, object] = {}
        for prefix, (side, important) in zip(("", "context_"), self._sides(one), strict=True):
            if side.before:
                trace[f"{prefix}principal"] = list(important.principal)
                trace[f"{prefix}spurious"] = list(important.spurious)
                trace[f"{prefix}triples"] = side.trace()
        order = one.text.order
        trace["order"] = order
        trace["dropped"] = [i for i in range(len(one.text.before)) if i not in order]
        trace["gender"] = [list(pair) for pair in one.swapped]
        return trace


def _changed_words(before: Sequence[Triple], after: Sequence[Triple]) -> set[tuple[str, str]]:
    """Replaced words, each with its replacement."""
    return {
        pair
        for old, new in zip(before, after, strict=True)
        for pair in zip(tokenize(old.text), tokenize(new.text), strict=False)
        if pair[0] != pair[1]
    }
