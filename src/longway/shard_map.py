"""Work on parts of a job's data, here or elsewhere.

A `ShardMap` applies a function to every shard and yields the results in order, as `map` does. `longway.on_ray` has one that
uses Ray's workers: function, shards and results must be picklable there.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")
ShardMap = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


def in_shards(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`, the last one shorter; read as they are needed.

    >>> list(in_shards("abc", 2))
    [['a', 'b'], ['c']]
    """
    left = iter(items)
    while shard := list(islice(left, size)):
        yield shard
