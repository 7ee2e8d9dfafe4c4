"""The cells of the columns that play a part, as text: one small frame with fixed names.

a table  ->  role_frame(table, columns)  ->  text, context, label, id, split, usable
"""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from longway.data.columns import Columns
from longway.data.table import Table
from longway.errors import ColumnError

HAS_INK = r"\S"


def role_frame(table: Table, columns: Columns) -> pl.DataFrame:
    """The roles of the table's rows as text; `usable` where there are a text and a label."""
    roles = {
        "text": columns.text,
        "context": columns.context,
        "label": columns.label,
        "id": columns.id,
        "split": columns.split,
    }
    series = [_role(table, name, role) for role, name in roles.items() if name is not None]
    frame = pl.DataFrame(series)
    if "context" in frame.columns:
        frame = frame.with_columns(pl.col("context").fill_null(""))
    return frame.with_columns(
        pl.when(pl.col("label").str.contains(HAS_INK)).then("label").alias("label"),
        pl.col("text").str.contains(HAS_INK).fill_null(False).alias("has_text"),
    ).with_columns((pl.col("has_text") & pl.col("label").is_not_null()).alias("usable"))


def plain_roles(table: Table, columns: Columns) -> Table:
    """The table with plain text where the text, context or label is kept as JSON cells."""
    names = table.json_columns & {columns.text, columns.context, columns.label}
    frame = table.frame.with_columns(_from_json(table.frame[name]) for name in names if name is not None)
    return Table(frame, table.json_columns - names, table.optional)


def _role(table: Table, name: str, role: str) -> pl.Series:
    if name not in table.frame.columns:  # a piece of JSON Lines in which no row has this key
        return pl.Series(role, [None] * table.frame.height, dtype=pl.String)
    series = table.frame[name]
    texts = _from_json(series) if name in table.json_columns else as_text(series)
    return texts.alias(role)


def as_text(series: pl.Series) -> pl.Series:
    """The cells as text: 1 and 1.0 as "1", True as "true".

    >>> as_text(pl.Series([1.0, 2.5, None])).to_list()
    ['1', '2.5', None]
    """
    dtype = series.dtype
    if dtype == pl.String:
        return series
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        raise _not_text(series.name, str(dtype))
    if dtype.is_float():
        return _float_text(series)
    try:
        return series.cast(pl.String)
    except (
        pl.exceptions.InvalidOperationError
    ):  # a span of time, and whatever else has no one way to be written
        raise _not_text(series.name, str(dtype)) from None


def _float_text(series: pl.Series) -> pl.Series:
    number = pl.col("x")
    is_whole = number.is_finite() & (number == number.round(0)) & (number.abs() < 2**53)
    text = (
        pl.when(is_whole)
        .then(pl.when(is_whole).then(number).cast(pl.Int64).cast(pl.String))
        .when(number.is_not_nan())
        .then(number.cast(pl.String))
    )
    return pl.DataFrame({"x": series}).select(text.alias(series.name)).to_series()


def _from_json(series: pl.Series) -> pl.Series:
    """The text of cells that are kept as JSON because they are of several types."""
    cells = [
        None if cell is None else _scalar_text(json.loads(cell), series.name) for cell in series.to_list()
    ]
    return pl.Series(series.name, cells, dtype=pl.String)


def _scalar_text(value: Any, name: str) -> str:
    if isinstance(value, list | dict):
        raise _not_text(name, "lists" if isinstance(value, list) else "objects")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _not_text(name: str, found: str) -> ColumnError:
    return ColumnError(
        f"The column {name!r} cannot be used. Text, numbers or true/false were expected; it holds {found}. "
        "Name another column, or turn it into text first."
    )
