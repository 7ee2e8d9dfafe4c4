"""Measures of vectors: how diverse they are, their projection to two dimensions, and the divergence between labels.

    top_variance(vectors)     share of the variance in the top k principal components (CoBA's Table 16)
    project(vectors)          the first principal components, for plots (RAZOR's Fig. 6)
    PairwiseKL                mean Kullback-Leibler divergence of documents with different labels (RAZOR)

**Diversity.** CoBA reports the share for k = 50, in percent; lower means more diverse. It falls with the number of rows, so
compare sets of the same size, embedded by the same model. With s the singular values of the centred matrix it is
sum_{i<=k} s_i^2 / sum s_i^2; the s_i^2 are the eigenvalues of the smaller of X'X and XX', which is exact and cheap for any
number of rows.

**Projection.** The sign of a component is arbitrary; here its heaviest dimension is positive, so the same vectors always give
the same picture. The logits of two labels often lie almost on a line: the second component is then close to 0.

**Divergence.** RAZOR stops when the sum of KL(g(d_i), g(d_j)) over documents of different labels is smallest (Algorithm 1,
line 21; Eq. 14 of the version with the appendix). g(d) has negative numbers and is no distribution; the paper does not say
how it becomes one. Here p = softmax(g(d)), in nats. The double sum needs no double loop. Over i in A and j in B

    sum KL(p_i, p_j)  =  |B| sum_i p_i . log p_i  -  (sum_i p_i) . (sum_j log p_j),

so three sums per label are enough. Lower means more alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, eigvalsh
from scipy.sparse import csr_matrix

from longway.errors import SettingError
from longway.metrics import Measure

Floats = NDArray[np.float64]
K = 50  # components, as in CoBA's Table 16


@dataclass(frozen=True, slots=True)
class TopVariance(Measure):
    """share: of the variance in the top k components, NaN without variance. rank: components with any variance."""

    share: float
    k: int
    rank: int
    rows: int

    @property
    def note(self) -> str:
        """Why the share is not informative; empty if it is."""
        if not self.rank:
            return f"All {self.rows} vectors are identical, so there is no variance."
        if self.k >= self.rank:
            return (
                f"{self.rows} rows vary in only {self.rank} directions, so the top {self.k} hold all variance, "
                "whatever the texts. Use more rows or a smaller k."
            )
        return ""

    def to_dict(self) -> dict[str, object]:
        """The fields and the note as JSON values, with None for NaN."""
        return {**Measure.to_dict(self), "note": self.note}


def top_variance(vectors: ArrayLike, *, k: int = K) -> TopVariance:
    """The share of variance in the top k principal components.

    >>> top_variance([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]], k=1).share
    0.9
    """
    if k < 1:
        raise SettingError(f"'k' must be at least 1. Got {k!r}.")
    centred = _centred(vectors)
    rows, dimensions = centred.shape
    square = centred.T @ centred if dimensions <= rows else centred @ centred.T
    squares = np.maximum(eigvalsh(square)[::-1], 0.0)
    tiny = squares[0] * max(rows, dimensions) * np.finfo(np.float64).eps
    rank = int((squares > tiny).sum()) if squares[0] > 0 else 0
    if k >= rank:
        return TopVariance(1.0 if rank else float("nan"), k, rank, rows)
    return TopVariance(float(squares[:k].sum() / squares.sum()), k, rank, rows)


@dataclass(frozen=True, slots=True)
class Projection:
    """points: (rows, dimensions). shares: of the variance per dimension; 0 for a component the vectors lack."""

    points: Floats
    shares: tuple[float, ...]


def project(vectors: ArrayLike, *, dimensions: int = 2) -> Projection:
    """The vectors' first principal components.

    >>> project([[0.0, 1.0], [0.0, 3.0]]).points.tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    if dimensions < 1:
        raise SettingError(f"'dimensions' must be at least 1. Got {dimensions!r}.")
    centred = _centred(vectors)
    values, directions = eigh(centred.T @ centred)
    values, directions = np.maximum(values[::-1], 0.0), directions[:, ::-1]
    kept = min(dimensions, int((values > values[0] * 1e-12).sum()))
    directions = directions[:, :kept]
    heaviest = np.abs(directions).argmax(axis=0)
    directions = directions * np.sign(directions[heaviest, np.arange(kept)])
    points = np.zeros((len(centred), dimensions))
    points[:, :kept] = centred @ directions
    shares = np.zeros(dimensions)
    shares[:kept] = values[:kept] / max(values.sum(), np.finfo(np.float64).tiny)
    return Projection(points, tuple(shares.tolist()))


class PairwiseKL:
    """The mean KL divergence between documents with different labels, from sums; documents may be added in parts."""

    def __init__(self, n_labels: int, dimensions: int) -> None:
        self._n = np.zeros(n_labels)
        self._p = np.zeros((n_labels, dimensions))
        self._log_p = np.zeros((n_labels, dimensions))
        self._p_log_p = np.zeros(n_labels)

    def add(self, vectors: NDArray[Any], labels: NDArray[Any]) -> PairwiseKL:
        """Add documents: (documents, dimensions), and their labels as integers from 0."""
        log_p = vectors.astype(np.float64)
        log_p -= log_p.max(axis=1, keepdims=True, initial=-np.inf)
        p = np.exp(log_p)
        total = p.sum(axis=1, keepdims=True)
        p /= total
        log_p -= np.log(total)
        n, shape = len(labels), (len(self._n), len(labels))
        by_label = csr_matrix((np.ones(n), (labels, np.arange(n))), shape=shape)  # (labels, documents)
        self._n += np.bincount(labels, minlength=len(self._n))
        self._p += by_label @ p
        self._log_p += by_label @ log_p
        self._p_log_p += by_label @ np.einsum("ij,ij->i", p, log_p)
        return self

    def mean(self) -> float:
        """The mean over all pairs of documents, for each pair of labels from the first to the second."""
        total, pairs = 0.0, 0.0
        for a, b in combinations(range(len(self._n)), 2):
            total += self._n[b] * self._p_log_p[a] - self._p[a] @ self._log_p[b]
            pairs += self._n[a] * self._n[b]
        return float(total / pairs) if pairs else 0.0


def _centred(vectors: ArrayLike) -> Floats:
    """The vectors minus their mean; identical vectors give exact zeros."""
    given = np.asarray(vectors, np.float64)
    if given.ndim != 2 or not given.size:
        raise SettingError(f"'vectors' must be rows x dimensions, at least one of each. Got {given.shape}.")
    if not np.isfinite(given).all():
        row = int((~np.isfinite(given)).any(axis=1).argmax())
        raise SettingError(
            f"'vectors' must be finite numbers. Row {row} is not. Check the model that computed it."
        )
    from_first = given - given[0]
    return from_first - from_first.mean(axis=0)
