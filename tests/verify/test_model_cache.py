"""What models said is computed once, and found again by the next run."""

import numpy as np

from longway.store.journal import Journal
from longway.verify.model_cache import ModelCache


def lengths(asked):
    def compute(items):
        asked.extend(items)
        return np.array([[len(item), 0.5] for item in items], np.float32)

    return compute


def test_equal_items_are_computed_once_and_come_in_order():
    asked = []
    memory = ModelCache()
    found = memory.rows("m 1", ["aaa", "b", "aaa"], lengths(asked))
    assert found.tolist() == [[3, 0.5], [1, 0.5], [3, 0.5]]
    assert asked == ["aaa", "b"]


def test_the_journal_answers_the_next_run(tmp_path):
    asked = []
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    first = ModelCache(journal).rows("m 1", ["aaa", "b"], lengths(asked))
    journal.close()
    journal = Journal(path)
    second = ModelCache(journal).rows("m 1", ["b", "aaa"], lengths(asked))
    journal.close()
    assert second.tolist() == first[::-1].tolist()
    assert asked == ["aaa", "b"]


def test_another_model_version_is_asked_anew():
    asked = []
    memory = ModelCache(Journal(None))
    memory.rows("m 1", ["a"], lengths(asked))
    memory.rows("m 2", ["a"], lengths(asked))
    assert asked == ["a", "a"]


def test_no_items_give_no_rows():
    assert len(ModelCache().rows("m 1", [], lengths([]))) == 0
