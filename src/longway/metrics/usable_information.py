"""Usable information: how many bits of the label a model can read from each row, and from the dataset.

    PVI(x -> y)  =  -log2 g[empty](y)  +  log2 g[x](y)        pointwise V-information of a row (Ethayarajh et al. 2022, Eq. 4)
    I_V(X -> Y)  =  mean of PVI over the rows                 V-information of the dataset (Xu et al. 2020)

g[x](y) is the probability that a model gives to the row's own label y, by a model that was not trained on the row; g[empty](y) is the
probability without reading anything: the label's share among the training rows. A row with a high PVI is easy for this kind of
model. A negative PVI means that the model would do better without reading the row: it is hard, unusual or has a wrong label. Models of
different kinds read different information: a bag of words, a linear model of sentence vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.errors import SettingError
from longway.metrics import Measure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAST = 1e-6  # probabilities below count as this one: no row is worth less than about -20 bits
Z = 1.96  # of a 95% interval


@dataclass(frozen=True, slots=True)
class UsableInformation(Measure):
    """Bits of the label that a kind of model reads from a row, on average, with a 95% interval.

    entropy: bits that the label has; nobody reads more, up to chance. rows: those measured.
    """

    bits: float
    low: float
    high: float
    entropy: float
    rows: int


def pointwise(given_row: ArrayLike, given_nothing: ArrayLike) -> Floats:
    """PVI of each row in bits, from the probabilities of its own label with and without reading it.

    >>> pointwise([1.0, 0.25], [0.5, 0.5]).tolist()
    [1.0, -1.0]
    """
    read, unread = np.asarray(given_row, np.float64), np.asarray(given_nothing, np.float64)
    for name, values in (("given_row", read), ("given_nothing", unread)):
        if not ((values >= 0) & (values <= 1)).all():
            raise SettingError(f"'{name}' must be probabilities from 0 to 1.")
    return np.asarray(np.log2(np.maximum(read, LEAST)) - np.log2(np.maximum(unread, LEAST)))


def usable_information(
    pvi: ArrayLike, entropy: float, *, groups: Ints | None = None, shared: float = 1.0
) -> UsableInformation:
    """The mean of the rows' PVI with its interval.

    groups: a number for each row, the same for rows that belong together: their PVIs are not independent. shared: factor of the variance
    because the models of different folds learn from the same rows.

    >>> usable_information([1.0, 0.0, 1.0, 0.0], 1.0).bits
    0.5
    """
    values = np.asarray(pvi, np.float64)
    n = len(values)
    if not n:
        return UsableInformation(0.0, 0.0, 0.0, entropy, 0)
    mean = float(values.mean())
    of_groups = values - mean if groups is None else np.bincount(groups, weights=values - mean)
    half = Z * float(np.sqrt(shared * np.square(of_groups).sum())) / n
    return UsableInformation(mean, mean - half, mean + half, entropy, n)
