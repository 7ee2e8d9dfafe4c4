"""What models that know only the shortcut see, and that they are asked about rows they have not seen."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

from longway.errors import SettingError
from longway.models.classifier import Inputs, Labelled
from longway.models.nbsvm import NbSvm
from longway.models.training import TrainingData
from longway.models.training.experts import (
    at_least,
    biased_model,
    folds,
    held_out_probabilities,
    logistic,
    ngrams,
    shortcut_features,
    text_expert,
)
from tests.models.training.toy import PAIRS, SINGLE, found


def slow_ngrams(texts, longest, fewest):
    sets = [
        {" ".join(w[i : i + n]) for n in range(1, longest + 1) for i in range(len(w) - n + 1)}
        for w in map(str.split, texts)
    ]
    names = sorted({g for s in sets for g in s if sum(g in other for other in sets) >= fewest})
    return [[float(name in s) for name in names] for s in sets]


@pytest.mark.parametrize("longest", [1, 2, 3])
def test_ngrams_are_those_of_the_slow_twin(longest):
    rng = np.random.default_rng(longest)
    texts = [" ".join(rng.choice(list("abcd"), rng.integers(0, 6))) for _ in range(30)]
    assert ngrams(texts, longest=longest, fewest=4).toarray().tolist() == slow_ngrams(texts, longest, 4)


def test_pairs_show_their_text_and_single_texts_what_was_found():
    single, pairs = SINGLE.rows(40, right=0.9, seed=0), PAIRS.rows(40, right=0.9, seed=0)
    assert shortcut_features(TrainingData(single, shortcuts=found(single))).shape == (40, 2)
    assert shortcut_features(TrainingData(pairs, shortcuts=found(pairs))).shape[1] > 2
    assert shortcut_features(TrainingData(single)).shape[1] > 2


def test_rows_with_the_same_text_are_in_one_fold_and_labels_in_all():
    rng = np.random.default_rng(0)
    texts = [f"text {i}" for i in rng.integers(60, size=200)]
    labels = ["rare" if int(t.split()[1]) < 10 else "usual" for t in texts]
    fold = folds(Labelled(Inputs(texts), labels), 5, seed=1)
    assert all(len({f for f, t in zip(fold, texts, strict=True) if t == text}) == 1 for text in set(texts))
    assert {(f, y) for f, y in zip(fold.tolist(), labels, strict=True)} == {
        (f, y) for f in range(5) for y in ("rare", "usual")
    }
    assert (fold == folds(Labelled(Inputs(texts), labels), 5, seed=1)).all()
    assert (fold != folds(Labelled(Inputs(texts), labels), 5, seed=2)).any()


def test_no_row_is_told_by_a_model_that_has_seen_it():
    asked = []

    def ask(learn, tell):
        asked.append((set(learn.tolist()), set(tell.tolist())))
        return np.array([2, 0]), np.tile([0.25, 0.75], (len(tell), 1))  # learned two of three labels

    told = held_out_probabilities(ask, np.array([0, 1, 2, 0, 1]), 3)
    assert all(not learn & tell and learn | tell == set(range(5)) for learn, tell in asked)
    np.testing.assert_allclose(told, [[0.75, 0, 0.25]] * 5, atol=1e-3)
    assert told.min() > 0


def test_probabilities_keep_a_floor_and_a_sum():
    held = at_least(np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]), 0.01)
    np.testing.assert_allclose(held, [[0.98, 0.01, 0.01], [0.204, 0.301, 0.495]])


def test_an_expert_of_texts_without_any_shortcut_is_unsure():
    """Words that only each row itself has: an expert that had learned its rows by heart would be sure."""
    data = PAIRS.rows(300, right=0.5, seed=3)
    expert = text_expert(TrainingData(data), seed=0)
    gold = expert[np.arange(300), TrainingData(data).targets()]
    assert abs(gold.mean() - 0.5) < 0.05


def test_the_biased_model_says_how_often_each_shortcut_is_right():
    data = SINGLE.rows(1000, right=0.9, seed=4)
    training = TrainingData(data, shortcuts=found(data))
    tell, targets = training.shortcuts.toarray().argmax(axis=1), training.targets()
    told = biased_model(training, seed=0)
    for shortcut in (0, 1):
        rows = tell == shortcut
        assert told[rows, shortcut].mean() == pytest.approx((targets[rows] == shortcut).mean(), abs=0.02)


@pytest.mark.parametrize("labels", [2, 3])
def test_a_strong_penalty_leaves_only_the_most_telling_feature(labels):
    rng = np.random.default_rng(5)
    targets = rng.integers(labels, size=300)
    strong = (targets == 0) ^ (rng.random(300) < 0.05)
    weak = (targets == 1) ^ (rng.random(300) < 0.45)
    features = csr_matrix(np.stack([strong, weak], axis=1).astype(float))
    weights = np.abs(logistic(features, targets, strength=0.05, sparse=True).coef_).max(axis=0)
    assert weights[0] > 0.1
    assert weights[1] < 1e-3


def test_models_that_are_fitted_in_threads_equal_those_fitted_one_after_the_other():
    """liblinear, which fits both kinds, has one random generator for all threads of a process."""

    def coefficients(seed):
        rng = np.random.default_rng(seed % 4)
        features = random_array((400, 2000), density=0.02, format="csr", rng=rng)
        targets = rng.integers(2, size=400)
        if seed % 2:
            return logistic(features, targets, strength=1.0, sparse=True).coef_[0]
        features.data[:] = 1
        return NbSvm(seed=seed % 4).fit(features, targets)._models[0][0]

    alone = [coefficients(seed) for seed in range(4)]
    with ThreadPoolExecutor(3) as threads:
        together = list(threads.map(coefficients, range(120)))
    different = [seed for seed, one in enumerate(together) if not np.array_equal(one, alone[seed % 4])]
    assert not different


def test_a_label_with_one_text_cannot_be_asked_about_unseen():
    data = Labelled(Inputs(["a", "b", "c", "d"], ["x"] * 4), ["yes", "no", "no", "no"])
    with pytest.raises(SettingError, match="two different texts for each label"):
        text_expert(TrainingData(data), seed=0)


def test_texts_that_share_nothing_tell_how_often_labels_come():
    texts = [f"word{i}" for i in range(50)]
    data = Labelled(Inputs(texts, texts), ["yes", "no", "no", "no", "no"] * 10)
    expert = text_expert(TrainingData(data), seed=0)
    np.testing.assert_allclose(expert, [[0.8, 0.2]] * 50, atol=0.02)


def test_rows_with_the_same_context_are_in_one_fold_unless_one_context_is_in_most_rows():
    """Left out alone, the row of a context that was seen with the other label is told wrong whatever its text says."""
    n = 200
    texts, labels = [f"text {i}" for i in range(n)], ["yes", "no"] * (n // 2)
    shared = Labelled(Inputs(texts, [f"context {i // 2}" for i in range(n)]), labels)
    fold = folds(shared, 5, seed=0)
    assert (fold[::2] == fold[1::2]).all()
    assert set(np.bincount(fold)) == {40}
    one = Labelled(Inputs(texts, ["the same"] * n), labels)
    assert set(np.bincount(folds(one, 5, seed=0))) == {40}
