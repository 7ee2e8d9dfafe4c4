"""What the scripts in runs/ share: where the real datasets are, tables, the closing line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def data(name: str) -> Path:
    """The path of one dataset; says what is missing and stops where it is not there."""
    path = DATA / name
    if not path.exists():
        sys.exit(f"This script reads {path}, which is not there. Put the dataset in place and run it again.")
    return path


def finish(script: str, **figures: Any) -> None:
    """Print the closing line for programs."""
    print(json.dumps({"script": script, **figures}))


def each(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], workers: int) -> Iterator[Any]:
    """What a function makes of each task, in order; in several processes if there are workers."""
    if workers == 1:
        yield from (work(*task) for task in tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, *zip(*tasks, strict=True))
