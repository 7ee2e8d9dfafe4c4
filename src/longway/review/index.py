"""The index of a run folder: tables for search and paging, built once and again when the files change.

    edits.jsonl     ->  edits (filter columns), bodies (the rest), failed (checks), rules, edits_text (search)
    the dataset     ->  rows, rows_text
    findings        ->  patterns: the edits that change a pattern
    scores.parquet  ->  row_scores: what an audit measured for each row

Everything is streamed and written in one transaction: a killed process leaves the previous state.
Search finds any part of a text, ignoring case: by trigrams if this SQLite supports them, otherwise by reading each text.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from longway.data import Dataset
from longway.data.columns import role_frame
from longway.detect.levels import TokenizedRow, required_words, where
from longway.errors import RunError
from longway.records import Edit, Pattern
from longway.review.database import Database, folded
from longway.review.row_edits import TRACE, EditLine, RowTrace
from longway.review.run_folder import edits_in
from longway.text.tokenizer import PLAIN, Tokenizer

VERSION = 10
AT_ONCE = 1000
MAX_TRIGRAMS = 40  # of a search
RULES_LIMIT = 200  # characters of the names of the rules of one step
_TABLES = (
    "drop table if exists edits", "drop table if exists bodies", "drop table if exists failed",
    "drop table if exists rows", "drop table if exists edits_text", "drop table if exists rows_text",
    "drop table if exists rules", "drop table if exists patterns", "drop table if exists people", "drop table if exists row_scores",
    # by_random, by_score: positions in other orders than that of the file
    """create table edits (number integer primary key, key text not null unique, id text not null, source text not null,
        status text not null, label text not null, method text not null, engine text not null,
        gain real, by_random integer not null, by_score integer)""",
    "create table bodies (number integer primary key, before text not null, after text not null, rest text not null)",
    "create table failed (name text not null, number integer not null, primary key (name, number)) without rowid",
    "create table rules (name text not null, number integer not null, primary key (name, number)) without rowid",
    "create table patterns (name text not null, number integer not null, primary key (name, number)) without rowid",
    """create table rows (number integer primary key, id text not null, label text not null, text text not null,
        context text, split text not null)""",
    # solved: by words alone; pvi: bits of the label that words give away; p_label: probability of the row's label, by its neighbours;
    # may_be_wrong: whether its label may be wrong
    "create table row_scores (id text not null, solved integer, pvi real, p_label real, may_be_wrong integer)",
)  # fmt: skip
_INDEXES = (
    "create index edits_id on edits (id)",
    "create index edits_source on edits (source)",
    "create index edits_random on edits (by_random)",
    "create index edits_score on edits (by_score)",
    "create index rows_id on rows (id)",
    "create index rows_label on rows (label)",
    "create index row_scores_id on row_scores (id)",
)
# Only which trigrams a text has, not where: a third of the time and a quarter of the space. `contains` checks the rest.
_SEARCH = "create virtual table {}_text using fts5(text, content='', detail=none, tokenize='trigram case_sensitive 1')"
_OPTIONS = (("hashsize", 2**25), ("automerge", 0))  # trigrams are sorted in memory, and once
_RANKS = (
    """create temp table ranked as
        select number, row_number() over (order by gain is null, gain, number) as place from edits""",
    "create unique index temp.ranked_number on ranked (number)",
    "update edits set by_score = (select place from ranked where ranked.number = edits.number)",
    "drop table ranked",
)

# Edits with the context of their row, or of the row that an addition was made from.
_WITH_CONTEXT = """select number, before, after, rest, coalesce((select context from rows where rows.id = edits.id limit 1),
        (select context from rows where rows.id = edits.source limit 1))
    from edits join bodies using (number) where number > ? order by number limit ?"""

# The tables of edits and rows with their texts, and what is searched in them.
SOURCES = {"edits": "bodies join edits using (number)", "rows": "rows"}
SEARCHED = {
    "edits": "id || char(10) || before || char(10) || after",
    "rows": "id || char(10) || text || char(10) || coalesce(context, '')",
}

Progress = Callable[[int, int], object]
Values = tuple[Any, ...]
RowValues = tuple[str, str, str, str | None, str]


@dataclass(frozen=True, slots=True)
class RowList:
    """The rows of a dataset: how many, and for each its id, label, text, context and split."""

    n: int
    rows: Iterable[RowValues]

    @classmethod
    def of(cls, dataset: Dataset) -> RowList:
        """The rows of labelled texts."""
        return cls(dataset.n_rows, _dataset_rows(dataset))


def _dataset_rows(dataset: Dataset) -> Iterator[RowValues]:
    for table, ids in dataset.tables_with_ids():
        roles = role_frame(table, dataset.columns)
        contexts = roles["context"] if "context" in roles.columns else [None] * roles.height
        splits = roles["split"] if "split" in roles.columns else [""] * roles.height
        for id_, label, text, context, split in zip(
            ids, roles["label"], roles["text"], contexts, splits, strict=True
        ):
            yield id_, label or "", text or "", context, split or ""


def _has_trigrams() -> bool:
    """Whether this SQLite can search by trigrams: version 3.34 or later, built with FTS5."""
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
    load: Callable[[], RowList] | None,
    stamp: str,
    progress: Progress,
    merge: Callable[[Path], Iterable[EditLine]] | None = None,
    patterns: Mapping[str, Pattern] | None = None,
    context: str | None = None,
    scores: Path | None = None,
    tokenizer: Tokenizer = PLAIN,
) -> None:
    """Build the tables, unless they were built with the same `stamp`.

    load: reads the rows, if there are any. merge: lists one edit per row (`row_edits.py`). progress: called with the amount done and the total, in bytes of edits plus rows of data.
    patterns: by the key of the finding; edits are listed by those that they change. context: the column of the context.
    """
    database.execute("create table if not exists made_of (stamp text not null)")
    if _is_built(database, stamp):
        return
    listed = None if load is None else load()
    with database.writing():
        if _is_built(database, stamp):  # by another process in the meantime
            return
        for statement in _TABLES:
            database.execute(statement)
        for name in ("edits", "rows") if HAS_TRIGRAMS else ():
            database.execute(_SEARCH.format(name))
            for option in _OPTIONS:
                database.execute(f"insert into {name}_text ({name}_text, rank) values (?, ?)", option)
        size = edits.stat().st_size if edits else 0
        total = size + (listed.n if listed else 0)
        if edits:
            lines = edits_in(edits) if merge is None else merge(edits)
            _add_edits(database, lines, lambda done: progress(done, total), is_merged=merge is not None)
        if listed:
            _add_rows(database, listed.rows, lambda done: progress(size + done, total))
        if listed and scores:
            _add_scores(database, scores)
        for statement in (*_RANKS, *_INDEXES):
            database.execute(statement)
        if edits and patterns:
            _add_patterns(database, patterns, context, tokenizer, is_merged=merge is not None)
        database.execute("delete from made_of")
        database.execute("insert into made_of values (?)", (stamp,))


def stamp_of(*paths: Path | None, columns: str = "") -> str:
    """What the tables are built from, in short: differs when a file, or how it is read, has changed."""
    files = [(path.name, *_sizes_and_times(path)) for path in paths if path is not None]
    return json.dumps([VERSION, HAS_TRIGRAMS, columns, files])


def _sizes_and_times(path: Path) -> list[int]:
    """Of a file, or of the files in a folder; a missing file is reported when it is read."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    stats = [file.stat() for file in files if file.is_file()]
    return [number for stat in stats for number in (stat.st_size, stat.st_mtime_ns)]


def _is_built(database: Database, stamp: str) -> bool:
    return database.query("select stamp from made_of") == [(stamp,)]


def search_in(table: str, part: str, column: str = "") -> tuple[str, list[str]]:
    """An SQL condition that finds a part of a text, and its values. part: as `folded` returns it. column: the only one to search."""
    where, values = f"contains({column or SEARCHED[table]}, ?)", [part]
    if HAS_TRIGRAMS and len(part) >= 3:
        trigrams = list(dict.fromkeys(part[at : at + 3] for at in range(len(part) - 2)))[:MAX_TRIGRAMS]
        match = " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in trigrams)
        where = f"number in (select rowid from {table}_text where {table}_text match ?) and {where}"
        values.insert(0, match)
    return f"number in (select number from {SOURCES[table]} where {where})", values


def _add_edits(
    database: Database, lines: Iterable[EditLine], progress: Callable[[int], object], *, is_merged: bool
) -> None:
    seen: Counter[str] = Counter()
    numbered = enumerate(lines, 1)
    while batch := list(islice(numbered, AT_ONCE)):
        edits, bodies, failed, rules = list[Values](), list[Values](), list[Values](), list[Values]()
        for number, (_, line, edit) in batch:
            key = edit_key(line)
            seen[key] += 1
            if seen[key] > 1:
                key = f"{key}-{seen[key]}"
            rest = {name: value for name, value in line.items() if name not in ("before", "after")}
            status = "kept" if edit.accepted else "refused"
            names = (edit.id, edit.source, status, edit.label_after, edit.method, edit.engine)
            # the position in the random order is always the same
            draw = int.from_bytes(blake2b(key.encode(), digest_size=8, person=b"order").digest()) >> 1
            edits.append((number, key, *map(_storable, names), _gain(edit), draw, None))
            bodies.append((number, _storable(edit.before), _storable(edit.after), json.dumps(rest)))
            failed += [(_storable(name), number) for name in why_refused(edit)]
            trace = RowTrace.of(edit) if is_merged else None
            rules += [(_storable(name), number) for name in rules_of(edit, trace)]
        for table, values in {"edits": edits, "bodies": bodies, "failed": failed, "rules": rules}.items():
            _insert(database, table, values)
        _index_texts(database, "edits", batch[0][0], batch[-1][0])
        progress(batch[-1][1][0])


def _add_rows(database: Database, rows: Iterable[RowValues], progress: Callable[[int], object]) -> None:
    numbered = enumerate(rows, 1)
    while batch := list(islice(numbered, AT_ONCE)):
        values = [
            (number, id_, label, _storable(text), context, split)
            for number, (id_, label, text, context, split) in batch
        ]
        _insert(database, "rows", values)
        _index_texts(database, "rows", batch[0][0], batch[-1][0])
        progress(batch[-1][0])


def _insert(database: Database, table: str, rows: Iterable[Values]) -> None:
    """Insert rows that have a value for each column; those that are there already are left out."""
    n_columns = len(database.query(f"pragma table_info({table})"))
    marks = ", ".join("?" * n_columns)
    database.execute_many(f"insert or ignore into {table} values ({marks})", rows)


def _index_texts(database: Database, table: str, first: int, last: int) -> None:
    """Make the texts of these edits or rows searchable by trigrams."""
    if HAS_TRIGRAMS:
        database.execute(
            f"insert into {table}_text (rowid, text) select number, folded({SEARCHED[table]}) "
            f"from {SOURCES[table]} where number between ? and ?",
            (first, last),
        )


def _add_scores(database: Database, path: Path) -> None:
    """The scores that the orders of rows need; nothing if an earlier version wrote them."""
    try:
        frame = pl.scan_parquet(path / "*.parquet" if path.is_dir() else path)
        known = set(frame.collect_schema().names())
        if not known >= {"id", "pvi", "solved"}:
            return
        optional = [
            pl.col(name) if name in known else pl.lit(None, kind).alias(name)
            for name, kind in {"p_label": pl.Float32, "may_be_wrong": pl.Boolean}.items()
        ]
        scores = frame.select("id", "solved", "pvi", *optional).collect()
    except pl.exceptions.PolarsError as error:
        raise RunError(
            f"{path} is damaged ({error}). Expected what an audit writes. Run the same command again in a new folder."
        ) from None
    _insert(database, "row_scores", ((_storable(id_), *values) for id_, *values in scores.iter_rows()))


def _add_patterns(
    database: Database,
    patterns: Mapping[str, Pattern],
    context: str | None,
    tokenizer: Tokenizer,
    *,
    is_merged: bool,
) -> None:
    """Which edits put a pattern in, take it out, or drop a row that has it."""
    words = {
        key: folded(max(required_words(pattern), key=len, default="")) for key, pattern in patterns.items()
    }
    last = 0
    while batch := database.query(_WITH_CONTEXT, (last, AT_ONCE)):
        for number, before, after, rest, beside in batch:
            values = json.loads(rest)
            trace = values.get("trace", {}).get(TRACE) if is_merged else None
            columns = {**(trace["columns"] if trace else {}), values["field"]: (before, after)}
            if context is not None:
                columns.setdefault(context, (beside or "", beside or ""))
            texts = folded("\n".join(text for both in columns.values() for text in both))
            near = {key: patterns[key] for key, word in words.items() if word in texts}
            changed = changed_patterns(
                columns, near, is_dropped=bool(values.get("drops")), tokenizer=tokenizer
            )
            _insert(database, "patterns", ((key, number) for key in changed))
        last = batch[-1][0]


def changed_patterns(
    columns: Mapping[str, tuple[str, str]],
    patterns: Mapping[str, Pattern],
    *,
    is_dropped: bool = False,
    tokenizer: Tokenizer = PLAIN,
) -> list[str]:
    """The keys of the patterns that only one version of a row shows. columns: the texts before and after. is_dropped: nothing is left after."""
    if not patterns:
        return []
    before, after = (
        TokenizedRow({name: both[side] for name, both in columns.items()}, tokenizer) for side in (0, 1)
    )
    return [
        key
        for key, pattern in patterns.items()
        if (where(pattern, before) is not None) != (not is_dropped and where(pattern, after) is not None)
    ]


def edit_key(line: Mapping[str, object]) -> str:
    """The key of an edit, a hash of its content: stays the same when the run continues. line: as in edits.jsonl.

    >>> edit_key({"id": "1", "field": "text", "before": "a", "after": "b"})
    '78321f739dea62a0'
    """
    return _hash(line, "id", "field", "before", "after", "label_after", "round", "method")


def finding_key(finding: Mapping[str, object]) -> str:
    """The key of a finding, a hash of its content."""
    return _hash(finding, "level", "pattern", "field", "label")


def _hash(values: Mapping[str, object], *names: str) -> str:
    content = json.dumps([values.get(name) for name in names])
    return blake2b(content.encode(), digest_size=8).hexdigest()


def why_refused(edit: Edit) -> list[str]:
    """The checks that an edit failed; for an edit refused without a failed check, the reason."""
    failed = [verdict.check for verdict in edit.verdicts if not verdict.passed]
    return failed if failed or edit.accepted else [edit.reason.partition(": ")[0]]


def rules_of(edit: Edit, trace: RowTrace | None = None) -> list[str]:
    """The rules that made an edit, or the method if it names none; of a repaired row, those of the steps that were kept.

    >>> rules_of(Edit("1", "text", "a", "b", "x", "x", "reword", "rules", True, how="negation.fail_to + modifier"))
    ['negation.fail_to', 'modifier']
    """
    steps = [step for step in trace.steps if step.accepted] if trace else [edit]
    return list(
        dict.fromkeys(name for step in steps for name in (step.how or step.method)[:RULES_LIMIT].split(" + "))
    )


def _gain(edit: Edit) -> float | None:
    before, after = edit.score_before, edit.score_after
    return None if before is None or after is None else float(after) - float(before)


def _storable(text: str) -> str:
    """A text that SQLite can store: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
