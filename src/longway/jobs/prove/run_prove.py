"""A proof into a run folder: results.json, report.html, the trained cells, perturbed test rows, classifiers, and run.json last.

The same command again goes on where it stopped: a cell that was trained is read, not trained again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from longway.data import Dataset, load
from longway.english.pipeline import load_pipeline
from longway.errors import DataError, SettingError
from longway.jobs.about import RUNS_FOLDER, inputs_of, stem
from longway.jobs.documents import ANALYSES_FILE, Documents
from longway.jobs.held_out import Arranged, arrange
from longway.jobs.prove.cells import CellStore
from longway.jobs.prove.checks import Concern, concerns_about, overlapping_rows
from longway.jobs.prove.perturbed_rows import perturbed_rows, write_perturbed
from longway.jobs.prove.prove import VALIDATION, ProveSettings, TestSet, Version, prove, rows_of
from longway.jobs.prove.prove_summary import summarize
from longway.jobs.rewrite.job import rewrite
from longway.show import render_prove
from longway.store import Run, free_folder, holding, read_json

RESULTS, MODELS = "results.json", "models"
BEFORE, AFTER = "before", "after"


def run_prove(
    before: Dataset,
    after: Dataset,
    *,
    tests: Mapping[str, Dataset] | None = None,
    also: Mapping[str, Dataset] | None = None,
    split: str | None = None,
    settings: ProveSettings | None = None,
    out: Path | str | None = None,
    step: Callable[[str], object] = lambda name: None,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and its results.json; a run that was finished before is read, not repeated.

    tests: held-out sets by name, besides the splits of `before` that are not trained on. also: further versions.
    split: what is trained on where there are several splits ("train" unless told otherwise).
    """
    settings, given = settings or ProveSettings(), {BEFORE: before, AFTER: after, **(also or {})}
    if len({*given, *settings.baselines}) != 2 + len(also or {}) + len(settings.baselines):
        taken = ", ".join(map(repr, (BEFORE, AFTER, *settings.baselines)))
        raise SettingError(f"{taken} are taken. Give the other versions names of their own.")
    arranged = {name: arrange(dataset, split) for name, dataset in given.items()}
    held_out = {**arranged[BEFORE].held_out, **_named_once(tests or {}, arranged[BEFORE].held_out)}
    validation = next(
        (name for name in held_out if name.lower() in VALIDATION and name not in (tests or {})), None
    )
    asked: dict[str, Any] = {
        "command": "prove",
        "settings": {
            **asdict(settings),
            **inputs_of(arranged[BEFORE].dataset, held_out),
            "versions": {name: one.dataset.fingerprint for name, one in arranged.items()},
        },
        "fingerprint": arranged[BEFORE].dataset.fingerprint,
    }
    folder = Path(out) if out else free_folder(RUNS_FOLDER / f"{stem(before.source_name)}-prove", **asked)
    if (done := Run.finished(folder, **asked)) is not None:
        return done, read_json(folder / RESULTS)
    started = time.monotonic()
    stop_on = held_out[validation] if validation else None
    versions = [
        Version(name, one.dataset, one.held_out.get(validation or "", stop_on), settings.keep)
        for name, one in arranged.items()
    ]
    test_sets = {name: data for name, data in held_out.items() if name != validation}
    step("comparing what is trained on with what is tested on")
    chosen, concerns = _checked(versions, test_sets, settings)  # before anything is written
    if settings.fairscore:
        load_pipeline()  # or what it needs is missing
    with holding(folder):
        run = Run.open(folder, **asked)
        if settings.baselines:
            made = [_baseline(name, before, split, folder, step) for name in settings.baselines]
            versions += [Version(name, data, stop_on, settings.keep) for name, data in made]
            chosen, concerns = _checked(versions, test_sets, settings)
        concerns += _about_the_data(arranged, test_sets)
        files: dict[str, str] = {}
        if settings.fairscore:
            chosen, files = _perturbed(chosen, folder, step, progress)
            concerns += [_nobody(test) for test in chosen if not test.perturbed]
        proof = prove(
            versions,
            chosen,
            settings,
            store=CellStore(folder / "cells"),
            models=folder / MODELS if settings.save_models else None,
            step=step,
            progress=progress,
        )
        concerns += [_unused(phrase) for phrase in proof.unused_keep]
        results = summarize(
            proof, concerns=concerns, asked=asked["settings"], perturbed_files=files, step=step
        )
        results["seconds"] = round(time.monotonic() - started, 1)
        step("writing the report")
        run.write(RESULTS, results)
        run.write_with("report.html", lambda path: path.write_text(render_prove(results), encoding="utf-8"))
        if settings.fairscore:
            Documents(folder / ANALYSES_FILE).forget()
        run.finish()
    return run, results


def load_version(path: str, *, like: Dataset | None = None, **columns: Any) -> Dataset:
    """A dataset from a file, or from the folder of a run that rewrote one.

    like: take the columns of this dataset. columns: as in `load`.
    """
    folder = Path(path)
    if (folder / "run.json").is_file():
        found = sorted(folder.glob("dataset.*"))
        if not found:
            raise DataError(
                f"{path} is a run that wrote no dataset. A rewritten one was expected. "
                "Give the run folder of `longway rewrite`, or a file."
            )
        path = str(found[0])
    if like is not None:
        own = like.columns
        columns |= {"text": own.text, "context": own.context or "", "label": own.label}
    return load(path, **columns)


def _named_once(tests: Mapping[str, Dataset], splits: Mapping[str, Dataset]) -> Mapping[str, Dataset]:
    if twice := sorted(set(tests) & set(splits)):
        raise SettingError(
            f"A test set is called {twice[0]!r}, and so is a split of the data. Give it another name: --test NAME=FILE."
        )
    return tests


def _baseline(
    name: str, before: Dataset, split: str | None, folder: Path, step: Callable[[str], object]
) -> tuple[str, Dataset]:
    """The name of a baseline method, and the first version rewritten by it."""
    step(f"making the baseline {name}")
    columns = before.columns
    out = folder / f"baseline-{name}"
    rewrite(before, split=split, method=name, out=out)
    dataset = load(
        next(out.glob("dataset.*")),
        text=columns.text,
        context=columns.context or "",
        label=columns.label,
        split=columns.split,
    )
    return name, arrange(dataset, split).dataset


def _checked(
    versions: Sequence[Version], tests: Mapping[str, Dataset], settings: ProveSettings
) -> tuple[list[TestSet], list[Concern]]:
    """The test sets as they are tested on; an error where a comparison would be quietly wrong."""
    if not tests:
        raise SettingError(
            "There is nothing to test on: the data has no split beside the one trained on, and no test set was given. "
            "Give one: --test NAME=FILE."
        )
    chosen = []
    validation = {one.name: rows_of(one.validation) for one in versions if one.validation is not None}
    for name, dataset in tests.items():
        rows, kept = rows_of(dataset), np.arange(dataset.n_used)
        if settings.drop_overlap:
            shared = overlapping_rows([*(version.rows for version in versions), *validation.values()], rows)
            kept = np.setdiff1d(kept, shared)
            if not len(kept):
                raise SettingError(
                    f"All rows of the test set {name!r} stand in the training data. Give another test set."
                )
        chosen.append(TestSet(name, dataset, rows.take(kept), kept, len(rows) - len(kept)))
    concerns = concerns_about(
        {version.name: version.rows for version in versions},
        {test.name: test.rows for test in chosen},
        validation=validation,
    )
    if refused := [one for one in concerns if one.refused]:
        hint = (
            " --drop-overlap leaves such rows out."
            if any(one.kind in ("overlap", "stopped on") for one in refused)
            else ""
        )
        raise SettingError(" ".join(one.text for one in refused[:3]) + hint)
    return chosen, concerns


def _perturbed(
    tests: Sequence[TestSet],
    folder: Path,
    step: Callable[[str], object],
    progress: Callable[[int, int], object],
) -> tuple[list[TestSet], dict[str, str]]:
    """The test sets with their perturbed rows, and the file of each that has some."""
    found: list[TestSet] = []
    files: dict[str, str] = {}
    for test in tests:
        step(f"changing one person in each row of {test.name}")
        perturbed = perturbed_rows(test.dataset, test.kept, cache=folder / ANALYSES_FILE, progress=progress)
        found.append(replace(test, perturbed=perturbed))
        if perturbed:
            name = stem(test.name)
            while (file := f"perturbed/{name}.jsonl") in files.values():  # "a b" and "a-b"
                name += "-2"
            files[test.name] = file
            write_perturbed(folder / file, test.rows, perturbed)
    return found, files


def _nobody(test: TestSet) -> Concern:
    text = f"{test.name}: no row has a person whose gender, race or age could be changed, so there is no fairscore on it."
    return Concern("fairscore", len(test.rows), (), text, False)


def _about_the_data(arranged: Mapping[str, Arranged], tests: Mapping[str, Dataset]) -> list[Concern]:
    """What reading the data came across: rows without a text, rows in no split and the like."""
    found = [(name, [*one.dataset.problems, *one.problems]) for name, one in arranged.items()]
    found += [(name, list(dataset.problems)) for name, dataset in tests.items()]
    return [
        Concern("data", problem.count, (), f"{name}: {problem.message}", False)
        for name, problems in found
        for problem in problems
    ]


def _unused(phrase: str) -> Concern:
    text = f"{phrase!r} was to be kept as real signal, and no pattern that was found is about it. Check its spelling."
    return Concern("keep", 1, (), text, False)
