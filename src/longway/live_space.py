"""A shortcut space that stays exact while documents are replaced.

RAZOR's loop (Algorithm 1) swaps one document after another for its rewrite. A swap changes the document
itself and the document frequency of the words that came or went; through Eq. 7 that moves every document
that holds one of *those* words, and no other. So `replace` takes just these out of the label sums, updates the
frequencies, and puts them back in; where they are more than half of all documents it is quicker to add up all of them
anew, which gives the same sums. All gammas then follow from the sums.

Texts that are only scored leave no trace: their unknown words get codes behind the vocabulary for the moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.metrics.divergence import PairwiseKL
from longway.shortcut_space import Ints, ShortcutSpace, Variant
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

    def __len__(self) -> int:
        return self._documents.n_texts

    def gamma(self, rows: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Eq. 12 for the given rows, or for all, as the dataset stands now."""
        if rows is None:
            return self._gamma(self._documents, self.labels)
        chosen = np.asarray(rows, dtype=np.int64)
        return self._gamma(self._documents.take(chosen), self.labels[chosen])

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
            kl.add(self.space.vectors(block), self.labels[start : start + block.n_texts])
        return kl.mean()

    def replace(self, texts: Mapping[int, str]) -> None:
        """Put new texts in place of the given rows and bring counts and means up to date."""
        rows = np.array(sorted(texts), dtype=np.int64)
        new = self._encode([texts[row] for row in rows.tolist()], grow=True)
        n_words = len(self._vocabulary)
        change = _frequency(new, n_words) - _frequency(self._documents.take(rows), n_words)
        moved = self._documents.sum_by_text((change != 0)[self._documents.codes]) > 0
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
        self._add(touched if is_few else None, sign=1)

    def _gamma(self, block: Block, labels: Ints) -> NDArray[np.float64]:
        parts = [
            self.space.gamma(piece, labels[start : start + piece.n_texts]) for start, piece in _pieces(block)
        ]
        return np.concatenate([np.zeros(0), *parts])

    def _add(self, rows: Ints | None, *, sign: int) -> None:
        block = self._documents if rows is None else self._documents.take(rows)
        labels = self.labels if rows is None else self.labels[rows]
        for start, piece in _pieces(block):
            self.space.add(piece, labels[start : start + piece.n_texts], sign=sign)

    def _put(self, rows: Ints, new: Block) -> None:
        """The documents with the new ones in their places, laid end to end again."""
        old = self._documents
        starts, lengths = old.offsets[:-1].copy(), old.lengths
        starts[rows], lengths[rows] = len(old.codes) + new.offsets[:-1], new.lengths
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        where = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        self._documents = Block(np.concatenate([old.codes, new.codes])[where], offsets)

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


def _pieces(block: Block) -> Iterator[tuple[int, Block]]:
    """The block in pieces of bounded size, each with the number of its first text."""
    start = 0
    while start < block.n_texts:
        limit = block.offsets[start] + _PIECE
        end = max(start + 1, int(np.searchsorted(block.offsets, limit, side="right")) - 1)
        first, last = block.offsets[start], block.offsets[end]
        yield start, Block(block.codes[first:last], block.offsets[start : end + 1] - first)
        start = end
