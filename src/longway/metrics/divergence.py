"""How differently two labels are spread: Kullback-Leibler divergence, in nats.

    kl(p, q)       of two distributions
    PairwiseKL     RAZOR's: the mean over all pairs of documents with unlike labels

RAZOR stops when the sum of KL(g(d_i), g(d_j)) over documents of unlike labels is least (Algorithm 1, line 21; Eq. 14 of the
version with the appendix). g(d) is a vector with negative numbers, no distribution, and the paper does not say how it
becomes one: here it is p = softmax(g(d)), as is usual for scores. The double sum needs no double loop. Over i in A and j in B

    sum KL(p_i, p_j)  =  |B| sum_i p_i . log p_i  -  (sum_i p_i) . (sum_j log p_j),

so three sums for each label are all that is kept. Lower always means more alike.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Vector = NDArray[np.float64]


def kl(p: Vector, q: Vector) -> float:
    """The Kullback-Leibler divergence of q from p; infinite where p has something that q has not.

    >>> round(kl(np.array([0.5, 0.5]), np.array([0.25, 0.75])), 4)
    0.1438
    """
    has = p > 0
    if (q[has] == 0).any():
        return float("inf")
    return float((p[has] * np.log(p[has] / q[has])).sum())


class PairwiseKL:
    """The mean KL divergence between documents with unlike labels, from sums; documents may come in pieces."""

    def __init__(self, n_labels: int, dimensions: int) -> None:
        self._n = np.zeros(n_labels)
        self._p = np.zeros((n_labels, dimensions))
        self._log_p = np.zeros((n_labels, dimensions))
        self._p_log_p = np.zeros(n_labels)

    def add(self, vectors: NDArray[Any], labels: NDArray[Any]) -> PairwiseKL:
        """Take in some documents: documents x dimensions, and their labels as numbers from 0."""
        log_p = vectors.astype(np.float64)
        log_p -= log_p.max(axis=1, keepdims=True, initial=-np.inf)
        p = np.exp(log_p)
        total = p.sum(axis=1, keepdims=True)
        p /= total
        log_p -= np.log(total)
        n, shape = len(labels), (len(self._n), len(labels))
        by_label = csr_matrix((np.ones(n), (labels, np.arange(n))), shape=shape)  # labels x documents
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
