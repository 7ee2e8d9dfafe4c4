"""How well labels are told: accuracy, F1, AUROC, and whether a probability means what it says.

    truth, probabilities (rows x labels), labels  ->  METRICS["macro_f1"](...)  ->  one number

`labels` names the columns of `probabilities`; the predicted label is the most likely one, the first of equals. Higher is
better, but for those in LOWER_IS_BETTER. A label that no test row has is no error: it cannot be told then how well it is
found, so AUROC is NaN (`not_in_test` names the label), and macro F1 counts it only where it was predicted.

F1 is a function of the confusion table, so that a bootstrap (`intervals.py`) can count a thousand resamples at once;
AUROC is the rank sum, several times quicker than scikit-learn's. All of them are tested against scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from longway.errors import SettingError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Metric = Callable[[Sequence[str], Floats, Sequence[str]], float]

BINS = 15  # as in Guo et al. 2017
SMALLEST = float(np.finfo(np.float64).eps)  # a probability counts as at least this in log loss


def accuracy(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> float:
    """The share of rows whose most likely label is right.

    >>> accuracy(["no", "yes"], np.array([[0.9, 0.1], [0.6, 0.4]]), ["no", "yes"])
    0.5
    """
    numbers, probabilities = checked(truth, probabilities, labels)
    return float((probabilities.argmax(axis=1) == numbers).mean())


def macro_f1(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> float:
    """The mean F1 of the labels that a row has or was given."""
    return float(macro_f1_of(_confusion(truth, probabilities, labels)))


def binary_f1(truth: Sequence[str], probabilities: Floats, labels: Sequence[str], *, positive: str) -> float:
    """F1 of one label: 2 x found / (rows that have it + rows that were given it); 0 where there are neither."""
    if positive not in labels:
        raise SettingError(
            f"'positive' must be one of the labels {', '.join(map(repr, labels))}. Got {positive!r}."
        )
    return float(f1_of(_confusion(truth, probabilities, labels))[list(labels).index(positive)])


def auroc(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> float:
    """How often a row of a label is given more of it than a row without, ties half; the mean over labels where more than two.

    NaN where a label has no test row, or all test rows have one label.
    """
    return auroc_of(*checked(truth, probabilities, labels))


def log_loss(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> float:
    """The mean of -log of the probability that the right label was given, in nats."""
    return log_loss_of(*checked(truth, probabilities, labels))


def brier(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> float:
    """Half the mean squared distance between probabilities and truth (Brier 1950): from 0 to 1 for any number of labels."""
    return brier_of(*checked(truth, probabilities, labels))


@dataclass(frozen=True, slots=True)
class Bin:
    """The rows whose highest probability lies above `low` and up to `high`; NaN where there is none."""

    low: float
    high: float
    n: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """error: how far confidence is from accuracy, mean over rows of their bin's (expected calibration error)."""

    error: float
    bins: tuple[Bin, ...]


def calibration(
    truth: Sequence[str], probabilities: Floats, labels: Sequence[str], *, bins: int = BINS
) -> Calibration:
    """Confidence against accuracy in bins of equal width (Guo et al. 2017): sum of n_b / n x |accuracy_b - confidence_b|."""
    if bins < 1:
        raise SettingError(f"'bins' must be at least 1. Got {bins!r}.")
    n, right, summed = _in_bins(*checked(truth, probabilities, labels), bins=bins)
    edges = np.linspace(0, 1, bins + 1)
    divisor = np.where(n > 0, n, np.nan)
    table = zip(edges[:-1], edges[1:], n, summed / divisor, right / divisor, strict=True)
    return Calibration(
        float(np.abs(right - summed).sum() / n.sum()),
        tuple(Bin(float(a), float(b), int(size), float(c), float(share)) for a, b, size, c, share in table),
    )


def calibration_error(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> float:
    """The expected calibration error alone."""
    return calibration_error_of(*checked(truth, probabilities, labels))


METRICS: dict[str, Metric] = {
    "accuracy": accuracy,
    "macro_f1": macro_f1,
    "auroc": auroc,
    "calibration_error": calibration_error,
    "brier": brier,
    "log_loss": log_loss,
}
LOWER_IS_BETTER = frozenset({"calibration_error", "brier", "log_loss"})


def metric_named(name: str) -> Metric:
    """A metric of METRICS, or "f1:LABEL" for the F1 of one label."""
    kind, _, positive = name.partition(":")
    if kind == "f1" and positive:
        return partial(binary_f1, positive=positive)
    if name not in METRICS:
        raise SettingError(
            f"There is no metric {name!r}. Known ones are {', '.join(METRICS)}, and f1:LABEL for the F1 of one label."
        )
    return METRICS[name]


# ---- the same of label numbers that were checked before: what a bootstrap asks a thousand times ------------------------


def auroc_of(numbers: Ints, probabilities: Floats) -> float:
    """AUROC by rank sums (Mann and Whitney 1947)."""
    k = probabilities.shape[1]
    columns = range(k) if k > 2 else [k - 1]
    return float(np.mean([_rank_auc(numbers == column, probabilities[:, column]) for column in columns]))


def log_loss_of(numbers: Ints, probabilities: Floats) -> float:
    """Log loss."""
    given = probabilities[np.arange(len(numbers)), numbers]
    return float(-np.log(np.clip(given, SMALLEST, 1)).mean())


def brier_of(numbers: Ints, probabilities: Floats) -> float:
    """Brier score."""
    right = probabilities[np.arange(len(numbers)), numbers]
    return float(((probabilities**2).sum(axis=1) - 2 * right + 1).mean() / 2)  # |p - e|^2 = |p|^2 - 2 p_y + 1


def calibration_error_of(numbers: Ints, probabilities: Floats) -> float:
    """Expected calibration error."""
    n, right, summed = _in_bins(numbers, probabilities, bins=BINS)
    return float(np.abs(right - summed).sum() / n.sum())


OF_NUMBERS: dict[str, Callable[[Ints, Floats], float]] = {
    "auroc": auroc_of,
    "calibration_error": calibration_error_of,
    "brier": brier_of,
    "log_loss": log_loss_of,
}


def _rank_auc(is_label: NDArray[np.bool_], scores: Floats) -> float:
    n_with = int(is_label.sum())
    n_without = len(is_label) - n_with
    if not n_with or not n_without:
        return float("nan")
    ranks = rankdata(scores)
    return float((ranks[is_label].sum() - n_with * (n_with + 1) / 2) / (n_with * n_without))


def _in_bins(numbers: Ints, probabilities: Floats, *, bins: int) -> tuple[Ints, Floats, Floats]:
    """Of each bin: its rows, those that are right, the sum of their confidences."""
    confidence = probabilities.max(axis=1)
    inner = np.linspace(0, 1, bins + 1)[1:-1]
    which = np.searchsorted(inner, confidence, side="left")  # a bin holds its upper edge
    right = probabilities.argmax(axis=1) == numbers
    n, found, summed = (np.bincount(which, w, minlength=bins) for w in (None, right, confidence))
    return n.astype(np.int64), found.astype(np.float64), summed.astype(np.float64)


# ---- F1 of confusion tables: (..., labels, labels), truth by row, prediction by column ---------------------------------


def f1_of(confusion: Floats) -> Floats:
    """(..., labels): the F1 of each label in each table."""
    found = np.diagonal(confusion, axis1=-2, axis2=-1)
    there = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    return np.asarray(2 * found / np.maximum(there, 1))


def macro_f1_of(confusion: Floats) -> Floats:
    """The mean F1 of the labels in each table that a row has or was given."""
    present = (confusion.sum(axis=-1) + confusion.sum(axis=-2)) > 0
    return np.asarray(f1_of(confusion).sum(axis=-1) / present.sum(axis=-1))


def cells_of(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> Ints:
    """Each row's place in the confusion table: true x labels + predicted."""
    numbers, probabilities = checked(truth, probabilities, labels)
    return numbers * len(labels) + probabilities.argmax(axis=1)


def _confusion(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> Floats:
    k = len(labels)
    cells = np.bincount(cells_of(truth, probabilities, labels), minlength=k * k)
    return cells.reshape(k, k).astype(np.float64)


# ---- what cannot be measured -------------------------------------------------------------------------------------------


def not_in_test(truth: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    """The labels that no test row has: why AUROC is NaN.

    >>> not_in_test(["a", "a"], ["a", "b"])
    ('b',)
    """
    there = set(truth)
    return tuple(label for label in labels if label not in there)


def checked(truth: Sequence[str], probabilities: Floats, labels: Sequence[str]) -> tuple[Ints, Floats]:
    """The number of each row's label and the probabilities; an error where they cannot be measured."""
    probabilities = np.asarray(probabilities, np.float64)
    if len(truth) == 0:
        raise SettingError(
            "The test has no rows: nothing can be measured. Give a test with at least one row."
        )
    if probabilities.shape != (len(truth), len(labels)):
        raise SettingError(
            f"'probabilities' must have one row for each of {len(truth)} test rows and one column for each of "
            f"{len(labels)} labels. Got {probabilities.shape}."
        )
    number = {label: i for i, label in enumerate(labels)}
    if unknown := sorted(set(truth) - number.keys()):
        raise SettingError(
            f"The test has the label {unknown[0]!r}, which the model does not know: it knows {', '.join(map(repr, labels))}. "
            "Use a test with the same labels."
        )
    _check_probabilities(probabilities)
    return np.array([number[label] for label in truth], np.int64), probabilities


def _check_probabilities(probabilities: Floats) -> None:
    sums = probabilities.sum(axis=1)
    wrong = ~(np.abs(sums - 1) < 1e-3) | (probabilities < 0).any(axis=1)  # a NaN is never near 1
    if wrong.any():
        row = int(wrong.argmax())
        raise SettingError(
            f"The probabilities of {int(wrong.sum())} test rows are none: each row must be from 0 to 1 and sum to 1. "
            f"Row {row} is {probabilities[row].round(4).tolist()}. Training may have broken down: try a lower learning rate."
        )
