"""Surface statistics: how much does one feature of a text give its label away?

A feature is anything we can answer yes or no about one text: "contains *not*", "longer than 20 words",
"parsed with rule 17". The functions here take counts, not texts, so the same code scores words, n-grams,
lengths and grammar rules, a million at a time.

    counts[f, y]: texts that have feature f and carry label y
    totals[y]:    texts that carry label y

Higher means a stronger shortcut in all of them but p and q, where lower does. Mutual information uses the
add-one estimate of "Finding Dataset Shortcuts with Grammar Induction" (Friedman et al. 2022, section 2.3);
z is the one-proportion z-test as used by Gardner et al. 2021; LMI is p(f, y) * PMI(f, y) (Schuster et al. 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, chdtrc, xlogy

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

ENOUGH_EXPECTED = 100  # texts in every cell from which the G-test is within a factor of two in the tails

NOTICEABLE = 1.1  # a gain that grew by less than a tenth is no news


def is_stronger(before: float, after: float) -> bool:
    """Whether a feature tells noticeably more than it did; before, after: what it tells, in any unit."""
    return after > NOTICEABLE * before


@dataclass(frozen=True, slots=True)
class Scores:
    """One entry for each feature; see the functions of this module for what each is."""

    label: Counts
    majority: Counts
    count: Counts
    label_share: Floats
    share_low: Floats
    base_rate: Floats
    points: Floats
    gain: Floats
    mutual_information: Floats
    z: Floats
    pmi: Floats
    lmi: Floats
    p: Floats


def score_counts(
    counts: Counts, totals: Counts, effect: Floats | None = None, *, label: Counts | None = None
) -> Scores:
    """All scores of each feature, for the given label; by default, for the one that it predicts best (largest z).

    effect: for each feature, how many texts count as one observation (the design effect, see `detect.clusters`); counts and shares stay
    those of the texts, everything that depends on their number uses count / effect.

    >>> s = score_counts(np.array([[9, 1]]), np.array([50, 50]))
    >>> s.label.item(), round(s.label_share.item(), 2), round(s.z.item(), 2)
    (0, 0.9, 2.53)
    """
    effect = np.ones(len(counts)) if effect is None else effect
    z_all = z_scores(counts, totals) / np.sqrt(effect)[:, None]
    label = z_all.argmax(axis=1) if label is None else label
    row = np.arange(len(counts))
    observed, of = counts / effect[:, None], totals / effect[:, None]
    count = counts.sum(axis=1)
    base = totals / totals.sum()
    hits = counts[row, label]
    share = hits / np.maximum(count, 1)
    pmi = np.log(np.maximum(share, 1e-300) / base[label])
    return Scores(
        label=label,
        majority=counts.argmax(axis=1),
        count=count,
        label_share=share,
        share_low=wilson_low(share, count / effect),
        base_rate=base[label],
        points=points_of(hits, count, totals[label], totals.sum()),
        gain=mutual_information(_against_rest(observed, label), _against_rest(of, label)),
        mutual_information=mutual_information(observed, of),
        z=z_all[row, label],
        pmi=pmi,
        lmi=hits / totals.sum() * pmi,
        p=p_values(counts, totals, effect),
    )


def points_of(
    hits: Counts | float, count: Counts | float, own: Counts | float, total: Counts | float
) -> Floats:
    """How much more often than by chance a label is right for exactly the rows with a pattern (`records.Finding.points`).

    hits, count: rows with the pattern that have the label, and all with the pattern. own, total: rows with the label, and all rows.

    >>> round(float(points_of(9, 10, 50, 100)), 3)
    0.08
    """
    return np.asarray(0.5 * (hits / np.maximum(own, 1) - (count - hits) / np.maximum(total - own, 1)))


def within_groups(
    both: Counts, with_it: Counts, with_label: Counts, size: Counts, *, effect: float = 1.0
) -> tuple[float, float]:
    """Points of a feature within groups of texts (the mean, groups with many texts of both kinds first), and p of the Mantel-Haenszel test.

    both, with_it, with_label, size: by group, texts with feature and label, with the feature, with the label, and all. effect: texts per
    observation. A feature that is only the mark of a group has no points within groups.

    >>> within_groups(*map(np.array, ([45, 0], [50, 0], [45, 5], [50, 50])))
    (0.0, 1.0)
    """
    n = np.maximum(size, 1).astype(np.float64)
    expected = with_it * with_label / n
    variance = with_it * (size - with_it) * with_label * (size - with_label) / (n * n * np.maximum(n - 1, 1))
    excess, spread = float((both - expected).sum()), float(variance.sum()) * effect
    without_label = size - with_label
    weight = with_label * without_label / n
    difference = both / np.maximum(with_label, 1) - (with_it - both) / np.maximum(without_label, 1)
    points = float((weight * difference).sum() / max(weight.sum(), 1e-12)) / 2
    statistic = max(0.0, abs(excess) - 0.5) ** 2 / spread if spread > 0 else 0.0
    return points, float(chdtrc(1, statistic))


def mutual_information(counts: Counts | Floats, totals: Counts | Floats) -> Floats:
    """I(feature; label) in nats, every cell of the table counted once more than seen.

    This is what a model gains on average, in log loss, by knowing the feature and nothing else.

    >>> mutual_information(np.array([[50, 0]]), np.array([50, 50])).round(2).tolist()
    [0.6]
    """
    present, absent = counts + 1.0, totals - counts + 1.0  # totals: one row for all, or one for each feature
    n = present.sum(axis=1) + absent.sum(axis=1)
    p_label = (present + absent) / n[:, None]
    information = np.zeros(len(counts))
    for cell in (present, absent):
        p_cell = cell / n[:, None]
        information += (p_cell * np.log(p_cell / (p_label * p_cell.sum(axis=1, keepdims=True)))).sum(axis=1)
    return information


def _against_rest(table: Floats, label: Counts) -> Floats:
    """For each feature, the texts of its label and of all other labels."""
    own = table[np.arange(len(label)), label]
    return np.stack([own, table.sum(axis=1) - own], axis=1)


def z_scores(counts: Counts, totals: Counts) -> Floats:
    """How far each label's share among texts with the feature is from its overall share, in standard errors."""
    n = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    base = totals / totals.sum()
    return (counts / n - base) / np.sqrt(np.maximum(base * (1 - base), 1e-300) / n)


def p_values(counts: Counts, totals: Counts, effect: Floats | None = None) -> Floats:
    """Test of independence between feature and label: the G-test, or the exact tail where counts are small.

    effect: the design effect of each feature. G is divided by it (Rao and Scott 1984), and so are the counts of the exact tail.

    The G-test's chi-squared approximation is too generous far out in the tail when few texts are
    expected in a cell (12 of 12 gives 0.00005 where the truth is 0.0005), and thousands of rare words would turn that into
    false findings. There we take the binomial tail instead, at its least favourable label, corrected for
    trying all labels and both sides. It errs on the safe side.
    """
    effect = np.ones(len(counts)) if effect is None else effect
    each = np.concatenate([counts, effect[:, None]], axis=1)
    tables, which = np.unique(each, axis=0, return_inverse=True)  # rare features share few tables
    tables, effect = tables[:, :-1], tables[:, -1]
    g = 2 * _g_statistic(tables, totals) / effect
    p = chdtrc(max(1, np.count_nonzero(totals) - 1), np.maximum(g, 0))
    small = _smallest_expected(tables, totals) / effect < ENOUGH_EXPECTED
    p[small] = _binomial_p(tables[small], totals, effect[small])
    return np.asarray(p[which.ravel()], dtype=np.float64)


def _g_statistic(counts: Floats, totals: Counts) -> Floats:
    """Half of G: sum over the 2 x labels table of observed * log(observed / expected)."""
    n, total = counts.sum(axis=1, keepdims=True), totals.sum()
    result = np.zeros(len(counts))
    for observed, size in ((counts, n), (totals - counts, total - n)):
        expected = size * (totals / total)
        result += (xlogy(observed, observed) - xlogy(observed, np.maximum(expected, 1e-300))).sum(axis=1)
    return result


def _smallest_expected(counts: Floats, totals: Counts) -> Floats:
    n, total = counts.sum(axis=1), totals.sum()
    return np.minimum(n, total - n) * (totals[totals > 0].min(initial=total) / total)


def _binomial_p(counts: Floats, totals: Counts, effect: Floats) -> Floats:
    """Two-sided binomial tail of the most surprising label, Bonferroni over labels.

    The tails are written as incomplete beta functions, which are the same for whole numbers and also defined between them.
    """
    n, total = counts.sum(axis=1), totals.sum()
    use_absent = n > total - n  # the rarer answer is the one that is nearly binomial
    counts = np.where(use_absent[:, None], totals - counts, counts) / effect[:, None]
    size = counts.sum(axis=1, keepdims=True)
    base = np.broadcast_to(totals / total, counts.shape)
    others = size - counts
    with np.errstate(invalid="ignore"):  # where nothing is left, the tail is everything
        upper = np.where(counts > 0, betainc(counts, others + 1, base), 1.0)
        lower = np.where(others > 0, betainc(others, counts + 1, 1 - base), 1.0)
    n_labels = np.count_nonzero(totals)
    tries = 1 if n_labels <= 2 else n_labels  # with two labels the second says nothing new
    return np.minimum(1.0, 2 * tries * np.minimum(upper, lower).min(axis=1, initial=1.0))


def q_values(p: Floats) -> Floats:
    """Benjamini-Hochberg: the smallest false discovery rate at which each test would be called.

    >>> q_values(np.array([0.01, 0.04, 0.03, 0.5])).round(3).tolist()
    [0.04, 0.053, 0.053, 0.5]
    """
    order = np.argsort(p)
    ranked = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty_like(ranked)
    q[order] = np.minimum.accumulate(ranked[::-1])[::-1]
    return np.minimum(q, 1.0)


def holm(p: Floats) -> Floats:
    """p-values corrected by Holm (1979): none of them is wrong with the given probability, however many there are.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    found = np.empty_like(p)
    found[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(found, 1.0)


def wilson_interval(share: float, n: float) -> tuple[float, float]:
    """The 95% interval of a share seen in n trials (Wilson 1927): never leaves 0 to 1.

    >>> [round(x, 3) for x in wilson_interval(0.5, 100)]
    [0.404, 0.596]
    """
    if n <= 0:
        return 0.0, 1.0
    low = float(wilson_low(np.array([share]), np.array([n]))[0])
    return low, 1 - float(
        wilson_low(np.array([1 - share]), np.array([n]))[0]
    )  # the same seen from the other side


def difference_interval(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> tuple[float, float]:
    """The 95% interval of a share less another one (Newcombe 1998, method 10). Each is the share and the ends of its own interval.

    The shares are taken as independent; if both rise and fall with the same rows, the interval is too wide, not too narrow.
    """
    (share, low, high), (other, other_low, other_high) = first, second
    difference = share - other
    below, above = hypot(share - low, other_high - other), hypot(high - share, other - other_low)
    return difference - below, difference + above


Z = 1.96  # of a 95% interval


def wilson_low(share: Floats, n: Floats | Counts) -> Floats:
    """The low end of the 95% interval, for many shares at once."""
    n = np.maximum(n, 1e-9)
    half = Z * np.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    low = (share + Z * Z / (2 * n) - half) / (1 + Z * Z / n)
    return np.clip(low, 0.0, share)  # rounding may leave 1e-18 for a share of 0
