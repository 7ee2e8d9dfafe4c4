"""Prove: train on each version of a dataset, test on every test set, and report what changed.

versions, test sets  ->  concerns  ->  baselines, perturbed test rows, grammar features  ->  trainings  ->  measure  ->  results.json, report.html

The first version is what the others are compared with. A comparison whose figures would be wrong (test rows in the training data,
other labels) is refused before anything is trained. The same call resumes an interrupted run: trained cells are not trained again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from longway.data import Dataset, as_dataset, load, with_columns
from longway.errors import ColumnError, DataError, SettingError, with_checked_arguments
from longway.jobs.documents import ANALYSES_FILE, Documents
from longway.jobs.engine_use import Engines, close, costs_money
from longway.jobs.estimate import RunEstimate
from longway.jobs.held_out import Arranged, arrange
from longway.jobs.options import settings_from
from longway.jobs.perturb.perturbing import Perturbing, Who, calls_of, who_perturbs
from longway.jobs.perturb.settings import RULES
from longway.jobs.prove.concerns import HELD_OUT, can_hold_out, concerns_about, hold_out, overlapping_rows
from longway.jobs.prove.features import check_features, grammar_rules, unparsed_concerns
from longway.jobs.prove.measure import measure
from longway.jobs.prove.page import prove_page  # noqa: F401  (registers the page of the result)
from longway.jobs.prove.perturbed_rows import changed_rows, write_perturbed
from longway.jobs.prove.result import Concern, ProveResult
from longway.jobs.prove.settings import ProveSettings
from longway.jobs.prove.training import CellStore, TestSet, Version, rows_of, train_all
from longway.jobs.rewrite.job import rewrite
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, folder_of, run_job, stem
from longway.language_names import ENGLISH
from longway.languages.dataset import described, languages_in, tokenizer_of
from longway.models.multilingual import LANGUAGES
from longway.models.own_model import sources_of
from longway.store import RUN_FILE, Journal

BEFORE, AFTER = "before", "after"
CELLS, MODELS = "cells", "models"  # folders of the run
VALIDATION = ("validation", "valid", "dev", "val")


@with_checked_arguments
def prove(
    before: object,
    after: object,
    settings: ProveSettings | None = None,
    *,
    tests: Mapping[str, object] | None = None,
    also: Mapping[str, object] | None = None,
    split: str | None = None,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> ProveResult:
    """Train on a dataset before and after a change, and test both where shortcuts do not help.

    before, after, also, tests: datasets, or anything that `load` takes; a run folder stands for the dataset in it. also: further versions by
    name. tests: test sets by name, in addition to the splits of `before` that are not trained on; without any, a fifth of the original rows
    is held out and tested on. split: the split to train on, by
    default "train". engines: where a served perturber of the fairscore is, and what it may cost. out: write a run folder; True for the default one in longway-runs. options: columns as in `load` (text, context, label,
    id), and the options of `longway prove` by name, such as `seeds=5`.
    """
    if isinstance(before, str | Path):
        before = dataset_file(before)
    before, options = with_columns(before, options)
    chosen = settings_from(ProveSettings, settings, options)
    inputs = _Inputs.of(before, after, chosen, tests=tests or {}, also=also or {}, split=split)
    watcher, engines = watcher or Watcher(), engines or Engines()
    if out is None and chosen.save_models:
        raise SettingError("'save_models' needs a run folder. Give one with 'out'.")
    with ExitStack() as stack:
        who = None
        if chosen.fairscore:
            who = who_perturbs(chosen.perturb, replace(engines, device=chosen.device))
            stack.callback(close, who.engine)
        changing = None if who is None else _Changing(who, engines.budget)
        folder = stack.enter_context(folder_of(out))
        result = _run(inputs, chosen, changing, folder or True, watcher)
        return result if out else replace(result, folder=None)


def load_version(
    source: object,
    *,
    like: Dataset | None = None,
    id: str | None = None,
    split: str | None = None,
    limit: int | None = None,
    encoding: str | None = None,
) -> Dataset:
    """A dataset, or what `load` makes of the source; for a run folder, the dataset that the run wrote.

    like: use the columns of this dataset, and for a run folder its encoding. id, split, limit, encoding: as in `load`.
    """
    if isinstance(source, Dataset):
        return source
    path = dataset_file(source) if isinstance(source, str | Path) else source
    if like is None:
        return as_dataset(path)
    own = like.columns
    try:
        return load(
            path,
            text=own.text,
            context=own.context or "",
            label=own.label,
            id=id if path is source else None,  # a run wrote ids of its own
            split=split,
            limit=limit,
            encoding=encoding or (like.encoding if path is not source else None),
            language=own.language,
        )
    except ColumnError as error:  # columns to suggest would be those of this file alone
        raise ColumnError(str(error)) from None


def dataset_file(path: str | Path) -> str | Path:
    """The path; for a run folder, the path of the dataset that the run wrote."""
    folder = Path(path)
    if not is_run(path):
        return path
    found = sorted(folder.glob("dataset.*"))
    if not found:
        raise DataError(
            f"{path} is a run that wrote no dataset. Expected the run folder of `longway rewrite`, `augment` or `perturb`, or a file."
        )
    return found[0]


def is_run(path: str | Path) -> bool:
    """Whether the path is a run folder."""
    return (Path(path) / RUN_FILE).is_file()


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The versions to train on and the sets to test on. validation: the split for early stopping; "" without one."""

    before: Dataset
    versions: Mapping[str, Arranged]
    held_out: Mapping[str, Dataset]
    split: str | None
    validation: str

    @classmethod
    def of(
        cls,
        before: object,
        after: object,
        settings: ProveSettings,
        *,
        tests: Mapping[str, object],
        also: Mapping[str, object],
        split: str | None,
    ) -> _Inputs:
        taken = (BEFORE, AFTER, *settings.baselines)
        if any(name in taken for name in also):
            raise SettingError(
                f"{', '.join(map(repr, taken))} are taken. Give the other versions other names."
            )
        first = load_version(before)
        given = {AFTER: after, **also}
        versions = {BEFORE: arrange(first, split)}
        versions |= {name: arrange(load_version(data, like=first), split) for name, data in given.items()}
        splits = versions[BEFORE].held_out
        if twice := sorted(set(tests) & set(splits)):
            raise SettingError(
                f"Both a test set and a split of the data are called {twice[0]!r}. Give the test set another name: --test NAME=FILE."
            )
        validation = next((name for name in splits if name.lower() in VALIDATION), "")
        held_out = {**splits, **{name: load_version(data, like=first) for name, data in tests.items()}}
        if not held_out.keys() - {validation}:
            versions, more = _with_test_rows(versions)
            held_out |= more
        return cls(first, versions, held_out, split, validation)

    @property
    def tests(self) -> dict[str, Dataset]:
        """The test sets by name."""
        return {name: data for name, data in self.held_out.items() if name != self.validation}

    def version(self, name: str, arranged: Arranged, settings: ProveSettings) -> Version:
        """A version to train on; without validation rows of its own it uses those of the first."""
        own = arranged.held_out.get(self.validation, self.held_out.get(self.validation))
        return Version(
            name, arranged.dataset, own, settings.keep, tokenizer=tokenizer_of(self.versions[BEFORE].dataset)
        )

    def problems(self) -> list[Concern]:
        """Problems that reading the data found: rows without a text, rows in no split and so on."""
        found = [(name, [*one.dataset.problems, *one.problems]) for name, one in self.versions.items()]
        found += [(name, list(dataset.problems)) for name, dataset in self.tests.items()]
        return [
            Concern.remark("data", problem.count, f"{name}: {problem.message}")
            for name, problems in found
            for problem in problems
        ]


def _with_test_rows(versions: Mapping[str, Arranged]) -> tuple[dict[str, Arranged], dict[str, Dataset]]:
    """The versions without a part of the original rows, and this part to test on; SettingError if the rows cannot be traced."""
    rows = {name: one.dataset for name, one in versions.items()}
    later = {name: one for name, one in rows.items() if name != BEFORE}
    if not can_hold_out(rows[BEFORE], later):
        raise SettingError(
            "There is nothing to test on: the data has no split besides the one to train on, no test set was given, and a part of the rows "
            "can be held out only if the changed data has their ids (the column longway_id, which Longway writes) and both fit into memory. "
            "Give a test set: --test NAME=FILE."
        )
    kept, test = hold_out(rows[BEFORE], rows)
    return {name: replace(one, dataset=kept[name]) for name, one in versions.items()}, {HELD_OUT: test}


def _run(
    inputs: _Inputs,
    settings: ProveSettings,
    changing: _Changing | None,
    out: Path | Literal[True],
    watcher: Watcher,
) -> ProveResult:
    dataset = inputs.versions[BEFORE].dataset
    fingerprints = {name: one.dataset.fingerprint for name, one in inputs.versions.items()}
    identity = RunIdentity.of(
        "prove",
        dataset,
        settings,
        held_out=inputs.held_out,
        more={
            "versions": fingerprints,
            **sources_of(settings.models),
            **(changing.recorded if changing else {}),
            **check_features(settings, dataset),
        },
    )
    started = time.monotonic()

    @cache
    def prepared() -> tuple[list[Version], list[TestSet], list[Concern]]:
        watcher.step("comparing the training data with the test sets")
        versions = [inputs.version(name, one, settings) for name, one in inputs.versions.items()]
        return versions, *_checked(versions, inputs.tests, settings)

    def work(run: ActiveRun) -> ProveResult:
        versions, tests, concerns = prepared()
        if settings.baselines:
            for name in settings.baselines:
                watcher.step(f"making the baseline {name}")
                versions.append(inputs.version(name, _baseline(name, inputs, run.folder), settings))
            tests, concerns = _checked(versions, inputs.tests, settings)
        concerns += inputs.problems()
        concerns += _english_encoder(settings.models, dataset)
        files: dict[str, str] = {}
        if changing is not None:
            tests, files = changing.perturbed(tests, run)
            concerns += _perturbed_concerns(tests)
        features = None
        if settings.uses_grammar:
            rules = grammar_rules(settings, dataset, run.folder, watcher)
            features = rules.about([rules.parse(one.name, one.dataset) for one in versions])
            versions = [replace(one, features=rules) for one in versions]
            concerns += unparsed_concerns(features.versions)
        trainings = train_all(
            versions,
            tests,
            settings,
            store=CellStore(run.folder / CELLS),
            models=run.folder / MODELS if settings.save_models else None,
            watcher=watcher,
        )
        concerns += [
            Concern.remark("keep", 1, f"{phrase!r} was to be kept as real signal, but no pattern that was found is about it. Check its spelling.")
            for phrase in trainings.unused_keep
        ]  # fmt: skip
        result = measure(
            trainings, concerns=concerns, settings=identity.settings, perturbed_files=files, watcher=watcher
        )
        if changing is not None and result.fairscore is not None:
            by = replace(result.fairscore, perturber=changing.who.settings.engine)
            failed = Counter[str]()
            for test in tests:
                failed.update(test.perturbed.failed if test.perturbed else {})
            result = replace(result, fairscore=by, failed_calls=dict(failed))
        if settings.fairscore:
            Documents(run.folder / ANALYSES_FILE).forget()
        return replace(result, features=features, seconds=round(time.monotonic() - started, 1))

    return run_job(ProveResult, identity, work, out, watcher, check=prepared)


def _english_encoder(models: Sequence[str], dataset: Dataset) -> list[Concern]:
    """What to know about an encoder that was trained on English texts, if the data are in another language."""
    languages = tuple(languages_in(dataset))
    used = [model for model in models if model.startswith("minilm")]
    if ENGLISH in languages or not used:
        return []
    text = (
        f"The texts are in {described(dict.fromkeys(languages[:1], 1.0))}, and the encoder of {', '.join(used)} was trained on English. "
        f"Use --model bow{', --model multilingual' if languages[0] in LANGUAGES else ''} or an encoder of the language: --model hf:NAME."
    )
    return [Concern.remark("data", dataset.n_used, text)]


def _baseline(name: str, inputs: _Inputs, folder: Path) -> Arranged:
    """The first version, rewritten by a baseline method."""
    before = inputs.before
    out = folder / f"baseline-{name}"
    rewrite(before, split=inputs.split, method=name, out=out)
    rewritten = load_version(out, like=before, split=before.columns.split)
    return replace(arrange(rewritten, inputs.split), held_out={})


def _checked(
    versions: Sequence[Version], tests: Mapping[str, Dataset], settings: ProveSettings
) -> tuple[list[TestSet], list[Concern]]:
    """The test sets with the rows to test on; SettingError if the comparison would be wrong."""
    validation = {one.name: rows for one in versions if (rows := one.validation_rows) is not None}
    chosen = []
    for name, dataset in tests.items():
        rows, kept = rows_of(dataset, versions[0].tokenizer), np.arange(dataset.n_used)
        if settings.drop_overlap or name == HELD_OUT:  # a change may give two rows the same text
            shared = overlapping_rows([*(version.rows for version in versions), *validation.values()], rows)
            kept = np.setdiff1d(kept, shared)
            if not len(kept):
                raise SettingError(
                    f"All rows of the test set {name!r} are also in the training data. Give another test set."
                )
        chosen.append(TestSet(name, dataset, rows.take(kept), kept, len(rows) - len(kept)))
    concerns = concerns_about(
        {version.name: version.rows for version in versions},
        {test.name: test.rows for test in chosen},
        validation=validation,
    )
    if refused := [one for one in concerns if one.refused]:
        can_drop = any(one.kind in ("overlap", "stopped on") for one in refused)
        hint = " --drop-overlap leaves such rows out." if can_drop else ""
        raise SettingError(" ".join(one.text for one in refused[:3]) + hint)
    return chosen, concerns


@dataclass(frozen=True, slots=True)
class _Changing:
    """Changes people for the fairscore. budget: dollars, if an engine does it."""

    who: Who
    budget: float | None

    @property
    def recorded(self) -> dict[str, object]:
        """What a run's settings record of a network or an engine."""
        if self.who.engine is not None:
            return {"perturber_identity": dict(self.who.engine.identity)}
        return {"perturber_fingerprint": self.who.fingerprint} if self.who.fingerprint else {}

    def perturbed(self, tests: Sequence[TestSet], run: ActiveRun) -> tuple[list[TestSet], dict[str, str]]:
        """The test sets with their perturbed rows, and the file of each that has some."""
        found: list[TestSet] = []
        files: dict[str, str] = {}
        for test, perturbing in zip(tests, self._read(tests, run), strict=True):
            run.watcher.step(f"changing one person in each row of {test.name}")
            journal = Journal(None) if self.who.settings.engine == RULES else run.journal
            perturbed = changed_rows(perturbing, test.kept, self.who, journal, budget=self.budget)
            found.append(replace(test, perturbed=perturbed))
            if perturbed:
                name = stem(test.name)
                while (file := f"perturbed/{name}.jsonl") in files.values():  # "a b" and "a-b"
                    name += "-2"
                files[test.name] = file
                write_perturbed(run.folder / file, test.rows, perturbed)
        return found, files

    def _read(self, tests: Sequence[TestSet], run: ActiveRun) -> list[Perturbing]:
        """Who is mentioned in each test set; what changing all of them may cost is told before anything is spent."""
        perturbings = []
        for test in tests:
            run.watcher.step(f"reading who is mentioned in {test.name}")
            perturbings.append(
                Perturbing(
                    test.dataset,
                    self.who.settings,
                    cache=run.folder / ANALYSES_FILE,
                    progress=run.watcher.progress,
                )
            )
        if costs_money(self.who.engine):
            calls = [call for one in perturbings for call in calls_of(self.who.engine, one)]
            rows = sum(len(one.chosen) for one in perturbings)
            run.watcher.estimate(RunEstimate.of(rows, calls, spent=run.journal.spent()))
        return perturbings


def _perturbed_concerns(tests: Sequence[TestSet]) -> Iterator[Concern]:
    """The test sets without perturbed rows, and the rows of others that a perturber could not answer."""
    for test in tests:
        if not test.perturbed:
            text = f"{test.name}: no row mentions a person whose gender, race or age could be changed, so there is no fairscore."
            yield Concern.remark("fairscore", len(test.rows), text)
        elif test.perturbed.failed:
            reason, n = next(iter(test.perturbed.failed.items()))
            text = f"{test.name}: {n:,} calls to the perturber failed ({reason}), so these rows were left out of the fairscore. The same command tries them again."
            yield Concern.remark("fairscore", n, text)
