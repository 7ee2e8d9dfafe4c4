"""Where a text says a group word together with a word of contempt, or of who oppressed whom.

    "The thug was a white man."        white with "thug"
    "White men enslaved Africans."     white before "enslaved", and black behind it: who did it, and to whom

Each word of a text becomes one letter, and what stands between a group and such a word is a pattern of letters:
    beside       "white trash", "a criminal white man"               a few words between, no mark and no preposition
    apposition   "the slave owner, a white man"                      copula   "the thug was a white man"
    of, by       "the supremacy of white people"                     verb     "white men who enslaved", "enslaved the Black people"

That is no parse. It errs on the side of finding too much: who uses it leaves a text as it was. All words are written out, so that a
reviewer sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longway.english.people.demographics import entries_for

CONTEMPT = frozenset(
    "trash scum vermin savage savages thug thugs criminal criminals terrorist terrorists monkey monkeys ape apes".split()
)
# Said right behind a group only: "white guilt", but the guilt of a white man is no such thing.
_COINED = frozenset("privilege fragility guilt flight".split())
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
_VERBS = frozenset(
    "enslave enslaves enslaved enslaving segregate segregates segregated segregating colonize colonizes colonized colonizing "
    "colonise colonises colonised colonising oppress oppresses oppressed oppressing lynch lynches lynched subjugate subjugates "
    "subjugated subjugating".split()
)
_WITH_SLAVES = frozenset("master masters overseer overseers".split())  # in a text that speaks of slaves

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
# G a group; H contempt, K coined, P power, V verb; x any other word. The group stands first or last, the word at the other end.
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


@dataclass(frozen=True, slots=True)
class Harm:
    """A group word as it is written, its attribute, the word it is said with, and whether the group stands before it."""

    group: str
    attribute: str
    word: str
    is_before: bool


def harms(text: str) -> Iterator[Harm]:
    """The groups that a text says together with a word of contempt or of oppression.

    >>> [(harm.attribute, harm.word) for harm in harms("The slave owner, a white man, slept.")]
    [('white', 'slave owner')]
    """
    words = _words(text)
    letters = "".join(letter for _, letter, _ in words)
    for pattern in _PATTERNS:
        for match in pattern.finditer(letters):
            first, last = words[match.start(1)], words[match.end(1) - 1]
            is_before = first[1] == "G"
            group, other = (first, last) if is_before else (last, first)
            yield Harm(group[0], group[2], other[0], is_before)


def _words(text: str) -> list[tuple[str, str, str]]:
    """The words and marks of a text: each with its letter, and with its attribute where it is a group."""
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
    """The letter of a word, phrase or mark, "" where it has none of its own; and its attribute where it is a group."""
    for letter, words in (("H", CONTEMPT), ("K", _COINED), ("P", _POWER), ("V", _VERBS)):
        if phrase in words:
            return letter, ""
    if has_slaves and phrase in _WITH_SLAVES:
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
