"""The words that a grammar of pairs writes for a word, and those it adds: the material of contrast examples.

    leaves of the training trees      the label they      used as
                                      predict
    man/person, dog/animal            entailment          hypernyms      if the second is more general in WordNet
    white/black, small/large          contradiction       opposites      if they are opposites in WordNet, or both are colours;
                                                                         in both directions
    ε/tall, ε/sad                     neutral             added words    whether it is an adjective depends on the sentence

The most predictive come first. A leaf counts once per pair of texts, whichever symbol wrote it. Relations that WordNet lacks are listed
here: a human is a person, and a boy is a child.

The training texts also determine which words go together. An adjective is put before a noun that it precedes in some of them ("tall
man"), or, for things, before a noun of a kind that it precedes in them ("white mug" because of "white cup" and "white boat").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from longway.english.inflection import MASS_NOUNS, inflect, lemmas
from longway.english.wordnet import frequency, related_words, sense, senses, shares
from longway.grammars.information import strongest_label
from longway.grammars.trees import Tree, leaves, sides
from longway.grammars.vocabulary import UNKNOWN
from longway.stats import mutual_information
from longway.task import Stance

AT_LEAST = 3  # pairs with a leaf, and texts with two adjacent words
MAX_STEPS_UP = 7  # steps in WordNet from a word to a more general one
OF_A_KIND = 5  # different nouns of a kind that an adjective must precede
MIN_FIT = 0.5  # the share of a word's uses in which the other one is more general

_ALSO_ABOVE = {
    "person": ("human",), "boy": ("child", "kid"), "girl": ("child", "kid"), "baby": ("child",), "toddler": ("child", "kid"),
    "kid": ("child",),
}  # fmt: skip
# "a someone", "a clothing"
_NO_NOUN = frozenset({"someone", "somebody", "individual", "group", "soul"}) | MASS_NOUNS
_COLOURED = ("chromatic.a.03", "achromatic.a.01")
_BLACK_AND_WHITE = ("black.a.01", "white.a.01")

Table = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class GrammarWords:
    """The words of a grammar.

    hypernyms, opposites: for a word of the first text, its replacements in the second. added: words that only the second has.
    side_by_side: two words that are adjacent in enough texts. before_kinds: a word, and a kind of noun (WordNet's field) that
    follows it.
    """

    hypernyms: Table
    opposites: Table
    added: tuple[str, ...]
    side_by_side: frozenset[tuple[str, str]]
    before_kinds: frozenset[tuple[str, str]]

    @classmethod
    def learn(
        cls,
        trees: Sequence[Tree],
        labels: Sequence[str],
        stances: Mapping[str, Stance],
        *,
        at_least: int = AT_LEAST,
    ) -> GrammarWords:
        """The words of training trees.

        stances: the stance of each label (`task.task_of`); words of other labels are skipped. at_least: pairs that must have a leaf.
        """
        names = sorted(set(labels))
        found: dict[Stance, list[tuple[str, str]]] = {stance: [] for stance in stances.values()}
        for words, number in _predictive_leaves(trees, [names.index(label) for label in labels], at_least):
            if (stance := stances.get(names[number])) is not None:
                found[stance].append(words)
        added = [second for first, second in found.get("neutral", []) if not first]
        replaced = found.get("contradicts", [])
        opposites = _table([*replaced, *((second, first) for first, second in replaced)], is_opposite)
        counts = Counter(two for tree in trees for words in sides(tree) for two in set(pairwise(words)))
        often = frozenset(two for two, n in counts.items() if n >= at_least)
        wanted = {word for words in opposites.values() for word in words}
        kinds = Counter((first, kind_of(second)) for first, second in counts if first in wanted)
        before = frozenset(two for two, n in kinds.items() if n >= OF_A_KIND)
        return cls(_table(found.get("entails", []), is_hypernym), opposites, tuple(added), often, before)


def is_hypernym(word: str, other: str) -> bool:
    """Whether another noun is more general, in the same number, in most uses of the word.

    >>> is_hypernym("dogs", "animals"), is_hypernym("dogs", "animal"), is_hypernym("person", "man")
    (True, False, False)
    """
    for tag in ("NN", "NNS"):
        for lemma in noun_lemmas(word):
            for general in noun_lemmas(other):
                same_number = inflect(lemma, tag) == word and inflect(general, tag) == other
                if same_number and lemma != general and general not in _NO_NOUN and is_above(lemma, general):
                    return True
    return False


def is_above(lemma: str, general: str) -> bool:
    """Whether one dictionary form is more general than another in most of its uses."""
    fit = 0.0
    for one, share in zip(senses(lemma, "NOUN"), shares(lemma, "NOUN"), strict=True):
        level = {one.name}
        for _ in range(MAX_STEPS_UP):
            level = {name for below in level for name in sense(below).above}
            if any(sense(name).member(general) for name in level):
                fit += share
                break
    if fit >= MIN_FIT or general in _ALSO_ABOVE.get(lemma, ()):
        return True
    return any(general in more and is_above(lemma, between) for between, more in _ALSO_ABOVE.items())


def is_opposite(word: str, other: str) -> bool:
    """Whether two adjectives exclude each other: opposites in WordNet, or two colours.

    >>> is_opposite("small", "big"), is_opposite("red", "blue"), is_opposite("old", "tall")
    (True, True, False)
    """
    if word == other or not (_is_adjective(word) and _is_adjective(other)):
        return False
    opposites = related_words(word, "ADJ", "antonym", indirect=True)
    return any(one.sense.member(other) for one in opposites) or (is_colour(word) and is_colour(other))


def kind_of(noun: str) -> str:
    """WordNet's field of a noun in its most frequent sense, "" if it has none.

    >>> kind_of("cups"), kind_of("teacher"), kind_of("people")
    ('noun.artifact', 'noun.person', 'noun.person')
    """
    for one in senses(noun_lemmas(noun)[0], "NOUN"):
        # "person", like the top of each field, is itself in a field of tops: person.n.01
        return f"noun.{one.name.partition('.')[0]}" if one.field == "noun.Tops" else one.field
    return ""


def may_be_person(noun: str) -> bool:
    """Whether a noun often means a person.

    >>> may_be_person("female"), may_be_person("people"), may_be_person("dog")
    (True, True, False)
    """
    lemma = noun_lemmas(noun)[0]
    weighed = zip(senses(lemma, "NOUN"), shares(lemma, "NOUN"), strict=True)
    return lemma == "person" or any(one.field == "noun.person" and share > 0.1 for one, share in weighed)


def noun_lemmas(noun: str) -> tuple[str, ...]:
    """The possible lemmas of a noun, at least itself; that of "people" is "person"."""
    return ("person",) if noun == "people" else lemmas(noun, "NOUN") or (noun,)


def _is_adjective(word: str) -> bool:
    """Whether it is mostly an adjective; "outside" and "up" are more often adverbs of place."""
    return frequency(word, "ADJ") >= frequency(word, "ADV")


def is_colour(word: str) -> bool:
    """Whether an adjective is the name of a colour.

    >>> is_colour("brown"), is_colour("old")
    (True, False)
    """
    main = senses(word, "ADJ")[:1]
    return any(one.name in _BLACK_AND_WHITE or bool(set(one.similar) & set(_COLOURED)) for one in main)


def _predictive_leaves(
    trees: Sequence[Tree], labels: list[int], at_least: int
) -> Iterable[tuple[tuple[str, str], int]]:
    """The words of leaves that add something to the second text, with the label they predict, most predictive first."""
    n_labels = max(labels, default=0) + 1
    counts: dict[tuple[str, str], list[int]] = {}
    for tree, label in zip(trees, labels, strict=True):
        for words in {leaf.words for leaf in leaves(tree)}:
            if words[1] and words[0] != words[1] and UNKNOWN not in words:
                counts.setdefault(words, [0] * n_labels)[label] += 1
    kept = {words: its for words, its in counts.items() if sum(its) >= at_least}
    if not kept:
        return []
    table = np.array(list(kept.values()))
    totals = np.bincount(labels, minlength=n_labels)
    information = mutual_information(table, totals)
    ordered = sorted(zip(-information, kept, strongest_label(table, totals).tolist(), strict=True))
    return [(words, label) for _, words, label in ordered]


def _table(pairs: Iterable[tuple[str, str]], holds: Callable[[str, str], bool]) -> Table:
    found: dict[str, dict[str, None]] = {}
    for first, second in pairs:
        if first.isalpha() and second.isalpha() and holds(first, second):
            found.setdefault(first, {})[second] = None
    return {first: tuple(seconds) for first, seconds in found.items()}
