"""The spaces in which RAZOR compares documents: the shortcut space (`live_space.py`), or sentence embeddings.

The embedding space is the paper's ablation (section 4.2): the same loop, with a model's vectors in the place of Eq. 10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.errors import SettingError
from longway.live_space import LiveSpace
from longway.metrics.divergence import PairwiseKL

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Embed = Callable[[Sequence[str]], ArrayLike]
SpaceName = Literal["mean", "token", "embedding"]


class Space(Protocol):
    """Documents as vectors, kept up to date while some are replaced."""

    def gamma(self, rows: Sequence[int] | None = None) -> Floats:
        """Eq. 12 for the given rows, or for all."""
        ...

    def score(self, candidates: Sequence[str], labels: int | Sequence[int] | Ints) -> Floats:
        """Eq. 12 for texts that are not in the dataset, as if they carried the labels."""
        ...

    def replace(self, texts: Mapping[int, str]) -> None:
        """Put new texts in place of the given rows."""
        ...

    def mean_cosine(self) -> float:
        """Eq. 14 for each pair of documents."""
        ...

    def divergence(self) -> float:
        """The mean KL divergence of documents with unlike labels."""
        ...


def space_of(
    name: SpaceName, texts: Sequence[str], labels: Ints, *, dimensions: int = 64, embed: Embed | None = None
) -> Space:
    """The space with this name over the documents."""
    if name not in get_args(SpaceName):
        raise SettingError(
            f"'space' must be one of {', '.join(get_args(SpaceName))}. Got {name!r}. Use 'mean', the paper's."
        )
    if name != "embedding":
        return LiveSpace(texts, labels.tolist(), variant=name, dimensions=dimensions)
    if embed is None:
        raise SettingError(
            "'space' is 'embedding', which needs a function that gives vectors. Got none. "
            "Give 'embed' (`longway rewrite` takes the sentence encoder all-MiniLM-L6-v2), or use the space 'mean'."
        )
    return EmbeddingSpace(texts, labels, embed)


class EmbeddingSpace:
    """Documents as the vectors that a model gives them."""

    def __init__(self, texts: Sequence[str], labels: Sequence[int] | Ints, embed: Embed) -> None:
        self.labels: Ints = np.asarray(labels, dtype=np.int64)
        self._embed = embed
        self._scored: dict[
            str, Floats
        ] = {}  # vectors of the last candidates: one of them is about to come in
        self._vectors = self._vectors_of(texts)
        self._n = np.bincount(self.labels)
        self._sums = np.zeros((len(self._n), self._vectors.shape[1]))
        self._add(np.arange(len(texts)), sign=1)

    def gamma(self, rows: Sequence[int] | None = None) -> Floats:
        """Eq. 12 for the given rows, or for all, as the dataset stands now."""
        chosen = np.arange(len(self.labels)) if rows is None else np.asarray(rows, dtype=np.int64)
        return self._gamma(self._vectors[chosen], self.labels[chosen])

    def score(self, candidates: Sequence[str], labels: int | Sequence[int] | Ints) -> Floats:
        """Eq. 12 for texts that are not in the dataset, as if they carried the labels."""
        vectors = self._vectors_of(candidates)
        self._scored = dict(zip(candidates, vectors, strict=True))
        return self._gamma(vectors, np.broadcast_to(np.asarray(labels, dtype=np.int64), len(candidates)))

    def replace(self, texts: Mapping[int, str]) -> None:
        """Put new texts in place of the given rows."""
        if not texts:
            return
        rows = np.array(sorted(texts), dtype=np.int64)
        self._add(rows, sign=-1)
        self._vectors[rows] = self._vectors_of([texts[row] for row in rows.tolist()])
        self._add(rows, sign=1)

    def mean_cosine(self) -> float:
        """Eq. 14 for each pair of documents with unlike labels."""
        n = self._n.astype(np.float64)
        pairs = (n.sum() ** 2 - np.square(n).sum()) / 2
        unlike = np.square(self._sums.sum(axis=0)).sum() - np.square(self._sums).sum()
        return float(unlike / 2 / pairs) if pairs else 0.0

    def divergence(self) -> float:
        """The mean KL divergence of documents with unlike labels, their vectors made distributions by softmax."""
        return PairwiseKL(len(self._n), self._vectors.shape[1]).add(self._vectors, self.labels).mean()

    def _vectors_of(self, texts: Sequence[str]) -> Floats:
        new = [text for text in dict.fromkeys(texts) if text not in self._scored]
        found = dict(self._scored)
        if new:
            found.update(zip(new, np.asarray(self._embed(new), dtype=np.float64), strict=True))
        return np.array([found[text] for text in texts], dtype=np.float64)

    def _gamma(self, vectors: Floats, labels: Ints) -> Floats:
        others = (self._sums.sum(axis=0) - self._sums) / np.maximum(self._n.sum() - self._n, 1)[:, None]
        units = _units(vectors)
        cosines = np.einsum("ij,ij->i", units, others[labels])
        return np.where(np.square(units).sum(axis=1) > 0, 1 - cosines, np.nan)

    def _add(self, rows: Ints, *, sign: int) -> None:
        np.add.at(self._sums, self.labels[rows], sign * _units(self._vectors[rows]))


def _units(vectors: Floats) -> Floats:
    norms = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
    return vectors / np.where(norms > 0, norms, np.inf)
