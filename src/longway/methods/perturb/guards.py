"""What must not be written, and labels that would no longer hold.

    offence(before, after)          why the new texts may hurt; "" where nothing speaks against them
    label_warning(before, after)    why the label of a pair may have changed; "" where nothing speaks for it

Offence, after appendix E of the paper, which took such results out of its data by hand (`offences.py` finds them):
    slurs made by swapping        a group word newly said with a word of contempt ("white trash" with another group)
    oppressor and oppressed       "supremacy", "slave owner", "enslaved", "lynching" ... said with a group it was not said with before

Labels, after appendix J: {P: John saw his aunt. H: John saw his uncle.} is no entailment because of two words; with "aunt" made
"uncle" both say the same. So a pair is warned of where
    contrast      counterparts or ages told its texts apart and no longer do, or the other way round
    one text      was changed, the other was not, and they no longer stand to each other as they did
    one name      stood in both texts and became another in one of them only, or two others
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from longway.english.people.ages import find_age_numbers, find_ages
from longway.english.people.demographics import AXES, age_attribute, entries_for
from longway.english.people.pronouns import FORMS, HE, SHE
from longway.methods.perturb.offences import CONTEMPT, harms

_PRONOUNS = {HE.form(form): "man" for form in FORMS} | {SHE.form(form): "woman" for form in FORMS}
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
# Words with a capital at the start of a sentence that a change of person may change: no names.
_NO_NAMES = frozenset(
    "a an i is are was were isn't aren't wasn't weren't has have hasn't haven't does do doesn't don't they them their theirs "
    "themselves themself he's she's they're".split()
)
Pair = tuple[str, str]


def offence(before: Sequence[str], after: Sequence[str]) -> str:
    """Why the new texts may hurt a group; "" where nothing speaks against them. One text for each segment.

    >>> offence(["a white slave owner"], ["an Asian slave owner"])
    "a group as oppressor or oppressed: 'asian' with 'slave owner'"
    """
    for old, new in zip(before, after, strict=True):
        known = {(harm.attribute, harm.word, harm.is_before) for harm in harms(old)}
        for harm in harms(new):
            if (harm.attribute, harm.word, harm.is_before) not in known:
                kind = "a slur" if harm.word in CONTEMPT else "a group as oppressor or oppressed"
                return f"{kind}: {harm.group!r} with {harm.word!r}"
    return ""


def label_warning(before: Sequence[str], after: Sequence[str]) -> str:
    """Why the label of a pair may have changed; "" for single texts and where the texts stand to each other as they did.

    >>> label_warning(["John saw his aunt.", "John saw his uncle."], ["John saw his uncle.", "John saw his uncle."])
    "'aunt' and 'uncle' told the texts apart, and no longer do"
    >>> label_warning(["John left.", "John is gone."], ["Jane left.", "John is gone."])
    "'John' stands in both texts, and was replaced in one of them only"
    """
    for i, j in combinations(range(len(before)), 2):
        old, new = (before[i], before[j]), (after[i], after[j])
        if why := _contrast(old, new) or _one_sided(old, new) or _unlike_names(old, new):
            return why
    return ""


def _contrast(old: Pair, new: Pair) -> str:
    """Words or ages that told two texts apart and no longer do, or newly do."""
    was, now = _counterparts_in(*old), _counterparts_in(*new)
    if was and not now:
        return f"{was[0]!r} and {was[1]!r} told the texts apart, and no longer do"
    if now and not was:
        return f"{now[0]!r} and {now[1]!r} tell the texts apart, which did not differ so before"
    replaced = _replaced_numbers(old, new)
    ages, ages_now = ([_ages(text, replaced) for text in pair] for pair in (old, new))
    if all(ages) and ages[0] != ages[1] and ages_now[0] == ages_now[1]:
        return "ages in numbers told the texts apart, and no longer do"
    if all(ages) and ages[0] == ages[1] and ages_now[0] != ages_now[1]:
        return "ages in numbers tell the texts apart, which were the same before"
    return ""


def _one_sided(old: Pair, new: Pair) -> str:
    """An axis on which a text that was changed no longer stands to the unchanged one as it did."""
    if (old[0] == new[0]) == (old[1] == new[1]):
        return ""
    replaced = _replaced_numbers(old, new)
    for axis in AXES:
        if _relation(old, axis, replaced) != _relation(new, axis, replaced):
            return f"only one of the texts was changed, and the other tells somebody's {axis} too"
    return ""


def _unlike_names(old: Pair, new: Pair) -> str:
    """A name of both texts that did not become the same in both."""
    names, names_now = [_names(text) for text in old], [_names(text) for text in new]
    for name in sorted(names[0] & names[1]):
        gone = [name not in now for now in names_now]
        if gone[0] != gone[1]:
            return f"{name!r} stands in both texts, and was replaced in one of them only"
        put = [now - was for was, now in zip(names, names_now, strict=True)]
        if all(gone) and all(put) and not put[0] & put[1]:
            return f"{name!r} stands in both texts, and was replaced by different names"
    return ""


def _listed(text: str) -> Iterator[str]:
    """The listed words and the pronouns of a text, in lower case."""
    words = (word.lower() for word in _WORD.findall(text))
    return (word for word in words if entries_for(word) or word in _PRONOUNS)


def _names(text: str) -> set[str]:
    """The capitalised words of a text that are no pronouns, no listed words and none that follow a person in form."""
    words = (_POSSESSIVE.sub("", word) for word in _WORD.findall(text) if word[0].isupper())
    return {
        word
        for word in words
        if not entries_for(word) and word.lower() not in _PRONOUNS and word.lower() not in _NO_NAMES
    }


def _counterparts_in(one: str, other: str) -> tuple[str, str] | None:
    """Two words, one of each text and missing in the other, that differ in an attribute only: aunt and uncle."""
    mine, theirs = set(_listed(one)), set(_listed(other))
    found = (
        (first, second)
        for first in sorted(mine - theirs)
        for second in sorted(theirs - mine)
        if any(second in map(str.lower, entry.counterparts.values()) for entry in entries_for(first))
    )
    return next(found, None)


def _relation(pair: Pair, axis: str, replaced: set[int]) -> str:
    """How two texts stand to each other on an axis: what both tell is "same", "apart" or "shared"; "" where one tells nothing."""
    mine, theirs = (_told(text, axis, replaced) for text in pair)
    if not mine or not theirs:
        return ""
    return "same" if mine == theirs else "shared" if mine & theirs else "apart"


def _told(text: str, axis: str, replaced: set[int]) -> set[str]:
    """What a text says of people on an axis."""
    told = {_PRONOUNS[word] for word in _listed(text) if word in _PRONOUNS and axis == "gender"}
    for word in _listed(text):
        told |= {entry.attribute.name for entry in entries_for(word) if entry.attribute.axis == axis}
    if axis == "age":
        told |= {age_attribute(years).name for years in _ages(text, replaced)}
    return told


def _ages(text: str, replaced: set[int]) -> set[int]:
    """The ages of a text in numbers: those written as ages, and bare numbers ("Tom is 12.") that a change replaced."""
    return {age.years for age in find_ages(text)} | (_numbers(text) & replaced)


def _replaced_numbers(old: Pair, new: Pair) -> set[int]:
    """Numbers that stand in a text before or after and not both: a perturber changes none but ages."""
    return {number for was, now in zip(old, new, strict=True) for number in _numbers(was) ^ _numbers(now)}


def _numbers(text: str) -> set[int]:
    return {number.years for number in find_age_numbers(text)}
