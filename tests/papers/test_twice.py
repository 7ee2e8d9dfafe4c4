"""papers/grammar/twice.py: Just Train Twice as published."""

from typing import ClassVar

import numpy as np
import pytest

from longway.errors import SettingError
from longway.models.bag_of_words import Linear
from longway.models.classifier import Inputs, Labelled
from longway.models.training import Trainer, TrainingData
from tests.models.training.toy import SINGLE

twice = pytest.importorskip("twice")


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


def brief(seed, epochs):
    return Network(seed=seed, epochs=epochs)


def test_the_errors_of_one_epoch_on_the_training_rows_count_more(monkeypatch):
    monkeypatch.setattr(Network, "fitted", [])
    texts = [f"{word} {i}" for i, word in enumerate(["sun", "rain", "sun", "rain"] * 5)]
    labels = ["yes", "no", "no", "no"] * 5
    notes = []
    trainer = Trainer(lambda seed: Network(seed=seed), 3, notify=notes.append)
    data = TrainingData(Labelled(Inputs(texts), labels))
    twice.train_twice_as_published(data, trainer, brief, times=6)
    (first_epochs, first_rows, plain), (epochs, rows, objective) = Network.fitted
    assert (first_epochs, first_rows, plain) == (1, 20, None)
    assert (epochs, rows) == (9, 20)
    wrong = np.array([word == "sun" and label == "no" for word, label in zip([t.split()[0] for t in texts], labels, strict=True)])  # fmt: skip
    np.testing.assert_allclose(objective.weights / objective.weights[~wrong][0], np.where(wrong, 6, 1))
    assert notes == ["its first model got 25% of the rows wrong, and they have 67% of all weight"]


def test_it_needs_epochs():
    data = TrainingData(SINGLE.rows(40, right=0.9, seed=0))
    with pytest.raises(SettingError, match=r"this model has no epochs\. Use 'jtt'"):
        twice.train_twice_as_published(data, Trainer(lambda seed: Linear(seed=seed), 0), brief)
