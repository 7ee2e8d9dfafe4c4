"""Several classifiers over the same rows: nobody explains or judges a row that it has learned from."""

import numpy as np
import pytest

from longway.errors import SettingError
from longway.models.classifier import Inputs, Labelled
from longway.models.ensemble import Ensemble

POSITIVE = [f"a great film number {i} with nancy" for i in range(30)]
NEGATIVE = [f"a dull film number {i} with peter" for i in range(30)]
DATA = Labelled(Inputs(POSITIVE + NEGATIVE), ["pos"] * 30 + ["neg"] * 30)


@pytest.fixture(scope="module")
def ensemble():
    return Ensemble(DATA, ("bow", "nb"), folds=3, seed=1)


def test_each_fit_leaves_its_fold_out(ensemble):
    fitted = {}

    class Spy:
        def fit(self, data):
            fitted[len(fitted)] = set(data.inputs.texts)
            return self

    watched = Ensemble(DATA, ("bow",), folds=3, seed=1)
    watched._fresh = lambda name: Spy()
    for fold in range(3):
        watched.model("bow", fold)
        own = {DATA.inputs.texts[i] for i in np.flatnonzero(watched.fold == fold)}
        assert own
        assert not own & fitted[fold]
        assert own | fitted[fold] == set(DATA.inputs.texts)


def test_equal_texts_stay_together():
    twice = Labelled(Inputs(POSITIVE + POSITIVE), ["pos"] * 30 + ["neg"] * 30)
    fold = Ensemble(twice, ("bow",), folds=2).fold
    assert (fold[:30] == fold[30:]).all()


def test_word_scores_name_the_words_that_tell(ensemble):
    for name in ("bow", "nb"):
        every = ensemble.word_scores(name, method="ig")
        scores = [every[3], every[33]]
        assert {"great", "nancy"} <= set(scores[0].top(3))
        assert {"dull", "peter"} <= set(scores[1].top(3))
        assert [one.target for one in scores] == ["pos", "neg"]


def test_what_it_cannot_be_is_said_before_anything_is_trained():
    with pytest.raises(SettingError, match="models of different names"):
        Ensemble(DATA, ("bow", "bow"))
    with pytest.raises(SettingError, match="'model' must be one of"):
        Ensemble(DATA, ("bow", "nothing"))
    with pytest.raises(SettingError, match="at least 1 fold"):
        Ensemble(Labelled(Inputs(["same", "same"]), ["neg", "pos"]), ("bow",))
