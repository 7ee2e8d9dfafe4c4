"""Compare two recordings of `record.py`: data must agree, wording may differ.

    python tests/golden/compare.py BEFORE AFTER [--only NAME ...] [--allow PATTERN ...] [--all]

Prints four lists and exits with 1 if the first is not empty:

    data       a number, text, row, key or file of BEFORE that is changed or missing in AFTER
    added      keys and files that only AFTER has
    wording    sentences that differ: reasons, messages, what commands print, cards
    reports    headings, tables and charts of report.html, for information

With two digests (`record.py --digest FILE`), or one and a recording, it prints for each case how many rows, edits and findings differ, and
which figures; it exits with 1 if any does.

A path reads `case/file: key.key[row].key`. --allow takes such a path with * for any text, for a change that is intended.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

RELATIVE = 1e-9

# Files that are not compared at all: pattern, and why.
IGNORED_FILES = {
    "times.json": "how long commands took",
    "data/*": "input, not output; the recording script writes it",
    "prices.toml": "input",
    "*.lock": "a process id",
    "*-wal": "SQLite's own",
    "*-shm": "SQLite's own",
}
# Keys that are not compared, wherever they are: key, and why. With a dot: the end of a path.
IGNORED_KEYS = {
    "created": "time",
    "started": "time",
    "finished": "time",
    "at": "time",
    "updated": "time",
    "seconds": "duration",
    "seconds_by_step": "duration",
    "duration": "duration",
    "versions": "versions of packages",
    "python": "version of Python",
    "longway": "version of Longway",
    "run.json: files": "sizes of files, which depend on their wording",
    "rules_version": "hash of source code",
    "custom_id": "a journal key, which depends on hashes of source code",
    "calls.key": "a journal key",
    "row_digest": "part of a journal key",
}
# Parts of texts that are not compared: pattern, and what is compared instead.
IGNORED_PARTS = {
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?": "TIME",
    r"http://127\.0\.0\.1:\d+": "http://127.0.0.1:PORT",
    r"token=[\w-]+": "token=TOKEN",
    r"\b\d+(\.\d+)? (s|ms|seconds?|minutes?|min)\b": "DURATION",
    r"\b[0-9a-f]{64}(?:-\d+)?\b(?<!sha256:.{64})": "KEY",
}
# Keys whose texts are sentences for people: they may be worded anew.
WORDING_KEYS = {
    "basis", "card", "description", "detail", "details", "error", "explanation", "headline", "hint", "left", "message", "missing",
    "missing_checks", "next_step", "note", "notes", "reason", "refusal", "refusals", "sentence", "stopped", "title", "verdict", "warning",
    "warnings", "why",
}  # fmt: skip
# Paths of such texts under keys that hold data elsewhere.
WORDING_PATHS = (
    "*leak*.how", "*held_out*.how", "*notes.text", "*rewrite*findings.marked", "*overview.json: about", "*key_figures.name",
    "*planted.json: test", "*sqlite: failed.name",
)  # fmt: skip
# Mappings whose keys are sentences: their values are compared in order.
WORDING_MAPPINGS = {"refusals", "rejected", "stayed"}
WORDING_FILES = ("*.md", "*.out", "*.err")
# Files of rows whose order says nothing, because requests are sent side by side.
UNORDERED_FILES = ("*requests*.jsonl", "*asked*.jsonl", "*answers*.jsonl")

Json = Any


@dataclass
class Differences:
    """What was found so far, by list."""

    data: list[str] = field(default_factory=list)
    added: Counter[str] = field(default_factory=Counter)
    wording: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    reports: list[str] = field(default_factory=list)
    allow: tuple[str, ...] = ()

    def changed(self, path: str, before: object, after: object) -> None:
        """Note a difference of data, unless it is allowed."""
        self.note(f"{path.removesuffix(': ')}: {_short(before)} -> {_short(after)}", path)

    def note(self, line: str, path: str) -> None:
        """Note a line about this path, unless it is allowed."""
        if not any(fnmatchcase(path, f"*{pattern}*") for pattern in self.allow):
            self.data.append(line)

    def reworded(self, path: str, before: str, after: str) -> None:
        """Note a difference of wording."""
        self.wording[_without_rows(path), before, after] += 1


def compare(before: Path, after: Path, *, only: Iterable[str] = (), allow: Iterable[str] = ()) -> Differences:
    """All differences of two recordings. only: parts of the names of cases."""
    found = Differences(allow=tuple(allow))
    names, parts = _files(before), tuple(only)
    if parts:
        names = [name for name in names if any(part in name.split("/")[0] for part in parts)]
    for name in names:
        if not (after / name).exists():
            found.note(f"{name}: the file is missing", name)
            continue
        compare_file(name, before / name, after / name, found)
    cases = {name.split("/")[0] for name in names}
    for name in _files(after):
        if not (before / name).exists() and name.split("/")[0] in cases:
            found.added[f"file {name}"] += 1
    return found


def _files(folder: Path) -> list[str]:
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return [name for name in names if not _matches(name, IGNORED_FILES)]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) or fnmatchcase(name, f"*/{pattern}") for pattern in patterns)


def compare_file(name: str, before: Path, after: Path, found: Differences) -> None:
    """Compare two files of the same name."""
    if _matches(name, WORDING_FILES):
        first, second = (
            _normal(path.read_text(encoding="utf-8", errors="replace")) for path in (before, after)
        )
        if first != second:
            for old, new in _changed_lines(first, second):
                found.reworded(f"{name}: ", old, new)
    elif before.suffix == ".html":
        first, second = _outline(before), _outline(after)
        if first != second:
            found.reports.append(f"{name}: {_outline_change(first, second)}")
    elif (values := [_read(path) for path in (before, after)]) and values[0] is not None:
        first, second = values
        if _matches(name, UNORDERED_FILES):
            first, second = _sorted(first), _sorted(second)
        compare_values(f"{name}: ", first, second, found)
    elif before.read_bytes() != after.read_bytes():
        found.note(f"{name}: {before.stat().st_size} bytes -> {after.stat().st_size} bytes", name)


def compare_values(path: str, before: Json, after: Json, found: Differences) -> None:
    """Compare two values; differences go to `found`."""
    if _is_ignored(path):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        _compare_mappings(path, before, after, found)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            found.changed(path, f"{len(before)} items", f"{len(after)} items")
        for number, (first, second) in enumerate(zip(before, after, strict=False)):
            compare_values(f"{path}[{number}]", first, second, found)
    elif isinstance(before, str) and isinstance(after, str):
        first, second = _normal(before), _normal(after)
        if first != second:
            (found.reworded if _is_wording(path) else found.changed)(path, first, second)
    elif not _same(before, after):
        found.changed(path, before, after)


def _compare_mappings(path: str, before: dict[str, Json], after: dict[str, Json], found: Differences) -> None:
    if _key(path) in WORDING_MAPPINGS and before.keys() != after.keys():
        found.reworded(path, ", ".join(before), ", ".join(after))
        compare_values(path, list(before.values()), list(after.values()), found)
        return
    for key, value in before.items():
        inner = _joined(path, key)
        if key in after:
            compare_values(inner, value, after[key], found)
        elif not _is_ignored(inner):
            found.note(f"{inner}: the key is missing, it was {_short(value)}", inner)
    for key in after.keys() - before.keys():
        found.added[f"key {_without_rows(_joined(path, key))}"] += 1


def _same(before: Json, after: Json) -> bool:
    if isinstance(before, bool) or isinstance(after, bool) or before is None or after is None:
        return before is after
    if isinstance(before, (int, float)) and isinstance(after, (int, float)):
        return math.isclose(before, after, rel_tol=RELATIVE) or (math.isnan(before) and math.isnan(after))
    return bool(before == after)


def _joined(path: str, key: str) -> str:
    return f"{path}{key}" if path.endswith(": ") else f"{path}.{key}"


def _key(path: str) -> str:
    """The last key of a path, without the number of a row.

    >>> _key("case/edits.jsonl: [3].verdicts[0].reason")
    'reason'
    """
    return re.split(r"[. ]", _without_rows(path))[-1]


def _without_rows(path: str) -> str:
    return re.sub(r"\[\d+\]", "", path)


def _is_ignored(path: str) -> bool:
    plain = _without_rows(path)
    key = _key(path)
    return key in IGNORED_KEYS or any(
        plain.endswith(ending) for ending in IGNORED_KEYS if "." in ending or " " in ending
    )


def _is_wording(path: str) -> bool:
    return _key(path) in WORDING_KEYS or any(fnmatchcase(_without_rows(path), p) for p in WORDING_PATHS)


def _normal(text: str) -> str:
    for pattern, instead in _PARTS:
        text = pattern.sub(instead, text)
    return text


def _part(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _short(value: object, most: int = 160) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= most else text[:most] + "…"


def _changed_lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    first, second = before.splitlines(), after.splitlines()
    if len(first) != len(second):
        yield f"{len(first)} lines", f"{len(second)} lines"
        return
    yield from ((old, new) for old, new in zip(first, second, strict=True) if old != new)


# Reading files of data.


def _read(path: Path) -> Json:
    """What a file of data holds, as JSON has it; None where it is of another kind, or no JSON after all."""
    reader = _READERS.get(path.suffix)
    try:
        return reader(path) if reader is not None else None
    except (json.JSONDecodeError, UnicodeDecodeError):
        return path.read_text(encoding="utf-8", errors="replace").splitlines()


def _read_json(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


def _read_lines(path: Path) -> Json:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _read_text(path: Path) -> Json:
    return path.read_text(encoding="utf-8").splitlines()


def _read_csv(path: Path) -> Json:
    import csv

    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _read_parquet(path: Path) -> Json:
    import polars as pl

    return pl.read_parquet(path).to_dicts()


def _read_sqlite(path: Path) -> Json:
    """The rows of each table, in an order that does not depend on keys and times."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        database.row_factory = sqlite3.Row
        names = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
        names = [name for name in sorted(names) if not name.startswith("sqlite_")]
        tables = {name: [dict(row) for row in database.execute(f'select * from "{name}"')] for name in names}
    for name, rows in tables.items():
        tables[name] = _sorted([{key: _parsed(value) for key, value in row.items()} for row in rows], name)
    return tables


def _parsed(value: Json) -> Json:
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            return value
    return value.hex() if isinstance(value, bytes) else value


def _sorted(rows: list[Json], name: str = "") -> list[Json]:
    return sorted(rows, key=lambda row: json.dumps(_kept(row, name), sort_keys=True, default=str))


def _kept(value: Json, path: str) -> Json:
    """The value without what is ignored, to sort by."""
    if isinstance(value, dict):
        inner = {key: (_joined(path, key), one) for key, one in value.items()}
        return {key: _kept(one, at) for key, (at, one) in inner.items() if not _is_ignored(at)}
    if isinstance(value, list):
        return [_kept(one, path) for one in value]
    return _normal(value) if isinstance(value, str) else value


def _read_tensors(path: Path) -> Json:
    from safetensors.numpy import load_file

    return {name: values.tolist() for name, values in sorted(load_file(path).items())}


def _read_arrays(path: Path) -> Json:
    import numpy as np

    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name].tolist() for name in sorted(arrays.files)}


_PARTS = [(_part(pattern), instead) for pattern, instead in IGNORED_PARTS.items()]
_READERS = {
    ".json": _read_json,
    ".jsonl": _read_lines,
    ".txt": _read_text,
    ".csv": _read_csv,
    ".parquet": _read_parquet,
    ".sqlite": _read_sqlite,
    ".db": _read_sqlite,
    ".safetensors": _read_tensors,
    ".npz": _read_arrays,
}


# Reports.


class _Outline(HTMLParser):
    """The headings of a page, and how many tables and charts it has."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.counts: Counter[str] = Counter()
        self._inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("table", "svg", "tr", "section", "details"):
            self.counts[tag] += 1
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag not in ("h1", "h2", "h3")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.headings[-1] += data


def _outline(path: Path) -> tuple[list[str], dict[str, int]]:
    page = _Outline()
    page.feed(path.read_text(encoding="utf-8"))
    return [_normal(" ".join(heading.split())) for heading in page.headings], dict(page.counts)


def _outline_change(before: tuple[list[str], dict[str, int]], after: tuple[list[str], dict[str, int]]) -> str:
    gone = [heading for heading in before[0] if heading not in after[0]]
    new = [heading for heading in after[0] if heading not in before[0]]
    counts = [
        f"{kind} {before[1].get(kind, 0)} -> {after[1].get(kind, 0)}"
        for kind in sorted(before[1].keys() | after[1].keys())
        if before[1].get(kind) != after[1].get(kind)
    ]
    parts = [f"headings {gone} -> {new}" if gone or new else "", ", ".join(counts)]
    return "; ".join(part for part in parts if part) or "headings in another order"


def lines_of(found: Differences, *, most: int | None = 60) -> Iterator[str]:
    """The four lists, for people. most: entries of each; of data, at most a tenth of it for one file."""
    lists: dict[str, list[str]] = {
        "data": found.data,
        "added": [f"{what} ({count})" for what, count in found.added.most_common()],
        "wording": [
            f"{path}{'' if path.endswith(' ') else ': '}{_short(old)} -> {_short(new)} ({count})"
            for (path, old, new), count in found.wording.most_common()
        ],
        "reports": found.reports,
    }
    for name, entries in lists.items():
        yield f"{name}: {len(entries)}"
        shown = entries if most is None else _first_of_each_file(entries, max(1, most // 10))
        if most is not None and name != "data":
            shown = entries[:most]
        yield from (f"  {entry}" for entry in shown)
        if len(shown) < len(entries):
            yield f"  … and {len(entries) - len(shown)} more (--all shows them)"


def _first_of_each_file(entries: list[str], most: int) -> list[str]:
    seen: Counter[str] = Counter()
    shown = []
    for entry in entries:
        file = entry.split(": ", 1)[0]
        seen[file] += 1
        if seen[file] <= most:
            shown.append(entry)
    return shown


def _compare_digests(before: Path, after: Path, *, only: list[str], most: int) -> None:
    """Compare what two digests, or a digest and a recording, have in common; exit with 1 if something differs."""
    from tests.golden import digest

    one, other = (
        json.loads(path.read_text()) if path.is_file() else digest.digest(path) for path in (before, after)
    )
    if only:
        one["cases"] = {
            name: case for name, case in one["cases"].items() if any(part in name for part in only)
        }
    print(*digest.lines_of(one, other, most=most), sep="\n")
    sys.exit(1 if any(any(case.values()) for case in digest.differences(one, other).values()) else 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="cases whose names contain this"
    )
    parser.add_argument(
        "--allow", action="append", default=[], metavar="PATTERN", help="paths of intended changes, with *"
    )
    parser.add_argument(
        "--all", action="store_true", help="print all differences, not the first of each list"
    )
    options = parser.parse_args()
    if options.before.is_file() or options.after.is_file():
        _compare_digests(options.before, options.after, only=options.only, most=1000 if options.all else 3)
        return
    for folder in (options.before, options.after):
        if not (folder / "times.json").exists():
            parser.error(f"{folder} is no recording: it has no times.json")
    found = compare(options.before, options.after, only=options.only, allow=options.allow)
    print(*lines_of(found, most=None if options.all else 60), sep="\n")
    sys.exit(1 if found.data else 0)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    main()
