"""Which rows show a pattern, and what that says about their labels, kept up to date while rows are changed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from longway.methods.repair.balance import Floats, gain

Bools = NDArray[np.bool_]


class ShownRows:
    """The rows that show a pattern. rows: whether each row does. labels: of all rows. texts: of rows when they were last read."""

    def __init__(self, rows: Bools, labels: NDArray[np.integer], n_labels: int) -> None:
        self.rows, self._labels = rows, labels
        self.texts: list[str | None] = [None] * len(rows)
        self._counts = np.bincount(labels[rows], minlength=n_labels).astype(np.float64)

    def __len__(self) -> int:
        return int(self._counts.sum())

    def numbers(self) -> list[int]:
        """The rows that show it."""
        return np.flatnonzero(self.rows).tolist()

    def set(self, row: int, shows: bool) -> None:
        """Say whether a row shows it now."""
        self._counts[self._labels[row]] += int(shows) - int(self.rows[row])
        self.rows[row] = shows

    def gain(self, totals: Floats, *, row: int | None = None, shows: bool = False) -> float:
        """What the pattern says about labels, G of `balance.py`. totals: rows of each label. row: one that shows it or not, whatever it does now."""
        counts = self._counts.copy()
        if row is not None:
            counts[self._labels[row]] += int(shows) - int(self.rows[row])
        return float(gain(counts[:, None], np.maximum(totals, counts))[0])
