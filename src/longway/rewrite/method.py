"""What a rewriting method is: it goes through rows in rounds and says after each what it did.

    Rows        the dataset as a method sees it; `texts` changes in place
    Asked       one row for which other texts are wanted
    Write       asked rows -> what an engine wrote for each
    Verify      candidates -> the verdicts on each
    Round       the edits of one round, rows added, and the round's figures
    Method      run(rows) -> rounds

A method knows no engine and no check: it is given functions. Both may be generators, whose answers come in the order asked;
what came before `BudgetSpent` is kept and used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from longway.errors import DataError
from longway.llm.engine import Written
from longway.records import Edit, Example, Leak, Verdict
from longway.task import Task
from longway.verify.check import Candidate, Origin

Floats = NDArray[np.float64]
Objection = Callable[[str, str, str], str]  # id, text, proposed text -> why it must not be; "" where it may


@dataclass(slots=True)
class Rows:
    """The rows that a method may rewrite.

    labels: for each row the place of its label in `label_names`. contexts: None for single texts.
    """

    ids: Sequence[str]
    texts: list[str]
    labels: NDArray[np.int64]
    label_names: Sequence[str]
    task: Task
    contexts: Sequence[str] | None = None

    def __post_init__(self) -> None:
        lengths = [len(self.ids), len(self.texts), len(self.labels)]
        lengths += [] if self.contexts is None else [len(self.contexts)]
        if len(set(lengths)) > 1 or len(set(self.ids)) != len(self.ids):
            raise DataError(
                "Rows need one text, one label and one id of their own each. "
                f"Got {len(set(self.ids))} different ids and columns of {lengths} rows. Check how they were put together."
            )

    def __len__(self) -> int:
        return len(self.texts)

    def label(self, row: int) -> str:
        """The name of a row's label."""
        return self.label_names[int(self.labels[row])]

    def context(self, row: int) -> str | None:
        """A row's context, None for single texts."""
        return None if self.contexts is None else self.contexts[row]

    def example(self, row: int) -> Example:
        """A row as it stands."""
        return Example(self.ids[row], self.texts[row], self.label(row), self.context(row))

    def part(self, places: Sequence[int]) -> Rows:
        """Some of the rows, as they stand."""
        return Rows(
            [self.ids[i] for i in places],
            [self.texts[i] for i in places],
            self.labels[places],
            self.label_names,
            self.task,
            None if self.contexts is None else [self.contexts[i] for i in places],
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A row for which n other texts are wanted.

    sample: how often the row was asked before, so that a second try is another draw.
    avoid: words and phrases of the text that give its label away. origin: what the text comes from, None where it is
    as it came.
    """

    row: int
    text: str
    label: str
    n: int
    context: str | None = None
    sample: int = 0
    avoid: tuple[str, ...] = ()
    origin: Origin | None = None


class Write(Protocol):
    """Has texts written. name: the engine, as people call it."""

    @property
    def name(self) -> str:
        """The engine, as people call it."""
        ...

    def __call__(self, asked: Sequence[Asked]) -> Iterable[Written]:
        """What was written for each, in order; may end early with `BudgetSpent`."""
        ...


class Verify(Protocol):
    """Has candidates checked."""

    def __call__(self, candidates: Sequence[Candidate]) -> Iterable[tuple[Verdict, ...]]:
        """The verdicts on each, in order; may end early with `BudgetSpent`."""
        ...


class Chooser(Protocol):
    """Says which texts give most away; follows as rows are replaced. RAZOR's own is gamma (Eq. 12)."""

    def scores(self) -> Floats:
        """One number for each row; the highest is rewritten first, NaN never."""
        ...

    def of_candidates(self, row: int, texts: Sequence[str]) -> Floats:
        """The numbers that these texts would have in place of a row; the lowest is taken."""
        ...

    def replace(self, texts: Mapping[int, str]) -> None:
        """Take note of rows that have new texts."""
        ...


@dataclass(frozen=True, slots=True)
class Figures:
    """What a round did and how the dataset stands after it.

    cosine: Eq. 14 for each pair of documents, higher is better; divergence: Algorithm 1's KL, lower is better;
    gamma: the mean of Eq. 12. leak: where it was measured.
    asked: rows; candidates: texts written for them; accepted: rows that were replaced.
    rejected: candidates by the check that failed first, or by why they were not taken. refusals: what engines said
    about rows or samples they gave no text for. seconds: by step.
    """

    cosine: float | None = None
    divergence: float | None = None
    gamma: float | None = None
    leak: Leak | None = None
    asked: int = 0
    candidates: int = 0
    accepted: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)
    refusals: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a method.

    number: from 1; round 0 has no edits and the figures of the dataset as it came.
    edits: every candidate, accepted or not. added: rows that the method adds to the dataset.
    stopped: why the method ends with this round, "" where it goes on.
    """

    number: int
    edits: tuple[Edit, ...] = ()
    added: tuple[Example, ...] = ()
    figures: Figures = field(default_factory=Figures)
    stopped: str = ""


class Method(Protocol):
    """A way to rewrite a dataset. name: as in `METHODS`."""

    @property
    def name(self) -> str:
        """Its name in `METHODS` and in edits."""
        ...

    def run(self, rows: Rows) -> Iterator[Round]:
        """Rewrite the rows in place, round by round; each round is done when it is given."""
        ...


def fresh_id(taken: set[str], id: str, mark: str) -> str:
    """An id for a row made from another one ("17+eda1"), different from all taken; it counts as taken from now on.

    >>> fresh_id({"17", "17+eda1"}, "17", "eda")
    '17+eda2'
    """
    number = 1
    while f"{id}+{mark}{number}" in taken:
        number += 1
    taken.add(f"{id}+{mark}{number}")
    return f"{id}+{mark}{number}"


def keeps_of(how: str) -> str:
    """What a rewriting keeps, read from what the engine said about it (`llm/rules.py`): "label" or "meaning"."""
    return "label" if how.startswith("label:") else "meaning"
