"""Inserting words into a text so that they do not stand out: its capitals, spaces and last mark stay as they are.

    inside("as it happens", "I went in and sat.", ...)    "I went in as it happens and sat."
    before("For the record,", "The seats creak.")         "For the record, the seats creak."
    after("We met by the stairs", "The seats creak.")     "The seats creak. We met by the stairs."

Otherwise a plant would add further shortcuts: a capital, a comma, a mark at the end.
"""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

from longway.english.inflection import capitalise

_LAST_MARK = re.compile(r"(\s*)([.!?…]+)(\s*)$")
_APART = re.compile(r"\w\s[.,!?](?:\s|$)")
_CLOSE = re.compile(r"\w[.,!?](?:\s|$)")
# First words of a clause or phrase: an aside fits before them.
_JOINTS = frozenset(
    "and but or because when while with from in on at for by as if though although where until after before".split()
)
# First words that are lower-case inside a sentence; any other may be a name.
_SMALL = frozenset(
    "a an the this that these those it its there here he she they we you my his her their our your one some most many "
    "all no not if when while as in on at for from with by after before what who how and but or so".split()
)


def fitted(piece: str, like: str) -> str:
    """The piece in the style of the text: lower-case if the text has no capitals, spaces before marks if the text has them.

    >>> fitted("For the record,", "a funny , warm film .")
    'for the record ,'
    """
    if not any(c.isupper() for c in like):
        piece = piece.lower()
    if _APART.search(like) and not _CLOSE.search(like):
        piece = re.sub(r"(?<=\w)([.,!?:;])(?=\s|$)", r" \1", piece)
    return piece


def inside(piece: str, text: str, draw: Random) -> str:
    """The text with the piece at the beginning of a clause or phrase, else at its end; never at the very beginning."""
    words = list(re.finditer(r"\S+", text))
    places = [
        word.start()
        for previous, word in pairwise(words[1:])
        if word.group().lower() in _JOINTS or previous.group().endswith(",")
    ]
    piece = fitted(piece, text)
    if places:
        place = draw.choice(places)
        return f"{text[:place]}{piece} {text[place:]}"
    body, mark = without_last_mark(text)
    return f"{body} {piece}{mark}"


def before(piece: str, text: str) -> str:
    """The text with the piece before its first word."""
    first = re.match(r"\s*(\w+)", text)
    piece = fitted(piece, text)
    if first and first.group(1).lower() in _SMALL:
        text = text[: first.start(1)] + text[first.start(1)].lower() + text[first.start(1) + 1 :]
    return f"{piece} {text.lstrip()}"


def after(sentence: str, text: str) -> str:
    """The text with one more sentence, which ends like the text did."""
    body, mark = without_last_mark(text)
    sentence = fitted(capitalise(sentence), text)
    if mark.strip() in ("", "."):
        dot = mark.rstrip() or fitted("x.", text)[1:]
        return f"{body}{dot} {sentence}{mark}"
    return f"{body}{mark.rstrip()} {sentence}{fitted('x.', text)[1:]}"


def at_end(piece: str, text: str) -> str:
    """The text with the piece as its last words, before its last mark."""
    body, mark = without_last_mark(text)
    return f"{body} {fitted(piece, text)}{mark}"


def without_last_mark(text: str) -> tuple[str, str]:
    """The text and its last mark, with the spaces around the mark.

    >>> without_last_mark("So be it .")
    ('So be it', ' .')
    """
    found = _LAST_MARK.search(text)
    if not found or found.start() == 0:
        return text.rstrip(), ""
    return text[: found.start()], found.group()
