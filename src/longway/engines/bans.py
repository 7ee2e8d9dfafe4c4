"""Words that a model must not write: the tokens that would complete one of them, given the text so far.

    bans = Bans(["only", "at least", "n't"], pieces)
    bans.after("It was")        the tokens " only", " Only" ...
    bans.after("It was at le")  the same, and "ast"

A token is banned if it ends a banned phrase, however the phrase is cut into tokens and whatever its capitals. A longer word that
happens to begin with a banned one in a token of its own is lost as well; few words are cut like that. Its first letter or two, as in
" o" for " of", are banned too: a model that may not write a word would otherwise break it off.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

SHORT_WORDS = frozenset(
    "a i ad am an as at ax be by do ex go ha he hi if in is it me my no of oh ok on or ox so to up us we".split()
)


class Bans:
    """Phrases that must not be written. pieces: the text of each token, with its leading space; None for tokens that are no text."""

    def __init__(self, phrases: Iterable[str], pieces: Sequence[str | None]) -> None:
        self._phrases = sorted({_plain(phrase.strip()) for phrase in phrases} - {""})
        ends = {phrase[k:] for phrase in self._phrases for k in range(len(phrase))}
        ends |= {f" {phrase}" for phrase in self._phrases}
        ends |= {part for end in ends for part in _broken_off(end)}
        self._tokens: dict[str, list[int]] = defaultdict(list)
        for token, piece in enumerate(pieces):
            if piece is not None and (end := _plain(piece)) in ends:
                self._tokens[end].append(token)

    def after(self, text: str) -> list[int]:
        """The tokens that must not follow the text."""
        text = _plain(text)
        found: list[int] = []
        for phrase in self._phrases:
            places = range(len(phrase))
            open_ends = [
                phrase[k:]
                for k in places
                if text.endswith(phrase[:k]) and _begins(text, len(text) - k, phrase)
            ]
            for end in (f" {phrase}", *open_ends):
                for part in (end, *_broken_off(end)):
                    found += self._tokens[part]
        return found


def _begins(text: str, place: int, phrase: str) -> bool:
    """Whether a phrase can begin at this place: after a word only if it is the end of one, such as "n't"."""
    return place == 0 or not text[place - 1].isalnum() or "'" in phrase[:2]


def _broken_off(end: str) -> list[str]:
    """The beginnings of a last word that are no words themselves: "t" and "ti" of "time"; none inside of a word."""
    word = end.lstrip(" ")
    if len(word) == len(end) or not word.isalpha():
        return []
    return [f" {word[:n]}" for n in (1, 2) if n < len(word) and word[:n] not in SHORT_WORDS]


def _plain(text: str) -> str:
    return text.lower().replace("’", "'")
