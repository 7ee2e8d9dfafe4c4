"""The cells of data with candidates, written back with other candidates or in another order, each in the way it was given.

    cells = ChoiceCells(dataset)
    cells.changed(draft)            ->  the new cells of a row by column, or why it cannot be written
    apply_choice_edits(dataset, edits)  ->  tables, for `save`

Lists stay lists, objects stay objects, messages stay messages. An answer stays a letter, a number or a text, and so do other columns that
say the same ("answer_index" beside "answer"). Every new row is read again: it counts only if that gives the candidates that were meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from longway.data.choice_answers import LETTER, LETTERS, Decoder, Way, answer_way, decoder
from longway.data.choices import ChoiceDataset, Question, cell_value, offered, row_ids
from longway.data.columns import ID_COLUMN
from longway.data.edited import SOURCE_COLUMN, Changes, with_source_column
from longway.data.table import DataTable, dump, scalar_text
from longway.records import Edit

MIRRORS = ("answer", "label", "gold", "correct", "key", "target", "solution", "cop")
NOT_WRITABLE = "cannot be written in the form of the data"
PARALLEL = "another column has an entry for each option"
OTHER_TYPES = "other types in the columns of the options"


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that may be changed. texts: of its candidates, in the order of `question`; order: the candidate at each place."""

    question: Question
    texts: tuple[str, ...]
    order: tuple[int, ...]

    @classmethod
    def of(cls, question: Question) -> Draft:
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
        self._sets = [self._read(self._cells(row)) for row in range(self._frame.height)]
        self._decoders: dict[str, Decoder] = {}
        self._ways = {name: self._way(name) for name in self._answer_columns()}
        self._lists = self._parallel_lists()

    @property
    def answer_columns(self) -> tuple[str, ...]:
        """The columns that name the right candidate by its place or text."""
        return tuple(self._ways)

    def cannot_move(self, question: Question) -> str:
        """Why the candidates of a question cannot change places; "" if they can."""
        names = self.columns.candidates
        if len({(self._frame[name].dtype, name in self.given.table.json_columns) for name in names}) > 1:
            return OTHER_TYPES
        if self._lists or _has_other_list(self._raw[names[0]][question.row], len(question.candidates)):
            return PARALLEL
        return ""

    def changed(self, draft: Draft) -> dict[str, Any] | None:
        """The new cells by column, of those that change; None if the row cannot be written in its form."""
        row, question = draft.question.row, draft.question
        cells = self._with_texts(self._cells(row), question.candidates, draft.texts)
        if cells is None:
            return None
        moved = _moved(cells, draft.order)
        if moved is None:
            return None
        new = dict(zip(self.columns.candidates, moved, strict=True))
        new |= {name: self._answer(name, draft) for name in self._ways}
        if not self._says(new, draft.result):
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

    @staticmethod
    def _read(cells: Sequence[Any]) -> tuple[list[str], list[str]]:
        given = offered([_parsed(cell) for cell in cells])
        return given.texts, given.letters

    def _answer_columns(self) -> list[str]:
        """The answer column, and others with a usual name that agree with it in every question."""
        if self.columns.kind != "choice":
            return []
        found = [self.columns.answer or ""]
        for name in self._frame.columns:
            is_named = any(word in name.casefold() for word in MIRRORS)
            if is_named and name not in self.columns.used() and name != ID_COLUMN and self._agrees(name):
                found.append(name)
        return found

    def _agrees(self, name: str) -> bool:
        decode = self._decoder(name)
        cells = self._raw[name]
        return all(
            decode(_parsed(cells[one.row]), *self._sets[one.row]) == one.right for one in self.given.questions
        )

    def _decoder(self, name: str) -> Decoder:
        if name not in self._decoders:
            values = [_parsed(cell) for cell in self._raw[name]]
            is_own = name == self.columns.answer  # another column may count its numbers in another way
            columns = self.columns if is_own else replace(self.columns, answer=name, answer_base=None)
            self._decoders[name] = decoder(columns, values, [texts for texts, _ in self._sets])
        return self._decoders[name]

    def _way(self, name: str) -> Way:
        base = self.columns.answer_base if name == self.columns.answer else None
        return answer_way(
            [_parsed(cell) for cell in self._raw[name]], [texts for texts, _ in self._sets], base
        )

    def _parallel_lists(self) -> tuple[str, ...]:
        """Other columns whose cells are lists with an entry for each candidate, in every question."""
        if self.columns.kind != "choice":
            return ()
        others = [name for name in self._frame.columns if name not in self.columns.used()]
        return tuple(
            name
            for name in others
            if all(_length(self._raw[name][one.row]) == len(one.candidates) for one in self.given.questions)
        )

    def _with_texts(
        self, cells: Sequence[Any], before: Sequence[str], after: Sequence[str]
    ) -> list[Any] | None:
        """The cells of the candidates with other texts."""
        if tuple(before) == tuple(after):
            return list(cells)
        if len(cells) > 1:
            new = [
                _put(_parsed(cell), old, text) for cell, old, text in zip(cells, before, after, strict=False)
            ]
            if any(one is None for one in new):
                return None
            return [*(_written(one, cell) for one, cell in zip(new, cells, strict=False)), *cells[len(new) :]]
        value = _parsed(cells[0])
        entries = value["text"] if isinstance(value, Mapping) else value
        new = [_put(entry, old, text) for entry, old, text in zip(entries, before, after, strict=True)]
        if any(one is None for one in new):
            return None
        return [_written({**value, "text": new} if isinstance(value, Mapping) else new, cells[0])]

    def _answer(self, name: str, draft: Draft) -> Any:
        cell = self._raw[name][draft.question.row]
        letters = self._sets[draft.question.row][1]
        return _written(_answer(_parsed(cell), draft, letters, self._ways[name]), cell)

    def _says(self, cells: Mapping[str, Any], meant: Question) -> bool:
        """Whether new cells are read as the question that is meant."""
        texts, letters = self._read([cells[name] for name in self.columns.candidates])
        if not _is_suffix(texts, meant.candidates):
            return False
        return all(
            self._decoder(name)(_parsed(cells[name]), texts, letters) == meant.right for name in self._ways
        )


def apply_choice_edits(given: ChoiceDataset, edits: Iterable[Edit]) -> Iterator[DataTable]:
    """All rows with the accepted edits applied, with the column longway_id; then the rows that are added, with longway_source."""
    changes = Changes.of(edits)
    sources = {row.source for row in changes.added.values()}
    ids, start = ids_of(given), 0
    copied: dict[str, DataTable] = {}
    for table in given.raw_tables() or [given.table]:
        mine = ids[start : start + table.frame.height]
        start += table.frame.height
        plain = table.frame.with_columns(pl.Series(ID_COLUMN, mine, dtype=pl.String))
        if sources:
            plain = with_source_column(plain)
        copied |= {id_: replace(table, frame=plain[at]) for at, id_ in enumerate(mine) if id_ in sources}
        new = [_replaced(plain[name], mine, cells) for name, cells in changes.cells.items()]
        frame = plain.with_columns(*new)
        frame = frame.filter(pl.Series([id_ not in changes.dropped for id_ in mine], dtype=pl.Boolean))
        yield replace(table, frame=frame, optional=table.optional - {ID_COLUMN, SOURCE_COLUMN})
    for id_, row in changes.added.items():
        table = copied[row.source]
        cells = {**row.cells, ID_COLUMN: id_, SOURCE_COLUMN: row.source}
        if (own := given.columns.id) is not None:
            cells[own] = id_ if table.frame[own].dtype == pl.String else "null"  # no number is free
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


def _has_other_list(cell: Any, n: int) -> bool:
    """Whether an object of options has a further list with an entry for each."""
    value = _parsed(cell)
    return isinstance(value, Mapping) and any(
        isinstance(entries, list) and len(entries) == n
        for key, entries in value.items()
        if key not in ("text", "label")
    )


def _is_suffix(texts: Sequence[str], meant: Sequence[str]) -> bool:
    """Whether these are the texts that are meant; a cell may begin with the conversation before the answer."""
    return len(texts) == len(meant) and all(
        text.endswith(wanted) for text, wanted in zip(texts, meant, strict=True)
    )


def _put(entry: Any, old: str, new: str) -> Any:
    """The entry with its text replaced; None if it cannot be. Of messages, the last one is changed."""
    if old == new:
        return entry
    if isinstance(entry, str):
        return entry.removesuffix(old) + new if entry.endswith(old) else None
    if isinstance(entry, Mapping):
        key = "content" if "role" in entry or "text" not in entry else "text"
        inner = _put(entry.get(key), old, new)
        return None if inner is None else {**entry, key: inner}
    if isinstance(entry, list) and entry:
        last = entry[-1].get("content") if isinstance(entry[-1], Mapping) else entry[-1]
        if isinstance(last, str) and not last.endswith(old) and old.endswith(last):
            shared = old[: len(old) - len(last)]  # earlier messages of the same answer
            if not new.startswith(shared):
                return None
            old, new = last, new.removeprefix(shared)
        inner = _put(entry[-1], old, new)
        return None if inner is None else [*entry[:-1], inner]
    return None


def _moved(cells: Sequence[Any], order: Sequence[int]) -> list[Any] | None:
    """The cells with their candidates in another order. Letters in the data keep their place."""
    if list(order) == list(range(len(order))):
        return list(cells)
    if len(cells) > 1:
        return [*(cells[i] for i in order), *cells[len(order) :]]
    value = _parsed(cells[0])
    if isinstance(value, Mapping):
        return [_written({**value, "text": [value["text"][i] for i in order]}, cells[0])]
    return [_written([_labelled(value[i], value[at]) for at, i in enumerate(order)], cells[0])]


def _labelled(entry: Any, before: Any) -> Any:
    """An entry at a place, with the letter that the place had before."""
    if (
        isinstance(entry, Mapping)
        and isinstance(before, Mapping)
        and "label" in before
        and "role" not in entry
    ):
        return {**entry, "label": before["label"]}
    return entry


def _answer(value: Any, draft: Draft, letters: Sequence[str], way: Way) -> Any:
    """The answer to a changed question, in the way it was given."""
    if isinstance(value, list):
        return [_answer(value[0], draft, letters, way)] if len(value) == 1 else value
    if isinstance(value, Mapping):
        is_more = len(value) > 1 and draft.result.right != draft.question.right  # a letter beside the text
        return None if is_more else {**value, "text": _answer(value.get("text"), draft, letters, way)}
    new, plain = draft.result, scalar_text(value)
    place, was = new.right or 0, draft.question.right or 0
    if letters and plain in letters:
        return _typed(letters[place], value)
    if way == "text":
        is_same = draft.texts[was] == draft.question.candidates[was]
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
