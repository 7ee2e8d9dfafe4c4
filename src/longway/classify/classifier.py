"""What every classifier is given and answers to: texts or pairs in, a probability for each label out.

    inputs = Inputs(texts, contexts)                 contexts only where rows are pairs
    model = Linear(seed=0).fit(inputs, labels)
    model.predict_proba(inputs)                      (n, labels), columns in the order of model.labels_

A classifier is trained to lower an objective (`objectives.py`): cross-entropy where none is given. The training methods
(`longway.classify.methods`) give another one, or other weights, or train twice; no classifier knows of them.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from longway.classify.objectives import Objective
from longway.errors import SettingError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ABOUT_FILE = "classifier.json"  # beside the weights of a saved classifier: what it is


@dataclass(frozen=True, slots=True)
class Inputs:
    """Texts, and their contexts where rows are pairs."""

    texts: Sequence[str]
    contexts: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: Sequence[int] | Ints) -> Inputs:
        """Some rows, in the given order."""
        contexts = None if self.contexts is None else [self.contexts[i] for i in rows]
        return Inputs([self.texts[i] for i in rows], contexts)

    def text_only(self) -> Inputs:
        """The same rows without their contexts."""
        return Inputs(self.texts)


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


@dataclass(frozen=True, slots=True)
class Epoch:
    """What is known after one pass over the training rows.

    gold: the probability each training row gave its own label during this pass (cartography), NaN where it was not seen.
    """

    number: int
    of: int
    loss: float
    validation_loss: float
    validation_accuracy: float
    gold: Floats


Watch = Callable[[Epoch], None]


class Classifier(Protocol):
    """Something that learns labels from texts or pairs."""

    name: ClassVar[str]
    labels_: tuple[str, ...]

    def fit(
        self,
        data: Labelled,
        *,
        objective: Objective | None = None,
        validation: Labelled | None = None,
        watch: Watch | None = None,
    ) -> Self:
        """Learn. objective: of the rows of `data`, cross-entropy where not given. validation: to stop on; a part of `data` where not given."""
        ...

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): what softmax makes probabilities of."""
        ...

    def predict_proba(self, inputs: Inputs) -> Floats:
        """(n, labels): the probability of each label."""
        ...

    def predict(self, inputs: Inputs) -> list[str]:
        """The most likely label of each row."""
        ...

    def save(self, folder: Path) -> None:
        """Write everything `load` needs: safetensors and JSON."""
        ...

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The classifier that was saved there."""
        ...


class FromLogits(ABC):
    """Probabilities and labels from logits: the half of a classifier that all of them share."""

    labels_: tuple[str, ...]

    @abstractmethod
    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): what softmax makes probabilities of."""

    def predict_proba(self, inputs: Inputs) -> Floats:
        """(n, labels): the probability of each label."""
        return softmax(self.logits(inputs))

    def predict(self, inputs: Inputs) -> list[str]:
        """The most likely label of each row."""
        return [self.labels_[i] for i in self.logits(inputs).argmax(axis=1)]


def softmax(logits: NDArray[Any]) -> Floats:
    """Rows that sum to one."""
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True), np.float64)


def label_names(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels a classifier of these rows has, in order; an error where there is nothing to tell apart."""
    names = tuple(sorted(set(labels)))
    if len(names) < 2:
        had = f"only {names[0]!r}" if names else "no row at all"
        raise SettingError(
            f"A classifier needs rows of at least two labels to learn from, got {had}. "
            "Check the label column, or take more rows."
        )
    return names


def targets_of(labels: Sequence[str], names: Sequence[str]) -> Ints:
    """The number of each row's label; an error for a label that is not among the names."""
    number = {name: i for i, name in enumerate(names)}
    if unknown := sorted(set(labels) - set(names)):
        raise SettingError(
            f"The label {unknown[0]!r} was not among those the classifier learned: {', '.join(map(repr, names))}. "
            "Use data with the same labels."
        )
    return np.array([number[label] for label in labels], np.int64)


def write_about(folder: Path, about: dict[str, Any]) -> None:
    """Keep what a saved classifier is, beside its weights; written last."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ABOUT_FILE).write_text(json.dumps(about, indent=1, ensure_ascii=False), encoding="utf-8")


def read_about(folder: Path) -> dict[str, Any]:
    """What a saved classifier is; an error with the next step where there is none."""
    path = folder / ABOUT_FILE
    if not path.is_file():
        raise SettingError(
            f"There is no saved classifier in {folder}: {ABOUT_FILE} is missing. Save one there first."
        )
    return dict(json.loads(path.read_text(encoding="utf-8")))
