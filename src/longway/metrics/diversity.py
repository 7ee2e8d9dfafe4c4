"""How spread out texts are: the share of their embeddings' variance that lies in few directions.

    vectors (rows x dimensions)  ->  centred  ->  variance of the top k principal components / all variance

CoBA's Table 16 gives it for k = 50 as a percentage. Lower means more diverse. It falls with the number of rows, so compare sets of
the same size embedded by the same model. With s the singular values of the centred matrix it is sum_{i<=k} s_i^2 / sum s_i^2;
the s_i^2 are the eigenvalues of the smaller of X'X and XX', which is exact and cheap for any number of rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigvalsh

from longway.errors import SettingError
from longway.metrics.intervals import plain

Floats = NDArray[np.float64]
K = 50  # components, as in CoBA's Table 16


@dataclass(frozen=True, slots=True)
class TopVariance:
    """share: of the variance in the top k components; NaN where there is none. rank: components with any variance."""

    share: float
    k: int
    rank: int
    rows: int

    @property
    def note(self) -> str:
        """Why the share says nothing; empty where it does."""
        if not self.rank:
            return f"All {self.rows} vectors are the same: there is no variance to share out."
        if self.k >= self.rank:
            return (
                f"{self.rows} rows vary in {self.rank} directions only: the top {self.k} hold everything, "
                "whatever the texts. Take more rows or a smaller k."
            )
        return ""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values; None for what is not known."""
        return plain({**asdict(self), "note": self.note})


def top_variance(vectors: ArrayLike, *, k: int = K) -> TopVariance:
    """The share of variance in the top k principal components.

    >>> top_variance([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]], k=1).share
    0.9
    """
    if k < 1:
        raise SettingError(f"'k' must be at least 1. Got {k!r}.")
    centred = centred_rows(vectors)
    rows, dimensions = centred.shape
    square = centred.T @ centred if dimensions <= rows else centred @ centred.T
    squares = np.maximum(eigvalsh(square)[::-1], 0.0)
    tiny = squares[0] * max(rows, dimensions) * np.finfo(np.float64).eps
    rank = int((squares > tiny).sum()) if squares[0] > 0 else 0
    if k >= rank:
        return TopVariance(1.0 if rank else float("nan"), k, rank, rows)
    return TopVariance(float(squares[:k].sum() / squares.sum()), k, rank, rows)


def centred_rows(vectors: ArrayLike) -> Floats:
    """The vectors less their mean; an error where there is nothing to centre. All equal gives exact zeros."""
    given = np.asarray(vectors, np.float64)
    if given.ndim != 2 or not given.size:
        raise SettingError(f"'vectors' must be rows x dimensions, at least one of each. Got {given.shape}.")
    if not np.isfinite(given).all():
        row = int((~np.isfinite(given)).any(axis=1).argmax())
        raise SettingError(
            f"'vectors' must be finite numbers. Row {row} is not: check the model that made it."
        )
    from_first = given - given[0]
    return from_first - from_first.mean(axis=0)
