"""RAZOR's shortcut space: how unlike the other labels does a document look on its surface?

Equations 7 to 12 of "RAZOR: Sharpening Knowledge by Cutting Bias with Unsupervised Text Rewriting"
(Yang, Prenkaj, Kasneci), for any number of labels.

    S(t) = n(t, d) / |d| * log(|D| / df(t))                  (7)   how much a token stands out
    tau(pos), PE(pos, k)                                     (8, 9) sine / cosine code of a place
    g(d) = sum_j S(t_j) tau(j) / (|d| - 1)                   (10)  the document in the shortcut space
    others(d) = documents with another label                 (11)
    gamma(d) = 1 - mean over others(d) of cos(g(d), g(.))    (12)  high: unlike the others, likely a shortcut
    sum of cos(g(d), g(.)) over pairs of unlike labels       (14)  what rewriting should raise

**All gammas in O(n).** Written out, Eq. 12 compares every document with every other. But with
u(d) = g(d) / |g(d)| the mean cosine is

    1/m sum_j u(d) . u(d_j)  =  u(d) . (1/m sum_j u(d_j)),

one dot product with the mean unit vector of the other labels. That mean is (sum of all unit vectors -
sum over d's own label) / m, so a sum per label is all that has to be kept. The sum of Eq. 14 follows from the same sums.

**Two variants.** Eq. 10 adds up all tokens, so it knows *that* something that stands out is at place 3, not
*what* it is. Section 3.2 speaks of comparing "positional embeddings of the same token from samples with
different labels". `variant="token"` does that: the document keeps one position vector for each word, a
vector of (vocabulary x dimensions) numbers, most of them zero; the cosine then compares word with same
word. `variant="mean"` is Eq. 10 to the letter.

Where the paper leaves a case open: places count from 1 (its t_1 ... t_m); a one-token document divides by 1
(the cosine does not see the divisor); a document without a vector (empty, or all its tokens in every
document) has cosine 0 with all others, and no gamma of its own (NaN).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.errors import SettingError
from longway.text.corpus import Block, Corpus

Variant = Literal["mean", "token"]
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Labels = NDArray[np.int32] | NDArray[np.int64]
Each = Callable[[Callable[[Block, Labels], Any]], Iterator[Any]]
Addition = tuple[tuple[Any, ...], NDArray[Any]]  # where in the label sums, and what comes there

MAX_PLACE = 65_536  # texts longer than this: the places behind share the last code
_MAX_TOKEN_SUMS = 1 << 28  # numbers kept by the token variant: 2 GiB
_MAX_KEPT = 1 << 26  # tokens whose weights are kept between the two passes instead of computed again
_CHUNK = 1 << 18  # tokens handled at a time, so that (tokens x dimensions) stays small


def position_code(n_places: int, dimensions: int) -> NDArray[np.float64]:
    """Row p - 1 is tau(p), the sine / cosine code of place p (Eq. 8, 9).

    >>> position_code(2, 2).round(3).tolist()
    [[0.841, 1.0], [0.909, 1.0]]
    """
    k = np.arange(dimensions)
    angle = np.arange(1, n_places + 1)[:, None] / 10000.0 ** (2 * k / dimensions)
    return np.where(k % 2 == 0, np.sin(angle), np.cos(angle))


class ShortcutSpace:
    """The shortcut space of a labelled corpus: fit it, then ask for gamma.

    >>> corpus = Corpus.from_texts(["not a hit", "not a film", "a hit", "a film"])
    >>> labels = np.array([0, 0, 1, 1])
    >>> space = ShortcutSpace(variant="token").fit(corpus, labels)
    >>> space.gamma_.round(2).tolist()
    [0.66, 0.66, 0.66, 0.66]
    """

    gamma_: NDArray[np.float64]
    document_frequency_: Ints
    label_counts_: Ints
    n_documents_: int
    n_labels_: int
    _idf: Floats
    _tau: Floats
    _sums: NDArray[np.float64]
    _cached_means: tuple[Floats, Floats] | None

    def __init__(self, *, variant: Variant = "mean", dimensions: int = 64) -> None:
        if variant not in get_args(Variant):
            raise SettingError(f"'variant' must be one of {', '.join(get_args(Variant))}. Got {variant!r}.")
        if dimensions < 2:
            raise SettingError(f"'dimensions' must be 2 or more. Got {dimensions}.")
        self.variant = variant
        self.dimensions = dimensions

    def fit(
        self, corpus: Corpus, labels: Labels, *, n_labels: int | None = None, each: Each | None = None
    ) -> ShortcutSpace:
        """Learn document frequencies and label sums, and score every document (`gamma_`).

        labels: one integer for each text of the corpus, counted from 0.
        each: asks a function about each block with its labels, in order, wherever the blocks are; without, here.
        """
        if each is not None:
            self.learn(corpus, labels, n_labels=n_labels, each=each)
            self.gamma_ = np.concatenate([np.zeros(0), *each(self.scorer().gamma)])
            return self
        kept = self._learn(corpus, labels, n_labels, keep=corpus.n_tokens <= _MAX_KEPT)
        self.gamma_ = np.empty(corpus.n_texts)
        start = 0
        for (block, their), units in zip(_with_labels(corpus, labels), kept, strict=True):
            cosines = self._cosines(block, their, self._units(block) if units is None else units)
            self.gamma_[start : start + block.n_texts] = 1 - cosines
            start += block.n_texts
        return self

    def learn(
        self, corpus: Corpus, labels: Labels, *, n_labels: int | None = None, each: Each | None = None
    ) -> ShortcutSpace:
        """Learn document frequencies and label sums without scoring anything. each: as in `fit`."""
        if each is None:
            self._learn(corpus, labels, n_labels, keep=False)
            return self
        self._prepare(corpus, labels, n_labels)
        sums, self._sums = self._sums, np.zeros(0)  # not sent along: they may be large
        try:
            for addition in each(self._addition_of):
                _put(sums, addition, 1)
        finally:
            self._sums = sums
        return self

    def scorer(self) -> ShortcutSpace:
        """A small copy that scores documents and learns nothing, to be sent to where they are."""
        result = copy(self)
        result._cached_means, result._sums = self._means(), np.zeros(0)
        result.__dict__.pop("gamma_", None)
        return result

    def gamma(self, block: Block, labels: Labels, *, units: Floats | None = None) -> NDArray[np.float64]:
        """Eq. 12 for documents with these labels, against the documents that were added; units: theirs, where known."""
        return 1 - self._cosines(block, labels, self._units(block) if units is None else units)

    def units(self, block: Block, times: NDArray[np.int32]) -> Floats:
        """The weight of every token in its document's unit vector; times: `repetitions` of the block."""
        return self._units(block, times)

    def contributions(self, block: Block, labels: Labels) -> NDArray[np.float64]:
        """For each token, how much it pulls its document towards its own label and away from the others.

        They sum, over a document, to its mean cosine with its own label (itself included) minus that with the others.
        """
        own, other = self._means()
        return self._shares(block, labels, own - other, self._units(block))

    def lean(self, block: Block, labels: Labels) -> NDArray[np.float64]:
        """How much each document looks like its own label rather than like the others (not in the paper).

        The mean cosine with the *other* documents of its own label minus the mean cosine with those of other labels.
        Gamma asks only the second: a document can be unlike all others because it is odd. In the token variant, lean
        finds the give-aways. Asked of documents that were added.
        """
        units = self._units(block)
        own, other = (block.sum_by_text(self._shares(block, labels, table, units)) for table in self._means())
        n = self.label_counts_[labels]
        itself = (
            block.sum_by_text(units) > 0
        )  # its cosine with itself is in the mean: 1, or 0 without a vector
        return np.where(n > 1, (n * own - itself) / np.maximum(n - 1, 1), 0.0) - other

    def mean_cosine(self) -> float:
        """Eq. 14 for each pair: the mean cosine of documents with unlike labels, over all pairs of labels.

        The sum over a pair of labels is the product of their sums of unit vectors; over all pairs of labels it is half of
        what the square of the total has beyond the squares of the labels' own sums.
        """
        n, of_label = self.label_counts_.astype(float), self._sums.reshape(self.n_labels_, -1)
        pairs = (n.sum() ** 2 - np.square(n).sum()) / 2
        unlike = np.square(of_label.sum(axis=0)).sum() - np.square(of_label).sum()
        return float(unlike / 2 / pairs) if pairs else 0.0

    def vectors(self, block: Block, times: NDArray[np.int32] | None = None) -> Floats:
        """g(d) of Eq. 10 for each document, whatever the variant: documents x dimensions; times: `repetitions`, where known."""
        return self._weighed_places(
            block, self._weights(block, repetitions(block) if times is None else times)
        )

    def add(self, block: Block, labels: Labels, *, units: Floats | None = None, sign: int = 1) -> None:
        """Add the documents' unit vectors to the sums of their labels (`sign=-1` takes them out); units: theirs, where known."""
        self._add(block, labels, self._units(block) if units is None else units, sign)

    def clear(self) -> None:
        """Forget the label sums, so that all documents can be added anew; frequencies and label counts stay."""
        self._start_sums()

    def expect_length(self, n_tokens: int) -> None:
        """Be ready for texts of so many tokens: places beyond the longest text so far get a code of their own."""
        if n_tokens > len(self._tau):
            self._set_places(n_tokens)

    def set_frequencies(self, document_frequency: Ints, max_length: int) -> None:
        """Use these document frequencies from now on, and expect texts of up to `max_length` tokens."""
        grown = len(document_frequency) - len(self.document_frequency_)
        self.document_frequency_ = document_frequency
        self._idf = inverse_frequency(document_frequency, self.n_documents_)
        if self.variant == "token" and grown:
            self._cached_means = None
            self._sums = np.pad(self._sums, ((0, 0), (0, grown), (0, 0)))
        self.expect_length(max_length)

    def _start_sums(self) -> None:
        n_words = len(self.document_frequency_)
        shape: tuple[int, ...] = (self.n_labels_, self.dimensions)
        if self.variant == "token":
            shape = (self.n_labels_, n_words, self.dimensions)
        if int(np.prod(shape, dtype=np.int64)) > _MAX_TOKEN_SUMS:
            raise SettingError(
                f"The token variant of the shortcut space would need {n_words:,} words x {self.dimensions} dimensions "
                f"x {self.n_labels_} labels, which is too much. Use fewer dimensions or the 'mean' variant."
            )
        self._sums = np.zeros(shape, dtype=np.float64)
        self._cached_means = None

    def _means(self) -> tuple[Floats, Floats]:
        """Mean unit vector of each label, and of all documents that have another label (Eq. 11)."""
        if self._cached_means is None:
            own, other = (np.empty(self._sums.shape, dtype=np.float32) for _ in range(2))
            total = self._sums.sum(axis=0)
            for label, n in enumerate(
                self.label_counts_.tolist()
            ):  # label by label: the token variant's sums are large
                own[label] = self._sums[label] / max(n, 1)
                other[label] = (total - self._sums[label]) / max(self.n_documents_ - n, 1)
            self._cached_means = own, other
        return self._cached_means

    def _learn(
        self, corpus: Corpus, labels: Labels, n_labels: int | None, *, keep: bool
    ) -> list[Floats | None]:
        """Learn from the corpus; gives each block's unit weights where they are to be kept for scoring."""
        self._prepare(corpus, labels, n_labels)
        kept: list[Floats | None] = []
        for block, their in _with_labels(corpus, labels):
            units = self._units(block)
            self._add(block, their, units, 1)
            kept.append(units if keep else None)
        return kept

    def _prepare(self, corpus: Corpus, labels: Labels, n_labels: int | None) -> None:
        """All that is known about the corpus before the sums."""
        self.n_labels_ = int(n_labels or labels.max(initial=0) + 1)
        self.document_frequency_ = corpus.document_frequency()
        self.n_documents_ = corpus.n_texts
        self.label_counts_ = np.bincount(labels, minlength=self.n_labels_)
        self._set_places(corpus.max_length())
        self._idf = inverse_frequency(self.document_frequency_, self.n_documents_)
        self._start_sums()

    def _set_places(self, n_places: int) -> None:
        self._tau = position_code(max(1, min(n_places, MAX_PLACE)), self.dimensions).astype(np.float32)

    def _weights(self, block: Block, times: NDArray[np.int32]) -> Floats:
        """S(t_j) / (|d| - 1) of every token (Eq. 7 and the divisor of Eq. 10)."""
        n = block.lengths
        divisor = np.repeat((n * np.maximum(n - 1, 1)).astype(np.float32), n)
        return times.astype(np.float32) * self._idf_of(block.codes) / divisor

    def _idf_of(self, codes: NDArray[np.int32]) -> Floats:
        """Codes behind the vocabulary are words that no document has: they count as in one (`inverse_frequency`)."""
        n_words = len(self._idf)
        if codes.max(initial=-1) < n_words:
            return self._idf[codes]
        return np.append(self._idf, inverse_frequency(np.ones(1, dtype=np.int64), self.n_documents_))[
            np.minimum(codes, n_words)
        ]

    def _weighed_places(self, block: Block, weights: Floats) -> Floats:
        """The sum of Eq. 10: the place codes of each document, weighed."""
        shape = (block.n_texts, len(self._tau))
        return csr_matrix((weights, self._places(block), block.offsets), shape=shape) @ self._tau

    def _places(self, block: Block) -> NDArray[np.int32]:
        return np.minimum(block.positions(), len(self._tau) - 1).astype(np.int32)

    def _units(self, block: Block, times: NDArray[np.int32] | None = None) -> Floats:
        """The weight of every token in Eq. 10, scaled so that its document's vector has length 1."""
        times = repetitions(block) if times is None else times
        weights = self._weights(block, times)
        if self.variant == "mean":
            vectors = self._weighed_places(block, weights)
            squared = np.einsum("ij,ij->i", vectors, vectors)
        else:
            squared = self._squared_by_word(block, weights, times > 1)
        norms = np.sqrt(squared, dtype=np.float32)
        return weights / np.repeat(np.where(norms > 0, norms, np.float32(np.inf)), block.lengths)

    def _squared_by_word(self, block: Block, weights: Floats, repeated: NDArray[np.bool_]) -> Floats:
        """Squared length of each document's vector in the token variant: summed over its words."""
        places = self._places(block)
        squares = np.square(weights) * np.einsum("ij,ij->i", self._tau, self._tau)[places]
        squares[repeated] = 0  # a word that comes again adds its places before squaring
        total = block.sum_by_text(squares)
        n_words = max(len(self._idf), int(block.codes.max(initial=0)) + 1)
        words, word_of = np.unique(
            block.rows()[repeated] * n_words + block.codes[repeated], return_inverse=True
        )
        shape = (len(words), len(self._tau))
        vectors = csr_matrix((weights[repeated], (word_of, places[repeated])), shape=shape) @ self._tau
        of_row = words // n_words
        total += np.bincount(of_row, weights=np.einsum("ij,ij->i", vectors, vectors), minlength=block.n_texts)
        return total.astype(np.float32)

    def _add(self, block: Block, labels: Labels, units: Floats, sign: int) -> None:
        """Add unit vectors to the sums of their labels."""
        self._cached_means = None
        _put(self._sums, self._addition(block, labels, units), sign)

    def _addition_of(self, block: Block, labels: Labels) -> list[Addition]:
        return list(self._addition(block, labels, self._units(block)))

    def _addition(self, block: Block, labels: Labels, units: Floats) -> Iterator[Addition]:
        """Unit vectors summed by label: first the weights at each place, then one product with the place codes."""
        n_places = len(self._tau)
        places, label_of = self._places(block), np.repeat(labels.astype(np.int64), block.lengths)
        if self.variant == "mean":
            flat = np.bincount(
                label_of * n_places + places, weights=units, minlength=self.n_labels_ * n_places
            )
            yield (...,), flat.reshape(self.n_labels_, n_places) @ self._tau
            return
        words, word_of = np.unique(block.codes, return_inverse=True)
        for label in np.unique(labels):
            mine = label_of == label
            at = csr_matrix((units[mine], (word_of[mine], places[mine])), shape=(len(words), n_places))
            yield (int(label), words), at @ self._tau

    def _shares(self, block: Block, labels: Labels, table: Floats, units: Floats) -> NDArray[np.float64]:
        """For each token, its share of its document's cosine with `table[label]`."""
        places, label_of = self._places(block), np.repeat(labels, block.lengths)
        if self.variant == "mean":
            return (units * (table @ self._tau.T)[label_of, places]).astype(np.float64)
        shares = np.zeros(len(units))
        for start in range(0, len(units) if table.shape[1] else 0, _CHUNK):
            part = slice(start, start + _CHUNK)
            codes = block.codes[part]
            is_known = codes < table.shape[1]  # a word that no document has is like nobody's
            target = table[label_of[part], np.where(is_known, codes, 0)]
            shares[part] = units[part] * is_known * np.einsum("ij,ij->i", target, self._tau[places[part]])
        return shares

    def _cosines(self, block: Block, labels: Labels, units: Floats) -> NDArray[np.float64]:
        """Each document's mean cosine with the documents of other labels; NaN where it has no vector."""
        _, other = self._means()
        shares = self._shares(block, labels, other, units)
        cosines = block.sum_by_text(shares)
        has_vector = block.sum_by_text(units) > 0
        return np.where(has_vector, cosines, np.nan)


def inverse_frequency(document_frequency: Ints, n_documents: int) -> Floats:
    """log(|D| / df) of Eq. 7 for each word; a word that no document has yet counts as in one, where it would be."""
    return np.log(max(n_documents, 1) / np.maximum(document_frequency, 1)).astype(np.float32)


def repetitions(block: Block) -> NDArray[np.int32]:
    """For each token, how often it stands in its text: n(t_j, d) of Eq. 7."""
    n_words = int(block.codes.max(initial=0)) + 1
    distinct = np.diff(block.counts(n_words).indptr)
    repeated = np.repeat(distinct < block.lengths, block.lengths)  # most short texts repeat no word
    result = np.ones(len(block.codes), dtype=np.int32)
    keys = block.rows()[repeated] * n_words + block.codes[repeated]
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    result[repeated] = counts[which]
    return result


def _put(sums: NDArray[np.float64], addition: Iterable[Addition], sign: int) -> None:
    for where, values in addition:
        sums[where] += sign * values


def _with_labels(corpus: Corpus, labels: Labels) -> Iterator[tuple[Block, Labels]]:
    start = 0
    for block in corpus.blocks():
        yield block, labels[start : start + block.n_texts]
        start += block.n_texts
