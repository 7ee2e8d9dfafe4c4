"""Spaces that RAZOR's loop updates while it rewrites: `LiveSpace` (the shortcut space) and `EmbeddingSpace`.

**LiveSpace stays exact while documents are replaced.** RAZOR's loop (Algorithm 1) replaces one document after another by
its rewrite. A replacement changes the document itself and the document frequency of the words that were added or removed.
Through Eq. 7 it moves every document with one of *those* words, and no other. So `replace` subtracts just these from the
label sums, updates the frequencies, and adds them again; if they are more than half of all documents, it is faster to sum
all documents from scratch, with the same result. All gammas then follow from the sums.

Two numbers are kept per token: its count in its text, which no other text changes, and its weight in the unit vector,
which is recomputed only for documents that moved. Without them a round at a million rows spends most of its time here.

Scoring a candidate changes nothing: its unknown words temporarily get codes beyond the vocabulary.

**EmbeddingSpace** is the paper's ablation (section 4.2): the same loop with a model's vectors instead of Eq. 10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from longway.arrays import Bools, Floats, Floats32, Ints, Ints32
from longway.errors import SettingError
from longway.metrics.vectors import PairwiseKL
from longway.space.shortcut import ShortcutSpace, Variant, mean_cosine, token_counts
from longway.text.corpus import RARE, Block, Corpus
from longway.text.tokenizer import PLAIN, Tokenizer

Embed = Callable[[Sequence[str]], ArrayLike]
SpaceName = Literal["mean", "token", "embedding"]

_PIECE = 1 << 18  # tokens per step, to bound memory


def space_named(
    name: SpaceName,
    texts: Sequence[str],
    labels: Ints,
    *,
    dimensions: int = 64,
    embed: Embed | None = None,
    tokenizer: Tokenizer = PLAIN,
) -> Space:
    """The space with this name over the documents."""
    if name not in get_args(SpaceName):
        raise SettingError(
            f"'space' must be one of {', '.join(get_args(SpaceName))}. Got {name!r}. Use 'mean', as in the paper."
        )
    if name != "embedding":
        return LiveSpace(texts, labels.tolist(), variant=name, dimensions=dimensions, tokenizer=tokenizer)
    if embed is None:
        raise SettingError(
            "The space 'embedding' needs a function that returns vectors. Got none. "
            "Pass 'embed' (`longway rewrite` uses the sentence encoder all-MiniLM-L6-v2), or use the space 'mean'."
        )
    return EmbeddingSpace(texts, labels, embed)


class LiveSpace:
    """The shortcut space of a dataset that is being rewritten.

    >>> live = LiveSpace(["not a hit", "not a film", "a hit", "a film"], [0, 0, 1, 1], variant="token")
    >>> before = live.gamma([0])[0]
    >>> live.replace({0: "no hit"})
    >>> bool(live.gamma([1])[0] == before)
    False
    """

    def __init__(
        self,
        texts: Sequence[str],
        labels: Sequence[int],
        *,
        variant: Variant = "mean",
        dimensions: int = 64,
        tokenizer: Tokenizer = PLAIN,
    ) -> None:
        self._tokenizer = tokenizer
        corpus = Corpus.from_texts(texts, tokenizer)
        self.labels = np.asarray(labels, dtype=np.int64)
        self.space = ShortcutSpace(variant=variant, dimensions=dimensions).learn(corpus, self.labels)
        self._vocabulary = corpus.vocabulary
        codes = np.concatenate([np.zeros(0, dtype=np.int32), *(block.codes for block in corpus.blocks())])
        self._documents = Block(codes, np.concatenate([[0], np.cumsum(corpus.lengths())]))
        self._counts = _token_counts(self._documents)
        self._units = np.zeros(len(codes), dtype=np.float32)
        self._update_units(None)

    def gamma(self, rows: Sequence[int] | None = None) -> Floats:
        """Eq. 12 of the given rows, or of all, for the current dataset."""
        if rows is None:
            return self._gamma(self._documents, self.labels, self._units)
        chosen = np.asarray(rows, dtype=np.int64)
        units = self._units[self._token_indices(chosen)]
        return self._gamma(self._documents.take(chosen), self.labels[chosen], units)

    def score(self, candidates: Sequence[str], labels: int | Sequence[int] | Ints) -> Floats:
        """Eq. 12 of texts that are not in the dataset, as if they had these labels (Algorithm 1, line 15).

        labels: one for all, or one per text. Document frequencies are those of the current dataset, without the change
        that the replacement itself would make, so gamma after `replace` can differ slightly.
        """
        block = self._encode(candidates, grow=False)
        self.space.expect_length(int(block.lengths.max(initial=0)))
        return self._gamma(block, np.broadcast_to(np.asarray(labels, dtype=np.int64), block.n_texts))

    def mean_cosine(self) -> float:
        """Eq. 14 per pair: the mean cosine of documents with different labels; rises as the labels become alike."""
        return self.space.mean_cosine()

    def divergence(self) -> float:
        """The mean KL divergence of documents with different labels (`metrics/vectors.py`); falls as they become alike.

        Always of the vectors of Eq. 10: vectors of the token variant have a dimension per word, and as
        distributions they hardly differ.
        """
        kl = PairwiseKL(self.space.n_labels_, self.space.dimensions)
        for texts, tokens, block in _pieces(self._documents):
            kl.add(self.space.vectors(block, self._counts[tokens]), self.labels[texts])
        return kl.mean()

    def replace(self, texts: Mapping[int, str]) -> None:
        """Replace the texts of the given rows and update frequencies and sums."""
        rows = np.array(sorted(texts), dtype=np.int64)
        new = self._encode([texts[row] for row in rows.tolist()], grow=True)
        n_words = len(self._vocabulary)
        change = _document_frequency(new, n_words) - _document_frequency(self._documents.take(rows), n_words)
        is_moved = _has_any(self._documents, change != 0)
        is_moved[rows] = True
        moved = np.flatnonzero(is_moved)
        is_few = 2 * len(moved) <= len(self.labels)
        if is_few:
            self._add(moved, sign=-1)
        self._splice(rows, new)
        frequency = np.pad(self.space.document_frequency_, (0, n_words - len(self.space.document_frequency_)))
        self.space.set_frequencies(frequency + change, int(new.lengths.max(initial=0)))
        if not is_few:
            self.space.clear()
        self._update_units(moved if is_few else None)
        self._add(moved if is_few else None, sign=1)

    def _gamma(self, block: Block, labels: Ints, units: Floats32 | None = None) -> Floats:
        parts = [
            self.space.gamma(piece, labels[texts], units=None if units is None else units[tokens])
            for texts, tokens, piece in _pieces(block)
        ]
        return np.concatenate([np.zeros(0), *parts])

    def _add(self, rows: Ints | None, *, sign: int) -> None:
        """Add documents (None: all) to the label sums by their kept weights, or subtract them."""
        block = self._documents if rows is None else self._documents.take(rows)
        labels = self.labels if rows is None else self.labels[rows]
        units = self._units if rows is None else self._units[self._token_indices(rows)]
        for texts, tokens, piece in _pieces(block):
            self.space.add(piece, labels[texts], units=units[tokens], sign=sign)

    def _update_units(self, rows: Ints | None) -> None:
        """Recompute the kept weights of these documents (None: all) from the current frequencies."""
        block = self._documents if rows is None else self._documents.take(rows)
        at = slice(None) if rows is None else self._token_indices(rows)
        counts = self._counts[at]
        parts = [self.space.units(piece, counts[tokens]) for _, tokens, piece in _pieces(block)]
        self._units[at] = np.concatenate([np.zeros(0, dtype=np.float32), *parts])

    def _token_indices(self, rows: Ints) -> Ints:
        """Indices of the tokens of these documents, one document after the other."""
        lengths = self._documents.lengths[rows]
        ends = np.cumsum(lengths)
        within = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
        return np.repeat(self._documents.offsets[rows], lengths) + within

    def _splice(self, rows: Ints, new: Block) -> None:
        """Put the new documents at these rows and lay all out end to end again; their weights are computed later."""
        old = self._documents
        starts, lengths = old.offsets[:-1].copy(), old.lengths
        starts[rows], lengths[rows] = len(old.codes) + new.offsets[:-1], new.lengths
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        source = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        self._documents = Block(np.concatenate([old.codes, new.codes])[source], offsets)
        self._counts = np.concatenate([self._counts, _token_counts(new)])[source]
        self._units = np.concatenate([self._units, np.zeros(len(new.codes), dtype=np.float32)])[source]

    def _encode(self, texts: Sequence[str], *, grow: bool) -> Block:
        """The texts as codes; `grow`: unknown words enter the vocabulary, else they get codes beyond it."""
        codes, words, lengths = self._tokenizer.encode(pl.Series(list(texts), dtype=pl.String))
        if grow:
            of_word = self._vocabulary.add(words)
        else:
            known, beyond = self._vocabulary.codes, len(self._vocabulary)
            rare = known.get(RARE)  # once the vocabulary is full, all unknown words share this code
            of_word = np.array(
                [known.get(word, beyond + i if rare is None else rare) for i, word in enumerate(words)],
                dtype=np.int32,
            )
        return Block(of_word[codes] if words else codes, np.concatenate([[0], np.cumsum(lengths)]))


class EmbeddingSpace:
    """Documents as the vectors of an embedding model."""

    def __init__(self, texts: Sequence[str], labels: Sequence[int] | Ints, embed: Embed) -> None:
        self.labels: Ints = np.asarray(labels, dtype=np.int64)
        self._embed = embed
        self._scored: dict[str, Floats] = {}  # vectors of the last candidates; one is likely used next
        self._vectors = self._vectors_of(texts)
        self._n = np.bincount(self.labels)
        self._sums = np.zeros((len(self._n), self._vectors.shape[1]))
        self._add(np.arange(len(texts)), sign=1)

    def gamma(self, rows: Sequence[int] | None = None) -> Floats:
        """Eq. 12 of the given rows, or of all, for the current dataset."""
        chosen = np.arange(len(self.labels)) if rows is None else np.asarray(rows, dtype=np.int64)
        return self._gamma(self._vectors[chosen], self.labels[chosen])

    def score(self, candidates: Sequence[str], labels: int | Sequence[int] | Ints) -> Floats:
        """Eq. 12 of texts that are not in the dataset, as if they had these labels."""
        vectors = self._vectors_of(candidates)
        self._scored = dict(zip(candidates, vectors, strict=True))
        return self._gamma(vectors, np.broadcast_to(np.asarray(labels, dtype=np.int64), len(candidates)))

    def replace(self, texts: Mapping[int, str]) -> None:
        """Replace the texts of the given rows."""
        if not texts:
            return
        rows = np.array(sorted(texts), dtype=np.int64)
        self._add(rows, sign=-1)
        self._vectors[rows] = self._vectors_of([texts[row] for row in rows.tolist()])
        self._add(rows, sign=1)

    def mean_cosine(self) -> float:
        """Eq. 14 per pair of documents with different labels."""
        return mean_cosine(self._sums, self._n)

    def divergence(self) -> float:
        """The mean KL divergence of documents with different labels; vectors become distributions by softmax."""
        return PairwiseKL(len(self._n), self._vectors.shape[1]).add(self._vectors, self.labels).mean()

    def _vectors_of(self, texts: Sequence[str]) -> Floats:
        new = [text for text in dict.fromkeys(texts) if text not in self._scored]
        known = dict(self._scored)
        if new:
            known.update(zip(new, np.asarray(self._embed(new), dtype=np.float64), strict=True))
        return np.array([known[text] for text in texts], dtype=np.float64)

    def _gamma(self, vectors: Floats, labels: Ints) -> Floats:
        others = (self._sums.sum(axis=0) - self._sums) / np.maximum(self._n.sum() - self._n, 1)[:, None]
        units = _unit_vectors(vectors)
        cosines = np.einsum("ij,ij->i", units, others[labels])
        return np.where(np.square(units).sum(axis=1) > 0, 1 - cosines, np.nan)

    def _add(self, rows: Ints, *, sign: int) -> None:
        np.add.at(self._sums, self.labels[rows], sign * _unit_vectors(self._vectors[rows]))


Space = LiveSpace | EmbeddingSpace  # documents as vectors, kept up to date while some are replaced


def _unit_vectors(vectors: Floats) -> Floats:
    norms = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
    return vectors / np.where(norms > 0, norms, np.inf)


def _document_frequency(block: Block, n_words: int) -> Ints:
    """For each word, the number of texts of the block that contain it."""
    return np.bincount(block.counts(n_words).indices, minlength=n_words)


def _token_counts(block: Block) -> Ints32:
    """`token_counts` of a block of any size."""
    parts = [token_counts(piece) for _, _, piece in _pieces(block)]
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def _has_any(block: Block, words: Bools) -> Bools:
    """Which documents contain one of the words."""
    total = np.concatenate([[0], np.cumsum(words[block.codes])])
    return np.asarray(total[block.offsets[1:]] > total[block.offsets[:-1]])


def _pieces(block: Block) -> Iterator[tuple[slice, slice, Block]]:
    """The block in pieces of bounded size, each with its range of texts and its range of tokens."""
    start = 0
    while start < block.n_texts:
        limit = block.offsets[start] + _PIECE
        end = max(start + 1, int(np.searchsorted(block.offsets, limit, side="right")) - 1)
        first, last = int(block.offsets[start]), int(block.offsets[end])
        piece = Block(block.codes[first:last], block.offsets[start : end + 1] - first)
        yield slice(start, end), slice(first, last), piece
        start = end
