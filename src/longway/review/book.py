"""What a run folder holds, for pages and scripts: edits, findings and rows, paged, filtered and searched.

    book = Book(Path("longway-runs/reviews-rewrite"))
    book.edits(EditFilter(status="kept", search="not"), page=3)    a Page of 25
    book.edit(key)                                                 one, with its neighbours
    book.findings(level="token"), book.rows(search="matinee")
    book.decisions                                                 what was decided about them

It opens finished runs of every command. The first opening reads the files into RUN/review/review.sqlite (`index.py`), later ones
take what is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from longway.data import Dataset, load
from longway.data.edited import ID_COLUMN
from longway.detect.seen import Places, Seen, words_of
from longway.errors import DataError, RunError
from longway.review.database import REVIEW_FILE, REVIEW_FOLDER, Database, folded
from longway.review.decisions import CHOICES, Decision, Decisions, LookupFailed
from longway.review.edit_list import EditFilter, EditList
from longway.review.index import build, finding_key, search_in, stamp_of
from longway.review.paging import Page, cut, numbered, one_of, unknown
from longway.review.run_folder import read_run

__all__ = ["Book", "EditFilter", "LookupFailed", "Page"]

SHOWN_EXAMPLES, LOOKED_AT = 25, 1000  # of a finding: rows shown, and rows looked at to find them
REMEMBERED = 64  # questions whose number of answers is kept


class Book:
    """What one finished run holds.

    data: the dataset of a run that keeps none, such as an audit; not looked at where it keeps one. progress: called while the files are read for the first time.
    """

    def __init__(
        self,
        folder: Path,
        *,
        data: Path | None = None,
        progress: Callable[[int, int], object] = lambda done, of: None,
    ) -> None:
        run = read_run(folder)
        self.folder, self.about, self.command = folder, run.about, run.command
        self.summary, self.files = run.summary, run.files
        self.dataset_path = run.dataset_path
        self._findings: dict[str, dict[str, Any]] = {}
        for one in run.findings:
            self._findings.setdefault(finding_key(one), one)
        self.n_damaged_findings = run.n_damaged
        source = self.dataset_path or data
        self._has_rows = source is not None
        stamp = stamp_of(run.edits_path, source, asked=json.dumps(self._columns()))
        self.database = Database(folder / REVIEW_FOLDER / REVIEW_FILE)
        self.decisions = Decisions(self.database)
        build(
            self.database,
            edits=run.edits_path,
            load=None if source is None else lambda: self.dataset(source),
            stamp=stamp,
            progress=progress,
        )
        self._counts: dict[tuple[Any, ...], int] = {}
        self._edits = EditList(self.database, self.decisions, has_any=run.edits_path is not None)

    def has(self, what: str) -> bool:
        """Whether there are "edits", "findings", "rows", "trees" or "proof" to look at."""
        return {
            "edits": self._edits.has_any,
            "findings": bool(self._findings),
            "rows": self._has_rows,
            "trees": self.command == "grammar" and bool(self.summary),
            "proof": self.command == "prove" and bool(self.summary),
        }.get(what, False)

    def edits(self, filter: EditFilter, *, page: int = 1, size: int = 25) -> Page:
        """The edits of one page: what edits.jsonl says, and "key", "number", "status", "decision"."""
        return self._edits.page(filter, page=page, size=size)

    def edit(self, key: str, filter: EditFilter | None = None) -> dict[str, Any]:
        """One edit, and "previous" and "next" (keys, None at an end), "place" (0 where the filter leaves it out) and "total"."""
        return self._edits.one(key, filter)

    def keys(self, filter: EditFilter) -> list[str]:
        """The keys of all edits that a filter lets through, in its order."""
        return self._edits.keys(filter)

    def all_edits(self) -> Iterator[dict[str, Any]]:
        """Every edit in the order of the file, some at a time, as `edits` gives them."""
        return self._edits.all()

    def edits_that_matter(self) -> Iterator[dict[str, Any]]:
        """All edits of rows of which one was kept or decided on, those of a row together, in the order of the file within it."""
        return self._edits.that_matter()

    def facets(self) -> dict[str, dict[str, int]]:
        """How many edits there are of each status, label, method, engine, failed check and choice."""
        return self._edits.facets()

    def all_findings(self) -> list[dict[str, Any]]:
        """Every finding with its "key" and "decision", strongest first."""
        decided = self.decisions.current("finding")
        return [
            {**one, "key": key, "decision": _plain(decided.get(key))} for key, one in self._findings.items()
        ]

    def findings(
        self,
        *,
        level: str = "",
        label: str = "",
        field: str = "",
        max_q: float = 1.0,
        search: str = "",
        choice: str = "",
        page: int = 1,
        size: int = 25,
    ) -> Page:
        """The findings of one page, strongest first, each with its "key" and "decision"."""
        one_of("choice", choice, ("", *CHOICES["finding"]))
        part = folded(search.strip())
        found = [
            one
            for one in self.all_findings()
            if level in ("", one["level"])
            and label in ("", one["label"])
            and field in ("", one.get("field", ""))
            and (one.get("q") is None or one["q"] <= max_q)
            and part in folded(one["pattern"])
            and choice in ("", _choice(one["decision"]))
        ]
        shown, number, pages = cut(found, page, size)
        return Page(list(shown), len(found), number, pages)

    def finding(self, key: str) -> dict[str, Any]:
        """One finding with rows that support it and rows that do not: "supporting_rows", "counter_rows"."""
        if key not in self._findings:
            raise LookupFailed(unknown("finding", key))
        found = self._findings[key]
        keys = list(self._findings)
        at = keys.index(key)
        return {
            **found,
            "key": key,
            "decision": _plain(self.decisions.of("finding", key)),
            "supporting_rows": self._examples(found, "supporting"),
            "counter_rows": self._examples(found, "counter"),
            "previous": keys[at - 1] if at else None,
            "next": keys[at + 1] if at + 1 < len(keys) else None,
        }

    def places(self, finding: Mapping[str, Any], row: Seen) -> Places | None:
        """Where the pattern of a finding stands in a row, by column; None where the row has it not."""
        level, pattern, field = (str(finding.get(name) or "") for name in ("level", "pattern", "field"))
        return row.places(level, pattern, field or self.text_column)

    def seen(self, text: str, context: str | None) -> Seen:
        """A row of the run, to look for patterns in."""
        name = self.context_column
        return Seen({self.text_column: text} | ({} if name is None or context is None else {name: context}))

    def beside(self, edit: Mapping[str, Any]) -> tuple[str, str] | None:
        """The other column of a pair that an edit changes one side of, and what stands there; None for single texts."""
        if self.context_column is None or not self._has_rows:
            return None
        ids = (
            edit["id"],
            edit.get("source") or edit["id"],
        )  # a row that was not added: the one it was made from
        found = self.database.ask(
            "select text, context from rows where id in (?, ?) order by id != ? limit 1", (*ids, ids[0])
        )
        if not found:
            return None
        is_text = edit["field"] == self.text_column
        return (self.context_column, found[0][1] or "") if is_text else (self.text_column, found[0][0])

    @property
    def text_column(self) -> str:
        """The column that the run looked at, and may have rewritten."""
        return str(self._columns()["text"] or "text")

    @property
    def context_column(self) -> str | None:
        """The column that is read along with it, such as a premise; None for single texts."""
        return self._columns()["context"]

    def rows(self, *, search: str = "", label: str = "", page: int = 1, size: int = 25) -> Page:
        """The rows of one page, in the order of the dataset: id, label, text, context."""
        if not self._has_rows:
            return Page([], 0, 1, 1)
        where, values = ["1"], list[Any]()
        if label:
            where.append("label = ?")
            values.append(label)
        if part := folded(search.strip()):
            condition, wanted = search_in("rows", part, _SEARCHED)
            where.append(condition)
            values += wanted
        clause = " and ".join(where)
        total = self._count(clause, values)
        number, pages, start = numbered(total, page, size)
        if len(where) == 1:  # every row: they are numbered without gaps
            clause, values, start = "number > ?", [start], 0
        found = self.database.ask(
            f"select {_ROW} from rows where {clause} order by number limit ? offset ?", (*values, size, start)
        )
        return Page([_row(one) for one in found], total, number, pages)

    def row(self, id: str) -> dict[str, Any]:
        """One row, with the edits of it and of rows made from it ("edits"), and what was decided about them ("history")."""
        found = self.database.ask(f"select {_ROW} from rows where id = ?", (id,)) if self._has_rows else []
        about = self._edits.of_row(id)
        if not found and not about:
            raise LookupFailed(unknown("row", id))
        row = (
            _row(found[0])
            if found
            else {"id": id, "number": None, "label": None, "text": None, "context": None}
        )
        history = [one for edit in about for one in self.decisions.history("edit", edit["key"])]
        history.sort(key=lambda one: -one.seq)
        return {**row, "edits": about, "history": [one.to_dict() for one in history]}

    def dataset(self, path: Path | None = None) -> Dataset:
        """The dataset of the run, or of this file, read with the columns that the run used."""
        path = path or self.dataset_path
        if path is None:
            raise RunError(
                f"{self.folder} keeps no dataset: `longway {self.command}` writes none. "
                "Name the file it was made from with --data."
            )
        is_own, named = path == self.dataset_path, self._columns()
        try:
            found = load(
                path,
                text=named["text"],
                context=named["context"] or "",
                label=named["label"],
                id=ID_COLUMN if is_own else named["id"],
            )
            if not is_own:
                self._check_data(path, found)
        except DataError as error:
            raise RunError(f"{path} cannot be read as the dataset of {self.folder}. {error}") from None
        return found

    def close(self) -> None:
        """Close the file of the review; every decision was on the disk before."""
        self.database.close()

    def _columns(self) -> dict[str, Any]:
        """The columns that the run used, by what they are for."""
        return {name: self.about["settings"].get(name) for name in ("text", "context", "label", "id")}

    def _check_data(self, path: Path, data: Dataset) -> None:
        """RunError where a file is not the one that the run was made from."""
        split = self.about["settings"].get("split")
        part = data.select_split(split) if split else data
        if part.fingerprint != self.about.get("fingerprint"):
            raise RunError(
                f"{path} is not the data that {self.folder} was made from: its texts or labels differ. "
                "The same file was expected. Give that one with --data."
            )

    def _count(self, clause: str, values: list[Any]) -> int:
        """How many rows there are; counted once for each question, since rows never change."""
        asked = (clause, *values)
        if asked not in self._counts:
            if len(self._counts) >= REMEMBERED:
                self._counts.clear()
            found = self.database.ask(f"select count(*) from rows where {clause}", values)
            self._counts[asked] = int(found[0][0])
        return self._counts[asked]

    def _examples(self, finding: Mapping[str, Any], which: str) -> list[dict[str, Any]]:
        """Rows that a finding names; where it names none, rows that have its pattern, with its label or with another one."""
        if not self._has_rows:
            return []
        if which not in finding:
            return self._rows_with(finding, has_label=which == "supporting")
        ids = list(finding[which] or ())[:SHOWN_EXAMPLES]
        marks = ", ".join("?" * len(ids))
        found = self.database.ask(f"select {_ROW} from rows where id in ({marks}) order by number", ids)
        return [_row(one) for one in found]

    def _rows_with(self, finding: Mapping[str, Any], *, has_label: bool) -> list[dict[str, Any]]:
        """Rows that the run looked at and that have a pattern, the first of them: with its label or with another one."""
        where, values = [f"label {'=' if has_label else '!='} ?"], [finding["label"]]
        if split := self.about["settings"].get("split"):
            where.append("split = ?")
            values.append(split)
        if word := _rarest(
            words_of(*(str(finding.get(name) or "") for name in ("level", "pattern", "field")))
        ):
            column = "context" if finding.get("field") == self.context_column else "text"
            condition, wanted = search_in("rows", word, column)
            where.append(condition)
            values += wanted
        query = f"select {_ROW} from rows where {' and '.join(where)} order by number limit {LOOKED_AT}"
        looked_at = map(_row, self.database.ask(query, values))
        having = (
            row
            for row in looked_at
            if self.places(finding, self.seen(row["text"], row["context"])) is not None
        )
        return list(islice(having, SHOWN_EXAMPLES))


def _rarest(words: str) -> str:
    """The longest word, as texts are searched: a text may have another space or apostrophe between two of them."""
    return max(re.split(r"[\s'’]+", folded(words)), key=len)


_ROW = "number, id, label, text, context"
_SEARCHED = "id || char(10) || text || char(10) || coalesce(context, '')"


def _row(found: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(_ROW.split(", "), found, strict=True))


def _plain(decision: Decision | None) -> dict[str, Any] | None:
    return None if decision is None else decision.to_dict()


def _choice(decision: dict[str, Any] | None) -> str:
    return "none" if decision is None else str(decision["value"].get("choice", "none"))
