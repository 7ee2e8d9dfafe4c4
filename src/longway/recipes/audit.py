"""Audit: read a dataset once and tell what a model could cheat with.

    read -> duplicates -> detectors -> leak -> shortcut space -> findings.json, scores.parquet, report.html

`audit` gives an `Audit`; `run_audit` (in its own file) fills a run folder with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args
from unicodedata import normalize

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.data import Batch, Dataset
from longway.detect import GRAMMAR, LEVELS, detectors_for
from longway.detect.documents import SurfaceScores, score_surface, tell
from longway.detect.duplicates import duplicate_problems
from longway.detect.findings import PER_LEVEL, Search, search
from longway.detect.leak import leak_by_folds, leak_on_test, parts_of
from longway.detect.reading import TEXT, Reading
from longway.errors import SettingError
from longway.recipes.about import describe
from longway.recipes.audit_grammar import grammar_detector
from longway.recipes.charts import gamma_chart, length_chart
from longway.recipes.grouped import examples_by_place, grouped, places_of
from longway.recipes.held_out import Arranged, arrange
from longway.recipes.people_counts import people_counts
from longway.recipes.places import reader
from longway.recipes.shards import Columns, score_frames, write_score_shards
from longway.records import Finding, Leak, Mentions, Problem, Telling
from longway.shortcut_space import Variant
from longway.store import now

Step = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What an audit can be told.

    variant, dimensions: the shortcut space (see `shortcut_space`); max_q: false discovery rate of findings;
    per_level: findings kept of each level; levels: what is looked at (`detect.LEVELS`); seed: of folds and samples.
    """

    variant: Variant = "mean"
    dimensions: int = 64
    max_q: float = 0.05
    per_level: int = PER_LEVEL
    levels: tuple[str, ...] = LEVELS
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.max_q <= 1:
            raise SettingError(f"'max_q' must be between 0 and 1. Got {self.max_q}. The usual value is 0.05.")
        if self.dimensions < 2:
            raise SettingError(
                f"'dimensions' must be 2 or more. Got {self.dimensions}. The usual value is 64."
            )
        if self.variant not in get_args(Variant):
            known = ", ".join(get_args(Variant))
            raise SettingError(f"'variant' must be one of {known}. Got {self.variant!r}.")
        if not 0 <= self.seed < 2**32:
            raise SettingError(f"'seed' must be from 0 to 4294967295. Got {self.seed}.")
        if self.per_level < 1:
            raise SettingError(f"'per_level' must be 1 or more. Got {self.per_level}.")
        if unknown := [level for level in self.levels if level not in LEVELS]:
            raise SettingError(
                f"'levels' must be some of {', '.join(LEVELS)}. Got {unknown[0]!r}. Leave one out with a minus: -grammar."
            )
        if not self.levels:
            raise SettingError("'levels' names nothing to look at. Leave it out to look at everything.")


def levels_named(names: str | None) -> tuple[str, ...]:
    """The levels that are asked for with commas between them; with a minus before each, all others.

    >>> levels_named("token,ngram"), len(levels_named("-grammar")) == len(LEVELS) - 1
    (('token', 'ngram'), True)
    """
    if names is None:
        return LEVELS
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if not asked or not all(name.startswith("-") for name in asked):
        return tuple(asked)
    left_out = [name.removeprefix("-") for name in asked]
    if unknown := [name for name in left_out if name not in LEVELS]:
        raise SettingError(f"There is no level {unknown[0]!r}. The levels are {', '.join(LEVELS)}.")
    return tuple(level for level in LEVELS if level not in left_out)


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found, strongest first; `to_dict` is what findings.json holds.

    score_frames: gives the scores of all examples in pieces, for data that does not fit in memory.
    has_shards: whether Ray's workers wrote them already.
    """

    findings: list[Finding]
    leaks: dict[str, Leak]
    held_out: dict[str, dict[str, Leak]]
    problems: list[Problem]
    tested: dict[str, int]
    significant: dict[str, int]
    score_frames: Callable[[], Iterator[pl.DataFrame]]
    telling: list[Telling]
    people: list[Mentions]
    dataset: dict[str, Any]
    settings: AuditSettings
    charts: dict[str, Any] = field(default_factory=dict)
    has_shards: bool = False

    @property
    def scores(self) -> pl.DataFrame:
        """One row for each example: id, row number, label, length in tokens, gamma and lean."""
        return pl.concat(self.score_frames())

    def to_dict(self) -> dict[str, Any]:
        """The audit as plain JSON values."""
        leaks: dict[str, Any] = {part: leak.to_dict() for part, leak in self.leaks.items()}
        leaks["majority"] = self.leaks["text"].majority
        leaks["held_out"] = {
            name: {part: leak.to_dict() for part, leak in parts.items()}
            for name, parts in self.held_out.items()
        }
        return {
            "version": 1,
            "longway": version("longway"),
            "created": now(),
            "dataset": self.dataset,
            "leak": leaks,
            "problems": [problem.to_dict() for problem in self.problems],
            "tested": self.tested,
            "significant": self.significant,
            "listed": sum(1 + len(finding.variants) for finding in self.findings),
            "findings": [finding.to_dict() for finding in self.findings],
            "people": [mentions.to_dict() for mentions in self.people],
            "shortcut_space": {
                "variant": self.settings.variant,
                "dimensions": self.settings.dimensions,
                **self.charts["gamma"],
                "telling": [document.to_dict() for document in self.telling],
            },
            "lengths": self.charts["lengths"],
            "settings": asdict(self.settings),
        }


def audit(
    dataset: Dataset,
    *,
    split: str | None = None,
    tests: Mapping[str, Dataset] | None = None,
    settings: AuditSettings | None = None,
    on: str | None = None,
    step: Step = lambda name: None,
    progress: Callable[[int], object] | None = None,
) -> Audit:
    """What a model could cheat with in this dataset.

    split: the split to audit where there are several ("train" unless told otherwise); the others are held-out sets.
    tests: more held-out sets by name, with the same columns. The leak is measured on all of them, and rows
    that they share with the audited ones are told. step, progress: called with what is being done and with rows read.
    on: where to count: here unless told, "ray" or "ray://host:port". The result is the same.
    """
    return audit_arranged(
        arrange(dataset, split, tests), settings or AuditSettings(), on=on, step=step, progress=progress
    )


def audit_arranged(
    arranged: Arranged,
    settings: AuditSettings,
    *,
    on: str | None = None,
    scores: Path | None = None,
    step: Step = lambda name: None,
    progress: Callable[[int], object] | None = None,
) -> Audit:
    """The same for rows that were arranged before (see `held_out`).

    scores: where the workers that read the data on Ray may write the scores, as a folder of shards; `Audit.has_shards` tells.
    """
    dataset = arranged.dataset
    step("reading" if on is None else "opening Ray")
    with reader(on) as read:
        step("reading")
        reading = read(dataset, progress=progress)
        others = {name: read(data, like=reading) for name, data in arranged.held_out.items()}
        step("looking for duplicates")
        problems = [
            *dataset.problems,
            *arranged.problems,
            *_label_problems(dataset),
            *duplicate_problems(reading, others),
            *_reading_problems(reading),
        ]
        detectors = detectors_for(reading, settings.levels)
        if GRAMMAR in settings.levels:
            of_grammar, told = grammar_detector(dataset, reading, seed=settings.seed, step=step)
            detectors += [of_grammar] if of_grammar is not None else []
            problems += told
        found = search(
            reading, detectors=detectors, max_q=settings.max_q, per_level=settings.per_level, step=step
        )
        leaks, test_leaks = _leaks(reading, others, settings.seed, step)
        step("scoring documents")
        surface = score_surface(reading, variant=settings.variant, dimensions=settings.dimensions)
        columns = {"n_tokens": reading.corpora[TEXT].lengths(), "gamma": surface.gamma, "lean": surface.lean}
        frame_of = partial(_scores_of, dataset.labels)
        has_shards = scores is not None and write_score_shards(scores, reading, columns, frame_of)
        step("collecting examples")
        examples = examples_by_place(dataset, reading, _places_shown(found, surface))
        return Audit(
            findings=grouped(found.chosen, examples),
            leaks=leaks,
            held_out=test_leaks,
            problems=problems,
            tested=found.tested,
            significant=found.significant,
            score_frames=lambda: score_frames(dataset.batches(), columns, frame_of),
            has_shards=has_shards,
            telling=[tell(document, examples[document.place]) for document in surface.documents],
            people=people_counts(found.tests, reading.label_names),
            dataset=describe(dataset),
            settings=settings,
            charts={"gamma": gamma_chart(reading, surface.gamma), "lengths": length_chart(reading)},
        )


def _label_problems(dataset: Dataset) -> list[Problem]:
    """Labels that differ only in case, spaces or the coding of an accent."""
    alike: dict[str, list[str]] = {}
    for label in dataset.labels:
        alike.setdefault(normalize("NFC", label).strip().casefold(), []).append(label)
    twins = [names for names in alike.values() if len(names) > 1]
    if not twins:
        return []
    message = f"The labels {' and '.join(map(repr, twins[0]))} differ only in case, spaces or coding."
    return [Problem("similar_labels", message, len(twins), "Name them alike if they mean the same.")]


def _reading_problems(reading: Reading) -> list[Problem]:
    if not reading.vocabulary.is_full:
        return []
    n = reading.vocabulary.max_words
    message = f"The texts have more than {n:,} different words; those first seen later were counted as one."
    return [Problem("vocabulary_full", message, n, "Nothing to do: such words are too rare to be shortcuts.")]


def _leaks(
    reading: Reading, tests: dict[str, Reading], seed: int, step: Step
) -> tuple[dict[str, Leak], dict[str, dict[str, Leak]]]:
    leaks: dict[str, Leak] = {}
    held_out: dict[str, dict[str, Leak]] = {name: {} for name in tests}
    for part, roles in parts_of(reading).items():
        names = " and ".join(reading.columns[role] for role in roles)
        step(f"measuring the leak from {names}")
        leaks[part] = leak_by_folds(reading, part, seed=seed)
        for name, test in tests.items():
            held_out[name][part] = leak_on_test(reading, test, part, name=name, seed=seed)
    return leaks, held_out


def _places_shown(found: Search, surface: SurfaceScores) -> NDArray[np.int64]:
    shown = places_of(found.chosen)
    return np.unique(np.array([*shown, *(d.place for d in surface.documents)], dtype=np.int64))


def _scores_of(labels: Sequence[str], batch: Batch, scores: Columns) -> pl.DataFrame:
    """The scores of a batch. labels: by name; scores: n_tokens, gamma and lean of its examples."""
    return pl.DataFrame(
        {
            "id": batch.ids,
            "row": batch.rows,
            "label": pl.Series(labels, dtype=pl.String).gather(batch.labels),
            "n_tokens": scores["n_tokens"],
            "gamma": pl.Series(scores["gamma"]).fill_nan(None),
            "lean": scores["lean"],
        }
    )
