"""Checks of single rows, against slow and obvious twins and with labels turned on purpose."""

from math import exp, log2

import numpy as np
import pytest

from longway.detect import row_checks
from longway.detect.row_checks import (
    CrossFit,
    RowVectors,
    candidates,
    check_rows,
    label_probabilities,
    linear_model,
    neighbour_votes,
    words_model,
)
from tests.conftest import reading_of


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def two_topics(n=400, seed=0, noise=0.6):
    """Vectors of two labels around two directions, and the labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    centres = rng.normal(size=(2, 12))
    return unit(centres[labels] + noise * rng.normal(size=(n, 12))), labels


def slow_votes(vectors, labels, groups, n_labels):
    """`neighbour_votes`, one pair of rows at a time."""
    n = len(vectors)
    share = [(sum(labels == c) + 1) / (n + n_labels) for c in range(n_labels)]
    result = []
    for i in range(n):
        others = []
        for j in range(n):
            cosine = float(vectors[i] @ vectors[j])
            if groups[j] != groups[i] and cosine < row_checks.NEAR_COPY:
                others.append((cosine, j))
        others = sorted(others, reverse=True)[: row_checks.NEIGHBOURS]
        votes = list(share)
        for cosine, j in others:
            votes[labels[j]] += exp((cosine - others[0][0]) / row_checks.SHARPNESS)
        result.append([vote / (sum(votes)) for vote in votes])
    return np.array(result)


def test_votes_of_neighbours_equal_those_counted_one_by_one(monkeypatch):
    monkeypatch.setattr(row_checks, "NEIGHBOURS", 7)
    monkeypatch.setattr(row_checks, "_CHUNK", 13)
    vectors, labels = two_topics(60)
    groups = np.arange(60) // 2
    votes, nearest = neighbour_votes(vectors, labels, groups, 2)
    np.testing.assert_allclose(votes, slow_votes(vectors, labels, groups, 2), rtol=1e-4)
    assert (groups[nearest] != groups[:, None]).all()


def test_near_copies_of_a_row_are_not_its_neighbours():
    vectors, labels = two_topics(60)
    vectors[1] = vectors[0]
    _, nearest = neighbour_votes(vectors, labels, np.arange(60), 2)
    assert 1 not in nearest[0]
    assert 0 not in nearest[1]


def test_a_row_alone_has_the_shares_of_the_labels_and_no_neighbour():
    vectors, labels = np.eye(1, 3, dtype=np.float32), np.array([0])
    votes, nearest = neighbour_votes(vectors, labels, np.array([0]), 2)
    assert votes.tolist() == [[pytest.approx(2 / 3), pytest.approx(1 / 3)]]
    assert nearest.tolist() == [[-1] * row_checks.SHOWN_NEIGHBOURS]


def test_scores_are_those_of_models_that_learned_from_the_other_folds():
    vectors, labels = two_topics(90)
    folds = CrossFit.drawn(labels, np.arange(90), 2, seed=0)
    scores = folds.scores(linear_model(vectors, labels, 2))
    for row in range(90):  # the twin: one model for each row
        train = np.flatnonzero(folds.folds != folds.folds[row])
        expected = linear_model(vectors, labels, 2)(train, np.array([row]))
        np.testing.assert_allclose(scores[row], expected[0], atol=1e-6)


def test_pvi_equals_the_formula_row_by_row():
    vectors, labels = two_topics(120)
    folds = CrossFit.drawn(labels, np.arange(120), 2, seed=0)
    p = folds.calibrated([folds.scores(linear_model(vectors, labels, 2))])
    pvi = folds.pvi(folds.own(p))
    for row in range(120):
        others = labels[folds.folds != folds.folds[row]]
        empty = (sum(others == labels[row]) + 1) / (len(others) + 2)
        assert pvi[row] == pytest.approx(-log2(empty) + log2(p[row, labels[row]]))


def test_rows_of_one_group_are_in_one_fold():
    groups = np.arange(200) // 4
    folds = CrossFit.drawn(np.zeros(200, np.int64), groups, 1, seed=0).folds
    assert all(len(set(folds[groups == group])) == 1 for group in range(50))


def test_probabilities_are_calibrated():
    vectors, labels = two_topics(4000, noise=1.5)
    folds = CrossFit.drawn(labels, np.arange(4000), 2, seed=0)
    linear = folds.scores(linear_model(vectors, labels, 2))
    p = label_probabilities(RowVectors(np.arange(4000), vectors), folds, linear)[0][:, 1]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        here = (p >= low) & (p < low + 0.2)
        assert labels[here].mean() == pytest.approx(p[here].mean(), abs=0.07)


def test_turned_labels_are_found():
    vectors, labels = two_topics(600, noise=0.4)
    turned = np.arange(0, 600, 20)
    given = labels.copy()
    given[turned] = 1 - given[turned]
    folds = CrossFit.drawn(given, np.arange(600), 2, seed=0)
    linear = folds.scores(linear_model(vectors, given, 2))
    p, nearest = label_probabilities(RowVectors(np.arange(600), vectors), folds, linear)
    found = candidates(p, given, nearest, np.arange(600))
    places = {one.place for one in found}
    assert places <= set(turned.tolist())
    assert len(places) >= 0.9 * len(turned)
    assert all(one.likely == labels[one.place] for one in found)


def test_labels_that_nothing_predicts_are_not_called_wrong():
    vectors, _ = two_topics(600)
    labels = np.random.default_rng(1).integers(0, 2, 600)
    folds = CrossFit.drawn(labels, np.arange(600), 2, seed=0)
    linear = folds.scores(linear_model(vectors, labels, 2))
    p, nearest = label_probabilities(RowVectors(np.arange(600), vectors), folds, linear)
    assert candidates(p, labels, nearest, np.arange(600)) == []
    assert abs(folds.information(folds.own(p)).bits) < 0.05


@pytest.mark.parametrize("shares", [[0.94, 0.06], [0.05] * 20])
def test_rows_of_a_rare_label_are_not_listed_without_evidence(shares):
    random = np.random.default_rng(2)
    n, k = 1500, len(shares)
    vectors, labels = unit(random.normal(size=(n, 12))), random.choice(k, n, p=shares)
    folds = CrossFit.drawn(labels, np.arange(n), k, seed=0)
    linear = folds.scores(linear_model(vectors, labels, k))
    p, nearest = label_probabilities(RowVectors(np.arange(n), vectors), folds, linear)
    assert (folds.own(p) <= row_checks.UNLIKELY).sum() > 50
    assert candidates(p, labels, nearest, np.arange(n)) == []


def test_the_own_label_is_never_the_likelier_one():
    p = np.array([[0.02, 0.9, 0.08], [0.02, 0.49, 0.49], [0.6, 0.2, 0.2]])
    labels = np.array([0, 0, 0])
    found = candidates(p, labels, np.full((3, 1), -1), np.arange(3))
    assert [(one.place, one.likely) for one in found] == [(0, 1)]


def test_a_label_without_training_rows_gets_a_low_score():
    from scipy.sparse import csr_matrix

    features, labels = csr_matrix(np.eye(4)), np.array([0, 1, 0, 2])
    scores = words_model(features, labels, 4, 0)(np.array([0, 1, 2]), np.array([3]))
    assert scores.shape == (1, 4)  # a fourth label, which no row has
    assert np.isfinite(scores).all()


def test_words_that_give_the_label_away_solve_their_rows():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 300)
    texts = [
        f"{'yes ' if label else 'no '}{' '.join(rng.choice(list('abcdefghij'), 6))}" if i % 2 else " ".join(rng.choice(list("abcdefghij"), 7))
        for i, label in enumerate(labels)
    ]  # fmt: skip
    checks = check_rows(reading_of(texts, [str(label) for label in labels]))
    told, silent = checks.pvi["words"][1::2], checks.pvi["words"][::2]
    assert told.min() > 0.5
    assert abs(silent.mean()) < 0.2
    assert checks.n_solved == int(checks.solved.sum()) == pytest.approx(150, abs=25)
    assert checks.information["words"].bits == pytest.approx(0.5, abs=0.12)
    assert checks.own is None


def test_vectors_add_the_encoder_and_possible_errors():
    vectors, labels = two_topics(300, noise=0.3)
    given = labels.copy()
    given[:5] = 1 - given[:5]
    reading = reading_of([f"text {i}" for i in range(300)], [str(label) for label in given])
    checks = check_rows(reading, vectors=RowVectors(np.arange(300), vectors))
    assert checks.information["encoder"].bits > checks.information["words"].bits + 0.5
    assert {one.place for one in checks.candidates} == set(range(5))
    assert checks.own[:5].max() <= row_checks.UNLIKELY


def test_pairs_are_read_by_both_vectors():
    rng = np.random.default_rng(0)
    texts, contexts = (unit(rng.normal(size=(400, 8))) for _ in range(2))
    contexts[::2] = texts[::2]  # the label is whether both are the same
    rows = RowVectors(np.arange(400), texts, contexts)
    labels = np.arange(400) % 2
    folds = CrossFit.drawn(labels, np.arange(400), 2, seed=0)
    own = folds.own(folds.calibrated([folds.scores(linear_model(rows.features, labels, 2))]))
    assert (own > 0.5).mean() > 0.9
    np.testing.assert_allclose(np.linalg.norm(rows.joint, axis=1), 1, rtol=1e-5)
