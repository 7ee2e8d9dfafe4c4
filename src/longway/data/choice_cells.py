"""The cells of data with candidates, written back with other candidates or in another order, each in the way it was given.

    cells = ChoiceCells(dataset)
    cells.changed(edited)            ->  the new cells of a row by column, or why it cannot be written
    apply_choice_edits(dataset, edits)  ->  tables, for `save`

Lists stay lists, objects stay objects, messages stay messages. An answer stays a letter, a number or a text, and so do other columns that
say the same ("answer_index" beside "answer"). Columns and lists with an entry for each option change places with the options. Every new row is read again: it counts only if that gives the candidates that were meant.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from longway.data.choice_columns import LETTER, LETTERED, LETTERS, Reading, reading_of
from longway.data.choices import (
    ChoiceDataset,
    Question,
    cell_value,
    offered,
    option_entries,
    row_ids,
    text_key,
    with_entries,
)
from longway.data.columns import ID_COLUMN, as_text
from longway.data.edited import SOURCE_COLUMN, Changes, with_id_column, with_source_column
from longway.data.table import DataTable, dump, scalar_text
from longway.records import Edit

MIRRORS = ("answer", "label", "gold", "correct", "key", "target", "solution", "cop")
NOT_WRITABLE = "cannot be written in the form of the data"
SHARE, FEWEST = 0.95, 20  # of the cells of another column, to say the same as the answer
SCORES = re.compile(r"(?i)score|rating|reward|margin|log_?p")  # in names of columns of one pair only
MARKED = re.compile(
    r"(.*?)(?:(?<![A-Za-z])([a-j])|(?<=[a-z0-9])([A-J])|(\d{1,2}))$|^(?:([a-jA-J])|(\d{1,2}))_(.+)$"
)
NAMED = re.compile(
    r"\b(?i:answers?|options?|choices?|alternatives?|correct|right)\b(?i:\s+(?:answer|option|choice|one|response))?(?i:\s+(?:is|are|was|would be|must be|=))?[^\w.!?]{0,4}(?:[B-HJ]\b(?!['’])|[AI]\b(?!['’]|\s+[a-z]))|"
    r"(?:^|[\s(\"'*])\(?[A-J]\)?\s+(?i:is|are)\s+(?i:the\s+)?(?i:correct|right|wrong|incorrect|true|false|best|answer)\b|"
    r"\b(?i:options?|choices?|alternatives?)\s+\W?[1-9]\b"
)


@dataclass(frozen=True, slots=True)
class EditedQuestion:
    """A question with other texts of its candidates, or another order. texts: of its candidates, in the order of `question`; order: the candidate at each place."""

    question: Question
    texts: tuple[str, ...]
    order: tuple[int, ...]

    @classmethod
    def of(cls, question: Question) -> EditedQuestion:
        """The question unchanged."""
        return cls(question, question.candidates, tuple(range(len(question.candidates))))

    @property
    def result(self) -> Question:
        """The question with its new texts in the new order."""
        right = self.question.right
        return replace(
            self.question,
            candidates=tuple(self.texts[i] for i in self.order),
            right=None if right is None else self.order.index(right),
        )

    @property
    def is_changed(self) -> bool:
        """Whether it differs from the question."""
        return self.texts != self.question.candidates or self.order != tuple(range(len(self.texts)))


class ChoiceCells:
    """Writes the rows of a dataset with candidates."""

    def __init__(self, given: ChoiceDataset) -> None:
        self.given, self.columns = given, given.columns
        self._frame = given.table.frame
        self._raw = {name: self._frame[name].to_list() for name in self._frame.columns}
        self._sets = [
            offered([_parsed(cell) for cell in self._cells(row)]) for row in range(self._frame.height)
        ]
        self._answers = self._answer_columns()
        known = {*self.columns.used(), *self._answers, ID_COLUMN, SOURCE_COLUMN}
        self._others = [name for name in self._frame.columns if name not in known]  # columns without a role
        n = max((len(one.candidates) for one in given.questions), default=0)
        is_choice = self.columns.kind == "choice"
        self._series = option_series(self._others, self.columns.candidates, n) if is_choice else []
        self._lists = [name for name in self._others if is_choice and self._is_parallel(name)]

    @property
    def columns_written(self) -> tuple[str, ...]:
        """All columns that may change with the candidates."""
        series = (name for names in self._series for name in names)
        return tuple(dict.fromkeys((*self.columns.candidates, *self._answers, *series, *self._lists)))

    def cannot_move(self, question: Question) -> str:
        """Why the candidates of a question cannot change places; "" if they can."""
        row, n = question.row, len(question.candidates)
        for names in (self.columns.candidates, *self._series):
            if len({(self._frame[name].dtype, name in self.given.table.json_columns) for name in names}) > 1:
                return "other types in the columns of the options"
        if any(_length(self._raw[name][row]) not in (-1, 0, n) for name in self._lists):
            return "another column has a list of another length"
        filled = {name: one for name, one in self._answers.items() if not self._is_empty(name, row)}
        if not all(self._agrees(name, reading, question) for name, reading in filled.items()):
            return "another column names another answer"
        written = {*self.columns_written, self.columns.prompt}
        texts = [self._raw[name][row] for name in self._others if name not in written]
        if any(isinstance(text, str) and NAMED.search(text) for text in texts):
            return "another column names an option by its letter or number"
        return ""

    def changed(self, edited: EditedQuestion) -> dict[str, Any] | None:
        """The new cells by column, of those that change; None if the row cannot be written in its form."""
        row, question = edited.question.row, edited.question
        cells = self._with_texts(self._cells(row), question.candidates, edited.texts)
        if cells is None:
            return None
        new: dict[str, Any] = dict(zip(self.columns.candidates, _moved(cells, edited.order), strict=True))
        for name, reading in self._answers.items():
            if self._agrees(name, reading, question):
                letters, cell = self._sets[row].letters, self._raw[name][row]
                new[name] = _written(_answer(_parsed(cell), edited, letters, reading.way), cell)
        for names in self._series:
            new |= {names[at]: self._raw[names[i]][row] for at, i in enumerate(edited.order)}
        for name in self._lists:
            cell = self._raw[name][row]
            if _length(cell) == len(edited.order):
                new[name] = _written([_parsed(cell)[i] for i in edited.order], cell)
        if not self._says(new, edited.result):
            return None
        return {name: cell for name, cell in new.items() if cell != self._raw[name][row]}

    def text(self, name: str, cell: Any) -> str:
        """A cell as an edit holds it: text as it is, anything else as JSON."""
        return cell if isinstance(cell, str) and self._frame[name].dtype == pl.String else dump(cell)

    def before(self, name: str, row: int) -> Any:
        """The cell as it was read."""
        return self._raw[name][row]

    def _cells(self, row: int) -> list[Any]:
        return [self._raw[name][row] for name in self.columns.candidates]

    def _answer_columns(self) -> dict[str, Reading]:
        """How the answer column is read, and others that say the same in nearly all questions."""
        own = self.columns.answer or ""
        if self.columns.kind != "choice" or own in self.columns.candidates:
            return {}
        known = {*self.columns.used(), ID_COLUMN, SOURCE_COLUMN}
        others = {name: self._as_answer(name) for name in self._frame.columns if name not in known}
        found = {name: reading for name, reading in others.items() if reading is not None}
        return {own: self._reading(own, self.columns.answer_base), **found}

    def _as_answer(self, name: str) -> Reading | None:
        """How a column that says the same as the answer is read; by chance it could not say the same, or it has a usual name."""
        questions = [one for one in self.given.questions if not self._is_empty(name, one.row)]
        readings = [self._reading(name, base) for base in (None, 0, 1)]
        if not any(self._agrees(name, reading, one) for reading in readings for one in questions[:FEWEST]):
            return None
        agreeing = [[one for one in questions if self._agrees(name, reading, one)] for reading in readings]
        best = max(range(len(readings)), key=lambda at: len(agreeing[at]))
        if any(word in name.casefold() for word in MIRRORS) and len(agreeing[best]) == len(questions):
            return readings[best]
        usual = Counter(one.right for one in questions).most_common(1)[0][0]
        is_text = readings[best].way == "text"
        others = questions if is_text else [one for one in questions if one.right != usual]
        kept = {one.id for one in agreeing[best]}
        is_varied = len({str(self._raw[name][one.row]) for one in agreeing[best]}) > 1
        is_most = len(kept) >= max(FEWEST, SHARE * len(questions))
        says_the_same = sum(one.id in kept for one in others) >= SHARE * len(others) > 0
        return readings[best] if is_varied and is_most and says_the_same else None

    def _is_empty(self, name: str, row: int) -> bool:
        cell = _parsed(self._raw[name][row])
        return cell in (None, "", []) or cell != cell  # NaN

    def _agrees(self, name: str, reading: Reading, question: Question) -> bool:
        """Whether a cell names the right candidate of its row."""
        cell = _parsed(self._raw[name][question.row])
        given = self._sets[question.row]
        return reading.decode(cell, given.texts, given.letters) == question.right

    def _reading(self, name: str, base: int | None) -> Reading:
        values = [_parsed(cell) for cell in self._raw[name]]
        columns = replace(self.columns, answer=name, answer_base=base)
        return reading_of(columns, values, [one.texts for one in self._sets])

    def _is_parallel(self, name: str) -> bool:
        """Whether the cells of a column are lists with an entry for each candidate, in nearly all questions that have a list."""
        sizes = [(_length(self._raw[name][one.row]), len(one.candidates)) for one in self.given.questions]
        fits = [length == n for length, n in sizes if length > 0]
        return bool(fits) and sum(fits) >= SHARE * len(fits)

    def _with_texts(
        self, cells: Sequence[Any], before: Sequence[str], after: Sequence[str]
    ) -> list[Any] | None:
        """The cells of the candidates with other texts."""
        if tuple(before) == tuple(after):
            return list(cells)
        values = [_parsed(cell) for cell in cells]
        entries = values if len(cells) > 1 else option_entries(values[0])
        new = [_put(entry, old, text) for entry, old, text in zip(entries, before, after, strict=False)]
        if any(one is None for one in new):
            return None
        if len(cells) == 1:
            return [_written(with_entries(values[0], new), cells[0])]
        return [*(_written(one, cell) for one, cell in zip(new, cells, strict=False)), *cells[len(new) :]]

    def _says(self, cells: Mapping[str, Any], meant: Question) -> bool:
        """Whether new cells are read as the question that is meant."""
        read = offered([_parsed(cells[name]) for name in self.columns.candidates])
        # a cell may begin with the conversation before the answer
        pairs = zip(read.texts, meant.candidates, strict=False)
        if len(read.texts) != len(meant.candidates) or not all(text.endswith(end) for text, end in pairs):
            return False
        return all(
            reading.decode(_parsed(cells[name]), read.texts, read.letters) == meant.right
            for name, reading in self._answers.items()
            if name in cells
        )


def option_series(names: Sequence[str], options: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """The series of n columns among `names` that are marked as the n options are, each in order. options: their columns; a single one is a list.

    >>> option_series(["id", "why_a", "why_b", "note1"], ["option_a", "option_b"], 2)
    [('why_a', 'why_b')]
    """
    series: dict[tuple[str, bool], dict[int, str]] = {}
    for name in names:
        match = MARKED.match(name)
        if match is None or name in options:
            continue
        stem, low, high, number, first_letter, first_number, rest = match.groups()
        letter, digits = low or high or first_letter, number or first_number
        key = (f"{stem}_" if rest is None else f"_{rest}").casefold()
        place = int(digits) if digits else ord(letter.casefold()) - ord("a")
        series.setdefault((key, bool(digits)), {})[place] = name
    orders = [(columns, sorted(columns)) for columns in series.values()]
    return [
        tuple(columns[place] for place in order)
        for columns, order in orders
        if len(order) == n > 1 and order[0] in (0, 1) and order[-1] - order[0] == n - 1
    ]


def apply_choice_edits(given: ChoiceDataset, edits: Iterable[Edit] | Changes) -> Iterator[DataTable]:
    """All rows with the accepted edits applied, with the column longway_id; then the rows that are added, with longway_source."""
    changes = edits if isinstance(edits, Changes) else Changes.of(edits)
    sources = {row.source for row in changes.added.values()}
    ids, start = ids_of(given), 0
    copied: dict[str, DataTable] = {}
    own = given.columns.id
    own_ids = None if own is None else given.table.frame[own]
    next_id = 1 + int(own_ids.max() or 0) if own_ids is not None and own_ids.dtype.is_integer() else 1  # type: ignore[arg-type]
    for table in given.raw_tables() or [given.table]:
        mine = ids[start : start + table.frame.height]
        start += table.frame.height
        is_own = given.columns.id == ID_COLUMN and ids == as_text(given.table.frame[ID_COLUMN]).to_list()
        plain = with_id_column(table.frame, pl.Series(ID_COLUMN, mine, dtype=pl.String), is_own=is_own)
        if sources:
            plain = with_source_column(plain)
        copied |= {id_: replace(table, frame=plain[at]) for at, id_ in enumerate(mine) if id_ in sources}
        new = [_replaced(plain[name], mine, cells) for name, cells in changes.cells.items()]
        frame = plain.with_columns(*new)
        frame = frame.filter(pl.Series([id_ not in changes.dropped for id_ in mine], dtype=pl.Boolean))
        yield replace(table, frame=frame, optional=table.optional - {ID_COLUMN, SOURCE_COLUMN})
    for id_, row in changes.added.items():
        table = copied[row.source]
        schema = table.frame.schema
        empty = {name: "" if schema[name] == pl.String else "null" for name in schema if SCORES.search(name) and name not in given.columns.used()}  # fmt: skip
        cells = {**empty, **row.cells, ID_COLUMN: id_, SOURCE_COLUMN: row.source}
        if own is not None:
            number = str(next_id) if schema[own].is_integer() else "null"
            cells[own] = id_ if schema[own] == pl.String else number
            next_id += 1
        new = [_replaced(table.frame[name], [id_], {id_: cell}) for name, cell in cells.items()]
        yield replace(table, frame=table.frame.with_columns(*new), optional=table.optional - {ID_COLUMN, SOURCE_COLUMN})  # fmt: skip


def ids_of(given: ChoiceDataset) -> list[str]:
    """The ids of all rows, also of those that cannot be used."""
    frame, name = given.table.frame, given.columns.id
    return row_ids([] if name is None else [_parsed(cell) for cell in frame[name].to_list()], frame.height)


def _replaced(series: pl.Series, ids: Sequence[str], new: Mapping[str, str]) -> pl.Series:
    read = str if series.dtype == pl.String else json.loads
    cells = [read(new[id_]) if id_ in new else cell for id_, cell in zip(ids, series.to_list(), strict=True)]
    return pl.Series(series.name, cells, dtype=series.dtype)


def _parsed(cell: Any) -> Any:
    return cell_value(cell) if isinstance(cell, str) else cell


def _written(value: Any, cell: Any) -> Any:
    """A value in the form of the cell that it replaces: as JSON or as Python prints it, where the cell was such text."""
    if not isinstance(cell, str) or (isinstance(cell_value(cell), str) and cell_value(cell) == cell):
        return value
    try:
        json.loads(cell)
    except ValueError:
        return repr(value)
    return dump(value)


def _length(cell: Any) -> int:
    value = _parsed(cell)
    return len(value) if isinstance(value, list) else -1


def _put(entry: Any, old: str, new: str) -> Any:
    """The entry with its text replaced; None if it cannot be. Of messages, the last one is changed."""
    if old == new:
        return entry
    if isinstance(entry, str):
        return entry.removesuffix(old) + new if entry.endswith(old) else None
    if isinstance(entry, Mapping):
        key = text_key(entry)
        inner = _put(entry.get(key), old, new)
        return None if inner is None else {**entry, key: inner}
    if isinstance(entry, list) and entry:
        last = entry[-1].get(text_key(entry[-1])) if isinstance(entry[-1], Mapping) else entry[-1]
        if isinstance(last, str) and not last.endswith(old) and old.endswith(last):
            shared = old[: len(old) - len(last)]  # earlier messages of the same answer
            if not new.startswith(shared):
                return None
            old, new = last, new.removeprefix(shared)
        inner = _put(entry[-1], old, new)
        return None if inner is None else [*entry[:-1], inner]
    return None


def _moved(cells: Sequence[Any], order: Sequence[int]) -> list[Any]:
    """The cells with their candidates in another order. Letters in the data keep their place."""
    if list(order) == list(range(len(order))):
        return list(cells)
    if len(cells) > 1:
        return [*(cells[i] for i in order), *cells[len(order) :]]
    value = _parsed(cells[0])
    if not isinstance(value, Mapping):
        return [_written([_labelled(value[i], value[at]) for at, i in enumerate(order)], cells[0])]
    entries = option_entries(value)
    moved = with_entries(value, [entries[i] for i in order])
    for key, item in value.items():
        is_parallel = isinstance(item, list) and len(item) == len(order) and key != "label"
        if is_parallel and moved[key] is item:
            moved[key] = [item[i] for i in order]
    return [_written(moved, cells[0])]


def _labelled(entry: Any, before: Any) -> Any:
    """An entry at a place, with the letter that the place had before."""
    are_options = isinstance(entry, Mapping) and isinstance(before, Mapping) and "role" not in entry
    return {**entry, "label": before["label"]} if are_options and "label" in before else entry


def _answer(value: Any, edited: EditedQuestion, letters: Sequence[str], way: str) -> Any:
    """The answer to a changed question, in the way it was given."""
    if isinstance(value, list):
        if len(value) == len(edited.order):  # a flag for each candidate
            return [value[i] for i in edited.order]
        return [_answer(value[0], edited, letters, way)] if len(value) == 1 else value
    if isinstance(value, Mapping):
        is_more = len(value) > 1 and edited.result.right != edited.question.right  # a letter beside the text
        return None if is_more else {**value, "text": _answer(value.get("text"), edited, letters, way)}
    new, plain = edited.result, scalar_text(value)
    place, was = new.right or 0, edited.question.right or 0
    if letters and plain in letters:
        return _typed(letters[place], value)
    if way == "text":
        if match := LETTERED.fullmatch(plain):
            return f"{plain[: match.start(1)]}{LETTERS[place]}{plain[match.end(1) : match.start(2)]}{new.candidates[place]}"
        is_same = edited.texts[was] == edited.question.candidates[was]
        return value if is_same else new.candidates[place]
    if way == "letter":
        match = LETTER.match(plain.strip())
        if match is None or place >= len(LETTERS):
            return value
        letter = LETTERS[place] if match[1].isupper() else LETTERS[place].lower()
        return plain.replace(match[1], letter, 1)
    return _typed(plain.replace(plain.strip(), str(int(plain) + place - was)), value)


def _typed(text: str, like: Any) -> Any:
    """The text as a value of the same type."""
    return type(like)(text) if isinstance(like, int | float) and not isinstance(like, bool) else text
