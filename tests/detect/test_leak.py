"""The leak: present where a word gives the label away, absent where nothing does."""

import numpy as np
import pytest

from longway.detect.leak import leak_by_folds, leak_on_test, linked_rows, word_features
from longway.detect.reading import Reading
from longway.models.nbsvm import NbSvm
from tests.conftest import dataset_of, reading_of

pytestmark = pytest.mark.usefixtures("all_folds")


def noise(random, n):
    return [" ".join(f"w{k}" for k in random.integers(0, 40, 8)) for _ in range(n)]


def test_a_give_away_word_leaks_and_noise_does_not():
    random = np.random.default_rng(1)
    labels = ["x", "y"] * 150
    plain = noise(random, 300)
    told = [f"{text} tell" if label == "y" else text for text, label in zip(plain, labels, strict=True)]
    leaky, clean = (
        leak_by_folds(reading_of(told, labels), "text"),
        leak_by_folds(reading_of(plain, labels), "text"),
    )
    assert leaky.accuracy > 0.99
    assert clean.low < clean.majority == 0.5 < clean.high


def test_the_leak_of_each_part_is_its_own():
    random = np.random.default_rng(2)
    labels = ["x", "y", "z"] * 100
    contexts = [f"{text} is{label}" for text, label in zip(noise(random, 300), labels, strict=True)]
    reading = reading_of(noise(random, 300), labels, contexts)
    assert leak_by_folds(reading, "text").accuracy < 0.5
    assert leak_by_folds(reading, "context").accuracy > 0.99
    assert leak_by_folds(reading, "both").accuracy > 0.9


def test_copies_of_a_text_stay_in_one_fold():
    random = np.random.default_rng(3)
    texts = noise(random, 40)
    labels = random.permutation(["x", "y"] * 20).tolist()
    leak = leak_by_folds(reading_of(texts * 6, labels * 6), "text")
    assert leak.low < 0.6  # memorising the copies would give 100%
    assert leak.high - leak.low > 0.2  # six copies of one text are one observation, not six


def test_a_shortcut_that_turns_round_in_the_test_set_is_worse_than_chance_there():
    random = np.random.default_rng(4)
    labels = ["x", "y"] * 100
    train = [f"{t} mark{label}" for t, label in zip(noise(random, 200), labels, strict=True)]
    flipped = [
        f"{t} mark{'y' if label == 'x' else 'x'}" for t, label in zip(noise(random, 200), labels, strict=True)
    ]
    reading = reading_of(train, labels)
    test = Reading.of(dataset_of(flipped, labels), like=reading)
    leak = leak_on_test(reading, test, "text", name="flipped")
    assert leak.accuracy < 0.05
    assert "flipped" in leak.how


def test_a_test_set_with_one_unknown_label_counts_it_as_wrong():
    reading = reading_of(["good a", "bad b"] * 30, ["x", "y"] * 30)
    test = Reading.of(dataset_of(["good a", "bad b", "good c"], ["x", "y", "new"]), like=reading)
    assert leak_on_test(reading, test, "text", name="t").accuracy == pytest.approx(2 / 3)


def test_features_are_words_and_ngrams_seen_twice():
    reading = reading_of(["a b", "a b c", "c"], ["x", "y", "x"])
    features = word_features([reading], ("text",), [np.arange(3)])
    columns = features.toarray().T.tolist()
    assert sorted(columns[:3]) == [[0, 1, 1], [1, 1, 0], [1, 1, 0]]  # c; a, b
    assert sorted(columns[3:6]) == [[0, 1, 1], [1, 1, 0], [1, 1, 0]]  # "c end"; "a b", "start a"
    assert columns[6:] == [[1, 1, 0]]  # "start a b"


def test_a_text_that_comes_with_several_contexts_stays_in_one_fold():
    random = np.random.default_rng(5)
    texts = noise(random, 60) * 6
    labels = random.permutation(["x", "y"] * 30).tolist() * 6
    contexts = [f"context {i}" for i in range(360)]
    assert leak_by_folds(reading_of(texts, labels, contexts), "text").low < 0.6  # remembering would give 100%


def test_an_interval_knows_that_copies_are_one_observation_even_where_all_is_right():
    texts = [f"tell{i % 2} w{i}" for i in range(25)] * 40
    leak = leak_by_folds(reading_of(texts, [f"l{i % 2}" for i in range(25)] * 40), "text")
    assert leak.accuracy == 1.0
    assert leak.low < 0.9  # 25 texts, not 1,000 rows


def test_bag_of_words_gives_one_score_a_label():
    reading = reading_of(["a b", "c d", "e f"] * 10, ["x", "y", "z"] * 10)
    features = word_features([reading], ("text",), [np.arange(30)])
    model = NbSvm().fit(features, reading.labels)
    assert model.scores(features).shape == (30, 3)
    assert (model.predict(features) == reading.labels).all()


def test_a_text_that_goes_with_everything_does_not_tie_all_rows_together():
    contexts = [f"context {i // 2}" for i in range(200)]
    texts = ["the same" if i % 2 else f"text {i}" for i in range(200)]
    reading = reading_of(texts, ["x", "y"] * 100, contexts)
    groups = linked_rows(reading, np.arange(200), ("context",))
    assert groups.tolist() == [i // 2 for i in range(200)]  # by context alone
    by_text = linked_rows(reading, np.arange(200), ("text",))
    assert len(set(by_text[1::2].tolist())) == 1  # copies stay together


def test_long_texts_are_cross_validated_less_often(monkeypatch):
    """Repeats lower the noise of the draw of folds, which much text has little of."""
    reading = reading_of(noise(np.random.default_rng(3), 100), ["x", "y"] * 50)  # 800 tokens
    monkeypatch.setattr("longway.detect.leak.folds_for", lambda n_rows, n_labels: (2, 5))
    assert leak_by_folds(reading, "text").how == "2-fold cross-validation, 5 times"
    monkeypatch.setattr("longway.detect.leak.MAX_TOKENS_READ", 2000)
    assert leak_by_folds(reading, "text").how == "2-fold cross-validation, 2 times"
