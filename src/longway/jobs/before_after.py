"""A dataset before and after a change: what a bag of words predicts from it, and how strong each pattern was and is.

    compare(before, after)  ->  Comparison: leaks, patterns with their figures before and after, patterns that got stronger

Both datasets are read with one vocabulary, and each pattern that was found in either is counted in both. So a pattern that
disappeared has a count of 0; it is not just missing from a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.detect.clusters import Clusters
from longway.detect.detector import by_label
from longway.detect.findings import Chosen, presence, search
from longway.detect.leak import leak_by_folds, parts_of
from longway.detect.reading import Reading
from longway.json_values import FLAT, IF_ANY
from longway.methods.method import Rows
from longway.records import Leak, Pattern
from longway.stats import is_stronger, mutual_information, p_values, points_of, q_values

if TYPE_CHECKING:
    from longway.methods.repair.concepts import ConceptPatterns
    from longway.methods.repair.grammar import GrammarPatterns

Ints = NDArray[np.int64]
MAX_Q = 0.05  # of a pattern that predicts the label
LISTED = 40  # patterns listed of those found before, and of those that got stronger
LEFT_ALONE = "real signal, left alone"


@dataclass(frozen=True, slots=True)
class LeakChange:
    """A leak before and after. name: the part of the input, if it is not the text alone."""

    before: Leak
    after: Leak
    name: str = field(default="", metadata=IF_ANY)

    @property
    def columns(self) -> str:
        """The columns that the bag of words reads."""
        return self.name or " + ".join(self.after.columns) or self.after.part

    @property
    def is_clear(self) -> bool:
        """Whether the difference is larger than the intervals allow for chance."""
        return self.before.differs_from(self.after)


@dataclass(frozen=True, slots=True)
class PatternChange:
    """One pattern before and after. count: texts with it. share: of them with the label. gain: in nats, see `records.Finding`.

    points: see `records.Finding`; None in runs of earlier versions. marked: why the pattern was left alone.
    """

    pattern: Pattern = field(metadata=FLAT)
    label: str
    count_before: int
    share_before: float
    gain_before: float
    count_after: int
    share_after: float
    gain_after: float
    marked: str = ""
    points_before: float | None = None
    points_after: float | None = None

    @property
    def is_stronger(self) -> bool:
        """Whether it predicts the label noticeably better than before."""
        return is_stronger(self.gain_before, self.gain_after)


@dataclass(frozen=True, slots=True)
class Counts:
    """A count before and after."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions of a dataset. All fields are empty for data without labels.

    leak: from the text alone; other_leaks: from other parts of the input. found: patterns correlated with a label.
    findings, worse: the strongest patterns before, and those that got stronger, worst first. n_worse: all that got stronger.
    """

    leak: LeakChange | None = None
    other_leaks: tuple[LeakChange, ...] = ()
    found: Counts | None = None
    findings: tuple[PatternChange, ...] = ()
    worse: tuple[PatternChange, ...] = ()
    n_worse: int = 0

    @property
    def leaks(self) -> tuple[LeakChange, ...]:
        """All leaks, from the text alone first."""
        return (*([self.leak] if self.leak else []), *self.other_leaks)


def compare(
    before: Dataset,
    after: Dataset,
    *,
    keep: Iterable[str] = (),
    max_q: float = 0.05,
    seed: int = 0,
    step: Callable[[str], object] = lambda name: None,
) -> Comparison:
    """Compare the leak and the patterns of two versions of a dataset. keep: names of patterns that count as real signal."""
    step("reading both")
    old = Reading.of(before)
    new = Reading.of(after, like=old)
    step("looking for shortcuts before and after")
    related = {id(reading): Clusters.of(reading) for reading in (old, new)}
    found_old, found_new = (search(each, clusters=related[id(each)], max_q=max_q) for each in (old, new))
    kept = {pattern.lower() for pattern in keep}
    known = _changes(_leaders(found_old.chosen), old, new, kept)
    names = {change.pattern for change in known}
    others = [
        change
        for change in _changes(_leaders(found_new.chosen), old, new, kept)
        if change.pattern not in names
    ]
    worse = sorted(
        (change for change in [*others, *known] if change.is_stronger),
        key=lambda change: change.gain_before - change.gain_after,
    )
    leaks = {}
    for part, roles in parts_of(old).items():
        step(f"measuring the leak from {' and '.join(old.columns[role] for role in roles)}")
        was, now = (leak_by_folds(each, part, clusters=related[id(each)], seed=seed) for each in (old, new))
        leaks[part] = LeakChange(was, now)
    return Comparison(
        leak=leaks.pop("text"),
        other_leaks=tuple(LeakChange(leak.before, leak.after, leak.columns) for leak in leaks.values()),
        found=Counts(sum(found_old.significant.values()), sum(found_new.significant.values())),
        findings=tuple(known[:LISTED]),
        worse=tuple(worse[:LISTED]),
        n_worse=len(worse),
    )


def with_patterns(
    comparison: Comparison, patterns: GrammarPatterns | ConceptPatterns, before: Rows, after: Rows
) -> Comparison:
    """The comparison with concepts, or with patterns of a grammar, counted in the rows that are short enough to parse; other rows are no rows without the pattern.

    All rows are counted, by the design effect of each pattern in the audit, and only whether a pattern predicts the label is tested. So more concepts may be
    found than in the audit, which tests held-out rows for what concepts add to words; before and after are counted in the same way.
    """
    counts = [(*patterns.counts(rows), list(rows.label_names)) for rows in (before, after)]
    changes = []
    for i, target in enumerate(patterns.targets):
        was, now = (
            _figures(counted[i], totals, names.index(target.label), target.effect)
            for counted, totals, names in counts
        )
        changes.append(
            PatternChange(
                target.pattern, target.label, *was[:3], *now[:3], points_before=was[3], points_after=now[3]
            )
        )
    worse = [change for change in changes if change.is_stronger]
    effect = np.array([target.effect for target in patterns.targets], dtype=np.float64)
    n_before, n_after = (int((q_values(p_values(*each[:2], effect)) <= MAX_Q).sum()) for each in counts)
    found = comparison.found or Counts(0, 0)
    return replace(
        comparison,
        found=Counts(found.before + n_before, found.after + n_after),
        findings=tuple(sorted((*comparison.findings, *changes), key=lambda one: -one.gain_before)),
        worse=tuple(sorted((*comparison.worse, *worse), key=lambda one: one.gain_before - one.gain_after)),
        n_worse=comparison.n_worse + len(worse),
    )


def _leaders(chosen: Sequence[Chosen]) -> list[Chosen]:
    """The strongest pattern of each group, strongest first."""
    return [one for place, one in enumerate(chosen) if one.leader == place]


def _changes(chosen: list[Chosen], old: Reading, new: Reading, kept: set[str]) -> list[PatternChange]:
    counts = [by_label(presence(chosen, one), one.labels, one.n_labels) for one in (old, new)]
    changes = []
    for i, one in enumerate(chosen):
        finding = one.finding
        before, after = (
            _figures(counted[i], reading.totals, reading.label_names.index(finding.label), finding.effect)
            for counted, reading in zip(counts, (old, new), strict=True)
        )
        changes.append(
            PatternChange(
                finding.pattern,
                finding.label,
                *before[:3],
                *after[:3],
                marked=LEFT_ALONE if finding.pattern.name.lower() in kept else "",
                points_before=before[3],
                points_after=after[3],
            )
        )
    return changes


def _figures(counts: Ints, totals: Ints, label: int, effect: float) -> tuple[int, float, float, float]:
    """Rows with a pattern, the label's share among them, the gain of the pattern about the label, its points. effect: rows per observation."""
    n, own = int(counts.sum()), int(counts[label])
    of_labels = np.array([totals[label], totals.sum() - totals[label]])
    gain = mutual_information(np.array([[own, n - own]]) / effect, of_labels / effect)[0]
    points = float(points_of(own, n, totals[label], totals.sum()))
    return n, own / n if n else 0.0, float(max(gain, 0.0)), points
