"""CoBA for rows whose label is a text: informal and formal, long and short (section 4.5).

    source and target -> triples of both -> an engine picks the principal ones -> gendered words swapped in both
                      -> normal ones shuffled, in both alike -> both realised as text -> checks -> a row is added

As in the paper, nothing is altered: there is no label to change, and spurious words are not searched for. The gain is variety.
If source and target have the same number of normal triples, these get the same new order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import Any, TypeVar, cast

from longway.english.triples.gender import swap_gender
from longway.methods.coba.coba import CobaSettings, NewRow, Side, answered
from longway.methods.coba.steps import Pair, Pick, Realisation, Split, TripleWriter
from longway.methods.coba.votes import arranged
from longway.methods.loop import Draft, Refused, added_rounds, new_row
from longway.methods.method import Round, Rows
from longway.records import Verdict
from longway.verify.check import Candidate
from longway.verify.form_checks import SurfaceCheck

A = TypeVar("A")


def text_to_text(
    rows: Rows, settings: CobaSettings | None = None, *, writer: TripleWriter, is_checked: bool = True
) -> Iterator[Round]:
    """Rounds of 64 rows of two texts each; the target text takes the place of the label. Rows are added and none is changed.

    settings: those of `Coba`; of the steps, gender and permute apply. writer: takes the steps that write. is_checked: whether both texts are
    checked for being texts.
    """
    verify = partial(_verdicts, rows) if is_checked else None
    propose = partial(_proposed, rows, settings or CobaSettings(), writer)
    return added_rounds(rows, range(len(rows)), propose, method="coba", verify=verify)


def _proposed(
    rows: Rows, settings: CobaSettings, writer: TripleWriter, part: Sequence[int], refusals: Counter[str]
) -> Iterator[Draft]:
    texts = [text for row in part for text in (rows.texts[row], rows.label(row))]
    splits = in_pairs(writer.take([Split(text) for text in texts]))
    split = [(row, (source, target)) for row, ((_, source), (_, target)) in answered(part, splits, refusals)]
    picks = [Pick(". ".join(triple.text for triple in pair[0]), pair=pair) for _, pair in split]
    made = [
        _arranged(NewRow(row, variant, "", *_sides(pair, picked)), rows.ids[row], settings)
        for (row, pair), picked in answered(split, writer.take(picks), refusals)
        for variant in range(settings.variants)
    ]
    realisations = [
        Realisation(text, None, one.variant, triples=side.new)
        for one in made
        for side, text in ((one.text, rows.texts[one.row]), (one.context, rows.label(one.row)))
    ]
    answers = in_pairs(writer.take(realisations))
    for one, ((_, source), (_, target)) in answered(made, answers, refusals):
        draft = new_row(rows, one.row, source, target, engine=writer.name)
        draft.how = _how(one)
        triples, target_triples = one.text.trace(), one.context.trace()
        draft.trace = {"triples": triples, "target_triples": target_triples, "order": one.text.order}
        yield draft


def _sides(pair: Pair, picked: tuple[Sequence[int], Sequence[int]]) -> tuple[Side, Side]:
    """Both texts, with the kinds that the engine picked."""
    source, target = (
        Side(side, ["principal" if place in places else "normal" for place in range(len(side))], list(side))
        for side, places in zip(pair, picked, strict=True)
    )
    return source, target


def _arranged(one: NewRow, id_: str, settings: CobaSettings) -> NewRow:
    """The row with gender swapped and normal triples in a new order, drawn alike for both texts."""
    if settings.gender:
        swapped = swap_gender([*one.text.after, *one.context.after])
        n = len(one.text.after)
        one.text.after, one.context.after = swapped[:n], swapped[n:]
    for side in (one.text, one.context):
        random = Random(f"{settings.seed}|{id_}|{one.variant}")
        side.order = arranged(side.kinds, random, permute=settings.permute, drop=0.0)
    return one


def _verdicts(rows: Rows, candidates: Sequence[Candidate]) -> Iterator[tuple[Verdict, ...]]:
    """Pair texts must be texts of their own."""
    surface = SurfaceCheck((), shortest=0.5, longest=2.0)
    for c in candidates:
        reason = surface.fault(c.before, c.after) or surface.fault(rows.label(c.row), c.label)
        yield (Verdict(surface.name, not reason, reason=reason),)


def in_pairs(answers: Sequence[A | Refused]) -> list[tuple[A, A] | Refused]:
    """Each two answers as one; the first refusal if one of them is refused."""
    pairs = zip(answers[::2], answers[1::2], strict=True)
    return [cast(Any, next((one for one in pair if isinstance(one, Refused)), pair)) for pair in pairs]


def _how(one: NewRow) -> str:
    both = (one.text, one.context)
    steps = {
        "gender": any(side.after != side.before for side in both),
        "permute": any(side.order != sorted(side.order) for side in both),
    }
    return " + ".join(name for name, done in steps.items() if done)
