"""One dataset in several files: a folder or a glob of shards, sorted by name and read one after the other.

A single file is a dataset of one shard, so everything on disk is read through here.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from longway.data import formats
from longway.data.formats import DataFile
from longway.data.problems import Tally
from longway.data.table import Table, combine
from longway.errors import DataError

NOT_DATA = {
    "dataset_info.json",
    "dataset_infos.json",
    "dataset_dict.json",
    "state.json",
}  # beside data of the hub


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a dataset.

    split: the split all its rows belong to, where the folder says so.
    class_names: for columns that hold class numbers, the names of the classes.
    """

    file: DataFile
    split: str | None = None
    class_names: Mapping[str, Sequence[str]] = field(default_factory=dict)


def find(path: Path) -> list[Shard]:
    """The files that a path, a folder or a glob stands for."""
    if path.is_dir():
        return _shards(path, [p for p in path.iterdir() if p.is_file()], "The folder")
    if path.exists():
        return [Shard(formats.data_file(path))]
    if glob.has_magic(str(path)):
        matches = Path(path.anchor).glob(str(path.relative_to(path.anchor)))
        return _shards(path, [p for p in matches if p.is_file()], "The pattern")
    raise DataError(_no_such_file(path))


def read(shards: Sequence[Shard], tally: Tally) -> Table:
    """All rows of all shards."""
    tables: list[Table] = []
    n_rows = 0
    for shard in shards:
        tables.append(_dress(formats.read(shard.file, tally.from_row(n_rows)), shard, None))
        _check_columns(shards[0], tables[0], shard, tables[-1])
        n_rows += tables[-1].frame.height
    return combine(tables)


def chunks(
    shards: Sequence[Shard], columns: Sequence[str] | None, tally: Tally, *, rows: range | None = None
) -> Iterator[Table]:
    """All rows of all shards in pieces, with these columns only. rows: of a Parquet file; see `formats.chunks`."""
    first: Table | None = None
    n_rows = 0
    for shard in shards:
        n_before = n_rows
        for number, piece in enumerate(_pieces(shard.file, columns, tally.from_row(n_before), rows)):
            table = _dress(piece, shard, columns)
            first = first or table
            if number == 0:
                _check_columns(shards[0], first, shard, table)
            n_rows += table.frame.height
            yield table


def _pieces(
    file: DataFile, columns: Sequence[str] | None, tally: Tally, rows: range | None
) -> Iterator[Table]:
    if file.can_stream:
        yield from formats.chunks(file, columns, tally, rows=rows)
    else:
        yield formats.read(file, tally).select(columns)


def _dress(table: Table, shard: Shard, columns: Sequence[str] | None) -> Table:
    """The table with class names in place of class numbers, and with the shard's split."""
    frame = table.frame
    for name, classes in shard.class_names.items():
        if name in frame.columns and frame[name].dtype.is_integer():
            frame = frame.with_columns(name_classes(frame[name], classes))
    wants_split = columns is None or "split" in columns
    if shard.split is not None and wants_split and "split" not in frame.columns:
        frame = frame.with_columns(pl.lit(shard.split).alias("split"))
    return Table(frame, table.json_columns, table.optional)


def name_classes(numbers: pl.Series, classes: Sequence[str]) -> pl.Series:
    """The names of numbered classes; a number without a name (-1: no label) becomes empty.

    >>> name_classes(pl.Series([1, -1]), ["no", "yes"]).to_list()
    ['yes', None]
    """
    return numbers.replace_strict(dict(enumerate(classes)), default=None, return_dtype=pl.String)


def _shards(path: Path, found: list[Path], what: str) -> list[Shard]:
    """The data files among those found, which must be of one format."""
    files = [formats.data_file(p) for p in sorted(found) if _is_data(p)]
    if not files:
        raise DataError(
            f"{what} {path} holds no data file. Files that end in {', '.join(formats.KINDS)} "
            "were expected, also with .gz or .zst. Check the path."
        )
    kinds = sorted({file.format for file in files})
    if len(kinds) > 1:
        raise DataError(
            f"{what} {path} holds files of several formats: {', '.join(kinds)}. "
            f"Shards of one format were expected. Name one of them, as in {path}/*.{kinds[0]}"
        )
    return [Shard(file) for file in files]


def _is_data(path: Path) -> bool:
    return formats.is_known(path) and path.name not in NOT_DATA and not path.name.startswith(".")


def _check_columns(first: Shard, expected: Table, shard: Shard, got: Table) -> None:
    """Shards must have the same columns; only JSON rows may lack keys."""
    before, now = expected.frame.columns, got.frame.columns  # once: each call lists all names anew
    known, here = set(before), set(now)
    lacking = [name for name in before if name not in here]
    extra = [name for name in now if name not in known]
    if (lacking or extra) and shard.file.kind not in ("json", "jsonl"):
        raise DataError(
            f"{shard.file.path.name} does not have the columns of {first.file.path.name}: "
            f"it lacks {lacking or 'none'} and has {extra or 'none'} besides. "
            "All shards must have the same columns. Move the odd file away, or load it alone."
        )


def _no_such_file(path: Path) -> str:
    folder = path.parent
    names = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    near = get_close_matches(path.name, names, n=3, cutoff=0.6)
    if near:
        return f"{path} does not exist. A file or folder was expected. Did you mean {' or '.join(near)}?"
    where = "The folder exists, but holds" if folder.is_dir() else "The folder does not exist; there is"
    return f"{path} does not exist. {where} nothing with a similar name. Check the path."
