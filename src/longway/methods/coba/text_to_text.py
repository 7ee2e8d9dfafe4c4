"""CoBA for rows whose label is a text: informal and formal, long and short (section 4.5).

    source and target -> triples of both -> an engine picks the principal ones -> gendered words swapped in both
                      -> normal ones change places, in both alike -> both put into words -> checks -> a row is added

Nothing is altered, as in the paper: there is no label to change, and spurious words are not looked for. What is gained is
variety. Both sides move together: where source and target have as many normal triples, they come in the same new order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from longway.engines.engine import Sampling
from longway.engines.line_answers import read_picked
from longway.engines.prompt import TEXT_TO_TEXT, pick_prompt, realise_prompt, triples_prompt
from longway.english.triples.gender import swap_gender
from longway.english.triples.triple import BadTriples, Triple, parse
from longway.errors import BudgetSpent, SettingError
from longway.methods.additions import Adder, Ask, Proposal, Proposed, add_in_parts
from longway.methods.coba.arrange import Kind, arranged
from longway.methods.coba.structured import Refused, ask_structured
from longway.methods.method import Round, Rows
from longway.records import Verdict
from longway.verify.check import Candidate
from longway.verify.form_checks import SurfaceCheck

TOKENS = 512


@dataclass(frozen=True, slots=True)
class TextToTextSettings:
    """gender, permute: steps that are taken. variants: new rows asked for each row. temperature, top_p: of the engine."""

    gender: bool = True
    permute: bool = True
    variants: int = 1
    temperature: float = 0.7
    top_p: float = 0.9
    seed: int = 0

    def __post_init__(self) -> None:
        if self.variants < 1:
            raise SettingError(f"'variants' must be at least 1. Got {self.variants}. Try 1 or 3.")


@dataclass(slots=True)
class Side:
    """One of the two texts. kinds: principal or normal, for each triple."""

    before: list[Triple]
    kinds: list[Kind]
    after: list[Triple]
    order: list[int]


class TextToText:
    """CoBA over rows of two texts; the target text stands where other data have their label. ask: has an engine answer."""

    name = "coba"

    def __init__(self, settings: TextToTextSettings | None = None, *, ask: Ask, engine_name: str) -> None:
        self.settings = TextToTextSettings() if settings is None else settings
        self.ask, self.engine_name = ask, engine_name
        self._surface = SurfaceCheck((), shortest=0.5, longest=2.0)

    def run(self, rows: Rows) -> Iterator[Round]:
        """Rounds of some rows each; none is changed, all new ones are added."""
        adder = Adder(rows, method=self.name, engine=self.engine_name, verify=partial(self._verify, rows))
        yield from add_in_parts(adder, range(len(rows)), lambda part: self._propose(rows, part))

    def _propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        result = Proposed()
        try:
            both = self._triples(rows, part, result.refusals)
            picked = self._picked(rows, both, result.refusals)
            drafts = [
                (row, variant, self._sides(rows, row, variant, *both[row], *kinds))
                for row, kinds in picked.items()
                for variant in range(self.settings.variants)
            ]
            result.proposals = self._put_together(rows, drafts, result.refusals)
        except BudgetSpent:
            result.is_spent = True
        return result

    def _triples(
        self, rows: Rows, part: Sequence[int], refusals: Counter[str]
    ) -> dict[int, tuple[list[Triple], list[Triple]]]:
        """The triples of source and target, for rows where both can be taken apart."""
        texts = [(row, text) for row in part for text in (rows.texts[row], rows.label(row))]
        prompts = [triples_prompt(TEXT_TO_TEXT, text) for _, text in texts]
        readers = [partial(parse, may_be_whole=True)] * len(prompts)
        samplings = [self._sampling(text) for _, text in texts]
        found = ask_structured(self.ask, prompts, samplings, readers)
        both: dict[int, tuple[list[Triple], list[Triple]]] = {}
        for row, source, target in zip(part, found[::2], found[1::2], strict=True):
            refused = source if isinstance(source, Refused) else target
            if isinstance(refused, Refused):
                refusals[refused.reason] += 1
            elif not isinstance(source, Refused) and not isinstance(target, Refused):
                both[row] = source, target
        return both

    def _picked(
        self, rows: Rows, both: dict[int, tuple[list[Triple], list[Triple]]], refusals: Counter[str]
    ) -> dict[int, tuple[list[Kind], list[Kind]]]:
        """What each triple is, as an engine says."""
        prompts = [pick_prompt(source, target) for source, target in both.values()]
        readers = [partial(read_picked, n_source=len(s), n_target=len(t)) for s, t in both.values()]
        samplings = [self._sampling(prompt.text) for prompt in prompts]
        kinds: dict[int, tuple[list[Kind], list[Kind]]] = {}
        for row, found in zip(both, ask_structured(self.ask, prompts, samplings, readers), strict=True):
            if isinstance(found, Refused):
                refusals[found.reason] += 1
                continue
            source, target = (
                [_kind(place in picked) for place in range(len(triples))]
                for picked, triples in zip(found, both[row], strict=True)
            )
            kinds[row] = source, target
        return kinds

    def _sides(
        self,
        rows: Rows,
        row: int,
        variant: int,
        source: list[Triple],
        target: list[Triple],
        source_kinds: list[Kind],
        target_kinds: list[Kind],
    ) -> list[Side]:
        """Both texts with gender swapped and their normal triples in a new order, drawn alike for both."""
        swapped = swap_gender([*source, *target]) if self.settings.gender else [*source, *target]
        seed = f"{self.settings.seed}|{rows.ids[row]}|{variant}"
        order = partial(arranged, permute=self.settings.permute, drop=0.0)
        return [
            Side(source, source_kinds, swapped[: len(source)], order(source_kinds, Random(seed))),
            Side(target, target_kinds, swapped[len(source) :], order(target_kinds, Random(seed))),
        ]

    def _put_together(
        self, rows: Rows, drafts: list[tuple[int, int, list[Side]]], refusals: Counter[str]
    ) -> list[Proposal]:
        own = [(text, variant) for row, variant, _ in drafts for text in (rows.texts[row], rows.label(row))]
        sides = [side for *_, both in drafts for side in both]
        prompts = [
            realise_prompt(TEXT_TO_TEXT, [side.after[i] for i in side.order], label=None, text=text)
            for side, (text, _) in zip(sides, own, strict=True)
        ]
        samplings = [self._sampling(text, variant) for text, variant in own]
        found = ask_structured(self.ask, prompts, samplings, [_plain_text] * len(prompts))
        proposals = []
        for (row, _, both), source, target in zip(drafts, found[::2], found[1::2], strict=True):
            if isinstance(source, Refused) or isinstance(target, Refused):
                refused = source if isinstance(source, Refused) else target
                assert isinstance(refused, Refused)
                refusals[refused.reason] += 1
            else:
                proposals.append(Proposal(row, source, target, how=_how(both), trace=_trace(both)))
        return proposals

    def _verify(self, rows: Rows, candidates: Sequence[Candidate]) -> Iterator[tuple[Verdict, ...]]:
        """Both texts must be texts of their own."""
        for candidate in candidates:
            before = (candidate.before, rows.label(candidate.row))
            for old, new in zip(before, (candidate.after, candidate.label), strict=True):
                reason = self._surface.fault(old, new)
                if reason:
                    break
            yield (Verdict(self._surface.name, not reason, reason=reason),)

    def _sampling(self, text: str, variant: int = 0) -> Sampling:
        settings = self.settings
        return Sampling(
            settings.temperature,
            settings.top_p,
            max_tokens=max(TOKENS, len(text)),
            seed=settings.seed,
            sample=variant,
        )


def _kind(is_picked: bool) -> Kind:
    return "principal" if is_picked else "normal"


def _plain_text(answer: str) -> str:
    if " | " in answer:
        raise BadTriples("the text still has the bars of its triples")
    return " ".join(answer.split())


def _how(both: list[Side]) -> str:
    steps = {
        "gender": any(side.after != side.before for side in both),
        "permute": any(side.order != sorted(side.order) for side in both),
    }
    return " + ".join(name for name, done in steps.items() if done)


def _trace(both: list[Side]) -> dict[str, Any]:
    source, target = (
        [
            {
                "kind": kind,
                "before": str(side.before[i]),
                "after": str(side.after[i]),
                "place": side.order.index(i),
            }
            for i, kind in enumerate(side.kinds)
        ]
        for side in both
    )
    return {"triples": source, "target_triples": target, "order": both[0].order}
