"""Rows of a benchmark's files with their positions; errors name the row that is malformed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from longway.data.formats import SUFFIXES, open_bytes
from longway.errors import DataError


class BenchmarkRow:
    """One object of a file. where: its position, for errors. form: what was expected, in words."""

    def __init__(self, values: object, where: str, form: str) -> None:
        self.where, self.form = where, form
        if not isinstance(values, dict):
            self.refuse("is not an object")
        self.values: Mapping[str, object] = values

    def text(self, key: str) -> str:
        """The text under a key; DataError if it is missing or blank."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            self.refuse(f"has no text under {key!r}" if key in self.values else f"lacks {key!r}")
        return value.strip()

    def one_of(self, key: str, options: Sequence[str]) -> str:
        """The text under a key, which must be one of the options."""
        value = self.text(key)
        if value not in options:
            self.refuse(f"has {value!r} under {key!r}, which must be one of {', '.join(options)}")
        return value

    def inner(self, key: str) -> BenchmarkRow:
        """The object under a key."""
        return BenchmarkRow(self.values.get(key), f"{self.where}, {key!r}", self.form)

    def array(self, key: str) -> list[object]:
        """The list under a key."""
        value = self.values.get(key)
        if not isinstance(value, list):
            self.refuse(f"has no list under {key!r}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of texts under a key, which must not be empty."""
        value = self.values.get(key)
        texts = [text.strip() for text in value if isinstance(text, str)] if isinstance(value, list) else []
        if not isinstance(value, list) or not texts or len(texts) < len(value) or not all(texts):
            self.refuse(f"has no list of texts under {key!r}")
        return tuple(texts)

    def refuse(self, problem: str) -> NoReturn:
        """Raise the DataError for this row."""
        raise DataError(
            f"{self.where}, {problem}. Expected {self.form}. Fix or remove it, or download the published file again."
        )


def contents(path: Path) -> bytes:
    """The uncompressed bytes of a file."""
    with open_bytes(path, SUFFIXES.get(path.suffix, "")) as stream:
        return stream.read()


def rows(path: Path, form: str) -> list[BenchmarkRow]:
    """The rows of a CSV or JSON Lines file, by its ending. form: what each must be, in words, for errors."""
    ending = path.suffixes[-2] if path.suffix in SUFFIXES and len(path.suffixes) > 1 else path.suffix
    found = list((_csv_rows if ending.lower() == ".csv" else _json_lines)(path, form))
    if not found:
        raise DataError(f"{path} has no rows. Expected {form}. Download the published file again.")
    return found


def json_value(path: Path, form: str) -> object:
    """The value of a JSON file."""
    try:
        return json.loads(_decoded(path, form))
    except ValueError as error:
        raise DataError(
            f"{path} is not valid JSON ({error}). Expected {form}. Download the published file again."
        ) from None


def is_one_value(path: Path) -> bool:
    """Whether a file is one JSON value, not JSON Lines."""
    try:
        json.loads(contents(path))
    except ValueError:
        return False
    return True


def fingerprint(paths: Sequence[Path]) -> str:
    """A hash of the contents of some files, in this order."""
    digest = sha256()
    for path in paths:
        digest.update(sha256(contents(path)).digest())
    return f"sha256:{digest.hexdigest()}"


def _decoded(path: Path, form: str) -> str:
    try:
        return contents(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 at byte {error.start}. Expected {form}. Download the published file again."
        ) from None


def _json_lines(path: Path, form: str) -> Iterator[BenchmarkRow]:
    for number, line in enumerate(_decoded(path, form).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        yield BenchmarkRow(value, f"{path}, line {number}", form)


def _csv_rows(path: Path, form: str) -> Iterator[BenchmarkRow]:
    reader = csv.DictReader(io.StringIO(_decoded(path, form), newline=""))
    for number, values in enumerate(reader, 1):
        yield BenchmarkRow(values, f"{path}, row {number}", form)
