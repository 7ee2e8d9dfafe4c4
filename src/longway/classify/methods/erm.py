"""Plain training, which the others are measured against: the mean loss of all rows (empirical risk minimisation).

L = 1/n sum_i -log p(y_i | x_i)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from longway.classify.classifier import Classifier, Watch
from longway.classify.methods.training import Fresh, Tell, Training


@dataclass(frozen=True, slots=True)
class Erm:
    """Every row counts the same."""

    name: ClassVar[str] = "erm"
    needs: ClassVar[frozenset[str]] = frozenset()

    def fit(
        self,
        fresh: Fresh,
        data: Training,
        *,
        seed: int,
        watch: Watch | None = None,
        tell: Tell = lambda text: None,
    ) -> Classifier:
        """A classifier trained on the rows as they are."""
        return fresh(seed).fit(data.labelled, validation=data.validation, watch=watch)
