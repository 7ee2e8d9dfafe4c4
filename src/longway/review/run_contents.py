"""What a run folder holds, for pages and scripts: edits, findings and rows, paged, filtered and searched.

    contents = RunContents(Path("longway-runs/reviews-rewrite"))
    contents.edits.page(EditFilter(status="kept", search="not"), page=3)    25 edits
    contents.edits.get(key), contents.edits.neighbours(key, EditFilter())       one edit, and its neighbours
    contents.findings(FindingFilter(level="token")), contents.rows(search="matinee")
    contents.decisions                                                      the decisions on them

Opens finished runs of every command. The first time, the files are read into RUN/review/review.sqlite (`index.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from longway.data import Dataset, load
from longway.data.choices import ChoiceDataset
from longway.data.columns import ID_COLUMN
from longway.detect.detector import Spans
from longway.detect.levels import TokenizedRow, required_words, where
from longway.errors import DataError, RunError
from longway.jobs.audit.rows import PossibleError, RowSummary
from longway.json_values import from_json
from longway.languages.words import tokenizer_for
from longway.records import Edit, Pattern
from longway.review.choice_rows import choice_fields, load_questions, merged_questions, right_name, shown
from longway.review.database import REVIEW_FILE, REVIEW_FOLDER, Database, folded
from longway.review.decisions import Decision, Decisions
from longway.review.edit_list import EditList, ListPage, ReviewedEdit, page_bounds, page_of, unknown
from longway.review.index import RowList, build, finding_key, search_in, stamp_of
from longway.review.row_edits import EditLine, merged, merged_rounds
from longway.review.run_folder import RunFinding, read_run

MERGES = {"repair": merged, "rewrite": merged_rounds}
MAX_PATTERNS = 20  # findings by which edits can be filtered: the strongest
MAX_EXAMPLES, SEARCHED_ROWS = 25, 1000  # of a finding: rows shown, and rows searched for them
CACHED_COUNTS = 64  # searches whose number of rows is kept
# Orders of rows by what an audit measured: the condition of the rows that are listed, and what they are ordered by.
ROW_ORDERS = {"solved": ("solved", "pvi desc"), "unlikely": ("may_be_wrong", "p_label")}
_ROW = "number, id, label, text, context"


@dataclass(frozen=True, slots=True)
class RunColumns:
    """The columns that the run used; None if it chose none."""

    text: str | None
    context: str | None
    label: str | None
    id: str | None


@dataclass(frozen=True, slots=True)
class DataRow:
    """A row of the dataset. number, label, text: None for a row that the dataset of the run does not have."""

    number: int | None
    id: str
    label: str | None
    text: str | None
    context: str | None


@dataclass(frozen=True, slots=True)
class RowHistory:
    """A row, its edits and those of rows made from it, and the decisions on them, newest first."""

    row: DataRow
    edits: list[ReviewedEdit]
    history: list[Decision]


@dataclass(frozen=True, slots=True)
class ReviewedFinding:
    """A finding of the run and the decision on it. values: as the run wrote it. key: a hash of its content."""

    finding: RunFinding
    values: Mapping[str, object]
    key: str
    decision: Decision | None

    @property
    def choice(self) -> str:
        """The reviewer's decision, "none" for undecided."""
        return "none" if self.decision is None else self.decision.choice

    def to_dict(self) -> dict[str, object]:
        """The finding as plain JSON values: as the run wrote it, "key", "decision"."""
        decision = None if self.decision is None else self.decision.to_dict()
        return {**self.values, "key": self.key, "decision": decision}


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings; "" means all. max_q: findings without a q-value always pass."""

    level: str = ""
    label: str = ""
    field: str = ""
    max_q: float = 1.0
    search: str = ""
    choice: str = ""

    def matches(self, reviewed: ReviewedFinding) -> bool:
        """Whether a finding passes the filter."""
        finding = reviewed.finding
        return (
            self.level in ("", finding.level)
            and self.label in ("", finding.label)
            and self.field in ("", finding.field)
            and (finding.q is None or finding.q <= self.max_q)
            and folded(self.search.strip()) in folded(finding.pattern)
            and self.choice in ("", reviewed.choice)
        )


class RunContents:
    """The contents of a finished run.

    data: the original file: for a run that stores no dataset, such as an audit, and to restore rows that a repair of an earlier version dropped. progress: called while the files are first read.
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
        self.settings: dict[str, Any] = run.about["settings"]
        self.choice_fields = choice_fields(run.about)  # None for labelled texts
        self.columns = RunColumns(*(self.settings.get(name) for name in ("text", "context", "label", "id")))
        self.tokenizer = tokenizer_for(self.settings.get("languages", ()))
        self.summary, self.files = run.summary, run.files
        self.dataset_path, self.dropped_path = run.dataset_path, run.dropped_path
        self._findings: dict[str, tuple[RunFinding, dict[str, object]]] = {}
        for finding, values in run.findings():
            self._findings.setdefault(finding_key(values), (finding, values))
        source, self.original = self.dataset_path or data, data
        self._has_rows = source is not None
        self.database = Database(folder / REVIEW_FOLDER / REVIEW_FILE)
        self.decisions = Decisions(self.database)
        build(
            self.database,
            edits=run.edits_path,
            load=None if source is None else lambda: self._rows(source),
            stamp=stamp_of(
                run.edits_path,
                source,
                run.scores_path,
                columns=json.dumps(asdict(self.columns)),
            ),
            progress=progress,
            merge=self._merge(),
            patterns={
                key: self._shape(found[0])
                for key, found in islice(self._findings.items(), 0 if self.choice_fields else MAX_PATTERNS)
            },
            context=self.columns.context,
            scores=run.scores_path,
            tokenizer=self.tokenizer,
        )
        self._counts: dict[tuple[str, ...], int] = {}
        self.edits = EditList(self.database, self.decisions, has_any=run.edits_path is not None)

    def _merge(self) -> Callable[[Path], Iterable[EditLine]] | None:
        """What lists one edit per row; None if edits are listed as they are."""
        if self.choice_fields is not None and self.dataset_path is not None:
            return partial(
                merged_questions,
                dataset=self.dataset_path,
                dropped=self.dropped_path,
                fields=self.choice_fields,
            )
        return partial(MERGES[self.command], text=self.text_column) if self.command in MERGES else None

    def _rows(self, source: Path) -> RowList:
        """The rows to list: texts with their labels, or questions with their candidates."""
        if self.choice_fields is None:
            return RowList.of(self.dataset(source))
        given, fields = self.questions(source), self.choice_fields
        rows = (
            (one.id, right_name(one, fields), shown(one, fields), one.prompt or None, "")
            for one in given.questions
        )
        return RowList(len(given.questions), rows)

    def questions(self, path: Path) -> ChoiceDataset:
        """The questions of a file, read with the columns of the run; RunError if it is not the data of the run."""
        own = path in (self.dataset_path, self.dropped_path)
        try:
            given = load_questions(
                path, self.choice_fields or {}, own=own, encoding=self.settings.get("encoding")
            )
        except DataError as error:
            raise RunError(f"{path} cannot be read as the dataset of {self.folder}. {error}") from None
        if not own and given.fingerprint != self.about.get("fingerprint"):
            raise self._other_data(path)
        return given

    def has(self, what: str) -> bool:
        """Whether there are "edits", "findings", "rows", "trees" or "proof"."""
        return {
            "edits": self.edits.has_any,
            "findings": bool(self._findings),
            "rows": self._has_rows,
            "trees": self.command == "grammar" and bool(self.summary),
            "proof": self.command == "prove" and bool(self.summary),
        }[what]

    @property
    def can_export(self) -> bool:
        """Whether the run wrote a dataset with edits."""
        return self.dataset_path is not None and self.edits.has_any

    def all_findings(self) -> list[ReviewedFinding]:
        """Every finding, strongest first."""
        decided = self.decisions.current("finding")
        return [ReviewedFinding(*found, key, decided.get(key)) for key, found in self._findings.items()]

    def findings(
        self, filter: FindingFilter | None = None, *, page: int = 1, size: int = 25
    ) -> ListPage[ReviewedFinding]:
        """One page of findings, strongest first."""
        wanted = filter or FindingFilter()
        return page_of([reviewed for reviewed in self.all_findings() if wanted.matches(reviewed)], page, size)

    def finding(self, key: str) -> ReviewedFinding:
        """The finding with this key."""
        if key not in self._findings:
            raise unknown("finding", key)
        return ReviewedFinding(*self._findings[key], key, self.decisions.of("finding", key))

    def finding_neighbours(self, key: str) -> tuple[str | None, str | None]:
        """The keys of the previous and the next finding."""
        keys = [None, *self._findings, None]
        at = keys.index(key)
        return keys[at - 1], keys[at + 1]

    def examples(self, finding: RunFinding, *, supporting: bool) -> list[DataRow]:
        """Rows with the pattern and its label (supporting) or another label: those named by the run, otherwise found by search."""
        named = finding.supporting if supporting else finding.counter
        if self.choice_fields is not None:
            named = named or ()
        if named is None:
            return self._search_examples(finding, supporting=supporting)
        return sorted(self.with_ids(named[:MAX_EXAMPLES]), key=attrgetter("number"))

    def where(self, finding: RunFinding, row: TokenizedRow) -> dict[str, Spans] | None:
        """The spans of a finding's pattern in a row, by column; None if the row does not show it, or if it is a pattern of candidates."""
        if self.choice_fields is not None:
            return None
        return where(self._shape(finding), row)

    def _shape(self, finding: RunFinding) -> Pattern:
        """The pattern of a finding, with its column."""
        pattern = finding.shape
        return pattern if pattern.field else replace(pattern, field=self.text_column)

    def tokenized(self, text: str, context: str | None) -> TokenizedRow:
        """A row to search for patterns."""
        name = self.columns.context
        others = {} if name is None or context is None else {name: context}
        return TokenizedRow({self.text_column: text, **others}, self.tokenizer)

    def other_column(self, edit: Edit) -> tuple[str, str] | None:
        """For pairs, the column that an edit does not change and its text; None for single texts."""
        context = "prompt" if self.choice_fields is not None else self.columns.context
        if context is None:
            return None
        ids = (edit.id, edit.source or edit.id)  # for a row that was not added: its source
        rows = self.database.query(
            "select text, context from rows where id in (?, ?) order by id != ? limit 1", (*ids, ids[0])
        )
        if not rows:
            return None
        is_text = self.choice_fields is not None or edit.field == self.text_column
        return (context, rows[0][1] or "") if is_text else (self.text_column, rows[0][0])

    @property
    def text_column(self) -> str:
        """The column that the run examined, and may have rewritten."""
        return str(self.columns.text or "text")

    @cached_property
    def possible_errors(self) -> dict[str, PossibleError]:
        """The rows of an audit whose label may be wrong, by id."""
        value = self.summary.get("rows") if self.command == "audit" else None
        if value is None:  # an earlier version wrote it
            return {}
        try:
            rows: RowSummary = from_json(RowSummary, value, "rows")
        except TypeError as error:
            raise RunError(
                f'{self.folder / "findings.json"}, "rows", is damaged: {error}. Expected what an audit writes. Run the same command again in a new folder.'
            ) from None
        return {row.id: row for row in rows.possible_errors}

    @cached_property
    def row_orders(self) -> list[str]:
        """The orders of `ROW_ORDERS` that list a row."""
        query = "select 1 from row_scores where {} limit 1"
        return [
            order
            for order, (condition, _) in ROW_ORDERS.items()
            if self.database.query(query.format(condition))
        ]

    def with_ids(self, ids: Sequence[str]) -> list[DataRow]:
        """The rows with these ids, in this order; ids that the data lack are left out."""
        marks = ", ".join("?" * len(ids))
        rows = self.database.query(f"select {_ROW} from rows where id in ({marks}) order by number desc", ids)
        found = {row.id: row for row in (DataRow(*row) for row in rows)}
        return [found[id_] for id_ in ids if id_ in found]

    def rows(
        self, *, search: str = "", label: str = "", order: str = "", page: int = 1, size: int = 25
    ) -> ListPage[DataRow]:
        """One page of rows, in the order of the dataset; order: one of `ROW_ORDERS`, which lists only the rows it is about."""
        wanted = {"label = ?": [label]} if label else {}
        if part := folded(search.strip()):
            condition, values = search_in("rows", part)
            wanted[condition] = values
        table, by = "rows", "number"
        if order:
            condition, score = ROW_ORDERS[order]
            wanted[f"id in (select id from row_scores where {condition})"] = []
            table, by = "rows join row_scores using (id)", f"{score}, number"
        clause, given = " and ".join(wanted) or "1", [value for values in wanted.values() for value in values]
        total = self._count(clause, given)
        number, pages, start = page_bounds(total, page, size)
        places: tuple[object, ...] = (*given, size, start)
        if not wanted:  # every row: they are numbered without gaps
            clause, places = "number > ?", (start, size, 0)
        query = f"select {_ROW} from {table} where {clause} order by {by} limit ? offset ?"
        rows = self.database.query(query, places)
        return ListPage([DataRow(*row) for row in rows], total, number, pages)

    def row(self, id: str) -> RowHistory:
        """One row with its edits and the decisions on them."""
        rows, edits = self.with_ids([id]), self.edits.of_row(id)
        if not rows and not edits:
            raise unknown("row", id)
        row = rows[0] if rows else DataRow(None, id, None, None, None)
        history = [decision for edit in edits for decision in self.decisions.history("edit", edit.key)]
        return RowHistory(row, edits, sorted(history, key=lambda decision: -decision.seq))

    def dataset(self, path: Path | None = None) -> Dataset:
        """The dataset of the run, or this file, read with the columns that the run used."""
        path = path or self.dataset_path
        if path is None:
            raise RunError(
                f"{self.folder} has no dataset: `longway {self.command}` writes none. Give the original file with --data."
            )
        is_own, columns = path in (self.dataset_path, self.dropped_path), self.columns
        try:
            data = load(
                path,
                text=columns.text,
                context=columns.context or "",
                label=columns.label,
                id=ID_COLUMN if is_own else columns.id,
                encoding=self.settings.get("encoding"),
            )
            if not is_own:
                self._check_fingerprint(path, data)
        except DataError as error:
            raise RunError(f"{path} cannot be read as the dataset of {self.folder}. {error}") from None
        return data

    def close(self) -> None:
        """Close the file of the review; every decision is already on disk."""
        self.database.close()

    def _check_fingerprint(self, path: Path, data: Dataset) -> None:
        split = self.settings.get("split")
        part = data.select_split(split) if split else data
        if part.fingerprint != self.about.get("fingerprint"):
            raise self._other_data(path)

    def _other_data(self, path: Path) -> RunError:
        return RunError(
            f"{path} is not the data of {self.folder}: its texts or labels differ. "
            "Expected the file that the run was made from. Give that one with --data."
        )

    def _count(self, clause: str, values: list[str]) -> int:
        """The number of rows, cached: rows never change."""
        key = (clause, *values)
        if key not in self._counts:
            if len(self._counts) >= CACHED_COUNTS:
                self._counts.clear()
            rows = self.database.query(f"select count(*) from rows where {clause}", values)
            self._counts[key] = int(rows[0][0])
        return self._counts[key]

    def _search_examples(self, finding: RunFinding, *, supporting: bool) -> list[DataRow]:
        """The first rows with the pattern, among those that the run examined."""
        conditions, values = [f"label {'=' if supporting else '!='} ?"], [finding.label]
        if split := self.settings.get("split"):
            conditions.append("split = ?")
            values.append(split)
        # the longest word: a text may have another space or apostrophe between two words
        words = re.split(r"[\s'’]+", folded(" ".join(required_words(finding.shape))))
        if word := max(words, key=len):
            column = "context" if finding.field == self.columns.context else "text"
            condition, wanted = search_in("rows", word, column)
            conditions.append(condition)
            values += wanted
        clause = " and ".join(conditions)
        query = f"select {_ROW} from rows where {clause} order by number limit {SEARCHED_ROWS}"
        rows = (DataRow(*row) for row in self.database.query(query, values))
        matching = (
            row
            for row in rows
            if self.where(finding, self.tokenized(row.text or "", row.context)) is not None
        )
        return list(islice(matching, MAX_EXAMPLES))
