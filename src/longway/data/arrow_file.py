"""Parquet and Arrow (IPC file and stream, also called Feather), whole or in chunks of bounded size.

How large a Parquet file is once it is read is measured, because its metadata has only the encoded size: a text that a dictionary
repeats a million times counts once. Dictionaries are read without decoding them, each text once; columns that cannot be read this
way (DELTA encodings, nested texts) are decoded a few rows at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from longway.arrays import Floats
from longway.data import memory
from longway.data.columns import ID_COLUMN, changed
from longway.data.problems import ProblemLog
from longway.data.table import RAW, DataTable, dump
from longway.errors import DataError

CHUNK_ROWS = 50_000
IPC_FILE_MAGIC = b"ARROW1"


def read_parquet(
    source: Path | IO[bytes],
    log: ProblemLog,
    columns: Sequence[str] | None,
    *,
    raw: bool = False,
    whole: bool = False,
) -> Iterator[DataTable]:
    """The Parquet file in tables of some megabytes; the first is empty and has the columns.

    log: for problems of columns, logged once and not for each table. raw: with their originals. whole: as one table; DataError if it does
    not fit into memory.
    """
    size = size_of(source)
    if whole and size.n_bytes > LARGEST_CHUNK and not memory.can_hold(size.n_bytes):
        raise DataError(
            f"{source.name if isinstance(source, Path) else 'The Parquet file'} needs about {size.n_bytes / 2**30:.1f} GiB "
            f"once it is read, too much for the free memory of {memory.available_bytes() / 2**30:.1f} GiB. "
            "Stream the uncompressed .parquet file instead (stream=True), or check where it came from."
        )
    # read through a small buffer, page by page: a row group may be larger than the memory
    buffer = {} if whole else {"buffer_size": READ_BUFFER, "pre_buffer": False}
    with pq.ParquetFile(raw_file(source), **buffer) as file:
        if whole:
            yield from_arrow(file.read(), log, raw)
            return
        yield from_arrow(file.schema_arrow.empty_table(), log, raw)
        names = None if columns is None else [c for c in columns if c in file.schema_arrow.names]
        for batch in file.iter_batches(size.step, columns=names, use_threads=False):
            yield from_arrow(pa.Table.from_batches([batch]), ProblemLog(), raw)


def read_ipc(
    source: Path | IO[bytes],
    log: ProblemLog,
    columns: Sequence[str] | None,
    *,
    raw: bool = False,
    whole: bool = False,
) -> Iterator[DataTable]:
    """The Arrow file, in the file or the stream format, one record batch at a time; see `read_parquet`."""
    with _ipc_reader(raw_file(source)) as reader:
        if whole:
            yield from_arrow(reader.read_all(), log, raw)
            return
        yield from_arrow(reader.schema.empty_table(), log, raw)
        for batch in _ipc_batches(reader):
            yield from_arrow(pa.Table.from_batches([batch]), ProblemLog(), raw)


def write_parquet(tables: Iterable[DataTable], stream: IO[bytes]) -> None:
    """Write the tables as one Parquet file."""
    _write(tables, lambda schema: pq.ParquetWriter(pa.PythonFile(stream, "w"), schema, compression="zstd"))


def write_ipc(tables: Iterable[DataTable], stream: IO[bytes]) -> None:
    """Write the tables as one Arrow IPC file of small record batches."""
    _write(tables, lambda schema: pa.ipc.new_file(pa.PythonFile(stream, "w"), schema))


def _write(tables: Iterable[DataTable], make_writer: Callable[[pa.Schema], Any]) -> None:
    chunks = map(_as_read, tables)
    first = next(chunks)
    if not len(first):  # a column that is edited may need a wider type than its file has
        first = next(chunks, first)
    with make_writer(first.schema) as writer:
        for chunk in filter(len, chain([first], chunks)):  # no row group without rows
            try:
                writer.write_table(chunk.select(first.schema.names).cast(first.schema), CHUNK_ROWS)
            except (pa.ArrowInvalid, ValueError) as error:
                raise DataError(
                    f"The columns change their type within the dataset ({error}). "
                    "Parquet and Arrow need one type per column. Save as .jsonl or .csv instead."
                ) from error


def _as_read(table: DataTable) -> pa.Table:
    """The table as Arrow; what did not change, and the metadata, as in its original."""
    new = table.without_raw().frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    if table.original is None:
        return new
    numbers = table.frame[RAW].to_numpy()
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) != 1) + 1)
    rows = table.original.rows  # its parts are put together, because PyArrow's `take` does not know all types
    old = pa.concat_tables([rows.slice(0, 0), *(rows.slice(run[0], len(run)) for run in runs if len(run))])
    for at, name in enumerate(table.original.table.frame.columns):
        if name == ID_COLUMN:
            continue  # ids are text
        column = old.column(at)
        if changed(table, table.original.table, name).any():
            column = _like(column, new.column(name))
        field = old.schema.field(at).with_type(column.type)
        new = new.set_column(new.column_names.index(name), field, column)
    return new.replace_schema_metadata(old.schema.metadata)


def _like(old: pa.ChunkedArray, new: pa.ChunkedArray) -> pa.ChunkedArray:
    """The new column with the type of the old one, unless that cannot hold it. A dictionary keeps its order."""
    try:
        if pa.types.is_dictionary(old.type):
            words = old.unify_dictionaries().chunk(0).dictionary
            both = pa.chunked_array([words, *new.cast(words.type).chunks])
            new = both.dictionary_encode().slice(len(words))
        return new.cast(old.type)
    except pa.ArrowException:
        return new


def from_arrow(table: pa.Table, log: ProblemLog, raw: bool = False) -> DataTable:
    """The Arrow table as a `DataTable`, types that Polars lacks as text; ValueError if it is damaged. raw: with itself as the original."""
    original = table
    table.validate(full=True)  # Polars trusts offsets and UTF-8; a damaged file would crash it
    for field in table.schema:
        _check_name(field)
    foreign = {i: field for i, field in enumerate(table.schema) if not _polars_has(field.type)}
    for i, field in foreign.items():
        texts = [
            cell if cell is None or isinstance(cell, str) else dump(cell).strip('"')
            for cell in table.column(i).to_pylist()
        ]
        table = table.set_column(i, field.name, pa.array(texts, pa.string()))
    log.add(
        "read_as_text",
        [],
        count=len(foreign),
        about=", ".join(f"{field.name}: {field.type}" for field in foreign.values()),
    )
    try:
        read = DataTable(cast(pl.DataFrame, pl.from_arrow(table)))
    except pl.exceptions.PanicException as error:  # not a subclass of Exception
        raise ValueError(f"its columns are damaged: {error}") from None
    return read.with_original(original, ("parquet", "arrow")) if raw else read


@cache
def _polars_has(kind: pa.DataType) -> bool:
    """Whether Polars has this type. At decimals of 256 bits it would panic, and print so."""
    try:
        return "decimal256" not in str(kind) and pl.from_arrow(pa.nulls(1, kind)) is not None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return False


def _check_name(field: Any) -> None:
    """ValueError for a name that is not UTF-8, also in nested fields; Polars would panic."""
    _ = field.name  # decoded on access
    for i in range(field.type.num_fields):
        _check_name(field.type.field(i))


def _ipc_reader(raw: Any) -> Any:
    magic = raw.read(len(IPC_FILE_MAGIC))
    raw.seek(0)
    return pa.ipc.open_file(raw) if magic == IPC_FILE_MAGIC else pa.ipc.open_stream(raw)


def _ipc_batches(reader: Any) -> Iterator[Any]:
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        return (reader.get_batch(i) for i in range(reader.num_record_batches))
    return iter(reader)


CHUNK_BYTES = 2**23  # typical size of a chunk
LARGEST_CHUNK = 4 * CHUNK_BYTES  # if rows differ much in length
READ_BUFFER = 2**20
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}
REPEATING = {"PLAIN_DICTIONARY", "RLE_DICTIONARY", "DELTA_BYTE_ARRAY"}
BLOCK = 64  # rows measured together
FEW = 16  # rows decoded at once if their size is unknown
OFFSET = 4  # bytes of the offset of a text or list


@dataclass(frozen=True, slots=True)
class ParquetSize:
    """The size of a Parquet file once it is read. n_bytes: of all rows in memory. step: rows of a chunk."""

    n_rows: int
    n_bytes: int
    step: int


def size_of(source: Path | IO[bytes]) -> ParquetSize:
    """The size of a Parquet file; cached for a file on disk until it changes."""
    if not isinstance(source, Path):
        return _measured(source, CHUNK_ROWS)
    stat = source.stat()
    return _measured_once(source, stat.st_size, stat.st_mtime_ns, CHUNK_ROWS)


@cache
def _measured_once(path: Path, n_bytes: int, changed: int, most_rows: int) -> ParquetSize:
    return _measured(path, most_rows)


def _measured(source: Path | IO[bytes], most_rows: int) -> ParquetSize:
    with pq.ParquetFile(raw_file(source)) as file:
        n_rows, leaves = file.metadata.num_rows, _leaves(file.metadata)
    repeating = [leaf for leaf in leaves if leaf.may_repeat]
    decoded = [leaf.path for leaf in repeating if not leaf.as_dictionary]
    dictionaries = [leaf.path for leaf in repeating if leaf.as_dictionary]
    stated_per_row = sum(leaf.n_bytes for leaf in leaves if not leaf.may_repeat) / max(1, n_rows)
    blocks = np.full(-(-n_rows // BLOCK), stated_per_row * BLOCK)
    stored_per_row = sum(leaf.n_bytes for leaf in leaves) / max(1, n_rows)
    for paths, as_dictionary in ((dictionaries, True), (decoded, False)):
        if paths:
            rows = _rows_per_chunk(stored_per_row, most_rows)
            _measure(source, paths, blocks, rows if as_dictionary else min(rows, FEW), as_dictionary)
    largest = float(blocks.max(initial=0.0)) / max(1, min(BLOCK, n_rows))  # mean bytes of rows of a block
    return ParquetSize(n_rows, int(blocks.sum()), _rows_per_chunk(largest, most_rows))


@dataclass(slots=True)
class _Leaf:
    """A column without nested columns. n_bytes: the size in the metadata, or the least that its values need."""

    path: str
    is_text: bool
    encodings: set[str]
    n_bytes: int = 0

    @property
    def may_repeat(self) -> bool:
        """Whether a text that is stored once may be repeated many times."""
        return self.is_text and not self.encodings.isdisjoint(REPEATING)

    @property
    def as_dictionary(self) -> bool:
        """Whether PyArrow can read it as a dictionary: neither nested nor DELTA encoded."""
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
    source: Path | IO[bytes], paths: list[str], blocks: Floats, rows: int, as_dictionary: bool
) -> None:
    """Add the decoded size of these columns to the blocks of rows.

    as_dictionary: read each text once, with its row numbers, however often it is repeated.
    """
    repeated = paths if as_dictionary else None
    start = 0
    with pq.ParquetFile(
        raw_file(source), buffer_size=READ_BUFFER, pre_buffer=False, read_dictionary=repeated
    ) as file:
        for batch in file.iter_batches(rows, columns=paths, use_threads=False):
            sizes = sum(map(_row_bytes, batch.columns), start=np.zeros(batch.num_rows))
            numbers = np.arange(start, start + len(sizes)) // BLOCK
            start += len(sizes)
            np.add.at(blocks, numbers, sizes)


def _row_bytes(array: Any) -> Floats:
    """The size of each row of an Arrow array once its dictionaries are decoded."""
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


def _rows_per_chunk(bytes_per_row: float, most_rows: int) -> int:
    return int(min(most_rows, max(1, CHUNK_BYTES // max(1, bytes_per_row))))


def raw_file(source: Path | IO[bytes]) -> Any:
    """What PyArrow reads. A file is not memory-mapped: its whole length would count against `ulimit -v`."""
    return pa.OSFile(str(source)) if isinstance(source, Path) else source
