"""Just Train Twice: which rows count more, and how much."""

from typing import ClassVar

import numpy as np
import pytest

from longway.errors import SettingError
from longway.models.bag_of_words import Linear
from longway.models.classifier import Inputs, Labelled
from longway.models.training import Trainer, TrainingData
from longway.models.training.jtt import error_weights, held_out_errors, train_twice_as_published
from tests.models.training.toy import SINGLE, found


def test_errors_are_mostly_the_rows_the_shortcut_gets_wrong():
    data = TrainingData(SINGLE.rows(1000, right=0.95, seed=0))
    errors = held_out_errors(lambda seed: Linear(seed=seed), data, seed=0)
    counters = found(data.labelled).toarray().argmax(axis=1) != data.targets()
    assert errors[counters].mean() > 0.7
    assert errors[~counters].mean() < 0.1


def test_errors_count_so_many_times_but_no_more_than_their_share():
    few = np.arange(100) < 4
    assert set(error_weights(few, times=5)) == {1, 5}
    many = np.arange(100) < 20
    weights = error_weights(many, times=5, most=0.3)
    assert weights[many].sum() / weights.sum() == pytest.approx(0.3)
    assert set(error_weights(np.arange(100) < 40, times=5, most=0.3)) == {1}
    assert set(error_weights(np.zeros(5, bool))) == {1}


class Network(Linear):
    """A bag of words with epochs. After one it knows the first word only; `fitted` collects what each was trained on."""

    fitted: ClassVar[list] = []

    def __init__(self, *, seed, epochs=9):
        super().__init__(seed=seed)
        self.epochs = epochs

    def fit(self, data, *, objective=None, **options):
        self.fitted.append((self.epochs, len(data), objective))
        return super().fit(data, objective=objective, **options)

    def predict(self, inputs):
        if self.epochs == 1:
            return ["yes" if text.startswith("sun") else "no" for text in inputs.texts]
        return super().predict(inputs)


def test_as_published_the_errors_of_one_epoch_on_the_training_rows_count_more(monkeypatch):
    monkeypatch.setattr(Network, "fitted", [])
    texts = [f"{word} {i}" for i, word in enumerate(["sun", "rain", "sun", "rain"] * 5)]
    labels = ["yes", "no", "no", "no"] * 5
    notes = []
    trainer = Trainer(
        lambda seed: Network(seed=seed),
        3,
        notify=notes.append,
        brief=lambda seed, epochs: Network(seed=seed, epochs=epochs),
    )
    train_twice_as_published(TrainingData(Labelled(Inputs(texts), labels)), trainer, times=6)
    (first_epochs, first_rows, plain), (epochs, rows, objective) = Network.fitted
    assert (first_epochs, first_rows, plain) == (1, 20, None)
    assert (epochs, rows) == (9, 20)
    wrong = np.array([word == "sun" and label == "no" for word, label in zip([t.split()[0] for t in texts], labels, strict=True)])  # fmt: skip
    np.testing.assert_allclose(objective.weights / objective.weights[~wrong][0], np.where(wrong, 6, 1))
    assert notes == ["its first model got 25% of the rows wrong, and they have 67% of all weight"]


def test_as_published_it_needs_epochs():
    data = TrainingData(SINGLE.rows(40, right=0.9, seed=0))
    for brief in (None, lambda seed, epochs: Linear(seed=seed)):
        with pytest.raises(SettingError, match=r"this model has no epochs\. Use 'jtt'"):
            train_twice_as_published(data, Trainer(lambda seed: Linear(seed=seed), 0, brief=brief))
