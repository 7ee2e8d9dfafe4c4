"""Whether what a run folder holds is whole, and what of it must be the same in a run that nothing disturbed.

    torn(folder)        what is broken, in words; [] where every file is whole
    content(folder)     all files as values that can be compared; without times
    masked(page)        a report or card without the times it tells
    untidy(folder)      temporary files, of which a finished run has none

What may differ between two runs, and is left out: when they began and ended, how long each part took, and what is made of these
(sizes in run.json, dates and durations in report.html and card.md). A database is compared row by row.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import polars as pl

from longway.store.atomic import left_behind

TIMES = {"created", "started", "finished", "seconds", "seconds_by_step", "at", "time"}
SIZES = {"files"}  # of run.json
TELL_TIMES = (".html", ".md")
_TOLD = re.compile(
    r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    r"|\b(?:[\d,]+ h \d\d min|\d+ min \d\d s|\d+(?:\.\d)? s)\b"
)
_BESIDE = ("-wal", "-shm", "-journal")  # the last: until a new file is told to write ahead


def files_of(folder):
    """Every file of a run by its path in the folder, without temporary ones and what SQLite puts beside its own."""
    temporary = set(untidy(folder))
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path not in temporary and not path.name.endswith(_BESIDE)
    }


def untidy(folder):
    """Files that were being written when their process ended."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    return sorted({path for each in folders for path in left_behind(each)})


def torn(folder):
    """What is broken, one line for each file; the folder is only looked at: databases are opened in a copy."""
    found = []
    with tempfile.TemporaryDirectory() as beside:
        copy = Path(beside) / "copy"
        shutil.copytree(folder, copy)
        for name, path in files_of(copy).items():
            try:
                _value(path)
            except (ValueError, OSError, BadZipFile, KeyError, sqlite3.Error, pl.exceptions.PolarsError) as e:
                found.append(f"{name}: {type(e).__name__}: {e}")
    return found


def content(folder):
    """The files of a finished run as values, in a copy."""
    with tempfile.TemporaryDirectory() as beside:
        copy = Path(beside) / "copy"
        shutil.copytree(folder, copy)
        return {name: _value(path) for name, path in files_of(copy).items()}


def _value(path):
    """What a file says; an error where it is not whole."""
    if path.suffix == ".json":
        return _timeless(json.loads(path.read_text(encoding="utf-8")))
    if path.suffix == ".jsonl":
        return _lines(path)
    if path.suffix == ".csv":
        return _table(path)
    if path.suffix == ".sqlite":
        return _database(path)
    if path.suffix == ".parquet":
        return pl.read_parquet(path).to_dicts()
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as kept:
            return {name: kept[name].tolist() for name in kept}
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html" and not text.rstrip().endswith("</html>"):
        raise ValueError("the page does not end")
    return masked(text) if path.suffix in TELL_TIMES else text


def masked(page):
    """A page without the dates and durations it tells, as the reports write them.

    >>> masked("Made 2026-01-31T10:00:00Z, 4 min 12 s; 31 of 40 rows, $0.25")
    'Made -, -; 31 of 40 rows, $0.25'
    """
    return _TOLD.sub("-", page)


def _timeless(value):
    if isinstance(value, dict):
        return {key: _timeless(one) for key, one in value.items() if key not in TIMES | SIZES}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def _lines(path):
    text = path.read_text(encoding="utf-8")
    if text and not text.endswith("\n"):
        raise ValueError("the last line does not end")
    for line in text.splitlines():
        json.loads(line)
    return text


def _table(path):
    """The file's text, after a look at whether every row has all cells."""
    text = path.read_bytes().decode("utf-8")
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    head, *rows = csv.reader(text.splitlines(keepends=True))
    if any(len(row) != len(head) for row in rows):
        raise ValueError("a row has not all cells")
    return text


def _database(path):
    """All rows of all tables; an empty file is one in which nothing was kept yet."""
    with closing(sqlite3.connect(path)) as database:
        told = database.execute("pragma integrity_check").fetchall()
        if told != [("ok",)]:
            raise ValueError(f"integrity_check says {told[:3]}")
        database.row_factory = sqlite3.Row
        names = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
        return {
            name: sorted(
                json.dumps(_timeless(dict(row)), default=lambda one: one.hex())
                for row in database.execute(f'select * from "{name}"')
            )
            for name in sorted(names)
        }
