"""Where a job is done: in this process, or by Ray's workers.

    with reader("ray") as read:
        reading = read(dataset)         all that is asked of a reading may be asked of it as long as the block lasts
    with at_place("ray", engine_named) as named:
        engine = named("rules")         asked there, as long as the block lasts

None stands for this process: then nothing of Ray is imported.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Protocol

from longway.data import Dataset
from longway.detect.reading import Reading
from longway.llm.engine import Engine


class Read(Protocol):
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


@contextmanager
def reader(on: str | None) -> Iterator[Read]:
    """How to read at this place: None for here, "ray" or "ray://host:port" (see `on_ray.session`)."""
    if on is None:
        with _here() as read:
            yield read
        return
    from longway.on_ray.reading import RayReading
    from longway.on_ray.session import session

    with session(on):
        yield RayReading.read


@contextmanager
def at_place(on: str | None, named: Callable[..., Engine]) -> Iterator[Callable[..., Engine]]:
    """How engines are named that are asked at this place. named: gives the engine for a name here."""
    if on is None:
        yield named
        return
    from longway.on_ray.engine import engines_on_ray

    with engines_on_ray(on, named) as on_ray:
        yield on_ray


@contextmanager
def _here() -> Iterator[Read]:
    numbers = count()
    with tempfile.TemporaryDirectory(prefix="longway-") as folder:

        def read(
            dataset: Dataset,
            *,
            like: Reading | None = None,
            progress: Callable[[int], object] | None = None,
        ) -> Reading:
            spill = Path(folder) / str(next(numbers)) if dataset.streamed else None
            return Reading.of(dataset, spill=spill, like=like, progress=progress)

        yield read
