"""The fairscore (Qian et al. 2022, Eq. 1): the percentage of predictions that change when a person's group is changed.

    predictions before and after, and what was changed in each row  ->  fairscore()  ->  overall, per axis, per (source, target)
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
from numpy.typing import NDArray

from longway.errors import SettingError
from longway.metrics.fairness.figure import Figure, percentage
from longway.metrics.paired import Paired, paired

Changed = tuple[str, str, str]  # axis, source attribute, target attribute


@dataclass(frozen=True, slots=True)
class Share:
    """Some rows in which something was changed: how many they are, and how many predictions differ."""

    rows: int
    differ: int
    score: Figure

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
    told = [
        (one, old != new) for old, new, one in zip(before, after, changed, strict=True) if one is not None
    ]
    if not told:
        raise SettingError(
            f"Nothing was changed in any of {len(changed)} rows, so there is no fairscore. "
            "Rows that mention a person of some group were expected. Give a larger evaluation set."
        )
    axes = sorted({one[0] for one, _ in told})
    pairs = sorted({one for one, _ in told})
    return Fairscore(
        _share([differs for _, differs in told]),
        {axis: _share([differs for one, differs in told if one[0] == axis]) for axis in axes},
        {pair: _share([differs for one, differs in told if one == pair]) for pair in pairs},
        len(changed),
        percentage(len(told), len(changed)),
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


def _share(differs: Sequence[bool]) -> Share:
    return Share(len(differs), sum(differs), percentage(sum(differs), len(differs)))
