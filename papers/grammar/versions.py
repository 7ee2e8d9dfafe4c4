"""The same feature with less and less of the grammar (section 6, Tables 6 and 10): does it need the trees at all?

    grammar        the tree aligns "a man" with "a woman"
    n-gram pair    "a man" stands in the first text and "a woman" in the second, wherever
    second only    "a woman" stands in the second text

Where a subtree writes nothing on one side, the n-gram pair asks for the other side alone: "ε/to work" is "to work" in the second
text, "in the/ε" is "in the" in the first. A feature without words in the second text has no version of the second text only.
Each version has its supporting examples, which carry the feature's label, and its counter-examples, and where a classifier's
answers are given its accuracy on both: one that relies on the feature is right on the first and wrong on the second.
The label is the one of the grammar's feature in all three.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.errors import SettingError
from longway.grammars.forest import Forest
from longway.grammars.information import Composite, for_and_against
from longway.grammars.trees import sides
from longway.metrics.group_accuracy import PatternAccuracy, pattern_accuracy

Words = Sequence[str]
Phrase = tuple[str, ...]
Flags = NDArray[np.bool_]

GRAMMAR, NGRAM_PAIR, SECOND_ONLY = "grammar", "n-gram pair", "second only"


@dataclass(frozen=True, slots=True)
class FeatureVersion:
    """One version of a feature. supporting, counter: documents that have it, with its label and without.

    accuracy: of a classifier on both, None where no answers were given.
    """

    name: str
    supporting: tuple[int, ...]
    counter: tuple[int, ...]
    accuracy: PatternAccuracy | None


def compare_versions(
    feature: Composite,
    forest: Forest,
    texts: Sequence[tuple[Words, Words]],
    labels: NDArray[np.int64],
    *,
    correct: ArrayLike | None = None,
) -> list[FeatureVersion]:
    """The feature as the grammar sees it and in its simpler versions, on the documents of a forest.

    forest: of the documents to look at; where the feature was found in others, made `like` their forest.
    texts: the words of each document's two texts as the grammar knows them; the second empty for single texts, which have no version
    of the second text only. correct: for each document whether a classifier was right (or seeds x documents).
    """
    if not len(texts) == len(labels) == forest.n_documents:
        raise SettingError(
            f"'texts' and 'labels' must have one entry for each of {forest.n_documents} documents. "
            f"Got {len(texts)} and {len(labels)}. Give those of the documents that the forest was made of."
        )
    phrases = [sides(forest.subtrees.tree(number)) for number in feature.subtrees]
    present = {
        GRAMMAR: forest.has_any(feature.subtrees),
        NGRAM_PAIR: _has_phrases(phrases, texts),
    }
    seconds: list[tuple[Phrase, Phrase]] = [((), second) for _, second in phrases if second]
    if seconds:
        present[SECOND_ONLY] = _has_phrases(seconds, texts)
    return [_version(name, flags, labels, feature.label, correct) for name, flags in present.items()]


def _version(
    name: str, present: Flags, labels: NDArray[np.int64], label: int, correct: ArrayLike | None
) -> FeatureVersion:
    supporting, counter = (tuple(rows.tolist()) for rows in for_and_against(present, labels, label))
    accuracy = None if correct is None else pattern_accuracy(correct, present, labels == label)
    return FeatureVersion(name, supporting, counter, accuracy)


def _has_phrases(phrases: Sequence[tuple[Phrase, Phrase]], texts: Iterable[tuple[Words, Words]]) -> Flags:
    """Which documents have both phrases of any pair; an empty phrase is in every text."""
    partners: dict[Phrase, set[Phrase]] = {}  # by the phrase of the second text
    for first, second in phrases:
        partners.setdefault(second, set()).add(first)
    firsts = set().union(*partners.values())
    sizes = tuple({len(phrase) for phrase in wanted} for wanted in (firsts, partners))
    found = []
    for first_text, second_text in texts:
        here = _ngrams(first_text, sizes[0]) & firsts
        found.append(
            any(partners[second] & here for second in _ngrams(second_text, sizes[1]) if second in partners)
        )
    return np.array(found, dtype=bool)


def _ngrams(words: Words, sizes: set[int]) -> set[Phrase]:
    return {tuple(words[i : i + n]) for n in sizes for i in range(len(words) - n + 1)}
