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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import polars as pl

from longway.data.choice_columns import ChoiceColumns, GivenColumns, choice_columns
from longway.data.encoding import EncodingError, check_encoding
from longway.data.loading import first_rows, open_source
from longway.data.problems import SHOWN, ProblemLog, say_rows
from longway.data.shards import Source
from longway.data.table import DataTable, combine, scalar_text
from longway.errors import DataError
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
        "bothbad",
        "both_bad",
        "0.5",
    }
)
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
    """One prompt with its candidates. right: the place of the right one; None for a tie. row: in the source, from 0. scores: of a ranking."""

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
) -> ChoiceDataset | None:
    """Questions with candidates from anything that `load` takes; None if it has no candidates and none were named.

    given: the columns, as far as the user named them. Raises ColumnError if they are not there, DataError if no row can be used.

    >>> rows = [{"question": "2 + 2?", "choices": ["3", "4"], "answer": "B"}]
    >>> load_choices(rows).questions[0].right
    1
    """
    known = check_encoding(encoding)
    try:
        return _load(source, given or GivenColumns(), limit, None)
    except EncodingError:
        return _load(source, given or GivenColumns(), limit, known)


def _load(
    source: object, given: GivenColumns, limit: int | None, encoding: str | None
) -> ChoiceDataset | None:
    log = ProblemLog()
    opened = open_source(source, log, limit=limit, stream=None, encoding=encoding)
    sample = first_rows(opened)
    lists = [name for name in sample.columns if _is_list(sample[name])]
    columns = choice_columns(sample.columns, lists, given)
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
        sets = [
            candidate_texts([cells[name][row] for name in columns.candidates]) for row in range(frame.height)
        ]
        prompts = cells[columns.prompt] if columns.prompt else [None] * frame.height
        answers = cells[columns.answer] if columns.answer else [0] * frame.height
        decode = decoder(columns, answers, [texts for texts, _ in sets])
        for row in range(frame.height):
            texts, letters = sets[row]
            prompt, texts = _without_shared_turns(
                _text(prompts[row]), texts, has_prompt=columns.prompt is not None
            )
            right = decode(answers[row], texts, letters)
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
        return _winner
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
    return None if answer is None else scalar_text(answer)


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


def _winner(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    if answer is None:
        return "no_answer"
    word = re.sub(
        r"^(model|response|answer|output|assistant|completion)[ _]?",
        "",
        scalar_text(answer).strip().casefold(),
    )
    if word in TIES:
        return "tie"
    place = {"a": 0, "b": 1, "1": 0, "2": 1, "left": 0, "right": 1, "first": 0, "second": 1, "0": 0}.get(word)
    return "foreign_answer" if place is None else place


def candidate_texts(cells: Sequence[Any]) -> tuple[list[str], list[str]]:
    """The texts of the candidates, and their letters if the data have some."""
    if len(cells) == 1:
        cell = cells[0]
        if isinstance(cell, Mapping):  # {"text": [...], "label": [...]}, as on the Hugging Face hub
            texts, letters = cell.get("text"), cell.get("label")
            return [_text(text) for text in texts or ()], [_text(letter) for letter in letters or ()]
        if isinstance(cell, list):
            return [_text(_content(one)) for one in cell], [
                _text(one["label"]) for one in cell if isinstance(one, Mapping) and "label" in one
            ]
        return [], []
    texts = [_text(cell) for cell in cells]
    while texts and not texts[-1].strip():  # rows with fewer options leave the last columns empty
        texts.pop()
    return texts, []


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


def _without_shared_turns(prompt: str, texts: list[str], *, has_prompt: bool) -> tuple[str, list[str]]:
    """The prompt and the candidates; where both candidates begin with the same conversation, that is the prompt."""
    if has_prompt or len(texts) != 2:
        return prompt, texts
    shared = len(_shared(texts[0], texts[1]))
    ends = [match.end() for match in TURN.finditer(texts[0]) if match.end() <= shared]
    ends += [match.end() for match in re.finditer(r"\n\n", texts[0][:shared])] if not ends else []
    if not ends:
        return prompt, texts
    return texts[0][: ends[-1]].strip(), [text[ends[-1] :] for text in texts]


def _shared(one: str, two: str) -> str:
    n = next((i for i, (x, y) in enumerate(zip(one, two, strict=False)) if x != y), min(len(one), len(two)))
    return one[:n]


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


def cell_values(series: pl.Series) -> Iterator[Any] | list[Any]:
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
