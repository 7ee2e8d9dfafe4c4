"""CoBA for rows whose label is a text: informal and formal, long and short (section 4.5).

    source and target -> triples of both -> an engine picks the principal ones -> gendered words swapped in both
                      -> normal ones shuffled, in both alike -> both realised as text -> checks -> a row is added

As in the paper, nothing is altered: there is no label to change, and spurious words are not searched for. The gain is variety.
If source and target have the same number of normal triples, these get the same new order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from longway.english.triples.gender import swap_gender
from longway.english.triples.triple import Triple
from longway.errors import BudgetSpent
from longway.methods.additions import Adder, Proposal, Proposed, Refused, add_in_parts
from longway.methods.coba.coba import CobaSettings, traced
from longway.methods.coba.steps import Pair, Pick, Realisation, Split, TripleWriter
from longway.methods.coba.votes import Kind, arranged
from longway.methods.method import Round, Rows
from longway.records import Verdict
from longway.verify.check import Candidate
from longway.verify.form_checks import SurfaceCheck


@dataclass(slots=True)
class PairSide:
    """One of the two texts. kinds: principal or normal, per triple."""

    before: list[Triple]
    kinds: list[Kind]
    after: list[Triple]
    order: list[int]


class TextToText:
    """CoBA over rows of two texts; the target text takes the place of the label.

    settings: those of `Coba`; of the steps, gender and permute apply. writer: takes the steps that write. is_checked: whether both texts are checked
    for being texts.
    """

    name = "coba"

    def __init__(
        self,
        settings: CobaSettings | None = None,
        *,
        writer: TripleWriter,
        is_checked: bool = True,
    ) -> None:
        self.settings = CobaSettings() if settings is None else settings
        self.writer, self.is_checked = writer, is_checked
        self._surface = SurfaceCheck((), shortest=0.5, longest=2.0)

    def run(self, rows: Rows) -> Iterator[Round]:
        """Yield rounds of 64 rows each; rows are added and none is changed."""
        verify = partial(self._verify, rows) if self.is_checked else None
        adder = Adder(rows, method=self.name, engine=self.writer.name, verify=verify)
        yield from add_in_parts(adder, range(len(rows)), lambda part: self._propose(rows, part))

    def _propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        result = Proposed()
        try:
            both = self._triples(rows, part, result.refusals)
            picked = self._picked(both, result.refusals)
            drafts = [
                (row, variant, self._sides(f"{rows.ids[row]}|{variant}", both[row], kinds))
                for row, kinds in picked.items()
                for variant in range(self.settings.variants)
            ]
            result.proposals = self._realised(rows, drafts, result.refusals)
        except BudgetSpent:
            result.is_spent = True
        return result

    def _triples(self, rows: Rows, part: Sequence[int], refusals: Counter[str]) -> dict[int, Pair]:
        """The triples of source and target, for rows in which both can be split."""
        texts = [text for row in part for text in (rows.texts[row], rows.label(row))]
        answers = self.writer.take([Split(text) for text in texts])
        both: dict[int, Pair] = {}
        for row, source, target in zip(part, answers[::2], answers[1::2], strict=True):
            if isinstance(source, Refused):
                refusals[source.reason] += 1
            elif isinstance(target, Refused):
                refusals[target.reason] += 1
            else:
                both[row] = source[1], target[1]
        return both

    def _picked(
        self, both: dict[int, Pair], refusals: Counter[str]
    ) -> dict[int, tuple[list[Kind], list[Kind]]]:
        """The kind of each triple, as the engine picks them."""
        texts = (". ".join(triple.text for triple in source) for source, _ in both.values())
        picks = [Pick(text, pair=pair) for text, pair in zip(texts, both.values(), strict=True)]
        kinds: dict[int, tuple[list[Kind], list[Kind]]] = {}
        for row, answer in zip(both, self.writer.take(picks), strict=True):
            if isinstance(answer, Refused):
                refusals[answer.reason] += 1
            else:
                source, target = both[row]
                kinds[row] = _kinds(answer[0], len(source)), _kinds(answer[1], len(target))
        return kinds

    def _sides(self, key: str, both: Pair, kinds: tuple[list[Kind], list[Kind]]) -> list[PairSide]:
        """Pair texts with gender swapped and normal triples in a new order, drawn alike for both."""
        (source, target), (source_kinds, target_kinds) = both, kinds
        swapped = swap_gender([*source, *target]) if self.settings.gender else [*source, *target]
        seed = f"{self.settings.seed}|{key}"
        order = partial(arranged, permute=self.settings.permute, drop=0.0)
        return [
            PairSide(source, source_kinds, swapped[: len(source)], order(source_kinds, Random(seed))),
            PairSide(target, target_kinds, swapped[len(source) :], order(target_kinds, Random(seed))),
        ]

    def _realised(
        self, rows: Rows, drafts: list[tuple[int, int, list[PairSide]]], refusals: Counter[str]
    ) -> list[Proposal]:
        own = [(text, variant) for row, variant, _ in drafts for text in (rows.texts[row], rows.label(row))]
        sides = [side for *_, both in drafts for side in both]
        realisations = [
            Realisation(text, None, variant, triples=[side.after[i] for i in side.order])
            for side, (text, variant) in zip(sides, own, strict=True)
        ]
        answers = self.writer.take(realisations)
        proposals = []
        for (row, _, both), source, target in zip(drafts, answers[::2], answers[1::2], strict=True):
            if isinstance(source, Refused):
                refusals[source.reason] += 1
            elif isinstance(target, Refused):
                refusals[target.reason] += 1
            else:
                proposals.append(Proposal(row, source[1], target[1], how=_how(both), trace=_trace(both)))
        return proposals

    def _verify(self, rows: Rows, candidates: Sequence[Candidate]) -> Iterator[tuple[Verdict, ...]]:
        """Pair texts must be texts of their own."""
        for c in candidates:
            fault = self._surface.fault
            reason = fault(c.before, c.after) or fault(rows.label(c.row), c.label)
            yield (Verdict(self._surface.name, not reason, reason=reason),)


def _kinds(picked: Sequence[int], n: int) -> list[Kind]:
    return ["principal" if place in picked else "normal" for place in range(n)]


def _how(both: list[PairSide]) -> str:
    steps = {
        "gender": any(side.after != side.before for side in both),
        "permute": any(side.order != sorted(side.order) for side in both),
    }
    return " + ".join(name for name, done in steps.items() if done)


def _trace(both: list[PairSide]) -> dict[str, object]:
    source, target = (traced(side.kinds, side.before, side.after, side.order) for side in both)
    return {"triples": source, "target_triples": target, "order": both[0].order}
