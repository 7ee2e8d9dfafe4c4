"""Rows of a benchmark's files, each with its place; an error that names the place where one is not as it should be."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from longway.data.compression import SUFFIXES, open_bytes
from longway.errors import DataError


class Row:
    """One object of a file. where: its place, for errors. form: what was expected, in words."""

    def __init__(self, values: Any, where: str, form: str) -> None:
        self.where, self.form = where, form
        self.values: dict[str, Any] = values if isinstance(values, dict) else self.refuse("is no object")

    def text(self, key: str) -> str:
        """The text under a key; an error where it is missing or blank."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            self.refuse(f"has no text under {key!r}" if key in self.values else f"lacks {key!r}")
        assert isinstance(value, str)
        return value.strip()

    def one_of(self, key: str, options: Sequence[str]) -> str:
        """The text under a key, which must be one of the options."""
        value = self.text(key)
        if value not in options:
            self.refuse(f"has {value!r} under {key!r}, which must be one of {', '.join(options)}")
        return value

    def inner(self, key: str) -> Row:
        """The object under a key."""
        return Row(self.values.get(key), f"{self.where}, {key!r}", self.form)

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of texts under a key, one at least."""
        value = self.values.get(key)
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(v, str) and v.strip() for v in value)
        ):
            self.refuse(f"has no list of texts under {key!r}")
        assert isinstance(value, list)
        return tuple(one.strip() for one in value)

    def refuse(self, problem: str) -> Any:
        """Raise the error that tells what is wrong here."""
        raise DataError(
            f"{self.where}, {problem}. Expected {self.form}. Mend or remove it, or get the published file again."
        )


def contents(path: Path) -> bytes:
    """The file's bytes, unpacked."""
    with open_bytes(path, SUFFIXES.get(path.suffix, "")) as stream:
        return stream.read()


def rows(path: Path, form: str) -> list[Row]:
    """The rows of a CSV or JSON Lines file, by its ending. form: what each must be, in words, for errors."""
    ending = path.suffixes[-2] if path.suffix in SUFFIXES and len(path.suffixes) > 1 else path.suffix
    found = list((_csv_rows if ending.lower() == ".csv" else _json_lines)(path, form))
    if not found:
        raise DataError(f"{path} has no rows. Expected {form}. Get the published file again.")
    return found


def json_value(path: Path, form: str) -> Any:
    """The value of a JSON file."""
    try:
        return json.loads(_decoded(path, form))
    except ValueError as error:
        raise DataError(
            f"{path} is not valid JSON ({error}). Expected {form}. Get the published file again."
        ) from None


def is_one_value(path: Path) -> bool:
    """Whether a file is one JSON value over all its lines, and no JSON Lines."""
    try:
        json.loads(contents(path))
    except ValueError:
        return False
    return True


def fingerprint(paths: Sequence[Path]) -> str:
    """A name for the contents of some files, in the order given."""
    digest = sha256()
    for path in paths:
        digest.update(sha256(contents(path)).digest())
    return f"sha256:{digest.hexdigest()}"


def _decoded(path: Path, form: str) -> str:
    try:
        return contents(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 at byte {error.start}. Expected {form}. Get the published file again."
        ) from None


def _json_lines(path: Path, form: str) -> Iterator[Row]:
    for number, line in enumerate(_decoded(path, form).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        yield Row(value, f"{path}, line {number}", form)


def _csv_rows(path: Path, form: str) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(_decoded(path, form), newline=""))
    for number, values in enumerate(reader, 1):
        yield Row(values, f"{path}, row {number}", form)
