"""The interface of all classifiers: texts or pairs in, a probability per label out.

    data = Labelled(Inputs(texts, contexts), labels)     contexts only if rows are pairs
    model = Linear(seed=0).fit(data)
    model.predict_proba(data.inputs)                     (n, labels), columns in the order of model.labels_

A classifier minimizes an objective (`objectives.py`), by default cross-entropy. The training methods
(`longway.models.training`) pass another objective, other weights, or train twice; classifiers know nothing about them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from longway.errors import SettingError
from longway.text.tokenizer import PLAIN, Tokenizer

if TYPE_CHECKING:
    from longway.models.objectives import Objective

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Texts, and their contexts if rows are pairs. tokenizer: what splits them."""

    texts: Sequence[str]
    contexts: Sequence[str] | None = None
    tokenizer: Tokenizer = PLAIN

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: Sequence[int] | Ints) -> Inputs:
        """Some rows, in the given order."""
        contexts = None if self.contexts is None else [self.contexts[i] for i in rows]
        return Inputs([self.texts[i] for i in rows], contexts, self.tokenizer)

    def text_only(self) -> Inputs:
        """The same rows without their contexts."""
        return Inputs(self.texts, None, self.tokenizer)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows with their labels."""

    inputs: Inputs
    labels: Sequence[str]

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Sequence[int] | Ints) -> Labelled:
        """Some rows, in the given order."""
        return Labelled(self.inputs.take(rows), [self.labels[i] for i in rows])

    def text_only(self) -> Labelled:
        """The same rows without their contexts."""
        return Labelled(self.inputs.text_only(), self.labels)


@dataclass(frozen=True, slots=True)
class FitData:
    """The arguments of `fit`. objective: the one given, or cross-entropy."""

    data: Labelled
    objective: Objective
    validation: Labelled | None

    @property
    def is_pairs(self) -> bool:
        """Whether rows have a context."""
        return self.data.inputs.contexts is not None


class Predictor(Protocol):
    """Predicts labels from logits."""

    labels_: tuple[str, ...]

    @abstractmethod
    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): unnormalized log-probabilities."""

    def predict_proba(self, inputs: Inputs) -> Floats:
        """(n, labels): the probability of each label."""
        return softmax(self.logits(inputs))

    def predict(self, inputs: Inputs) -> list[str]:
        """The most likely label of each row."""
        return [self.labels_[i] for i in self.logits(inputs).argmax(axis=1)]


class Classifier(Predictor):
    """Learns labels from texts or pairs."""

    name: ClassVar[str]

    def fit(
        self,
        data: Labelled,
        *,
        objective: Objective | None = None,
        validation: Labelled | None = None,
    ) -> Self:
        """Train on `data`.

        objective: of the rows of `data`; default cross-entropy. validation: rows for early stopping; default a part of
        `data`, or none for models that do not need it.
        """
        self.labels_ = label_names(data.labels)
        if objective is None:
            from longway.models.objectives import CrossEntropy

            objective = CrossEntropy(targets_of(data.labels, self.labels_))
        self._fit(FitData(data, objective, validation))
        return self

    @abstractmethod
    def _fit(self, given: FitData) -> None:
        """Train; the labels are known."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write everything that `catalog.load_model` needs: safetensors and JSON."""


def softmax(logits: NDArray[Any]) -> Floats:
    """Probabilities: rows that sum to one."""
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True), np.float64)


def label_names(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels of a classifier of these rows, in order. Raises SettingError if there are fewer than two."""
    names = tuple(sorted(set(labels)))
    if len(names) < 2:
        got = f"only {names[0]!r}" if names else "no rows"
        raise SettingError(
            f"A classifier needs rows of at least two labels to learn from. Got {got}. "
            "Check the label column, or use more rows."
        )
    return names


def targets_of(labels: Sequence[str], names: Sequence[str]) -> Ints:
    """The index of each row's label in `names`. Raises SettingError for an unknown label."""
    index = {name: i for i, name in enumerate(names)}
    if unknown := sorted(set(labels) - set(names)):
        raise SettingError(
            f"The label {unknown[0]!r} was not among those the classifier learned: {', '.join(map(repr, names))}. "
            "Use data with the same labels."
        )
    return np.array([index[label] for label in labels], np.int64)


def check_kind(inputs: Inputs, *, pairs: bool) -> None:
    """Raise SettingError if a classifier of pairs gets single texts, or the other way round."""
    if (inputs.contexts is not None) != pairs:
        learned, got = ("pairs", "texts alone") if pairs else ("texts alone", "pairs")
        raise SettingError(
            f"The classifier learned from {learned}, got {got}. Use rows of the kind it learned from."
        )


def by_length(lengths: Sequence[int], *, size: int) -> Iterator[Ints]:
    """Batches of row indices, longest rows first, of at most `size` tokens after padding, or of one row.

    >>> [rows.tolist() for rows in by_length([3, 9, 4], size=8)]
    [[1], [2, 0]]
    """
    order = np.argsort(lengths, kind="stable")[::-1].astype(np.int64)
    start = 0
    while start < len(order):
        rows = order[start : start + max(1, size // max(1, lengths[order[start]]))]
        yield rows
        start += len(rows)
