"""Perturbations that may offend, and pairs whose label may no longer hold.

    offence(before, after)          why the new texts may offend; "" if nothing was found
    label_warning(before, after)    why the label of a pair may have changed; "" if nothing was found

Offences, after appendix E of the paper, whose authors removed such results by hand:
    slurs made by swapping        a group word newly combined with a word of contempt ("white trash" with another group)
    oppressor and oppressed       "supremacy", "slave owner", "enslaved", "lynching" ... newly combined with a group

To find them (`harms`), each word of a text becomes one letter, and what may occur between a group and such a word is a pattern of letters:
    beside       "white trash", "a criminal white man"               a few words between, no punctuation and no preposition
    apposition   "the slave owner, a white man"                      copula   "the thug was a white man"
    of, by       "the supremacy of white people"                     verb     "white men who enslaved", "enslaved the Black people"
That is not a parse, and it rather finds too much: the text is then left unchanged. All words are listed, for reviewers.

Labels, after appendix J: {P: John saw his aunt. H: John saw his uncle.} is no entailment because of two words; if "aunt" becomes
"uncle", both say the same. So there is a warning for a pair if
    contrast      its texts differed in counterparts or ages and no longer do, or the other way round
    one text      was changed and the other was not, and their relation on an axis changed
    one name      occurred in both texts and was replaced in one of them only, or by two different names
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from longway.english.people.ages import find_age_numbers, find_ages
from longway.english.people.pronouns import FORMS, HE, SHE
from longway.english.people.words import AXES, age_attribute, entries_for
from longway.english.words import listed_words

_PRONOUNS = {HE.form(form): "man" for form in FORMS} | {SHE.form(form): "woman" for form in FORMS}
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_WORDS = listed_words(__name__)
_NO_NAMES = _WORDS["no_names"]
Pair = tuple[str, str]

CONTEMPT = _WORDS["contempt"]
_COINED = _WORDS["coined"]
_POWER = frozenset(
    "supremacy supremacist supremacists nationalist nationalists nationalism slave slaves slaver slavers slavery slaveholder "
    "slaveholders slaveowner slaveowners slaveowning slaveholding colonizer colonizers coloniser colonisers oppressor oppressors "
    "oppression overlord overlords lynching lynchings nazi nazis klansman klansmen apartheid enslaver enslavers enslavement "
    "segregation colonization colonisation".split()
) | {
    "slave owner", "slave owners", "slave owning", "slave holder", "slave holders", "slave holding", "slave master",
    "slave masters", "slave driver", "slave drivers", "slave trader", "slave traders", "plantation owner", "plantation owners",
    "own slaves", "owns slaves", "owned slaves", "owning slaves", "master race", "ku klux klan",
}  # fmt: skip
_VERBS = _WORDS["verbs"]

_LETTERS = {
    "c": "is are was were be been being becomes became remains remained 's ’s",
    "d": "a an the this that these those his her their its our my your one another some any many most all",
    "w": "who which",
    "o": "of",
    "b": "by",
    "k": "and or but nor from to with without against in on at for into onto over under about than as because when while if",
}
_LETTER = {word: letter for letter, words in _LETTERS.items() for word in words.split()}
_TOKEN = re.compile(r"['’]s\b|\w+|[,(–—]|[.;:!?]")
# G a group; H contempt, K coined, P power, V verb; x any other word. The group is at one end, the word at the other.
_PATTERNS = tuple(
    re.compile(f"(?=({pattern}))")
    for pattern in (
        r"GK",
        r"G[xd]{0,1}H",
        r"G[xdw]{0,2}P",
        r"G[xdwc]{0,4}V",
        r"G[xw]{0,3}cx?d?x{0,2}[HP]",
        r"Gx{0,2},dx{0,2}[HP]",
        r"[HP]G",
        r"Vd?x?G",
        r"[HPV]x?w?cx?d?x?G",
        r"[HPV]x?,dx?G",
        r"[HPV]od?x?G",
        r"[PV]bd?x?G",
    )
)


def offence(before: Sequence[str], after: Sequence[str]) -> str:
    """Why the new texts may offend a group; "" if nothing was found. One text per segment.

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
    """Why the label of a pair may have changed; "" for single texts, and if the relation of the texts is unchanged.

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
    """Words or ages in which two texts differed and no longer do, or newly do."""
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
    """An axis on which the relation of a changed text to the unchanged one is another."""
    if (old[0] == new[0]) == (old[1] == new[1]):
        return ""
    replaced = _replaced_numbers(old, new)
    for axis in AXES:
        if _relation(old, axis, replaced) != _relation(new, axis, replaced):
            return f"only one of the texts was changed, and the other tells somebody's {axis} too"
    return ""


def _unlike_names(old: Pair, new: Pair) -> str:
    """A name of both texts that was not replaced alike in both."""
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
    """The capitalised words of a text that are neither pronouns nor listed words nor forms that agree with a person."""
    words = (_POSSESSIVE.sub("", word) for word in _WORD.findall(text) if word[0].isupper())
    return {
        word
        for word in words
        if not entries_for(word) and word.lower() not in _PRONOUNS and word.lower() not in _NO_NAMES
    }


def _counterparts_in(one: str, other: str) -> tuple[str, str] | None:
    """Two words that differ only in an attribute, each in one of the texts only: aunt and uncle."""
    mine, theirs = set(_listed(one)), set(_listed(other))
    found = (
        (first, second)
        for first in sorted(mine - theirs)
        for second in sorted(theirs - mine)
        if any(second in map(str.lower, entry.counterparts.values()) for entry in entries_for(first))
    )
    return next(found, None)


def _relation(pair: Pair, axis: str, replaced: set[int]) -> str:
    """The relation of two texts on an axis: their attributes are "same", "shared" or "apart"; "" if one text has none."""
    mine, theirs = (_attributes(text, axis, replaced) for text in pair)
    if not mine or not theirs:
        return ""
    return "same" if mine == theirs else "shared" if mine & theirs else "apart"


def _attributes(text: str, axis: str, replaced: set[int]) -> set[str]:
    """The attributes on an axis that a text gives to people."""
    names = {_PRONOUNS[word] for word in _listed(text) if word in _PRONOUNS and axis == "gender"}
    for word in _listed(text):
        names |= {entry.attribute.name for entry in entries_for(word) if entry.attribute.axis == axis}
    if axis == "age":
        names |= {age_attribute(years).name for years in _ages(text, replaced)}
    return names


def _ages(text: str, replaced: set[int]) -> set[int]:
    """The ages of a text in numbers: those written as ages, and bare numbers ("Tom is 12.") that a change replaced."""
    return {age.years for age in find_ages(text)} | (_numbers(text) & replaced)


def _replaced_numbers(old: Pair, new: Pair) -> set[int]:
    """Numbers that only one version of a text has: a perturber changes no numbers but ages."""
    return {number for was, now in zip(old, new, strict=True) for number in _numbers(was) ^ _numbers(now)}


def _numbers(text: str) -> set[int]:
    return {number.years for number in find_age_numbers(text)}


@dataclass(frozen=True, slots=True)
class Harm:
    """A group word as it is written, its attribute, the word it is combined with, and whether the group comes first."""

    group: str
    attribute: str
    word: str
    is_before: bool


def harms(text: str) -> Iterator[Harm]:
    """The groups that a text combines with a word of contempt or of oppression.

    >>> [(harm.attribute, harm.word) for harm in harms("The slave owner, a white man, slept.")]
    [('white', 'slave owner')]
    """
    words = _lettered(text)
    letters = "".join(letter for _, letter, _ in words)
    for pattern in _PATTERNS:
        for match in pattern.finditer(letters):
            first, last = words[match.start(1)], words[match.end(1) - 1]
            is_before = first[1] == "G"
            group, other = (first, last) if is_before else (last, first)
            yield Harm(group[0], group[2], other[0], is_before)


def _lettered(text: str) -> list[tuple[str, str, str]]:
    """The words and punctuation of a text, each with its letter, and with its attribute if it is a group."""
    parts = _TOKEN.findall(text.lower())
    has_slaves = any(part.startswith(("slave", "enslave")) for part in parts)
    found: list[tuple[str, str, str]] = []
    place = 0
    while place < len(parts):
        for length in (3, 2, 1):  # the longest phrase that is known
            phrase = " ".join(parts[place : place + length])
            letter, group = _letter(phrase, has_slaves=has_slaves)
            if letter or length == 1:
                found.append((phrase, letter or "x", group))
                place += length
                break
    return found


def _letter(phrase: str, *, has_slaves: bool) -> tuple[str, str]:
    """The letter of a word, phrase or punctuation mark, "" if it has none; and its attribute if it is a group."""
    for letter, words in (("H", CONTEMPT), ("K", _COINED), ("P", _POWER), ("V", _VERBS)):
        if phrase in words:
            return letter, ""
    if has_slaves and phrase in _WORDS.with_slaves:
        return "P", ""
    if group := next(
        (entry.attribute.name for entry in entries_for(phrase) if entry.attribute.axis == "race"), ""
    ):
        return "G", group
    if phrase in ",(–—":
        return ",", ""
    if phrase in ".;:!?":
        return ".", ""
    return _LETTER.get(phrase, ""), ""
