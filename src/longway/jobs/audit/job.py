"""Audit: read a dataset once and report what a model could cheat with.

read -> duplicates -> detectors -> leak -> shortcut space -> findings.json, scores.parquet, report.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal
from unicodedata import normalize

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.data import Dataset, with_columns
from longway.data.choices import ChoiceDataset, guessed_columns
from longway.data.summary import DatasetSummary
from longway.detect.clusters import Clusters
from longway.detect.duplicates import duplicate_problems
from longway.detect.findings import Search, Tests, search
from longway.detect.leak import leak_by_folds, leak_on_test, parts_of
from longway.detect.levels import detectors_for
from longway.detect.people import ATTRIBUTES, PeopleDetector, trait_of
from longway.detect.reading import TEXT, Reading
from longway.detect.row_checks import check_rows
from longway.detect.sources import sources
from longway.detect.surface_scores import SurfaceScores, score_surface, telling_of
from longway.errors import ColumnError, DataError, with_checked_arguments
from longway.jobs.audit import croissant
from longway.jobs.audit.grammar_level import grammar_detector
from longway.jobs.audit.language_problems import language_problems
from longway.jobs.audit.page import audit_page  # noqa: F401  (registers the page of the result)
from longway.jobs.audit.result import AuditResult, Findings, Histogram, SpaceSummary
from longway.jobs.audit.rows import (
    SCORES,
    examples_by_place,
    grouped,
    places_of,
    row_columns,
    row_summary,
    row_vectors,
    score_frames,
    write_frames,
)
from longway.jobs.audit.settings import AUTO, AuditSettings
from longway.jobs.held_out import Arranged, arrange
from longway.jobs.options import settings_from
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, run_job
from longway.languages.dataset import languages_in, splitting_of
from longway.levels import CONCEPT, GRAMMAR
from longway.records import Leak, Mentions, Problem
from longway.store import now

if TYPE_CHECKING:
    from longway.detect.concepts.detector import ConceptDetector

Ints = NDArray[np.int64]

Step = Callable[[str], object]
KEPT_WORDS = 20  # of each demographic attribute


@with_checked_arguments
def audit(
    data: object,
    settings: AuditSettings | None = None,
    *,
    split: str | None = None,
    tests: Mapping[str, object] | None = None,
    out: Path | str | Literal[True] | None = None,
    on: str | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> AuditResult:
    """Audit a dataset: what could a model cheat with?

    data: a dataset, or anything that `load` reads. split: the split to audit (default: "train" if there are several); the others are
    held-out sets. tests: more held-out sets by name, datasets or anything that `load` reads, with the same columns; the leak is measured on them, and rows shared with the audited
    ones are reported. out: write a run folder; True chooses one in longway-runs. A finished run is read, not repeated.
    on: "ray" or "ray://host:port" to score rows by Ray's workers; the result is the same. watcher: follows the audit.
    options: columns as in `load` (text, context, label, id), and the options of `longway audit` by name, such as `max_q=0.01`.
    """
    _check_no_candidates(data, options)
    whole, options = with_columns(data, options)
    chosen = settings_from(AuditSettings, settings, options)
    watcher = watcher or Watcher()
    arranged = arrange(whole, split, tests)
    languages = languages_in(arranged.dataset)
    identity = RunIdentity.of("audit", arranged.dataset, chosen, held_out=arranged.held_out)

    def work(run: ActiveRun) -> AuditResult:
        result = _audit(arranged, chosen, languages, run)
        if run.kept is not None:
            run.write_with(SCORES, lambda path: write_frames(path, result.score_frames()))
            verdict = result.page().verdict
            run.write(croissant.FILE, croissant.croissant(result, verdict, arranged.dataset.path))
        return result

    return run_job(AuditResult, identity, work, out, watcher, on=on)


def _check_no_candidates(data: object, options: Mapping[str, object]) -> None:
    """Raise DataError if the data have candidates, unless their columns were named as those of labelled texts."""
    if isinstance(data, Dataset) or any(name in options for name in ("text", "context", "label")):
        return
    columns = data.columns if isinstance(data, ChoiceDataset) else guessed_columns(data)
    if columns is not None:
        roles = ", ".join(f"{role} = {name}" for role, name in columns.fields().items())
        raise DataError(
            f"The data have candidates ({roles}). Use lw.audit_choices(data). To audit labelled texts, name their columns: lw.audit(data, text=..., label=...)."
        )


def _audit(
    arranged: Arranged,
    settings: AuditSettings,
    languages: Mapping[str, float],
    run: ActiveRun,
) -> AuditResult:
    """languages: share of each."""
    watcher, step = run.watcher, run.watcher.step
    dataset = arranged.dataset
    step("reading")
    with TemporaryDirectory(prefix="longway-") as spilled:
        spill = _spill(dataset, spilled, "audited")
        reading = Reading.of(dataset, spill=spill, progress=_rows_read(watcher, dataset.n_used))
        others = {
            name: Reading.of(data, spill=_spill(data, spilled, str(number)), like=reading)
            for number, (name, data) in enumerate(arranged.held_out.items())
        }
        step("looking for duplicates")
        clusters = Clusters.of(reading)
        problems = [
            *dataset.problems,
            *arranged.problems,
            *_label_problems(dataset),
            *language_problems(dataset, languages),
            *duplicate_problems(reading, others, clusters=clusters),
            *_reading_problems(reading),
        ]
        detectors = detectors_for(reading, settings.chosen_levels)
        if GRAMMAR in settings.chosen_levels:
            of_grammar, noted = grammar_detector(
                dataset, reading, seed=settings.seed, only_if_quick=settings.levels == (AUTO,), step=step
            )
            detectors += [of_grammar] if of_grammar is not None else []
            problems += noted
        of_concepts: list[ConceptDetector] = []
        if CONCEPT in settings.chosen_levels:
            from longway.jobs.audit.concept_level import concept_detectors

            of_concepts, noted = concept_detectors(
                dataset,
                reading,
                clusters,
                seed=settings.seed,
                encoder=settings.encoder,
                folder=run.kept,
                step=step,
            )
            detectors += of_concepts
            problems += noted
        found = search(
            reading,
            detectors=detectors,
            clusters=clusters,
            max_q=settings.max_q,
            per_level=settings.per_level,
            step=step,
        )
        problems += [problem for one in of_concepts for problem in one.problems()]
        leaks, test_leaks = _leaks(reading, others, clusters, settings.seed, step)
        all_leaks, _ = _leaks(reading, {}, clusters, settings.seed, step, seen=found.tests)
        by_source = None
        if settings.group is not None:
            step(f"comparing the groups of {settings.group}")
            by_source = sources(
                reading, _groups(dataset, reading, settings.group), settings.group, found, seed=settings.seed
            )
        step("scoring documents")
        surface = score_surface(
            reading, variant=settings.variant, dimensions=settings.dimensions, shard_map=run.shard_map
        )
        step("checking single rows")
        checks = check_rows(reading, clusters=clusters, vectors=row_vectors(of_concepts), seed=settings.seed)
        columns = {
            "n_tokens": reading.corpora[TEXT].lengths(),
            "gamma": surface.gamma,
            "lean": surface.lean,
            **row_columns(checks),
        }
        step("collecting examples")
        examples = examples_by_place(dataset, reading, _places_shown(found, surface))
        mean_gamma, histogram = _gamma_histogram(reading, surface.gamma)
        return AuditResult(
            dataset=replace(
                DatasetSummary.of(dataset), languages=dict(languages), splitting=splitting_of(list(languages))
            ),
            leaks=leaks,
            all_leaks=all_leaks,
            held_out=test_leaks,
            problems=tuple(problems),
            tested=found.tested,
            significant=found.significant,
            significant_rows=found.significant_rows,
            distinct={name: clusters.n_distinct(role) for role, name in reading.columns.items()},
            findings=Findings(grouped(found.chosen, examples)),
            sources=by_source,
            people=tuple(people_counts(found.tests, reading.label_names)),
            space=SpaceSummary(
                settings.variant,
                settings.dimensions,
                mean_gamma,
                histogram,
                tuple(
                    telling_of(document, examples[document.place], reading.tokenizer)
                    for document in surface.documents
                ),
            ),
            lengths=_length_histogram(reading),
            rows=row_summary(checks, dataset, reading),
            settings=settings,
            longway=version("longway"),
            created=now(),
            score_frames=partial(score_frames, dataset, columns),
        )


def _spill(dataset: Dataset, folder: str, name: str) -> Path | None:
    """Where the tokens of a dataset that does not fit into memory are kept."""
    return Path(folder) / name if dataset.streamed else None


def _rows_read(watcher: Watcher, total: int) -> Callable[[int], object]:
    """A function that is given the number of rows in each batch read, and reports their sum to the watcher."""
    done = 0

    def advance(rows: int) -> None:
        nonlocal done
        done += rows
        watcher.progress(done, total)

    return advance


def _groups(dataset: Dataset, reading: Reading, column: str) -> Ints:
    """The group of each row of the reading as a number; an empty cell is a group, too."""
    values: list[pl.Series] = []
    for table in dataset.tables():
        if column not in table.frame.columns:
            raise ColumnError(
                f"{dataset.source_name} has no column {column!r}. Expected the column that names the source of each row. "
                f"Its columns are {', '.join(table.frame.columns)}."
            )
        values.append(table.frame[column].cast(pl.String).fill_null(""))
    groups = pl.concat(values).gather(reading.rows)
    return np.unique(groups.to_numpy(), return_inverse=True)[1].astype(np.int64)


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
    reading: Reading,
    tests: dict[str, Reading],
    clusters: Clusters,
    seed: int,
    step: Step,
    *,
    seen: Sequence[Tests] = (),
) -> tuple[dict[str, Leak], dict[str, dict[str, Leak]]]:
    leaks: dict[str, Leak] = {}
    held_out: dict[str, dict[str, Leak]] = {name: {} for name in tests}
    for part, roles in parts_of(reading).items():
        names = " and ".join(reading.columns[role] for role in roles)
        step(f"measuring the leak from {names}{', by everything that detectors see' if seen else ''}")
        leaks[part] = leak_by_folds(reading, part, seen=seen, clusters=clusters, seed=seed)
        for name, test in tests.items():
            held_out[name][part] = leak_on_test(reading, test, part, name=name, seed=seed)
    return leaks, held_out


def _places_shown(found: Search, surface: SurfaceScores) -> Ints:
    shown = places_of(found.chosen)
    return np.unique(np.array([*shown, *(d.place for d in surface.documents)], dtype=np.int64))


def people_counts(tests: Sequence[Tests], label_names: Sequence[str]) -> list[Mentions]:
    """What the people detectors of a search counted, attributes that no text speaks of left out."""
    return [
        mentions
        for one in tests
        if isinstance(one.detector, PeopleDetector)
        for mentions in _of_one_column(one, one.detector, label_names)
    ]


def _of_one_column(tests: Tests, detector: PeopleDetector, label_names: Sequence[str]) -> list[Mentions]:
    tested = {
        key: (float(p), float(q)) for key, p, q in zip(tests.keys.tolist(), tests.p, tests.q, strict=True)
    }
    return [
        Mentions(
            field=detector.field,
            axis=attribute.axis,
            attribute=attribute.name,
            pattern=trait_of(attribute),
            texts=dict(zip(label_names, detector.texts[key].tolist(), strict=True)),
            mentions=dict(zip(label_names, detector.mentions[key].tolist(), strict=True)),
            words=tuple(detector.words(key)[:KEPT_WORDS]),
            p=tested.get(key, (None, None))[0],
            q=tested.get(key, (None, None))[1],
        )
        for key, attribute in enumerate(ATTRIBUTES)
        if detector.texts[key].any()
    ]


def _gamma_histogram(
    reading: Reading, gamma: NDArray[np.float64]
) -> tuple[dict[str, float | None], Histogram]:
    """Mean and histogram of gamma per label; the last bin includes the highest thousandth."""
    known = np.isfinite(gamma)
    low, high = (float(x) for x in np.quantile(gamma[known], [0, 0.999])) if known.any() else (0.0, 1.0)
    edges = np.linspace(low, max(high, low + 1e-9), 41)
    inside = np.clip(gamma, edges[0], edges[-1])
    counts: dict[str, tuple[int, ...]] = {}
    means: dict[str, float | None] = {}
    for i, name in enumerate(reading.label_names):
        mine = known & (reading.labels == i)
        counts[name] = tuple(np.histogram(inside[mine], bins=edges)[0].tolist())
        means[name] = float(gamma[mine].mean()) if mine.any() else None
    return means, Histogram(tuple(edges.tolist()), counts)


def _length_histogram(reading: Reading) -> Histogram:
    """Histogram of tokens per text and label; the last bin includes the longest hundredth."""
    lengths = reading.corpora[TEXT].lengths()
    top = int(np.quantile(lengths, 0.99)) + 1 if len(lengths) else 1
    width = max(1, -(-top // 30))
    edges = np.arange(0, top + width, width)
    inside = np.minimum(lengths, edges[-1])
    counts = {
        name: tuple(np.histogram(inside[reading.labels == i], bins=edges)[0].tolist())
        for i, name in enumerate(reading.label_names)
    }
    return Histogram(tuple(edges.tolist()), counts)
