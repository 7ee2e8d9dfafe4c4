"""Where the shards of a job are computed: in this process, or by the workers of Ray.

    with shards_on("ray") as shard_map:
        results = shard_map(work, shards)       valid for the duration of the block

Ray lives in the package `longway.on_ray`, which is imported by name, so that it stays optional and jobs do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from longway.shard_map import ShardMap


def check_place(on: str | None) -> None:
    """Raises if a job cannot run at this place: None, "ray" or "ray://host:port"."""
    if on is not None:
        _ray().check_place(on)


@contextmanager
def shards_on(on: str | None) -> Iterator[ShardMap | None]:
    """What computes shards at this place; None for this process."""
    if on is None:
        yield None
        return
    with _ray().shards_on_ray(on) as shard_map:
        yield shard_map


def _ray() -> Any:
    return import_module("longway.on_ray")
