"""What a run folder holds, as tables that can be searched and paged: made once, and again when the files changed.

    edits.jsonl     ->  edits (what they are filtered by), bodies (the rest), failed (checks), edits_text (search)
    the dataset     ->  rows, rows_text

Everything is streamed and goes in with one transaction: a process that is killed on the way leaves what was there before.
Search finds any part of a text, whatever the case: by its three-letter pieces where this SQLite can, else by looking at each text.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.data.roles import role_frame
from longway.errors import RunError
from longway.review.damaged import mended
from longway.review.database import Database, folded

VERSION = 2
AT_ONCE = 1000
MOST_PIECES = 40
_TABLES = (
    "drop table if exists edits", "drop table if exists bodies", "drop table if exists failed",
    "drop table if exists rows", "drop table if exists edits_text", "drop table if exists rows_text",
    # by_random, by_score: places in other orders than that of the file
    """create table edits (number integer primary key, key text not null unique, id text not null, source text not null,
        status text not null, label text not null, method text not null, engine text not null,
        gain real, by_random integer not null, by_score integer)""",
    "create table bodies (number integer primary key, before text not null, after text not null, rest text not null)",
    "create table failed (name text not null, number integer not null, primary key (name, number)) without rowid",
    """create table rows (number integer primary key, id text not null, label text not null, text text not null,
        context text, split text not null)""",
)  # fmt: skip
_INDEXES = (
    "create index edits_id on edits (id)",
    "create index edits_source on edits (source)",
    "create index edits_random on edits (by_random)",
    "create index edits_score on edits (by_score)",
    "create index rows_id on rows (id)",
    "create index rows_label on rows (label)",
)
# Only which three-letter pieces a text has, not where: a third of the time and a quarter of the space. `contains` sees to the rest.
_SEARCH = "create virtual table {}_text using fts5(text, content='', detail=none, tokenize='trigram case_sensitive 1')"
_OPTIONS = (("hashsize", 2**25), ("automerge", 0))  # pieces are sorted in memory, and once
_RANKS = (
    """create temp table ranked as
        select number, row_number() over (order by gain is null, gain, number) as place from edits""",
    "create unique index temp.ranked_number on ranked (number)",
    "update edits set by_score = (select place from ranked where ranked.number = edits.number)",
    "drop table ranked",
)

Progress = Callable[[int, int], object]


def _has_trigrams() -> bool:
    """Whether this SQLite can search by three-letter pieces: from 3.34 on, where it was built with FTS5."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute(_SEARCH.format("try"))
        except sqlite3.OperationalError:
            return False
    return True


HAS_TRIGRAMS = _has_trigrams()


def build(
    database: Database,
    *,
    edits: Path | None,
    load: Callable[[], Dataset] | None,
    stamp: str,
    progress: Progress,
) -> None:
    """Make the tables where they were made of something else than `stamp` says, or never.

    load: reads the dataset, where there is one. progress: called with what is done and what there is to do, in bytes of edits
    and rows of data.
    """
    database.tell("create table if not exists made_of (stamp text not null)")
    if _is_made(database, stamp):
        return
    dataset = None if load is None else load()
    with database.writing():
        if _is_made(database, stamp):  # by another process, while this one waited
            return
        for statement in _TABLES:
            database.tell(statement)
        for name in ("edits", "rows") if HAS_TRIGRAMS else ():
            database.tell(_SEARCH.format(name))
            for option in _OPTIONS:
                database.tell(f"insert into {name}_text ({name}_text, rank) values (?, ?)", option)
        size = edits.stat().st_size if edits else 0
        total = size + (dataset.n_rows if dataset else 0)
        if edits:
            _add_edits(database, edits, lambda done: progress(done, total))
        if dataset:
            _add_rows(database, dataset, lambda done: progress(size + done, total))
        for statement in (*_RANKS, *_INDEXES):
            database.tell(statement)
        database.tell("delete from made_of")
        database.tell("insert into made_of values (?)", (stamp,))


def stamp_of(*paths: Path | None, asked: str = "") -> str:
    """What tables are made of, in short: another one when a file changed, or how it is read."""
    files = [(path.name, *_seen(path)) for path in paths if path is not None]
    return json.dumps([VERSION, HAS_TRIGRAMS, asked, files])


def _seen(path: Path) -> list[int]:
    """Sizes and times of a file, or of those in a folder; what is not there is told when it is read."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [number for file in files if file.is_file() for number in _size_and_time(file)]


def _size_and_time(file: Path) -> tuple[int, int]:
    about = file.stat()
    return about.st_size, about.st_mtime_ns


def edit_key(edit: dict[str, Any]) -> str:
    """The name of an edit, made of what it says: the same in a run that went on.

    >>> edit_key({"id": "1", "field": "text", "before": "a", "after": "b"})
    '78321f739dea62a0'
    """
    told = [edit.get(name) for name in ("id", "field", "before", "after", "label_after", "round", "method")]
    return blake2b(json.dumps(told).encode(), digest_size=8).hexdigest()


def finding_key(finding: dict[str, Any]) -> str:
    """The name of a finding, made of what it says."""
    told = [finding.get(name) for name in ("level", "pattern", "field", "label")]
    return blake2b(json.dumps(told).encode(), digest_size=8).hexdigest()


def search_in(table: str, part: str, text: str) -> tuple[str, list[str]]:
    """A condition that finds a part of a text, and its values. part: as `folded` gives it. text: what is looked at, in SQL."""
    tables = "bodies join edits using (number)" if table == "edits" else "rows"
    where, values = f"contains({text}, ?)", [part]
    if HAS_TRIGRAMS and len(part) >= 3:
        pieces = dict.fromkeys(part[at : at + 3] for at in range(len(part) - 2))
        asked = " AND ".join('"' + piece.replace('"', '""') + '"' for piece in list(pieces)[:MOST_PIECES])
        where = f"number in (select rowid from {table}_text where {table}_text match ?) and {where}"
        values.insert(0, asked)
    return f"number in (select number from {tables} where {where})", values


def edits_in(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The edits of a file, each with the bytes read so far."""
    read = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            read += len(line)
            try:
                edit = json.loads(line)
                edit["id"], edit["before"], edit["after"]
            except (ValueError, KeyError, TypeError):
                raise RunError(
                    f"{path}, line {number}, is no edit. One JSON object a line was expected, as a run writes them. "
                    "Run the same command again in a new folder."
                ) from None
            yield read, edit


def _is_made(database: Database, stamp: str) -> bool:
    return database.ask("select stamp from made_of") == [(stamp,)]


def _add_edits(database: Database, path: Path, progress: Callable[[int], object]) -> None:
    seen: dict[str, int] = {}
    pile = _Pile(database, "edits", "bodies", "failed", "edits_text" if HAS_TRIGRAMS else "")
    for number, (read, edit) in enumerate(edits_in(path), 1):
        key = edit_key(edit)
        edit, damaged = mended(edit)
        if damaged:
            edit["damaged"] = damaged
        seen[key] = seen.get(key, 0) + 1
        full_key = key if seen[key] == 1 else f"{key}-{seen[key]}"
        before, after = _safe(edit.pop("before")), _safe(edit.pop("after"))
        pile.add("edits", (number, full_key, *_filtered_by(edit), _gain(edit), _draw(full_key), None))
        pile.add("bodies", (number, before, after, json.dumps(edit)))
        for name in why_refused(edit):
            pile.add("failed", (_safe(name), number))
        pile.add("edits_text", (number, folded(f"{edit['id']}\n{before}\n{after}")))
        if pile.is_high:
            pile.clear()
            progress(read)
    pile.clear()


def _add_rows(database: Database, dataset: Dataset, progress: Callable[[int], object]) -> None:
    pile = _Pile(database, "rows", "rows_text" if HAS_TRIGRAMS else "")
    number = 0
    for table, ids in dataset.tables_with_ids():
        roles = role_frame(table, dataset.columns)
        contexts = roles["context"] if "context" in roles.columns else [None] * roles.height
        splits = roles["split"] if "split" in roles.columns else [""] * roles.height
        for id_, label, text, context, split in zip(
            ids, roles["label"], roles["text"], contexts, splits, strict=True
        ):
            number += 1
            pile.add("rows", (number, id_, label or "", text or "", context, split or ""))
            pile.add("rows_text", (number, folded(f"{id_}\n{text or ''}\n{context or ''}")))
            if pile.is_high:
                pile.clear()
                progress(number)
    pile.clear()


class _Pile:
    """Rows for tables, put in many at a time."""

    _COLUMNS = {"edits_text": "(rowid, text)", "rows_text": "(rowid, text)"}  # noqa: RUF012

    def __init__(self, database: Database, *tables: str) -> None:
        self._database = database
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in tables if table}

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        """Put a row on the pile; one for a table that there is not is left out."""
        if table in self._rows:
            self._rows[table].append(row)

    @property
    def is_high(self) -> bool:
        return any(len(rows) >= AT_ONCE for rows in self._rows.values())

    def clear(self) -> None:
        """Put everything into the tables."""
        for table, rows in self._rows.items():
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                put = "insert or ignore into" if table == "failed" else "insert into"
                self._database.tell_many(
                    f"{put} {table} {self._COLUMNS.get(table, '')} values ({marks})", rows
                )
                rows.clear()


def _filtered_by(edit: dict[str, Any]) -> tuple[str, ...]:
    status = "kept" if edit.get("accepted") else "refused"
    told = [str(edit.get(name) or "") for name in ("id", "source")]
    more = [str(edit.get(name) or "") for name in ("label_after", "method", "engine")]
    return tuple(map(_safe, [*told, status, *more]))


def why_refused(edit: dict[str, Any]) -> list[str]:
    """The checks that an edit failed; where it failed none and was refused all the same, the reason."""
    failed = [str(one["check"]) for one in edit.get("verdicts") or () if not one.get("passed")]
    if failed or edit.get("accepted"):
        return failed
    return [str(edit.get("reason") or "").partition(": ")[0]]


def _draw(key: str) -> int:
    """A place in the random order, the same each time."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8, person=b"order").digest()) >> 1


def _gain(edit: dict[str, Any]) -> float | None:
    before, after = edit.get("score_before"), edit.get("score_after")
    return None if before is None or after is None else float(after) - float(before)


def _safe(text: Any) -> str:
    """A text that SQLite can hold: half of a character becomes a question mark."""
    return str(text).encode("utf-8", "replace").decode("utf-8")
