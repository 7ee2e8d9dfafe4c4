"""A function applied to shards by Ray's workers, through `ray.data`.

    with shards_on_ray("ray") as shard_map:
        results = shard_map(work, shards)       in order

`ray.data` splits, schedules and repeats: the work of a worker that dies is done again by another one. Shards are sent in
windows, so that results can be written to a journal between them, and a long stream never lies in memory. `ray.data` does not
run in a process that is connected by `ray://`, because such a process is not part of the cluster: there, one remote task
runs it for a window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from longway.on_ray.session import cpus, is_far, ordered_and_quiet, session
from longway.shard_map import ShardMap, in_shards

SHARDS_PER_CPU = 4  # in a window: few enough to lose little, and enough to keep workers busy until its end


@dataclass(frozen=True, slots=True)
class _Sealed:
    """A value that Ray's tables hold as it is; they would turn arrays and lists into columns."""

    value: Any


@contextmanager
def shards_on_ray(place: str, **limits: Any) -> Iterator[ShardMap]:
    """What applies a function to shards at this place, for the duration of the block. limits: as in `session`."""
    with session(place, **limits):
        yield _shard_map


def _shard_map(work: Callable[[Any], Any], shards: Iterable[Any]) -> Iterator[Any]:
    import ray

    sent = ray.put(work)  # once, for all windows
    far = ray.remote(_window).options(
        num_cpus=0
    )  # it only waits, and a small cluster needs its processors for workers
    for window in in_shards(shards, int(SHARDS_PER_CPU * cpus())):
        yield from ray.get(far.remote([sent], window)) if is_far() else _window([sent], window)


def _window(sent: list[Any], shards: list[Any]) -> list[Any]:
    """The results of some shards, each a block of its own. sent: the work; in a list, so that Ray leaves it where it is."""
    from ray.data import from_items

    with ordered_and_quiet():
        rows = from_items([{"shard": _Sealed(shard)} for shard in shards], override_num_blocks=len(shards))
        return [row["result"].value for row in rows.map(_result, fn_args=sent).iter_rows()]


def _result(row: dict[str, Any], sent: Any) -> dict[str, Any]:
    import ray

    work = ray.get(sent)
    return {"result": _Sealed(work(row["shard"].value))}
