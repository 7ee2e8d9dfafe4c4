"""One addition as the page shows it, step by step: the text, its triples and what became of each, the new text, the checks.

edits.jsonl object (+ "context", "context_before")  ->  step_card()  ->  StepCard  ->  templates/augment.html.jinja

An addition without triples (of a method that has none) shows the two texts with what changed in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longway.show.edit_view import EDIT_LIMIT, EditCard, edit_card, side_by_side
from longway.show.excerpts import (
    NAME_LIMIT,
    PATTERN_LIMIT,
    READ_LIMIT,
    Piece,
    Span,
    cut,
    harmless,
    pieces,
)
from longway.show.labels import Label
from longway.show.numbers import counted

KINDS = ("spurious", "principal", "normal")
SPURIOUS, PRINCIPAL = 1, 2  # levels of marked words
LISTS = ("triples", "context_triples", "target_triples")
MAX_TRIPLES = 30
TRIPLE_LIMIT = 240  # characters
MAX_WORDS = 20


@dataclass(frozen=True, slots=True)
class TripleRow:
    """A triple before and after. after: empty where it is the same or was dropped; place: where it stands in the new text."""

    kind: str
    before: list[Piece]
    after: list[Piece]
    is_changed: bool
    is_dropped: bool
    place: str


@dataclass(frozen=True, slots=True)
class Steps:
    """How an addition was made from its source: words, triples, gendered words; also those of a context or of an output text.

    has_words: whether words were looked for.
    """

    has_words: bool
    principal: str
    spurious: str
    triples: list[TripleRow]
    context_triples: list[TripleRow]
    target_triples: list[TripleRow]
    n_more: int
    told: str


@dataclass(frozen=True, slots=True)
class StepCard:
    """An addition. source: the row it was made from; steps: None for a method without triples.

    target_before, target_after: the output texts, for rows that have these instead of labels.
    """

    edit: EditCard
    source: str
    before: list[Piece]
    after: list[Piece]
    steps: Steps | None
    context_before: str
    context_after: str
    target_before: str
    target_after: str


def step_card(row: Mapping[str, Any], labels: Mapping[str, Label]) -> StepCard:
    """The card of one addition, accepted or refused."""
    card = edit_card(row, labels)
    trace = row.get("trace") or {}
    before, after = card.before, card.after
    if "triples" in trace:
        marks = [(trace.get("spurious") or (), SPURIOUS), (trace.get("principal") or (), PRINCIPAL)]
        before = marked_words(row["before"], marks)
        after = marked_words(row["after"], marks[:1])
    was, now = row.get("context_before"), row.get("context")
    return StepCard(
        edit=card,
        source=cut(str(row["source"]), NAME_LIMIT) if row.get("source") else "",
        before=before,
        after=after,
        steps=_steps(trace) if "triples" in trace else None,
        context_before=cut(was, EDIT_LIMIT) if was else "",
        context_after=cut(now, EDIT_LIMIT) if now and now != was else "",
        target_before=cut(row["label_before"], EDIT_LIMIT) if "target_triples" in trace else "",
        target_after=cut(row["label_after"], EDIT_LIMIT) if "target_triples" in trace else "",
    )


def marked_words(text: str, marks: Iterable[tuple[Sequence[str], int]]) -> list[Piece]:
    """The text in pieces, with the places of some words marked; a word that has two levels gets the first.

    >>> [(piece.text, piece.level) for piece in marked_words("A dull film.", [(["film"], 1), (["dull"], 2)])]
    [('A ', 0), ('dull', 2), (' ', 0), ('film', 1), ('.', 0)]
    """
    text = harmless(text[:READ_LIMIT])
    levels: dict[str, int] = {}
    for words, level in marks:
        for word in list(words)[:MAX_WORDS]:
            levels.setdefault(harmless(str(word)).casefold(), level)
    spans: list[Span] = []
    if known := [word for word in levels if word.strip() and len(word) <= PATTERN_LIMIT]:
        longest = sorted(known, key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)"
        for found in re.finditer(pattern, text, re.IGNORECASE):
            spans.append((*found.span(), levels.get(found[0].casefold(), SPURIOUS)))
    return pieces(text, spans, limit=EDIT_LIMIT) or [Piece("(blank)")]


def _steps(trace: Mapping[str, Any]) -> Steps:
    triples, context, target = (trace.get(name) or [] for name in LISTS)
    return Steps(
        has_words="principal" in trace or "spurious" in trace,
        principal=_words(trace.get("principal")),
        spurious=_words(trace.get("spurious")),
        triples=[_triple(one) for one in triples[:MAX_TRIPLES]],
        context_triples=[_triple(one) for one in context[:MAX_TRIPLES]],
        target_triples=[_triple(one) for one in target[:MAX_TRIPLES]],
        n_more=sum(max(0, len(rows) - MAX_TRIPLES) for rows in (triples, context, target)),
        told=_told(trace),
    )


def _triple(row: Mapping[str, Any] | str) -> TripleRow:
    """A triple as it was and as it is; one that is told as a text was only read."""
    if isinstance(row, str):
        return TripleRow("read", [Piece(_plain(row))], [], is_changed=False, is_dropped=False, place="")
    old, new = str(row.get("before") or ""), row.get("after")
    kind = str(row.get("kind"))
    changed = new is not None and new != old
    before = [Piece(_plain(old))]
    after: list[Piece] = []
    if changed:
        before, after = side_by_side(_plain(old), _plain(str(new)))
    place = row.get("place")
    return TripleRow(
        kind=kind if kind in KINDS else "normal",
        before=before,
        after=after,
        is_changed=changed,
        is_dropped=new is None,
        place="" if place is None else str(int(place) + 1),
    )


def _plain(triple: str) -> str:
    """A triple as it is shown; a sentence that was left whole has no bars.

    >>> _plain("|  | Well, what can I say?")
    'Well, what can I say?'
    """
    return cut(triple, TRIPLE_LIMIT).removeprefix("| | ")


def _words(words: Sequence[str] | None) -> str:
    if not words:
        return "none"
    shown = ", ".join(cut(str(word), NAME_LIMIT) for word in words[:MAX_WORDS])
    return f"{shown} and {len(words) - MAX_WORDS} more" if len(words) > MAX_WORDS else shown


def _told(trace: Mapping[str, Any]) -> str:
    """What was done besides, in a sentence; "" for nothing."""
    told = []
    if dropped := sum(row.get("after") is None for rows in _changeable(trace) for row in rows):
        told.append(f"{counted(dropped, 'triple')} dropped")
    if _is_permuted(trace):
        told.append("the order changed")
    if gender := trace.get("gender"):
        swapped = ", ".join(
            f"{cut(str(old), NAME_LIMIT)} → {cut(str(new), NAME_LIMIT)}" for old, new in gender[:8]
        )
        told.append(f"gendered words swapped ({swapped})")
    return cut("; ".join(told), PATTERN_LIMIT * 4) if told else ""


def _is_permuted(trace: Mapping[str, Any]) -> bool:
    for rows in _changeable(trace):
        places = [row["place"] for row in rows if row.get("place") is not None]
        if places != sorted(places):
            return True
    return False


def _changeable(trace: Mapping[str, Any]) -> Iterator[list[Mapping[str, Any]]]:
    """The triples that were worked on."""
    for name in LISTS:
        yield [row for row in trace.get(name) or [] if isinstance(row, Mapping)]
