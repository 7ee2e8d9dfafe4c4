"""Data with candidates: one prompt, several candidates, one of them right or preferred.

load_choices(path, frame, rows ...)  ->  ChoiceDataset: questions, columns, problems
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

import polars as pl

from longway.data.choice_columns import (
    ChoiceColumns,
    GivenColumns,
    Kind,
    Reading,
    choice_columns,
    named_lists,
    reading_of,
    score_of,
)
from longway.data.encoding import EncodingError, check_encoding
from longway.data.loading import first_rows, open_source
from longway.data.problems import ProblemLog, say_rows
from longway.data.shards import Source
from longway.data.table import DataTable, combine, scalar_text
from longway.errors import DataError, SettingError, fits, in_words, with_checked_arguments
from longway.records import Problem

ROLES = tuple(one.name for one in fields(GivenColumns))
LETTER_KEY = re.compile(r"[A-Ja-j]|\d")
LIST_KEYS = ("text", "choices")
PLAIN_WORD = re.compile(r"(?i)\b(?!(?:(\w)\1)+\b)[^\W\d_]{3,}\b")  # no genotype: AaBb
TURN = re.compile(r"\n\n(?:Assistant|Human): ?")  # of a conversation in one text

# kind: (message, next step)
KINDS = {
    "no_candidates": ("{n} without candidates{about}, skipped.", "Fill in the candidates, or leave the rows out."),
    "one_candidate": ("{n} with a single candidate{about}, skipped: there is nothing to choose.", "Add other candidates, or leave the rows out."),
    "empty_candidate": ("{n} with an empty candidate{about}, skipped.", "Fill in the candidate, or leave the rows out."),
    "no_answer": ("{n} without an answer{about}, skipped.", "Fill in the answer, or leave the rows out."),
    "other_length": ("{n} with more or fewer scores than candidates{about}, skipped.", "Give each candidate a score, in the same order."),
    "not_numbers": ("{n} with a score that is no number (NaN, infinite or text){about}, skipped.", "Fill in the scores, or leave the rows out."),
    "foreign_answer": ("{n} whose answer is none of the candidates{about}, skipped.", "Correct the answer: a number, a letter or the text of a candidate; of votes a, b or tie, or the name of a model."),
    "several_answers": ("{n} with several right answers{about}, skipped.", "Keep one right answer for each row."),
    "same_candidates": ("{n} whose right answer is also among the other candidates, apart from spaces and capital letters{about}, skipped.", "Make the candidates of a row different."),
    "repeated_candidate": ("{n} with a candidate that occurs twice, apart from spaces and capital letters{about}; used.", "Make the candidates of a row different."),
    "tie": ("{n} with a tie{about}; used to compare judges only.", "Nothing to do."),
    "begins_with_prompt": ("{n} whose candidates all begin with the prompt{about}; what follows it was used.", "Nothing to do."),
    "instruction": ("{n} have a prompt that more than half of the rows have{about}: an instruction, not a question. They count as independent unless their answers are the same.", "Name the column of the question, if there is one: --prompt COLUMN."),
    "repeated_question": ("{n} that repeat a prompt{about}. They count as one observation where their answers agree.", "Keep one row for each question."),
}  # fmt: skip

FEW = 0.05  # of the answers name an option: then they are labels of texts
MAY_BE_NUMBERS = re.compile(r"(?i)op|choice")  # option1, choice_a: a quiz about numbers
MOST_ROWS, MOST_SHARE = 20, 0.5  # that one question can have; a prompt of more rows is an instruction

# kind of what was assumed: (message, next step)
ASSUMED = {
    "vote_numbers": ("The votes are numbers. Read as: {coding}.", "If that is wrong: --set answer-base={other} (the number of the first answer)."),
    "ranks": ("The column {answer} holds ranks: the candidate with the lowest number was taken as the best.", "If the highest number is the best, rename the column, for example to scores."),
    "answer_base": ("The answers are numbers, {shown}: they may count from 0 or from 1. Assumed: from {base}.", "If they count from {other}: --set answer-base={other}."),
    "answer_way": ("The answers are texts of options, but they could also be the numbers of other options. Assumed: texts.", "If they are numbers: --set answer-base=0, or --set answer-base=1."),
    "no_prompt": ("No prompt column was found, so repeated questions are recognised by their candidates only.", "Name the column of the question, if there is one: --prompt COLUMN."),
}  # fmt: skip
NOT_SHOWN = (
    "but neither 0 nor the number of a last option occurs",
    "and both 0 and the number of a last option occur",
)


def instructions(prompts: Iterable[str]) -> frozenset[str]:
    """The prompts that so many rows have that they cannot be questions; "" among them.

    >>> sorted(instructions(["Summarize this."] * 30 + ["Who was Ada Lovelace?", ""]))
    ['', 'Summarize this.']
    """
    counts = Counter(prompts)
    most = max(MOST_ROWS, MOST_SHARE * counts.total())
    return frozenset(prompt for prompt, n in counts.items() if n > most or not prompt)


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


@with_checked_arguments
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
    answer_base: the number of the first option, 0 or 1, if the answers are numbers and do not show it.
    given: the same as one object. Raises ColumnError if a column is not there, DataError if no row can be used.

    >>> rows = [{"q": "2 + 2?", "list": ["3", "4"], "key": "B"}]
    >>> load_choices(rows, choices="list", answer="key").questions[0].right
    1
    """
    named = given or _named_columns(columns)
    known = check_encoding(encoding)
    try:
        return _load(source, named, limit, None)
    except EncodingError:
        return _load(source, named, limit, known)


def _named_columns(columns: Mapping[str, object]) -> GivenColumns:
    """The columns of a call by role.

    >>> _named_columns({"choices": "options", "answer": "key"}).choices
    ('options',)
    """
    if wrong := [name for name in columns if name not in ROLES]:
        raise SettingError(f"There is no column called '{wrong[0]}'. Expected: {', '.join(ROLES)}.")
    choices = columns.get("choices") or ()
    several = tuple(choices) if isinstance(choices, list | tuple) else (choices,)
    values: dict[str, Any] = {**columns, "choices": several}
    for name, hint in get_type_hints(GivenColumns).items():
        if name in columns and not fits(values[name], hint):
            got = type(columns[name]).__name__
            raise SettingError(f"'{name}' must be {in_words(hint)}. Got {got}. Name a column of the data.")
    return GivenColumns(**values)


def guessed_columns(source: object) -> ChoiceColumns | None:
    """The columns of candidates in the data, by their names; None if there are none."""
    return _open(source, GivenColumns(), None, None, ProblemLog())[1]


def _open(
    source: object, given: GivenColumns, limit: int | None, encoding: str | None, log: ProblemLog
) -> tuple[Source, ChoiceColumns | None]:
    opened = open_source(source, log, limit=limit, stream=None, encoding=encoding)
    sample = first_rows(opened)
    lists = [name for name in sample.columns if _is_list(sample[name])]
    with_answers = {name: kind for name in named_lists(lists) if (kind := _kind_with_answers(sample[name]))}
    columns = choice_columns(sample.columns, lists, given, with_answers)
    if columns is not None and not given.named and _are_labelled_texts(columns, sample):
        columns = None
    return opened, columns


def _are_labelled_texts(columns: ChoiceColumns, sample: pl.DataFrame) -> bool:
    """Whether columns only look like options and an answer by their names: the options are numbers, or the answers name none of them."""
    if len(columns.candidates) == 1 or columns.kind == "preference":
        return False
    if not MAY_BE_NUMBERS.match(columns.candidates[0]) and all(_is_numeric(sample[name]) for name in columns.candidates):  # fmt: skip
        return True
    if columns.kind == "votes":
        return False
    read = _questions_of(columns, sample)
    n_foreign = read.log.counts.get("foreign_answer", 0)
    return n_foreign > 0 and len(read.questions) <= FEW * (len(read.questions) + n_foreign)


def _is_numeric(series: pl.Series) -> bool:
    """Whether all cells of a column are numbers, or numbers written as text."""
    if series.dtype != pl.String:
        return series.dtype.is_numeric()
    cells = [cell for cell in series.to_list() if cell]
    return bool(cells) and all(
        re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*", cell, re.I) for cell in cells
    )


def _kind_with_answers(series: pl.Series) -> Kind | None:
    """The kind of data whose options and answers are in one column, as in mc1_targets of TruthfulQA and completions of UltraFeedback."""
    value = next((value for value in cell_values(series.head(20)) if value), None)
    if isinstance(value, Mapping) and _list_key(value) and isinstance(value.get("labels"), list):
        return "choice"
    is_scored = isinstance(value, list) and all(isinstance(entry, Mapping) and score_of(entry) is not None for entry in value)  # fmt: skip
    return "ranking" if is_scored else None


def _load(
    source: object, given: GivenColumns, limit: int | None, encoding: str | None
) -> ChoiceDataset | None:
    log = ProblemLog()
    opened, columns = _open(source, given, limit, encoding, log)
    if columns is None:
        return None
    table = opened.whole or combine(list(opened.tables(None, log)))
    read = _questions_of(columns, table.frame)
    problems = (*_assumptions(read), *read.log.problems())
    if not read.questions and not read.ties:
        found = " ".join(f"{one.message} {one.next_step}" for one in problems) or "It has no rows."
        named = ", ".join(f"{role} = {name}" for role, name in columns.fields().items())
        raise DataError(
            f"{opened.name} has no row with candidates and one right answer. {found} Check the columns: {named}."
        )
    is_path = isinstance(source, str | Path) and not str(source).startswith("hf:")
    path = Path(str(source)).expanduser() if is_path else opened.path
    return ChoiceDataset(
        opened.name, read.columns, tuple(read.questions), tuple(read.ties), (*log.problems(), *problems), table.frame.height,
        table, opened.format, opened.encoding, path, opened.raw_tables,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Questions:
    """The questions of a table. columns: with the number of the first option, where answers are numbers. log: what is wrong with other rows."""

    columns: ChoiceColumns
    reading: Reading
    log: ProblemLog
    questions: list[Question] = field(default_factory=list)
    ties: list[Question] = field(default_factory=list)


def _questions_of(columns: ChoiceColumns, frame: pl.DataFrame) -> _Questions:
    """Read all rows of a table."""
    cells = {name: cell_values(frame[name]) for name in columns.used()}
    ids = row_ids(cells.get(columns.id or "", []), frame.height)
    sets = [offered([cells[name][row] for name in columns.candidates]) for row in range(frame.height)]
    prompts = cells[columns.prompt] if columns.prompt else [None] * frame.height
    answers = cells[columns.answer] if columns.answer else [0] * frame.height
    reading, log = reading_of(columns, answers, [one.texts for one in sets]), ProblemLog(KINDS)
    if reading.base is not None and columns.answer_base is None:  # other data are read alike
        columns = replace(columns, answer_base=reading.base, guessed=(*columns.guessed, "answer_base"))
    read = _Questions(columns, reading, log)
    for row, given in enumerate(sets):
        prompt = _text(prompts[row]) or given.shared
        texts = without_prompt(given.texts, prompt)
        if texts != given.texts:
            log.add("begins_with_prompt", [row])
        makers = tuple(_text(cells[name][row]) for name in columns.makers)
        right = reading.decode(
            answers[row], given.texts, makers if columns.kind == "votes" else given.letters
        )
        if fault := _fault(texts, right):
            log.add(fault, [row])
            continue
        if len({_folded(text) for text in texts}) < len(texts):
            log.add("repeated_candidate", [row])
        judge = _text(cells[columns.judge][row]) if columns.judge else ""
        place = right if isinstance(right, int) else None
        question = Question(ids[row], row, prompt, tuple(texts), place, judge, makers)
        if right == "tie":
            log.add("tie", [row])
        (read.ties if right == "tie" else read.questions).append(question)
    if columns.kind != "votes":  # several judges vote on the same pair
        seen = Counter(one.prompt for one in read.questions if one.prompt)
        general = instructions(one.prompt for one in read.questions)
        repeated = [one for one in read.questions if seen[one.prompt] > 1]
        log.add("instruction", [one.row for one in repeated if one.prompt in general])
        log.add("repeated_question", [one.row for one in repeated if one.prompt not in general])
    return read


def _assumptions(read: _Questions) -> Iterator[Problem]:
    """What was assumed about answers that can be read in several ways."""
    reading, n = read.reading, len(read.questions)
    base = reading.base or 0
    words = {"base": base, "other": 1 - base, "coding": reading.coding, "answer": read.columns.answer, "shown": NOT_SHOWN[reading.has_both]}  # fmt: skip
    holds = {
        "vote_numbers": reading.coding,
        "ranks": reading.are_ranks,
        "answer_base": reading.is_assumed,
        "answer_way": reading.are_also_numbers,
        "no_prompt": n and not any(one.prompt for one in read.questions),
    }
    for kind in filter(holds.get, ASSUMED):
        message, step = (text.format(**words) for text in ASSUMED[kind])
        yield Problem(kind, message, n + len(read.ties) * (kind == "vote_numbers"), step, ())


def _fault(texts: Sequence[str], right: object) -> str:
    """The kind of problem that makes a row useless; "" if there is none."""
    folded = [_folded(text) for text in texts]
    faults = {
        "no_candidates": not texts,
        "one_candidate": len(texts) == 1,
        "empty_candidate": not all(text.strip() for text in texts),
        str(right): isinstance(right, str) and right != "tie",
        "same_candidates": isinstance(right, int) and folded.count(folded[right]) > 1,
    }
    return next((kind for kind, holds in faults.items() if holds), "")


def _folded(text: str) -> str:
    """A candidate as it is compared with others: without spaces at its ends, plain words in lower case.

    Case can be the answer in genotypes, units and names such as iPhone, so short, doubled and mixed words keep it.

    >>> _folded(" Paris"), _folded("AaBb or AABB"), _folded("5 mW")
    ('paris', 'AaBb or AABB', '5 mW')
    """

    def lower_if_plain(match: re.Match[str]) -> str:
        return match[0].lower() if match[0].isupper() or match[0].istitle() else match[0]

    return PLAIN_WORD.sub(lower_if_plain, text.strip())


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
        if isinstance(cell, Mapping):
            texts = [_text(text) for text in option_entries(cell)]
            letters = list(cell)[: len(texts)] if _list_key(cell) is None else cell.get("label") or ()
            return Offered(texts, [_text(letter) for letter in letters])
        if isinstance(cell, list):
            labels = [_text(one["label"]) for one in cell if isinstance(one, Mapping) and "label" in one]
            return Offered([_text(one) for one in cell], labels)
        return Offered([], [])
    if all(isinstance(cell, list) for cell in cells):
        # The messages at the start that all of them have are no part of them; the last one always is.
        n = max(0, min(_n_shared(cells), min(map(len, cells)) - 1))
        return Offered([_text(cell[n:]) for cell in cells], [], _text(cells[0][:n]))
    texts = [_text(cell) for cell in cells]
    while texts and not texts[-1].strip():  # rows with fewer options leave the last columns empty
        texts.pop()
    return _without_shared_turns(texts)


def option_entries(value: Any) -> list[Any]:
    """The options of a cell: a list, an object with a list, {"text": [...], "label": [...]}, or an object with one option each, {"A": ..., "B": ...}."""
    if not isinstance(value, Mapping):
        return list(value)
    if key := _list_key(value):
        return list(value[key] or ())
    entries = list(value.values()) if all(LETTER_KEY.fullmatch(name) for name in value) else []
    while entries and entries[-1] in (None, ""):  # rows with fewer options
        entries.pop()
    return entries


def with_entries(value: Any, entries: Sequence[Any]) -> Any:
    """A cell with other options, in the form it had."""
    if not isinstance(value, Mapping):
        return list(entries)
    if key := _list_key(value):
        return {**value, key: list(entries)}
    return {**value, **dict(zip(value, entries, strict=False))}


def _list_key(value: Mapping[str, Any]) -> str | None:
    """The key of the list of options."""
    return next((key for key in LIST_KEYS if key in value and not isinstance(value[key], str)), None)


def without_prompt(texts: list[str], prompt: str) -> list[str]:
    """Candidates that all begin with the prompt, without it and the space that all of them have behind it; others as they are.

    >>> without_prompt(["Why? Because.", "Why? So."], "Why?")
    ['Because.', 'So.']
    >>> without_prompt(["Why? Because.", "So."], "Why?")
    ['Why? Because.', 'So.']
    """
    rest = [text[len(prompt) :] for text in texts]
    is_before = prompt.strip() and all(text.startswith(prompt) for text in texts)
    if not is_before or not all(text.strip() for text in rest):
        return texts
    shared = rest[0][: _n_shared(rest)] if rest else ""
    return [text[len(shared) - len(shared.lstrip()) :] for text in rest]


def _without_shared_turns(texts: list[str]) -> Offered:
    """Candidates that are conversations in one text each: the turns at the start that all of them have are no part of them."""
    shared = _n_shared(texts)
    ends = (
        [match.end() for match in TURN.finditer(texts[0]) if match.end() <= shared] if len(texts) > 1 else []
    )
    if not ends:
        return Offered(texts, [])
    return Offered([text[ends[-1] :] for text in texts], [], texts[0][: ends[-1]].strip())


def text_key(entry: Mapping[str, Any]) -> str:
    """The key of the text of an option, a message or a part of a message.

    >>> text_key({"role": "user", "content": "Hi"}), text_key({"from": "human", "value": "Hi"}), text_key({"type": "text", "text": "Hi"})
    ('content', 'value', 'text')
    """
    keys = ("content", "text") if "role" in entry else ("text", "content")
    return next((key for key in (*keys, "value", "response") if entry.get(key) is not None), "content")


def _text(cell: Any) -> str:
    """A cell as text; of a list of chat messages, all that they say."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Mapping):
        return _text(cell.get(text_key(cell)))
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
    # pandas writes lists as Python does
    for read, kinds in ((json.loads, (list, dict, str)), (ast.literal_eval, (list,))):
        try:
            value = read(cell)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, kinds):
            return value
    return cell
