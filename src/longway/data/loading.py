"""From whatever the user has to a `Dataset`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from longway.data import formats, frames, hf_folder, hub, memory, shards
from longway.data.columns import Columns, choose
from longway.data.dataset import Dataset
from longway.data.problems import Tally
from longway.data.roles import plain_roles
from longway.data.shards import Shard
from longway.data.source import Source, cut, in_memory
from longway.data.table import Table, combine
from longway.errors import ColumnError, DataError, SettingError

SAMPLE_ROWS = 1000


def load(
    source: Any,
    *,
    text: str | None = None,
    context: str | None = None,
    label: str | None = None,
    id: str | None = None,
    split: str | None = None,
    limit: int | None = None,
    stream: bool | None = None,
) -> Dataset:
    """A dataset from what you have.

    source: a file, a folder or glob of shards, a folder saved by Hugging Face datasets, "hf:NAME",
        a pandas or Polars frame, or a list of dicts.
    text, context, label, id, split: the columns; guessed from the usual names where not given.
        "" for context, id or split says that there is none.
    limit: only the first rows.
    stream: True to read files from disk in pieces on each pass, False to hold all rows in memory;
        by default the size and the free memory decide.

    >>> rows = [{"text": "good", "label": 1}, {"text": "bad", "label": 0}]
    >>> load(rows).labels
    ('0', '1')
    """
    if limit is not None and limit < 1:
        raise SettingError(f"'limit' must be at least 1. Got {limit}. Leave it out to use all rows.")
    tally = Tally()
    found = _source(source, tally, limit=limit, stream=stream)
    given = {"text": text, "context": context, "label": label, "id": id, "split": split}
    columns = _columns(found, given)
    return Dataset(_with_plain_roles(found, columns), columns, tally)


def _source(source: Any, tally: Tally, *, limit: int | None, stream: bool | None) -> Source:
    if isinstance(source, str | Path) and not str(source).startswith(hub.PREFIX):
        return _on_disk(_path(source), tally, limit=limit, stream=stream)
    found = hub.read(source) if isinstance(source, str) else frames.from_object(source, tally)
    if limit is None or found.whole is None:
        return found
    return in_memory(
        found.whole.with_frame(found.whole.frame.head(limit)), name=found.name, format=found.format
    )


def _path(source: str | Path) -> Path:
    """The path, `~` resolved; DataError for one that no file system takes."""
    if not str(source).strip():
        raise DataError("No file was named: the name is empty. Give the path of a file or folder.")
    try:
        path = Path(source).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise DataError(f"{str(source)[:80]!r} cannot be a file here: {error}. Check the path.") from None
    return path


def _on_disk(path: Path, tally: Tally, *, limit: int | None, stream: bool | None) -> Source:
    is_hf = hf_folder.is_hf_folder(path)
    parts = hf_folder.find(path) if is_hf else shards.find(path)
    format = "hf" if is_hf else parts[0].file.format
    name = path.name or str(path)
    if _must_stream(parts, limit, stream):

        def tables(columns: Sequence[str] | None, tally: Tally) -> Iterator[Table]:
            return cut(shards.chunks(parts, columns, tally), limit)

        return Source(name, format, tables, files=tuple(parts) if limit is None else ())
    if limit is None:
        return in_memory(shards.read(parts, tally), name=name, format=format)
    first_rows = combine(list(cut(shards.chunks(parts, None, tally), limit)))
    return in_memory(first_rows, name=name, format=format)


def _must_stream(parts: Sequence[Shard], limit: int | None, stream: bool | None) -> bool:
    """Whether to stream; an error if that is needed and cannot be done."""
    if stream is False or (stream is None and limit is not None):
        return False
    sizes = [formats.memory_bytes(shard.file) for shard in parts]
    if stream is None and memory.fits(sum(sizes)):
        return False
    for shard, size in zip(parts, sizes, strict=True):
        if not shard.file.can_stream and not memory.fits(size):
            raise DataError(
                f"{shard.file.path.name} needs about {size / 2**30:.1f} GiB, too much for the free memory of "
                f"{memory.available_bytes() / 2**30:.1f} GiB. A {shard.file.format} file must be read whole. "
                "Convert to Parquet, which is read in pieces, or split it into several files."
            )
    return True


def _columns(source: Source, given: Mapping[str, str | None]) -> Columns:
    sample = _sample(source)
    if not sample.columns:
        raise DataError(
            f"{source.name} is empty. Rows with a text and a label were expected. Check the data."
        )
    columns, faults = choose(sample, given)
    if columns is None:
        if sample.height == 0:
            faults.append("There are no rows either.")
        raise ColumnError(f"{source.name}: " + " ".join(faults))
    return columns


def _sample(source: Source) -> pl.DataFrame:
    """The first rows with all columns."""
    tables: list[Table] = []
    with closing(source.tables(None, Tally())) as pieces:  # type: ignore[type-var]
        for table in pieces:
            tables.append(table.with_frame(table.frame.head(SAMPLE_ROWS)))
            if table.frame.height:
                break
    return combine(tables).frame if tables else pl.DataFrame()


def _with_plain_roles(source: Source, columns: Columns) -> Source:
    """The source with plain text where a text, context or label column was kept as JSON cells."""
    if source.whole is None or not source.whole.json_columns & set(columns.used()):
        return source
    return in_memory(plain_roles(source.whole, columns), name=source.name, format=source.format)
