"""Single rows of an audit: the examples of findings, how many rows a surface model solves, which labels may be wrong, and scores.parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
import pyarrow.parquet as pq
from numpy.typing import NDArray

from longway.data import Dataset
from longway.data.dataset import examples_at
from longway.detect.findings import KEPT_IDS, Chosen
from longway.detect.levels import where
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.detect.row_checks import ENCODER, WORDS, RowChecks, RowVectors
from longway.levels import CONCEPT
from longway.metrics.usable_information import UsableInformation
from longway.records import Example, Finding
from longway.text.tokenizer import PLAIN, Tokenizer

if TYPE_CHECKING:
    from longway.detect.concepts.detector import ConceptDetector

WIDTH = 110  # characters of an example
CONCEPT_WIDTH = 300  # and of one that shows what a concept is
N_TYPICAL = 3


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
    for one, finding in zip(chosen, with_examples(chosen, examples), strict=True):
        members.setdefault(one.leader, []).append(finding)
    leaders = [replace(best, variants=tuple(others)) for best, *others in members.values()]
    return sorted(leaders, key=lambda finding: -finding.gain)  # those of a sample came behind all others


def with_examples(chosen: Sequence[Chosen], examples: Mapping[int, Example]) -> list[Finding]:
    """The findings with ids and an example each, if possible a different one."""
    shown: set[str] = set()
    return [_with_example(one, examples, shown) for one in chosen]


def _with_example(chosen: Chosen, examples: Mapping[int, Example], shown: set[str]) -> Finding:
    """A short supporting text, if possible one that was not shown. shown: texts that were."""
    supporting, counter = (
        [examples[place] for place in places] for places in (chosen.supporting, chosen.counter)
    )
    is_text = chosen.description.role == TEXT
    texts, others = (
        [(example.text if is_text else example.context) or "" for example in some]
        for some in (supporting, counter)
    )
    is_concept = chosen.detector.level == CONCEPT
    text = min(texts, key=lambda each: (each in shown, 0 if is_concept else len(each)), default="")
    shown.add(text)
    texts.sort(key=lambda each: each != text)
    for phrase in chosen.description.others or (chosen.description.phrase,):
        snippet, marks = in_context(
            text, phrase, last=chosen.description.at_end, tokenizer=chosen.detector.tokenizer
        )
        if marks:
            break
    if is_concept:
        snippet = _from_sentence(text, chosen, WIDTH)
    elif not marks and (place := _surface_place(chosen, text)) is not None:
        snippet, marks = _around(text, *place)
    return replace(
        chosen.finding,
        supporting=tuple(example.id for example in supporting[:KEPT_IDS]),
        counter=tuple(example.id for example in counter[:KEPT_IDS]),
        example=snippet,
        marks=marks,
        typical=_shortened(texts, chosen) if is_concept else (),
        untypical=_shortened(others, chosen) if is_concept else (),
    )


def _shortened(texts: Sequence[str], chosen: Chosen) -> tuple[str, ...]:
    """The first different texts, each cut to a line or three."""
    return tuple(
        _from_sentence(text, chosen, CONCEPT_WIDTH) for text in list(dict.fromkeys(texts))[:N_TYPICAL]
    )


def _from_sentence(text: str, chosen: Chosen, width: int) -> str:
    """So many characters of a text, from the sentence on that has most of the concept."""
    start = 0
    if len(text) > width and chosen.detector.level == CONCEPT:
        concepts = cast("ConceptDetector", chosen.detector).concepts
        start = text.find(concepts.sentence(text, chosen.key))
    return ("…" if start else "") + in_context(text[start:], (), width=width)[0]


def in_context(
    text: str,
    phrase: tuple[str, ...],
    *,
    last: bool = False,
    width: int = WIDTH,
    tokenizer: Tokenizer = PLAIN,
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of the text around the phrase, and where the phrase stands in that part.

    last: take the last place where the phrase stands instead of the first. width: characters, if the phrase is not there.

    >>> in_context("It is NOT a film.", ("is", "not"))
    ('It is NOT a film.', ((3, 9),))
    """
    tokens = tokenizer.spans(text[:20_000])  # far enough for an example, whatever the text
    n = len(phrase)
    places = [
        i for i in range(len(tokens) - n + 1) if n and tuple(t for t, _, _ in tokens[i : i + n]) == phrase
    ]
    if not places:
        return _flat(text[:width]) + ("…" if len(text) > width else ""), ()
    first = places[-1 if last else 0]
    return _around(text, tokens[first][1], tokens[first + n - 1][2])


def _surface_place(chosen: Chosen, text: str) -> tuple[int, int] | None:
    """The first characters that a surface pattern is about, such as an exclamation mark; None for other levels and whole texts."""
    pattern = chosen.description.pattern
    if pattern.level != "surface":
        return None
    spans = (where(pattern, {pattern.field: text}) or {}).get(pattern.field, ())
    return next(iter(spans), None)


def _around(text: str, start: int, end: int) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of the text around start..end, and where these stand in it."""
    left, right = _window(text, start, end)
    before = "…" if left > 0 else ""
    shift = len(before) - left
    after = "…" if right < len(text) else ""
    return before + _flat(text[left:right]) + after, ((start + shift, end + shift),)


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch of about WIDTH characters around start..end that cuts no word in two."""
    room = max(0, WIDTH - (end - start))
    left, right = max(0, start - room // 2), min(len(text), end + room // 2)
    while 0 < left < start and not text[left - 1].isspace():
        left += 1
    while end < right < len(text) and not text[right].isspace():
        right -= 1
    return left, right


def _flat(text: str) -> str:
    """The text on one line, character for character."""
    return "".join(" " if c.isspace() or not c.isprintable() else c for c in text)


SCORES = "scores.parquet"
Columns = Mapping[str, NDArray[np.generic]]


def score_frames(dataset: Dataset, scores: Columns) -> Iterator[pl.DataFrame]:
    """The rows of the file, batch by batch.

    scores: columns with a number for each example: n_tokens, gamma, lean and what the checks of single rows say.
    """
    start = 0
    for batch in dataset.batches():
        here = slice(start, start + len(batch.rows))
        start = here.stop
        yield pl.DataFrame(
            {
                "id": batch.ids,
                "row": batch.rows,
                "label": pl.Series(dataset.labels, dtype=pl.String).gather(batch.labels),
                **{name: column_of(name, column[here]) for name, column in scores.items()},
            }
        )


def write_frames(path: Path, frames: Iterator[pl.DataFrame]) -> None:
    """Write frames, of which there is at least one, as one Parquet file."""
    tables = (frame.to_arrow() for frame in frames)
    first = next(tables)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        for table in chain([first], tables):
            writer.write_table(table)


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
    column = pl.Series(values, nan_to_null=True)
    return column.cast(pl.Boolean) if name in ("solved", "may_be_wrong") else column
