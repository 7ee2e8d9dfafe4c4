"""How well labels are predicted: accuracy, F1, AUROC, and calibration of probabilities.

    truth, probabilities (rows, labels), labels  ->  METRICS["macro_f1"].measure(...)  ->  one number

`labels` names the columns of `probabilities`; the predicted label is the most likely one, the first on ties. Higher is
better, except for the calibration error and the Brier score. A label without test rows is not an error: AUROC is then NaN, and
macro F1 counts the label only if it was predicted.

A bootstrap (`intervals.py`) computes a thousand resamples at once: F1 from confusion tables, the others from how often each
row was drawn. All metrics are tested against scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.errors import SettingError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Measure = Callable[[Sequence[str], Floats, Sequence[str]], float]
OfNumbers = Callable[[Ints, Floats, Floats], Floats]

BINS = 15  # as in Guo et al. 2017


# ---- metrics of label numbers and probabilities, for many resamples at once; weights: (resamples, rows) ----------------


def auroc_of(numbers: Ints, probabilities: Floats, weights: Floats) -> Floats:
    """How often a row of a label has a higher probability of it than another row, ties half (Mann and Whitney 1947).

    The mean over labels if there are more than two. NaN if a label has no test rows, or all test rows have the same label.
    """
    k = probabilities.shape[1]
    columns = range(k) if k > 2 else [k - 1]
    each = [_ranked_above(numbers == column, probabilities[:, column], weights) for column in columns]
    return np.asarray(np.mean(each, axis=0))


def brier_of(numbers: Ints, probabilities: Floats, weights: Floats) -> Floats:
    """Half the mean squared distance between probabilities and truth (Brier 1950): 0 to 1 for any number of labels."""
    correct = probabilities[np.arange(len(numbers)), numbers]
    distances = (probabilities**2).sum(axis=1) - 2 * correct + 1  # |p - e|^2 = |p|^2 - 2 p_y + 1
    return np.asarray(weights @ distances / weights.sum(axis=1) / 2)


def calibration_error_of(numbers: Ints, probabilities: Floats, weights: Floats) -> Floats:
    """The expected calibration error: sum over bins of n_b / n x |accuracy_b - confidence_b| (Guo et al. 2017)."""
    confidence = probabilities.max(axis=1)
    excess = (probabilities.argmax(axis=1) == numbers) - confidence
    bin_ = np.searchsorted(
        np.linspace(0, 1, BINS + 1)[1:-1], confidence, side="left"
    )  # includes its upper edge
    gaps = weights @ csr_matrix((excess, (np.arange(len(numbers)), bin_)))
    return np.asarray(np.abs(gaps).sum(axis=1) / weights.sum(axis=1))


def _ranked_above(is_label: NDArray[np.bool_], scores: Floats, weights: Floats) -> Floats:
    """The share of pairs of a row with the label and one without in which the former has the higher score; ties count half."""
    _, place = np.unique(scores, return_inverse=True)
    of_label, of_others = (
        weights[:, rows]
        @ csr_matrix((np.ones(len(rows)), (np.arange(len(rows)), place[rows])), (len(rows), place.max() + 1))
        for rows in (is_label.nonzero()[0], (~is_label).nonzero()[0])
    )
    below = of_others.cumsum(axis=1) - of_others / 2
    pairs = of_label.sum(axis=1) * of_others.sum(axis=1)
    return np.where(pairs > 0, (of_label * below).sum(axis=1) / np.maximum(pairs, 1), np.nan)


# ---- metrics of labels and probabilities -------------------------------------------------------------------------------


def accuracy(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> float:
    """The share of rows whose most likely label is correct.

    >>> accuracy(["no", "yes"], np.array([[0.9, 0.1], [0.6, 0.4]]), ["no", "yes"])
    0.5
    """
    numbers, probabilities = checked(truth, probabilities, labels)
    return float((probabilities.argmax(axis=1) == numbers).mean())


def macro_f1(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> float:
    """The mean F1 of the labels that occur in the truth or the predictions."""
    return float(macro_f1_of(_confusion(truth, probabilities, labels)))


def binary_f1(truth: Sequence[str], probabilities: Floats, labels: Sequence[str], *, positive: str) -> float:
    """F1 of one label: 2 x true positives / (rows with it + rows predicted as it); 0 if there are neither."""
    return float(f1_of(_confusion(truth, probabilities, labels))[list(labels).index(positive)])


@dataclass(frozen=True, slots=True)
class Metric:
    """A row of `METRICS`.

    words: its name in reports. measure: the metric of truth, probabilities and labels. of_numbers: the same for many resamples at once; None for
    those that `intervals.py` resamples by right answers or confusion tables. is_share: whether it is written as a percentage.
    """

    words: str
    measure: Measure
    of_numbers: OfNumbers | None = None
    is_share: bool = True


def _of_numbers(words: str, of_numbers: OfNumbers) -> Metric:
    def measure(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> float:
        numbers, probabilities = checked(truth, probabilities, labels)
        return float(of_numbers(numbers, probabilities, np.ones((1, len(numbers))))[0])

    return Metric(words, measure, of_numbers, is_share=False)


METRICS = {
    "accuracy": Metric("accuracy", accuracy),
    "macro_f1": Metric("macro F1", macro_f1),
    "auroc": _of_numbers("AUROC", auroc_of),
    "calibration_error": _of_numbers("calibration error", calibration_error_of),
    "brier": _of_numbers("Brier score", brier_of),
}


def metric_named(name: str) -> Measure:
    """A metric of METRICS, or "f1:LABEL" for the F1 of one label."""
    kind, _, positive = name.partition(":")
    if kind == "f1" and positive:
        return partial(binary_f1, positive=positive)
    return METRICS[name].measure


# ---- F1 of confusion tables: (..., labels, labels), truth by row, prediction by column ---------------------------------


def f1_of(confusion: Floats) -> Floats:
    """(..., labels): the F1 of each label in each table."""
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    total = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    return np.asarray(2 * hits / np.maximum(total, 1))


def macro_f1_of(confusion: Floats) -> Floats:
    """The mean F1 of the labels that occur in each table."""
    present = (confusion.sum(axis=-1) + confusion.sum(axis=-2)) > 0
    return np.asarray(f1_of(confusion).sum(axis=-1) / present.sum(axis=-1))


def confusion_cells(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> Ints:
    """Each row's cell of the confusion table: true x labels + predicted."""
    numbers, probabilities = checked(truth, probabilities, labels)
    return numbers * len(labels) + probabilities.argmax(axis=1)


def _confusion(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> Floats:
    k = len(labels)
    counts = np.bincount(confusion_cells(truth, probabilities, labels), minlength=k * k)
    return counts.reshape(k, k).astype(np.float64)


# ---- checks ------------------------------------------------------------------------------------------------------------


def checked(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> tuple[Ints, Floats]:
    """The number of each row's label, and the probabilities. Raises SettingError if they cannot be evaluated."""
    probabilities = np.asarray(probabilities, np.float64)
    if len(truth) == 0:
        raise SettingError("The test set has no rows. Use a test set with at least one row.")
    number = {label: i for i, label in enumerate(labels)}
    if unknown := sorted(set(truth) - number.keys()):
        raise SettingError(
            f"The test set has the label {unknown[0]!r}, but the model knows only {', '.join(map(repr, labels))}. "
            "Use a test set with the same labels."
        )
    sums = probabilities.sum(axis=1)
    is_wrong = ~(np.abs(sums - 1) < 1e-3) | (probabilities < 0).any(axis=1)  # NaN is never close to 1
    if is_wrong.any():
        row = int(is_wrong.argmax())
        raise SettingError(
            f"The probabilities of {int(is_wrong.sum())} test rows are invalid: each row must be from 0 to 1 and sum to 1. "
            f"Row {row} is {probabilities[row].round(4).tolist()}. Training may have diverged: try a lower learning rate."
        )
    return np.array([number[label] for label in truth], np.int64), probabilities
