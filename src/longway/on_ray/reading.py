"""A dataset read by Ray's workers: the same integers as `detect.reading` makes, in pieces that stay where they were made.

    files, or rows that are here  ->  pieces, cut as a local run cuts them
          ->  tokens and flags of each piece (map), its words in order of appearance (reduce)  ->  one vocabulary, sent to all
          ->  codes of each piece (map), kept in Ray's object store
          ->  `total`, `each`: a detector's function goes to the pieces, what it counted comes back and is merged in order

Workers read the files where a dataset is streamed, has several parts (`Dataset.parts`) and they see all of them; else the rows are
read here and handed over. Pieces are those of a local run, and whole numbers are all that is added up elsewhere; sums of fractions
are added here, piece by piece. So the result is the same to the last bit, whatever the number of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.data import Batch, Dataset
from longway.data.parts import Part, Seen
from longway.detect import flags
from longway.detect.reading import CONTEXT, TEXT, Piece, Reading, plus
from longway.errors import DataError
from longway.on_ray.pieces import Pieces, keep
from longway.on_ray.session import cpus
from longway.text.corpus import RARE, Block, Corpus, slices
from longway.text.tokens import encode

T = TypeVar("T")
MOST_PIECES_A_BLOCK = 16  # about 16 MB of text
BLOCKS_A_CPU = 2  # fewer would leave processors idle at the end of each walk


class RayReading(Reading):
    """A labelled dataset as integers, kept and counted by Ray's workers.

    Labels, row numbers and what a walk gives are here; texts and token codes are not.
    parts: those that workers read, each with where its used rows are among all; none where the rows were read here.
    """

    is_here = False
    _pieces: Pieces
    parts: list[tuple[Part, slice]]

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

        like, progress: as in `Reading.of`. pieces_a_block: how many pieces Ray gets together where the rows are read here; without,
        as many as keep its processors busy.
        """
        reading = cls(dataset, like=like)
        reading.is_spilled = dataset.streamed  # the leak is then measured on as many rows as in a local run
        roles = tuple(reading.columns)
        if parts := parts_seen(dataset):
            reading._pieces = keep([numbered] for numbered in enumerate(parts))
            reading._pieces.become(partial(_read_part, roles=roles))
        else:
            texts = _cut(_told(dataset.batches(), progress), 0, roles)
            reading._pieces = keep(_blocks(texts, dataset.n_used, pieces_a_block))
            reading._pieces.become(_tokenised)
        survey = reading._pieces.total(_Survey, _Survey.add, _Survey.merge)
        starts = survey.starts()
        reading.parts = [
            (replace(part, source_row=begin.source_row, row=begin.row), slice(begin.used, end.used))
            for part, begin, end in zip(parts, starts, starts[1:], strict=False)
        ]
        reading._note(survey, starts, dataset)
        if parts and progress is not None:
            progress(reading.n_texts)
        reading.vocabulary.add(list(survey.words))
        codes = dict(reading.vocabulary.codes)
        used = [start.used for start in starts]
        reading._pieces.become(partial(_coded, codes=codes, number=reading.number, starts=used))
        reading.corpora = {role: RayCorpus(reading, role) for role in reading.columns}
        return reading

    def _note(self, survey: _Survey, starts: list[_Rows], dataset: Dataset) -> None:
        """Put the labels and row numbers of all pieces in their places."""
        if sum(len(rows) for *_, rows in survey.pieces) != dataset.n_used:
            raise DataError(
                f"{dataset.source_name} changed while it was read: it had {dataset.n_used:,} rows to use. "
                "Files must stay as they are during a run. Start it again."
            )
        for part, start, labels, rows in survey.pieces:
            first = starts[part].used + start
            self.labels[first : first + len(rows)] = labels
            self.rows[first : first + len(rows)] = rows + starts[part].row

    def pieces(self) -> Iterator[Piece]:
        """The pieces in order, fetched from where they are one after the other."""
        return self._pieces.each(_itself)

    def each(self, answer: Callable[[Piece], T]) -> Iterator[T]:
        """What `answer` says about each piece, in order; asked where the pieces are."""
        return self._pieces.each(answer)

    def total(
        self,
        empty: Callable[[], T],
        add: Callable[[T, Piece], object],
        merge: Callable[[T, T], object] = plus,  # type: ignore[assignment]
    ) -> T:
        """What `add` makes of `empty()` when it was given all pieces; made block by block, merged in order."""
        return self._pieces.total(empty, add, merge)


def parts_seen(dataset: Dataset) -> list[Part]:
    """The parts of a dataset in several that Ray's workers can read; none where a worker does not see a file."""
    parts = dataset.parts()
    if len(parts) < 2:
        return []
    seen = keep([part] for part in parts).each(lambda part: part.is_there)
    return parts if all(list(seen)) else []


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


@dataclass(frozen=True, slots=True)
class _Texts:
    """A piece before it is cut into tokens.

    part, start: the part it belongs to, and its place there. rows: its row numbers there.
    """

    part: int
    start: int
    labels: NDArray[np.int32]
    rows: NDArray[np.int64]
    columns: dict[str, pl.Series]


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A piece by the codes of its own words; words: by role, in order of appearance, code 0 first."""

    part: int
    start: int
    labels: NDArray[np.int32]
    rows: NDArray[np.int64]
    words: dict[str, list[str]]
    blocks: dict[str, Block]
    flags: dict[str, NDArray[np.uint32]]


@dataclass(frozen=True, slots=True)
class _Rows:
    """How many rows a part held, or all parts before it: in their files, in the dataset, and usable. Comes behind its pieces."""

    source_row: int = 0
    row: int = 0
    used: int = 0


@dataclass(slots=True)
class _Survey:
    """What must be known of all pieces before they get their codes: words in order of appearance, labels, row numbers, lengths of parts."""

    words: dict[str, None] = field(default_factory=dict)
    pieces: list[tuple[int, int, NDArray[np.int32], NDArray[np.int64]]] = field(default_factory=list)
    parts: list[_Rows] = field(default_factory=list)

    def add(self, piece: _Tokens | _Rows) -> None:
        if isinstance(piece, _Rows):
            self.parts.append(piece)
            return
        for (
            words
        ) in piece.words.values():  # as a local run meets them: those of the text, then those of the context
            self.words.update(dict.fromkeys(words))
        self.pieces.append((piece.part, piece.start, piece.labels, piece.rows))

    def merge(self, more: _Survey) -> None:
        self.words.update(more.words)
        self.pieces += more.pieces
        self.parts += more.parts

    def starts(self) -> list[_Rows]:
        """What came before each part, and what there is in all."""
        found = [_Rows()]
        for more in self.parts:
            last = found[-1]
            found.append(_Rows(last.source_row + more.source_row, last.row + more.row, last.used + more.used))
        return found


def _blocks(texts: Iterable[_Texts], n_rows: int, pieces_a_block: int | None) -> Iterator[list[_Texts]]:
    """The pieces in blocks."""
    waiting: list[_Texts] = []
    for piece in texts:
        if (
            pieces_a_block is None
        ):  # as many as leave each processor two blocks, by the size of the first piece
            n_pieces = n_rows / len(piece.labels)
            pieces_a_block = int(np.clip(n_pieces / (BLOCKS_A_CPU * cpus()), 1, MOST_PIECES_A_BLOCK))
        waiting.append(piece)
        if len(waiting) >= pieces_a_block:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _told(batches: Iterable[Batch], progress: Callable[[int], object] | None) -> Iterator[Batch]:
    for batch in batches:
        yield batch
        if progress is not None:
            progress(len(batch.rows))


def _cut(batches: Iterable[Batch], part: int, roles: tuple[str, ...]) -> Iterator[_Texts]:
    """The rows in the pieces of a local run."""
    start = 0
    for batch in batches:
        columns = {TEXT: batch.texts}
        if CONTEXT in roles and batch.contexts is not None:
            columns[CONTEXT] = batch.contexts
        for piece in slices(*columns.values()):
            cut = {role: column[piece] for role, column in columns.items()}
            yield _Texts(part, start + piece.start, batch.labels[piece], batch.rows[piece], cut)
        start += len(batch.rows)


def _read_part(numbered: tuple[int, Part], roles: tuple[str, ...]) -> Iterator[_Tokens | _Rows]:
    """The pieces of a part that is read where this runs, and what it held."""
    number, part = numbered
    seen, n_used = Seen(), 0
    for texts in _cut(part.batches(seen), number, roles):
        n_used += len(texts.rows)
        yield from _tokenised(texts)
    yield _Rows(seen.source_rows, seen.rows, n_used)


def _tokenised(piece: _Texts) -> Iterator[_Tokens]:
    words, blocks = {}, {}
    for role, column in piece.columns.items():
        codes, words[role], lengths = encode(column)
        blocks[role] = Block(codes, np.concatenate([[0], np.cumsum(lengths)]))
    bits = {role: flags.read(column) for role, column in piece.columns.items()}
    yield _Tokens(piece.part, piece.start, piece.labels, piece.rows, words, blocks, bits)


def _coded(
    piece: _Tokens | _Rows, codes: Mapping[str, int], number: int, starts: list[int]
) -> Iterator[Piece]:
    """The piece by the codes of all. A word that came when the vocabulary was full has the code of rare words."""
    if isinstance(piece, _Rows):
        return
    rare = codes.get(RARE, -1)
    blocks = {}
    for role, block in piece.blocks.items():
        known = np.array([codes.get(word, rare) for word in piece.words[role]], dtype=np.int32)
        blocks[role] = Block(known[block.codes] if len(known) else block.codes, block.offsets)
    yield Piece(number, starts[piece.part] + piece.start, piece.labels, blocks, piece.flags)


def _itself(piece: Piece) -> Piece:
    return piece
