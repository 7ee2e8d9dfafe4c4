"""Inserting words into a text so that they do not stand out: its capitals, spaces and last mark stay as they are.

    inside("as it happens", "I went in and sat.", ...)    "I went in as it happens and sat."
    before("For the record,", "The seats creak.")         "For the record, the seats creak."

Otherwise a plant would add further shortcuts: a capital, a comma, a mark at the end. `methods/repair/mend.py` puts words at the end of a text.
"""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

from longway.methods.repair.mend import in_style, without_last_mark

# First words of a clause or phrase: an aside fits before them.
_JOINTS = frozenset(
    "and but or because when while with from in on at for by as if though although where until after before".split()
)
# First words that are lower-case inside a sentence; any other may be a name.
_SMALL = frozenset(
    "a an the this that these those it its there here he she they we you my his her their our your one some most many "
    "all no not if when while as in on at for from with by after before what who how and but or so".split()
)


def inside(piece: str, text: str, draw: Random) -> str:
    """The text with the piece at the beginning of a clause or phrase, else at its end; never at the very beginning."""
    words = list(re.finditer(r"\S+", text))
    places = [
        word.start()
        for previous, word in pairwise(words[1:])
        if word.group().lower() in _JOINTS or previous.group().endswith(",")
    ]
    piece = in_style(piece, text)
    if places:
        place = draw.choice(places)
        return f"{text[:place]}{piece} {text[place:]}"
    body, mark = without_last_mark(text)
    return f"{body} {piece}{mark}"


def before(piece: str, text: str) -> str:
    """The text with the piece before its first word."""
    first = re.match(r"\s*(\w+)", text)
    piece = in_style(piece, text)
    if first and first.group(1).lower() in _SMALL:
        text = text[: first.start(1)] + text[first.start(1)].lower() + text[first.start(1) + 1 :]
    return f"{piece} {text.lstrip()}"
