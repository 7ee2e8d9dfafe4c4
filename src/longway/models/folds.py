"""Folds of a cross-validation: rows of one group are in one fold.

    linked([texts, contexts])                    groups: rows that share a text or a context, directly or through others
    folds_of(groups, 5, seed=0)                  the fold of each row, at random
    balanced_folds(groups, labels, 5, seed=0)    the same, with about the same labels in every fold

A model that has seen a text, or a context with another label, remembers it, and would be asked about it again in another fold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

Ints = NDArray[np.int64]
Seed = int | Sequence[int]


def folds_of(groups: Ints, n: int, *, seed: Seed | np.random.Generator) -> Ints:
    """The fold of each row, from 0 to n - 1. groups: numbers without gaps.

    >>> fold = folds_of(np.array([0, 1, 0, 2]), 2, seed=0)
    >>> bool(fold[0] == fold[2])
    True
    """
    order = np.random.default_rng(seed).permutation(int(groups.max(initial=-1)) + 1)
    return np.asarray(order[groups] % n, np.int64)


def balanced_folds(groups: Ints, of_group: NDArray[np.generic], n: int, *, seed: Seed) -> Ints:
    """The fold of each row: groups in random order are dealt out label by label, so that every fold has about the same labels.

    Otherwise a fold with more rows of a label than the others would be predicted by a model that saw fewer of them, and labels that
    nothing predicts would be predicted worse than by chance. of_group: the label of each group.
    """
    order = np.random.default_rng(seed).permutation(len(of_group))
    order = order[np.argsort(of_group[order], kind="stable")]
    fold = np.empty(len(order), np.int64)
    fold[order] = np.arange(len(order)) % n
    return fold[groups]


def linked(kinds: Sequence[Ints]) -> Ints:
    """A number for each row, the same for rows that have one of several numbers in common, also by way of a third row.

    >>> linked([np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])]).tolist()
    [0, 0, 0, 1]
    """
    n_rows = n = len(kinds[0])
    rows, nodes = [], []
    for kind in kinds:  # a row is linked to a node for its text, and to one for its context
        rows.append(np.arange(n_rows))
        nodes.append(n + kind)
        n += int(kind.max(initial=-1)) + 1
    return connected(np.concatenate(rows), np.concatenate(nodes), n_rows)


def connected(rows: Ints, nodes: Ints, n_rows: int) -> Ints:
    """A number for each row, the same for rows that are connected. rows, nodes: the links; nodes are numbered from `n_rows`."""
    n = int(nodes.max(initial=n_rows - 1)) + 1
    graph = csr_matrix((np.ones(len(rows), dtype=np.int8), (rows, nodes)), shape=(n, n))
    return numbered(connected_components(graph, directed=False)[1][:n_rows])


def numbered(keys: NDArray[np.generic]) -> Ints:
    """Numbers from 0 for different keys, in order of first appearance.

    >>> numbered(np.array([7, 3, 7])).tolist()
    [0, 1, 0]
    """
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which]
