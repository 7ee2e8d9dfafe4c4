"""What single words tell about the label, before and after rows were added: the number that CoBA exists to lower."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.stats import mutual_information
from longway.text.tokens import tokenize_column

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Told:
    """A word before and after. rows: that have it. mi: nats it tells about the label. label: the one it leaned to before."""

    word: str
    label: str
    rows_before: int
    rows_after: int
    mi_before: float
    mi_after: float

    def to_dict(self) -> dict[str, Any]:
        """The word as plain JSON values."""
        return asdict(self)


def compare_told(
    words: Sequence[str],
    before: tuple[Sequence[str], Sequence[str]],
    after: tuple[Sequence[str], Sequence[str]],
) -> list[Told]:
    """Each word in two versions of a dataset (texts and labels), those that told most first.

    >>> before = ["nancy is good", "dull"], ["pos", "neg"]
    >>> after = ["nancy is good", "dull", "nancy is bad"], ["pos", "neg", "neg"]
    >>> found = compare_told(["nancy"], before, after)[0]
    >>> found.label, found.mi_before > found.mi_after
    ('pos', True)
    """
    names = sorted({*before[1], *after[1]})
    old, old_totals = _counts(words, *before, names)
    new, new_totals = _counts(words, *after, names)
    mi_old, mi_new = mutual_information(old, old_totals), mutual_information(new, new_totals)
    leaning = (old / np.maximum(old_totals, 1)).argmax(axis=1)
    found = [
        Told(
            word,
            names[leaning[i]],
            int(old[i].sum()),
            int(new[i].sum()),
            float(mi_old[i]),
            float(mi_new[i]),
        )
        for i, word in enumerate(words)
    ]
    return sorted(found, key=lambda one: (-one.mi_before, one.word))


def _counts(
    words: Sequence[str], texts: Sequence[str], labels: Sequence[str], names: Sequence[str]
) -> tuple[Ints, Ints]:
    """(words, labels): rows of each label that have the word; and (labels,): rows of each label."""
    place, column = ({name: i for i, name in enumerate(listed)} for listed in (words, names))
    counts, totals = np.zeros((len(words), len(names)), np.int64), np.zeros(len(names), np.int64)
    tokens = tokenize_column(pl.Series(texts, dtype=pl.String)).list.unique()
    for found, label in zip(tokens.to_list(), labels, strict=True):
        totals[column[label]] += 1
        for word in found:
            if word in place:
                counts[place[word], column[label]] += 1
    return counts, totals
