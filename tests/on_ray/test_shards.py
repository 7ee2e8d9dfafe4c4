"""What a shard map of Ray promises: results in order, from other processes, also when one of them dies."""

from __future__ import annotations

import os
from functools import partial

import numpy as np
import pytest

from longway.errors import EngineError
from longway.on_ray.shards import SHARDS_PER_CPU, shards_on_ray


def test_results_come_in_the_order_of_the_shards_from_other_processes(ray_here):
    def work(factor, shard):  # pickled by value, since it is no name of a module
        return {"pid": os.getpid(), "list": [shard, None], "array": np.arange(shard) * factor}

    results = list(ray_here(partial(work, 3), range(20)))
    assert [result["list"] for result in results] == [[shard, None] for shard in range(20)]
    assert all(np.array_equal(result["array"], np.arange(i) * 3) for i, result in enumerate(results))
    assert os.getpid() not in {result["pid"] for result in results}
    assert list(ray_here(partial(work, 3), [])) == []


def test_shards_are_read_a_window_at_a_time(ray_here):
    read = []

    def shards():
        for number in range(1000):
            read.append(number)
            yield number

    assert next(iter(ray_here(abs, shards()))) == 0
    assert len(read) == 2 * SHARDS_PER_CPU


def test_the_work_of_a_worker_that_dies_is_done_again(ray_here, tmp_path):
    def work(shard):
        if shard == 5 and not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            os._exit(1)
        return shard * shard

    assert list(ray_here(work, range(12))) == [shard * shard for shard in range(12)]
    assert (tmp_path / "died").exists()


@pytest.mark.usefixtures("ray_here")
def test_an_error_in_a_worker_names_its_cause_and_what_to_do():
    def work(shard):
        raise ValueError("The shard is bad.")

    with (
        pytest.raises(EngineError, match=r"ValueError: The shard is bad\. .*omit --on"),
        shards_on_ray("ray") as shard_map,
    ):
        list(shard_map(work, [1, 2]))
