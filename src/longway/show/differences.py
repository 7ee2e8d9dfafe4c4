"""What changed between two versions of a text, word by word.

    before, after  ->  words  ->  longest common subsequence  ->  list of Change, in reading order

Exact: same and removed parts joined are `before`, same and added parts joined are `after`, to the last space.
The work is bounded: a change of more than MAX_CELLS word pairs is shown as one whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["same", "removed", "added"]

MAX_CELLS = 160_000  # word pairs compared: 400 changed words against 400

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
    shortest = min(len(old), len(new))
    front = 0
    while front < shortest and old[front] == new[front]:
        front += 1
    back = 0
    while back < shortest - front and old[-1 - back] == new[-1 - back]:
        back += 1
    middle = _common(old[front : len(old) - back], new[front : len(new) - back])
    return [
        *((at, at) for at in range(front)),
        *((front + i, front + j) for i, j in middle),
        *((len(old) - at, len(new) - at) for at in range(back, 0, -1)),
    ]


def _common(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of a longest common subsequence; none where looking would take too long."""
    if len(old) * len(new) > MAX_CELLS:
        return []
    # longest[i][j]: length for old[i:] and new[j:]
    longest = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        row, below = longest[i], longest[i + 1]
        for j in range(len(new) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if old[i] == new[j] else max(below[j], row[j + 1])
    places = []
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            places.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return places
