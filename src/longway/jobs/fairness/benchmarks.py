"""The published files, read and sampled: pairs, contexts, tests and sentences that a model is asked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from longway.data.benchmarks import (
    FILES,
    HolisticSentence,
    files_of,
    fingerprint,
    read_association_tests,
    read_crows_pairs,
    read_holistic_bias,
    read_stereoset,
)
from longway.jobs.fairness.settings import FairnessSettings

Item = TypeVar("Item")
AXES = ("gender_and_sex", "race_ethnicity", "age")  # those of the perturbation paper, the default
ALL_AXES = "all"


READERS: Mapping[str, Callable[[Path], Sequence[Any]]] = {
    "crows_pairs": read_crows_pairs,
    "stereoset": read_stereoset,
    "weat": read_association_tests,
}


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The items of a file that are used, how many it has in all, and its fingerprint."""

    items: Sequence[Any]
    of: int
    fingerprint: str


def read_benchmarks(settings: FairnessSettings) -> dict[str, Benchmark]:
    """Read the files that the settings name, and draw the items that are used."""
    found = {}
    for name, path in settings.files.items():
        if name in READERS:
            all_items = READERS[name](path)
            items, n = _sample(all_items, settings), len(all_items)
        else:
            items, n = _sentences(path, settings)
        found[name] = Benchmark(items, n, fingerprint(_parts(name, path)))
    return found


def _sample(items: Sequence[Item], settings: FairnessSettings) -> Sequence[Item]:
    """All items, or a random sample of the limit's size, in their order."""
    if settings.limit is None or len(items) <= settings.limit:
        return items
    chosen = np.random.default_rng(settings.seed).permutation(len(items))[: settings.limit]
    return [items[i] for i in sorted(chosen)]


def _sentences(folder: Path, settings: FairnessSettings) -> tuple[list[HolisticSentence], int]:
    """A sample of the sentences of the chosen axes, and how many these axes have."""
    bias = read_holistic_bias(folder)
    axes = list(settings.axes) or [axis for axis in AXES if axis in bias.axes] or bias.axes
    if ALL_AXES in axes:
        axes = bias.axes
    drawn: list[HolisticSentence] = []
    for axis in axes:
        drawn += bias.comparable(axis, per_descriptor=settings.per_descriptor, seed=settings.seed)
    return drawn, sum(bias.n_comparable(axis) for axis in axes)


def _parts(name: str, path: Path) -> list[Path]:
    if name == "holistic":
        return [path / file for file in FILES]
    return files_of(path) if name == "weat" else [path]
