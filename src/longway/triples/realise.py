"""The way back: triples in the given order as a text.

text_of(triples)                       one sentence for each, neighbours with the same subject joined
text_of(triples, like="it 's ok .")    written as that text is: spaces before marks, small letters, no full stop

The waiter | was | rude     The waiter | brought | cold soup      The waiter was rude and brought cold soup.
The film | is | dull        The film | is | predictable           The film is dull and predictable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longway.text.capitals import capitalised
from longway.triples.triple import Triple

LONGEST_JOINED = 9  # words of the first of two statements that are joined
_SHORT_VERB = re.compile(r" ((?:['’](?:s|re|ve|ll|d|m)|n['’]t)\b)", re.IGNORECASE)
_COPULAS = frozenset("is are was were 's 're seems looks feels".split())
_ENDS = re.compile(r"[.!?…][\"'”’)\]]*$")
# Words that open a clause of their own, which a joined predicate behind them would seem to belong to.
_OPENS_CLAUSE = re.compile(r"\b(?:that|which|who|because|when|if|while|and|but|or)\b|,", re.IGNORECASE)


def text_of(triples: Sequence[Triple], *, join: bool = True, like: str = "") -> str:
    """A text that says what the triples say, in their order.

    join: make one sentence of neighbours with the same subject. like: a text whose way of writing is taken over.

    >>> text_of([Triple("the waiter", "was", "rude"), Triple("the waiter", "brought", "cold soup")])
    'The waiter was rude and brought cold soup.'
    """
    written = list(_sentences(triples, join))
    if not _is_spaced(like):
        written = [_SHORT_VERB.sub(r"\1", sentence) for sentence in written]
    if _is_capitalised(like):
        written = [capitalised(sentence) for sentence in written]
    mark = " ." if _is_spaced(like) else "."
    closed = [sentence if _ENDS.search(sentence) else sentence + mark for sentence in written]
    if like and len(closed) == 1 and not _ENDS.search(like.rstrip()):
        closed[-1] = written[-1]
    return " ".join(closed)


def _is_capitalised(like: str) -> bool:
    """True unless a text begins with a small letter; an empty one says nothing."""
    first = next((c for c in like if c.isalpha()), "A")
    return not first.islower()


def _is_spaced(like: str) -> bool:
    return re.search(r"\s[.,]\s|\s\.$", like.rstrip()) is not None


def _sentences(triples: Sequence[Triple], join: bool) -> Iterator[str]:
    place = 0
    while place < len(triples):
        one = triples[place]
        other = triples[place + 1] if place + 1 < len(triples) else None
        if join and other is not None and _can_be_joined(one, other):
            yield _joined(one, other)
            place += 2
        else:
            yield one.text
            place += 1


def _can_be_joined(one: Triple, other: Triple) -> bool:
    if one.is_whole or other.is_whole or one.subject.lower() != other.subject.lower():
        return False
    is_short = len(one.text.split()) <= LONGEST_JOINED
    is_short_verb = other.predicate.startswith(("'", "’"))
    return (
        is_short and not _OPENS_CLAUSE.search(one.object) and (not is_short_verb or _share_copula(one, other))
    )


def _joined(one: Triple, other: Triple) -> str:
    first = one.text
    if _share_copula(one, other):
        return f"{first} and {other.object}"
    return f"{first} and {other.predicate} {other.object}".rstrip()


def _share_copula(one: Triple, other: Triple) -> bool:
    """True where the second verb would only repeat the first: "is dull and predictable"."""
    same = one.predicate.lower() == other.predicate.lower() and one.predicate.lower() in _COPULAS
    return same and bool(one.object and other.object)
