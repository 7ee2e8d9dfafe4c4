"""Datasets that are in memory already: pandas frames, Polars frames, lists of dicts."""

from __future__ import annotations

import sys
from typing import Any

import polars as pl

from longway.data.json_file import from_rows
from longway.data.problems import Tally
from longway.data.source import Source, in_memory
from longway.data.table import Table
from longway.errors import DataError


def from_object(value: Any, tally: Tally) -> Source:
    """A source from a pandas frame, a Polars frame or lazy frame, or a list of dicts."""
    if isinstance(value, pl.LazyFrame):
        value = _collect(value)
    if isinstance(value, pl.DataFrame):
        return in_memory(Table(value), name="polars frame", format="frame")
    if _is_pandas(value):
        return in_memory(_from_pandas(value, tally), name="pandas frame", format="frame")
    if isinstance(value, list | tuple) and all(isinstance(row, dict) for row in value):
        rows = [{str(key): cell for key, cell in row.items()} for row in value]
        return in_memory(from_rows(rows, tally), name="list of dicts", format="frame")
    raise DataError(
        f"A {type(value).__name__} cannot be loaded. Expected a path, 'hf:NAME', a pandas or Polars frame, "
        "or a list of dicts. Turn it into one of these."
    )


def _collect(value: pl.LazyFrame) -> pl.DataFrame:
    try:
        return value.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        first_line = str(error).splitlines()[0]
        raise DataError(
            f"The lazy frame cannot be collected ({first_line}). Its rows are needed. Mend the query."
        ) from error


def _is_pandas(value: Any) -> bool:
    pandas = sys.modules.get("pandas")  # no import: whoever holds a frame has it loaded
    return pandas is not None and isinstance(value, pandas.DataFrame)


def _from_pandas(value: Any, tally: Tally) -> Table:
    """The frame without its index; columns of mixed objects are kept as JSON cells."""
    if not value.columns.is_unique:
        raise DataError(
            f"The pandas frame uses a column name twice. Each must be there once; got {list(value.columns)}. "
            "Rename or drop one of them."
        )
    named = value.set_axis([str(name) for name in value.columns], axis=1)
    try:
        return Table(pl.from_pandas(named))
    except Exception:  # mixed types, odd objects: Polars and Arrow raise many kinds here
        return from_rows(named.astype(object).where(named.notna(), None).to_dict("records"), tally)
