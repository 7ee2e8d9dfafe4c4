"""WordNet 3.0 in one small file, `wordnet.txt.gz`, made by `train/wordnet.py`. Its licence is `wordnet_license.txt`.

The file has ten blocks, divided by an empty line, of these lines:

    fields     "noun.communication": WordNet's groups
    synsets    "10|n|35710,22154 <tab> movie|26 <tab> film|38", numbered from 0: the number of its field, its part of speech,
               the numbers of the synsets above it and of the head adjectives it is similar to, "1" for a name; then its
               words, each with its count, sentence frames, position, antonyms (synset:word) and "1" if it is marked
    words      "film": the nouns, in order, without capitals; likewise in the other blocks the verbs, adjectives and adverbs
    entries    "35678,33871,18155|64" for each of these words: its synsets, most frequent first, and its count over all of them

Empty parts at the end of a list are left out. A line is taken apart when it is looked up.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PATH = Path(__file__).parent / "wordnet.txt.gz"
VERSION = "3.0"


@dataclass(frozen=True, slots=True)
class Member:
    """A word that has a sense.

    lemma: as written in a text, with spaces. count: its count with this sense in SemCor.
    frames: numbers of the sentence frames of a verb. position: "a" for an adjective used only before its noun, "p" only as a
    predicate, "ip" only directly after its noun, else "".
    antonyms: its opposites, each with the name of the opposite's sense.
    is_marked: WordNet marks it as slang, archaic, disparaging and so on.
    """

    lemma: str
    count: int
    frames: frozenset[int]
    position: str
    antonyms: tuple[tuple[str, str], ...]
    is_marked: bool


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning, with the words that share it.

    name: "movie.n.01". field: WordNet's group, "noun.communication".
    above: names of the senses one step more general. similar: names of the head adjectives it is similar to.
    is_name: an individual, such as a city.
    """

    name: str
    field: str
    members: tuple[Member, ...]
    above: tuple[str, ...]
    similar: tuple[str, ...]
    is_name: bool

    @property
    def is_verb(self) -> bool:
        """True for a sense of verbs."""
        return self.field.startswith("verb.")

    def has_capitals(self, lemma: str) -> bool:
        """True if the word is capitalised in this sense: "SUV"."""
        member = self.member(lemma)
        return member is not None and not member.lemma.islower()

    def member(self, lemma: str) -> Member | None:
        """The entry of a word in this sense, or None."""
        return next((m for m in self.members if m.lemma.lower() == lemma), None)


@dataclass(frozen=True, slots=True)
class WordnetFile:
    """The lines of the file. entries: by part of speech ("n", "v", "a", "r") and word."""

    fields: list[str]
    synsets: list[str]
    entries: dict[str, dict[str, str]]

    def senses(self, word: str, pos: str) -> list[Sense]:
        """The senses of a word in WordNet's order."""
        return [self._sense(number) for number in self._numbers(word, pos)]

    def sense(self, name: str) -> Sense:
        """A sense by its name: "movie.n.01". Raises IndexError if there is none."""
        lemma, pos, rank = name.rsplit(".", 2)
        return self._sense(self._ranked(lemma.replace("_", " "), pos)[int(rank) - 1])

    def total(self, word: str, pos: str) -> int:
        """The count of a word over all its senses."""
        return int(self.entries[pos].get(word, "").partition("|")[2] or 0)

    def has(self, word: str) -> bool:
        """True if the word has a sense as any part of speech."""
        return any(self._numbers(word, pos) for pos in self.entries)

    def _numbers(self, word: str, pos: str) -> list[int]:
        return _numbers(self.entries[pos].get(word, ""))

    def _sense(self, number: int) -> Sense:
        head, *members = self.synsets[number].split("\t")
        field, _pos, above, similar, is_name = _parts(head, 5)
        return Sense(
            name=self._name(number),
            field=self.fields[int(field)],
            members=tuple(map(self._member, members)),
            above=tuple(sorted(map(self._name, _numbers(above)))),
            similar=tuple(map(self._name, _numbers(similar))),
            is_name=bool(is_name),
        )

    def _member(self, line: str) -> Member:
        lemma, count, frames, position, antonyms, is_marked = _parts(line, 6)
        return Member(
            lemma=lemma,
            count=int(count or 0),
            frames=frozenset(_numbers(frames)),
            position=position,
            antonyms=tuple(map(self._antonym, antonyms.split(","))) if antonyms else (),
            is_marked=bool(is_marked),
        )

    def _antonym(self, place: str) -> tuple[str, str]:
        synset, word = map(int, place.split(":"))
        lemma = self.synsets[synset].split("\t")[word + 1].partition("|")[0]
        return lemma, self._name(synset)

    def _name(self, number: int) -> str:
        """The first word of a synset, its part of speech, and which of the senses of that word it is."""
        head, first = self.synsets[number].split("\t", 2)[:2]
        pos = head.split("|")[1]
        lemma = first.partition("|")[0].lower()
        rank = self._ranked(lemma, pos).index(number) + 1
        return f"{lemma.replace(' ', '_')}.{pos}.{rank:02d}"

    def _ranked(self, word: str, pos: str) -> list[int]:
        """The synsets of a word, as names count them: for "s", only the adjectives that are similar to a head."""
        if pos != "s":
            return self._numbers(word, pos)
        return [n for n in self._numbers(word, "a") if "|s" in self.synsets[n].partition("\t")[0]]


@lru_cache(maxsize=1)
def wordnet_file() -> WordnetFile:
    """Read the file, once."""
    text = gzip.decompress(PATH.read_bytes()).decode()
    fields, synsets, *blocks = (block.split("\n") for block in text.split("\n\n"))
    entries = zip("nvar", zip(blocks[::2], blocks[1::2], strict=True), strict=True)
    return WordnetFile(fields, synsets, {pos: dict(zip(*pair, strict=True)) for pos, pair in entries})


def _numbers(listed: str) -> list[int]:
    """The numbers of a list, up to the next part of its line."""
    listed = listed.partition("|")[0]
    return [int(number) for number in listed.split(",")] if listed else []


def _parts(line: str, n: int) -> list[str]:
    """The n parts of a line; those that were left out are empty."""
    parts = line.split("|")
    return parts + [""] * (n - len(parts))
