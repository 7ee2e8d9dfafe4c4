"""Where a job runs: in this process, or on Ray.

    with reader("ray") as read:
        reading = read(dataset)               valid for the duration of the block
    with engines_at("ray", engine_named) as named:
        engine = named("rules")               answers there, for the duration of the block

None means this process. Ray lives in the package `longway.on_ray`, which nothing imports: `ray_backend` loads it by name, so that Ray
stays optional and a job does not depend on it. `RayBackend` lists what jobs use of it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, Protocol, cast

from longway.data import Dataset
from longway.data.batches import DatasetPart
from longway.detect.reading import Reading
from longway.engines.engine import Engine


class ReadDataset(Protocol):
    """Reads a dataset. like, progress: as in `Reading.of`."""

    def __call__(
        self,
        dataset: Dataset,
        *,
        like: Reading | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Reading:
        """The reading."""
        ...


class RayBackend(Protocol):
    """The functions of `longway.on_ray` that jobs use. All but `check_place` need an open session, or open one."""

    def check_place(self, place: str) -> None:
        """Raises if `place` is not "ray" or "ray://host:port", or if Ray is not installed."""
        ...

    def reader_on_ray(self, place: str) -> AbstractContextManager[ReadDataset]:
        """Reads datasets with Ray's workers."""
        ...

    def engines_on_ray(
        self, place: str, engine_named: Callable[..., Engine]
    ) -> AbstractContextManager[Callable[..., Engine]]:
        """Creates engines whose calls are answered by Ray actors."""
        ...

    def parts_read(self, reading: Reading) -> list[tuple[DatasetPart, slice]]:
        """The parts of a dataset that workers read, each with the slice of its used rows."""
        ...

    def parts_of(self, dataset: Dataset) -> list[DatasetPart]:
        """The parts of a dataset that workers can read, each with its first source row."""
        ...

    def write_shards(self, path: Path, jobs: Iterable[Any], write: Callable[[Any, Path], object]) -> bool:
        """Lets workers write a folder of shards; False if this machine cannot see it."""
        ...


def ray_backend() -> RayBackend:
    """The package `longway.on_ray`, imported by name."""
    return cast(RayBackend, import_module("longway.on_ray"))


def check_place(on: str | None) -> None:
    """Raises if a job cannot run at this place: None, "ray" or "ray://host:port"."""
    if on is not None:
        ray_backend().check_place(on)


@contextmanager
def reader(on: str | None) -> Iterator[ReadDataset]:
    """The function that reads datasets at this place."""
    if on is not None:
        with ray_backend().reader_on_ray(on) as read:
            yield read
        return
    numbers = count()
    with tempfile.TemporaryDirectory(prefix="longway-") as folder:

        def read_here(
            dataset: Dataset,
            *,
            like: Reading | None = None,
            progress: Callable[[int], object] | None = None,
        ) -> Reading:
            spill = Path(folder) / str(next(numbers)) if dataset.streamed else None
            return Reading.of(dataset, spill=spill, like=like, progress=progress)

        yield read_here


@contextmanager
def engines_at(on: str | None, engine_named: Callable[..., Engine]) -> Iterator[Callable[..., Engine]]:
    """The function that creates engines at this place. engine_named: creates them in this process."""
    if on is None:
        yield engine_named
        return
    with ray_backend().engines_on_ray(on, engine_named) as on_ray:
        yield on_ray
