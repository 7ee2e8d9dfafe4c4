"""A dataset before and after: what it leaks, and what became of each pattern that gave a label away.

    compare(before, after)  ->  Comparison: leaks, patterns with their shares then and now, what got worse

Both are read with one vocabulary, and each pattern found in either is counted in both, so that "gone" is a number
and not the absence of a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.detect.findings import Chosen, recount, search
from longway.detect.leak import leak_by_folds, parts_of
from longway.detect.reading import Reading
from longway.records import Leak, Pattern
from longway.stats import is_stronger, mutual_information

Ints = NDArray[np.int64]
LISTED = 40  # patterns shown of those that were there, and of those that came


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one pattern. gain: in nats, see `records.Finding`; marked: why it was left alone."""

    pattern: Pattern
    label: str
    count_before: int
    share_before: float
    gain_before: float
    count_after: int
    share_after: float
    gain_after: float
    marked: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fate as plain JSON values."""
        return {**asdict(self), **self.pattern.to_dict()}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two datasets side by side; `leaks` by part of the input: before and after.

    fates, worse: the strongest of them. n_worse: all patterns that say more than before.
    """

    leaks: dict[str, tuple[Leak, Leak]]
    fates: list[Fate]
    worse: list[Fate]
    n_worse: int
    found_before: int
    found_after: int

    def to_dict(self) -> dict[str, Any]:
        """Leaks and patterns before and after, as rewrite.json and augment.json hold them."""
        text = self.leaks["text"]
        return {
            "leak": {"before": text[0].to_dict(), "after": text[1].to_dict()},
            "other_leaks": [
                {"name": " + ".join(old.columns), "before": old.to_dict(), "after": new.to_dict()}
                for part, (old, new) in self.leaks.items()
                if part != "text"
            ],
            "found": {"before": self.found_before, "after": self.found_after},
            "findings": [fate.to_dict() for fate in self.fates],
            "worse": [fate.to_dict() for fate in self.worse],
            "n_worse": self.n_worse,
        }


def compare(
    before: Dataset,
    after: Dataset,
    *,
    keep: Iterable[str] = (),
    max_q: float = 0.05,
    seed: int = 0,
    step: Callable[[str], object] = lambda name: None,
) -> Comparison:
    """What rewriting did to the leak and to each pattern; keep: patterns that were called real signal."""
    step("reading both")
    old = Reading.of(before)
    new = Reading.of(after, like=old)
    step("looking for shortcuts before and after")
    found_old, found_new = search(old, max_q=max_q), search(new, max_q=max_q)
    kept = {pattern.lower() for pattern in keep}
    leaders = _leaders(found_old.chosen)
    fates = _fates(leaders, old, new, kept)
    come = _fates(_leaders(found_new.chosen), old, new, kept)
    known = {fate.pattern for fate in fates}
    worse = [
        fate for fate in come if is_stronger(fate.gain_before, fate.gain_after) and fate.pattern not in known
    ] + [fate for fate in fates if is_stronger(fate.gain_before, fate.gain_after)]
    leaks = {}
    for part, roles in parts_of(old).items():
        step(f"measuring the leak from {' and '.join(old.columns[role] for role in roles)}")
        leaks[part] = leak_by_folds(old, part, seed=seed), leak_by_folds(new, part, seed=seed)
    return Comparison(
        leaks,
        fates[:LISTED],
        sorted(worse, key=lambda fate: fate.gain_before - fate.gain_after)[:LISTED],
        len(worse),
        sum(found_old.significant.values()),
        sum(found_new.significant.values()),
    )


def _leaders(chosen: list[Chosen]) -> list[Chosen]:
    """The strongest pattern of each group, strongest first."""
    return [one for place, one in enumerate(chosen) if one.leader == place]


def _fates(chosen: list[Chosen], old: Reading, new: Reading, kept: set[str]) -> list[Fate]:
    counts = recount(chosen, old), recount(chosen, new)
    return [
        Fate(
            one.finding.pattern,
            one.finding.label,
            *_figures(counts[0][i], old.totals, old.label_names.index(one.finding.label)),
            *_figures(counts[1][i], new.totals, new.label_names.index(one.finding.label)),
            marked="real signal, left alone" if one.finding.pattern.name.lower() in kept else "",
        )
        for i, one in enumerate(chosen)
    ]


def _figures(counts: Ints, totals: Ints, label: int) -> tuple[int, float, float]:
    """Texts with a pattern, the label's share among them, and what the pattern tells about the label."""
    n, own = int(counts.sum()), int(counts[label])
    against_rest = np.array([[own, n - own]])
    gain = mutual_information(against_rest, np.array([totals[label], totals.sum() - totals[label]]))[0]
    return n, own / n if n else 0.0, float(max(gain, 0.0))
