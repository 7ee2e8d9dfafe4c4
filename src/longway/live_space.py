"""A shortcut space that stays exact while documents are replaced.

RAZOR's loop (Algorithm 1) swaps one document after another for its rewrite. A swap changes the document
itself and the document frequency of the words that came or went; through Eq. 7 that moves every document
that holds one of *those* words, and no other. So `replace` takes just these out of the label sums, updates the
frequencies, and puts them back in; where they are more than half of all documents it is quicker to add up all of them
anew, which gives the same sums. All gammas then follow from the sums.

Two numbers are kept for each token: how often it stands in its text, which no other text changes, and its weight in the unit
vector, which is computed again for those documents only that moved. A round at a million rows otherwise spends most of its time on them.

Texts that are only scored leave no trace: their unknown words get codes behind the vocabulary for the moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.metrics.divergence import PairwiseKL
from longway.shortcut_space import Floats, Ints, ShortcutSpace, Variant, repetitions
from longway.text.corpus import RARE, Block, Corpus
from longway.text.tokens import encode

_PIECE = 1 << 18  # tokens handled at a time, so that memory stays small


class LiveSpace:
    """The shortcut space of a dataset that is being rewritten.

    >>> live = LiveSpace(["not a hit", "not a film", "a hit", "a film"], [0, 0, 1, 1], variant="token")
    >>> before = live.gamma([0])[0]
    >>> live.replace({0: "no hit"})
    >>> bool(live.gamma([1])[0] == before)
    False
    """

    def __init__(
        self, texts: Sequence[str], labels: Sequence[int], *, variant: Variant = "mean", dimensions: int = 64
    ) -> None:
        corpus = Corpus.from_texts(texts)
        self.labels = np.asarray(labels, dtype=np.int64)
        self.space = ShortcutSpace(variant=variant, dimensions=dimensions).learn(corpus, self.labels)
        self._vocabulary = corpus.vocabulary
        codes = np.concatenate([np.zeros(0, dtype=np.int32), *(block.codes for block in corpus.blocks())])
        self._documents = Block(codes, np.concatenate([[0], np.cumsum(corpus.lengths())]))
        self._times = _times(self._documents)
        self._units = np.zeros(len(codes), dtype=np.float32)
        self._weigh(None)

    def __len__(self) -> int:
        return self._documents.n_texts

    def gamma(self, rows: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Eq. 12 for the given rows, or for all, as the dataset stands now."""
        if rows is None:
            return self._gamma(self._documents, self.labels, self._units)
        chosen = np.asarray(rows, dtype=np.int64)
        return self._gamma(
            self._documents.take(chosen), self.labels[chosen], self._units[self._tokens(chosen)]
        )

    def score(self, candidates: Sequence[str], labels: int | Sequence[int] | Ints) -> NDArray[np.float64]:
        """Eq. 12 for texts that are not in the dataset, as if they carried the labels (Algorithm 1, line 15).

        labels: one for all, or one for each. Document frequencies are those of the dataset as it stands: what the text
        that would go makes of them is not foreseen, so that the gamma after `replace` can differ a little.
        """
        block = self._encode(candidates, grow=False)
        self.space.expect_length(int(block.lengths.max(initial=0)))
        return self._gamma(block, np.broadcast_to(np.asarray(labels, dtype=np.int64), block.n_texts))

    def mean_cosine(self) -> float:
        """Eq. 14 for each pair: the mean cosine of documents with unlike labels; rises as the labels become alike."""
        return self.space.mean_cosine()

    def divergence(self) -> float:
        """The mean KL divergence of documents with unlike labels (`metrics/divergence.py`); falls as they become alike.

        Always of the vectors of Eq. 10: those of the token variant have a place for every word, and as
        distributions they would hardly differ.
        """
        kl = PairwiseKL(self.space.n_labels_, self.space.dimensions)
        for start, block in _pieces(self._documents):
            vectors = self.space.vectors(block, self._times[_span(self._documents, start, block)])
            kl.add(vectors, self.labels[start : start + block.n_texts])
        return kl.mean()

    def replace(self, texts: Mapping[int, str]) -> None:
        """Put new texts in place of the given rows and bring counts and means up to date."""
        rows = np.array(sorted(texts), dtype=np.int64)
        new = self._encode([texts[row] for row in rows.tolist()], grow=True)
        n_words = len(self._vocabulary)
        change = _frequency(new, n_words) - _frequency(self._documents.take(rows), n_words)
        moved = _has_any(self._documents, change != 0)
        moved[rows] = True
        touched = np.flatnonzero(moved)
        is_few = 2 * len(touched) <= len(self)
        if is_few:
            self._add(touched, sign=-1)
        self._put(rows, new)
        frequency = np.pad(self.space.document_frequency_, (0, n_words - len(self.space.document_frequency_)))
        self.space.set_frequencies(frequency + change, int(new.lengths.max(initial=0)))
        if not is_few:
            self.space.clear()
        self._weigh(touched if is_few else None)
        self._add(touched if is_few else None, sign=1)

    def _gamma(self, block: Block, labels: Ints, units: Floats | None = None) -> NDArray[np.float64]:
        parts = [
            self.space.gamma(
                piece,
                labels[start : start + piece.n_texts],
                units=None if units is None else units[_span(block, start, piece)],
            )
            for start, piece in _pieces(block)
        ]
        return np.concatenate([np.zeros(0), *parts])

    def _add(self, rows: Ints | None, *, sign: int) -> None:
        """Add the documents to the label sums, by the weights that are kept, or take them out again."""
        block = self._documents if rows is None else self._documents.take(rows)
        labels = self.labels if rows is None else self.labels[rows]
        units = self._units if rows is None else self._units[self._tokens(rows)]
        for start, piece in _pieces(block):
            here = _span(block, start, piece)
            self.space.add(piece, labels[start : start + piece.n_texts], units=units[here], sign=sign)

    def _weigh(self, rows: Ints | None) -> None:
        """Bring the weights that are kept up to date with the frequencies: of these documents, or of all."""
        block = self._documents if rows is None else self._documents.take(rows)
        at = slice(None) if rows is None else self._tokens(rows)
        times = self._times[at]
        parts = [
            self.space.units(piece, times[_span(block, start, piece)]) for start, piece in _pieces(block)
        ]
        self._units[at] = np.concatenate([np.zeros(0, dtype=np.float32), *parts])

    def _tokens(self, rows: Ints) -> Ints:
        """Where the tokens of these documents are, one document after the other."""
        lengths = self._documents.lengths[rows]
        ends = np.cumsum(lengths)
        within = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
        return np.repeat(self._documents.offsets[rows], lengths) + within

    def _put(self, rows: Ints, new: Block) -> None:
        """The documents with the new ones in their places, laid end to end again; their weights come later."""
        old = self._documents
        starts, lengths = old.offsets[:-1].copy(), old.lengths
        starts[rows], lengths[rows] = len(old.codes) + new.offsets[:-1], new.lengths
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        where = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        self._documents = Block(np.concatenate([old.codes, new.codes])[where], offsets)
        self._times = np.concatenate([self._times, _times(new)])[where]
        self._units = np.concatenate([self._units, np.zeros(len(new.codes), dtype=np.float32)])[where]

    def _encode(self, texts: Sequence[str], *, grow: bool) -> Block:
        """The texts as codes; `grow`: unknown words enter the vocabulary, else they get codes behind it."""
        codes, words, lengths = encode(pl.Series(list(texts), dtype=pl.String))
        if grow:
            of_word = self._vocabulary.add(words)
        else:
            known, behind = self._vocabulary.codes, len(self._vocabulary)
            rare = known.get(RARE)  # where the vocabulary is full, all unknown words are one
            of_word = np.array(
                [known.get(word, behind + i if rare is None else rare) for i, word in enumerate(words)],
                dtype=np.int32,
            )
        return Block(of_word[codes] if words else codes, np.concatenate([[0], np.cumsum(lengths)]))


def _frequency(block: Block, n_words: int) -> Ints:
    """For each word, the number of the block's texts it stands in."""
    return np.bincount(block.counts(n_words).indices, minlength=n_words)


def _times(block: Block) -> NDArray[np.int32]:
    """`repetitions` of a block of any size."""
    parts = [repetitions(piece) for _, piece in _pieces(block)]
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def _has_any(block: Block, words: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each document whether it holds one of the words."""
    found = np.concatenate([[0], np.cumsum(words[block.codes])])
    return np.asarray(found[block.offsets[1:]] > found[block.offsets[:-1]])


def _span(block: Block, start: int, piece: Block) -> slice:
    """Where the tokens of a piece are in the block that it is a piece of."""
    first = int(block.offsets[start])
    return slice(first, first + len(piece.codes))


def _pieces(block: Block) -> Iterator[tuple[int, Block]]:
    """The block in pieces of bounded size, each with the number of its first text."""
    start = 0
    while start < block.n_texts:
        limit = block.offsets[start] + _PIECE
        end = max(start + 1, int(np.searchsorted(block.offsets, limit, side="right")) - 1)
        first, last = block.offsets[start], block.offsets[end]
        yield start, Block(block.codes[first:last], block.offsets[start : end + 1] - first)
        start = end
