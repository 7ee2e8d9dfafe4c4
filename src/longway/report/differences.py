"""What changed between two versions of a text, word by word.

    differences(before, after)    parts that are the same, removed or added, in reading order
    side_by_side(before, after)   both texts in pieces with the changes marked, long texts cut to what changed
    versions(before, after)       the same as words of a section

The same and removed parts joined are `before`, the same and added parts joined are `after`, to the last space. The work is
bounded: a change of more than MAX_CELLS word pairs counts as one change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from longway.report import sections
from longway.report.excerpts import Piece, Span, harmless

Kind = Literal["same", "removed", "added"]

MAX_CELLS = 160_000  # word pairs compared: 400 changed words against 400
COMPARE_LIMIT = 50_000  # characters of each version that are compared
EDIT_LIMIT = 800  # characters of each version; a longer text is cut to what changed
AROUND = 80  # characters kept on both sides of a change in a text that is cut
CHANGED = 1  # the level of a changed piece

_SIGNS = r".,;:!?…()\[\]{}\"“”„«»/|"
_UNSPACED = (
    "\u3040-\u30ff\u3400-\u9fff"  # Chinese and Japanese put no space between words: one sign is a word
)
# Everything else stays in its word: apostrophes, hyphens, combining marks, joined emoji.
_WORD = re.compile(rf"(\s*)([{_SIGNS}{_UNSPACED}]|[^\s{_SIGNS}{_UNSPACED}]+|\Z)")

Word = tuple[str, str]  # the space before it, the word; the last word of a text is its empty end


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of text that stands in both versions, or in one of them."""

    kind: Kind
    text: str


def differences(before: str, after: str) -> list[Change]:
    """The stretches of both texts; a removed one stands before the one that came in its place.

    >>> [(change.kind, change.text) for change in differences("It is not open.", "It is closed.")]
    [('same', 'It is '), ('removed', 'not open'), ('added', 'closed'), ('same', '.')]
    """
    old, new = _words(before), _words(after)
    changes: list[Change] = []
    same: list[str] = []  # words that stay, one after the other
    i = j = 0
    for at_old, at_new in _matches([word for _, word in old], [word for _, word in new]):
        space, word = old[at_old]
        new_space = new[at_new][0]
        if space == new_space and i == at_old and j == at_new:
            same.append(space + word)
        else:
            _add(changes, "", "", "".join(same))
            same.clear()
            if space == new_space:
                _add(changes, _joined(old[i:at_old]), _joined(new[j:at_new]), space + word)
            else:
                _add(changes, _joined(old[i:at_old]) + space, _joined(new[j:at_new]) + new_space, word)
        i, j = at_old + 1, at_new + 1
    _add(changes, "", "", "".join(same))
    return changes


def _add(changes: list[Change], removed: str, added: str, same: str) -> None:
    """Appends what changed and the common word behind it; a space both changes begin with is no change."""
    space = ""
    while removed and removed[:1] == added[:1] and removed[0].isspace():
        space, removed, added = space + removed[0], removed[1:], added[1:]
    for kind, text in (("same", space), ("removed", removed), ("added", added), ("same", same)):
        if text and changes and changes[-1].kind == kind:
            changes[-1] = Change(kind, changes[-1].text + text)
        elif text:
            changes.append(Change(kind, text))  # type: ignore[arg-type]


def _words(text: str) -> list[Word]:
    return [(match[1], match[2]) for match in _WORD.finditer(text)]


def _joined(words: Sequence[Word]) -> str:
    return "".join(space + word for space, word in words)


def _matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of the words that stay, rising in both; the ends of the texts always match."""
    front = _n_equal(old, new)
    back = _n_equal(old[front:][::-1], new[front:][::-1])
    before, after = old[front : len(old) - back], new[front : len(new) - back]
    blocks: list[tuple[int, int, int]] = []  # start in both, number of words
    if len(before) * len(after) <= MAX_CELLS:  # otherwise looking would take too long
        blocks += SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    places = [(front + i + at, front + j + at) for i, j, n in blocks for at in range(n)]
    ends = [(len(old) - at, len(new) - at) for at in range(back, 0, -1)]
    return [*((at, at) for at in range(front)), *places, *ends]


def _n_equal(old: Sequence[str], new: Sequence[str]) -> int:
    """How many words are the same from the start."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (word, other) in pairs if word != other), min(len(old), len(new)))


# Side by side


def versions(
    before: str,
    after: str,
    *,
    marks: Sequence[Span] = (),
    styles: Mapping[int, str] | None = None,
    limit: int = EDIT_LIMIT,
) -> tuple[list[str | sections.Span], list[str | sections.Span]]:
    """Both texts as words of a section; removed and added words have the styles "del" and "ins".

    marks: as in `side_by_side`. styles: the style of each level of a mark.
    """
    sides = side_by_side(before, after, marks=marks, limit=limit)
    of_level = [{**(styles or {}), CHANGED: style} for style in ("del", "ins")]
    old, new = (
        [sections.Span(piece.text, style[piece.level]) if piece.level else piece.text for piece in side]
        for side, style in zip(sides, of_level, strict=True)
    )
    return old, new


def side_by_side(
    before: str,
    after: str,
    *,
    marks: Sequence[Span] = (),
    notes: tuple[Sequence[Span], Sequence[Span]] = ((), ()),
    limit: int = EDIT_LIMIT,
) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces, cleaned, marked where they differ.

    limit: characters of each. marks: parts of the text before that have a level of their own if they are unchanged.
    notes: parts of each text that have a note, changed or not, in reading order: start, end, number of the note.

    >>> old, new = side_by_side("It is not open.", "It is closed.")
    >>> [(piece.text, piece.level) for piece in new]
    [('It is ', 0), ('closed', 1), ('.', 0)]
    """
    changes = differences(harmless(before[:COMPARE_LIMIT]), harmless(after[:COMPARE_LIMIT]))
    return _side(changes, "removed", limit, marks, notes[0]), _side(changes, "added", limit, (), notes[1])


def _side(
    changes: Sequence[Change], kind: str, limit: int, marks: Sequence[Span], notes: Sequence[Span]
) -> list[Piece]:
    parts = [change for change in changes if change.kind in ("same", kind)]
    marked = [piece for part in parts for piece in _pieces(part)]
    marked = _cut_at(marked, sorted(marks), as_notes=False)
    marked = _cut_at(marked, notes, as_notes=True)
    total = sum(len(piece.text) for piece in marked)
    if not total:
        return [Piece("(blank)")]
    ends = [bool(changes) and changes[at].kind not in ("same", kind) for at in (0, -1)]
    return marked if total <= limit else _shortened(marked, limit, beside=(ends[0], ends[1]))


def _cut_at(parts: Sequence[Piece], spans: Sequence[Span], *, as_notes: bool) -> list[Piece]:
    """The pieces, cut where a span begins or ends.

    as_notes: the spans are notes, which any piece can have; otherwise they are levels, of the words of pieces without one.
    """
    found: list[Piece] = []
    start = 0
    for part in parts:
        at, end = start, start + len(part.text)
        for first, last, number in spans if as_notes or not part.level else ():
            left, right = max(first, at), min(last, end)
            inside = part.text[left - start : right - start] if left < right else ""
            words = inside if as_notes else inside.strip()
            if words:
                left += inside.index(words)
                piece = replace(part, text=words, **{"note" if as_notes else "level": number})
                found += [replace(part, text=part.text[at - start : left - start]), piece]
                at = left + len(words)
        found.append(replace(part, text=part.text[at - start :]))
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


def _shortened(parts: Sequence[Piece], limit: int, *, beside: tuple[bool, bool]) -> list[Piece]:
    """Long stretches between the changes left out, then at most `limit` characters.

    beside: whether the other version has something more before this text, and behind it.
    """
    last = len(parts) - 1
    is_same = not last and not any(beside)
    kept: list[Piece] = []
    left = limit
    for at, piece in enumerate(parts):
        is_said = piece.level or piece.note or is_same
        text = (
            piece.text
            if is_said
            else _gap(piece.text, first=at == 0 and not beside[0], last=at == last and not beside[1])
        )
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
