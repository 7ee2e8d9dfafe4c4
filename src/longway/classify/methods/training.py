"""What a training method is: it has a classifier made, trains it in its own way, and hands it back.

    Training    rows to learn from, rows to stop on, and which rows have which of the shortcuts that were found
    Fresh       seed -> an untrained classifier
    Method      fit(fresh, data, seed=...) -> a trained classifier; tells where it does no more than plain training

A method knows no kind of classifier: it gives objectives (`classify/objectives.py`) or weights, or trains more than once.
A classifier that cannot take an objective says so with an error, which comes through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from scipy.sparse import csr_matrix

from longway.classify.classifier import Classifier, Ints, Labelled, Watch, label_names, targets_of
from longway.errors import SettingError

Fresh = Callable[[int], Classifier]
Tell = Callable[[str], object]
CONTEXT, SHORTCUTS = "context", "shortcuts"


@dataclass(frozen=True, slots=True)
class Training:
    """What there is to learn from.

    validation: rows to stop on; the classifier takes a part of `labelled` where not given.
    shortcuts: rows of `labelled` x found shortcuts, 1 where a row has one; None where nobody looked for any.
    keep: phrases, as words, that are real signal: an n-gram about one of them is no shortcut.
    """

    labelled: Labelled
    validation: Labelled | None = None
    shortcuts: csr_matrix | None = None
    keep: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        if self.shortcuts is not None and self.shortcuts.shape[0] != len(self.labelled):
            raise SettingError(
                f"'shortcuts' must have one row for each training row, {len(self.labelled)}. "
                f"Got {self.shortcuts.shape[0]}. Look the shortcuts up in the rows that are trained on."
            )

    @property
    def is_pairs(self) -> bool:
        """Whether rows have a context beside their text."""
        return self.labelled.inputs.contexts is not None

    @property
    def has_shortcuts(self) -> bool:
        """Whether at least one found shortcut is given."""
        return self.shortcuts is not None and self.shortcuts.shape[1] > 0

    def targets(self) -> Ints:
        """The number of each row's label, as a classifier of these rows counts them."""
        return targets_of(self.labelled.labels, label_names(self.labelled.labels))


class Method(Protocol):
    """A way to train a classifier. needs: what the data must have, of "context" and "shortcuts"."""

    name: ClassVar[str]
    needs: ClassVar[frozenset[str]]

    def fit(
        self,
        fresh: Fresh,
        data: Training,
        *,
        seed: int,
        watch: Watch | None = None,
        tell: Tell = lambda text: None,
    ) -> Classifier:
        """A trained classifier.

        watch: told of each pass of the last training, the one whose classifier is handed back.
        tell: told in a few words where the method does no more than plain training, or less than it is meant to.
        """
        ...


def require(method: Method | type[Method], data: Training) -> None:
    """An error that says what a method needs, where the data lack it."""
    if CONTEXT in method.needs and not data.is_pairs:
        raise SettingError(
            f"The method {method.name!r} needs pairs, a text and its context, and the rows are single texts. "
            "Name the context column, or take another method."
        )
    if SHORTCUTS in method.needs and not data.has_shortcuts:
        raise SettingError(
            f"The method {method.name!r} needs shortcuts that were found in the training rows, and got none. "
            "Audit the data first, or take a method that needs none, such as 'jtt'."
        )
