"""A dataset read by Ray's workers: the same integers as in `detect.reading`, in pieces that stay where they were created.

    files, or rows of this process  ->  pieces, split as in a local run
          ->  tokens and flags of each piece (map), its words in order of appearance (reduce)  ->  one vocabulary, sent to all
          ->  codes of each piece (map), kept in Ray's object store
          ->  `total`, `each`: a detector's function is sent to the pieces; its counts come back and are merged in order

Workers read the files if a dataset is streamed, has several parts (`Dataset.parts`) and they see all of them; otherwise the rows are read
here and sent. Pieces are those of a local run, and only whole numbers are added by the workers; sums of fractions
are added here, piece by piece. So the result is identical to the last bit, whatever the number of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.data import Batch, Dataset
from longway.data.batches import DatasetPart, RowCounter
from longway.detect import surface_questions
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart, plus
from longway.errors import DataError
from longway.languages.words import languages_in_use, rules_for
from longway.on_ray.pieces import Pieces, keep
from longway.on_ray.session import cpus, session
from longway.tokens.corpus import RARE, Block, Corpus, slices
from longway.tokens.tokenizer import encode, splitting

T = TypeVar("T")
MAX_PIECES_PER_BLOCK = 16  # about 16 MB of text
BLOCKS_PER_CPU = 2  # fewer would leave processors idle at the end of each pass


class RayReading(Reading):
    """A labelled dataset as integers, kept and counted by Ray's workers.

    Labels, row numbers and results are in this process; texts and token codes are not.
    parts: the parts that workers read, each with the slice of its used rows; empty if the rows were read here.
    """

    is_here = False
    _pieces: Pieces
    parts: list[tuple[DatasetPart, slice]]

    @classmethod
    def read(
        cls,
        dataset: Dataset,
        *,
        like: Reading | None = None,
        pieces_per_block: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> RayReading:
        """Read the whole dataset. A session must be open (`session.py`).

        like, progress: as in `Reading.of`. pieces_per_block: pieces sent to Ray together if the rows are read here; by default
        as many as keep its processors busy.
        """
        reading = cls(dataset, like=like)
        reading.is_spilled = (
            dataset.streamed
        )  # so that the leak is measured on as many rows as in a local run
        roles = tuple(reading.columns)
        if parts := _visible_parts(dataset):
            reading._pieces = keep([numbered] for numbered in enumerate(parts))
            reading._pieces.become(partial(_read_part, roles=roles, languages=languages_in_use()))
        else:
            texts = _split(_reporting(dataset.batches(), progress), 0, roles)
            reading._pieces = keep(_blocks(texts, dataset.n_used, pieces_per_block))
            reading._pieces.become(partial(_tokenised, languages=languages_in_use()))
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
        """Copy the labels and row numbers of all pieces."""
        if sum(len(rows) for *_, rows in survey.pieces) != dataset.n_used:
            raise DataError(
                f"{dataset.source_name} changed while it was read: it had {dataset.n_used:,} usable rows. "
                "Files must not change during a run. Start it again."
            )
        for part, start, labels, rows in survey.pieces:
            first = starts[part].used + start
            self.labels[first : first + len(rows)] = labels
            self.rows[first : first + len(rows)] = rows + starts[part].row

    def pieces(self) -> Iterator[ReadingPart]:
        """The pieces in order, fetched one after the other."""
        return self._pieces.each(_itself)

    def each(self, answer: Callable[[ReadingPart], T]) -> Iterator[T]:
        """The result of `answer` for each piece, in order, computed by the workers."""
        return self._pieces.each(answer)

    def total(
        self,
        empty: Callable[[], T],
        add: Callable[[T, ReadingPart], object],
        merge: Callable[[T, T], object] = plus,  # type: ignore[assignment]
    ) -> T:
        """The result of adding all pieces to `empty()`: block by block, merged in order."""
        return self._pieces.total(empty, add, merge)


@contextmanager
def reader_on_ray(place: str) -> Iterator[Callable[..., Reading]]:
    """The function that reads datasets on Ray, for the duration of the block."""
    with session(place):
        yield RayReading.read


def parts_read(reading: Reading) -> list[tuple[DatasetPart, slice]]:
    """The parts of a dataset that workers read, each with the slice of its used rows; empty if the rows were read in this process."""
    return reading.parts if isinstance(reading, RayReading) else []


def parts_of(dataset: Dataset) -> list[DatasetPart]:
    """The parts of a dataset that Ray's workers can read, each with its first source row; empty if a worker does not see a file."""
    parts = _visible_parts(dataset)
    lengths = keep([part] for part in parts).each(DatasetPart.n_source_rows) if parts else ()
    starts = accumulate(lengths, initial=0)
    return [replace(part, source_row=start) for part, start in zip(parts, starts, strict=False)]


def _visible_parts(dataset: Dataset) -> list[DatasetPart]:
    parts = dataset.parts()
    if len(parts) < 2:
        return []
    seen = keep([part] for part in parts).each(lambda part: part.is_there)
    return parts if all(list(seen)) else []


@dataclass(slots=True)
class _Lengths:
    """The number of tokens of each text, piece by piece, and how many texts have each word."""

    lengths: list[NDArray[np.int64]]
    frequency: NDArray[np.int64]

    @classmethod
    def none(cls, n_words: int) -> _Lengths:
        return cls([], np.zeros(n_words, dtype=np.int64))

    def merge(self, more: _Lengths) -> None:
        self.lengths += more.lengths
        self.frequency += more.frequency


class RayCorpus(Corpus):
    """One column of a reading on Ray: its counts are in this process, its blocks are fetched."""

    def __init__(self, reading: RayReading, role: str) -> None:
        super().__init__(vocabulary=reading.vocabulary)
        self._reading, self._role = reading, role
        n_words = len(reading.vocabulary)

        def add(seen: _Lengths, piece: ReadingPart) -> None:
            block = piece.blocks[role]
            seen.frequency += np.bincount(block.counts(n_words).indices, minlength=n_words)
            seen.lengths.append(block.lengths)

        seen = reading.total(partial(_Lengths.none, n_words), add, _Lengths.merge)
        self._frequency = seen.frequency
        self._lengths = np.concatenate([np.zeros(0, dtype=np.int64), *seen.lengths])
        self.n_texts, self.n_tokens = len(self._lengths), int(self._lengths.sum())

    def blocks(self) -> Iterator[Block]:
        """The blocks in order, fetched over the network each time."""
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
    """A piece before tokenization. part, start: its part, and its position there. rows: its row numbers there."""

    part: int
    start: int
    labels: NDArray[np.int32]
    rows: NDArray[np.int64]
    columns: dict[str, pl.Series]


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A piece with the codes of its own words. words: by role, in order of appearance, code 0 first."""

    part: int
    start: int
    labels: NDArray[np.int32]
    rows: NDArray[np.int64]
    words: dict[str, list[str]]
    blocks: dict[str, Block]
    flags: dict[str, NDArray[np.uint32]]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The number of rows of a part, or of all parts before it: in their files, in the dataset, and usable. Follows its pieces."""

    source_row: int = 0
    row: int = 0
    used: int = 0


@dataclass(slots=True)
class _Survey:
    """What all pieces need before they get their codes: words in order of appearance, labels, row numbers, lengths of parts."""

    words: dict[str, None] = field(default_factory=dict)
    pieces: list[tuple[int, int, NDArray[np.int32], NDArray[np.int64]]] = field(default_factory=list)
    parts: list[_Rows] = field(default_factory=list)

    def add(self, piece: _Tokens | _Rows) -> None:
        if isinstance(piece, _Rows):
            self.parts.append(piece)
            return
        for words in piece.words.values():  # in the order of a local run: text, then context
            self.words.update(dict.fromkeys(words))
        self.pieces.append((piece.part, piece.start, piece.labels, piece.rows))

    def merge(self, more: _Survey) -> None:
        self.words.update(more.words)
        self.pieces += more.pieces
        self.parts += more.parts

    def starts(self) -> list[_Rows]:
        """The rows before each part, and the total."""
        found = [_Rows()]
        for more in self.parts:
            last = found[-1]
            found.append(_Rows(last.source_row + more.source_row, last.row + more.row, last.used + more.used))
        return found


def _blocks(texts: Iterable[_Texts], n_rows: int, pieces_per_block: int | None) -> Iterator[list[_Texts]]:
    """The pieces in blocks."""
    waiting: list[_Texts] = []
    for piece in texts:
        if pieces_per_block is None:  # so that each processor has two blocks, by the size of the first piece
            n_pieces = n_rows / len(piece.labels)
            pieces_per_block = int(np.clip(n_pieces / (BLOCKS_PER_CPU * cpus()), 1, MAX_PIECES_PER_BLOCK))
        waiting.append(piece)
        if len(waiting) >= pieces_per_block:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _reporting(batches: Iterable[Batch], progress: Callable[[int], object] | None) -> Iterator[Batch]:
    for batch in batches:
        yield batch
        if progress is not None:
            progress(len(batch.rows))


def _split(batches: Iterable[Batch], part: int, roles: tuple[str, ...]) -> Iterator[_Texts]:
    """The rows as the pieces of a local run."""
    start = 0
    for batch in batches:
        columns = {TEXT: batch.texts}
        if CONTEXT in roles and batch.contexts is not None:
            columns[CONTEXT] = batch.contexts
        for piece in slices(*columns.values()):
            cut = {role: column[piece] for role, column in columns.items()}
            yield _Texts(part, start + piece.start, batch.labels[piece], batch.rows[piece], cut)
        start += len(batch.rows)


def _read_part(
    numbered: tuple[int, DatasetPart], roles: tuple[str, ...], languages: tuple[str, ...]
) -> Iterator[_Tokens | _Rows]:
    """The pieces of a part, read by this worker, and its number of rows."""
    number, part = numbered
    seen, n_used = RowCounter(), 0
    for texts in _split(part.batches(seen), number, roles):
        n_used += len(texts.rows)
        yield from _tokenised(texts, languages)
    yield _Rows(seen.source_rows, seen.rows, n_used)


def _tokenised(piece: _Texts, languages: tuple[str, ...]) -> Iterator[_Tokens]:
    words, blocks = {}, {}
    for role, column in piece.columns.items():
        with splitting(rules_for(languages)):  # the worker does not know the rules of the job
            codes, words[role], lengths = encode(column)
        blocks[role] = Block(codes, np.concatenate([[0], np.cumsum(lengths)]))
    bits = {role: surface_questions.read(column) for role, column in piece.columns.items()}
    yield _Tokens(piece.part, piece.start, piece.labels, piece.rows, words, blocks, bits)


def _coded(
    piece: _Tokens | _Rows, codes: Mapping[str, int], number: int, starts: list[int]
) -> Iterator[ReadingPart]:
    """The piece with the codes of the common vocabulary. Words that did not fit into it have the code of rare words."""
    if isinstance(piece, _Rows):
        return
    rare = codes.get(RARE, -1)
    blocks = {}
    for role, block in piece.blocks.items():
        known = np.array([codes.get(word, rare) for word in piece.words[role]], dtype=np.int32)
        blocks[role] = Block(known[block.codes] if len(known) else block.codes, block.offsets)
    yield ReadingPart(number, starts[piece.part] + piece.start, piece.labels, blocks, piece.flags)


def _itself(piece: ReadingPart) -> ReadingPart:
    return piece
