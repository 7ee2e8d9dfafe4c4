"""WordNet: the senses of a word, their frequencies and related words.

    senses("film", "NOUN")                     its senses, most frequent first: movie.n.01, film.n.02 ...
    shares("film", "NOUN")                     the share of uses of each sense: 0.59, 0.25 ...
    related_words("film", "NOUN", "synonym")   synonyms or antonyms
    word_lists()                               our own corrections (`wordnet_words.txt`)

Words are looked up as they are: "found" does not give the senses of "find". Counts are those of the sense-tagged SemCor corpus
(about 230,000 words), as shipped with WordNet.

WordNet 3.0 is in one small file, `wordnet.txt.gz`, made by `train/wordnet.py`; its licence is `wordnet_license.txt`. The file has
ten blocks, divided by an empty line, of these lines:

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
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

PATH = Path(__file__).parent / "wordnet.txt.gz"
VERSION = "3.0"
POS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}


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


class WordnetFile(NamedTuple):
    """The lines of the file. entries: by part of speech ("n", "v", "a", "r") and word."""

    fields: list[str]
    synsets: list[str]
    entries: dict[str, dict[str, str]]


@lru_cache(maxsize=1)
def wordnet_file() -> WordnetFile:
    """Read the file, once."""
    text = gzip.decompress(PATH.read_bytes()).decode()
    fields, synsets, *blocks = (block.split("\n") for block in text.split("\n\n"))
    entries = zip("nvar", zip(blocks[::2], blocks[1::2], strict=True), strict=True)
    return WordnetFile(fields, synsets, {pos: dict(zip(*pair, strict=True)) for pos, pair in entries})


@lru_cache(maxsize=50_000)
def senses(lemma: str, upos: str) -> tuple[Sense, ...]:
    """The senses of a lemma, most frequent first; empty if WordNet does not have the word."""
    return tuple(map(_sense, _numbers(_entry(lemma.lower(), POS.get(upos, "")))))


@lru_cache(maxsize=50_000)
def sense(name: str) -> Sense:
    """A sense by its name: "movie.n.01". Raises IndexError if there is none."""
    lemma, pos, rank = name.rsplit(".", 2)
    return _sense(_ranked(lemma.replace("_", " "), pos)[int(rank) - 1])


def is_expression(words: str) -> bool:
    """True if WordNet has these words, in this form, as one entry of any part of speech."""
    return " " in words and any(_numbers(_entry(words, pos)) for pos in POS.values())


def frequency(lemma: str, upos: str) -> int:
    """How often a word occurs in SemCor as this part of speech."""
    return int(_entry(lemma.lower(), POS.get(upos, "")).partition("|")[2] or 0)


def _entry(word: str, pos: str) -> str:
    return wordnet_file().entries.get(pos, {}).get(word, "")


def _sense(number: int) -> Sense:
    head, *members = wordnet_file().synsets[number].split("\t")
    field, _pos, above, similar, is_name = _parts(head, 5)
    return Sense(
        name=_name(number),
        field=wordnet_file().fields[int(field)],
        members=tuple(map(_member, members)),
        above=tuple(sorted(map(_name, _numbers(above)))),
        similar=tuple(map(_name, _numbers(similar))),
        is_name=bool(is_name),
    )


def _member(line: str) -> Member:
    lemma, count, frames, position, antonyms, is_marked = _parts(line, 6)
    return Member(
        lemma=lemma,
        count=int(count or 0),
        frames=frozenset(_numbers(frames)),
        position=position,
        antonyms=tuple(map(_antonym, antonyms.split(","))) if antonyms else (),
        is_marked=bool(is_marked),
    )


def _antonym(place: str) -> tuple[str, str]:
    synset, word = map(int, place.split(":"))
    lemma = wordnet_file().synsets[synset].split("\t")[word + 1].partition("|")[0]
    return lemma, _name(synset)


def _name(number: int) -> str:
    """The first word of a synset, its part of speech, and which of the senses of that word it is."""
    head, first = wordnet_file().synsets[number].split("\t", 2)[:2]
    pos = head.split("|")[1]
    lemma = first.partition("|")[0].lower()
    rank = _ranked(lemma, pos).index(number) + 1
    return f"{lemma.replace(' ', '_')}.{pos}.{rank:02d}"


def _ranked(word: str, pos: str) -> list[int]:
    """The synsets of a word, as names count them: for "s", only the adjectives that are similar to a head."""
    if pos != "s":
        return _numbers(_entry(word, pos))
    synsets = wordnet_file().synsets
    return [n for n in _numbers(_entry(word, "a")) if "|s" in synsets[n].partition("\t")[0]]


def _numbers(listed: str) -> list[int]:
    """The numbers of a list, up to the next part of its line."""
    listed = listed.partition("|")[0]
    return [int(number) for number in listed.split(",")] if listed else []


def _parts(line: str, n: int) -> list[str]:
    """The n parts of a line; those that were left out are empty."""
    parts = line.split("|")
    return parts + [""] * (n - len(parts))


@lru_cache(maxsize=100_000)
def shares(lemma: str, upos: str) -> tuple[float, ...]:
    """The share of uses of each sense of a word; they add up to 1.

    The weight of a sense is its count in SemCor plus 1, 1/2, 1/3 ... in WordNet's order, which is the only evidence for rare
    words.
    """
    members = [sense.member(lemma.lower()) for sense in senses(lemma, upos)]
    weights = [(m.count if m else 0) + 1 / rank for rank, m in enumerate(members, start=1)]
    return tuple(weight / sum(weights) for weight in weights)


WORD_LISTS_PATH = Path(__file__).parent / "wordnet_words.txt"

Words = frozenset[str]


@dataclass(frozen=True)
class WordLists:
    """The contents of `wordnet_words.txt`. Parts of speech are NOUN, VERB, ADJ, ADV.

    WordNet's counts come from texts of the 1960s and do not cover tone or countability. These lists do,
    for words that are common in reviews, claims and descriptions.

    expressions: fixed expressions that WordNet lacks. kept: words that are never replaced. never: words that never replace another.
    right: (relation, part of speech, word) -> words that are right whatever the counts.
    wrong: (relation, part of speech, word) -> words that are wrong; "*" means all.
    mass: uncountable nouns ("food").
    """

    expressions: Words
    kept: dict[str, Words]
    never: dict[str, Words]
    right: dict[tuple[str, str, str], Words]
    wrong: dict[tuple[str, str, str], Words]
    mass: Words

    def is_right(self, relation: str, upos: str, word: str, other: str) -> bool:
        """True if `other` is listed as right for `word` in this relation.

        >>> word_lists().is_right("synonym", "ADJ", "funny", "amusing")
        True
        """
        return other in self.right.get((relation, upos, word), frozenset())

    def is_wrong(self, relation: str, upos: str, word: str, other: str) -> bool:
        """True if `other` is listed as wrong for `word` in this relation.

        >>> word_lists().is_wrong("synonym", "NOUN", "rock", "stone")
        True
        """
        wrong = self.wrong.get((relation, upos, word), frozenset())
        return other in wrong or "*" in wrong or other in self.never[upos]


@lru_cache(maxsize=1)
def word_lists() -> WordLists:
    """Read the lists once."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in WORD_LISTS_PATH.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return WordLists(
        expressions=frozenset(
            e.strip() for line in sections["expressions"] for e in line.split(";") if e.strip()
        ),
        kept={upos: _split_words(sections[f"keep {upos}"]) for upos in POS},
        never={upos: _split_words(sections[f"never {upos}"]) for upos in POS},
        right=_read_relations("good", sections),
        wrong=_read_relations("not", sections),
        mass=_split_words(sections["mass"]),
    )


def _split_words(lines: list[str]) -> Words:
    return frozenset(word.replace("_", " ") for line in lines for word in line.split())


def _read_relations(kind: str, sections: dict[str, list[str]]) -> dict[tuple[str, str, str], Words]:
    relations = {}
    for relation in ("synonym", "antonym"):
        for upos in POS:
            for line in sections.get(f"{kind} {relation} {upos}", []):
                word, others = line.split(":")
                relations[relation, upos, word] = frozenset(other.strip() for other in others.split(","))
            if kind == "not":
                none = _split_words(sections.get(f"none {relation} {upos}", []))
                relations |= {(relation, upos, word): frozenset("*") for word in none}
    return relations


Relation = Literal["synonym", "antonym"]


@dataclass(frozen=True, slots=True)
class RelatedWord:
    """A word that WordNet relates to another word.

    sense: the first of its senses then. meant: the names of all of them.
    fit: share of the original word's uses in which the related word is right.
    """

    lemma: str
    upos: str
    sense: Sense
    meant: frozenset[str]
    fit: float

    @property
    def back(self) -> float:
        """The share of the related word's uses that have one of the senses in `meant`."""
        weighed = zip(senses(self.lemma, self.upos), shares(self.lemma, self.upos), strict=True)
        return sum(share for sense, share in weighed if sense.name in self.meant)


Step = tuple[str, Sense]  # a word and the sense it would have
Fits = Callable[[Member], bool]  # whether a word's grammar, in one sense, goes with a place in a sentence


def related_words(lemma: str, upos: str, relation: Relation, *, indirect: bool = False) -> list[RelatedWord]:
    """All words that WordNet relates to a lemma, safest first.

    indirect: include the antonyms of similar adjectives ("gigantic" -> "little").
    """
    weighed = zip(senses(lemma, upos), shares(lemma, upos), strict=True)
    related = related_in_senses(lemma, upos, relation, weighed, indirect=indirect)
    return sorted(related, key=lambda word: (-word.fit * word.back, word.lemma))


def related_in_senses(
    lemma: str,
    upos: str,
    relation: Relation,
    weighed: Iterable[tuple[Sense, float]],
    *,
    fits: Fits = lambda _: True,
    indirect: bool = False,
) -> Iterator[RelatedWord]:
    """The related words for weighted senses, as far as their grammar fits."""
    related = _synonyms if relation == "synonym" else _indirect_antonyms if indirect else _antonyms
    senses_of: dict[str, list[Sense]] = defaultdict(list)
    fit: dict[str, float] = defaultdict(float)
    for own, weight in weighed:
        steps = [(other, new) for other, new in related(lemma.lower(), own) if _fits(other, new, fits)]
        for other, new in steps:
            senses_of[other].append(new)
        for other in {other for other, _ in steps}:
            fit[other] += weight
    for other, new_senses in senses_of.items():
        yield RelatedWord(other, upos, new_senses[0], frozenset(s.name for s in new_senses), fit[other])


def _synonyms(lemma: str, own: Sense) -> Iterator[Step]:
    for member in own.members:
        if member.lemma.lower() != lemma and not _is_order_lost(member.lemma, own):
            yield member.lemma, own


def _antonyms(lemma: str, own: Sense) -> Iterator[Step]:
    member = own.member(lemma)
    for other, name in member.antonyms if member else ():
        if not _is_order_lost(other, own):
            yield other, sense(name)


def _indirect_antonyms(lemma: str, own: Sense) -> Iterator[Step]:
    yield from _antonyms(lemma, own)
    for head in map(sense, own.similar):
        for member in head.members:
            yield from _antonyms(member.lemma.lower(), head)


def _is_order_lost(lemma: str, own: Sense) -> bool:
    """True for verbs of several words: "look it up" has another word order than "seek it"."""
    return own.is_verb and " " in lemma


def _fits(lemma: str, new: Sense, fits: Fits) -> bool:
    member = new.member(lemma.lower())
    return member is None or fits(member)
