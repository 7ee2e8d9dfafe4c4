"""Sets of words that are enough for a model's wrong answer, and come again and again: shortcuts by RAZOR's Definition 1.

    wrong answers  ->  `classify.sufficient`: a smallest set for each  ->  those that recur  ->  counted over the whole dataset

A finding of level "sufficient" says in how many examples all words of the set stand, wherever in the text, and how their labels
are shared out. The sets were found by way of a model of the same data, so that q is taken over them and all single words together:
the doubt is that of a search through the vocabulary, not of a few lucky picks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import csr_matrix

from longway.classify.sufficient import Sufficient
from longway.detect.features import Detector, Features, Ints, Pattern, columns_of, enough, tagged, zeros
from longway.detect.findings import Chosen, search
from longway.detect.reading import TEXT, Piece, Reading
from longway.detect.token import TokenDetector

MIN_ROWS = 2  # wrong answers that a set must be enough for


class SufficientDetector:
    """Does the text contain all these words?"""

    level = "sufficient"

    def __init__(self, reading: Reading, role: str, sets: Sequence[tuple[str, ...]]) -> None:
        self.role, self.field = role, reading.columns[role]
        self.sets = sets
        codes = reading.vocabulary.codes
        self._codes = [np.array([codes[word] for word in words if word in codes], np.int64) for words in sets]
        self._known = np.array(
            [len(found) == len(words) for found, words in zip(self._codes, sets, strict=True)]
        )

    def count(self, reading: Reading) -> Features:
        """How often each set stands with each label."""
        every, n_labels = np.arange(len(self.sets)), reading.n_labels

        def add(counts: Ints, piece: Piece) -> None:
            present = self.matrix(piece, every)
            for label in range(n_labels):
                counts[:, label] += np.asarray(present[piece.labels == label].sum(axis=0), np.int64).ravel()

        counts = reading.total(zeros(len(self.sets), n_labels), add)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Pattern:
        """The words."""
        words = self.sets[key]
        return Pattern(" + ".join(words), tagged(self.role, *words), self.role, words[:1])

    def matrix(self, piece: Piece, keys: Ints) -> csr_matrix:
        """Which texts have which sets."""
        block = piece.blocks[self.role]
        asked = [self._codes[key] if self._known[key] else np.zeros(0, np.int64) for key in keys.tolist()]
        words = np.unique(np.concatenate([np.zeros(0, np.int64), *asked]))
        present = columns_of(block.rows(), block.codes.astype(np.int64), words, piece.n_texts)
        parts = np.concatenate([np.zeros(0, np.int64), *(np.searchsorted(words, codes) for codes in asked)])
        of_set = np.repeat(np.arange(len(keys)), [len(codes) for codes in asked])
        size = np.bincount(of_set, minlength=len(keys))
        member = csr_matrix((np.ones(len(parts), np.int32), (parts, of_set)), shape=(len(words), len(keys)))
        found = csr_matrix(present @ member)
        found.data[:] = found.data == size[found.indices]
        found.eliminate_zeros()
        return found


def recurring_sets(
    found: Iterable[Sufficient | None], *, min_rows: int = MIN_ROWS
) -> dict[tuple[str, ...], int]:
    """The sets that are enough for at least so many wrong answers, most first; words in order of the alphabet.

    Answers that the model gives to no words at all do not count: there any set would do.
    """
    misled = (one for one in found if one is not None and not one.by_default)
    counts = Counter(tuple(sorted(set(one.words))) for one in misled)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {words: n for words, n in ordered if n >= min_rows}


def recurring(
    reading: Reading,
    found: Iterable[Sufficient | None],
    *,
    role: str = TEXT,
    max_q: float = 0.05,
    min_rows: int = MIN_ROWS,
) -> list[Chosen]:
    """The sets that recur and are tied to a label over the whole dataset, strongest first."""
    sets = list(recurring_sets(found, min_rows=min_rows))
    if not sets:
        return []
    detectors: list[Detector] = [TokenDetector(reading, role), SufficientDetector(reading, role, sets)]
    chosen = search(reading, detectors=detectors, max_q=max_q).chosen
    return [one for one in chosen if one.detector.level == SufficientDetector.level]
