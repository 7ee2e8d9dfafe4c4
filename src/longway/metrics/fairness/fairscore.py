"""The fairscore (Qian et al. 2022, Eq. 1): the percentage of predictions that change when a person's group is changed.

    predictions before and after, and what was changed in each row  ->  kept()  ->  which predictions stayed the same
    these, for one or more seeds                                    ->  fairscore_of()  ->  overall, per axis, per (source, target)
    these, and the words that were exchanged in each row            ->  by_word()  ->  per word and what it became
    these, for two classifiers on the same changed rows             ->  compare_fairscores()  ->  difference, interval, p

    FS(f, X) = |{x in X : f(x) != f(x~)}| / |X|                                                                          (1)

X holds only rows in which something was changed (the paper's footnote 3): the others cannot differ. Lower is better, and 0 for a classifier that always gives the same answer: look at its accuracy, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.errors import SettingError
from longway.metrics.intervals import NAN, Measurement, accuracy_estimate, observations, percentage
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


@dataclass(frozen=True, slots=True)
class Fairscore:
    """The fairscore of one classifier: of all changed rows, by axis, and by axis, source and target attribute."""

    overall: ChangedShare
    by_axis: Mapping[str, ChangedShare]
    by_pair: Mapping[Changed, ChangedShare]


def fairscore_of(
    stays: ArrayLike, changed: Sequence[Changed], *, groups: Sequence[Hashable] | None = None
) -> Fairscore:
    """The fairscore from which predictions stayed the same, overall, per axis and per pair of attributes.

    stays: (rows,) or (seeds, rows) from `kept`, for the changed rows. changed: what was changed in each.
    groups: of rows that are not independent, such as several changes of one text; the intervals are wider then.

    >>> fairscore_of([[1, 0], [1, 1]], [("gender", "woman", "man"), ("age", "child", "adult")]).overall.score.value
    25.0
    """
    differs = 1 - np.atleast_2d(np.asarray(stays, np.float64))  # (seeds, rows)
    if not changed:
        raise SettingError(
            "Nothing was changed in any row, so there is no fairscore. "
            "Rows that mention a person of some group were expected. Use a larger evaluation set."
        )
    numbers = None if groups is None else np.unique(np.array(groups, object), return_inverse=True)[1]

    def share(is_in: Sequence[bool]) -> ChangedShare:
        rows = np.flatnonzero(is_in)
        return _changed_share(differs[:, rows], None if numbers is None else numbers[rows])

    axes, pairs = sorted({change[0] for change in changed}), sorted(set(changed))
    return Fairscore(
        share([True] * len(changed)),
        {axis: share([change[0] == axis for change in changed]) for axis in axes},
        {pair: share([change == pair for change in changed]) for pair in pairs},
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


def _changed_share(differs: NDArray[np.float64], groups: NDArray[np.int64] | None = None) -> ChangedShare:
    """Eq. 1. differs: (seeds, rows), 1 if the prediction differs. groups: of rows that are not independent, for one seed."""
    seeds, rows = differs.shape
    n = int(differs.sum())
    if seeds == 1:
        n_independent = rows if groups is None else observations(differs[0], [groups])
        return ChangedShare(rows, n, percentage(n * n_independent / rows, n_independent))
    mean = accuracy_estimate(differs)
    score = Measurement(100 * mean.mean, 100 * mean.low, 100 * mean.high)
    return ChangedShare(rows, n, score, 100 * mean.std, seeds)
