"""The corpus as a file of each form, and rows read back from what a command wrote, by other means than Longway's own.

write_rows(path, rows)      JSON lines, CSV or Parquet, by the ending
read_rows(path)             the same back, as plain values
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.hostile.corpus import write_jsonl

FORMS = ("jsonl", "csv", "parquet")


def whole(text: object) -> object:
    """A text without half characters, which only JSON has a form for."""
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else text


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    """Write the rows in the form that the ending names."""
    if path.suffix == ".jsonl":
        return write_jsonl(path, rows)
    held = [{name: whole(value) for name, value in row.items()} for row in rows]
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(held), path)
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(held[0]), quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(held)
    return path


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    text = path.read_bytes().decode("utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n") if line]
    csv.field_size_limit(2**31 - 1)
    return list(csv.DictReader(io.StringIO(text, newline="")))
