"""The demographic word lists: which words say something about a person, and what the word for another attribute is.

    readings("aunt")           (Entry "aunt", gender:woman; its counterparts are "uncle" and "relative"),)
    entries("race")            every word of an axis

The lists are tables, one a file: a row is one notion ("mother's or father's brother or sister", plural), a column one
attribute. A cell holds the word to write; further words behind a bar ("aunt|auntie") are known but not written.

    -            there is none ("-|enby": nothing to write, one word known)
    >relative    written here, not read here: "relative" is what an uncle becomes, but no relative becomes an uncle

Notes: "generic": the man's word is said of everybody (actor); "senses": a word of the row has quite another meaning (count);
"thing", "colour", "place": it may be said of a thing (an old car, Asian markets); "side": a "maternal uncle" is one on the
mother's side. Kind "thing": a fixed phrase that stays, since no person is meant ("mother tongue") or everybody ("men and women").

`words.md` says how the lists were made and what is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from longway.demographics.axes import AXES, Attribute

FOLDER = Path(__file__).parent
NOTHING = "-"
ELSEWHERE = ">"


@dataclass(frozen=True, slots=True, eq=False)  # each is read once, so that two are the same or differ
class Entry:
    """One word of the lists.

    word: as it is written. kind: "person", "kin", "title", "role", "group", "age" ... pos: "NOUN", "ADJ", "PROPN", "ADV".
    number: "sing", "plur" or "" where the word has none.
    counterparts: the word for each other attribute that has one. notes: how it must be read ("colour": "black" may be one).
    """

    word: str
    attribute: Attribute
    kind: str
    pos: str
    number: str
    counterparts: Mapping[str, str]
    notes: frozenset[str]


@lru_cache(maxsize=8)
def entries(axis: str | None = None) -> tuple[Entry, ...]:
    """All words of an axis, or of all axes, in the order of the lists."""
    if axis is None:
        return tuple(entry for name in AXES for entry in entries(name))
    lines = (FOLDER / f"{axis}.tsv").read_text(encoding="utf-8").splitlines()
    found: list[Entry] = []
    for line in lines:
        if line and not line.startswith("#"):
            found += _entries_of(line, axis)
    return tuple(found)


def readings(words: str) -> tuple[Entry, ...]:
    """What a word or phrase can be; nothing where it is not listed. Capitals do not count.

    >>> [(str(entry.attribute), entry.counterparts["man"]) for entry in readings("Aunt")]
    [('gender:woman', 'uncle')]
    """
    return _by_word().get(words.lower().replace("’", "'"), ())


@lru_cache(maxsize=1)
def longest_in_letters() -> int:
    """How long the longest entry is."""
    return max(len(entry.word) for entry in entries())


@lru_cache(maxsize=1)
def _by_word() -> dict[str, tuple[Entry, ...]]:
    found: dict[str, tuple[Entry, ...]] = {}
    for entry in entries():
        known = found.get(entry.word.lower(), ())
        if all((entry.attribute, entry.pos) != (other.attribute, other.pos) for other in known):
            found[entry.word.lower()] = (*known, entry)
    return found


def _entries_of(line: str, axis: str) -> list[Entry]:
    kind, pos, number, *cells, notes = line.split("\t")
    columns = {name: cell.split("|") for name, cell in zip(AXES[axis], cells, strict=True)}
    written = {
        name: words[0].removeprefix(ELSEWHERE) for name, words in columns.items() if words[0] != NOTHING
    }
    return [
        Entry(
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
