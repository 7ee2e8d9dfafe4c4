"""`load` reads a dataset from a path, a frame, rows or the hub; `save` writes one to a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

import polars as pl

from longway.data import formats, frames, memory, shards
from longway.data.columns import NEEDED, Columns, choose, likely_columns, plain_roles
from longway.data.dataset import Dataset
from longway.data.encoding import EncodingError, check_encoding
from longway.data.formats import DataFile
from longway.data.label_lists import lists_in
from longway.data.problems import ProblemLog
from longway.data.shards import Shard, Source, head, in_memory
from longway.data.table import DataTable, combine
from longway.errors import ColumnError, DataError, SettingError, with_checked_arguments
from longway.language_names import codes_of

SAMPLE_ROWS = 1000
NAMED = ("text", "context", "label", "id")  # columns that a call may name
LANGUAGE = "language"  # what else of `load` a call may give


@with_checked_arguments
def load(
    source: object,
    *,
    text: str | None = None,
    context: str | None = None,
    label: str | None = None,
    id: str | None = None,
    split: str | None = None,
    limit: int | None = None,
    stream: bool | None = None,
    encoding: str | None = None,
    language: str | None = None,
) -> Dataset:
    """Load a dataset.

    source: a file, a folder or glob of shards, a folder saved by Hugging Face datasets, "hf:NAME",
        a pandas or Polars frame, a Hugging Face `Dataset` or `DatasetDict`, or a list of dicts.
    text, context, label, id, split: the columns; by default guessed from common names.
        Use "" for context, id or split to say that there is none. A label column of lists is for `audit_labels`.
    limit: load only the first rows.
    stream: True reads files from disk in chunks on each pass, False holds all rows in memory;
        by default the size and the free memory decide.
    encoding: of text files that are neither UTF-8 nor have a byte order mark; by default Windows-1252 and Latin-1 are recognised.
    language: of the texts, such as "de", or "en,de" if they are mixed; by default it is identified.

    >>> rows = [{"text": "good", "label": 1}, {"text": "bad", "label": 0}]
    >>> load(rows).labels
    ('0', '1')
    """
    if limit is not None and limit < 1:
        raise SettingError(f"'limit' must be at least 1. Got {limit}. Leave it out to use all rows.")
    given = {"text": text, "context": context, "label": label, "id": id, "split": split}
    known = check_encoding(encoding)
    if language:
        codes_of(language)  # SettingError if it is unknown
    try:
        return _load(source, given, limit=limit, stream=stream, language=language)
    except EncodingError:  # to read everything as UTF-8 first costs no extra pass over a file that is UTF-8
        return _load(source, given, limit=limit, stream=stream, language=language, encoding=known)


def as_dataset(data: object) -> Dataset:
    """The dataset itself, or what `load` makes of a path, frame, Hugging Face dataset or list of dicts.

    >>> as_dataset([{"text": "good", "label": 1}, {"text": "bad", "label": 0}]).n_rows
    2
    """
    return data if isinstance(data, Dataset) else load(data)


def with_columns(data: object, options: Mapping[str, object]) -> tuple[Dataset, dict[str, object]]:
    """The dataset of a call, and its other options. text, context, label, id and language among the options are those of `load`.

    >>> rows = [{"review": "good", "stars": 5}, {"review": "bad", "stars": 1}]
    >>> dataset, options = with_columns(rows, {"text": "review", "label": "stars", "seed": 3})
    >>> dataset.labels, options
    (('1', '5'), {'seed': 3})
    """
    columns: dict[str, Any] = {name: options[name] for name in NAMED if name in options}
    others = {name: value for name, value in options.items() if name not in (*NAMED, LANGUAGE)}
    if not columns and isinstance(data, Dataset) and options.get(LANGUAGE):
        return data.with_language(str(options[LANGUAGE])), others
    if columns and isinstance(data, Dataset):
        raise SettingError(
            f"'{next(iter(columns))}' names a column, but the dataset is already loaded. Name its columns in lw.load(data, text=..., label=...)."
        )
    columns |= {LANGUAGE: options[LANGUAGE]} if options.get(LANGUAGE) else {}
    return load(data, **columns) if columns else as_dataset(data), others


@with_checked_arguments
def save(
    data: pl.DataFrame | Dataset | Iterable[DataTable], path: str | Path, *, like: Dataset | None = None
) -> Path:
    """Write a file and return its path; its ending determines the format.

    The write is atomic: a hidden file next to the target is written first. A streamed dataset and an iterable of tables are
    written table by table (`data/edited.py`).
    like: the dataset a frame was made from; its JSON cells and absent keys are then written as they were.
    """
    file = formats.data_file(Path(path))
    part = file.path.with_name(f".{file.path.name}.{os.getpid()}.part")
    try:
        formats.write(DataFile(part, file.kind, file.compression), _tables(data, like))
        with part.open("rb+") as written:
            os.fsync(written.fileno())  # before the rename, or a power cut could leave an incomplete file
        part.replace(file.path)
    except OSError as error:
        raise DataError(
            f"{file.path} cannot be written ({error.strerror or error}). "
            "An existing folder with enough space was expected. Choose another path."
        ) from error
    finally:
        if part.parent.is_dir():
            part.unlink(missing_ok=True)
    return file.path


def _load(
    source: object,
    given: Mapping[str, str | None],
    *,
    limit: int | None,
    stream: bool | None,
    language: str | None,
    encoding: str | None = None,
) -> Dataset:
    """Load a dataset. encoding: None reads files as UTF-8; "" recognises the encoding; a name is for files that are not UTF-8."""
    log = ProblemLog()
    opened = open_source(source, log, limit=limit, stream=stream, encoding=encoding)
    columns = _columns(opened, given)
    rows = _with_plain_roles(opened, columns)
    columns = replace(columns if rows.whole is None else columns.plain(), language=language)
    return Dataset(replace(rows, path=_path(source)) if _is_path(source) else rows, columns, log)


def open_source(
    source: object, log: ProblemLog, *, limit: int | None, stream: bool | None, encoding: str | None
) -> Source:
    """The rows of a path, a frame, rows or the hub, before their columns have a meaning. encoding: as in `_load`."""
    if _is_path(source):
        return _open_files(_path(source), log, limit=limit, stream=stream, encoding=encoding)
    opened = frames.from_hub(source) if isinstance(source, str) else frames.from_object(source, log)
    if limit is None or opened.whole is None:
        return opened
    first_rows = next(head(opened.raw_tables() or iter([opened.whole]), limit))
    return replace(in_memory(first_rows, name=opened.name, format=opened.format), row_names=opened.row_names)


def _is_path(source: object) -> TypeGuard[str | Path]:
    return isinstance(source, str | Path) and not str(source).startswith(frames.HUB_PREFIX)


def _path(source: str | Path) -> Path:
    """The path with `~` resolved; DataError if it cannot be a path."""
    if not str(source).strip():
        raise DataError("The file name is empty. Expected the path of a file or folder.")
    try:
        path = Path(source).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise DataError(f"{str(source)[:80]!r} is not a valid path: {error}. Check the path.") from None
    return path


def _open_files(
    path: Path, log: ProblemLog, *, limit: int | None, stream: bool | None, encoding: str | None
) -> Source:
    is_hf = shards.is_hf_folder(path)
    files = shards.find_in_hf_folder(path) if is_hf else shards.find(path)
    if encoding is not None:
        files = shards.with_encodings(files, encoding, log)
    used = next((shard.file.encoding for shard in files if shard.file.encoding), "")
    format = "hf" if is_hf else files[0].file.format
    name = path.name or str(path)

    def tables(
        columns: Sequence[str] | None, log: ProblemLog, *, raw: bool = False, whole: bool = False
    ) -> Iterator[DataTable]:
        return head(shards.read(files, columns, log, raw=raw, whole=whole), limit)

    must_stream, stamps = _must_stream(files, limit, stream), _stamps(files)
    # files of typed columns may differ in their types
    can_be_kept = files[0].file.kind in formats.TEXTS or (len(files) == 1 and files[0].file.kind != "xlsx")

    def raw_tables() -> Iterator[DataTable] | None:
        if must_stream or (can_be_kept and _stamps(files) == stamps):
            return tables(None, ProblemLog(), raw=True)
        return None

    if must_stream:
        return Source(name, format, tables, encoding=used, raw_tables=raw_tables)
    rows = combine(list(tables(None, log, whole=limit is None)))
    return replace(in_memory(rows, name=name, format=format, encoding=used), raw_tables=raw_tables)


def _stamps(files: Sequence[Shard]) -> list[tuple[int, int] | None]:
    """Size and time of each file, to see whether it changed."""
    paths = [shard.file.path for shard in files]
    stats = [path.stat() if path.is_file() else None for path in paths]
    return [None if stat is None else (stat.st_size, stat.st_mtime_ns) for stat in stats]


def _must_stream(files: Sequence[Shard], limit: int | None, stream: bool | None) -> bool:
    """Whether to stream; DataError if the files are too large and cannot be streamed."""
    if stream is False or (stream is None and limit is not None):
        return False
    sizes = [formats.memory_bytes(shard.file) for shard in files]
    if stream is None and memory.fits(sum(sizes)):
        return False
    for shard, size in zip(files, sizes, strict=True):
        if not shard.file.can_stream and not memory.fits(size):
            raise DataError(
                f"{shard.file.path.name} needs about {size / 2**30:.1f} GiB, too much for the free memory of "
                f"{memory.available_bytes() / 2**30:.1f} GiB. A {shard.file.format} file must be read whole. "
                "Convert it to Parquet, which is read in chunks, or split it into several files."
            )
    return True


def _columns(source: Source, given: Mapping[str, str | None]) -> Columns:
    sample = first_rows(source)
    if not sample.columns:
        raise DataError(
            f"{source.name} is empty. Rows with a text and a label were expected. Check the data."
        )
    columns, faults = choose(sample, given)
    if columns is None:
        if sample.height == 0:
            faults.append("There are no rows either.")
        others = [name for role, name in given.items() if name and role not in NEEDED]
        can_suggest = all(name in sample.columns for name in others)  # else the command would fail again
        likely = likely_columns(sample, given) if can_suggest else {}
        raise ColumnError(f"{source.name}: " + " ".join(faults), likely=likely)
    return replace(columns, lists=lists_in(source.tables([columns.label], ProblemLog()), columns.label))


def first_rows(source: Source) -> pl.DataFrame:
    """The first rows with all columns."""
    tables: list[DataTable] = []
    with closing(source.tables(None, ProblemLog())) as chunks:  # type: ignore[type-var]
        for table in chunks:
            tables.append(table.with_frame(table.frame.head(SAMPLE_ROWS)))
            if table.frame.height:
                break
    return combine(tables).frame if tables else pl.DataFrame()


def _with_plain_roles(source: Source, columns: Columns) -> Source:
    """The source with plain text in text, context and label columns that were kept as JSON text."""
    if source.whole is None:
        return source
    if not source.whole.json_columns & set(columns.used()) and columns.lists != "single":
        return source
    plain = in_memory(plain_roles(source.whole, columns), name=source.name, format=source.format)
    raw_tables = plain.raw_tables if columns.lists == "single" else source.raw_tables
    return replace(source, tables=plain.tables, whole=plain.whole, raw_tables=raw_tables)


def _tables(data: pl.DataFrame | Dataset | Iterable[DataTable], like: Dataset | None) -> Iterator[DataTable]:
    if isinstance(data, Dataset):
        yield from data.tables(raw=True)
    elif isinstance(data, pl.DataFrame):
        yield DataTable(data) if like is None else next(like.tables()).with_frame(data)
    else:
        for table in data:
            if not isinstance(table, DataTable):  # a frame of pandas gives its columns
                raise SettingError(
                    f"'data' must be a Dataset or a Polars frame. Got {type(data).__name__}. "
                    "Load it first: lw.save(lw.load(...), path)."
                )
            yield table
