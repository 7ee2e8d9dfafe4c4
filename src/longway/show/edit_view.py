"""One edit as the page shows it: both texts with what changed in them marked, label, verdicts, gamma.

edits.jsonl object (+ "context")  ->  edit_card()  ->  EditCard  ->  templates/rewrite.html.jinja
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longway.records import Edit, Verdict
from longway.show.differences import Change, differences
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, Piece, Span, cut, harmless
from longway.show.labels import Label, label_named, record
from longway.show.numbers import or_dash, short, three_digits

COMPARE_LIMIT = 50_000  # characters of each version that are compared
EDIT_LIMIT = 800  # characters of each version; a longer text is cut to what changed
AROUND = 80  # characters kept on both sides of a change in a text that is cut
CONTEXT_LIMIT = 800
MAX_CHIPS = 14
CHANGED = 1  # the level of a marked piece


@dataclass(frozen=True, slots=True)
class Chip:
    """What one check said, small."""

    name: str
    passed: bool
    score: str
    reason: str


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
    labels: Mapping[str, Label],
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
        id=cut(edit.id, NAME_LIMIT),
        field=cut(edit.field, NAME_LIMIT),
        label=label_named(edit.label_before, labels),
        new_label=label_named(edit.label_after, labels) if changed else None,
        how=cut(edit.how, PATTERN_LIMIT) if edit.how else "",
        engine=cut(edit.engine, NAME_LIMIT),
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


def side_by_side(
    before: str,
    after: str,
    *,
    marks: Sequence[Span] = (),
    notes: tuple[Sequence[Span], Sequence[Span]] = ((), ()),
    limit: int = EDIT_LIMIT,
) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces, marked where they differ.

    limit: characters of each. marks: stretches of the text before that are marked, too, with a level of their own, where they stayed the same.
    notes: stretches of the text before and of the one after that something is said about, changed or not, in reading order: start, end, its number.

    >>> old, new = side_by_side("It is not open.", "It is closed.")
    >>> [(piece.text, piece.level) for piece in new]
    [('It is ', 0), ('closed', 1), ('.', 0)]
    """
    changes = differences(before, after)
    return _side(changes, "removed", limit, marks, notes[0]), _side(changes, "added", limit, (), notes[1])


def _side(
    changes: Sequence[Change], kind: str, limit: int, marks: Sequence[Span], notes: Sequence[Span]
) -> list[Piece]:
    parts = [change for change in changes if change.kind in ("same", kind)]
    marked = _with_marks([piece for part in parts for piece in _pieces(part)], marks)
    marked = _with_notes(marked, notes)
    total = sum(len(piece.text) for piece in marked)
    if not total:
        return [Piece("(blank)")]
    return marked if total <= limit else _shortened(marked, limit)


def _with_marks(parts: Sequence[Piece], marks: Sequence[Span]) -> list[Piece]:
    """The pieces, those that stayed the same cut where a mark begins or ends; the space around it is not marked."""
    found: list[Piece] = []
    start = 0
    for part in parts:
        text, at = part.text, 0
        for first, end, level in sorted(marks) if not part.level else ():
            left, right = max(first - start, at), min(end - start, len(text))
            words = text[left:right].strip() if left < right else ""
            if words:
                left = text.index(words, left)
                found += [Piece(text[at:left]), Piece(words, level)]
                at = left + len(words)
        found.append(Piece(text[at:], part.level))
        start += len(text)
    return [piece for piece in found if piece.text]


def _with_notes(parts: Sequence[Piece], notes: Sequence[Span]) -> list[Piece]:
    """The pieces, cut where something that is said about the text begins or ends; each keeps its level."""
    found: list[Piece] = []
    start = 0
    for part in parts:
        end, at = start + len(part.text), start
        for first, last, number in notes:
            left, right = max(first, at), min(last, end)
            if left < right:
                found += [
                    Piece(part.text[at - start : left - start], part.level),
                    Piece(part.text[left - start : right - start], part.level, number),
                ]
                at = right
        found.append(Piece(part.text[at - start :], part.level))
        start = end
    return [piece for piece in found if piece.text]


def _pieces(change: Change) -> list[Piece]:
    """A changed stretch is marked without the space around it."""
    if change.kind == "same":
        return [Piece(change.text)]
    words = change.text.strip()
    if not words:
        return [Piece(change.text)]
    start = change.text.index(words)
    end = start + len(words)
    parts = [Piece(change.text[:start]), Piece(words, CHANGED), Piece(change.text[end:])]
    return [piece for piece in parts if piece.text]


def _shortened(parts: Sequence[Piece], limit: int) -> list[Piece]:
    """Long stretches between the changes left out, then at most `limit` characters."""
    last = len(parts) - 1
    kept: list[Piece] = []
    left = limit
    for at, piece in enumerate(parts):
        is_said = piece.level or piece.note or not last
        text = piece.text if is_said else _gap(piece.text, first=at == 0, last=at == last)
        if len(text) > left:
            return [*kept, Piece(text[:left], piece.level, piece.note), Piece(" …")]
        kept.append(Piece(text, piece.level, piece.note))
        left -= len(text)
    return kept


def _gap(text: str, *, first: bool, last: bool) -> str:
    """Unchanged text as far as it stands next to a change, at words where there are some."""
    if len(text) <= 2 * AROUND:
        return text
    head = text[:AROUND].rpartition(" ")[0] or text[:AROUND]
    tail = text[-AROUND:].partition(" ")[2] or text[-AROUND:]
    return f"{'' if first else head} … {'' if last else tail}"


def verdict_chip(verdict: Verdict) -> Chip:
    """What a check said, small."""
    return Chip(
        name=cut(verdict.check, NAME_LIMIT),
        passed=bool(verdict.passed),
        score="" if verdict.score is None else short(verdict.score),
        reason=cut(verdict.reason, TEXT_LIMIT) if verdict.reason else "",
    )
