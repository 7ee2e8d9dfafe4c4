"""Test rows in which one person was given another gender, race or age: what the fairscore of a proof is measured on.

    perturbed_rows(dataset, kept)              ->  PerturbedRows: which rows, their new texts, what was changed in each
    write_perturbed(path, rows, perturbed)         the same for people, one JSON object a line

They are made by the rules as `longway perturb` makes them (`perturb.py`), with one seed: every model answers the same rows. A row whose
change would be offensive, or whose label may no longer hold with it (appendix J), is left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Inputs, Labelled
from longway.data import Dataset
from longway.jobs.perturb.perturbers import Who
from longway.jobs.perturb.perturbing import Outcome, Perturbing, Try
from longway.jobs.perturb.settings import PerturbSettings
from longway.metrics.fairness.fairscore import Changed
from longway.store import Journal, replacing

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PerturbedRows:
    """The rows of a test set that could be perturbed.

    rows: their places among the rows that are tested on; ids: in the data. inputs: as they are now, one for each of `rows`.
    changed: axis, source and target attribute; words: those that were chosen. stayed: why the other rows stay, with their number.
    """

    rows: Ints
    ids: tuple[str, ...]
    inputs: Inputs
    changed: tuple[Changed, ...]
    words: tuple[str, ...]
    stayed: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def fingerprint(self) -> str:
        """Of the rows and what they are now."""
        told = [self.rows.tolist(), self.inputs.texts, self.inputs.contexts, self.changed]
        return sha256(json.dumps(told).encode()).hexdigest()[:16]

    def on(self, axis: str) -> NDArray[np.bool_]:
        """Which of the rows were changed on this axis."""
        return np.array([one[0] == axis for one in self.changed], bool)

    @property
    def axes(self) -> dict[str, int]:
        """How many rows were changed on each axis, most first."""
        return dict(Counter(one[0] for one in self.changed).most_common())


def perturbed_rows(
    dataset: Dataset,
    kept: Ints,
    *,
    cache: Path | None = None,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> PerturbedRows:
    """The rows of a dataset with one person changed in each.

    kept: the rows that are tested on, in rising order. cache: the file in which analyses are kept.
    """
    settings = PerturbSettings()
    perturbing = Perturbing(dataset, settings, cache=cache, progress=progress)
    perturber = Who(settings).perturber(journal=Journal(None), asker=None, read=perturbing.documents)
    place_of = {int(row): place for place, row in enumerate(kept)}
    outcomes = [outcome for outcome in perturbing.run(perturber) if outcome.row in place_of]
    taken = [(outcome, outcome.taken) for outcome in outcomes if outcome.taken is not None]
    return PerturbedRows(
        np.array([place_of[outcome.row] for outcome, _ in taken], np.int64),
        tuple(perturbing.rows.ids[outcome.row] for outcome, _ in taken),
        _inputs(perturbing, taken),
        tuple(
            (one.request.target.axis, one.request.source.name, one.request.target.name) for _, one in taken
        ),
        tuple(one.request.word for _, one in taken),
        dict(Counter(outcome.stayed for outcome in outcomes if outcome.stayed).most_common()),
    )


def write_perturbed(
    path: Path, rows: Labelled, perturbed: PerturbedRows, *, answers: Sequence[tuple[str, str]] = ()
) -> None:
    """Write what was changed, a line for each row, whole or not at all.

    rows: those that are tested on. answers: to each row as it was and as it is now, where one classifier is asked.
    """
    were = rows.take(perturbed.rows)
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", errors="replace") as file:
        for i, (axis, source, target) in enumerate(perturbed.changed):
            told = {
                "id": perturbed.ids[i],
                "label": were.labels[i],
                "axis": axis,
                "source": source,
                "target": target,
                "word": perturbed.words[i],
                **_texts("before", were.inputs, i),
                **_texts("after", perturbed.inputs, i),
                **(dict(zip(("answer_before", "answer_after"), answers[i], strict=True)) if answers else {}),
            }
            file.write(json.dumps(told, ensure_ascii=False) + "\n")


def _inputs(perturbing: Perturbing, taken: list[tuple[Outcome, Try]]) -> Inputs:
    """The new texts; a context that was not read stays."""
    segments = [one.perturbed.segments for _, one in taken]
    texts = [one[-1] for one in segments]
    contexts = perturbing.rows.contexts
    if contexts is None:
        return Inputs(texts)
    return Inputs(
        texts,
        [
            one[0] if len(one) > 1 else contexts[outcome.row]
            for one, (outcome, _) in zip(segments, taken, strict=True)
        ],
    )


def _texts(when: str, inputs: Inputs, row: int) -> dict[str, str]:
    context = {} if inputs.contexts is None else {f"context_{when}": inputs.contexts[row]}
    return {**context, f"text_{when}": inputs.texts[row]}
