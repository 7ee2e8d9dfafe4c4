"""Labels that are lists of tags: Parquet and Arrow lists, JSON lists, and CSV cells such as ["a", "b"] or ['a', 'b'], as pandas writes them.

lists_in(tables, column)   ->  whether all cells are lists
tag_lists(table, column)   ->  the tags of each cell as JSON text: sorted, each once
has_tag(lists, tag)        ->  a label for each cell: the tag, or "not" and the tag
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Callable, Iterable
from typing import Literal

import polars as pl

from longway.data.table import DataTable, dump, scalar_text, to_json

# "": ordinary cells. "single": lists of one element, an ordinary label. "several": lists of tags.
Lists = Literal["", "single", "several"]
ITEM = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[-+.\w]+""", re.DOTALL)


def lists_in(tables: Iterable[DataTable], column: str) -> Lists:
    """Whether all cells of a column are lists; empty cells do not count. Text such as "['a']" everywhere is an ordinary label."""
    found: Lists = ""
    is_text = False
    for table in tables:
        dtype = table.frame.schema.get(column, pl.Null())  # a chunk of JSON Lines may lack the column
        if not (dtype.is_nested() or dtype in (pl.String, pl.Null)):
            return ""
        cells = _cells(table, column).drop_nulls()
        is_text = is_text or (dtype == pl.String and column not in table.json_columns)
        for cell in [*cells.head(1), *cells.unique()]:  # the first cell of most columns is no list
            tags = _tags(cell)
            if tags is None:
                return ""
            found = "single" if len(tags) == 1 and found != "several" else "several"
    return "" if found == "single" and is_text else found


def tag_lists(table: DataTable, column: str) -> pl.Series:
    """The tags of each cell as JSON text; null for an empty cell. A cell that is no list is one tag."""
    cells = _cells(table, column)
    is_json = column in table.json_columns or table.frame.schema.get(column) != pl.String

    def tags_of(cell: str) -> str:
        tags = _tags(cell)
        if tags is None:
            tags = {scalar_text(json.loads(cell)) if is_json else cell}
        return dump(sorted(tags))

    return _mapped(cells, tags_of)


def has_tag(lists: pl.Series, tag: str) -> pl.Series:
    """The label of each row. lists: as `tag_lists` returns them.

    >>> has_tag(pl.Series(['["a"]', "[]", None]), "a").to_list()
    ['a', 'not a', None]
    """
    name = tag_name(tag)
    return _mapped(lists, lambda cell: name if tag in json.loads(cell) else f"not {name}")


def only_tag(lists: pl.Series) -> pl.Series:
    """The one tag of each row. lists: as `tag_lists` returns them."""
    return _mapped(lists, lambda cell: str(json.loads(cell)[0]))


def tag_name(tag: str) -> str:
    """The tag as a label: blank tags in quotes, since a blank label is a missing one.

    >>> tag_name("toxic"), tag_name("")
    ('toxic', '""')
    """
    return tag if tag.strip() else f'"{tag}"'


def _cells(table: DataTable, column: str) -> pl.Series:
    """The cells as text, as JSON if they are not text; blank ones are null."""
    if column not in table.frame.columns:
        return pl.Series(column, [None] * table.frame.height, dtype=pl.String)
    if table.frame.schema[column] != pl.String:
        return to_json(table.frame[column])
    return table.frame.select(pl.when(pl.col(column).str.contains(r"\S")).then(column)).to_series()


def _mapped(cells: pl.Series, function: Callable[[str], str]) -> pl.Series:
    """The function of each cell, called once for each different cell."""
    known = {cell: function(cell) for cell in cells.drop_nulls().unique()}
    return cells.replace_strict(known, default=None, return_dtype=pl.String)


def _tags(cell: str) -> set[str] | None:
    """The tags in the text of a list; None if it is no list of words, numbers or true/false."""
    text = cell.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = _python_list(text[1:-1])
    if values is None or any(isinstance(value, list | dict) for value in values):
        return None
    return {scalar_text(value) for value in values if value is not None and value == value}  # not NaN


def _python_list(inside: str) -> list[object] | None:
    """The elements of a Python list or of a printed NumPy array, which has no commas; None if it is neither."""
    if re.sub(r"[\s,]", "", ITEM.sub("", inside)):
        return None
    try:
        return [literal_eval(item) for item in ITEM.findall(inside)]
    except (ValueError, SyntaxError):
        return None
