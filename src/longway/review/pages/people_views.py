"""The person of a perturbed row: who was changed, with the words for this person marked in the original text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longway.jobs.perturb.page import CHAIN
from longway.records import Edit
from longway.report.edit_view import COMPARE_LIMIT, side_by_side
from longway.report.excerpts import TEXT_LIMIT, Piece, Span, cut, harmless

MAX_CHAIN = 200
MAX_LEFT = 6


@dataclass(frozen=True, slots=True)
class PersonView:
    """The person that a perturbation changed; `before` marks the words that refer to the person. left: words left unchanged."""

    word: str
    how: str
    before: list[Piece]
    left: list[str]


def person_view(edit: Edit, notes: Sequence[Span] = (), *, limit: int) -> PersonView | None:
    """The person that a perturbation changed; None for an edit of another method. notes: spans of the original text. limit: characters."""
    trace = edit.trace
    if "chain" not in trace:
        return None
    before, after = (harmless(text[:COMPARE_LIMIT]) for text in (edit.before, edit.after))
    marks = [
        (int(start), int(end), CHAIN)
        for name, start, end in trace["chain"][:MAX_CHAIN]
        if str(name) == edit.field
    ]
    return PersonView(
        word=cut(str(trace.get("word", ""))),
        how=cut(f"{trace.get('axis')}: {trace.get('source')} to {trace.get('target')}", TEXT_LIMIT),
        before=side_by_side(before, after, marks=marks, notes=(notes, ()), limit=limit)[0],
        left=[cut(str(words), TEXT_LIMIT) for words in (trace.get("left") or [])[:MAX_LEFT]],
    )
