"""CLEVER: the difference of two classifiers."""

import numpy as np
import pytest

from longway.errors import SettingError
from longway.models.bag_of_words import Linear
from longway.models.catalog import load_model
from longway.models.training import Trainer, TrainingData, method_named
from longway.models.training.clever import Difference, train_clever
from tests.models.training.toy import PAIRS, SINGLE


def fresh(seed):
    return Linear(seed=seed)


def test_the_answer_is_the_difference_of_log_probabilities():
    data, test = PAIRS.rows(200, right=0.95, seed=0), PAIRS.rows(20, right=0.5, seed=1)
    model = train_clever(TrainingData(data), Trainer(fresh, 0), strength=0.7)
    fusion = fresh(0).fit(data).predict_proba(test.inputs)
    text = (
        fresh(0).fit(type(data)(data.inputs.text_only(), data.labels)).predict_proba(test.inputs.text_only())
    )
    np.testing.assert_allclose(model.logits(test.inputs), np.log(fusion) - 0.7 * np.log(text))
    odds = fusion / text**0.7
    np.testing.assert_allclose(model.predict_proba(test.inputs), odds / odds.sum(axis=1, keepdims=True))


def test_nothing_is_taken_off_with_strength_0():
    data = PAIRS.rows(200, right=0.95, seed=0)
    model = train_clever(TrainingData(data), Trainer(fresh, 0), strength=0.0)
    assert model.predict(data.inputs) == fresh(0).fit(data).predict(data.inputs)


def test_it_is_the_same_after_saving(tmp_path):
    data = PAIRS.rows(100, right=0.95, seed=0)
    model = train_clever(TrainingData(data), Trainer(fresh, 0), strength=0.5)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert isinstance(again, Difference)
    assert again.labels_ == model.labels_
    np.testing.assert_allclose(again.logits(data.inputs), model.logits(data.inputs))


def test_single_texts_have_no_context_to_compare_with():
    with pytest.raises(SettingError, match="'clever' needs pairs"):
        method_named("clever").fit(TrainingData(SINGLE.rows(20, right=0.5, seed=0)), Trainer(fresh, 0))
