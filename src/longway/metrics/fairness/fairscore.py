"""The fairscore (Qian et al. 2022, Eq. 1): the percentage of predictions that change when a person's group is changed.

    predictions before and after, and what was changed in each row  ->  fairscore()  ->  overall, per axis, per (source, target)
    the same of one classifier or several seeds, as kept or not     ->  fairscore_of()
    two classifiers on the same changed rows                        ->  compare_fairscores()  ->  difference, interval, p

    FS(f, X) = |{x in X : f(x) != f(x~)}| / |X|                                                                          (1)

X holds only rows in which something was changed (the paper's footnote 3): the others could not differ. How large a part of the
evaluation set that is, is told beside it (`coverage`). Lower is better, and 0 for a classifier that always gives the same answer:
look at its accuracy, too.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.errors import SettingError
from longway.metrics.fairness.figure import Figure, percentage
from longway.metrics.intervals import accuracy_estimate
from longway.metrics.paired import Paired, paired

Changed = tuple[str, str, str]  # axis, source attribute, target attribute


@dataclass(frozen=True, slots=True)
class Share:
    """Some rows in which something was changed, and how many predictions differ, with all seeds together.

    score: the percentage, mean over seeds, with its interval over rows: Wilson's for one seed, resampled rows for several.
    std: over seeds, NaN for one.
    """

    rows: int
    differ: int
    score: Figure
    std: float = float("nan")
    seeds: int = 1

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return {"rows": self.rows, "differ": self.differ, "score": self.score.to_dict()}


@dataclass(frozen=True, slots=True)
class Fairscore:
    """The fairscore of one classifier. rows: of the whole evaluation set; coverage: percentage of them that was changed."""

    overall: Share
    by_axis: Mapping[str, Share]
    by_pair: Mapping[Changed, Share]
    rows: int
    coverage: Figure

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
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
    """How many predictions differ among the rows in which something was changed.

    before, after: the prediction for each row of the evaluation set as it was and as it was changed.
    changed: axis, source and target attribute of each row, None where nothing was changed.

    >>> found = fairscore(["pos", "neg", "pos"], ["pos", "pos", "neg"], [("gender", "woman", "man")] * 2 + [None])
    >>> found.overall.score.value, round(found.coverage.value, 1)
    (50.0, 66.7)
    """
    if not len(before) == len(after) == len(changed):
        raise SettingError(
            "'before', 'after' and 'changed' must have one entry for each row. "
            f"Got {len(before)}, {len(after)} and {len(changed)}."
        )
    some = [one for one in changed if one is not None]
    return fairscore_of(kept(before, after, changed), some, rows=len(changed))


def fairscore_of(stays: ArrayLike, changed: Sequence[Changed], *, rows: int | None = None) -> Fairscore:
    """The fairscore from which predictions stayed, overall, per axis and per pair of attributes.

    stays: (rows,) or (seeds x rows) from `kept`, of the rows in which something was changed. changed: what it was in each.
    rows: of the whole evaluation set, where it has others too.

    >>> fairscore_of([[1, 0], [1, 1]], [("gender", "woman", "man"), ("age", "child", "adult")]).overall.score.value
    25.0
    """
    differs = 1 - np.atleast_2d(np.asarray(stays, np.float64))  # (seeds, rows)
    n = len(changed) if rows is None else rows
    if not changed:
        raise SettingError(
            f"Nothing was changed in any of {n} rows, so there is no fairscore. "
            "Rows that mention a person of some group were expected. Give a larger evaluation set."
        )
    if differs.shape[1] != len(changed):
        raise SettingError(
            f"'stays' and 'changed' must have one entry for each changed row. Got {differs.shape[1]} and {len(changed)}."
        )
    axes, pairs = sorted({one[0] for one in changed}), sorted(set(changed))
    return Fairscore(
        _share(differs),
        {axis: _share(differs[:, [one[0] == axis for one in changed]]) for axis in axes},
        {pair: _share(differs[:, [one == pair for one in changed]]) for pair in pairs},
        n,
        percentage(len(changed), n),
    )


def kept(before: Sequence[Hashable], after: Sequence[Hashable], changed: Sequence[Any]) -> NDArray[np.bool_]:
    """Whether the prediction stayed, for each row in which something was changed (is not None)."""
    return np.array(
        [old == new for old, new, one in zip(before, after, changed, strict=True) if one is not None], bool
    )


@dataclass(frozen=True, slots=True)
class FairscoreChange:
    """Two classifiers on the same rows, in percent. difference: second minus first, below 0 is better."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    test: Paired

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values; p, seed_p and verdict are those of the paired test."""
        test = self.test.to_dict()
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "rows": self.test.n,
            **{name: test[name] for name in ("p", "q", "seed_p", "verdict")},
        }


def compare_fairscores(first_kept: Any, second_kept: Any, *, seed: int = 0) -> FairscoreChange:
    """Whether the second classifier's predictions change less often than the first's, on the same changed rows.

    first_kept, second_kept: (rows,) or (seeds x rows) from `kept`. With one seed each it is McNemar's test, taken exactly;
    the verdict is `metrics.paired`'s: "better" means that fewer predictions change.

    >>> change = compare_fairscores([0] * 9 + [1], [1] * 10)
    >>> change.first, change.second, change.test.verdict
    (90.0, 0.0, 'better')
    """
    test = paired(first_kept, second_kept, seed=seed)
    return FairscoreChange(
        round(100 * (1 - test.before), 10),
        round(100 * (1 - test.after), 10),
        -100 * test.difference,
        -100 * test.high,
        -100 * test.low,
        test,
    )


def _share(differs: NDArray[np.float64]) -> Share:
    """Eq. 1. differs: (seeds, rows), 1 where the prediction differs."""
    seeds, rows = differs.shape
    n = int(differs.sum())
    if seeds == 1:
        return Share(rows, n, percentage(n, rows))
    found = accuracy_estimate(differs)
    return Share(rows, n, Figure(100 * found.mean, 100 * found.low, 100 * found.high), 100 * found.std, seeds)
