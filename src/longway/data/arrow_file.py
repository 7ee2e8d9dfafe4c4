"""Parquet and Arrow (IPC file and stream, also called Feather), whole or in pieces of bounded size.

What a Parquet file says about its size is its encoded size: a text that a dictionary repeats a million times counts once.
`_decoded` measures what the rows need once they are read, without ever decoding them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from longway.data import memory
from longway.data.table import Table
from longway.errors import DataError

CHUNK_BYTES = 2**23
CHUNK_ROWS = 50_000
MOST_BYTES = 4 * CHUNK_BYTES  # in a piece of a file whose rows differ much in length
READ_BUFFER = 2**20
IPC_FILE_MAGIC = b"ARROW1"
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}
REPEATING = {"PLAIN_DICTIONARY", "RLE_DICTIONARY", "DELTA_BYTE_ARRAY"}
BLOCK = 64  # rows measured together
FEW = 16  # rows that are decoded at once where nothing is known about their size
OFFSET = 4  # bytes that say where a text or list ends

Floats = npt.NDArray[np.float64]


def read_parquet(source: Path | IO[bytes]) -> Table:
    """The whole Parquet file; a DataError where it could not be held."""
    needed = (_decoded_file(source) if isinstance(source, Path) else _decoded(source)).n_bytes
    if needed > MOST_BYTES and not memory.can_hold(needed):
        raise DataError(
            f"{source.name if isinstance(source, Path) else 'The Parquet file'} needs about {needed / 2**30:.1f} GiB "
            f"once it is read, too much for the free memory of {memory.available_bytes() / 2**30:.1f} GiB. "
            "All its rows at once were asked for. Stream the uncompressed .parquet file instead, "
            "or check where it came from."
        )
    with pq.ParquetFile(_raw(source)) as file:
        return from_arrow(file.read())


def chunk_parquet(path: Path, columns: Sequence[str] | None, rows: range | None = None) -> Iterator[Table]:
    """The Parquet file in pieces of some megabytes; the first piece is empty and has the columns.

    rows: only these, in pieces as long as the range's step.
    """
    # read through a small buffer, page by page: a row group may be larger than the memory we have
    with pq.ParquetFile(_raw(path), buffer_size=READ_BUFFER, pre_buffer=False) as file:
        yield from_arrow(file.schema_arrow.empty_table()).select(columns)
        names = None if columns is None else [c for c in columns if c in file.schema_arrow.names]
        if rows is None:
            for batch in file.iter_batches(_decoded_file(path).step, columns=names, use_threads=False):
                yield from_arrow(pa.Table.from_batches([batch]))
            return
        groups, before = _groups_of(file.metadata, rows)
        batches = file.iter_batches(rows.step, row_groups=groups, columns=names, use_threads=False)
        for table in _recut(batches, rows, before):
            yield from_arrow(table)


def parquet_rows(path: Path) -> tuple[int, int]:
    """How many rows the file has, and how many of them make a piece."""
    size = _decoded_file(path)
    return size.n_rows, size.step


def _groups_of(metadata: Any, rows: range) -> tuple[list[int], int]:
    """The row groups that hold these rows, and how many other rows come before them there."""
    groups: list[int] = []
    before = start = 0
    for i in range(metadata.num_row_groups):
        end = start + metadata.row_group(i).num_rows
        if start < rows.stop and end > rows.start:
            before = before if groups else rows.start - start
            groups.append(i)
        start = end
    return groups, before


def _recut(batches: Iterable[Any], rows: range, before: int) -> Iterator[pa.Table]:
    """Consecutive rows as tables of `rows.step` rows each, without the first `before` of them."""
    left, waiting = rows.stop - rows.start, []
    for batch in batches:
        passed = min(before, batch.num_rows)
        before -= passed
        waiting.append(batch.slice(passed))
        while left and sum(map(len, waiting)) >= (n := min(rows.step, left)):
            table = pa.Table.from_batches(waiting).combine_chunks()
            yield table.slice(0, n)
            waiting, left = table.slice(n).to_batches(), left - n


def read_ipc(source: Path | IO[bytes]) -> Table:
    """The whole Arrow file, be it in the file or in the stream format."""
    with _ipc_reader(_raw(source)) as reader:
        return from_arrow(reader.read_all())


def chunk_ipc(path: Path, columns: Sequence[str] | None) -> Iterator[Table]:
    """The Arrow file one record batch at a time; the first piece is empty and has the columns."""
    with _ipc_reader(_raw(path)) as reader:
        yield from_arrow(reader.schema.empty_table()).select(columns)
        for batch in _ipc_batches(reader):
            yield from_arrow(pa.Table.from_batches([batch])).select(columns)


def write_parquet(tables: Iterable[Table], stream: IO[bytes]) -> None:
    """The tables as one Parquet file."""
    _write(tables, lambda schema: pq.ParquetWriter(pa.PythonFile(stream, "w"), schema, compression="zstd"))


def write_ipc(tables: Iterable[Table], stream: IO[bytes]) -> None:
    """The tables as one Arrow IPC file, in record batches small enough to be read one at a time."""
    _write(tables, lambda schema: pa.ipc.new_file(pa.PythonFile(stream, "w"), schema))


def _write(tables: Iterable[Table], make_writer: Callable[[pa.Schema], Any]) -> None:
    pieces = (table.frame.to_arrow(compat_level=pl.CompatLevel.oldest()) for table in tables)
    first = next(pieces)
    with make_writer(first.schema) as writer:
        for piece in chain([first], pieces):
            try:
                writer.write_table(piece.cast(first.schema), CHUNK_ROWS)
            except (pa.ArrowInvalid, ValueError) as error:
                raise DataError(
                    f"The columns change their type between pieces of the dataset ({error}). "
                    "Parquet and Arrow need one type a column. Save as .jsonl or .csv instead."
                ) from error


def parquet_bytes(path: Path) -> int:
    """The size of all rows in memory, measured where the file may hide it."""
    return _decoded_file(path).n_bytes


def from_arrow(table: pa.Table) -> Table:
    """The Arrow table as a table of ours, once its cells have been found sound."""
    table.validate(full=True)  # Polars trusts offsets and UTF-8, and a damaged file would bring it down
    for field in table.schema:
        _check_name(field)
    try:
        return Table(cast(pl.DataFrame, pl.from_arrow(table)))
    except pl.exceptions.PanicException as error:  # is no Exception: nothing else would tell it
        raise ValueError(f"its columns are damaged: {error}") from None


def _check_name(field: Any) -> None:
    """ValueError for a name that is not UTF-8, here or inside; Polars would panic."""
    _ = field.name  # decoded when it is asked for
    for i in range(field.type.num_fields):
        _check_name(field.type.field(i))


def _raw(source: Path | IO[bytes]) -> Any:
    # not mapped into memory: a map counts against `ulimit -v` with its whole length
    return pa.OSFile(str(source)) if isinstance(source, Path) else source


@dataclass(frozen=True, slots=True)
class _Decoded:
    """A Parquet file once it is read. step: how many rows make a piece."""

    n_rows: int
    n_bytes: int
    step: int


def _decoded_file(path: Path) -> _Decoded:
    found = path.stat()
    return _decoded_once(path, found.st_size, found.st_mtime_ns, CHUNK_ROWS)


@cache
def _decoded_once(path: Path, n_bytes: int, changed: int, most_rows: int) -> _Decoded:
    """What `_decoded` says, measured once for each state of the file and each limit on the rows of a piece."""
    return _decoded(path)


def _decoded(source: Path | IO[bytes]) -> _Decoded:
    with pq.ParquetFile(_raw(source)) as file:
        n_rows, leaves = file.metadata.num_rows, _leaves(file.metadata)
    hidden = [leaf for leaf in leaves if leaf.may_repeat]
    few = [leaf for leaf in hidden if not leaf.as_dictionary]
    step = _rows_a_chunk(sum(leaf.n_bytes for leaf in leaves) / max(1, n_rows))
    told_a_row = sum(leaf.n_bytes for leaf in leaves if leaf not in hidden) / max(1, n_rows)
    blocks = np.full(-(-n_rows // BLOCK), told_a_row * BLOCK)
    longest = told_a_row + max(
        _measure(source, [leaf.path for leaf in hidden if leaf not in few], blocks, step, as_dictionary=True),
        _measure(source, [leaf.path for leaf in few], blocks, min(step, FEW), as_dictionary=False),
    )
    n_bytes = int(blocks.sum())
    step = _rows_a_chunk(n_bytes / max(1, n_rows))
    return _Decoded(n_rows, n_bytes, _shortened(step, blocks, longest))


@dataclass(slots=True)
class _Leaf:
    """A column of the file that has no columns inside. n_bytes: what the file says, or the least that its values need."""

    path: str
    is_text: bool
    encodings: set[str]
    n_bytes: int = 0

    @property
    def may_repeat(self) -> bool:
        """Whether a text that is stored once may come many times."""
        return self.is_text and not self.encodings.isdisjoint(REPEATING)

    @property
    def as_dictionary(self) -> bool:
        """Whether PyArrow can read it as a dictionary: neither inside another column nor DELTA encoded."""
        return "." not in self.path and not any(name.startswith("DELTA") for name in self.encodings)


def _leaves(metadata: Any) -> list[_Leaf]:
    columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
    leaves = [_Leaf(column.path, column.physical_type == "BYTE_ARRAY", set()) for column in columns]
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for i, (column, leaf) in enumerate(zip(columns, leaves, strict=True)):
            chunk = group.column(i)
            width = WIDTHS.get(column.physical_type, column.length)
            leaf.encodings.update(chunk.encodings)
            leaf.n_bytes += max(chunk.total_uncompressed_size, width * chunk.num_values)
    return leaves


def _measure(
    source: Path | IO[bytes], paths: list[str], blocks: Floats, rows: int, *, as_dictionary: bool
) -> float:
    """Add the decoded size of these columns to the blocks of rows; the size of the longest row.

    as_dictionary: each text is read once, with the numbers of the rows it is in, however often it comes.
    """
    longest, start = 0.0, 0
    if not paths:
        return longest
    repeated = paths if as_dictionary else None
    with pq.ParquetFile(
        _raw(source), buffer_size=READ_BUFFER, pre_buffer=False, read_dictionary=repeated
    ) as file:
        for batch in file.iter_batches(rows, columns=paths, use_threads=False):
            sizes = sum(map(_row_bytes, batch.columns), start=np.zeros(batch.num_rows))
            end = start + len(sizes)
            numbers = np.arange(start, end) // BLOCK
            blocks[start // BLOCK : -(-end // BLOCK)] += np.bincount(numbers - start // BLOCK, sizes)
            longest, start = max(longest, sizes.max(initial=0)), end
    return longest


def _row_bytes(array: Any) -> Floats:
    """The size of each row of an Arrow array, as if nothing in it were a dictionary."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _numbers(pc.take(pc.binary_length(array.dictionary), array.indices)) + OFFSET
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return _numbers(pc.binary_length(array)) + OFFSET
    if pa.types.is_struct(kind):
        return sum(map(_row_bytes, array.flatten()), start=np.zeros(len(array)))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        before = np.concatenate([[0], np.cumsum(_row_bytes(array.values))])
        return np.diff(before[array.offsets.to_numpy()]) + OFFSET
    return np.full(len(array), array.nbytes / max(1, len(array)))


def _numbers(array: Any) -> Floats:
    return np.asarray(pc.fill_null(array, 0), dtype=np.float64)


def _rows_a_chunk(bytes_a_row: float) -> int:
    return int(min(CHUNK_ROWS, max(1, CHUNK_BYTES // max(1, bytes_a_row))))


def _shortened(step: int, blocks: Floats, longest: float) -> int:
    """The step, or a smaller one where so many rows in a row may be larger than a piece should be."""
    before = np.concatenate([[0], np.cumsum(blocks)])
    while step > BLOCK and _most(before, step // BLOCK + 2) > MOST_BYTES:
        step //= 2
    return step if step > BLOCK else int(min(step, max(1, MOST_BYTES // max(1, longest))))


def _most(before: Floats, n_blocks: int) -> float:
    """The size of the largest `n_blocks` neighbours, given the size of all that is before each block."""
    n_blocks = min(n_blocks, len(before) - 1)
    return float((before[n_blocks:] - before[: len(before) - n_blocks]).max())


def _ipc_reader(raw: Any) -> Any:
    magic = raw.read(len(IPC_FILE_MAGIC))
    raw.seek(0)
    return pa.ipc.open_file(raw) if magic == IPC_FILE_MAGIC else pa.ipc.open_stream(raw)


def _ipc_batches(reader: Any) -> Iterator[Any]:
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        return (reader.get_batch(i) for i in range(reader.num_record_batches))
    return iter(reader)
