"""The top words of several models: how much they overlap, and which parts of speech they are (CoBA, section 3.2).

models x texts x top words  ->  overlap()           Table 1: of how many texts the top 5 of all models share a word
models x texts x top words  ->  parts_of_speech()   Table 2: nouns, verbs, adjectives and adverbs, others; English only
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from longway.english.document import Document
from longway.english.pipeline import load_pipeline
from longway.models.importance.word_scores import WordScores

# Names are nouns, "is" and "has" are verbs, as in the paper's tag set.
GROUPS = {
    "noun": ("NOUN", "PROPN"),
    "verb": ("VERB", "AUX"),
    "adjective or adverb": ("ADJ", "ADV"),
    "other": (),
}
_GROUP_OF = {tag: group for group, tags in GROUPS.items() for tag in tags}


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much the top words of models have in common.

    every: share of texts with a word in the top k of all models.
    some: share of texts with a word in the top k of two or more models, but not of all.
    words: share of the top words, counted once per text, that two or more models have.
    pairs: for each pair of models, the mean Jaccard index of their top words.
    """

    k: int
    texts: int
    every: float
    some: float
    words: float
    pairs: dict[str, float]


def overlap(scores: Mapping[str, Sequence[WordScores]], *, k: int = 5) -> Overlap:
    """What the top k words of models have in common. scores: by model, two or more, of the same texts in the same order."""
    n_models = len(scores)
    top = {name: [set(text.top(k)) for text in of_model] for name, of_model in scores.items()}
    counts = [Counter(word for words in text for word in words) for text in zip(*top.values(), strict=True)]
    n_words = sum(map(len, counts))
    shared = sum(n >= 2 for count in counts for n in count.values())
    return Overlap(
        k,
        len(counts),
        every=_mean([n_models in count.values() for count in counts]),
        some=_mean([any(2 <= n < n_models for n in count.values()) for count in counts]),
        words=shared / n_words if n_words else 0.0,
        pairs={
            f"{a} + {b}": _mean(
                [len(one & two) / max(1, len(one | two)) for one, two in zip(top[a], top[b], strict=True)]
            )
            for a, b in combinations(top, 2)
        },
    )


def parts_of_speech(
    scores: Mapping[str, Sequence[WordScores]], texts: Sequence[str], *, k: int = 5
) -> dict[str, dict[str, float]]:
    """For each model, the share of each part of speech among its top k words. scores: by model, of these texts in this order."""
    documents = list(load_pipeline().analyse_all(texts))
    return {name: _shares(of_model, documents, k) for name, of_model in scores.items()}


def group_of(document: Document, span: tuple[int, int]) -> str:
    """The part of speech of the word that covers most of a span; the first on ties."""
    start, end = span
    best, group = 0, "other"
    for word in document.words:
        shared = min(word.end, end) - max(word.start, start)
        if shared > best:
            best, group = shared, _GROUP_OF.get(word.upos, "other")
    return group


def _shares(scores: Sequence[WordScores], documents: Sequence[Document], k: int) -> dict[str, float]:
    counts = Counter(
        group_of(document, text.spans[i])
        for text, document in zip(scores, documents, strict=True)
        for i in text.top_places(k)
    )
    total = sum(counts.values()) or 1
    return {group: counts[group] / total for group in GROUPS}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
