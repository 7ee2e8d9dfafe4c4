"""The leak after each round: on the same rows each time, and on no others."""

import numpy as np
import pytest

from longway.detect import leak as leak_module
from longway.detect.leak import leak_by_folds, rows_measured
from longway.detect.reading import Reading
from longway.jobs.rewrite.rewriting import LeakOfRounds
from longway.jobs.rows import dataset_of
from longway.methods.method import Rows
from longway.task import task_of


def made_rows(n=400):
    """Half the rows of a label have a word that tells it."""
    random = np.random.default_rng(3)
    labels = np.arange(n) % 2
    texts = [
        " ".join(
            [*(f"w{k}" for k in random.integers(0, 50, 6)), f"tells{label}" if random.random() < 0.5 else ""]
        )
        for label in labels
    ]
    names = ["no", "yes"]
    return Rows([str(i) for i in range(n)], texts, labels, names, task_of(names), [f"c{i}" for i in range(n)])


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(leak_module, "MAX_ROWS", 120)


def test_few_rows_are_all_measured():
    rows = made_rows()
    assert LeakOfRounds(rows, seed=1)(rows) == leak_by_folds(Reading.of(dataset_of(rows)), "text", seed=1)


def test_of_many_rows_the_same_ones_are_measured_each_time(few):
    rows = made_rows()
    leak = LeakOfRounds(rows, seed=1)
    first = leak(rows)
    assert first.rows == len(leak.places) == 120
    assert first.how.endswith("on 120 rows drawn at random")
    drawn = set(leak.places.tolist())
    for row in range(len(rows)):
        if row not in drawn:
            rows.texts[row] = f"tells{1 - rows.labels[row]}"
    assert leak(rows) == first
    for row in drawn:
        rows.texts[row] = f"{rows.texts[row]} tells{rows.labels[row]}"
    assert leak(rows).accuracy > first.accuracy


def test_the_draw_is_that_of_an_audit(few):
    rows = made_rows()
    audit = leak_by_folds(Reading.of(dataset_of(rows)), "text", seed=1)
    assert LeakOfRounds(rows, seed=1)(rows) == audit


def test_a_label_that_the_draw_misses_is_no_error(few):
    rows = made_rows()
    rows.labels = (np.arange(400) == 399).astype(np.int64)
    seed = next(seed for seed in range(9) if 399 not in rows_measured(400, 400 * 7, seed=seed))
    leak = LeakOfRounds(rows, seed=seed)(rows)
    assert (leak.rows, leak.accuracy, leak.majority) == (120, 1.0, 1.0)
