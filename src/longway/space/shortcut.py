"""RAZOR's shortcut space: how different does a document look, on its surface, from documents with other labels?

Equations 7 to 12 of "RAZOR: Sharpening Knowledge by Cutting Bias with Unsupervised Text Rewriting"
(Yang, Prenkaj, Kasneci), for any number of labels.

    S(t) = n(t, d) / |d| * log(|D| / df(t))                  (7)   salience of a token
    tau(pos), PE(pos, k)                                     (8, 9) sine / cosine position code
    g(d) = sum_j S(t_j) tau(j) / (|d| - 1)                   (10)  the document in the shortcut space
    others(d) = documents with another label                 (11)
    gamma(d) = 1 - mean over others(d) of cos(g(d), g(.))    (12)  high: unlike the others, likely a shortcut
    sum of cos(g(d), g(.)) over pairs of different labels    (14)  rewriting should raise this

**All gammas in O(n).** As written, Eq. 12 compares every document with every other. But with
u(d) = g(d) / |g(d)| the mean cosine is

    1/m sum_j u(d) . u(d_j)  =  u(d) . (1/m sum_j u(d_j)),

one dot product with the mean unit vector of the other labels. That mean is (sum of all unit vectors -
sum over d's own label) / m, so one sum per label is enough. The sum of Eq. 14 follows from the same sums.

**Two variants.** Eq. 10 adds up all tokens, so it knows *that* something salient is at position 3, not
*what* it is. Section 3.2 speaks of comparing "positional embeddings of the same token from samples with
different labels". `variant="token"` does that: a document has one position vector per word, a
(vocabulary x dimensions) vector that is mostly zero, and the cosine compares each word with the same
word. `variant="mean"` is Eq. 10 to the letter.

Cases the paper leaves open: positions start at 1 (its t_1 ... t_m); a one-token document divides by 1
(the cosine ignores the divisor); a document without a vector (empty, or made of tokens that are in every
document) has cosine 0 with all others and gamma NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.arrays import Bools, Floats, Floats32, Ints, Ints32
from longway.errors import SettingError, with_checked_arguments
from longway.text.corpus import Block, Corpus

Variant = Literal["mean", "token"]
Labels = Ints32 | Ints
Addition = tuple[tuple[Any, ...], NDArray[Any]]  # an index into the label sums, and the values to add there

MAX_POSITION = 65_536  # positions beyond this share the last code
_MAX_TOKEN_SUMS = 1 << 28  # numbers in the sums of the token variant: 2 GiB
_MAX_KEPT = 1 << 26  # tokens whose weights are kept between the two passes instead of being recomputed
_CHUNK = 1 << 18  # tokens per step, to bound the memory of (tokens x dimensions)


def position_code(n_positions: int, dimensions: int) -> Floats:
    """Row p - 1 is tau(p), the sine / cosine code of position p (Eq. 8, 9).

    >>> position_code(2, 2).round(3).tolist()
    [[0.841, 1.0], [0.909, 1.0]]
    """
    k = np.arange(dimensions)
    angle = np.arange(1, n_positions + 1)[:, None] / 10000.0 ** (2 * k / dimensions)
    return np.where(k % 2 == 0, np.sin(angle), np.cos(angle))


class ShortcutSpace:
    """The shortcut space of a labelled corpus: fit it, then read or compute gamma.

    >>> corpus = Corpus.from_texts(["not a hit", "not a film", "a hit", "a film"])
    >>> labels = np.array([0, 0, 1, 1])
    >>> space = ShortcutSpace(variant="token").fit(corpus, labels)
    >>> space.gamma_.round(2).tolist()
    [0.66, 0.66, 0.66, 0.66]
    """

    document_frequency_: Ints
    n_documents_: int
    _tau: Floats32
    _sums: Floats
    _cached_means: tuple[Floats32, Floats32] | None

    @with_checked_arguments
    def __init__(self, *, variant: Variant = "mean", dimensions: int = 64) -> None:
        if dimensions < 2:
            raise SettingError(f"'dimensions' must be 2 or more. Got {dimensions}.")
        self.variant = variant
        self.dimensions = dimensions

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """The parameters, as scikit-learn's `clone` reads them."""
        return {"variant": self.variant, "dimensions": self.dimensions}

    def set_params(self, **params: Any) -> ShortcutSpace:
        """Set parameters; SettingError for a wrong one."""
        type(self).__init__(self, **{**self.get_params(), **params})
        return self

    def fit(self, corpus: Corpus, labels: Labels, *, n_labels: int | None = None) -> ShortcutSpace:
        """Learn document frequencies and label sums, and score every document (`gamma_`).

        labels: one integer per text of the corpus, starting at 0.
        """
        kept = self._learn(corpus, labels, n_labels, keep=corpus.n_tokens <= _MAX_KEPT)
        blocks = zip(_with_labels(corpus, labels), kept, strict=True)
        gammas = [self.gamma(block, block_labels, units=units) for (block, block_labels), units in blocks]
        self.gamma_ = np.concatenate([np.zeros(0), *gammas])
        return self

    def learn(self, corpus: Corpus, labels: Labels, *, n_labels: int | None = None) -> ShortcutSpace:
        """Learn document frequencies and label sums without scoring."""
        self._learn(corpus, labels, n_labels, keep=False)
        return self

    def scorer(self) -> ShortcutSpace:
        """A small read-only copy that scores documents; cheap to send to other processes."""
        result = copy(self)
        result._cached_means, result._sums = self._means(), np.zeros(0)
        result.__dict__.pop("gamma_", None)
        return result

    def gamma(self, block: Block, labels: Labels, *, units: Floats32 | None = None) -> Floats:
        """Eq. 12 of documents with these labels, against the documents added so far. units: from `units`, if known."""
        units = self.units(block) if units is None else units
        _, other = self._means()
        cosines = block.sum_by_text(self._shares(block, labels, other, units))
        has_vector = block.sum_by_text(units) > 0
        return 1 - np.where(has_vector, cosines, np.nan)

    def units(self, block: Block, counts: Labels | None = None) -> Floats32:
        """The weight of every token in Eq. 10, scaled so that each document's vector has length 1.

        counts: `token_counts` of the block, if known.
        """
        counts = token_counts(block) if counts is None else counts
        weights = self._weights(block, counts)
        if self.variant == "mean":
            vectors = self._weighted_positions(block, weights)
            squared = np.einsum("ij,ij->i", vectors, vectors)
        else:
            squared = self._squared_by_word(block, weights, counts > 1)
        norms = np.sqrt(squared, dtype=np.float32)
        return weights / np.repeat(np.where(norms > 0, norms, np.float32(np.inf)), block.lengths)

    def contributions(self, block: Block, labels: Labels) -> Floats:
        """How much each token pulls its document towards its own label and away from the others.

        Over a document they sum to its mean cosine with its own label (itself included) minus that with the others.
        """
        own, other = self._means()
        return self._shares(block, labels, own - other, self.units(block))

    def lean(self, block: Block, labels: Labels) -> Floats:
        """How much more each document resembles its own label than the others (not in the paper).

        The mean cosine with the *other* documents of its own label minus the mean cosine with those of other labels.
        Gamma uses only the second term, so a document can score high just because it is odd. In the token variant,
        lean ranks documents that predict their label. The documents must be among those added.
        """
        units = self.units(block)
        own, other = (block.sum_by_text(self._shares(block, labels, table, units)) for table in self._means())
        n = self.label_counts_[labels]
        # Its cosine with itself is in the mean: 1, or 0 without a vector.
        itself = block.sum_by_text(units) > 0
        return np.where(n > 1, (n * own - itself) / np.maximum(n - 1, 1), 0.0) - other

    def mean_cosine(self) -> float:
        """Eq. 14 per pair: the mean cosine of documents with different labels, over all pairs of labels."""
        return mean_cosine(self._sums.reshape(self.n_labels_, -1), self.label_counts_)

    def vectors(self, block: Block, counts: Labels) -> Floats32:
        """g(d) of Eq. 10 for each document, in either variant: (documents, dimensions). counts: as in `units`."""
        return self._weighted_positions(block, self._weights(block, counts))

    def add(self, block: Block, labels: Labels, *, units: Floats32 | None = None, sign: int = 1) -> None:
        """Add the documents' unit vectors to the sums of their labels; `sign=-1` subtracts them."""
        self._cached_means = None
        units = self.units(block) if units is None else units
        _accumulate(self._sums, self._addition(block, labels, units), sign)

    def clear(self) -> None:
        """Reset the label sums to zero; frequencies and label counts stay."""
        n_words = len(self.document_frequency_)
        shape: tuple[int, ...] = (self.n_labels_, self.dimensions)
        if self.variant == "token":
            shape = (self.n_labels_, n_words, self.dimensions)
        if int(np.prod(shape, dtype=np.int64)) > _MAX_TOKEN_SUMS:
            raise SettingError(
                f"The token variant of the shortcut space needs {n_words:,} words x {self.dimensions} dimensions "
                f"x {self.n_labels_} labels, which does not fit in memory. Use fewer dimensions or the 'mean' variant."
            )
        self._sums = np.zeros(shape, dtype=np.float64)
        self._cached_means = None

    def expect_length(self, n_tokens: int) -> None:
        """Compute position codes for texts of up to `n_tokens` tokens, if there are not enough yet."""
        if n_tokens > len(self._tau):
            n_positions = min(n_tokens, MAX_POSITION)
            self._tau = position_code(n_positions, self.dimensions).astype(np.float32)

    def set_frequencies(self, document_frequency: Ints, max_length: int) -> None:
        """Replace the document frequencies, and expect texts of up to `max_length` tokens."""
        grown = len(document_frequency) - len(self.document_frequency_)
        self.document_frequency_ = document_frequency
        self._idf = inverse_frequency(document_frequency, self.n_documents_)
        if self.variant == "token" and grown:
            self._cached_means = None
            self._sums = np.pad(self._sums, ((0, 0), (0, grown), (0, 0)))
        self.expect_length(max_length)

    def _means(self) -> tuple[Floats32, Floats32]:
        """Mean unit vector of each label, and of all documents with another label (Eq. 11)."""
        if self._cached_means is None:
            own, other = (np.empty(self._sums.shape, dtype=np.float32) for _ in range(2))
            total = self._sums.sum(axis=0)
            # Label by label, because the sums of the token variant are large.
            for label, n in enumerate(self.label_counts_.tolist()):
                own[label] = self._sums[label] / max(n, 1)
                other[label] = (total - self._sums[label]) / max(self.n_documents_ - n, 1)
            self._cached_means = own, other
        return self._cached_means

    def _learn(
        self, corpus: Corpus, labels: Labels, n_labels: int | None, *, keep: bool
    ) -> list[Floats32 | None]:
        """Learn from the corpus; returns each block's unit weights, or None if they are not kept for scoring."""
        self._prepare(corpus, labels, n_labels)
        kept: list[Floats32 | None] = []
        for block, block_labels in _with_labels(corpus, labels):
            units = self.units(block)
            self.add(block, block_labels, units=units)
            kept.append(units if keep else None)
        return kept

    def _prepare(self, corpus: Corpus, labels: Labels, n_labels: int | None) -> None:
        """Set everything that is known about the corpus before the sums."""
        self.n_labels_ = int(n_labels or labels.max(initial=0) + 1)
        self.document_frequency_ = corpus.document_frequency()
        self.n_documents_ = corpus.n_texts
        self.label_counts_ = np.bincount(labels, minlength=self.n_labels_)
        self._tau = np.zeros((0, self.dimensions), np.float32)
        self.expect_length(max(1, corpus.max_length()))
        self._idf = inverse_frequency(self.document_frequency_, self.n_documents_)
        self.clear()

    def _weights(self, block: Block, counts: Labels) -> Floats32:
        """S(t_j) / (|d| - 1) of every token (Eq. 7 and the divisor of Eq. 10)."""
        n = block.lengths
        divisor = np.repeat((n * np.maximum(n - 1, 1)).astype(np.float32), n)
        return counts.astype(np.float32) * self._idf_of(block.codes) / divisor

    def _idf_of(self, codes: Labels) -> Floats32:
        """The idf of every token. Codes beyond the vocabulary are unseen words; they count as in one document."""
        n_words = len(self._idf)
        if codes.max(initial=-1) < n_words:
            return self._idf[codes]
        unseen = inverse_frequency(np.ones(1, dtype=np.int64), self.n_documents_)
        return np.append(self._idf, unseen)[np.minimum(codes, n_words)]

    def _weighted_positions(self, block: Block, weights: Floats32) -> Floats32:
        """The sum of Eq. 10: the weighted position codes of each document."""
        shape = (block.n_texts, len(self._tau))
        return csr_matrix((weights, self._positions(block), block.offsets), shape=shape) @ self._tau

    def _positions(self, block: Block) -> Labels:
        return np.minimum(block.positions(), len(self._tau) - 1).astype(np.int32)

    def _squared_by_word(self, block: Block, weights: Floats32, repeated: Bools) -> Floats32:
        """Squared length of each document's vector in the token variant, summed over its words."""
        positions = self._positions(block)
        squares = np.square(weights) * np.einsum("ij,ij->i", self._tau, self._tau)[positions]
        squares[repeated] = 0  # a repeated word adds its position codes before squaring
        total = block.sum_by_text(squares)
        n_words = max(len(self._idf), int(block.codes.max(initial=0)) + 1)
        words, word_of = np.unique(
            block.rows()[repeated] * n_words + block.codes[repeated], return_inverse=True
        )
        shape = (len(words), len(self._tau))
        vectors = csr_matrix((weights[repeated], (word_of, positions[repeated])), shape=shape) @ self._tau
        of_row = words // n_words
        total += np.bincount(of_row, weights=np.einsum("ij,ij->i", vectors, vectors), minlength=block.n_texts)
        return total.astype(np.float32)

    def _addition(self, block: Block, labels: Labels, units: Floats32) -> Iterator[Addition]:
        """Unit vectors summed by label: first the weights at each position, then one product with the position codes."""
        n_positions = len(self._tau)
        positions, label_of = self._positions(block), np.repeat(labels.astype(np.int64), block.lengths)
        if self.variant == "mean":
            flat = np.bincount(
                label_of * n_positions + positions, weights=units, minlength=self.n_labels_ * n_positions
            )
            yield (...,), flat.reshape(self.n_labels_, n_positions) @ self._tau
            return
        words, word_of = np.unique(block.codes, return_inverse=True)
        for label in np.unique(labels):
            mine = label_of == label
            at = csr_matrix((units[mine], (word_of[mine], positions[mine])), shape=(len(words), n_positions))
            yield (int(label), words), at @ self._tau

    def _shares(self, block: Block, labels: Labels, table: Floats32, units: Floats32) -> Floats:
        """Each token's share of its document's cosine with `table[label]`."""
        positions, label_of = self._positions(block), np.repeat(labels, block.lengths)
        if self.variant == "mean":
            return (units * (table @ self._tau.T)[label_of, positions]).astype(np.float64)
        shares = np.zeros(len(units))
        for start in range(0, len(units) if table.shape[1] else 0, _CHUNK):
            part = slice(start, start + _CHUNK)
            codes = block.codes[part]
            is_known = codes < table.shape[1]  # an unseen word is similar to nothing
            target = table[label_of[part], np.where(is_known, codes, 0)]
            shares[part] = units[part] * is_known * np.einsum("ij,ij->i", target, self._tau[positions[part]])
        return shares


def inverse_frequency(document_frequency: Ints, n_documents: int) -> Floats32:
    """log(|D| / df) of Eq. 7 for each word; an unseen word counts as in one document."""
    return np.log(max(n_documents, 1) / np.maximum(document_frequency, 1)).astype(np.float32)


def token_counts(block: Block) -> Labels:
    """For each token, how often it occurs in its text: n(t_j, d) of Eq. 7."""
    n_words = int(block.codes.max(initial=0)) + 1
    distinct = np.diff(block.counts(n_words).indptr)
    repeated = np.repeat(distinct < block.lengths, block.lengths)  # most short texts repeat no word
    result = np.ones(len(block.codes), dtype=np.int32)
    keys = block.rows()[repeated] * n_words + block.codes[repeated]
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    result[repeated] = counts[which]
    return result


def mean_cosine(sums: Floats, label_counts: Ints) -> float:
    """Eq. 14 per pair, from the sums of unit vectors of each label: (labels, numbers).

    The sum over two labels is the product of their sums of unit vectors. Over all pairs of labels it is half the
    difference between the square of the total and the squares of the labels' own sums.
    """
    n = label_counts.astype(np.float64)
    pairs = (n.sum() ** 2 - np.square(n).sum()) / 2
    across = np.square(sums.sum(axis=0)).sum() - np.square(sums).sum()
    return float(across / 2 / pairs) if pairs else 0.0


def _accumulate(sums: Floats, addition: Iterable[Addition], sign: int) -> None:
    for where, values in addition:
        sums[where] += sign * values


def _with_labels(corpus: Corpus, labels: Labels) -> Iterator[tuple[Block, Labels]]:
    start = 0
    for block in corpus.blocks():
        yield block, labels[start : start + block.n_texts]
        start += block.n_texts
