"""Parquet and Arrow (IPC file and stream, also called Feather), whole or in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from longway.data.table import Table
from longway.errors import DataError

CHUNK_BYTES = 2**23
CHUNK_ROWS = 50_000
READ_BUFFER = 2**20
IPC_FILE_MAGIC = b"ARROW1"


def read_parquet(source: Path | IO[bytes]) -> Table:
    """The whole Parquet file."""
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
            for batch in file.iter_batches(_rows_a_chunk(file.metadata), columns=names, use_threads=False):
                yield from_arrow(pa.Table.from_batches([batch]))
            return
        groups, before = _groups_of(file.metadata, rows)
        batches = file.iter_batches(rows.step, row_groups=groups, columns=names, use_threads=False)
        for table in _recut(batches, rows, before):
            yield from_arrow(table)


def parquet_rows(path: Path) -> tuple[int, int]:
    """How many rows the file has, and how many of them make a piece."""
    metadata = pq.read_metadata(path)
    return metadata.num_rows, _rows_a_chunk(metadata)


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
    """The size the file says it has in memory, uncompressed."""
    return _total_bytes(pq.read_metadata(path))


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


def _rows_a_chunk(metadata: Any) -> int:
    bytes_a_row = _total_bytes(metadata) / max(1, metadata.num_rows)
    return int(min(CHUNK_ROWS, max(1, CHUNK_BYTES // max(1, bytes_a_row))))


def _total_bytes(metadata: Any) -> int:
    return sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))


def _ipc_reader(raw: Any) -> Any:
    magic = raw.read(len(IPC_FILE_MAGIC))
    raw.seek(0)
    return pa.ipc.open_file(raw) if magic == IPC_FILE_MAGIC else pa.ipc.open_stream(raw)


def _ipc_batches(reader: Any) -> Iterator[Any]:
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        return (reader.get_batch(i) for i in range(reader.num_record_batches))
    return iter(reader)
