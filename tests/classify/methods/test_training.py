"""What all methods share: names, needs, what is handed to the classifier."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from longway.classify.linear import Linear
from longway.classify.methods import METHODS, Training, method_named
from longway.classify.naive_bayes import NaiveBayes
from longway.errors import SettingError
from tests.classify.methods.toy import PAIRS, SINGLE, found

DATA = PAIRS.rows(120, right=0.9, seed=0)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_its_name_and_needs(name):
    method = method_named(name)
    assert method.name == name
    assert method.needs <= {"context", "shortcuts"}


def test_an_unknown_name_is_answered_with_the_list():
    with pytest.raises(SettingError, match="erm, rew, poe, clever, jtt, drift, dro"):
        method_named("irm")


def test_shortcuts_must_be_those_of_the_rows():
    with pytest.raises(SettingError, match="one row for each training row, 120"):
        Training(DATA, shortcuts=csr_matrix((3, 2)))


@pytest.mark.parametrize("name", METHODS)
def test_watch_is_told_of_the_last_training_and_seeds_fix_everything(name):
    validation, told, made = PAIRS.rows(40, right=0.9, seed=1), [], []

    def fresh(seed):
        made.append(seed)
        return Linear(seed=seed)

    data = Training(DATA, validation, found(DATA))
    model = method_named(name).fit(fresh, data, seed=7, watch=told.append)
    again = method_named(name).fit(fresh, data, seed=7)
    assert [epoch.number for epoch in told] == list(range(1, len(told) + 1))
    assert set(made) == {7}
    np.testing.assert_array_equal(model.logits(validation.inputs), again.logits(validation.inputs))


@pytest.mark.parametrize("name", ["poe", "drift", "dro"])
def test_a_classifier_that_takes_only_weights_says_so(name):
    data = SINGLE.rows(120, right=0.9, seed=0)
    with pytest.raises(SettingError, match="naive Bayes"):
        method_named(name).fit(
            lambda seed: NaiveBayes(seed=seed), Training(data, shortcuts=found(data)), seed=0
        )


@pytest.mark.parametrize("name", METHODS)
def test_three_labels_are_no_different(name):
    rng = np.random.default_rng(0)
    labels = [("no", "yes", "maybe")[i] for i in rng.integers(3, size=120)]
    data = Training(type(DATA)(DATA.inputs, labels), shortcuts=found(DATA))
    model = method_named(name).fit(lambda seed: Linear(seed=seed), data, seed=0)
    assert model.predict_proba(DATA.inputs).shape == (120, 3)


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"erm", "clever"}))
def test_one_label_is_nothing_to_learn(name):
    data = Training(type(DATA)(DATA.inputs, ["yes"] * len(DATA)), shortcuts=found(DATA))
    with pytest.raises(SettingError, match="at least two labels"):
        method_named(name).fit(lambda seed: Linear(seed=seed), data, seed=0)
