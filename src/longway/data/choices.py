"""Data with candidates: one prompt, several candidates, one of them right or preferred.

load_choices(path, frame, rows ...)  ->  ChoiceDataset: questions, columns, problems
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

import polars as pl

from longway.data.choice_columns import ChoiceColumns, GivenColumns, choice_columns
from longway.data.encoding import EncodingError, check_encoding
from longway.data.loading import first_rows, open_source
from longway.data.problems import SHOWN, ProblemLog, say_rows
from longway.data.shards import Source
from longway.data.table import DataTable, combine, scalar_text
from longway.errors import DataError, SettingError
from longway.records import Problem

TIES = frozenset(
    {
        "tie",
        "both",
        "tied",
        "draw",
        "equal",
        "none",
        "neither",
        "same",
        "tie (bothbad)",
        "tie (both bad)",
        "bothbad",
        "both_bad",
        "0.5",
    }
)
ROLES = tuple(one.name for one in fields(GivenColumns))
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTER = re.compile(r"\(?([A-Za-z])\)?[.):]?$")
TURN = re.compile(r"\n\n(?:Assistant|Human): ?")  # of a conversation in one text

# kind: (message, next step)
KINDS = {
    "no_candidates": ("{n} without candidates{about}, skipped.", "Fill in the candidates, or leave the rows out."),
    "one_candidate": ("{n} with a single candidate{about}, skipped: there is nothing to choose.", "Add other candidates, or leave the rows out."),
    "empty_candidate": ("{n} with an empty candidate{about}, skipped.", "Fill in the candidate, or leave the rows out."),
    "no_answer": ("{n} without an answer{about}, skipped.", "Fill in the answer, or leave the rows out."),
    "foreign_answer": ("{n} whose answer is none of the candidates{about}, skipped.", "Correct the answer: a number, a letter or the text of a candidate."),
    "several_answers": ("{n} with several right answers{about}, skipped.", "Keep one right answer for each row."),
    "same_candidates": ("{n} with the right answer among the others, too{about}, skipped.", "Make the candidates of a row different."),
    "repeated_candidate": ("{n} with a candidate that occurs twice{about}; used.", "Make the candidates of a row different."),
    "tie": ("{n} with a tie{about}; used to compare judges only.", "Nothing to do."),
    "repeated_question": ("{n} that repeat a prompt{about}. They count as one observation where their answers agree.", "Keep one row for each question."),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt with its candidates. right: the place of the right one; None for a tie. row: in the source, from 0."""

    id: str
    row: int
    prompt: str
    candidates: tuple[str, ...]
    right: int | None
    judge: str = ""
    makers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChoiceDataset:
    """Questions with candidates, made by `load_choices`.

    questions: those with one right candidate; ties: those without. n_rows: all rows. table: the rows as they were read.
    """

    source_name: str
    columns: ChoiceColumns
    questions: tuple[Question, ...]
    ties: tuple[Question, ...]
    problems: tuple[Problem, ...]
    n_rows: int
    table: DataTable
    format: str = ""
    encoding: str = ""
    path: Path | None = None
    raw_tables: Callable[[], Iterator[DataTable] | None] = field(
        default=lambda: None, compare=False, repr=False
    )  # of CSV files, to write them as they were

    @property
    def fingerprint(self) -> str:
        """A hash of everything that was read from the rows."""
        digest = hashlib.sha256(json.dumps(self.columns.fields()).encode())
        for one in (*self.questions, *self.ties):
            content = [one.id, one.prompt, one.candidates, one.right, one.judge, one.makers]
            digest.update(json.dumps(content, ensure_ascii=True).encode())
        return f"sha256:{digest.hexdigest()}"

    @property
    def is_ordered(self) -> bool:
        """Whether the candidates have an order that somebody saw: not so for a chosen and a rejected answer."""
        return self.columns.kind in ("choice", "votes")

    def __repr__(self) -> str:
        return f"<ChoiceDataset {self.source_name}: {len(self.questions):,} of {say_rows(self.n_rows)}>"


def load_choices(
    source: object,
    given: GivenColumns | None = None,
    *,
    limit: int | None = None,
    encoding: str | None = None,
    **columns: str | Sequence[str],
) -> ChoiceDataset | None:
    """Questions with candidates from anything that `load` takes; None if it has no candidates and none were named.

    columns: choices (a column or several), answer, scores, chosen, rejected, a, b, winner, judge, prompt, id; those omitted are guessed.
    given: the same as one object. Raises ColumnError if a column is not there, DataError if no row can be used.

    >>> rows = [{"q": "2 + 2?", "list": ["3", "4"], "key": "B"}]
    >>> load_choices(rows, choices="list", answer="key").questions[0].right
    1
    """
    named = given or named_columns(columns)
    known = check_encoding(encoding)
    try:
        return _load(source, named, limit, None)
    except EncodingError:
        return _load(source, named, limit, known)


def named_columns(columns: Mapping[str, object]) -> GivenColumns:
    """The columns of a call by role.

    >>> named_columns({"choices": "options", "answer": "key"}).choices
    ('options',)
    """
    wrong = [name for name in columns if name not in ROLES]
    if wrong:
        raise SettingError(f"There is no column called '{wrong[0]}'. Expected: {', '.join(ROLES)}.")
    values: dict[str, Any] = dict(columns)
    if isinstance(values.get("choices"), str):
        values["choices"] = (values["choices"],)
    return GivenColumns(**{**values, "choices": tuple(values.get("choices") or ())})


def guessed_columns(source: object) -> ChoiceColumns | None:
    """The columns of candidates in the data, by their names; None if there are none."""
    return _open(source, GivenColumns(), None, None, ProblemLog())[1]


def _open(
    source: object, given: GivenColumns, limit: int | None, encoding: str | None, log: ProblemLog
) -> tuple[Source, ChoiceColumns | None]:
    opened = open_source(source, log, limit=limit, stream=None, encoding=encoding)
    sample = first_rows(opened)
    lists = [name for name in sample.columns if _is_list(sample[name])]
    return opened, choice_columns(sample.columns, lists, given)


def _load(
    source: object, given: GivenColumns, limit: int | None, encoding: str | None
) -> ChoiceDataset | None:
    log = ProblemLog()
    opened, columns = _open(source, given, limit, encoding, log)
    if columns is None:
        return None
    table = opened.whole or combine(list(opened.tables(None, log)))
    read = _Rows(columns)
    read.add(table)
    if not read.questions and not read.ties:
        counts = ", ".join(
            f"{say_rows(len(rows))}: {kind.replace('_', ' ')}" for kind, rows in read.faults.items()
        )
        raise DataError(
            f"{opened.name} has no row with candidates and one right answer ({counts or 'no rows'}). Check the columns: {columns.fields()}."
        )
    problems = (*log.problems(), *read.problems())
    return ChoiceDataset(
        opened.name, columns, tuple(read.questions), tuple(read.ties), problems, table.frame.height, table,
        opened.format, opened.encoding, _path_of(source, opened), opened.raw_tables,
    )  # fmt: skip


def _path_of(source: object, opened: Source) -> Path | None:
    return (
        Path(source).expanduser()
        if isinstance(source, str | Path) and not str(source).startswith("hf:")
        else opened.path
    )


class _Rows:
    """Reads questions from the rows of a table, and collects what is wrong with the others."""

    def __init__(self, columns: ChoiceColumns) -> None:
        self.columns = columns
        self.questions: list[Question] = []
        self.ties: list[Question] = []
        self.faults: dict[str, list[int]] = {}

    def add(self, table: DataTable) -> None:
        """Read all rows of a table."""
        columns, frame = self.columns, table.frame
        cells = {name: cell_values(frame[name]) for name in columns.used()}
        ids = row_ids(cells.get(columns.id or "", []), frame.height)
        sets = [offered([cells[name][row] for name in columns.candidates]) for row in range(frame.height)]
        prompts = cells[columns.prompt] if columns.prompt else [None] * frame.height
        answers = cells[columns.answer] if columns.answer else [0] * frame.height
        decode = decoder(columns, answers, [one.texts for one in sets])
        for row, given in enumerate(sets):
            texts = given.texts
            prompt = _text(prompts[row]) or given.shared
            right = decode(answers[row], texts, given.letters)
            if fault := _fault(texts, right):
                self._log(fault, row)
                continue
            if len(set(texts)) < len(texts):
                self._log("repeated_candidate", row)
            judge = _text(cells[columns.judge][row]) if columns.judge else ""
            makers = tuple(_text(cells[name][row]) for name in columns.makers)
            question = Question(
                ids[row], row, prompt, tuple(texts), right if isinstance(right, int) else None, judge, makers
            )
            if right == "tie":
                self._log("tie", row)
                self.ties.append(question)
            else:
                self.questions.append(question)
        if columns.kind != "votes":  # several judges vote on the same pair
            seen = Counter(one.prompt for one in self.questions if one.prompt)
            self.faults["repeated_question"] = [one.row for one in self.questions if seen[one.prompt] > 1]
        else:
            self.faults.pop("repeated_question", None)

    def problems(self) -> list[Problem]:
        """One problem for each kind, in the order of KINDS."""
        found = []
        for kind, (message, next_step) in KINDS.items():
            if rows := self.faults.get(kind):
                shown = tuple(row + 1 for row in rows[:SHOWN])
                found.append(
                    Problem(
                        kind, message.format(n=say_rows(len(rows)), about=""), len(rows), next_step, shown
                    )
                )
        return found

    def _log(self, kind: str, row: int) -> None:
        self.faults.setdefault(kind, []).append(row)


def _fault(texts: Sequence[str], right: object) -> str:
    """The kind of problem that makes a row useless; "" if there is none."""
    if not texts:
        return "no_candidates"
    if len(texts) == 1:
        return "one_candidate"
    if any(not text.strip() for text in texts):
        return "empty_candidate"
    if isinstance(right, str) and right != "tie":
        return right
    if isinstance(right, int) and texts.count(texts[right]) > 1:
        return "same_candidates"
    return ""


Decoder = Callable[[Any, Sequence[str], Sequence[str]], int | str]
Way = Literal["text", "letter", "number"]


def decoder(columns: ChoiceColumns, answers: Sequence[Any], sets: Sequence[Sequence[str]]) -> Decoder:
    """A function from an answer, the candidates and their letters to the place of the right one, or to what is wrong."""
    if columns.kind == "preference":
        return lambda answer, texts, letters: 0
    if columns.kind == "ranking":
        return _by_score
    if columns.kind == "votes":
        return _winner_decoder(answers)
    best = _ways(_first_number([_plain(answer) for answer in answers], sets))[answer_way(answers, sets)]

    def decode(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
        value = _plain(answer)
        if value == "several":
            return "several_answers"
        if value is None or value == "":
            return "no_answer"
        if letters and value in letters:
            return letters.index(value)
        return best(value, texts, letters)

    return decode


def _ways(start: int) -> dict[Way, Decoder]:
    """How an answer can name a candidate. start: the number of the first one."""
    return {
        "text": _by_text,
        "letter": _by_letter,
        "number": lambda answer, texts, letters: _by_number(answer, texts, start),
    }


def answer_way(answers: Sequence[Any], sets: Sequence[Sequence[str]]) -> Way:
    """How most answers name the right candidate.

    >>> answer_way(["B", "C"], [("x", "y"), ("x", "y", "z")])
    'letter'
    """
    plain = [_plain(answer) for answer in answers]
    ways = _ways(_first_number(plain, sets))
    rights = {
        name: sum(isinstance(way(answer, texts, ()), int) for answer, texts in zip(plain, sets, strict=True))
        for name, way in ways.items()
    }
    return max(rights, key=lambda name: rights[name])


def _plain(answer: Any) -> Any:
    """An answer without the list around it; "several" if the list has more than one."""
    if isinstance(answer, list):
        return "several" if len(answer) > 1 else (scalar_text(answer[0]) if answer else "")
    if isinstance(answer, Mapping):
        return scalar_text(answer.get("text", ""))
    return None if answer is None else re.sub(r"^(\d+)\.0$", r"\1", scalar_text(answer))


def _by_text(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    if answer in texts:
        return list(texts).index(answer)
    same = [i for i, text in enumerate(texts) if text.strip().casefold() == str(answer).strip().casefold()]
    return same[0] if len(same) == 1 else "foreign_answer"


def _by_letter(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    match = LETTER.match(str(answer).strip())
    place = LETTERS.index(match.group(1).upper()) if match else len(texts)
    return place if place < len(texts) else "foreign_answer"


def _by_number(answer: Any, texts: Sequence[str], start: int) -> int | str:
    digits = str(answer).strip()
    place = int(digits) - start if re.fullmatch(r"\d{1,3}", digits) else -1
    return place if 0 <= place < len(texts) else "foreign_answer"


def _first_number(answers: Sequence[Any], sets: Sequence[Sequence[str]]) -> int:
    """Whether answers count from 0 or from 1: from 1 if none is 0 and some is the number of its candidates."""
    numbers = [
        int(answer) if isinstance(answer, str) and re.fullmatch(r"\d{1,3}", answer) else None
        for answer in answers
    ]
    has_zero = 0 in numbers
    is_last = any(number == len(texts) for number, texts in zip(numbers, sets, strict=True))
    return int(is_last and not has_zero)


def _by_score(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    if not isinstance(answer, list) or len(answer) != len(texts):
        return "no_answer"
    try:
        scores = [float(score) for score in answer]
    except (TypeError, ValueError):
        return "no_answer"
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else "several_answers"


def _winner_decoder(answers: Sequence[Any]) -> Decoder:
    """A function from a vote to the place of the winner. Numbers count from 0 if some vote is 0 and none is 2."""
    words = {_vote(answer) for answer in answers}
    counts_from = 0 if "0" in words and "2" not in words else 1
    places = {"a": 0, "b": 1, "left": 0, "right": 1, "first": 0, "second": 1}
    places |= {str(counts_from): 0, str(counts_from + 1): 1}
    ties = TIES if counts_from == 0 else TIES | {"0"}

    def decode(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
        word = _vote(answer)
        if not word:
            return "no_answer"
        return "tie" if word in ties else places.get(word, "foreign_answer")

    return decode


def _vote(answer: Any) -> str:
    """A vote without what all votes may begin with: "model_a" is "a"."""
    word = str(_plain(answer) or "").strip().casefold()
    return re.sub(r"^(model|response|answer|output|assistant|completion)[ _]?", "", word)


@dataclass(frozen=True, slots=True)
class Offered:
    """What a row offers. letters: of the candidates, if the data have some. shared: the conversation that all of them continue."""

    texts: list[str]
    letters: list[str]
    shared: str = ""


def offered(cells: Sequence[Any]) -> Offered:
    """The candidates of a row."""
    if len(cells) == 1:
        cell = cells[0]
        if isinstance(cell, Mapping):  # {"text": [...], "label": [...]}, as on the Hugging Face hub
            texts, letters = cell.get("text"), cell.get("label")
            return Offered([_text(text) for text in texts or ()], [_text(letter) for letter in letters or ()])
        if isinstance(cell, list):
            labels = [_text(one["label"]) for one in cell if isinstance(one, Mapping) and "label" in one]
            return Offered([_text(_content(one)) for one in cell], labels)
        return Offered([], [])
    if all(isinstance(cell, list) for cell in cells):
        return _conversations(cells)
    texts = [_text(cell) for cell in cells]
    while texts and not texts[-1].strip():  # rows with fewer options leave the last columns empty
        texts.pop()
    return _without_shared_turns(texts)


def _conversations(cells: Sequence[list[Any]]) -> Offered:
    """Candidates that are lists of chat messages. The messages at the start that all of them have are no part of them."""
    n = _n_shared(cells)
    if n == min(map(len, cells)):  # the last message is always the candidate's own
        n = max(0, n - 1)
    return Offered([_text(cell[n:]) for cell in cells], [], _text(cells[0][:n]))


def _without_shared_turns(texts: list[str]) -> Offered:
    """Candidates that are conversations in one text each: the turns at the start that all of them have are no part of them."""
    shared = _n_shared(texts)
    ends = (
        [match.end() for match in TURN.finditer(texts[0]) if match.end() <= shared] if len(texts) > 1 else []
    )
    if not ends:
        return Offered(texts, [])
    return Offered([text[ends[-1] :] for text in texts], [], texts[0][: ends[-1]].strip())


def _content(one: Any) -> Any:
    return one.get("text", one.get("content")) if isinstance(one, Mapping) and "role" not in one else one


def _text(cell: Any) -> str:
    """A cell as text; of a list of chat messages, all that they say."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Mapping):
        return _text(cell.get("content"))
    if isinstance(cell, list):
        return "\n\n".join(_text(one) for one in cell)
    return scalar_text(cell)


def _n_shared(sequences: Sequence[Sequence[Any]]) -> int:
    """How many items at the start all sequences have in common."""
    places = zip(*sequences, strict=False)
    return next(
        (i for i, items in enumerate(places) if any(one != items[0] for one in items)),
        min(map(len, sequences), default=0),
    )


def row_ids(cells: Sequence[Any], n: int) -> list[str]:
    """Ids of the rows: the column's if they are all there and different, else row numbers from 1."""
    texts = [_text(cell) for cell in cells]
    if texts and all(texts) and len(set(texts)) == len(texts):
        return texts
    return [str(row + 1) for row in range(n)]


def _is_list(series: pl.Series) -> bool:
    """Whether the cells of a column are lists, or lists written as text."""
    if isinstance(series.dtype, pl.List | pl.Array | pl.Struct):
        return True
    if series.dtype != pl.String:
        return False
    cells = [cell for cell in series.head(20).to_list() if cell]
    return bool(cells) and all(isinstance(cell_value(cell), list | dict) for cell in cells)


def cell_values(series: pl.Series) -> list[Any]:
    """The cells as Python values; lists and objects that were written as text are read."""
    if series.dtype != pl.String:
        return series.to_list()
    return [cell_value(cell) for cell in series.to_list()]


def cell_value(cell: str | None) -> Any:
    """A list, an object or a text in quotes that was written as text; any other cell as it is."""
    if cell is None or cell[:1] not in ("[", "{", '"'):
        return cell
    try:
        value = json.loads(cell)
    except ValueError:
        value = _literal(cell) if cell[:1] == "[" else cell
    return value if isinstance(value, list | dict | str) else cell


def _literal(cell: str) -> Any:
    """A list as Python prints it: pandas writes such cells into CSV files."""
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell
    return value if isinstance(value, list) else cell


def shuffled(question: Question, order: Sequence[int]) -> Question:
    """The question with its candidates in another order."""
    right = None if question.right is None else list(order).index(question.right)
    return replace(question, candidates=tuple(question.candidates[i] for i in order), right=right)
