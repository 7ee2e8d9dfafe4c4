"""Fields of words: groups of words that are similar by the encoder ("guitar, song, concert"), such that a text can mention a topic that it is not about.

The vector of a text shows its main subject. A film review with a soldier in it is close to other reviews, and no cluster of texts has all reviews with
soldiers, officers and battles. So the words of all texts are clustered at several sizes. No row and no label enters: only which words there are. A text has
a field if one of its words belongs to it; of a text of more than 100 tokens, one of each 100, so that a field does not measure the length of long texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from longway.arrays import Floats32
from longway.detect.concepts.vectors import TextVectors, unit_rows
from longway.text.tokenizer import is_word

SIZES = (50, 100, 200)  # fields
FEWEST_OF_ONE = 10  # words per field, on average
CLOSE = 0.5  # cosine of a word to the centre of its field, at least
FEWEST_ROWS, MOST_SHARE = 3, 0.03  # rows with a word
MOST_WORDS = 6_000  # the most frequent
PER_WORDS = 100  # words of a text for each that must belong to a field

Field = tuple[str, ...]


def word_fields(
    n_rows_with: Mapping[str, int], n_rows: int, by: TextVectors, *, seed: int = 0
) -> Iterator[tuple[str, Field]]:
    """The name of each source with a field of it, its most central and frequent words first. n_rows_with: of the n_rows, those with a word."""
    from sklearn.cluster import KMeans  # takes a second to import

    words = _used(n_rows_with, n_rows)
    if len(words) < SIZES[0] * FEWEST_OF_ONE:
        return
    vectors = by.of(words)
    units = unit_rows(vectors - vectors.mean(axis=0))
    frequent = np.array([n_rows_with[word] for word in words])
    seen: set[Field] = set()
    for size in SIZES:
        if size * FEWEST_OF_ONE > len(words):
            return
        model = KMeans(size, n_init=1, random_state=seed).fit(units)
        centres = unit_rows(model.cluster_centers_)
        fit = np.einsum("ij,ij->i", units, centres[model.labels_])
        order = np.argsort(-fit * np.log1p(frequent), kind="stable")
        order = order[fit[order] >= CLOSE]
        for number in range(size):
            field = tuple(words[i] for i in order[model.labels_[order] == number].tolist())
            if field and field not in seen:
                seen.add(field)
                yield f"words of {size}", field


def shares(tokens: Sequence[Sequence[str]], fields: Sequence[Field]) -> Floats32:
    """(n, fields): the share of each text's words that belong to a field, of at least PER_WORDS words.

    >>> shares([["a", "dog", "and", "a", "cat"], []], [("dog", "cat"), ("sea",)]).tolist()
    [[0.019999999552965164, 0.0], [0.0, 0.0]]
    """
    belongs: dict[str, list[int]] = {}
    for number, field in enumerate(fields):
        for word in field:
            belongs.setdefault(word, []).append(number)
    found = np.zeros((len(tokens), len(fields)), np.float32)
    for row, text in enumerate(tokens):
        for token in text:
            for number in belongs.get(token, ()):
                found[row, number] += 1
    lengths = np.array([max(len(text), PER_WORDS) for text in tokens], np.float32)
    return np.asarray(found / lengths[:, None], np.float32)


def _used(n_rows_with: Mapping[str, int], n_rows: int) -> list[str]:
    """The words that are neither too rare nor too common, the most frequent first."""
    most = MOST_SHARE * n_rows
    words = [
        word
        for word, n in n_rows_with.items()
        if FEWEST_ROWS <= n <= most and len(word) > 1 and is_word(word) and not any(map(str.isdigit, word))
    ]
    return sorted(words, key=lambda word: (-n_rows_with[word], word))[:MOST_WORDS]
