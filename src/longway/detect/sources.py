"""Sources as shortcuts: does the group of a row (its source, annotator, generator, template or date) give the label away?

    sources(reading, groups, names, found)  ->  Sources

Three questions: how well the group alone predicts the label; whether a finding holds within groups or is only their fingerprint, a pattern
that stands for the group (the Mantel-Haenszel test over one table per group); and how much accuracy a model loses on a group it was not
trained on, compared with rows drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from longway.arrays import Ints
from longway.detect.findings import Chosen, Search, presence
from longway.detect.leak import cross_validated, linked_rows, rows_measured, word_features
from longway.detect.reading import TEXT, Reading
from longway.models.folds import folds_of
from longway.records import Pattern
from longway.stats import wilson_interval, within_groups

MAX_FOLDS = 20  # larger groups are left out one by one, the others in this many parts at most
MAX_P = 0.05


@dataclass(frozen=True, slots=True)
class FindingBySource:
    """A finding across groups and within them. points, within: what it is worth on average, as `Finding.points`; p: of the test within groups."""

    pattern: Pattern
    label: str
    points: float
    within: float
    p: float

    @property
    def is_fingerprint(self) -> bool:
        """Whether it is not seen within groups."""
        return self.p > MAX_P or self.within <= 0


@dataclass(frozen=True, slots=True)
class Sources:
    """What a column of groups says about the labels.

    groups: how many there are. accuracy, low, high: of predicting each row's label from the other rows of its group; majority: chance.
    at_random, left_out: accuracy of a bag of words on rows drawn at random, and on groups it was not trained on; drop_low, drop_high: the 95%
    interval of the difference; None if there is only one group. findings: the leaders, strongest first.
    """

    column: str
    groups: int
    accuracy: float
    low: float
    high: float
    majority: float
    at_random: float | None = None
    left_out: float | None = None
    drop_low: float | None = None
    drop_high: float | None = None
    findings: tuple[FindingBySource, ...] = ()


def sources(reading: Reading, groups: Ints, column: str, found: Search, *, seed: int = 0) -> Sources:
    """Compare the groups of the rows with their labels. groups: a number from 0 for each row."""
    n_groups, n = int(groups.max(initial=-1)) + 1, reading.n_texts
    table = np.bincount(groups * reading.n_labels + reading.labels, minlength=n_groups * reading.n_labels)
    right = right_by_group(table.reshape(n_groups, reading.n_labels))
    low, high = wilson_interval(right / max(n, 1), n)
    leaders = [one for place, one in enumerate(found.chosen) if one.leader == place]
    alone = Sources(
        column=column,
        groups=n_groups,
        accuracy=right / max(n, 1),
        low=low,
        high=high,
        majority=float(reading.totals.max(initial=0) / max(n, 1)),
        findings=tuple(_by_source(leaders, reading, groups, n_groups)),
    )
    return alone if n_groups < 2 else _with_drop(alone, reading, groups, seed)


def right_by_group(counts: Ints) -> int:
    """Rows whose label is the most frequent one of the other rows of their group; ties, and rows that are alone, go to the most frequent label of all.

    counts: groups x labels.

    >>> right_by_group(np.array([[3, 0], [0, 3], [1, 0]]))
    7
    """
    preferred = np.argsort(np.argsort(-counts.sum(axis=0), kind="stable"))  # 0 for the most frequent label
    right = 0
    for label in range(counts.shape[1]):
        others = counts.astype(np.float64)
        others[:, label] -= 1
        guess = (others - preferred / (len(preferred) + 1)).argmax(axis=1)
        right += int(counts[guess == label, label].sum())
    return right


def _by_source(
    leaders: Sequence[Chosen], reading: Reading, groups: Ints, n_groups: int
) -> list[FindingBySource]:
    if not leaders:
        return []
    has = presence(leaders, reading).toarray().astype(bool)
    size = np.bincount(groups, minlength=n_groups)
    result = []
    for number, one in enumerate(leaders):
        own = reading.labels == reading.label_names.index(one.finding.label)
        with_it, with_label = (
            np.bincount(groups[rows], minlength=n_groups) for rows in (has[:, number], own)
        )
        both = np.bincount(groups[has[:, number] & own], minlength=n_groups)
        within, p = within_groups(both, with_it, with_label, size, effect=one.finding.effect)
        result.append(FindingBySource(one.finding.pattern, one.finding.label, one.finding.points, within, p))
    return result


def _with_drop(alone: Sources, reading: Reading, groups: Ints, seed: int) -> Sources:
    rows = rows_measured(reading.n_texts, reading.corpora[TEXT].n_tokens, seed=seed)
    labels, of = reading.labels[rows], groups[rows]
    features = word_features([reading], (TEXT,), [rows])
    order = np.argsort(-np.bincount(of, minlength=alone.groups), kind="stable")
    place = np.argsort(order)  # 0 for the largest group
    fold = place[of] % MAX_FOLDS
    n_folds = int(fold.max(initial=0)) + 1
    linked = linked_rows(reading, rows, (TEXT,))
    drawn = folds_of(linked, n_folds, seed=seed)
    left_out, at_random = (cross_validated(features, labels, [which], seed) for which in (fold, drawn))
    by_cluster = np.bincount(linked, weights=at_random - left_out)
    drop = float((at_random - left_out).mean())
    n = len(rows)
    error = float(np.sqrt(np.square(by_cluster - drop * np.bincount(linked)).sum()) / n)
    return replace(
        alone,
        at_random=float(at_random.mean()),
        left_out=float(left_out.mean()),
        drop_low=drop - 1.96 * error,
        drop_high=drop + 1.96 * error,
    )
