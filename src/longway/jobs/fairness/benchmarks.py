"""The published files, read and sampled: pairs, contexts, tests and sentences that a model is asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from longway.data import benchmarks
from longway.data.benchmarks import (
    FILES,
    AssociationWords,
    HolisticSentence,
    SentencePair,
    StereoSetItem,
    files_of,
    fingerprint,
    read_association_tests,
    read_holistic_bias,
)
from longway.jobs.fairness.settings import FairnessSettings

Item = TypeVar("Item")
AXES = ("gender_and_sex", "race_ethnicity", "age")  # those of the perturbation paper, the default
ALL_AXES = "all"


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """The items of the files that were given; empty for the others. counts, fingerprints: of the whole files, by benchmark."""

    pairs: Sequence[SentencePair]
    contexts: Sequence[StereoSetItem]
    tests: Sequence[AssociationWords]
    sentences: Sequence[HolisticSentence]
    counts: Mapping[str, int]
    fingerprints: Mapping[str, str]


def read_benchmarks(settings: FairnessSettings) -> Benchmarks:
    """Read the files that the settings name, and draw the items that are used."""
    files = settings.files
    pairs = benchmarks.read_crows_pairs(files["crows_pairs"]) if "crows_pairs" in files else []
    contexts = benchmarks.read_stereoset(files["stereoset"]) if "stereoset" in files else []
    tests = read_association_tests(files["weat"]) if "weat" in files else []
    sentences, n_sentences = _sentences(files["holistic"], settings) if "holistic" in files else ([], 0)
    return Benchmarks(
        _sample(pairs, settings),
        _sample(contexts, settings),
        _sample(tests, settings),
        sentences,
        {"crows_pairs": len(pairs), "stereoset": len(contexts), "weat": len(tests), "holistic": n_sentences},
        {name: fingerprint(_parts(name, path)) for name, path in files.items()},
    )


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
