"""CoBA for labelled rows: each text comes back with its spurious words and another label (sections 3.3.1 to 3.3.3).

    text -> triples -> spurious, principal, normal -> principal ones altered towards the new label
         -> gendered words swapped -> normal ones shuffled, some left out -> text -> checks -> a row is added

Every step is a switch (Table 10). A row whose triples cannot be read, or in which nothing can be altered, is refused
with the reason. Rows go through in parts; what an engine answered is in the journal before the next step begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from longway.engines.engine import Sampling
from longway.engines.line_answers import read_pair
from longway.engines.prompt import alter_prompt, realise_prompt, triples_prompt
from longway.english.triples.gender import swap_gender
from longway.english.triples.triple import BadTriples, Triple, parse, parse_pair
from longway.errors import BudgetSpent, SettingError
from longway.methods.additions import Adder, Ask, Proposal, Proposed, add_in_parts
from longway.methods.coba.arrange import Kind, arranged, kinds_of
from longway.methods.coba.structured import Refused, ask_structured
from longway.methods.coba.words import Important
from longway.methods.method import Round, Rows, Verify
from longway.tokens.tokenizer import tokenize

TOKENS = 512  # room for an answer; more for long texts
NOTHING_PRINCIPAL = "no triple has a principal word"
NOTHING_ALTERED = "the engine left every principal triple as it was"


@dataclass(frozen=True, slots=True)
class CobaSettings:
    """Which steps are taken, and how.

    alter: principal triples are changed towards the new label; without, labels stay (the control of Table 10).
    mixed: what triples with principal and spurious words are: "spurious", and stay (the paper's choice), or "principal".
    gender: gendered words are swapped. permute: normal triples change places. drop: how likely one is left out.
    contexts: those of pairs are taken apart and put together again, too; else they stay as they are.
    to: the new label; "" for any other one, drawn by the seed. variants: new texts asked for each row.
    temperature, top_p: of the engine.
    """

    alter: bool = True
    mixed: Kind = "spurious"
    gender: bool = True
    permute: bool = True
    drop: float = 0.1
    contexts: bool = False
    to: str = ""
    variants: int = 1
    temperature: float = 0.7
    top_p: float = 0.9
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.drop < 1:
            raise SettingError(f"'drop' must be from 0 to less than 1. Got {self.drop}. Try 0.1.")
        if self.variants < 1:
            raise SettingError(f"'variants' must be at least 1. Got {self.variants}. Try 1 or 3.")
        if self.mixed not in ("spurious", "principal"):
            raise SettingError(f"'mixed' must be spurious or principal. Got {self.mixed!r}.")


@dataclass(slots=True)
class Draft:
    """One row on its way to a new text. triples, context: as they stand now; kinds: of `triples`."""

    row: int
    variant: int
    target: str
    before: list[Triple]
    kinds: list[Kind]
    context_before: list[Triple] = field(default_factory=list)
    after: list[Triple] = field(default_factory=list)
    context_after: list[Triple] = field(default_factory=list)
    swapped: list[tuple[str, str]] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    context_order: list[int] = field(default_factory=list)


class Coba:
    """CoBA over given rows.

    ask: has an engine answer. important: for each row its principal and spurious words. verify: looks at each new row.
    """

    name = "coba"

    def __init__(
        self,
        settings: CobaSettings | None = None,
        *,
        ask: Ask,
        engine_name: str,
        important: Sequence[Important],
        verify: Verify | None = None,
    ) -> None:
        self.settings = CobaSettings() if settings is None else settings
        self.ask, self.engine_name, self.important, self.verify = ask, engine_name, important, verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Rounds of some rows each; none is changed, all new ones are added."""
        self._check(rows)
        adder = Adder(rows, method=self.name, engine=self.engine_name, verify=self.verify)
        wanted = [row for row in range(len(rows)) if self._targets(rows, row, 1)]
        yield from add_in_parts(adder, wanted, lambda part: self._propose(rows, part))

    def _propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        result = Proposed()
        try:
            drafts = self._taken_apart(rows, part, result.refusals)
            drafts = self._altered(rows, drafts, result.refusals)
            for draft in drafts:
                self._arrange(rows, draft)
            result.proposals = self._put_together(rows, drafts, result.refusals)
        except BudgetSpent:
            result.is_spent = True
        return result

    def _taken_apart(self, rows: Rows, part: Sequence[int], refusals: Counter[str]) -> list[Draft]:
        """Section 3.3.1: the triples of each row, and what each of them is; a draft for each variant."""
        prompts = [triples_prompt(rows.task, rows.texts[row], context=rows.context(row)) for row in part]
        is_pair = rows.contexts is not None
        read: Callable[[str], tuple[list[Triple], list[Triple]]] = _both if is_pair else _single
        found = ask_structured(
            self.ask, prompts, [self._sampling(rows, row) for row in part], [read] * len(part)
        )
        drafts: list[Draft] = []
        for row, triples in zip(part, found, strict=True):
            if isinstance(triples, Refused):
                refusals[triples.reason] += 1
                continue
            context, text = triples
            kinds = kinds_of(text, self.important[row], mixed=self.settings.mixed)
            if self.settings.alter and "principal" not in kinds:
                refusals[NOTHING_PRINCIPAL] += 1
                continue
            drafts += [
                Draft(row, variant, target, text, kinds, context, list(text), list(context))
                for variant, target in enumerate(self._targets(rows, row, self.settings.variants))
            ]
        return drafts

    def _altered(self, rows: Rows, drafts: list[Draft], refusals: Counter[str]) -> list[Draft]:
        """Section 3.3.2: principal triples changed towards the new label."""
        if not self.settings.alter:
            return drafts
        places = [[i for i, kind in enumerate(d.kinds) if kind == "principal"] for d in drafts]
        prompts = [
            alter_prompt(
                rows.task,
                [draft.before[i] for i in at],
                label=rows.label(draft.row),
                target=draft.target,
                keep=self._spurious_in(draft, at),
                text=rows.texts[draft.row],
                context=rows.context(draft.row),
            )
            for draft, at in zip(drafts, places, strict=True)
        ]
        samplings = [self._sampling(rows, draft.row, draft.variant) for draft in drafts]
        readers = [partial(parse, n=len(at), may_be_whole=True) for at in places]
        kept: list[Draft] = []
        for draft, at, found in zip(
            drafts, places, ask_structured(self.ask, prompts, samplings, readers), strict=True
        ):
            if isinstance(found, Refused):
                refusals[found.reason] += 1
            elif found == [draft.before[i] for i in at]:
                refusals[NOTHING_ALTERED] += 1
            else:
                for place, triple in zip(at, found, strict=True):
                    draft.after[place] = triple
                kept.append(draft)
        return kept

    def _arrange(self, rows: Rows, draft: Draft) -> None:
        """Gendered words swapped everywhere at once; then the order in which triples are put together."""
        settings = self.settings
        random = Random(f"{settings.seed}|{rows.ids[draft.row]}|{draft.variant}")
        if settings.gender and (settings.contexts or rows.contexts is None):
            together = [*draft.after, *draft.context_after]
            swapped = swap_gender(together)
            draft.swapped = sorted(_changed_words(together, swapped))
            draft.after, draft.context_after = swapped[: len(draft.after)], swapped[len(draft.after) :]
        draft.order = arranged(draft.kinds, random, permute=settings.permute, drop=settings.drop)
        kinds = kinds_of(draft.context_before, Important((), self.important[draft.row].spurious))
        draft.context_order = arranged(kinds, random, permute=settings.permute, drop=settings.drop)

    def _put_together(self, rows: Rows, drafts: list[Draft], refusals: Counter[str]) -> list[Proposal]:
        """Section 3.3.3: texts from the triples."""
        contexts = self.settings.contexts and rows.contexts is not None
        prompts = [
            realise_prompt(
                rows.task,
                [draft.after[i] for i in draft.order],
                label=draft.target,
                text=rows.texts[draft.row],
                context_triples=[draft.context_after[i] for i in draft.context_order] if contexts else None,
            )
            for draft in drafts
        ]
        read: Callable[[str], tuple[str | None, str]] = read_pair if contexts else _text_alone
        samplings = [self._sampling(rows, draft.row, draft.variant) for draft in drafts]
        proposals: list[Proposal] = []
        for draft, found in zip(
            drafts, ask_structured(self.ask, prompts, samplings, [read] * len(prompts)), strict=True
        ):
            if isinstance(found, Refused):
                refusals[found.reason] += 1
                continue
            context, text = found
            proposals.append(
                Proposal(
                    draft.row,
                    text,
                    draft.target,
                    context if contexts else rows.context(draft.row),
                    how=self._how(draft),
                    keep=self._kept_words(draft),
                    trace=self._trace(draft),
                )
            )
        return proposals

    def _targets(self, rows: Rows, row: int, n: int) -> list[str]:
        """The labels that the variants of a row should have; the row's own where labels stay."""
        own = rows.label(row)
        if not self.settings.alter:
            return [own] * n
        if self.settings.to:
            return [] if own == self.settings.to else [self.settings.to] * n
        others = [label for label in rows.label_names if label != own]
        Random(f"{self.settings.seed}|{rows.ids[row]}|target").shuffle(others)
        return [others[i % len(others)] for i in range(n)]

    def _spurious_in(self, draft: Draft, places: Sequence[int]) -> tuple[str, ...]:
        """The spurious words of some triples: they must survive a change of these."""
        there = {word for place in places for word in draft.before[place].words}
        return tuple(word for word in self.important[draft.row].spurious if word in there)

    def _kept_words(self, draft: Draft) -> frozenset[str]:
        """The spurious words that the new text must have: those of the triples, unless a swap of gender replaced them."""
        replaced = {one for one, _ in draft.swapped}
        there = {word for triple in draft.before for word in triple.words}
        return frozenset(self.important[draft.row].spurious) & there - replaced

    def _how(self, draft: Draft) -> str:
        steps = {
            "alter": self.settings.alter,
            "gender": bool(draft.swapped),
            "permute": draft.order != sorted(draft.order),
            "drop": len(draft.order) < len(draft.before),
        }
        return " + ".join(name for name, done in steps.items() if done)

    def _trace(self, draft: Draft) -> dict[str, Any]:
        important = self.important[draft.row]
        place = {old: new for new, old in enumerate(draft.order)}
        trace: dict[str, Any] = {
            "principal": list(important.principal),
            "spurious": list(important.spurious),
            "triples": [
                {
                    "kind": kind,
                    "before": str(draft.before[i]),
                    "after": str(draft.after[i]) if i in place else None,
                    "place": place.get(i),
                }
                for i, kind in enumerate(draft.kinds)
            ],
            "order": draft.order,
            "dropped": [i for i in range(len(draft.before)) if i not in place],
            "gender": [list(pair) for pair in draft.swapped],
        }
        if draft.context_before:
            trace["context_triples"] = [str(triple) for triple in draft.context_before]
        return trace

    def _sampling(self, rows: Rows, row: int, variant: int = 0) -> Sampling:
        settings = self.settings
        longest = len(rows.texts[row]) + len(rows.context(row) or "")
        return Sampling(
            settings.temperature,
            settings.top_p,
            max_tokens=max(TOKENS, longest),  # triples repeat subjects: about twice the tokens of a text
            seed=settings.seed,
            sample=variant,
        )

    def _check(self, rows: Rows) -> None:
        if len(self.important) != len(rows):
            raise SettingError(
                f"CoBA needs the important words of each row. Got {len(self.important)} for {len(rows)} rows."
            )
        if self.settings.to and self.settings.to not in rows.label_names:
            raise SettingError(
                f"'to' must be a label of the data: {', '.join(map(str, rows.label_names))}. Got {self.settings.to!r}."
            )


def _single(answer: str) -> tuple[list[Triple], list[Triple]]:
    return [], parse(answer, may_be_whole=True)


def _both(answer: str) -> tuple[list[Triple], list[Triple]]:
    return parse_pair(answer, may_be_whole=True)


def _text_alone(answer: str) -> tuple[None, str]:
    if " | " in answer:
        raise BadTriples("the text still has the bars of its triples")
    return None, " ".join(answer.split())


def _changed_words(before: Sequence[Triple], after: Sequence[Triple]) -> set[tuple[str, str]]:
    """Words that were replaced, and by what."""
    return {
        (one, other)
        for old, new in zip(before, after, strict=True)
        for one, other in zip(tokenize(old.text), tokenize(new.text), strict=False)
        if one != other
    }
