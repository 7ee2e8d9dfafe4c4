"""What must not be written, and labels that would no longer hold.

    offence(before, after)          why the new texts may hurt; "" where nothing speaks against them
    label_warning(before, after)    why the label of a pair may have changed; "" where nothing speaks for it

Offence, after appendix E of the paper, which took such results out of its data by hand:
    slurs made by swapping        a group word put in front of a word of contempt ("white trash" with another group)
    oppressor and oppressed       "supremacy", "slave owner", "colonizer" ... said of a group it was not said of before

Labels, after appendix J: {P: John saw his aunt. H: John saw his uncle.} is no entailment because of two words; with "aunt" made
"uncle" both say the same. So a pair is warned of where counterparts told its texts apart and no longer do (or the other way round), and
where one text was changed, the other was not, and they no longer stand to each other as they did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from longway.demographics.axes import AXES
from longway.demographics.words import readings
from longway.text.pronouns import FORMS, HE, SHE

# What no group word may newly stand beside. Written out so that a reviewer sees all of it.
_CONTEMPT = frozenset(
    "trash scum vermin savage savages thug thugs criminal criminals terrorist terrorists monkey monkeys ape apes".split()
)
_POWER = frozenset(
    "supremacy supremacist supremacists nationalist nationalists nationalism privilege fragility guilt flight slaver slavers "
    "slaveholder slaveholders slaveowner slaveowners colonizer colonizers coloniser colonisers oppressor oppressors overlord "
    "overlords lynching lynchings lynched nazi nazis klansman klansmen apartheid".split()
)
_PHRASES = ("slave owner", "slave owners", "slave master", "slave masters", "master race", "ku klux klan")
_PRONOUNS = {HE.form(form): "man" for form in FORMS} | {SHE.form(form): "woman" for form in FORMS}
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_NEAR = 2  # words between a group word and what it is said of


def offence(before: Sequence[str], after: Sequence[str]) -> str:
    """Why the new texts may hurt a group; "" where nothing speaks against them. One text for each segment."""
    for old, new in zip(before, after, strict=True):
        known = set(_harms(old))
        for group, word in _harms(new):
            if (group, word) not in known:
                kind = "a slur" if word in _CONTEMPT else "a group as oppressor"
                return f"{kind}: {group!r} beside {word!r}"
    return ""


def label_warning(before: Sequence[str], after: Sequence[str]) -> str:
    """Why the label of a pair may have changed; "" for single texts and where the texts stand to each other as they did.

    >>> label_warning(["John saw his aunt.", "John saw his uncle."], ["John saw his uncle.", "John saw his uncle."])
    "'aunt' and 'uncle' told the texts apart, and no longer do"
    """
    for i, j in combinations(range(len(before)), 2):
        old, new = (before[i], before[j]), (after[i], after[j])
        was, now = _counterparts_in(*old), _counterparts_in(*new)
        if was and not now:
            return f"{was[0]!r} and {was[1]!r} told the texts apart, and no longer do"
        if now and not was:
            return f"{now[0]!r} and {now[1]!r} tell the texts apart, which did not differ so before"
        if (old[0] == new[0]) != (old[1] == new[1]):
            for axis in AXES:
                if _relation(*old, axis) != _relation(*new, axis):
                    return f"only one of the texts was changed, and the other tells somebody's {axis} too"
    return ""


def _harms(text: str) -> Iterator[tuple[str, str]]:
    """Group words with a word of contempt or power close behind them."""
    words = [word.lower() for word in _WORD.findall(text)]
    parts = [part for word in words for part in word.split("-")]
    for place, end in product(range(len(parts)), (1, 2)):
        group = " ".join(parts[place : place + end])
        if not any(entry.attribute.axis == "race" for entry in readings(group)):
            continue
        behind = parts[place + end : place + end + _NEAR + 1]
        for at, word in enumerate(behind):
            pair = " ".join(behind[at : at + 2])
            triple = " ".join(behind[at : at + 3])
            found = next((w for w in (word, pair, triple) if w in _CONTEMPT | _POWER or w in _PHRASES), None)
            if found is not None:
                yield group, found


def _listed(text: str) -> list[str]:
    """The listed words and the pronouns of a text, in lower case."""
    words = (word.lower() for word in _WORD.findall(text))
    return [word for word in words if readings(word) or word in _PRONOUNS]


def _counterparts_in(one: str, other: str) -> tuple[str, str] | None:
    """Two words, one of each text and missing in the other, that differ in an attribute only: aunt and uncle."""
    mine, theirs = set(_listed(one)), set(_listed(other))
    found = (
        (first, second)
        for first in sorted(mine - theirs)
        for second in sorted(theirs - mine)
        if any(second in map(str.lower, entry.counterparts.values()) for entry in readings(first))
    )
    return next(found, None)


def _relation(one: str, other: str, axis: str) -> str:
    """How two texts stand to each other on an axis: what both tell is "same", "apart" or "shared"; "" where one tells nothing."""
    mine, theirs = _told(one, axis), _told(other, axis)
    if not mine or not theirs:
        return ""
    return "same" if mine == theirs else "shared" if mine & theirs else "apart"


def _told(text: str, axis: str) -> set[str]:
    told = {_PRONOUNS[word] for word in _listed(text) if word in _PRONOUNS and axis == "gender"}
    for word in _listed(text):
        told |= {entry.attribute.name for entry in readings(word) if entry.attribute.axis == axis}
    return told
