"""The divergence between labels: `PairwiseKL`, the mean Kullback-Leibler divergence of documents with different labels.

**Divergence.** RAZOR stops when the sum of KL(g(d_i), g(d_j)) over documents of different labels is smallest (Algorithm 1,
line 21; Eq. 14 of the version with the appendix). g(d) has negative numbers and is no distribution; the paper does not say
how it becomes one. Here p = softmax(g(d)), in nats. The double sum needs no double loop. Over i in A and j in B

    sum KL(p_i, p_j)  =  |B| sum_i p_i . log p_i  -  (sum_i p_i) . (sum_j log p_j),

so three sums per label are enough. Lower means more alike.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix


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
