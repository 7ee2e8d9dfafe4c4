"""Checks of single rows: which ones a surface model solves already, and which ones may have a wrong label.

    words    ->  a bag of words, cross-validated   ->  PVI of each row: bits of its label that words alone give away
    vectors  ->  a linear model, cross-validated   ->  PVI of each row, by the encoder
             ->  the labels of the nearest rows    ->  with the linear model: the calibrated probability of the row's own label

Every probability is of a model that was not trained on the row, nor on rows linked to it (`leak.linked_rows`). It is calibrated: of the rows with probability p about p have that label. A row may have a wrong label if its own label
has at most 10% and at most a quarter of the label's share, and another label at least 50%. It has a wrong label or is unusual: read it to decide. Pointwise V-information: `metrics/usable_information.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix

from longway.arrays import Bools, Floats, Floats32, Ints
from longway.detect.clusters import Clusters
from longway.detect.leak import SHARED, drawn_folds, linked_rows, sample_of, word_features
from longway.detect.reading import TEXT, Reading
from longway.metrics.usable_information import UsableInformation, pointwise, usable_information
from longway.models.classifier import softmax
from longway.models.nbsvm import NbSvm
from longway.models.objectives import cross_entropy

WORDS, ENCODER = "words", "encoder"
FOLDS = 5
CERTAIN = 0.9  # probability of its own label from which a row counts as solved
UNLIKELY = 0.1  # probability of its own label up to which a label may be wrong
BELOW_SHARE = 0.25  # the same as a part of the label's share: a rare label is unlikely without any evidence
LIKELIER = 0.5  # probability that another label needs
NEIGHBOURS = 50
SHOWN_NEIGHBOURS = 5
NEAR_COPY = 0.97  # cosine from which a neighbour says the same as the row itself
SHARPNESS = 0.1  # a neighbour that is less similar by this much counts e times less
RIDGE = 0.3  # times the mean square of a feature
MAX_CANDIDATES = 200
MAX_VECTORS = 20_000  # rows whose neighbours are searched: the time grows with the square
_CHUNK = 512

Predict = Callable[[Ints, Ints], Floats]  # training rows, rows to predict -> (rows, labels) scores


@dataclass(frozen=True, slots=True)
class RowVectors:
    """Unit vectors of some rows, by their places in the reading (ascending). contexts: None for single texts."""

    places: Ints
    texts: Floats32
    contexts: Floats32 | None = None

    def sample(self, n: int, seed: int) -> RowVectors:
        """At most n rows, drawn at random."""
        if len(self.places) <= n:
            return self
        kept = np.sort(np.random.default_rng(seed).choice(len(self.places), n, replace=False))
        contexts = None if self.contexts is None else self.contexts[kept]
        return RowVectors(self.places[kept], self.texts[kept], contexts)

    @property
    def features(self) -> Floats32:
        """(rows, numbers): what a linear model sees; for pairs [u, v, |u - v|, u * v] (Conneau et al. 2017)."""
        u, v = self.texts, self.contexts
        return u if v is None else np.hstack([u, v, np.abs(u - v), u * v])

    @property
    def joint(self) -> Floats32:
        """(rows, width): unit vectors of the whole rows, whose cosine is the mean of both columns' cosines."""
        u, v = self.texts, self.contexts
        return u if v is None else (np.hstack([u, v]) / np.sqrt(2)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class LabelCandidate:
    """A row whose label may be wrong. place: in the reading; neighbours: places of the most similar rows.

    likely: the number of the label that most rows like it have. p_own, p_likely: calibrated probabilities.
    """

    place: int
    label: int
    likely: int
    p_own: float
    p_likely: float
    neighbours: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowChecks:
    """What the checks say of each row, NaN for rows that were not measured.

    pvi: bits of each row's label, by model ("words", "encoder"). own: calibrated probability of the row's own label, by its vector and its neighbours.
    solved: 1 for rows that words alone solve, 0 for others. may_be_wrong: 1 for rows whose label may be wrong. information: of the dataset, by model. measured: rows looked at. candidates: possible wrong
    labels, the least likely label first; n_candidates: how many there are, since not all are kept.
    """

    pvi: Mapping[str, Floats32]
    information: Mapping[str, UsableInformation]
    measured: int
    solved: Floats32
    own: Floats32 | None = None
    may_be_wrong: Floats32 | None = None
    candidates: tuple[LabelCandidate, ...] = ()
    n_candidates: int = 0

    @property
    def n_solved(self) -> int:
        """Rows that words alone solve."""
        return int(np.nansum(self.solved))


def check_rows(
    reading: Reading, *, clusters: Clusters | None = None, vectors: RowVectors | None = None, seed: int = 0
) -> RowChecks:
    """Check every row by its words, and by vectors if there are any. clusters: which rows belong together."""
    places = sample_of(reading, (TEXT,), seed)
    folds = CrossFit.of(reading, places, clusters, seed)
    features = word_features([reading], (TEXT,), [places])
    p_words = folds.own(
        folds.calibrated([folds.scores(words_model(features, folds.labels, folds.n_labels, seed))])
    )
    pvi = {WORDS: _by_place(folds.pvi(p_words), places, reading.n_texts)}
    information = {WORDS: folds.information(p_words)}
    solved = _by_place(is_solved(p_words, folds.unread).astype(np.float64), places, reading.n_texts)
    if vectors is None:
        return RowChecks(pvi, information, len(places), solved)
    chosen = vectors.sample(MAX_VECTORS, seed)
    folds = CrossFit.of(reading, chosen.places, clusters, seed)
    linear = folds.scores(linear_model(chosen.features, folds.labels, folds.n_labels))
    p_encoder = folds.own(folds.calibrated([linear]))
    pvi[ENCODER] = _by_place(folds.pvi(p_encoder), chosen.places, reading.n_texts)
    information[ENCODER] = folds.information(p_encoder)
    expected, nearest = label_probabilities(chosen, folds, linear)
    found = candidates(expected, folds.labels, nearest, chosen.places)
    is_candidate = np.isin(chosen.places, [one.place for one in found]).astype(np.float64)
    return RowChecks(
        pvi,
        information,
        len(places),
        solved,
        own=_by_place(folds.own(expected), chosen.places, reading.n_texts),
        may_be_wrong=_by_place(is_candidate, chosen.places, reading.n_texts),
        candidates=tuple(found[:MAX_CANDIDATES]),
        n_candidates=len(found),
    )


class CrossFit:
    """Predictions of rows by models that saw neither them nor rows of their group.

    labels: numbers from 0. groups: a number for each row, the same for rows that belong together. folds: of each row.
    """

    def __init__(self, labels: Ints, groups: Ints, folds: Ints, n_labels: int) -> None:
        self.labels, self.groups, self.folds, self.n_labels = labels, groups, folds, n_labels

    @classmethod
    def of(cls, reading: Reading, places: Ints, clusters: Clusters | None, seed: int) -> CrossFit:
        """Folds of the rows at these places."""
        labels = reading.labels[places].astype(np.int64)
        return cls.drawn(labels, linked_rows(reading, places, (TEXT,), clusters), reading.n_labels, seed)

    @classmethod
    def drawn(cls, labels: Ints, groups: Ints, n_labels: int, seed: int) -> CrossFit:
        """Folds drawn at random; rows of one group are in one fold."""
        n_folds = max(2, min(FOLDS, len(labels)))
        return cls(
            labels, groups, drawn_folds(groups, labels.astype(np.int32), n_folds, 1, seed)[0], n_labels
        )

    def scores(self, predict: Predict) -> Floats:
        """(rows, labels): what `predict` says of each row when it learned from the other folds."""
        result = np.zeros((len(self.labels), self.n_labels))
        for test, train in self._parts:
            result[test] = predict(train, test)
        return result

    def calibrated(self, scores: Sequence[Floats]) -> Floats:
        """(rows, labels): probabilities of the labels given scores; how to weigh them is learned from the other folds.

        logits = sum over the given scores of a * scores, plus a number for each label
        """
        stacked = np.stack(scores)
        result = np.zeros((len(self.labels), self.n_labels))
        for test, train in self._parts:
            scale, bias = _calibration(stacked[:, train], self.labels[train])
            result[test] = softmax(np.tensordot(scale, stacked[:, test], axes=1) + bias)
        return result

    @cached_property
    def unread(self) -> Floats:
        """The probability of each row's label without reading it: its share in the other folds."""
        result = np.zeros(len(self.labels))
        for test, train in self._parts:
            counts = np.bincount(self.labels[train], minlength=self.n_labels)
            result[test] = ((counts + 1) / (len(train) + self.n_labels))[self.labels[test]]
        return result

    def own(self, probabilities: Floats) -> Floats:
        """The probability of each row's own label."""
        return np.asarray(probabilities[np.arange(len(self.labels)), self.labels])

    def pvi(self, p_own: Floats) -> Floats:
        """Pointwise V-information of each row, in bits."""
        return pointwise(p_own, self.unread)

    def information(self, p_own: Floats) -> UsableInformation:
        """The bits that the model reads from a row on average."""
        entropy = float(-np.log2(self.unread).mean()) if len(self.labels) else 0.0
        return usable_information(self.pvi(p_own), entropy, groups=self.groups, shared=SHARED)

    @property
    def _parts(self) -> list[tuple[Ints, Ints]]:
        """For each fold its rows and all others."""
        parts = [
            (np.flatnonzero(self.folds == k), np.flatnonzero(self.folds != k))
            for k in range(int(self.folds.max(initial=-1)) + 1)
        ]
        return [(test, train) for test, train in parts if len(test) and len(train)]


def is_solved(p_own: Floats, unread: Floats) -> Bools:
    """Whether a model that gives a row's label this probability solves it: it is certain, and more than the label's share makes it.

    >>> is_solved(np.array([0.95, 0.8, 0.95]), np.array([0.5, 0.5, 0.94])).tolist()
    [True, False, False]
    """
    return np.asarray(p_own >= np.maximum(CERTAIN, np.sqrt(unread)))


def words_model(features: csr_matrix, labels: Ints, n_labels: int, seed: int) -> Predict:
    """A bag of words, as the leak is measured with."""

    def predict(train: Ints, test: Ints) -> Floats:
        model = NbSvm(seed=seed).fit(features[train], labels[train])
        scores = np.full((len(test), n_labels), -1.0)  # of labels that no training row has
        scores[:, model.labels_] = model.scores(features[test])
        return scores

    return predict


def linear_model(features: Floats32, labels: Ints, n_labels: int) -> Predict:
    """Ridge regression of each label on the vectors: the linear probe."""
    from sklearn.linear_model import Ridge  # takes a second to import

    def predict(train: Ints, test: Ints) -> Floats:
        x = features[train].astype(np.float64)
        penalty = RIDGE * max(len(x) * float(x.var(axis=0).mean()), 1e-12)
        model = Ridge(penalty, solver="cholesky").fit(x, np.eye(n_labels)[labels[train]])
        return np.asarray(model.predict(features[test].astype(np.float64)))

    return predict


def label_probabilities(vectors: RowVectors, folds: CrossFit, linear: Floats) -> tuple[Floats, Ints]:
    """(rows, labels): calibrated probabilities by the linear model's scores and the nearest rows; and the nearest rows themselves."""
    votes, nearest = neighbour_votes(vectors.joint, folds.labels, folds.groups, folds.n_labels)
    return folds.calibrated([linear, np.log(votes)]), nearest


def neighbour_votes(vectors: Floats32, labels: Ints, groups: Ints, n_labels: int) -> tuple[Floats, Ints]:
    """(rows, labels): the share of each label among the nearest other rows, and (rows, shown) those rows, most similar first.

    Rows of the same group and near copies are left out. Similar rows count more; each label has one vote more than was given, spread by the
    labels' shares. A row without neighbours has these shares, and -1 for each neighbour.
    """
    n = len(vectors)
    k = min(NEIGHBOURS, n)
    share = (np.bincount(labels, minlength=n_labels) + 1) / (n + n_labels)
    votes, nearest = np.zeros((n, n_labels)), np.full((n, SHOWN_NEIGHBOURS), -1, dtype=np.int64)
    for start in range(0, n, _CHUNK):
        here = slice(start, min(start + _CHUNK, n))
        cosine = vectors[here] @ vectors.T
        cosine[(groups[here, None] == groups) | (cosine >= NEAR_COPY)] = -np.inf
        order = np.argpartition(-cosine, k - 1, axis=1)[:, :k]
        order = np.take_along_axis(order, np.argsort(-np.take_along_axis(cosine, order, 1), 1, "stable"), 1)
        similar = np.take_along_axis(cosine, order, 1).astype(np.float64)
        known = np.isfinite(similar)
        weights = np.where(
            known, np.exp((similar - np.where(known, similar, 0.0).max(1, keepdims=True)) / SHARPNESS), 0.0
        )
        rows = np.repeat(np.arange(len(order)), k)
        given = np.bincount(rows * n_labels + labels[order].ravel(), weights.ravel(), len(order) * n_labels)
        total = weights.sum(axis=1, keepdims=True)
        votes[here] = (given.reshape(len(order), n_labels) + share) / (total + 1)
        shown = np.where(known, order, -1)[:, :SHOWN_NEIGHBOURS]
        nearest[here, : shown.shape[1]] = shown
    return votes, nearest


def candidates(probabilities: Floats, labels: Ints, nearest: Ints, places: Ints) -> list[LabelCandidate]:
    """The rows whose own label is unlikely and another one likely, the least likely first. nearest: their neighbours; places: of all rows in the reading.

    The own label must also be much less likely than its share: otherwise every row of a rare label would be listed.
    """
    own = probabilities[np.arange(len(labels)), labels]
    share = np.bincount(labels, minlength=probabilities.shape[1])[labels] / max(len(labels), 1)
    is_unlikely = own <= np.minimum(UNLIKELY, BELOW_SHARE * share)
    rows = np.flatnonzero(is_unlikely & (probabilities.max(axis=1, initial=0.0) >= LIKELIER))
    rows = rows[np.argsort(own[rows], kind="stable")]
    likely = probabilities.argmax(axis=1)
    return [
        LabelCandidate(
            int(places[row]),
            int(labels[row]),
            int(likely[row]),
            float(own[row]),
            float(probabilities[row, likely[row]]),
            tuple(int(places[other]) for other in nearest[row] if other >= 0),
        )
        for row in rows
    ]


def _calibration(scores: Floats, labels: Ints) -> tuple[Floats, Floats]:
    """A weight for each kind of score and a number for each label, which give the labels the highest likelihood.

    scores: (kinds, rows, labels).
    """
    from scipy.optimize import minimize  # a third of a second to import

    kinds, n, n_labels = scores.shape

    def loss(flat: Floats) -> tuple[float, Floats]:
        logits = np.tensordot(flat[:kinds], scores, axes=1) + flat[kinds:]
        losses, slope = cross_entropy(logits, labels)
        by_kind = np.tensordot(scores, slope, axes=([1, 2], [0, 1]))
        small = 1e-3 * flat  # labels that no row has would go to minus infinity
        return float(losses.mean()) + float(flat @ small) / 2, np.concatenate(
            [by_kind, slope.sum(axis=0)]
        ) / n + small

    found = minimize(loss, np.zeros(kinds + n_labels), jac=True, method="L-BFGS-B")
    return found.x[:kinds], found.x[kinds:]


def _by_place(values: Floats, places: Ints, n: int) -> Floats32:
    """One number for each of n rows: NaN for those that are not at these places."""
    result = np.full(n, np.nan, dtype=np.float32)
    result[places] = values
    return result
