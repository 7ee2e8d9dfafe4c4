"""Files that the workers write: a folder of shards in the place of one file, whole or not there.

    scores.parquet/part-00000.parquet, part-00001.parquet ...      read together, they are what the one file would hold

Readers of Parquet (pandas, Polars, Arrow, Ray) take such a folder by its name, and `longway.data.load` takes it for every format.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from longway.on_ray.pieces import keep
from longway.store.disk_errors import told_of_disk

T = TypeVar("T")


def write_shards(path: Path, jobs: Iterable[T], write: Callable[[T, Path], object]) -> bool:
    """Have each job written by a worker as one shard of the folder `path`; False where this machine does not see what they wrote.

    Then nothing is left, and the file is to be written here. A session must be open (`session.py`).
    write: writes one shard whole or not at all: Ray may ask for it again where a worker was lost.
    """
    whole = path.resolve().with_name(f".{path.name}.shards")  # beside its place until all are there
    shutil.rmtree(whole, ignore_errors=True)
    with told_of_disk(whole):
        whole.mkdir()
    try:
        named = [
            (whole / f"part-{number:05d}{''.join(path.suffixes)}", job) for number, job in enumerate(jobs)
        ]
        written = keep([one] for one in named).each(partial(_write, write=write))
        if not all(list(written)) or any(not shard.is_file() for shard, _ in named):
            return False
        make_way(path)
        path.unlink(missing_ok=True)
        whole.rename(path)
        return True
    finally:
        shutil.rmtree(whole, ignore_errors=True)


def _write(named: tuple[Path, Any], write: Callable[[Any, Path], object]) -> bool:
    """Write one shard, where its folder is seen."""
    path, job = named
    if not path.parent.is_dir():
        return False
    write(job, path)
    return True


def make_way(path: Path) -> None:
    """Remove shards that stand where a file is to be written: those of a run that was killed, and now goes on without Ray."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
