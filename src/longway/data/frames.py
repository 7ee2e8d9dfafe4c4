"""Datasets that are objects already (frames, lists of dicts, Hugging Face datasets), and those of the Hugging Face hub.

    hf:NAME, hf:NAME:CONFIG, hf:NAME:SPLIT, hf:NAME:CONFIG:SPLIT

The hub needs the `hub` extra. With two parts, the second is a split if it has the name of one, otherwise a configuration.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import polars as pl

from longway.data.columns import changed
from longway.data.json_file import from_rows
from longway.data.problems import ProblemLog
from longway.data.shards import ROW_NUMBER, Source, in_memory, name_classes
from longway.data.table import RAW, DataTable, combine
from longway.errors import DataError, MissingExtra

HUB_PREFIX = "hf:"
SPLITS = {"train", "test", "validation", "valid", "dev", "val", "all", "unsupervised"}


def from_object(value: object, log: ProblemLog) -> Source:
    """A source from a pandas frame, a Polars frame or lazy frame, a Hugging Face dataset, or a list of dicts."""
    if isinstance(value, pl.LazyFrame):
        value = _collect(value)
    if isinstance(value, pl.DataFrame):
        return in_memory(DataTable(value), name="polars frame", format="frame")
    if _is_from("pandas", "DataFrame", value):
        source = in_memory(_from_pandas(value, log), name="pandas frame", format="frame")
        labels = cast(Any, value).index
        names = pl.Series("source_row", map(str, labels), dtype=pl.String)
        return (
            replace(source, row_names=pl.lit(names).gather(ROW_NUMBER)) if names.is_unique().all() else source
        )
    if _is_from("datasets", "DatasetDict", value) or _is_from("datasets", "Dataset", value):
        return in_memory(_from_hugging_face(value), name="Hugging Face dataset", format="frame")
    if isinstance(value, list | tuple) and all(isinstance(row, dict) for row in value):
        rows = [{str(key): cell for key, cell in row.items()} for row in value]
        return in_memory(from_rows(rows, log, raw=True), name="list of dicts", format="frame")
    raise DataError(
        f"A {type(value).__name__} cannot be loaded. Expected a path, 'hf:NAME', a pandas or Polars frame, "
        "a Hugging Face Dataset or a list of dicts. Convert it to one of these."
    )


def to_pandas(tables: Sequence[DataTable]) -> Any:
    """All rows as a pandas frame. What was read from one comes back with its index and its types; cells that changed are replaced."""
    whole = combine(tables)
    frame = whole.without_raw().frame
    new = frame.to_pandas()
    numbers = frame.select(each for each in frame if each.dtype.is_integer() and each.null_count())
    exact = numbers.to_pandas(use_pyarrow_extension_array=True).convert_dtypes(dtype_backend="numpy_nullable")
    new[numbers.columns] = exact  # would be floats
    original = tables[0].original
    if original is None or not _is_from("pandas", "DataFrame", original.rows):
        return new
    result = original.rows.take(whole.frame[RAW].to_numpy())
    for place, name in enumerate(original.table.frame.columns):
        is_new = changed(whole, original.table, name)
        if is_new.any():
            cells = _with_cells(
                result.iloc[:, place], is_new.to_numpy(), frame[name].filter(is_new).to_list()
            )
            result.isetitem(place, cells)
    is_added = pl.Series([table.is_added for table in tables for _ in range(table.frame.height)])
    if result.index.dtype.kind in "iu" and is_added.any():
        labels = original.rows.index.max() + is_added.cum_sum().to_numpy()
        result.index = result.index.where(~is_added.to_numpy(), labels)
    more = new.columns.difference(original.table.frame.columns, sort=False)
    return result.assign(**{name: new[name].array for name in more})


def _with_cells(column: Any, places: Any, cells: list[Any]) -> Any:
    """The pandas column with new cells, of its own type if they fit."""
    try:
        column[places] = cells
    except (TypeError, ValueError):
        column = column.astype(object)
        column[places] = cells
    return column


def from_hub(name: str) -> Source:
    """The dataset named "hf:NAME"; all its splits, with a column for the split, unless one is named."""
    path, config, split = parse_hub_name(name)
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise MissingExtra("datasets", extra="hub", purpose=f"reading {name}") from error
    try:
        loaded = datasets.load_dataset(path, config, split=split)
    except Exception as error:  # the package has many exceptions for networks, names and configurations
        first_line = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(
            f"{name} cannot be loaded from the hub ({first_line}). "
            "Expected hf:NAME, hf:NAME:CONFIG:SPLIT or parts of it. Check the name and the connection."
        ) from error
    return in_memory(_from_hugging_face(loaded), name=name, format="hub")


def parse_hub_name(name: str) -> tuple[str, str | None, str | None]:
    """Name, configuration and split.

    >>> parse_hub_name("hf:glue:sst2:train"), parse_hub_name("hf:imdb:test")
    (('glue', 'sst2', 'train'), ('imdb', None, 'test'))
    """
    parts = re.split(r":(?![^\[]*\])", name.removeprefix(HUB_PREFIX), maxsplit=2)  # not in "train[:10%]"
    if not parts[0]:
        raise DataError(f"{name!r} names no dataset. Expected hf:NAME, as in hf:imdb. Add the name.")
    if len(parts) == 3:
        return parts[0], parts[1] or None, parts[2] or None
    if len(parts) == 1:
        return parts[0], None, None
    is_split = parts[1].partition("[")[0] in SPLITS
    return (parts[0], None, parts[1]) if is_split else (parts[0], parts[1] or None, None)


def _is_from(package: str, name: str, value: object) -> bool:
    """Whether a value is an instance of a package's class. The package is not imported: without it there is no instance."""
    module = sys.modules.get(package)
    kind = None if module is None else vars(module).get(name)
    return isinstance(kind, type) and isinstance(value, kind)


def _collect(value: pl.LazyFrame) -> pl.DataFrame:
    try:
        return value.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        first_line = str(error).splitlines()[0]
        raise DataError(
            f"The lazy frame cannot be collected ({first_line}). Its rows are needed. Fix the query."
        ) from error


def _from_pandas(value: Any, log: ProblemLog) -> DataTable:
    """The frame without its index, and with itself as the original; columns of mixed objects are kept as JSON text."""
    names = [str(name) for name in value.columns]
    if len(set(names)) < len(names):
        raise DataError(
            f"The pandas frame uses a column name twice: {list(value.columns)}. Each name must be unique. "
            "Rename or drop one of them."
        )
    columns = [_column(name, value.iloc[:, place], log) for place, name in enumerate(names)]
    frame = pl.concat([pl.DataFrame(), *(column.frame for column in columns)], how="horizontal")
    odd = frozenset(name for column in columns for name in column.json_columns)
    return DataTable(frame, odd).with_original(value.copy())


def _column(name: str, column: Any, log: ProblemLog) -> DataTable:
    """A column of a pandas frame as a table."""
    try:
        return DataTable(pl.from_pandas(column).alias(name).to_frame())
    except Exception:  # mixed types, unusual objects: Polars and Arrow raise many kinds of exceptions
        cells = column.astype(object).where(column.notna(), None)
        return from_rows([{name: cell} for cell in cells], log)


def _from_hugging_face(value: Any) -> DataTable:
    """The table of a `Dataset`, or of all splits of a `DatasetDict`."""
    if isinstance(value, dict):
        return combine([_one_split(dataset, split) for split, dataset in value.items()])
    return _one_split(value, None)


def _one_split(dataset: Any, split: str | None) -> DataTable:
    frame = cast(pl.DataFrame, pl.from_arrow(dataset.with_format("arrow")[:]))
    for column, feature in dataset.features.items():
        inner = getattr(feature, "feature", feature)  # of a list of classes
        if classes := getattr(inner, "names", None):
            frame = frame.with_columns(name_classes(frame[column], classes))
    if split is not None and "split" not in frame.columns:
        frame = frame.with_columns(pl.lit(str(split)).alias("split"))
    return DataTable(frame)
