"""WordNet: the senses of a word, their frequencies and related words.

    senses("film", "NOUN")                     its senses, most frequent first: movie.n.01, film.n.02 ...
    shares("film", "NOUN")                     the share of uses of each sense: 0.59, 0.25 ...
    related_words("film", "NOUN", "synonym")   synonyms or antonyms
    word_lists()                               our own corrections (`wordnet_words.txt`)

Words are looked up as they are: "found" does not give the senses of "find". Counts are those of the sense-tagged SemCor corpus
(about 230,000 words), as shipped with WordNet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from longway.english.wordnet_file import Member, Sense, wordnet_file

POS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}


@lru_cache(maxsize=50_000)
def senses(lemma: str, upos: str) -> tuple[Sense, ...]:
    """The senses of a lemma, most frequent first; empty if WordNet does not have the word."""
    if upos not in POS:
        return ()
    return tuple(wordnet_file().senses(lemma.lower(), POS[upos]))


@lru_cache(maxsize=50_000)
def sense(name: str) -> Sense:
    """Return a sense by its name."""
    return wordnet_file().sense(name)


def is_expression(words: str) -> bool:
    """True if WordNet has these words, in this form, as one entry of any part of speech."""
    return " " in words and wordnet_file().has(words)


@lru_cache(maxsize=100_000)
def shares(lemma: str, upos: str) -> tuple[float, ...]:
    """The share of uses of each sense of a word; they add up to 1.

    The weight of a sense is its count in SemCor plus 1, 1/2, 1/3 ... in WordNet's order, which is the only evidence for rare
    words.
    """
    members = [sense.member(lemma.lower()) for sense in senses(lemma, upos)]
    weights = [(m.count if m else 0) + 1 / rank for rank, m in enumerate(members, start=1)]
    return tuple(weight / sum(weights) for weight in weights)


def frequency(lemma: str, upos: str) -> int:
    """How often a word occurs in SemCor as this part of speech."""
    return wordnet_file().total(lemma.lower(), POS[upos]) if upos in POS else 0


PARTS = ("NOUN", "VERB", "ADJ", "ADV")
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
        kept={upos: _split_words(sections[f"keep {upos}"]) for upos in PARTS},
        never={upos: _split_words(sections[f"never {upos}"]) for upos in PARTS},
        right=_read_relations("good", sections),
        wrong=_read_relations("not", sections),
        mass=_split_words(sections["mass"]),
    )


def _split_words(lines: list[str]) -> Words:
    return frozenset(word.replace("_", " ") for line in lines for word in line.split())


def _read_relations(kind: str, sections: dict[str, list[str]]) -> dict[tuple[str, str, str], Words]:
    relations = {}
    for relation in ("synonym", "antonym"):
        for upos in PARTS:
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
    antonyms = _indirect_antonyms if indirect else _antonyms
    related = _synonyms if relation == "synonym" else antonyms
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
