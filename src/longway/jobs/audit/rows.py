"""What an audit says about single rows: how many a surface model solves already, and which labels may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.data import Dataset
from longway.detect.concepts.detector import ConceptDetector
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.detect.row_checks import ENCODER, WORDS, RowChecks, RowVectors
from longway.jobs.audit.examples import examples_by_place
from longway.metrics.usable_information import UsableInformation

WITH_TEXT = 20  # candidates that are kept with their text
MAX_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class SimilarRow:
    """A row that is similar to another one."""

    id: str
    label: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class PossibleError:
    """A row whose label may be wrong. likely: the label of most rows like it; p_own, p_likely: calibrated probabilities of both labels.

    neighbours: the most similar rows. text: empty if there are many such rows.
    """

    id: str
    row: int
    label: str
    likely: str
    p_own: float
    p_likely: float
    neighbours: tuple[SimilarRow, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class RowSummary:
    """information: bits of the label that each kind of model reads ("words", "encoder"). measured, solved: rows looked at, and those that words alone solve.

    possible_errors: the least likely labels first; n_possible_errors: how many there are. None if no sentence vectors were computed.
    """

    information: Mapping[str, UsableInformation]
    measured: int
    solved: int
    n_possible_errors: int | None = None
    possible_errors: tuple[PossibleError, ...] = ()


def row_vectors(detectors: Sequence[ConceptDetector]) -> RowVectors | None:
    """The sentence vectors that the concept level computed; None if it was left out."""
    units = {detector.role: detector.units for detector in detectors}
    return RowVectors(detectors[0].places, units[TEXT], units.get(CONTEXT)) if TEXT in units else None


def row_summary(checks: RowChecks, dataset: Dataset, reading: Reading) -> RowSummary:
    """The checks with the ids and texts of the rows they name."""
    named = [place for one in checks.candidates for place in (one.place, *one.neighbours)]
    examples = examples_by_place(dataset, reading, np.unique(np.array(named, dtype=np.int64)))
    names = reading.label_names

    def similar(place: int, with_text: bool) -> SimilarRow:
        example = examples[place]
        text = example.text[:MAX_CHARACTERS] if with_text else ""
        return SimilarRow(example.id, names[reading.labels[place]], text)

    errors = tuple(
        PossibleError(
            id=examples[one.place].id,
            row=int(reading.rows[one.place]),
            label=names[one.label],
            likely=names[one.likely],
            p_own=one.p_own,
            p_likely=one.p_likely,
            neighbours=tuple(similar(place, number < WITH_TEXT) for place in one.neighbours),
            text=examples[one.place].text[:MAX_CHARACTERS] if number < WITH_TEXT else "",
        )
        for number, one in enumerate(checks.candidates)
    )
    count = None if checks.own is None else checks.n_candidates
    return RowSummary(checks.information, checks.measured, checks.n_solved, count, errors)


def row_columns(checks: RowChecks) -> dict[str, NDArray[np.generic]]:
    """The columns of scores.parquet: pvi and solved, and with sentence vectors pvi_encoder, p_label and may_be_wrong."""
    columns: dict[str, NDArray[np.generic]] = {"pvi": checks.pvi[WORDS], "solved": checks.solved}
    if checks.own is not None and checks.may_be_wrong is not None:
        columns |= {
            "pvi_encoder": checks.pvi[ENCODER],
            "p_label": checks.own,
            "may_be_wrong": checks.may_be_wrong,
        }
    return columns


def column_of(name: str, values: NDArray[np.generic]) -> pl.Series:
    """A column of scores.parquet, null for rows that were not measured."""
    column = pl.Series(values).fill_nan(None)
    return column.cast(pl.Boolean) if name in ("solved", "may_be_wrong") else column
