"""The contrast sets of a grammar run as the page shows them: how often the classifier falls for each kind of edit, and an example.

tables.json "contrast"  ->  contrast_rows()  ->  ContrastRow  ->  templates/grammar.html.jinja
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longway.show.edit_view import CONTEXT_LIMIT, side_by_side
from longway.show.excerpts import NAME_LIMIT, Piece, cut, harmless
from longway.show.labels import Label, label_named
from longway.show.numbers import count, counted, or_dash, percent

MAX_EDITS = 10
COMPARE_LIMIT = 2_000  # characters of each version; what a grammar parses is shorter


@dataclass(frozen=True, slots=True)
class ContrastRow:
    """One kind of edit. before, after: the example's text, marked where it changed; label: the one it must have; empty: not shown."""

    edit: str
    sets: str
    shortcut: Label
    error: str
    note: str
    id: str
    context: str
    before: list[Piece]
    after: list[Piece]
    label: Label
    answer: Label | None


def contrast_rows(rows: Sequence[Mapping[str, Any]], labels: Mapping[str, Label]) -> list[ContrastRow]:
    """The kinds of edits of a run, as they stand in tables.json."""
    return [_row(row, labels) for row in rows[:MAX_EDITS]]


def _row(row: Mapping[str, Any], labels: Mapping[str, Label]) -> ContrastRow:
    example = row["example"]
    before, after = side_by_side(*(harmless(example[key][:COMPARE_LIMIT]) for key in ("before", "after")))
    return ContrastRow(
        edit=cut(row["edit"], NAME_LIMIT),
        sets=count(row["sets"]),
        shortcut=label_named(row["shortcut"], labels),
        error=or_dash(row["error"], percent),
        note=_note(row),
        id=cut(example["id"], NAME_LIMIT),
        context=cut(example["context"], CONTEXT_LIMIT),
        before=before,
        after=after,
        label=label_named(example["label"], labels),
        answer=None if example["answer"] is None else label_named(example["answer"], labels),
    )


def _note(row: Mapping[str, Any]) -> str:
    if row["error"] is None:
        return ""
    return f"{percent(row['low'])} to {percent(row['high'])}, of {counted(row['counted'], 'set')}"
