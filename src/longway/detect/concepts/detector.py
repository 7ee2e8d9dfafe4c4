"""Does the text have the concept? Counted in rows that the concepts were not made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix

from longway.arrays import Bools, Floats, Floats32, Ints
from longway.detect.concepts.concepts import COMMONEST, RAREST, Concepts
from longway.detect.concepts.names import contrastive_words, different_words
from longway.detect.concepts.vectors import unit_rows
from longway.detect.detector import (
    Description,
    Features,
    SampledDetector,
    Spans,
    TokenizedRow,
    by_label,
    frequent,
    tagged,
)
from longway.detect.reading import Reading
from longway.models.encoders import Vectors
from longway.records import Pattern, Problem
from longway.text.tokenizer import is_word

USUAL_TEXTS, USUAL_WORDS = 2000, 200  # that a concept's texts and words are compared with
CLOSEST = 20  # typical rows, of which those with words of the name are shown first
NAMED_FROM = 100  # most typical texts that a name is found in, and similar ones
N_LABELS = 5  # that a message names
FREQUENT = 0.1  # share of rows with a word that does not name a concept


@dataclass(frozen=True, slots=True)
class SampledRows:
    """Rows that concepts are looked for in. places: in the reading, ascending. vectors: of their texts. is_tested: of the rows that concepts
    were not made from. surface: of the tested rows, the scores of a bag of words for each label, from folds that it was not trained on."""

    places: Ints
    vectors: Vectors
    is_tested: Bools
    surface: Floats


def n_rows_with(texts: Iterable[Iterable[str]]) -> Counter[str]:
    """Of each word, the texts that have it."""
    return Counter(word for tokens in texts for word in set(tokens))


class ConceptDetector(SampledDetector):
    """Is the text similar enough to the direction of a concept?

    It knows the sampled rows of the reading that it was made of: other rows have no concept, and another reading is refused.
    """

    level = "concept"

    def __init__(self, reading: Reading, role: str, concepts: Concepts, rows: SampledRows) -> None:
        super().__init__(reading, role, rows.places)
        self.concepts, self.is_tested, self.surface = concepts, rows.is_tested, rows.surface
        # What a search leaves here: labels that words determine, so that no concept could be tested for them,
        self.untested: list[str] = []
        # and tested rows x patterns of other levels.
        self.simpler = np.zeros((int(rows.is_tested.sum()), 0))
        self.units: Floats32 = concepts.units(rows.vectors)
        self._text = reading.block_of(role, self.places).spelled(reading.vocabulary.words)
        self.scores: Floats32 = concepts.scores(rows.vectors, self._text)
        self.members: csr_matrix = concepts.members(self.scores)
        self._names: dict[int, tuple[str, ...]] = {}

    @cached_property
    def tested(self) -> Ints:
        """Places of the rows that are counted."""
        return self.places[self.is_tested]

    def count(self, reading: Reading) -> Features:
        """Counts of every concept that is neither too rare nor too common."""
        self.check(reading.number)
        counts = by_label(self.members[self.is_tested], reading.labels[self.tested], reading.n_labels)
        share = counts.sum(axis=1) / max(len(self.tested), 1)
        keys = np.flatnonzero((share >= RAREST) & (share <= COMMONEST))
        return frequent(keys, counts[keys], reading.min_count, n_texts=len(self.tested), rows=self.tested)

    def describe(self, key: int) -> Description:
        """The pattern of a concept, named by the words that tell its texts from similar ones."""
        place = f"{self.concepts.fingerprint}:{key}"
        pattern = Pattern(self.level, self.field, self.name(key), place, float(self.concepts.bounds[key]))
        return Description(pattern, tagged(self.role, "<concept>"), self.role)

    def problems(self) -> list[Problem]:
        """That concepts could not be tested for some labels, after a search."""
        if not self.untested:
            return []
        n_more = len(self.untested) - N_LABELS
        labels = ", ".join(self.untested[:N_LABELS]) + (f" and {n_more} more" if n_more > 0 else "")
        message = f"No concept of {self.concepts.column} could be tested for {labels}: words and length predict the label of every tested row."
        advice = "See the patterns of other levels: they predict the label."
        return [Problem("no_concept", message, len(self.tested), advice)]

    def name(self, key: int) -> tuple[str, ...]:
        """The words of a field; of other concepts, the words and phrases that tell the rows with a concept from similar rows without it."""
        if words := self.concepts.words(key):
            return different_words(words)
        if key not in self._names:
            order = self.ranked(key)
            n = self.n_members(key)
            with_it, similar = order[:n], order[n : 2 * n]
            self._names[key] = contrastive_words(
                [self._text[row] for row in with_it[:NAMED_FROM].tolist()],
                [self._text[row] for row in similar[:NAMED_FROM].tolist()],
                self._usual_texts,
                frequent=self._frequent,
                fits=lambda words: self._fits(words, key),
            )
        return self._names[key]

    def ranked(self, key: int) -> Ints:
        """All sampled rows, by number, those with most of a concept first."""
        return np.argsort(-self.scores[:, key], kind="stable")

    def n_members(self, key: int) -> int:
        """How many sampled rows have a concept."""
        return int((self.scores[:, key] >= self.concepts.bounds[key]).sum())

    def _fits(self, words: Sequence[str], key: int) -> list[float]:
        """How similar words are to a concept, compared with the most frequent words."""
        vectors = self.concepts.vectors.of(words)
        return (unit_rows(vectors - self._usual_words) @ self.concepts.directions[key]).tolist()

    @cached_property
    def _usual_texts(self) -> list[list[str]]:
        """A sample of all texts."""
        rows = np.random.default_rng(0).permutation(len(self.places))[:USUAL_TEXTS]
        return [self._text[row] for row in rows.tolist()]

    @cached_property
    def _usual_words(self) -> Floats32:
        """The mean vector of the most frequent words."""
        counts = Counter(word for tokens in self._usual_texts for word in tokens if is_word(word))
        return np.asarray(
            self.concepts.vectors.of([word for word, _ in counts.most_common(USUAL_WORDS)]).mean(axis=0)
        )

    @cached_property
    def _frequent(self) -> frozenset[str]:
        most = FREQUENT * len(self.places)
        return frozenset(word for word, n in n_rows_with(self._text).items() if n > most)

    def examples(self, key: int, wanted: Bools) -> Ints:
        """Places of the rows of `typical_rows`; of the first of them, those with a word of the name come first, so that a reader sees what the name is about."""
        rows = self.typical_rows(key, wanted)
        words = [f" {term} " for term in self.name(key)]
        texts = [f" {' '.join(self._text[row])} " for row in rows[:CLOSEST].tolist()]
        lacks = np.array([not any(word in text for word in words) for text in texts], dtype=bool)
        first = np.argsort(lacks, kind="stable")
        return self.places[np.concatenate([rows[:CLOSEST][first], rows[CLOSEST:]])]

    def typical_rows(self, key: int, wanted: Bools | None = None) -> Ints:
        """Numbers of the tested rows with a concept, the most typical first. wanted: which of the sampled rows; all by default."""
        is_shown = self.is_tested if wanted is None else self.is_tested & wanted
        order = self.ranked(key)
        return order[is_shown[order] & (self.scores[order, key] >= self.concepts.bounds[key])]

    @cached_property
    def present(self) -> tuple[Ints, Ints]:
        """The number of a sampled row, and the concept, of each that it has."""
        rows, concepts = self.members.nonzero()
        return rows.astype(np.int64), concepts.astype(np.int64)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """None: the words of a row do not show its concepts. `Concepts.where` reads them from its vector."""
        return None
