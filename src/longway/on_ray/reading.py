"""A dataset read by Ray's workers: the same integers as `detect.reading` makes, in pieces that stay where they were made.

    rows  ->  pieces, cut here as a local run cuts them
          ->  tokens and flags of each piece (map), its words in order of appearance (reduce)  ->  one vocabulary, sent to all
          ->  codes of each piece (map), kept in Ray's object store
          ->  `total`, `each`: a detector's function goes to the pieces, what it counted comes back and is merged in order

A row of the Ray dataset is one piece, so that Ray may cut and join its blocks as it likes: no piece is ever torn. Pieces are those of a
local run, and whole numbers are all that is added up elsewhere; sums of fractions are added here, piece by piece. So the result is
the same to the last bit, whatever the number of blocks.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from longway.data import Dataset
from longway.detect import flags
from longway.detect.reading import CONTEXT, TEXT, Piece, Reading, plus
from longway.on_ray.session import cpus
from longway.text.corpus import RARE, Block, Corpus, slices
from longway.text.tokens import encode

if TYPE_CHECKING:
    from ray.data import Dataset as Pieces

T = TypeVar("T")
MOST_PIECES_A_BLOCK = 16  # about 16 MB of text
BLOCKS_A_CPU = 2  # fewer would leave processors idle at the end of each walk
_PAYLOAD = "payload"


class RayReading(Reading):
    """A labelled dataset as integers, kept and counted by Ray's workers.

    Labels, row numbers and what a walk gives are here; texts and token codes are not.
    """

    is_here = False
    _pieces: Pieces

    @classmethod
    def read(
        cls,
        dataset: Dataset,
        *,
        like: Reading | None = None,
        pieces_a_block: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> RayReading:
        """Read the whole dataset. A session must be open (`session.py`).

        like, progress: as in `Reading.of`. pieces_a_block: how many pieces Ray gets together; without, as many as keep its processors busy.
        """
        reading = cls(dataset, like=like)
        reading.is_spilled = dataset.streamed  # the leak is then measured on as many rows as in a local run
        texts = _put(reading._texts(dataset, progress), dataset.n_used, pieces_a_block)
        tokens = texts.map_batches(_one_by_one(_tokenised), **_WHOLE_BLOCKS).materialize()
        words = _total(tokens, _no_words, _add_words, _more_words)
        reading.vocabulary.add(list(words))
        make = partial(_coded, codes=dict(reading.vocabulary.codes), number=reading.number)
        reading._pieces = tokens.map_batches(_one_by_one(make), **_WHOLE_BLOCKS).materialize()
        reading.corpora = {role: RayCorpus(reading, role) for role in reading.columns}
        return reading

    def _texts(self, dataset: Dataset, progress: Callable[[int], object] | None) -> Iterator[_Texts]:
        """The rows in the pieces of a local run; labels and row numbers are noted here as they go by."""
        start = 0
        for batch in dataset.batches():
            here = slice(start, start + len(batch.rows))
            self.labels[here], self.rows[here] = batch.labels, batch.rows
            columns = {TEXT: batch.texts}
            if CONTEXT in self.columns and batch.contexts is not None:
                columns[CONTEXT] = batch.contexts
            for piece in slices(*columns.values()):
                cut = {role: column[piece] for role, column in columns.items()}
                yield _Texts(start + piece.start, batch.labels[piece], cut)
            start = here.stop
            if progress is not None:
                progress(len(batch.rows))

    def pieces(self) -> Iterator[Piece]:
        """The pieces in order, fetched from where they are one after the other."""
        for row in self._pieces.iter_rows():
            yield pickle.loads(row[_PAYLOAD])

    def each(self, answer: Callable[[Piece], T]) -> Iterator[T]:
        """What `answer` says about each piece, in order; asked where the pieces are."""
        answers = self._pieces.map_batches(_one_by_one(answer), **_WHOLE_BLOCKS)
        for row in answers.iter_rows():
            yield pickle.loads(row[_PAYLOAD])

    def total(
        self,
        empty: Callable[[], T],
        add: Callable[[T, Piece], object],
        merge: Callable[[T, T], object] = plus,  # type: ignore[assignment]
    ) -> T:
        """What `add` makes of `empty()` when it was given all pieces; made block by block, merged here in order."""
        return _total(self._pieces, empty, add, merge)


@dataclass(slots=True)
class _Lengths:
    """Tokens of each text, piece by piece, and how many texts have each word."""

    lengths: list[NDArray[np.int64]]
    frequency: NDArray[np.int64]

    @classmethod
    def none(cls, n_words: int) -> _Lengths:
        return cls([], np.zeros(n_words, dtype=np.int64))

    def merge(self, more: _Lengths) -> None:
        self.lengths += more.lengths
        self.frequency += more.frequency


class RayCorpus(Corpus):
    """One column of a reading on Ray: its counts are known here, its blocks are fetched."""

    def __init__(self, reading: RayReading, role: str) -> None:
        super().__init__(vocabulary=reading.vocabulary)
        self._reading, self._role = reading, role
        n_words = len(reading.vocabulary)

        def add(seen: _Lengths, piece: Piece) -> None:
            block = piece.blocks[role]
            seen.frequency += np.bincount(block.counts(n_words).indices, minlength=n_words)
            seen.lengths.append(block.lengths)

        seen = reading.total(partial(_Lengths.none, n_words), add, _Lengths.merge)
        self._frequency = seen.frequency
        self._lengths = np.concatenate([np.zeros(0, dtype=np.int64), *seen.lengths])
        self.n_texts, self.n_tokens = len(self._lengths), int(self._lengths.sum())

    def blocks(self) -> Iterator[Block]:
        """The blocks in order; each time they are asked for, they come over the network."""
        role = self._role
        return self._reading.each(lambda piece: piece.blocks[role])

    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each text of the corpus."""
        return self._lengths

    def max_length(self) -> int:
        """Tokens of the longest text."""
        return int(self._lengths.max(initial=0))


_WHOLE_BLOCKS: dict[str, Any] = {"batch_size": None, "batch_format": "pyarrow", "zero_copy_batch": True}


@dataclass(frozen=True, slots=True)
class _Texts:
    """A piece before it is cut into tokens."""

    start: int
    labels: NDArray[np.int32]
    columns: dict[str, pl.Series]


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A piece by the codes of its own words; words: by role, in order of appearance, code 0 first."""

    start: int
    labels: NDArray[np.int32]
    words: dict[str, list[str]]
    blocks: dict[str, Block]
    flags: dict[str, NDArray[np.uint32]]


def _put(texts: Iterator[_Texts], n_rows: int, pieces_a_block: int | None) -> Pieces:
    """The pieces as a Ray dataset; read and handed over block by block."""
    import ray
    from ray.data import from_arrow_refs

    refs: list[Any] = []
    waiting: list[bytes] = []
    for piece in texts:
        if (
            pieces_a_block is None
        ):  # as many as leave each processor two blocks, by the size of the first piece
            n_pieces = n_rows / len(piece.labels)
            pieces_a_block = int(np.clip(n_pieces / (BLOCKS_A_CPU * cpus()), 1, MOST_PIECES_A_BLOCK))
        waiting.append(pickle.dumps(piece))
        if len(waiting) >= pieces_a_block:
            refs.append(ray.put(_table(waiting)))
            waiting = []
    if waiting or not refs:
        refs.append(ray.put(_table(waiting)))
    return from_arrow_refs(refs)


def _tokenised(piece: _Texts) -> _Tokens:
    words, blocks = {}, {}
    for role, column in piece.columns.items():
        codes, words[role], lengths = encode(column)
        blocks[role] = Block(codes, np.concatenate([[0], np.cumsum(lengths)]))
    bits = {role: flags.read(column) for role, column in piece.columns.items()}
    return _Tokens(piece.start, piece.labels, words, blocks, bits)


def _no_words() -> dict[str, None]:
    return {}


def _more_words(seen: dict[str, None], more: dict[str, None]) -> None:
    seen.update(more)


def _add_words(seen: dict[str, None], piece: _Tokens) -> None:
    """Note the words in the order in which a local run meets them: those of the text, then those of the context."""
    for words in piece.words.values():
        seen.update(dict.fromkeys(words))


def _coded(piece: _Tokens, codes: Mapping[str, int], number: int) -> Piece:
    """The piece by the codes of all. A word that came when the vocabulary was full has the code of rare words."""
    rare = codes.get(RARE, -1)
    blocks = {}
    for role, block in piece.blocks.items():
        known = np.array([codes.get(word, rare) for word in piece.words[role]], dtype=np.int32)
        blocks[role] = Block(known[block.codes] if len(known) else block.codes, block.offsets)
    return Piece(number, piece.start, piece.labels, blocks, piece.flags)


def _total(
    pieces: Pieces, empty: Callable[[], T], add: Callable[[T, Any], object], merge: Callable[[T, T], object]
) -> T:
    """What `add` makes of all pieces: of those of a block there, and merged here in the order of the blocks."""

    def of_block(table: pa.Table) -> pa.Table:
        result = empty()
        for piece in _pieces_in(table):
            add(result, piece)
        return _table([pickle.dumps(result)])

    result = empty()
    for row in pieces.map_batches(of_block, **_WHOLE_BLOCKS).iter_rows():
        merge(result, pickle.loads(row[_PAYLOAD]))
    return result


def _one_by_one(make: Callable[[Any], object]) -> Callable[[pa.Table], pa.Table]:
    """What is made of each piece of a block."""
    return lambda table: _table([pickle.dumps(make(piece)) for piece in _pieces_in(table)])


def _pieces_in(table: pa.Table) -> Iterator[Any]:
    for payload in table[_PAYLOAD]:
        yield pickle.loads(payload.as_buffer())


def _table(payloads: list[bytes]) -> pa.Table:
    return pa.table({_PAYLOAD: pa.array(payloads, type=pa.large_binary())})
