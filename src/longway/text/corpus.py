"""A column of texts as integers: read once, then every statistic is arithmetic on arrays.

    Vocabulary    token <-> code; grows with the texts
    Block         codes of a few thousand consecutive texts, one after the other, with the start of each text
    Corpus        all blocks of one column, in memory or, for data larger than memory, in files

A block has at most a few hundred thousand tokens (a single text may have more), so block-by-block computations need bounded memory
for datasets of any size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.arrays import Bools, Floats, Ints, Ints32
from longway.text.tokenizer import PLAIN, Tokenizer, is_word

MAX_WORDS = 1 << 20  # three codes of an n-gram fit in one 64-bit integer
RARE = "\u2423rare"  # stands for all tokens first seen after the vocabulary was full
_BLOCK_BYTES = 1_000_000  # of text; about 200,000 tokens


class Vocabulary:
    """Token to code and back; codes count up from 0 in order of first appearance."""

    def __init__(self, *, max_words: int = MAX_WORDS) -> None:
        self.words: list[str] = []
        self.codes: dict[str, int] = {}
        self.max_words = max_words
        self._hashes = np.zeros(0, dtype=np.uint64)

    def __len__(self) -> int:
        return len(self.words)

    def add(self, words: Sequence[str]) -> Ints32:
        """Codes of the words, new ones included; once full, new words share one code."""
        found = [self.codes.get(word, -1) for word in words]
        for i, code in enumerate(found):
            if code < 0:
                found[i] = self._add_one(words[i])
        return np.array(found, dtype=np.int32)

    def _add_one(self, word: str) -> int:
        if word not in self.codes and len(self.words) >= self.max_words - 1:
            word = RARE
        if word not in self.codes:
            self.codes[word] = len(self.words)
            self.words.append(word)
        return self.codes[word]

    @property
    def is_full(self) -> bool:
        """Whether some rare tokens share one code."""
        return RARE in self.codes

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """For each code, a number that depends on its word alone."""
        if len(self._hashes) < len(self.words):
            new = [hash_of(word) for word in self.words[len(self._hashes) :]]
            self._hashes = np.append(self._hashes, np.array(new, dtype=np.uint64))
        return self._hashes

    def word_mask(self) -> Bools:
        """For each code, whether it is a word or number rather than a punctuation mark."""
        return np.fromiter((is_word(w) and w != RARE for w in self.words), dtype=bool, count=len(self.words))


@dataclass(frozen=True, slots=True)
class Block:
    """Token codes of consecutive texts: text i is `codes[offsets[i]:offsets[i + 1]]`."""

    codes: Ints32
    offsets: Ints

    @property
    def n_texts(self) -> int:
        """The number of texts."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        """The number of tokens of each text."""
        return np.diff(self.offsets)

    def rows(self) -> Ints:
        """For each token, the index of its text in the block."""
        return np.repeat(np.arange(self.n_texts), self.lengths)

    def positions(self) -> Ints:
        """For each token, its index in its text."""
        return np.arange(len(self.codes)) - np.repeat(self.offsets[:-1], self.lengths)

    def sum_by_text(self, values: NDArray[Any]) -> Floats:
        """For each text, the sum of its tokens' values."""
        return np.bincount(self.rows(), weights=values, minlength=self.n_texts).astype(np.float64)

    def keys(self) -> NDArray[np.uint64]:
        """A hash of each text's tokens, which depends on their order."""
        mixed = mix(self.codes.astype(np.uint64) + np.uint64(1))
        terms = mix(mixed + self.positions().astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93))
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
        return sums[self.offsets[1:]] - sums[self.offsets[:-1]]

    def counts(self, n_words: int) -> csr_matrix:
        """Texts x words: how often each word occurs in each text."""
        ones = np.ones(len(self.codes), dtype=np.int32)
        matrix = csr_matrix((ones, self.codes.copy(), self.offsets), shape=(self.n_texts, n_words))
        matrix.sum_duplicates()
        return matrix

    def spelled(self, words: Sequence[str]) -> list[list[str]]:
        """The tokens of each text. words: of the vocabulary."""
        return [[words[code] for code in text.tolist()] for text in np.split(self.codes, self.offsets[1:-1])][
            : self.n_texts
        ]

    def take(self, texts: Ints) -> Block:
        """Some texts of this block, as a block."""
        lengths = self.lengths[texts]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return Block(self.codes[np.repeat(self.offsets[texts], lengths) + within], offsets)


class Corpus:
    """All texts of one column as token codes.

    >>> corpus = Corpus()
    >>> corpus.add(pl.Series(["not good", "good good"]))
    >>> [(b.codes.tolist(), b.offsets.tolist()) for b in corpus.blocks()]
    [([0, 1, 1, 1], [0, 2, 4])]
    >>> corpus.document_frequency().tolist()
    [1, 2]
    """

    def __init__(
        self, *, spill: Path | None = None, vocabulary: Vocabulary | None = None, tokenizer: Tokenizer = PLAIN
    ) -> None:
        """Create an empty corpus. spill: a folder for the blocks, which otherwise stay in memory."""
        self.vocabulary = Vocabulary() if vocabulary is None else vocabulary
        self.tokenizer = tokenizer
        self.n_texts = 0
        self.n_tokens = 0
        self._spill = spill
        self._blocks: list[Block | Path] = []
        self._frequency = np.zeros(0, dtype=np.int64)

    @classmethod
    def from_texts(cls, texts: Iterable[str], tokenizer: Tokenizer = PLAIN) -> Corpus:
        """The corpus of some texts."""
        corpus = cls(tokenizer=tokenizer)
        corpus.add(pl.Series(list(texts), dtype=pl.String))
        return corpus

    def add(self, texts: pl.Series) -> None:
        """Append a column of texts, in blocks of bounded size."""
        for piece in slices(texts):
            self.add_block(texts[piece])

    def add_block(self, texts: pl.Series) -> None:
        """Append a column of texts as one block."""
        codes, words, lengths = self.tokenizer.encode(texts)
        codes = self.vocabulary.add(words)[codes] if words else codes
        block = Block(codes, np.concatenate([[0], np.cumsum(lengths)]))
        self.n_texts += block.n_texts
        self.n_tokens += len(block.codes)
        self._count(block)
        self._blocks.append(block if self._spill is None else self._write(block))

    def _write(self, block: Block) -> Path:
        assert self._spill is not None
        path = self._spill / f"block-{len(self._blocks):06d}"
        head = np.array([block.n_texts], dtype=np.int32)
        # Not by numpy, whose error for a full disk does not say that it is full.
        path.write_bytes(np.concatenate([head, block.lengths.astype(np.int32), block.codes]).data)
        return path

    def blocks(self) -> Iterator[Block]:
        """The blocks in order."""
        for kept in self._blocks:
            if isinstance(kept, Block):
                yield kept
            else:
                saved = np.fromfile(kept, dtype=np.int32)  # number of texts, their lengths, their codes
                n_texts = int(saved[0])
                lengths = saved[1 : 1 + n_texts].astype(np.int64)
                yield Block(saved[1 + n_texts :], np.concatenate([[0], np.cumsum(lengths)]))

    def document_frequency(self) -> Ints:
        """For each word of the vocabulary, the number of texts that contain it."""
        new = len(self.vocabulary) - len(self._frequency)
        return np.pad(self._frequency, (0, new))

    def _count(self, block: Block) -> None:
        n_words = len(self.vocabulary)
        self._frequency = self.document_frequency()
        self._frequency += np.bincount(block.counts(n_words).indices, minlength=n_words)

    def lengths(self) -> Ints:
        """The number of tokens of each text."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *(b.lengths for b in self.blocks())])

    def max_length(self) -> int:
        """The number of tokens of the longest text."""
        return max((int(b.lengths.max(initial=0)) for b in self.blocks()), default=0)


@lru_cache(maxsize=1 << 18)
def hash_of(word: str) -> int:
    """64 bits of a word, the same in every process."""
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter 64-bit integers (splitmix64's finaliser)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def slices(*columns: pl.Series) -> Iterator[slice]:
    """Slices of columns of the same length, each with a bounded amount of text.

    >>> list(slices(pl.Series(["a", "b"]), pl.Series(["c", "d"])))
    [slice(0, 2, None)]
    """
    size = sum(int(column.str.len_bytes().sum() or 0) for column in columns)
    n_rows = len(columns[0])
    step = max(1, -(-n_rows // (1 + size // _BLOCK_BYTES)))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
