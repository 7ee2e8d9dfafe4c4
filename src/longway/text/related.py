"""Words that WordNet relates to a word: its synonyms, its antonyms, and more general words; no sentence needed.

    related("film", "NOUN", "synonym")     every candidate with its sense, its fit and its back
    candidates(...)                        the same for senses that are already weighed, as a sentence weighs them

A word has several senses, and WordNet's relations belong to one of them. Two shares say how safe a candidate is:

    fit     how often the word has a sense in which the candidate would do
    back    how often the candidate has that sense itself

More general words are only those that `wordnet_words.txt` lists: WordNet goes from "dog" over "canine" and "carnivore"
to "entity", and few of the steps are what one would say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from longway.text.word_lists import HIGHEST, word_lists
from longway.text.wordnet import Member, Sense, sense, senses, shares

Relation = Literal["synonym", "antonym", "hypernym"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that is related to another one.

    sense: the sense it has then, the nearest one where there are several; meant: the names of all of them.
    steps: how far up a more general word is. fit: see the module.
    """

    lemma: str
    upos: str
    sense: Sense
    meant: frozenset[str]
    steps: int
    fit: float

    @property
    def back(self) -> float:
        """How often the word has one of the senses meant, as a share of its uses."""
        weighed = zip(senses(self.lemma, self.upos), shares(self.lemma, self.upos), strict=True)
        return sum(share for one, share in weighed if one.name in self.meant)


Step = tuple[str, Sense, int]  # a word, the sense it would have, steps up
Fits = Callable[[Member], bool]  # whether a word's grammar, in one sense, goes with a place in a sentence


def related(lemma: str, upos: str, relation: Relation, *, indirect: bool = False) -> list[Candidate]:
    """All words that WordNet relates to a dictionary form, the safest first.

    indirect: for antonyms, also those of the adjectives that an adjective is like.
    """
    weighed = zip(senses(lemma, upos), shares(lemma, upos), strict=True)
    return sorted(candidates(lemma, upos, relation, weighed, indirect=indirect), key=_order)


def candidates(
    lemma: str,
    upos: str,
    relation: Relation,
    weighed: Iterable[tuple[Sense, float]],
    *,
    fits: Fits = lambda _: True,
    indirect: bool = False,
) -> Iterator[Candidate]:
    """The related words of senses that have a weight each; only those whose grammar fits."""
    find = {
        "synonym": _synonyms,
        "antonym": _indirect_antonyms if indirect else _antonyms,
        "hypernym": _hypernyms,
    }
    found: dict[str, list[tuple[int, Sense]]] = defaultdict(list)
    fit: dict[str, float] = defaultdict(float)
    for one, weight in weighed:
        steps = [step for step in find[relation](lemma.lower(), one) if _fits(step, fits)]
        for other, its_sense, n in steps:
            found[other].append((n, its_sense))
        for other in {other for other, _, _ in steps}:
            fit[other] += weight
    for other, its_senses in found.items():
        n, nearest = min(its_senses, key=lambda pair: pair[0])
        yield Candidate(other, upos, nearest, frozenset(s.name for _, s in its_senses), n, fit[other])


def _order(candidate: Candidate) -> tuple[int, float, str]:
    return candidate.steps, -candidate.fit * candidate.back, candidate.lemma


def _synonyms(lemma: str, one: Sense) -> Iterator[Step]:
    for member in one.members:
        if member.lemma.lower() != lemma and not _is_order_lost(member.lemma, one):
            yield member.lemma, one, 0


def _antonyms(lemma: str, one: Sense) -> Iterator[Step]:
    member = one.member(lemma)
    for other, name in member.antonyms if member else ():
        if not _is_order_lost(other, one):
            yield other, sense(name), 0


def _indirect_antonyms(lemma: str, one: Sense) -> Iterator[Step]:
    yield from _antonyms(lemma, one)
    for head in map(sense, one.similar):
        for member in head.members:
            yield from _antonyms(member.lemma.lower(), head)


def _hypernyms(lemma: str, one: Sense) -> Iterator[Step]:
    """The words of our list for the nearest sense above that has some."""
    general, upos = word_lists().general, "VERB" if one.is_verb else "NOUN"
    level = {one.name}
    for steps in range(1, HIGHEST + 1):
        level = {name for below in level for name in sense(below).above}
        listed = [(name, *general[upos, name]) for name in sorted(level) if (upos, name) in general]
        found = [
            (w, name) for name, words, most in listed if steps <= most for w in sorted(words) if w != lemma
        ]
        if found:
            yield from ((word, sense(name), steps) for word, name in found)
            return


def _is_order_lost(lemma: str, one: Sense) -> bool:
    """True for verbs of several words: "look it up" has another order than "seek it"."""
    return one.is_verb and " " in lemma


def _fits(step: Step, fits: Fits) -> bool:
    lemma, one, _ = step
    member = one.member(lemma.lower())
    return member is None or fits(
        member
    )  # None: a word of our own list, "container" for what WordNet calls a vessel
