"""The files of a dataset, and where its rows come from.

    find(path)   a file, or a folder or glob of shards, sorted by name and read one after the other
    find_in_hf_folder(path)   a folder written by `save_to_disk` of Hugging Face datasets, read without that package:
        dataset_info.json, state.json and data-*.arrow for one dataset;
        dataset_dict.json with one such folder per split, whose name becomes a column
    Source       rows that can be read again and again, from files or from memory

A single file is a dataset of one shard, so all files are read through this module.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path

import polars as pl

from longway.data import formats
from longway.data.encoding import EncodingError
from longway.data.formats import DataFile
from longway.data.problems import ProblemLog
from longway.data.table import DataTable, combine
from longway.errors import DataError

ROW_NUMBER = pl.col("source_row")
NOT_DATA = {  # files that the hub keeps next to the data
    "dataset_info.json",
    "dataset_infos.json",
    "dataset_dict.json",
    "state.json",
}


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a dataset.

    split: the split of all its rows, if the folder names it.
    class_names: for columns of class numbers, the names of the classes.
    """

    file: DataFile
    split: str | None = None
    class_names: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """Rows that can be read again and again.

    tables: yields the rows in order; takes the columns wanted (None: all) and a log for problems.
    whole: all rows, if they are in memory; None for a streamed source.
    path: the file or folder that the rows come from, if they come from one.
    encoding: of text files that are not UTF-8. raw_tables: yields the rows as `tables` does, with the column `RAW` where they can be
        written as they were read; None if a file was changed since it was read.
    row_names: the ids of rows if no column has them, from `source_row`: their numbers, or the index of a pandas frame.
    """

    name: str
    format: str
    tables: Callable[[Sequence[str] | None, ProblemLog], Iterator[DataTable]]
    whole: DataTable | None = None
    path: Path | None = None
    encoding: str = ""
    raw_tables: Callable[[], Iterator[DataTable] | None] = lambda: None
    row_names: pl.Expr = ROW_NUMBER


def in_memory(table: DataTable, *, name: str, format: str, encoding: str = "") -> Source:
    """A source of rows that are in memory already, with their original if they have one."""
    whole = table.without_raw()

    def tables(columns: Sequence[str] | None, log: ProblemLog) -> Iterator[DataTable]:
        yield whole.select(columns)

    return Source(name, format, tables, whole, encoding=encoding, raw_tables=partial(iter, [table]))


def head(tables: Iterator[DataTable], limit: int | None) -> Iterator[DataTable]:
    """The first `limit` rows of the tables; all rows if it is None."""
    left = limit
    for table in tables:
        if left is None:
            yield table
            continue
        yield table.with_frame(table.frame.head(left))
        left -= table.frame.height
        if left <= 0:
            return


def find(path: Path) -> list[Shard]:
    """The files of a path, folder or glob."""
    if path.is_dir():
        return _shards(path, [p for p in path.iterdir() if p.is_file()], "The folder")
    if path.exists():
        if not path.is_file():
            raise DataError(
                f"{path} is a pipe, a socket or a device. A file was expected, because Longway reads it more "
                "than once. Save the data to a file, and name that file."
            )
        return [Shard(formats.data_file(path))]
    if glob.has_magic(str(path)):
        matches = Path(path.anchor).glob(str(path.relative_to(path.anchor)))
        return _shards(path, [p for p in matches if p.is_file()], "The pattern")
    raise DataError(_no_such_file(path))


def read_any(path: Path, *, encoding: str = "") -> DataTable:
    """All rows of a path, whatever their encoding. encoding: for files that are not UTF-8; "" if it should be recognised."""
    shards = find(path)
    try:
        return combine(list(read(shards, None, ProblemLog(), whole=True)))
    except EncodingError:
        shards = with_encodings(shards, encoding, ProblemLog())
        return combine(list(read(shards, None, ProblemLog(), whole=True)))


def with_encodings(shards: Sequence[Shard], given: str, log: ProblemLog) -> list[Shard]:
    """The shards with their encodings; see `formats.with_encoding`."""
    return [replace(shard, file=formats.with_encoding(shard.file, given, log)) for shard in shards]


def read(
    shards: Sequence[Shard],
    columns: Sequence[str] | None,
    log: ProblemLog,
    *,
    raw: bool = False,
    whole: bool = False,
) -> Iterator[DataTable]:
    """All rows of all shards in tables, with these columns only. raw, whole: see `formats.read`."""
    first: DataTable | None = None
    n_rows = 0
    for shard in shards:
        found = formats.read(shard.file, columns, log.from_row(n_rows), raw=raw, whole=whole)
        for number, part in enumerate(found):
            table = _complete(part, shard, columns)
            first = first or table
            if number == 0:
                _check_columns(shards[0], first, shard, table)
            n_rows += table.frame.height
            yield table


def _complete(table: DataTable, shard: Shard, columns: Sequence[str] | None) -> DataTable:
    """The table with class names instead of class numbers, and with the shard's split."""
    frame = table.frame
    for name, classes in shard.class_names.items():
        if name in frame.columns:
            frame = frame.with_columns(name_classes(frame[name], classes))
    wants_split = columns is None or "split" in columns
    if shard.split is not None and wants_split and "split" not in frame.columns:
        frame = frame.with_columns(pl.lit(shard.split).alias("split"))
    return replace(table, frame=frame)


def name_classes(numbers: pl.Series, classes: Sequence[str]) -> pl.Series:
    """The names of numbered classes, also in lists; a number without a name (-1: no label) becomes null. Other columns stay as they are.

    >>> name_classes(pl.Series([1, -1]), ["no", "yes"]).to_list()
    ['yes', None]
    """
    names = dict(enumerate(classes))
    if numbers.dtype.is_integer():
        return numbers.replace_strict(names, default=None, return_dtype=pl.String)
    if isinstance(numbers.dtype, pl.List) and pl.Series(dtype=numbers.dtype.inner).dtype.is_integer():
        named = pl.element().replace_strict(names, default=None, return_dtype=pl.String)
        return numbers.list.eval(named)
    return numbers


def _shards(path: Path, found: list[Path], what: str) -> list[Shard]:
    """The data files among those found; they must have one format."""
    files = [
        formats.data_file(file)
        for file in sorted(found)
        if formats.is_known(file) and file.name not in NOT_DATA and not file.name.startswith(".")
    ]
    if not files:
        raise DataError(
            f"{what} {path} contains no data file. Expected files that end in {', '.join(formats.KINDS)}, "
            "also with .gz or .zst. Check the path."
        )
    kinds = sorted({file.format for file in files})
    if len(kinds) > 1:
        raise DataError(
            f"{what} {path} contains files of several formats: {', '.join(kinds)}. "
            f"All shards must have one format. Choose one, as in {path}/*.{kinds[0]}"
        )
    return [Shard(file) for file in files]


def _check_columns(first: Shard, expected: DataTable, shard: Shard, got: DataTable) -> None:
    """DataError if a shard has other columns than the first; only JSON rows may lack keys."""
    before, now = expected.frame.columns, got.frame.columns  # each call creates a new list
    known, here = set(before), set(now)
    missing = [name for name in before if name not in here]
    extra = [name for name in now if name not in known]
    if (missing or extra) and shard.file.kind not in ("json", "jsonl"):
        raise DataError(
            f"{shard.file.path.name} does not have the columns of {first.file.path.name}: "
            f"missing {missing or 'none'}, additional {extra or 'none'}. "
            "All shards must have the same columns. Move this file away, or load it separately."
        )


def _no_such_file(path: Path) -> str:
    folder = path.parent
    names = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    near = get_close_matches(path.name, names, n=3, cutoff=0.6)
    if near:
        return f"{path} does not exist. A file or folder was expected. Did you mean {' or '.join(near)}?"
    where = "The folder exists, but contains" if folder.is_dir() else "The folder does not exist; there is"
    return f"{path} does not exist. {where} nothing with a similar name. Check the path."


def is_hf_folder(path: Path) -> bool:
    """Whether `save_to_disk` of Hugging Face datasets wrote this folder."""
    return (path / "dataset_dict.json").is_file() or _is_hf_dataset(path)


def find_in_hf_folder(path: Path) -> list[Shard]:
    """The Arrow files of such a folder, with the names of its splits and classes."""
    if _is_hf_dataset(path):
        return _hf_shards(path, None)
    listed = _read_object(path / "dataset_dict.json").get("splits")
    splits = listed if isinstance(listed, list) else []
    missing = [split for split in splits if not _is_hf_dataset(path / split)]
    if missing or not splits:
        raise DataError(
            f"{path} is a saved DatasetDict, but lacks the folder of a split: {', '.join(missing) or 'all'}. "
            "One folder with dataset_info.json and state.json was expected for each split. Save it again."
        )
    return [shard for split in splits for shard in _hf_shards(path / split, split)]


def _is_hf_dataset(path: Path) -> bool:
    return (path / "dataset_info.json").is_file() and (path / "state.json").is_file()


def _hf_shards(path: Path, split: str | None) -> list[Shard]:
    entries = _read_object(path / "state.json").get("_data_files")
    features = _read_object(path / "dataset_info.json").get("features")
    names = [entry["filename"] for entry in entries] if isinstance(entries, list) else []
    files = [path / name for name in names] or sorted(path.glob("data-*.arrow"))
    missing = [file.name for file in files if not file.is_file()]
    if missing or not files:
        raise DataError(
            f"{path} is a saved dataset, but its data is missing: {', '.join(missing) or 'data-*.arrow'}. "
            "state.json lists the expected files. Save or copy it again."
        )
    classes = {
        column: names
        for column, feature in (features.items() if isinstance(features, dict) else ())
        if (names := _class_names(feature))
    }
    return [Shard(DataFile(file, "arrow", ""), split, classes) for file in files]


def _class_names(feature: object) -> list[str]:
    """The class names of a feature in dataset_info.json, also of a list of classes; none if it has none."""
    if isinstance(feature, dict) and isinstance(feature.get("feature"), dict):
        feature = feature["feature"]
    is_class = isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
    return list(feature.get("names") or ()) if isinstance(feature, dict) and is_class else []


def _read_object(path: Path) -> Mapping[str, object]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(
            f"{path} is not valid JSON ({error}). `save_to_disk` writes this file. Save the dataset again."
        ) from error
    return value if isinstance(value, dict) else {}
