"""Does a concept predict a label beyond what is known already? The score test in a logistic model.

    log-odds of the label = covariates . b  (+ concept . g)           tested: g = 0

With residuals r = y - p of the model without the concept, weights W = p (1 - p) and covariates Z (with a constant), the score of a concept x is
U = x . r, its variance V = x'Wx - x'WZ (Z'WZ)^-1 Z'Wx, and U^2 / V has a chi-squared distribution with one degree of freedom (Rao 1948). One fit
serves all concepts. U^2 / V is divided by the design effect of the concept, as in all tests (`detect.clusters`). With many covariates for few rows
V is too small: it is multiplied by n / (n - covariates), and `most_covariates` bounds their number.

The same test joins concepts that say the same (`leaders`): one that predicts nothing beyond stronger concepts is a variant of one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import chdtrc

from longway.arrays import Bools, Floats, Ints
from longway.detect.reading import Reading
from longway.stats import q_values

if TYPE_CHECKING:
    from longway.detect.concepts.detector import ConceptDetector
    from longway.detect.findings import Chosen, Counted


RIDGE = 1e-3  # penalty on the square of a weight; covariates may be equal
MOST_COVARIATES = 100
ROWS_PER_COVARIATE = 10  # with the label, and as many without it
CLOSE = 1e-8  # largest gradient of a fitted model
FEWEST = (
    0.5  # variance of a score, from which the distribution is near enough: that of two rows with even odds
)
UNDECIDED = 0.5  # sum of p (1 - p) over all rows, below which the covariates determine the label
DETERMINED = 1e-3  # share of the variance that covariates leave
NOT_EXPLAINED = 0.01  # highest p of a concept beside stronger ones with which it leads a group


class SeparatedError(Exception):
    """The covariates determine the label of every row, so that nothing can be tested beyond them."""


def most_covariates(outcome: Bools) -> int:
    """How many covariates the score test allows for: one for each 10 rows with the label or without it, whichever are fewer.

    >>> most_covariates(np.arange(240) < 120), most_covariates(np.arange(240) < 30), most_covariates(np.arange(9000) < 4000)
    (12, 3, 100)
    """
    with_label = int(outcome.sum())
    return min(MOST_COVARIATES, min(with_label, len(outcome) - with_label) // ROWS_PER_COVARIATE)


def fitted(outcome: Bools, covariates: Floats) -> Floats:
    """The probabilities of a logistic model with a constant, and a slight penalty on the weights."""
    if not covariates.shape[1] or outcome.all() or not outcome.any():
        return np.full(len(outcome), outcome.mean())
    from sklearn.linear_model import LogisticRegression  # takes a second to import

    model = LogisticRegression(C=1 / RIDGE, solver="newton-cholesky", tol=CLOSE)
    return np.asarray(model.fit(covariates, outcome).predict_proba(covariates)[:, 1], np.float64)


def score_test(
    concepts: csr_matrix, outcome: Bools, covariates: Floats, effect: Floats | None = None
) -> tuple[Floats, Floats]:
    """z and two-sided p of each concept (column) given the covariates. effect: rows per observation of each concept.

    Raises SeparatedError if the covariates determine the label.
    """
    known = standardized(covariates)
    z_known, p = np.column_stack([np.ones(len(outcome)), known]), fitted(outcome, known)
    w = p * (1 - p)
    if w.sum() < UNDECIDED:
        raise SeparatedError
    x = concepts.astype(np.float64)
    score = np.asarray(x.T @ (outcome - p)).ravel()
    own = np.asarray(x.multiply(x).T @ w).ravel()
    cross = np.asarray(x.T @ (z_known * w[:, None]))  # (concepts, covariates)
    inner = (z_known * w[:, None]).T @ z_known
    explained = np.einsum("ij,ij->i", cross, np.linalg.solve(inner + 1e-9 * np.eye(len(inner)), cross.T).T)
    left = own - explained
    # Of a concept that the covariates determine, nothing is left to test but rounding errors.
    enough = (left > FEWEST) & (left > DETERMINED * own)
    n, k = len(outcome), z_known.shape[1] - 1
    # Fitted probabilities are closer to 0 and 1 than the true ones, so W is too small, as residuals are in a linear model.
    variance = np.where(enough, left, 1.0) * (1.0 if effect is None else effect) * n / max(n - k, 1)
    z = np.where(enough, score / np.sqrt(variance), 0.0)
    return z, np.asarray(chdtrc(1, z**2))


def leaders(
    concepts: csr_matrix, outcome: Bools, covariates: Floats, effect: Floats | None = None
) -> list[int]:
    """For each concept (column), strongest first, the one that leads its group.

    A concept leads if it predicts the label given the covariates and the leaders before it, or if no leader has rows like its own. Others join the
    leader whose rows are most alike.
    """
    columns = standardized_presence(concepts)
    led_by, found = list[int](), list[int]()
    says_more = np.ones(concepts.shape[1], dtype=bool)
    for i in range(concepts.shape[1]):
        alike = columns[:, found].T @ columns[:, i]
        if not says_more[i] and alike.max(initial=0.0) > 0:
            led_by.append(found[int(np.argmax(alike))])
            continue
        led_by.append(i)
        found.append(i)
        try:
            z, p = score_test(concepts, outcome, np.column_stack([covariates, columns[:, found]]), effect)
            says_more = (z > 0) & (p <= NOT_EXPLAINED)
        except SeparatedError:
            says_more[:] = False
    return led_by


def standardized_presence(concepts: csr_matrix) -> Floats:
    """Each column minus its mean, divided by its standard deviation; zeros where it does not vary."""
    columns = concepts.toarray().astype(np.float64)
    columns -= columns.mean(axis=0)
    return np.asarray(columns / np.maximum(columns.std(axis=0), 1e-12))


def standardized(columns: Floats) -> Floats:
    """Each column minus its mean, divided by its standard deviation; columns that do not vary are left out."""
    spread = columns.std(axis=0)
    varies = spread > 1e-12
    return np.asarray((columns[:, varies] - columns[:, varies].mean(axis=0)) / spread[varies])


def beyond_others(reading: Reading, counted: Counted, simpler: Sequence[Counted], max_q: float) -> Counted:
    """Concepts with the p of two tests that both have to pass: that they predict the label, and that they do given the patterns
    of other levels and length. Those that predict nothing beyond a bag of words have a p of 1."""
    detector = cast("ConceptDetector", counted.detector)
    if not len(counted.features.keys):
        return counted
    rows, scores, n_labels = detector.tested, counted.scores, reading.n_labels
    present = detector.matrix_of(reading, counted.features.keys, rows)
    detector.simpler = _covariates(reading, simpler, rows, max_q)
    p = np.ones(len(scores.p))
    detector.untested.clear()
    for label in np.unique(scores.label).tolist():
        mine = scores.label == label
        own, effect = reading.labels[rows] == label, counted.effect[mine]
        x = csr_matrix(present[:, mine])
        known = _known(reading, detector, own)
        try:
            z, p_given = score_test(x, own, known, effect)
            z_words, p_words = score_test(
                x, own, np.column_stack([known, detector.surface[:, label]]), effect
            )
        except SeparatedError:
            detector.untested.append(reading.label_names[label])
            continue
        passes = (z > 0) & (z_words > 0) & (p_words <= max_q)
        p[mine] = np.where(passes, np.minimum(1.0, p_given * (1 if n_labels == 2 else n_labels)), 1.0)
    return replace(
        counted, p_rows=np.maximum(counted.p_rows, p), scores=replace(scores, p=np.maximum(scores.p, p))
    )


def concept_leaders(reading: Reading, chosen: Sequence[Chosen]) -> dict[int, int]:
    """For each concept, the place of the one that leads its group: concepts of a column and label, of which some say nothing beyond others."""
    groups: dict[tuple[ConceptDetector, str], list[int]] = {}
    for i, one in enumerate(chosen):
        if one.detector.level == "concept":
            detector = cast("ConceptDetector", one.detector)
            groups.setdefault((detector, one.finding.label), []).append(i)
    found = {}
    for (detector, label), places in groups.items():
        own = reading.labels[detector.tested] == reading.label_names.index(label)
        column = detector.surface[:, reading.label_names.index(label)]
        known = np.column_stack([_known(reading, detector, own), column])
        present = detector.members[detector.is_tested][:, [chosen[i].key for i in places]]
        led_by = leaders(present, own, known, np.array([chosen[i].finding.effect for i in places]))
        of_name: dict[tuple[str, ...], int] = {}  # leaders with the same name are one to a reader
        for i, leader in zip(places, led_by, strict=True):
            first = places[leader]
            name = chosen[first].description.pattern.words
            found[i] = of_name.setdefault(name, first) if name else first
    return found


def _known(reading: Reading, detector: ConceptDetector, own: Bools) -> Floats:
    """Tested rows x what may predict the label without a concept: the strongest patterns of other levels, and lengths. own: the rows of the label."""
    lengths = [np.log1p(one.lengths()[detector.tested]) for one in reading.corpora.values()]
    return np.column_stack([detector.simpler[:, : most_covariates(own)], *lengths])


def _covariates(reading: Reading, counted: Sequence[Counted], rows: Ints, max_q: float) -> Floats:
    """Rows x the strongest significant patterns of these levels, strongest first."""
    q = q_values(np.concatenate([np.zeros(0), *(one.scores.p for one in counted)]))
    ranked = [
        (-float(one.scores.gain[i]), n, int(one.features.keys[i]))
        for n, (one, its_q) in enumerate(
            zip(counted, np.split(q, np.cumsum([len(one.scores.p) for one in counted])), strict=False)
        )
        for i in np.flatnonzero(its_q <= max_q).tolist()
    ]
    keys: dict[int, list[int]] = {}
    places: dict[int, list[int]] = {}
    for place, (_, n, key) in enumerate(sorted(ranked)[:MOST_COVARIATES]):
        keys.setdefault(n, []).append(key)
        places.setdefault(n, []).append(place)
    parts = [
        counted[n].detector.matrix_of(reading, np.array(mine, dtype=np.int64), rows).toarray()
        for n, mine in keys.items()
    ]
    columns = np.concatenate([np.zeros((len(rows), 0)), *parts], axis=1)
    order = [place for mine in places.values() for place in mine]
    return columns[:, np.argsort(np.array(order, dtype=np.int64))]
