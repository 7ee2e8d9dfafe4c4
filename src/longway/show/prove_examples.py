"""What a model looked at before and after, side by side on the page of a proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.highlights import highlighted
from longway.show.labels import Label, label_named
from longway.show.numbers import percent

MAX_EXAMPLES = 12


@dataclass(frozen=True, slots=True)
class Side:
    """One model's answer to a row, and the row with its words in colour."""

    data: str
    answer: Label
    probability: str
    right: bool
    text: Markup
    context: Markup


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One test row, seen by both models."""

    id: str
    test: str
    label: Label
    sides: list[Side]


def shown_rows(examples: Sequence[Mapping[str, Any]], labels: Mapping[str, Label]) -> list[ShownRow]:
    """The rows in the order they came, both sides coloured on one scale."""
    return [_row(one, labels) for one in examples[:MAX_EXAMPLES]]


def _row(one: Mapping[str, Any], labels: Mapping[str, Label]) -> ShownRow:
    label = label_named(one["label"], labels)
    strongest = {
        field: max((abs(word[2]) for side in one["sides"] for word in side.get(field, ())), default=0.0)
        for field in ("text_words", "context_words")
    }
    sides = [
        Side(
            cut(side["data"], NAME_LIMIT),
            label_named(side["answer"], labels),
            percent(side["probability"]),
            side["answer"] == one["label"],
            highlighted(one["text"], side["text_words"], strongest=strongest["text_words"], label=label.name),
            highlighted(
                one["context"] or "",
                side.get("context_words", ()),
                strongest=strongest["context_words"],
                label=label.name,
            ),
        )
        for side in one["sides"]
    ]
    return ShownRow(cut(one["id"], NAME_LIMIT), cut(one["test"], NAME_LIMIT), label, sides)
