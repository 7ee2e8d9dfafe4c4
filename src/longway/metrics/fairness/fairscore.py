"""The fairscore (Qian et al. 2022, Eq. 1): the percentage of predictions that change when a person's group is changed.

    predictions before and after, and what was changed in each row  ->  fairscore()  ->  overall, per axis, per (source, target)
    the same from whether predictions stayed, for one or more seeds ->  fairscore_of()
    the same, and the words that were exchanged in each row         ->  by_word()  ->  per word and what it became
    two classifiers on the same changed rows                        ->  compare_fairscores()  ->  difference, interval, p

    FS(f, X) = |{x in X : f(x) != f(x~)}| / |X|                                                                          (1)

X holds only rows in which something was changed (the paper's footnote 3): the others cannot differ. `coverage` is their share
of the evaluation set. Lower is better, and 0 for a classifier that always gives the same answer: look at its accuracy, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.errors import SettingError
from longway.metrics import json_values
from longway.metrics.intervals import NAN, Measurement, accuracy_estimate, percentage
from longway.metrics.paired import Paired, paired

Changed = tuple[str, str, str]  # axis, source attribute, target attribute
WordChange = tuple[str, str]  # a word, and what it became; "" where a word was added or removed
FEWEST = 5  # rows of a group: the interval of a smaller one says almost nothing


@dataclass(frozen=True, slots=True)
class ChangedShare:
    """Changed rows, and how many of their predictions differ, over all seeds.

    score: the percentage, mean over seeds, with its interval over rows: Wilson's for one seed, resampled rows for several.
    std: over seeds, NaN for one.
    """

    rows: int
    differ: int
    score: Measurement
    std: float = NAN
    seeds: int = 1

    def to_dict(self) -> dict[str, object]:
        """Rows, differing predictions and score as JSON values."""
        return {"rows": self.rows, "differ": self.differ, "score": self.score.to_dict()}


@dataclass(frozen=True, slots=True)
class Fairscore:
    """The fairscore of one classifier. rows: of the whole evaluation set; coverage: percentage of them that was changed."""

    overall: ChangedShare
    by_axis: Mapping[str, ChangedShare]
    by_pair: Mapping[Changed, ChangedShare]
    rows: int
    coverage: Measurement

    def to_dict(self) -> dict[str, object]:
        """The fields as JSON values."""
        return {
            "overall": self.overall.to_dict(),
            "rows": self.rows,
            "coverage": self.coverage.to_dict(),
            "by_axis": {axis: share.to_dict() for axis, share in self.by_axis.items()},
            "by_pair": [
                {"axis": axis, "source": source, "target": target, **share.to_dict()}
                for (axis, source, target), share in self.by_pair.items()
            ],
        }


def fairscore(
    before: Sequence[Hashable], after: Sequence[Hashable], changed: Sequence[Changed | None]
) -> Fairscore:
    """How many predictions differ among the changed rows.

    before, after: the prediction for each row of the evaluation set, original and changed.
    changed: axis, source and target attribute of each row, None if nothing was changed.

    >>> score = fairscore(["pos", "neg", "pos"], ["pos", "pos", "neg"], [("gender", "woman", "man")] * 2 + [None])
    >>> score.overall.score.value, round(score.coverage.value, 1)
    (50.0, 66.7)
    """
    only_changed = [change for change in changed if change is not None]
    return fairscore_of(kept(before, after, changed), only_changed, rows=len(changed))


def fairscore_of(stays: ArrayLike, changed: Sequence[Changed], *, rows: int | None = None) -> Fairscore:
    """The fairscore from which predictions stayed the same, overall, per axis and per pair of attributes.

    stays: (rows,) or (seeds, rows) from `kept`, for the changed rows. changed: what was changed in each.
    rows: of the whole evaluation set, if it has others too.

    >>> fairscore_of([[1, 0], [1, 1]], [("gender", "woman", "man"), ("age", "child", "adult")]).overall.score.value
    25.0
    """
    differs = 1 - np.atleast_2d(np.asarray(stays, np.float64))  # (seeds, rows)
    n = len(changed) if rows is None else rows
    if not changed:
        raise SettingError(
            f"Nothing was changed in any of {n} rows, so there is no fairscore. "
            "Rows that mention a person of some group were expected. Use a larger evaluation set."
        )
    axes, pairs = sorted({change[0] for change in changed}), sorted(set(changed))
    return Fairscore(
        _changed_share(differs),
        {axis: _changed_share(differs[:, [change[0] == axis for change in changed]]) for axis in axes},
        {pair: _changed_share(differs[:, [change == pair for change in changed]]) for pair in pairs},
        n,
        percentage(len(changed), n),
    )


def by_word(
    stays: ArrayLike, words: Sequence[Collection[WordChange]], *, fewest: int = FEWEST
) -> dict[WordChange, ChangedShare]:
    """How many predictions differ among the rows in which a word became another one.

    stays: as in `fairscore_of`. words: the words that were changed in each row; a row counts for all of them. Changes in fewer than
    `fewest` rows are left out. The order is that of the lower ends of the intervals, highest first: one row of one is no finding.

    >>> words = [{("he", "she")}] * 3 + [{("he", "she"), ("his", "her")}] * 2
    >>> {word: (share.differ, share.rows) for word, share in by_word([0, 0, 1, 1, 1], words, fewest=2).items()}
    {('he', 'she'): (2, 5), ('his', 'her'): (0, 2)}
    """
    differs = 1 - np.atleast_2d(np.asarray(stays, np.float64))  # (seeds, rows)
    rows: dict[WordChange, list[int]] = defaultdict(list)
    for row, changes in enumerate(words):
        for change in sorted(changes):
            rows[change].append(row)
    shares = {word: _changed_share(differs[:, some]) for word, some in rows.items() if len(some) >= fewest}
    return dict(sorted(shares.items(), key=lambda item: (-item[1].score.low, -item[1].rows, item[0])))


def kept(
    before: Sequence[Hashable], after: Sequence[Hashable], changed: Sequence[object]
) -> NDArray[np.bool_]:
    """Whether the prediction stayed the same, for each row in which something was changed (is not None)."""
    rows = zip(before, after, changed, strict=True)
    return np.array([old == new for old, new, change in rows if change is not None], bool)


@dataclass(frozen=True, slots=True)
class FairscoreChange:
    """Two classifiers on the same rows, in percent. difference: second minus first, below 0 is better."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    test: Paired

    def to_dict(self) -> dict[str, object]:
        """The fields as JSON values; p, q, seed_p and verdict are those of the paired test."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "rows": self.test.n,
            "p": json_values(self.test.p),
            "q": json_values(self.test.q),
            "seed_p": json_values(self.test.seed_p),
            "verdict": self.test.verdict,
        }


def compare_fairscores(first_kept: ArrayLike, second_kept: ArrayLike) -> FairscoreChange:
    """Whether the second classifier's predictions change less often than the first's, on the same changed rows.

    first_kept, second_kept: (rows,) or (seeds, rows) from `kept`. With one seed each this is McNemar's exact test;
    the verdict is that of `metrics.paired`: "better" means that fewer predictions change.

    >>> change = compare_fairscores([0] * 9 + [1], [1] * 10)
    >>> change.first, change.second, change.test.verdict
    (90.0, 0.0, 'better')
    """
    test = paired(first_kept, second_kept, seed=0)
    return FairscoreChange(
        round(100 * (1 - test.before), 10),
        round(100 * (1 - test.after), 10),
        -100 * test.difference,
        -100 * test.high,
        -100 * test.low,
        test,
    )


def _changed_share(differs: NDArray[np.float64]) -> ChangedShare:
    """Eq. 1. differs: (seeds, rows), 1 if the prediction differs."""
    seeds, rows = differs.shape
    n = int(differs.sum())
    if seeds == 1:
        return ChangedShare(rows, n, percentage(n, rows))
    mean = accuracy_estimate(differs)
    score = Measurement(100 * mean.mean, 100 * mean.low, 100 * mean.high)
    return ChangedShare(rows, n, score, 100 * mean.std, seeds)
