"""How differently two labels are spread: Kullback-Leibler and Jensen-Shannon divergence, in nats.

    kl(p, q), js(p, q)             of two distributions
    word_divergence(texts, labels) of the labels' words, each pair of labels once
    PairwiseKL                     RAZOR's: the mean over all pairs of documents with unlike labels

RAZOR stops when the sum of KL(g(d_i), g(d_j)) over documents of unlike labels is least (Algorithm 1, line 21; Eq. 14 of the
version with the appendix). g(d) is a vector with negative numbers, no distribution, and the paper does not say how it
becomes one: here it is p = softmax(g(d)), as is usual for scores. The double sum needs no double loop. Over i in A and j in B

    sum KL(p_i, p_j)  =  |B| sum_i p_i . log p_i  -  (sum_i p_i) . (sum_j log p_j),

so three sums for each label are all that is kept. Lower always means more alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.text.tokens import encode

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


def js(p: Vector, q: Vector) -> float:
    """The Jensen-Shannon divergence: symmetric, between 0 (alike) and log 2 (nothing in common).

    >>> round(js(np.array([1.0, 0.0]), np.array([0.0, 1.0])), 4)
    0.6931
    """
    middle = (p + q) / 2
    return kl(p, middle) / 2 + kl(q, middle) / 2


def word_divergence(texts: Sequence[str], labels: Sequence[str], *, smoothing: float = 0.5) -> float:
    """The mean Jensen-Shannon divergence of the labels' word distributions, over all pairs of labels.

    smoothing: added to each count, so that a word seen once does not decide.
    """
    codes, words, lengths = encode(pl.Series(list(texts), dtype=pl.String))
    names, label_of = np.unique(np.asarray(labels), return_inverse=True)
    counts = np.full((len(names), len(words)), smoothing)
    np.add.at(counts, (np.repeat(label_of, lengths), codes), 1.0)
    if len(names) < 2 or not words:
        return 0.0
    shares = counts / counts.sum(axis=1, keepdims=True)
    return float(np.mean([js(p, q) for p, q in combinations(shares, 2)]))


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
