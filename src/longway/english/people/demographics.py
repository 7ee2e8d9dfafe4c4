"""Demographic axes, their attributes, and the word lists.

    gender   man, woman, non-binary (also for an unspecified gender)
    race     white, black, hispanic, asian, native-american, pacific-islander
    age      child (under 18), young (18 to 44), middle-aged (45 to 64), senior (65 and over), adult (18 and over, unspecified)

The axes follow section 2 of the perturbation paper (Qian et al. 2022); the categories of race and ethnicity are those of the US
Census. Every such list leaves people out: it defines what is measured here, not what exists.

    entries_for("aunt")              the entry "aunt", gender:woman, with the counterparts "uncle" and "relative"
    demographic_entries("race")      every word of an axis

Each list is a table (gender.tsv, race.tsv, age.tsv). A row is one concept, such as "mother's or father's brother or sister", plural;
a column is one attribute. A cell holds the word to write; words after a bar ("aunt|auntie") are recognised but not written.

    -            none ("-|enby": nothing to write, one word recognised)
    >relative    written but not recognised: an uncle becomes a relative, but no relative becomes an uncle

Notes: "generic": the man's word is used for everybody (actor); "senses": a word of the row has another meaning (count);
"thing", "colour", "place": it may describe a thing (an old car, Asian markets); "side": a "maternal uncle" is one on the
mother's side. Kind "thing": a fixed phrase that refers to no person ("mother tongue") or to everybody ("men and women").

`word_lists.md` describes how the lists were made and what they leave out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from longway.english.wordnet import senses
from longway.errors import SettingError

AXES: dict[str, tuple[str, ...]] = {
    "gender": ("man", "woman", "non-binary"),
    "race": ("white", "black", "hispanic", "asian", "native-american", "pacific-islander"),
    "age": ("child", "young", "middle-aged", "senior", "adult"),
}
AGE_RANGES: dict[str, tuple[int, int]] = {
    "child": (0, 17),
    "young": (18, 44),
    "middle-aged": (45, 64),
    "senior": (65, 120),
}


@dataclass(frozen=True, slots=True, order=True)
class Attribute:
    """A value of an axis: Attribute("gender", "woman"), written "gender:woman"."""

    axis: str
    name: str

    def __str__(self) -> str:
        return f"{self.axis}:{self.name}"


def parse_attribute(name: str) -> Attribute:
    """Return the attribute with this name, with or without its axis.

    >>> str(parse_attribute("woman")), str(parse_attribute("age:senior"))
    ('gender:woman', 'age:senior')
    """
    bare = name.rpartition(":")[2]
    for known, names in AXES.items():
        if bare in names and name in (bare, f"{known}:{bare}"):
            return Attribute(known, bare)
    raise SettingError(
        f"{name!r} is not a demographic attribute. Expected one of: "
        f"{'; '.join(f'{known}: ' + ', '.join(names) for known, names in AXES.items())}."
    )


def other_attributes(given: Attribute) -> tuple[Attribute, ...]:
    """The other attributes of the same axis: what a person with this one can be perturbed to."""
    return tuple(Attribute(given.axis, name) for name in AXES[given.axis] if name != given.name)


def age_attribute(years: int) -> Attribute:
    """The attribute of an age in years.

    >>> str(age_attribute(11)), str(age_attribute(70))
    ('age:child', 'age:senior')
    """
    for name, (low, high) in AGE_RANGES.items():
        if low <= years <= high:
            return Attribute("age", name)
    return Attribute("age", "senior")


LISTS_FOLDER = Path(__file__).parent
NOTHING = "-"
ELSEWHERE = ">"


@dataclass(frozen=True, slots=True, eq=False)  # read once: compared by identity
class DemographicEntry:
    """A word of the lists.

    word: as written. kind: "person", "kin", "title", "role", "group", "age" ... pos: "NOUN", "ADJ", "PROPN", "ADV".
    number: "sing", "plur", or "" if the word has none.
    counterparts: the word for each other attribute that has one. notes: how to read it ("colour": "black" may be one).
    """

    word: str
    attribute: Attribute
    kind: str
    pos: str
    number: str
    counterparts: Mapping[str, str]
    notes: frozenset[str]


@lru_cache(maxsize=8)
def demographic_entries(axis: str | None = None) -> tuple[DemographicEntry, ...]:
    """All words of an axis, or of all axes, in the order of the lists."""
    if axis is None:
        return tuple(entry for name in AXES for entry in demographic_entries(name))
    lines = (LISTS_FOLDER / f"{axis}.tsv").read_text(encoding="utf-8").splitlines()
    entries: list[DemographicEntry] = []
    for line in lines:
        if line and not line.startswith("#"):
            entries += _entries_of(line, axis)
    return tuple(entries)


def entries_for(words: str) -> tuple[DemographicEntry, ...]:
    """The entries of a word or phrase, ignoring case; empty if it is not listed.

    >>> [(str(entry.attribute), entry.counterparts["man"]) for entry in entries_for("Aunt")]
    [('gender:woman', 'uncle')]
    """
    plain = words.lower().replace("’", "'")
    return _by_word().get(plain) or _compound(plain)


_LAST_PARTS = {  # of compounds that are not listed: attribute, number, and the other part for each attribute
    "woman": ("woman", "sing", {"man": "man", "non-binary": "person"}),
    "women": ("woman", "plur", {"man": "men", "non-binary": "people"}),
    "girl": ("woman", "sing", {"man": "boy"}),
    "girls": ("woman", "plur", {"man": "boys"}),
    "boy": ("man", "sing", {"woman": "girl"}),
    "boys": ("man", "plur", {"woman": "girls"}),
}


@lru_cache(maxsize=10_000)
def _compound(word: str) -> tuple[DemographicEntry, ...]:
    """The entry of a compound that is not listed: "farmgirl", "presswomen"."""
    for ending, (name, number, others) in _LAST_PARTS.items():
        stem = word.removesuffix(ending)
        if word.endswith(ending) and len(stem) > 2 and stem.isalpha() and senses(stem, "NOUN"):
            counterparts = {other: stem + part for other, part in others.items()}
            attribute = Attribute("gender", name)
            return (DemographicEntry(word, attribute, "role", "NOUN", number, counterparts, frozenset()),)
    return ()


@lru_cache(maxsize=1)
def longest_entry() -> int:
    """The length of the longest entry in characters."""
    return max(len(entry.word) for entry in demographic_entries())


@lru_cache(maxsize=1)
def _by_word() -> dict[str, tuple[DemographicEntry, ...]]:
    by_word: dict[str, tuple[DemographicEntry, ...]] = {}
    for entry in demographic_entries():
        known = by_word.get(entry.word.lower(), ())
        if all((entry.attribute, entry.pos) != (other.attribute, other.pos) for other in known):
            by_word[entry.word.lower()] = (*known, entry)
    return by_word


def _entries_of(line: str, axis: str) -> list[DemographicEntry]:
    kind, pos, number, *cells, notes = line.split("\t")
    columns = {name: cell.split("|") for name, cell in zip(AXES[axis], cells, strict=True)}
    written = {
        name: words[0].removeprefix(ELSEWHERE) for name, words in columns.items() if words[0] != NOTHING
    }
    return [
        DemographicEntry(
            word=word,
            attribute=Attribute(axis, name),
            kind=kind,
            pos=pos,
            number="" if number == NOTHING else number,
            counterparts={other: theirs for other, theirs in written.items() if other != name},
            notes=frozenset() if notes == NOTHING else frozenset(notes.split(",")),
        )
        for name, words in columns.items()
        for word in words
        if word != NOTHING and not word.startswith(ELSEWHERE)
    ]
