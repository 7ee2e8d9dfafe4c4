"""Vectors kept by content: computed once, per model, across processes."""

import multiprocessing

import numpy as np
import pytest

from longway.errors import RunError
from longway.models.encoders import AT_ONCE, VectorCache


def vector_of(text):
    return np.array([len(text), text.count("a"), 0.1], np.float32)


class Counting:
    """Computes vectors and remembers for which texts it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        self.asked += texts
        return np.array([vector_of(text) for text in texts], np.float32).reshape(-1, 3)


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_text_is_computed_once(tmp_path, on_disk):
    cache, compute = VectorCache(tmp_path / "deep" / "v.sqlite" if on_disk else None), Counting()
    texts = ["a", "ba", "", "a"]
    for _ in range(2):
        found = cache.rows("m", texts, compute)
        np.testing.assert_array_equal(found, [vector_of(text) for text in texts])
    assert found.dtype == np.float32
    assert compute.asked == ["a", "ba", ""]
    cache.rows("m", ["ba", "new"], compute)
    assert compute.asked[3:] == ["new"]


def test_another_model_finds_nothing_and_another_run_everything(tmp_path):
    first, second = Counting(), Counting()
    VectorCache(tmp_path / "v.sqlite").rows("m", ["a"], first)
    again = VectorCache(tmp_path / "v.sqlite")
    again.rows("m", ["a"], second)
    assert second.asked == []
    again.rows("other", ["a"], second)
    assert second.asked == ["a"]


def test_what_was_computed_before_a_failure_is_kept(tmp_path):
    texts = [f"text {i}" for i in range(AT_ONCE + 5)]
    compute = Counting()

    def fails_later(some):
        if compute.asked:
            raise KeyboardInterrupt
        return compute(some)

    cache = VectorCache(tmp_path / "v.sqlite")
    with pytest.raises(KeyboardInterrupt):
        cache.rows("m", texts, fails_later)
    found = cache.rows("m", texts, compute)
    assert len(compute.asked) == len(texts)
    np.testing.assert_array_equal(found[-1], vector_of(texts[-1]))


def test_no_texts_give_no_vectors():
    assert VectorCache(None).rows("m", [], Counting()).shape == (0, 3)


def _fill(path):
    cache = VectorCache(path)
    for start in range(0, 200, 20):
        cache.rows("m", [f"t{i}" for i in range(start, start + 20)], Counting())


def test_two_processes_may_fill_one_file(tmp_path):
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=_fill, args=(tmp_path / "v.sqlite",)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    compute = Counting()
    VectorCache(tmp_path / "v.sqlite").rows("m", [f"t{i}" for i in range(200)], compute)
    assert compute.asked == []


def test_a_file_that_is_no_cache_is_told(tmp_path):
    (tmp_path / "v.sqlite").write_text("no database, but long enough to be taken for one" * 20)
    with pytest.raises(RunError, match=r"no cache of vectors.* only saves time"):
        VectorCache(tmp_path / "v.sqlite")


def test_a_full_disk_needs_room_and_not_another_file(tmp_path):
    cache = VectorCache(tmp_path / "v.sqlite")
    cache._database.execute("PRAGMA max_page_count = 4")
    with pytest.raises(RunError, match=r"disk is full.* Make room") as told:
        cache.rows("m", [f"t{i}" for i in range(2_000)], Counting())
    assert "Delete" not in str(told.value)
