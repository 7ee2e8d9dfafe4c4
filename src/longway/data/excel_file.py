"""Excel workbooks (.xlsx): the first sheet, whose first row has the column names. Needs the extra `xlsx`.

Text stays text, also if it looks like a number or a formula. A formula in the file is read as its last result. A column whose cells
have several types is kept as JSON text, cell by cell, as in JSON files.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from math import isfinite
from typing import IO, Any
from zipfile import ZipFile

import polars as pl

from longway.data import memory
from longway.data.csv_file import unique_names
from longway.data.json_file import from_rows
from longway.data.problems import ProblemLog
from longway.data.table import DataTable, dump, scalar_text
from longway.errors import DataError, MissingExtra

MOST_ROWS, LONGEST = 2**20, 2**15 - 1  # of a sheet; characters of a cell
EXACT = 2**53  # integers up to here are exact in a sheet
# Bytes of a cell in memory, also of an empty one; of a sheet read at once; of the longest tag of a cell.
CELL_BYTES, BLOCK, LONGEST_TAG = 32, 2**20, 1_000
# What is searched in a workbook: the path of each part by its id, the id of each sheet, where the cells with
# content are. A name that every program can give a sheet.
LINK, SHEET, FILLED_CELL, SHEET_NAME = (
    rb"""<Relationship\b(?=[^<>]*\sId=["']([^"'<>]+))(?=[^<>]*\sTarget=["'](?:/xl/)?([^"'<>]+))""",
    rb"""<(?:\w+:)?sheet\s[^<>]*:id=["']([^"'<>]+)""",
    rb"""<(?:\w+:)?c\s(?:[^<>]{0,200}?\s)??r=["']([A-Z]+)(\d+)["'][^<>]*(?<!/)>(?!</)""",
    r"(?!')[^\[\]:*?/\\]{1,31}(?<!')",
)
DATE_FORMATS: dict[type, str] = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss"}


def read(stream: IO[bytes], log: ProblemLog, *, name: str) -> Iterator[DataTable]:
    """The first sheet of the workbook as one table. name: of the file, for an error."""
    calamine = _package("python_calamine", "reading an .xlsx file")
    n_rows, n_columns = _extent(stream)
    needed = CELL_BYTES * n_rows * n_columns
    if not memory.can_hold(needed):
        raise DataError(
            f"The first sheet of {name} has a cell in row {n_rows:,} and one in column {n_columns:,}. "
            f"With all empty cells up to there it needs {2 * needed / 2**30:,.1f} GiB, too much for the free "
            f"memory of {memory.available_bytes() / 2**30:,.1f} GiB. In Excel, delete all rows below your "
            "table and all columns to the right of it (Ctrl+End shows the last cell), and save the file."
        )
    stream.seek(0)
    try:
        book = calamine.CalamineWorkbook.from_filelike(stream)
        rows = [
            [None if cell == "" else cell for cell in row]
            for row in book.get_sheet_by_index(0).iter_rows()
            if row.count("") < len(row)
        ]
    except Exception as error:  # the package has many exceptions for damaged files, and some panic
        raise ValueError(str(error) or type(error).__name__) from error
    names = book.sheet_names
    log.add("other_sheets", [], count=len(names) - 1, about=", ".join(map(repr, names[1:])))
    header = unique_names(["" if cell is None else scalar_text(cell) for cell in rows[0]]) if rows else []
    table = DataTable(pl.DataFrame(schema=dict.fromkeys(header, pl.String)))
    if rows[1:]:
        table = from_rows([dict(zip(header, row, strict=True)) for row in rows[1:]], log)
    yield replace(table, sheet=names[0])


def _extent(stream: IO[bytes]) -> tuple[int, int]:
    """How many rows and columns the first sheet has, up to its last cell with content.

    0 if a part of the file is not in its usual place; calamine then says whether it can be read.
    """
    n_rows, letters, rest = 0, b"", b""
    with suppress(Exception), ZipFile(stream) as book:
        paths = dict(re.findall(LINK, book.open("xl/_rels/workbook.xml.rels").read(BLOCK)))
        first = re.findall(SHEET, book.open("xl/workbook.xml").read(BLOCK))[0]
        with book.open(f"xl/{paths[first].decode()}") as sheet:
            while block := sheet.read(BLOCK):
                for column, row in dict(re.findall(FILLED_CELL, rest + block)).items():  # its last row
                    n_rows, letters = max(n_rows, int(row)), max(letters, column.rjust(9))
                rest = block[-LONGEST_TAG:]
    return n_rows, sum((code - 64) * 26**place for place, code in enumerate(reversed(letters.strip())))


def write(tables: Iterable[DataTable], stream: IO[bytes]) -> None:
    """Write the tables as a workbook with one sheet; lists and objects as JSON text."""
    xlsxwriter = _package("xlsxwriter", "writing an .xlsx file")
    with xlsxwriter.Workbook(stream, {"constant_memory": True}) as book:
        formats = {kind: book.add_format({"num_format": text}) for kind, text in DATE_FORMATS.items()}
        names: list[str] = []
        number = 0
        for table in tables:
            if not names:
                names = table.frame.columns
                sheet = book.add_worksheet(table.sheet if re.fullmatch(SHEET_NAME, table.sheet) else None)
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


def _package(name: str, purpose: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra(name.replace("_", "-"), extra="xlsx", purpose=purpose) from error
