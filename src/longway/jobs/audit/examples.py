"""Findings with examples from the data: one finding per group of patterns that say the same, with ids and a text that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.data.dataset import examples_at
from longway.detect.example import in_context
from longway.detect.findings import KEPT_IDS, Chosen
from longway.detect.reading import TEXT, Reading
from longway.records import Example, Finding


def examples_by_place(dataset: Dataset, reading: Reading, places: NDArray[np.int64]) -> dict[int, Example]:
    """The examples at these places (ascending) of the reading."""
    found = examples_at(dataset, reading.rows[places])
    return dict(zip(places.tolist(), found, strict=True))


def places_of(chosen: Sequence[Chosen]) -> list[int]:
    """Where the supporting and counter-examples of some patterns stand in the reading."""
    return [place for one in chosen for place in (*one.supporting, *one.counter)]


def grouped(chosen: Sequence[Chosen], examples: Mapping[int, Example]) -> list[Finding]:
    """One finding for each group, strongest first, with the weaker members as its variants."""
    members: dict[int, list[Finding]] = {}
    for one in chosen:
        members.setdefault(one.leader, []).append(with_example(one, examples))
    leaders = [replace(best, variants=tuple(others)) for best, *others in members.values()]
    return sorted(leaders, key=lambda finding: -finding.gain)  # those of a sample came behind all others


def with_example(chosen: Chosen, examples: Mapping[int, Example]) -> Finding:
    """The finding with ids, and the shortest supporting text as its example."""
    supporting = [examples[place] for place in chosen.supporting]

    def shown(example: Example) -> str:
        return (example.text if chosen.description.role == TEXT else example.context) or ""

    text = min((shown(example) for example in supporting), key=len, default="")
    for phrase in chosen.description.others or (chosen.description.phrase,):
        snippet, marks = in_context(text, phrase, last=chosen.description.at_end)
        if marks:
            break
    return replace(
        chosen.finding,
        supporting=tuple(example.id for example in supporting[:KEPT_IDS]),
        counter=tuple(examples[place].id for place in chosen.counter[:KEPT_IDS]),
        example=snippet,
        marks=marks,
    )
