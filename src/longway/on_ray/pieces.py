"""What Ray's workers keep for a job, and the three things that are done with it.

    Pieces.of(tables)                 handed to Ray, block by block
    pieces.become(make)               each piece gives some others, made and kept where it is
    pieces.each(answer)               what is said about each piece, in order
    pieces.total(empty, add, merge)   one result for all, made block by block

A row of the Ray dataset is one piece, pickled, so that Ray may cut and join its blocks as it likes: no piece is ever torn.

Ray Data does not run in a process that reached its cluster by `ray://`: such a process has no part in the cluster. There an actor,
which has one, holds the Ray dataset and is asked (`_Far`). It merges what blocks counted, and only the total travels.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import pyarrow as pa

from longway.on_ray.session import is_far, ordered_and_quiet

if TYPE_CHECKING:
    from ray.data import Dataset as RayDataset

T = TypeVar("T")
AT_ONCE = 8  # answers that come over the network together
TOGETHER = 16  # pieces in a table on their way into a block: about 16 MB of text
_PAYLOAD = "payload"
_WHOLE_BLOCKS: dict[str, Any] = {"batch_size": None, "batch_format": "pyarrow", "zero_copy_batch": True}


class Pieces(Protocol):
    """Pieces that Ray's workers keep."""

    def become(self, make: Callable[[Any], Iterable[object]]) -> None:
        """Put what `make` gives for each piece, in order, in its place."""
        ...

    def each(self, answer: Callable[[Any], T]) -> Iterator[T]:
        """What `answer` says about each piece, in order."""
        ...

    def total(
        self, empty: Callable[[], T], add: Callable[[T, Any], object], merge: Callable[[T, T], object]
    ) -> T:
        """What `add` makes of all pieces: of those of a block there, merged in the order of the blocks."""
        ...


def keep(blocks: Iterable[Sequence[object]]) -> Pieces:
    """The pieces of these blocks, kept by Ray; read and handed over block by block."""
    import ray

    refs = [ray.put(_table(block)) for block in blocks]
    return _Far(refs) if is_far() else _Near(refs)


class _Near:
    """Pieces of a process that is a part of the cluster."""

    def __init__(self, refs: list[Any]) -> None:
        from ray.data import from_arrow_refs

        self._data: RayDataset = from_arrow_refs(refs or [_empty()])

    def become(self, make: Callable[[Any], Iterable[object]]) -> None:
        def of_block(table: pa.Table) -> Iterator[pa.Table]:
            made = (new for piece in _pieces_in(table) for new in make(piece))
            is_first = True
            while (some := list(islice(made, TOGETHER))) or is_first:
                yield _table(some)
                is_first = False

        self._data = self._data.map_batches(of_block, **_WHOLE_BLOCKS).materialize()

    def each(self, answer: Callable[[Any], T]) -> Iterator[T]:
        def of_block(table: pa.Table) -> pa.Table:
            return _table([answer(piece) for piece in _pieces_in(table)])

        return self._rows(of_block)

    def total(
        self, empty: Callable[[], T], add: Callable[[T, Any], object], merge: Callable[[T, T], object]
    ) -> T:
        def of_block(table: pa.Table) -> pa.Table:
            result = empty()
            for piece in _pieces_in(table):
                add(result, piece)
            return _table([result])

        result = empty()
        for part in self._rows(of_block):
            merge(result, part)
        return result

    def _rows(self, of_block: Callable[[pa.Table], pa.Table]) -> Iterator[Any]:
        for row in self._data.map_batches(of_block, **_WHOLE_BLOCKS).iter_rows():
            yield pickle.loads(row[_PAYLOAD])


class _Far:
    """The same for a process that reached the cluster by `ray://`: an actor there does it."""

    def __init__(self, refs: list[Any]) -> None:
        import ray

        # no processor: it only waits for the workers, and a small cluster must have one left for them
        self._host: Any = ray.remote(_Host).options(num_cpus=0).remote(refs)

    def become(self, make: Callable[[Any], Iterable[object]]) -> None:
        self._ask("become", make)

    def each(self, answer: Callable[[Any], T]) -> Iterator[T]:
        walk = self._ask("start", answer)
        while some := self._ask("more", walk, AT_ONCE):
            yield from some

    def total(
        self, empty: Callable[[], T], add: Callable[[T, Any], object], merge: Callable[[T, T], object]
    ) -> T:
        return cast(T, self._ask("total", empty, add, merge))

    def _ask(self, verb: str, *about: Any) -> Any:
        import ray

        return ray.get(getattr(self._host, verb).remote(*about))


class _Host:
    """Holds the pieces of one `_Far`, in a process of the cluster."""

    def __init__(self, refs: list[Any]) -> None:
        self._quiet = ordered_and_quiet()
        self._quiet.__enter__()  # for as long as this process lives
        self._pieces = _Near(refs)
        self._walks: dict[int, Iterator[Any]] = {}
        self._numbers = count()

    def become(self, make: Callable[[Any], Iterable[object]]) -> None:
        self._pieces.become(make)

    def total(self, *how: Any) -> Any:
        return self._pieces.total(*how)

    def start(self, answer: Callable[[Any], Any]) -> int:
        number = next(self._numbers)
        self._walks[number] = self._pieces.each(answer)
        return number

    def more(self, walk: int, most: int) -> list[Any]:
        some = list(islice(self._walks[walk], most))
        if not some:
            del self._walks[walk]
        return some


def _empty() -> Any:
    import ray

    return ray.put(_table([]))


def _pieces_in(table: pa.Table) -> Iterator[Any]:
    for payload in table[_PAYLOAD]:
        yield pickle.loads(payload.as_buffer())


def _table(pieces: Iterable[object]) -> pa.Table:
    return pa.table({_PAYLOAD: pa.array([pickle.dumps(piece) for piece in pieces], type=pa.large_binary())})
