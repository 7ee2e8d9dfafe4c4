"""What Ray's workers keep for a job, and what is done with it.

    keep(blocks)                      hands pieces to Ray, block by block
    pieces.become(make)               replaces each piece by others, created and kept where it is
    pieces.each(answer)               a result per piece, in order
    pieces.total(empty, add, merge)   one result for all, computed block by block
    write_shards(path, jobs, write)   a folder of shards instead of one file, complete or not there

A row of the Ray dataset is one pickled piece, so that Ray may split and join its blocks without splitting a piece.

Ray Data does not run in a process that is connected by `ray://`, since such a process is not part of the cluster. There an actor
inside the cluster holds the Ray dataset (`_Far`). It merges the counts of the blocks, and only the total is sent.

Shards are `scores.parquet/part-00000.parquet`, `part-00001.parquet` ... Readers of Parquet (pandas, Polars, Arrow, Ray) accept such a
folder by its name, and `longway.data.load` accepts it for every format.
"""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import pyarrow as pa

from longway.jobs.shards import remove_shards
from longway.on_ray.session import is_far, ordered_and_quiet
from longway.store.atomic import disk_errors

if TYPE_CHECKING:
    from ray.data import Dataset as RayDataset

T = TypeVar("T")
AT_ONCE = 8  # results sent over the network together
TOGETHER = 16  # pieces in a table on their way into a block: about 16 MB of text
_PAYLOAD = "payload"
_WHOLE_BLOCKS: dict[str, Any] = {"batch_size": None, "batch_format": "pyarrow", "zero_copy_batch": True}


class Pieces(Protocol):
    """Pieces that Ray's workers keep."""

    def become(self, make: Callable[[Any], Iterable[object]]) -> None:
        """Replace each piece by what `make` returns for it, in order."""
        ...

    def each(self, answer: Callable[[Any], T]) -> Iterator[T]:
        """The result of `answer` for each piece, in order."""
        ...

    def total(
        self, empty: Callable[[], T], add: Callable[[T, Any], object], merge: Callable[[T, T], object]
    ) -> T:
        """The result of adding all pieces: added per block by the workers, merged in the order of the blocks."""
        ...


def keep(blocks: Iterable[Sequence[object]]) -> Pieces:
    """The pieces of these blocks, kept by Ray; read and sent block by block."""
    import ray

    refs = [ray.put(_table(block)) for block in blocks]
    return _Far(refs) if is_far() else _Near(refs)


class _Near:
    """Pieces of a process that is part of the cluster."""

    def __init__(self, refs: list[Any]) -> None:
        import ray
        from ray.data import from_arrow_refs

        self._data: RayDataset = from_arrow_refs(refs or [ray.put(_table([]))])

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
    """The same for a process connected by `ray://`: an actor in the cluster does it."""

    def __init__(self, refs: list[Any]) -> None:
        import ray

        # No processor: it only waits for the workers, and a small cluster needs its processors for them.
        self._host: Any = ray.remote(_Host).options(num_cpus=0).remote(refs)
        self._get = ray.get

    def become(self, make: Callable[[Any], Iterable[object]]) -> None:
        self._get(self._host.become.remote(make))

    def each(self, answer: Callable[[Any], T]) -> Iterator[T]:
        walk = self._get(self._host.start.remote(answer))
        while some := self._get(self._host.more.remote(walk, AT_ONCE)):
            yield from some

    def total(
        self, empty: Callable[[], T], add: Callable[[T, Any], object], merge: Callable[[T, T], object]
    ) -> T:
        return cast(T, self._get(self._host.total.remote(empty, add, merge)))


class _Host:
    """Holds the pieces of one `_Far`, in a process of the cluster."""

    def __init__(self, refs: list[Any]) -> None:
        self._quiet = ordered_and_quiet()
        self._quiet.__enter__()  # for the lifetime of this process
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


def _pieces_in(table: pa.Table) -> Iterator[Any]:
    for payload in table[_PAYLOAD]:
        yield pickle.loads(payload.as_buffer())


def _table(pieces: Iterable[object]) -> pa.Table:
    return pa.table({_PAYLOAD: pa.array([pickle.dumps(piece) for piece in pieces], type=pa.large_binary())})


def write_shards(path: Path, jobs: Iterable[T], write: Callable[[T, Path], object]) -> bool:
    """Let a worker write each job as one shard of the folder `path`; False if this machine cannot see what they wrote.

    Then nothing is left, and the file must be written in this process. A session must be open.
    write: writes one shard atomically, since Ray may repeat it if a worker is lost.
    """
    whole = path.resolve().with_name(f".{path.name}.shards")  # moved to its place when all are written
    shutil.rmtree(whole, ignore_errors=True)
    with disk_errors(whole):
        whole.mkdir()
    try:
        named = [
            (whole / f"part-{number:05d}{''.join(path.suffixes)}", job) for number, job in enumerate(jobs)
        ]
        written = keep([one] for one in named).each(partial(_write, write=write))
        if not all(list(written)) or any(not shard.is_file() for shard, _ in named):
            return False
        remove_shards(path)
        path.unlink(missing_ok=True)
        whole.rename(path)
        return True
    finally:
        shutil.rmtree(whole, ignore_errors=True)


def _write(named: tuple[Path, Any], write: Callable[[Any, Path], object]) -> bool:
    """Write one shard, if this worker sees its folder."""
    path, job = named
    if not path.parent.is_dir():
        return False
    write(job, path)
    return True
