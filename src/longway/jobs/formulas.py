"""Counts cells of a written dataset that a spreadsheet would run as formulas.

    formulas_in(folder)      the number of such cells in the dataset of a run folder

Cells are written unchanged, so the report warns about them instead. Only CSV and TSV files are checked: a spreadsheet asks before it
opens other files as a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import polars as pl

from longway.data.encoding import EncodingError
from longway.data.formats import TABLES, DataFile, chunks, data_file, is_known
from longway.data.problems import ProblemLog

# What a spreadsheet may take for the start of a formula; spaces before it do not stop it, and a number is none.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_STARTS = r"^ *[=+\-@\t\r\n＝＋－＠]"
_NUMBER = r"^ *[+-]?(\d+([.,]\d+)*|\.\d+)([eE][+-]?\d+)?%? *$"


def formulas_in(folder: Path) -> int:
    """The number of such cells in the dataset of a run folder."""
    return sum(formula_cells(path) for path in _files(folder))


def formula_cells(path: Path) -> int:
    """The cells of a file, column names included, that a spreadsheet would run; 0 where it is no CSV or TSV file."""
    file = data_file(path)
    if file.kind not in TABLES:
        return 0
    try:
        return _formula_cells(file)
    except EncodingError:  # any encoding will do that has the characters of formulas and decodes all bytes
        return _formula_cells(replace(file, encoding="latin-1"))


def _formula_cells(file: DataFile) -> int:
    names: list[str] = []
    n = 0
    for table in chunks(file, None, ProblemLog()):
        names = names or table.frame.columns
        n += _count(table.frame)
    return n + _count(pl.DataFrame({"name": names}, schema={"name": pl.String}))


def _count(frame: pl.DataFrame) -> int:
    texts = [pl.col(name) for name, kind in frame.schema.items() if kind == pl.String]
    if not texts or frame.is_empty():
        return 0
    is_formula = [text.str.contains(_STARTS) & ~text.str.contains(_NUMBER) for text in texts]
    return int(frame.select(pl.sum_horizontal(one.sum() for one in is_formula)).item() or 0)


def _files(folder: Path) -> Iterable[Path]:
    """The files of the dataset: one, or the shards of a folder."""
    for path in sorted(folder.glob("dataset.*")):
        yield from (
            one
            for one in (sorted(path.iterdir()) if path.is_dir() else [path])
            if one.is_file() and is_known(one)
        )
