"""What a method takes and returns.

    Rows            the dataset as a method sees it; methods never change it
    RewriteRequest  one row for which other texts are wanted
    Write           requests -> what an engine wrote for each
    Verify          candidates -> the verdicts on each
    Round           the edits of one round and its figures

A method takes rows and yields rounds. It knows no engine and no check; it gets functions. Both may be generators that yield answers in the order of the
requests; answers that come before `BudgetSpent` are kept and used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from longway.engines.engine import Written
from longway.errors import DataError
from longway.language_names import ENGLISH, UNKNOWN
from longway.languages.identify import may_be_in
from longway.languages.row_languages import language_in, main_language
from longway.languages.words import tokenizer_for
from longway.records import Edit, Example, Leak, Verdict
from longway.task import Keeps, Task
from longway.text.tokenizer import Tokenizer
from longway.verify.check import Candidate, Origin

Floats = NDArray[np.float64]
Objection = Callable[[str, str, str], str]  # id, text, proposed text -> why not; "" if there is no objection
# The verdicts on each candidate, in order; may end early with `BudgetSpent`.
Verify = Callable[[Sequence[Candidate]], Iterable[tuple[Verdict, ...]]]
ALL_DONE = "every row was gone through once"
NOT_CHOSEN = "another candidate scored lower"
NOT_BETTER = "the original scores as low"
RETURNS = "the row had this text before"


@dataclass(slots=True)
class Rows:
    """The rows that a method works on.

    labels: for each row the position of its label in `label_names`. contexts: None for single texts.
    """

    ids: Sequence[str]
    texts: list[str]
    labels: NDArray[np.int64]
    label_names: Sequence[str]
    task: Task
    contexts: Sequence[str] | None = None
    _places: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _languages: list[str] = field(default_factory=list, init=False, repr=False)
    _main_language: str = field(default="", init=False, repr=False)

    def __post_init__(self) -> None:
        lengths = [len(self.ids), len(self.texts), len(self.labels)]
        lengths += [] if self.contexts is None else [len(self.contexts)]
        if len(set(lengths)) > 1 or len(set(self.ids)) != len(self.ids):
            raise DataError(
                "Rows need one text, one label and an id of their own each. "
                f"Got {len(set(self.ids))} different ids and columns of {lengths} rows. Check how the rows were built."
            )

    def __len__(self) -> int:
        return len(self.texts)

    def at(self, rows: Sequence[int]) -> Rows:
        """Some of the rows, in this order, with the languages that they have among all."""
        contexts = self.contexts
        some = Rows(
            [self.ids[row] for row in rows],
            [self.texts[row] for row in rows],
            self.labels[list(rows)],
            self.label_names,
            self.task,
            None if contexts is None else [contexts[row] for row in rows],
        )
        some._main_language = self.main_language
        some._languages = [self._languages[row] for row in rows] if self._languages else []
        return some

    def with_texts(self, texts: list[str]) -> Rows:
        """The same rows with other texts in their languages."""
        rows = replace(self, texts=texts)
        rows._main_language, rows._languages = self.main_language, self.languages
        return rows

    @property
    def main_language(self) -> str:
        """The language of most rows: the first one that the user named or that mixed data has, or identified from a sample."""
        if not self._main_language:
            self._main_language = self.task.languages[0] if self.task.languages else main_language(self.texts)
        return self._main_language

    @property
    def languages(self) -> list[str]:
        """The language of each row's text, as an ISO 639 code; found when it is first needed."""
        if not self._languages:
            main, several = self.main_language, self.task.languages
            self._languages = [language_in(text, main, several) for text in self.texts]
        return self._languages

    @property
    def tokenizer(self) -> Tokenizer:
        """What splits the texts."""
        return tokenizer_for(self.task.spoken)

    def is_english(self, row: int) -> bool:
        """Whether a row is English: what knows English only leaves all others alone."""
        return self.languages[row] == ENGLISH

    def may_be_english(self, row: int) -> bool:
        """Whether a row is English, or in Latin script where no language could be identified."""
        language = self.languages[row]
        return language == ENGLISH or (
            language == UNKNOWN == self.main_language and may_be_in(self.texts[row], ENGLISH)
        )

    def label(self, row: int) -> str:
        """The name of a row's label."""
        return self.label_names[int(self.labels[row])]

    def context(self, row: int) -> str | None:
        """The context of a row, None for single texts."""
        return None if self.contexts is None else self.contexts[row]

    def request(self, row: int, n: int, **more: Any) -> RewriteRequest:
        """The request for n other texts of a row. more: the other fields of `RewriteRequest`."""
        return RewriteRequest(row, self.texts[row], self.label(row), n, self.context(row), **more)

    def place(self, id: str) -> int:
        """The position of the row with this id."""
        if not self._places:
            self._places = {id_: place for place, id_ in enumerate(self.ids)}
        return self._places[id]

    def example(self, row: int) -> Example:
        """A row as a record."""
        return Example(self.ids[row], self.texts[row], self.label(row), self.context(row))

    def added_by(self, edits: Iterable[Edit]) -> list[Example]:
        """The rows that accepted edits add, in order."""
        added: dict[str, Example] = {}
        for edit in edits:
            if not (edit.accepted and edit.source):
                continue
            if edit.id not in added:
                source = self.example(self.place(edit.source))
                added[edit.id] = replace(source, id=edit.id, label=edit.label_after)
            name = "text" if edit.field == self.task.text_name else "context"
            added[edit.id] = replace(added[edit.id], **{name: edit.after})
        return list(added.values())


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """A row for which n other texts are wanted.

    sample: how many times the row was requested before; another number gives another draw.
    avoid: words and phrases of the text that predict its label. origin: what the text was rewritten from, None if it is the original.
    keeps: what a new text must keep. refused: the last text that was refused for this row, and why. language: of the row, "" for English.
    target: the label that a new text must have, "" if it keeps its own. typical: texts that show a topic or a tone to leave out, whose words
    are in `avoid`; None if it is not about one.
    """

    row: int
    text: str
    label: str
    n: int
    context: str | None = None
    sample: int = 0
    avoid: tuple[str, ...] = ()
    origin: Origin | None = None
    keeps: Keeps = "meaning"
    refused: tuple[str, str] | None = None
    language: str = ""
    target: str = ""
    typical: tuple[str, ...] | None = None


class Write(Protocol):
    """Writes texts."""

    @property
    def name(self) -> str:
        """The name of the engine."""
        ...

    def __call__(self, requests: Sequence[RewriteRequest]) -> Iterable[Written]:
        """What was written for each request, in order; may end early with `BudgetSpent`."""
        ...


@dataclass(slots=True)
class Figures:
    """What a round did, and the state of the dataset after it.

    cosine: Eq. 14 per pair of documents, higher is better. divergence: KL of Algorithm 1, lower is better. gamma: the mean of Eq. 12.
    asked: rows; candidates: texts written for them; accepted: rows that were replaced or added.
    rejected: candidates by the first check that failed, or by why they were not taken. refusals: why rows have no candidate.
    seconds: of writing, checking and measuring.
    """

    cosine: float | None = None
    divergence: float | None = None
    gamma: float | None = None
    leak: Leak | None = None
    asked: int = 0
    candidates: int = 0
    accepted: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def count(self, reason: str) -> None:
        """Count a candidate. reason: why it is not used, "" if it is."""
        self.candidates += 1
        self.accepted += not reason
        if reason:
            self.rejected[reason] += 1


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a method.

    number: from 1; round 0 has no edits, and the figures of the original dataset.
    edits: every candidate, accepted or not. The accepted ones are all that a method changes.
    stopped: why the method ends with this round, "" if it goes on.
    """

    number: int
    edits: tuple[Edit, ...] = ()
    figures: Figures = field(default_factory=Figures)
    stopped: str = ""


def no_objection(id: str, before: str, after: str) -> str:
    """The objection of a method whose texts may all be used."""
    return ""


def fresh_id(taken: set[str], id: str, mark: str) -> str:
    """A new id for a row made from another one ("17+eda1"); it is added to `taken`.

    >>> fresh_id({"17", "17+eda1"}, "17", "eda")
    '17+eda2'
    """
    number = 1
    while f"{id}+{mark}{number}" in taken:
        number += 1
    taken.add(f"{id}+{mark}{number}")
    return f"{id}+{mark}{number}"


def keeps_of(how: str, asked: Keeps = "meaning") -> Keeps:
    """What a rewriting preserves: what the rule that made it promises (`writers.py`), otherwise what was asked for.

    how: the rules; "" or the name of an engine if a language model wrote it.
    """
    how = how.removeprefix("reword.")
    if how in ("", "engine") or how.startswith(("served", "gguf:")):
        return asked
    return "label" if how.startswith("label:") else "meaning"
