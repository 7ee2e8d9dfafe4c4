"""Prove with candidates: train rankers on the questions before and after a change, and test them where cues do not help.

versions, test sets  ->  audit of `before`: cues  ->  trainings  ->  accuracy where the cues help, mislead, cancel out  ->  results.json, report.html

Without a test set every question of `before` is tested, by rankers that were not trained on it nor on anything made from it: questions
are divided into five parts, and each part is tested by a training on the others. Each seed divides them anew. With a test set each seed
leaves out another tenth of the training questions, the same in all versions. If questions were dropped, one more version drops as many at random.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from longway.data.choices import ChoiceDataset, Question, load_choices
from longway.data.table import scalar_text
from longway.detect.choices.candidates import Bools, Candidates, Floats, Ints, hits
from longway.detect.choices.leak import FOLDS
from longway.errors import DataError, SettingError, with_checked_arguments
from longway.jobs.choices.audit.job import as_choices, check_enough, search_in
from longway.jobs.choices.audit.page import UNITS
from longway.jobs.choices.prove.measure import (
    ALL,
    REVERSED,
    Answers,
    Cue,
    Ranker,
    TestSet,
    cues_in,
    overlap,
    part_name,
    parts_of,
    ranker_named,
    together,
    with_form_exchanged,
)
from longway.jobs.choices.prove.page import prove_page  # noqa: F401  (registers the page of the result)
from longway.jobs.choices.prove.result import (
    AFTER,
    BEFORE,
    CONTROL,
    ChoiceProveResult,
    ChoiceTest,
    ChoiceVersion,
)
from longway.jobs.options import settings_from
from longway.jobs.prove.job import dataset_file
from longway.jobs.prove.settings import ChoiceProveSettings
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, folder_of, run_job
from longway.json_values import to_json
from longway.models.encoders import VectorCache
from longway.models.folds import folds_of
from longway.records import Finding
from longway.store import now, replacing

CUES = 6  # findings that questions are grouped by
MIN_PART = 10  # questions of a part that is tested
LEFT_OUT = 10  # with a test set, each seed leaves out one in so many training questions
SPLIT, TRAIN = "split", "train"
CELLS, VECTORS = "cells", "vectors.sqlite"
CELL_VERSION = 3  # increased when the same training would be done or stored differently


@with_checked_arguments
def prove_choices(
    before: object,
    after: object,
    settings: ChoiceProveSettings | None = None,
    *,
    tests: Mapping[str, object] | None = None,
    also: Mapping[str, object] | None = None,
    split: str | None = None,
    split_column: str | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> ChoiceProveResult:
    """Train rankers on data with candidates before and after a change, and test both where cues do not help.

    before, after, tests: datasets with candidates, or anything that `load` reads; for a run folder, the dataset that the run wrote. tests:
    test sets by name, in addition to the splits of `before` that are not trained on; without any, every question of `before` is tested by
    rankers that were not trained on it. also: further versions of the training data by name, each compared with `before`. split: the split to train on, by default "train"; split_column: by default "split". out: write a
    run folder; True chooses one in longway-runs. options: the options of `longway prove` by name, such as `seeds=5`.
    """
    chosen = settings_from(ChoiceProveSettings, settings, options)
    if taken := sorted(set(also or {}) & {BEFORE, AFTER, CONTROL}):
        raise SettingError(
            f"A further version cannot be called {taken[0]!r}, the name of another version. Give it another name: --also NAME=FILE."
        )
    first = as_choices(dataset_file(before) if isinstance(before, str | Path) else before)
    trained, splits = by_split(first, split, split_column)
    changed = {
        name: by_split(load_like(data, first), split, split_column)[0] if splits else load_like(data, first)
        for name, data in {AFTER: after, **(also or {})}.items()
    }
    given = {name: load_like(data, first) for name, data in (tests or {}).items()}
    if twice := sorted(set(given) & set(splits)):
        raise SettingError(
            f"Both a test set and a split of the data are called {twice[0]!r}. Give the test set another name: --test NAME=FILE."
        )
    versions, tested = {BEFORE: trained, **changed}, {**splits, **given}
    recorded = {
        **{name: to_json(value) for name, value in asdict(chosen).items()},
        "data": trained.source_name,
        **trained.columns.recorded,
        "versions": {name: one.fingerprint for name, one in versions.items()},
        "held_out": {name: one.fingerprint for name, one in tested.items()},
    }
    identity = RunIdentity("prove", recorded, trained.fingerprint, trained.source_name)
    watcher, started = watcher or Watcher(), time.monotonic()
    proof = cache(partial(_Proof, versions, tested, chosen, watcher))

    def work(run: ActiveRun) -> ChoiceProveResult:
        result = proof().result(run.folder, recorded)
        VectorCache.delete(run.folder / VECTORS)
        return replace(result, seconds=round(time.monotonic() - started, 1))

    with folder_of(out) as folder:
        result = run_job(ChoiceProveResult, identity, work, folder or True, watcher, check=proof)
        return result.in_folder(result.folder if out else None)


def load_like(source: object, like: ChoiceDataset, *, encoding: str | None = None) -> ChoiceDataset:
    """Data with candidates, read with the columns of others; for a run folder, the dataset that the run wrote."""
    if isinstance(source, ChoiceDataset):
        return source
    path = dataset_file(source) if isinstance(source, str | Path) else source
    found = load_choices(path, like.columns.as_given, encoding=encoding)
    assert found is not None  # columns were given
    return found


def by_split(
    dataset: ChoiceDataset, split: str | None, column: str | None
) -> tuple[ChoiceDataset, dict[str, ChoiceDataset]]:
    """The questions to train on, and those of each other split by name. Without a split called "train" all questions are trained on."""
    name, columns = column or SPLIT, dataset.table.frame.columns
    if name not in columns or name in dataset.columns.used():
        if column or split:
            raise SettingError(
                f"{dataset.source_name} has no column {name!r} with splits. It has {', '.join(columns)}. Name one with --split-column, or leave out --split."
            )
        return dataset, {}
    cells = dataset.table.frame[name].to_list()
    of = {one.row: scalar_text(cells[one.row]) for one in dataset.questions}
    names = list(dict.fromkeys(of.values()))
    if split and split not in names:
        raise SettingError(
            f"{dataset.source_name} has no split {split!r}. It has {', '.join(names)}. Choose one with --split."
        )
    if not split and TRAIN not in names:
        return dataset, {}
    parts = {
        one: replace(dataset, questions=tuple(q for q in dataset.questions if of[q.row] == one))
        for one in names
    }
    return parts.pop(split or TRAIN), parts


@dataclass(frozen=True, slots=True)
class _Version:
    """Questions to train on: their numbers among all questions, and the number of what belongs together."""

    name: str
    rows: Ints
    group: Ints


class _Pool:
    """All questions of a proof, each once."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, tuple[str, ...], int | None], tuple[int, Question]] = {}

    def add(self, questions: Sequence[Question]) -> Ints:
        """The numbers of some questions."""
        numbers = [
            self.known.setdefault((one.prompt, one.candidates, one.right), (len(self.known), one))[0]
            for one in questions
        ]
        return np.array(numbers, dtype=np.int64)

    @property
    def questions(self) -> list[Question]:
        """All questions, by number."""
        return [one for _, one in self.known.values()]


class _Proof:
    """What is trained and tested. Raises if the comparison would be wrong."""

    def __init__(
        self,
        data: Mapping[str, ChoiceDataset],
        tests: Mapping[str, ChoiceDataset],
        settings: ChoiceProveSettings,
        watcher: Watcher,
    ) -> None:
        self.data, self.settings, self.watcher = data, settings, watcher
        self.before = before = data[BEFORE]
        self.kind = before.columns.kind
        read = {**data, **tests}
        self.notes = [f"{name}: {problem.message}" for name, one in read.items() for problem in one.problems]
        for name, one in data.items():
            check_enough(one)
            if name != BEFORE and before.fingerprint == one.fingerprint:
                raise SettingError(
                    f"{one.source_name} has the same questions as {before.source_name}. Expected a changed dataset. Give the repaired file, or the run folder."
                )
        watcher.step("comparing the versions")
        self.is_cross_validated = not tests
        groups = self._groups()
        watcher.step("measuring the candidates")
        pool = _Pool()
        self.versions = [
            _Version(name, pool.add(one.questions), group)
            for (name, one), group in zip(data.items(), groups, strict=True)
        ]
        asked = {name: self._tested(name, one) for name, one in tests.items()}
        held_out = f"held-out {UNITS[self.kind].question}s"
        rows = {name: pool.add(some) for name, some in (asked or {held_out: before.questions}).items()}
        self.given = Candidates.of(pool.questions, self.kind)
        self.tests = self._tests(rows)
        self.tests += self._exchanged(pool)
        is_traced = bool(np.isin(groups[1], groups[0]).any())
        # others may have been added
        missing = int((~np.isin(groups[0], groups[1])).sum()) if is_traced else 0
        self.n_dropped = max(missing, len(before.questions) - len(data[AFTER].questions))
        if self.n_dropped:
            self.versions.append(_Version(CONTROL, self.versions[0].rows, groups[0]))

    def result(self, folder: Path, settings: Mapping[str, object]) -> ChoiceProveResult:
        """Train everything and measure."""
        answers = Answers(self._trained(folder), self.tests)
        self.watcher.step("measuring")
        changed = [name for name in self.data if name != BEFORE]
        versions = [(one, self.data.get(one.name, self.before)) for one in self.versions]
        return ChoiceProveResult(
            kind=self.kind,
            versions=tuple(
                ChoiceVersion(one.name, source.source_name, len(one.rows) - self.n_dropped * (one.name == CONTROL), source.fingerprint)
                for one, source in versions
            ),
            tests=tuple(
                ChoiceTest(part_name(test.name, kind), test.name, kind, int(part.sum()), float((1 / test.sets.sizes[part]).mean()))
                for test in self.tests
                for kind, part in test.parts.items()
            ),
            cues=tuple(one.pattern.place for one in self.findings),
            rows=tuple(answers.figures()),
            comparisons=(*(one for name in changed for one in answers.comparisons(name, BEFORE)), *answers.comparisons(AFTER, CONTROL)),
            groups=tuple(answers.cue_groups()),
            gaps=tuple(answers.gaps()),
            notes=tuple(self.notes),
            settings=settings,
            longway=version("longway"),
            created=now(),
        )  # fmt: skip

    def _groups(self) -> list[Ints]:
        """What belongs together, for each version. With test sets, versions that cannot be traced to one another are compared as they are."""
        try:
            return together(*self.data.values())
        except DataError:
            if self.is_cross_validated:
                raise
        self.notes.append(
            f"Some questions of the changed data cannot be traced to those of {self.before.source_name}, so the seeds leave out different questions of each version."
        )
        starts = np.cumsum([0, *(len(one.questions) for one in self.data.values())])
        return [np.arange(start, end) for start, end in pairwise(starts.tolist())]

    def _tested(self, name: str, given: ChoiceDataset) -> Sequence[Question]:
        """The questions of a test set; SettingError if some are also trained on."""
        trained = [question for one in self.data.values() for question in one.questions]
        shared = overlap(given.questions, trained)
        if not len(shared):
            return given.questions
        if not self.settings.drop_overlap:
            ids = ", ".join(given.questions[i].id for i in shared[:5])
            raise SettingError(
                f"{len(shared):,} of {len(given.questions):,} questions of the test set {name!r} are also trained on (ids {ids}). "
                "Their answers would be remembered. --drop-overlap leaves such questions out."
            )
        kept = [given.questions[i] for i in np.setdiff1d(np.arange(len(given.questions)), shared)]
        if not kept:
            raise SettingError(
                f"All questions of the test set {name!r} are also trained on. Give another test set."
            )
        self.notes.append(f"{name}: {len(shared):,} questions left out, since they are also trained on.")
        return kept

    def _tests(self, rows: Mapping[str, Ints]) -> list[TestSet]:
        """The test sets with their parts, by the findings of an audit of `before`."""
        source = self.given.part(self.versions[0].rows)
        found, _, _ = search_in(self.before, source, self.settings.max_q, self.watcher.step)
        self.findings = self._without_kept(found)[:CUES]
        if not self.findings:
            self.notes.append(
                "The audit of before finds no cue, so there are no questions where cues point the wrong way."
            )
        tests = []
        for name, some in rows.items():
            given = self.given.part(some)
            cues, parts = self._parts(given)
            sizes = {kind: int(part.sum()) for kind, part in parts.items() if kind != ALL}
            few = {kind: n for kind, n in sizes.items() if n < MIN_PART}
            self.notes += [
                f"{name}: {kind} has {n} questions, too few to test (at least {MIN_PART})."
                for kind, n in few.items()
            ]
            kept = {kind: part for kind, part in parts.items() if kind not in few}
            tests.append(TestSet(name, some, given, cues, kept))
        return tests

    def _parts(self, given: Candidates) -> tuple[list[Cue], dict[str, Bools]]:
        """The cues in some questions, and the questions of each part."""
        noun = UNITS[self.kind].candidate
        cues = cues_in(given, self.findings, noun=noun)
        return cues, parts_of(given.questions, cues, given.sets)

    def _exchanged(self, pool: _Pool) -> list[TestSet]:
        """Where hardly any cues point the wrong way, but the form of candidates is one: copies of the test questions in which it does."""
        noun, tests = UNITS[self.kind].candidate, []
        for test in self.tests:
            if not test.cues or REVERSED in test.parts:
                continue
            asked = test.given.questions
            copies = [with_form_exchanged(one) for one in asked]
            is_changed = np.array([one is not copy for one, copy in zip(asked, copies, strict=True)])
            given = Candidates.of(copies, self.kind) if is_changed.any() else test.given
            part = is_changed & self._parts(given)[1].get(REVERSED, False)
            if part.sum() >= MIN_PART:
                name = f"{test.name}, form exchanged"
                self.notes.append(
                    f"{name}: hardly any cues point to a wrong {noun}, so these are copies of {int(part.sum())} questions in which the right {noun} has exchanged spaces and full stops with a wrong one."
                )
                tests.append(TestSet(name, pool.add(copies), given, (), {REVERSED: part}))
        if tests:
            self.given = Candidates.of(pool.questions, self.kind)
        return tests

    def _without_kept(self, found: Sequence[Finding]) -> list[Finding]:
        """The findings that are not real signal."""
        names = [one.pattern.place.strip("“”").casefold() for one in found]
        keep = {one.strip("“”").casefold() for one in self.settings.keep}
        self.notes += [
            f"{one!r} was to be kept as real signal, but the audit of before finds no such pattern. Check its spelling."
            for one in sorted(keep.difference(names))
        ]
        return [one for one, name in zip(found, names, strict=True) if name not in keep]

    def _trained(self, folder: Path) -> dict[tuple[str, str, str], Floats]:
        """(seeds, questions): which were answered right, by version, model and test set."""
        (folder / CELLS).mkdir(parents=True, exist_ok=True)
        cells = [
            (model, one, seed, folder / CELLS / f"{at}-{number}-{seed}-{CELL_VERSION}.npz")
            for number, model in enumerate(self.settings.models)
            for at, one in enumerate(self.versions)
            for seed in range(self.settings.seeds)
        ]
        found: dict[tuple[str, str, str], list[Floats]] = {}
        rankers: dict[str, Ranker] = {}  # that of the present model
        for done, (model, one, seed, path) in enumerate(cells):
            if model not in rankers and not path.exists():
                self.watcher.step(f"reading the questions as {model} does")
                rankers = {
                    model: ranker_named(
                        model,
                        self.given,
                        device=self.settings.device,
                        learning_rate=self.settings.learning_rate,
                        epochs=self.settings.epochs,
                        cache=folder / VECTORS,
                        progress=self.watcher.progress,
                    )
                }
            self.watcher.step(f"{model} on {one.name}, seed {seed}")
            self.watcher.progress(done, len(cells))
            if not path.exists():
                answers = [self._answers(rankers[model], one, test, seed) for test in self.tests]
                with replacing(path) as temporary, temporary.open("wb") as file:
                    np.savez(file, *answers)
            with np.load(path) as saved:
                for at, test in enumerate(self.tests):
                    found.setdefault((one.name, model, test.name), []).append(saved[f"arr_{at}"])
        self.watcher.progress(len(cells), len(cells))
        return {key: np.stack(each) for key, each in found.items()}

    def _answers(self, ranker: Ranker, one: _Version, test: TestSet, seed: int) -> Floats:
        """1 for each test question that is answered right, else 0. Where k candidates have the highest score, one of them is drawn."""
        n_groups = 1 + max(int(version.group.max()) for version in self.versions)
        chance = np.zeros(len(test.rows))
        kept = np.ones(len(one.rows), dtype=bool)
        if one.name == CONTROL:
            kept[np.random.default_rng(seed).permutation(len(kept))[: self.n_dropped]] = False
        if self.is_cross_validated:
            fold = folds_of(np.arange(n_groups), FOLDS, seed=seed)
            tested = fold[self.versions[0].group]
            parts = [(np.flatnonzero(tested == at), fold[one.group] != at) for at in np.unique(tested)]
        else:
            left_out = np.random.default_rng(seed).permutation(n_groups)[: n_groups // LEFT_OUT]
            parts = [(np.arange(len(chance)), ~np.isin(one.group, left_out))]
        for rows, may_train in parts:
            train = one.rows[kept & may_train]
            if not len(train):
                raise DataError(
                    "There is nothing to train on: all questions belong together, since they have the same prompt. Give a test set: --test NAME=FILE."
                )
            scores = ranker.scores(train, test.rows[rows], seed)
            chance[rows] = hits(scores, self.given.sets.part(test.rows[rows])[0])
        return np.asarray(chance > np.random.default_rng(seed).random(len(chance)), dtype=np.float64)
