"""Excel workbooks (.xlsx): the first sheet, whose first row has the column names. Needs the extra `xlsx`.

Text stays text, also if it looks like a number or a formula. A formula in the file is read as its last result. A column whose cells
have several types is kept as JSON text, cell by cell, as in JSON files.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable
from datetime import date, datetime
from math import isfinite
from typing import IO, Any

import polars as pl

from longway.data.csv_file import unique_names
from longway.data.json_file import from_rows
from longway.data.problems import ProblemLog
from longway.data.table import DataTable, dump
from longway.errors import DataError, MissingExtra

MOST_ROWS, LONGEST = 2**20, 2**15 - 1  # of a sheet; characters of a cell
EXACT = 2**53  # integers up to here are exact in a sheet
DATE_FORMATS: dict[type, str] = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss"}


def read(stream: IO[bytes], log: ProblemLog) -> DataTable:
    """The first sheet of the workbook."""
    calamine = _package("python_calamine", "reading an .xlsx file")
    try:
        rows = calamine.CalamineWorkbook.from_filelike(stream).get_sheet_by_index(0).to_python()
    except Exception as error:  # the package has many exceptions for damaged files, and some panic
        raise ValueError(str(error) or type(error).__name__) from error
    header = unique_names([_name(cell) for cell in rows[0]]) if rows else []
    filled = [row for row in rows[1:] if any(cell != "" for cell in row)]
    cells = [[None if cell == "" else cell for cell in row] for row in filled]
    if not cells:
        return DataTable(pl.DataFrame(schema=dict.fromkeys(header, pl.String)))
    return from_rows([dict(zip(header, row, strict=True)) for row in cells], log)


def write(tables: Iterable[DataTable], stream: IO[bytes]) -> None:
    """Write the tables as a workbook with one sheet; lists and objects as JSON text."""
    xlsxwriter = _package("xlsxwriter", "writing an .xlsx file")
    with xlsxwriter.Workbook(stream, {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        formats = {kind: book.add_format({"num_format": text}) for kind, text in DATE_FORMATS.items()}
        names: list[str] = []
        number = 0
        for table in tables:
            if not names:
                names = table.frame.columns
                for place, name in enumerate(names):
                    sheet.write_string(0, place, name)
            is_json = [name in table.json_columns for name in names]
            for row in table.frame.select(names).iter_rows():
                number += 1
                if number >= MOST_ROWS:
                    raise DataError(
                        f"The dataset has more than {MOST_ROWS - 1:,} rows, the most that a sheet can hold. "
                        "Save it as .csv or .parquet instead."
                    )
                for place, cell in enumerate(row):
                    value = json.loads(cell) if is_json[place] and cell is not None else cell
                    _write_cell(sheet, number, place, value, formats)


def _write_cell(sheet: Any, row: int, place: int, value: Any, formats: dict[type, Any]) -> None:
    if value is None or value == "":
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, place, value)
    elif (isinstance(value, float) and isfinite(value)) or (isinstance(value, int) and abs(value) <= EXACT):
        sheet.write_number(row, place, value)
    elif type(value) in formats and value.year >= 1900:
        sheet.write_datetime(row, place, value, formats[type(value)])
    else:
        text = value if isinstance(value, str) else dump(value).strip('"')
        if len(text) > LONGEST:
            raise DataError(
                f"A cell of row {row:,} has {len(text):,} characters. A cell of an .xlsx file can have {LONGEST:,}. "
                "Save the dataset as .csv or .jsonl instead."
            )
        sheet.write_string(row, place, text)


def _name(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _package(name: str, purpose: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra(name.replace("_", "-"), extra="xlsx", purpose=purpose) from error
