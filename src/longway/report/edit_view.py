"""One edit as the page shows it: both texts with what changed in them marked, label, verdicts, gamma.

edits.jsonl object (+ "context")  ->  edit_card()  ->  EditCard  ->  templates/rewrite.html.jinja
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longway.records import Edit, Verdict
from longway.report.differences import COMPARE_LIMIT, EDIT_LIMIT, side_by_side
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, Piece, Span, cut, harmless
from longway.report.labels import Label, Labels, label_named, record
from longway.report.numbers import or_dash, short, three_digits
from longway.report.sections import Chip

__all__ = [
    "COMPARE_LIMIT", "CONTEXT_LIMIT", "EDIT_LIMIT", "MAX_CHIPS", "Chip", "EditCard", "edit_card", "side_by_side", "verdict_chip",
]  # fmt: skip

CONTEXT_LIMIT = 800
MAX_CHIPS = 14


@dataclass(frozen=True, slots=True)
class EditCard:
    """An edit; new_label: where the label changed, too. Empty strings are not shown."""

    id: str
    field: str
    label: Label
    new_label: Label | None
    how: str
    engine: str
    round: str
    before: list[Piece]
    after: list[Piece]
    gamma_before: str
    gamma_after: str
    chips: list[Chip]
    n_more_chips: int
    reason: str
    context: str


def edit_card(
    row: Mapping[str, Any],
    labels: Labels,
    *,
    notes: tuple[Sequence[Span], Sequence[Span]] = ((), ()),
    limit: int = EDIT_LIMIT,
) -> EditCard:
    """The card of one edit; limit: characters of each version. notes: as in `side_by_side`."""
    edit = record(Edit, row)
    texts = (harmless(text[:COMPARE_LIMIT]) for text in (edit.before, edit.after))
    before, after = side_by_side(*texts, notes=notes, limit=limit)
    verdicts: list[Verdict] = [record(Verdict, one) for one in edit.verdicts[:MAX_CHIPS]]  # type: ignore[arg-type]
    changed = edit.label_after != edit.label_before
    return EditCard(
        id=cut(edit.id),
        field=cut(edit.field),
        label=label_named(edit.label_before, labels),
        new_label=label_named(edit.label_after, labels) if changed else None,
        how=cut(edit.how, PATTERN_LIMIT) if edit.how else "",
        engine=cut(edit.engine),
        round=f"round {int(edit.round)}",
        before=before,
        after=after,
        gamma_before=or_dash(edit.score_before, three_digits),
        gamma_after=or_dash(edit.score_after, three_digits),
        chips=[verdict_chip(verdict) for verdict in verdicts],
        n_more_chips=max(len(edit.verdicts) - MAX_CHIPS, 0),
        reason=cut(edit.reason, TEXT_LIMIT) if edit.reason else "",
        context=cut(row["context"], CONTEXT_LIMIT) if row.get("context") else "",
    )


def verdict_chip(verdict: Verdict) -> Chip:
    """What a check said, small."""
    return Chip(
        name=cut(verdict.check),
        passed=bool(verdict.passed),
        score="" if verdict.score is None else short(verdict.score),
        reason=cut(verdict.reason, TEXT_LIMIT) if verdict.reason else "",
    )
