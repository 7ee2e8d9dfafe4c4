"""Prove: train on each version of a dataset, test on every test set, and say what changed.

    versions x models x methods x seeds  ->  cells (`cells.py`): trained once, kept  ->  `prove_summary.py`  ->  results.json

The first version is what the others are compared with. Nothing is tested on rows that were trained on: what is
quietly wrong about a comparison is refused before anything is trained (`evaluate.checks`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from longway.classify import minilm
from longway.classify.catalog import model_named
from longway.classify.classifier import Inputs, Labelled
from longway.classify.saved import ABOUT_FILE
from longway.classify.training import method_named
from longway.data import Dataset
from longway.detect.findings import Chosen, presence, search
from longway.detect.reading import Reading
from longway.detect.real_signal import RealSignal
from longway.errors import MissingExtra, SettingError, TrainingError
from longway.jobs.prove.cells import Cell, CellStore, Trained, train_cell
from longway.jobs.prove.perturbed_rows import PerturbedRows
from longway.tokens.tokenizer import tokenize

PATTERNS = 12  # patterns whose supporting and counter-examples are looked at
VALIDATION = ("validation", "valid", "dev", "val")
BASELINES = ("eda", "crossaug")


@dataclass(frozen=True, slots=True)
class ProveSettings:
    """How a proof is made.

    models: by name, see `classify.catalog`. methods: of training, see `classify.training`. seeds: how many.
    terms: words counted in every version. baselines: rewriting methods applied to the first version, as further versions.
    keep: words, phrases and patterns that are real signal: no method is told of them, and they are no shortcuts to look at.
    drop_overlap: leave test rows out that stand in the training data, instead of refusing. device: auto, cpu or cuda.
    fairscore: also tell how many answers change when one person of a test row is given another gender, race or age.
    save_models: keep the trained classifiers, for `longway fairness --fairscore` or `classify.catalog.load_model`.
    """

    models: tuple[str, ...] = ("bow",)
    methods: tuple[str, ...] = ("erm",)
    seeds: int = 3
    terms: tuple[str, ...] = ("no", "not")
    baselines: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    drop_overlap: bool = False
    fairscore: bool = False
    save_models: bool = False
    device: str = "auto"
    model_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise SettingError(f"'seeds' must be at least 1. Got {self.seeds}. Three are a good start.")
        if not self.models or not self.methods:
            raise SettingError("'models' and 'methods' need one name at least. Try bow and erm.")
        for name in self.methods:
            method_named(name)
        for name in self.models:
            model_named(name, device=self.device)
        if unknown := [name for name in self.baselines if name not in BASELINES]:
            raise SettingError(f"'baselines' must be of {', '.join(BASELINES)}. Got {unknown[0]!r}.")
        if len(set(self.baselines)) < len(self.baselines):
            raise SettingError(f"'baselines' must name each once. Got {', '.join(self.baselines)}.")
        if any(not tokenize(phrase) for phrase in self.keep):
            raise SettingError(
                f"'keep' must be words or phrases. Got {list(self.keep)}. Leave the empty one out."
            )

    @property
    def all_methods(self) -> tuple[str, ...]:
        """The methods with plain training first: the others are compared with it."""
        return ("erm", *(name for name in dict.fromkeys(self.methods) if name != "erm"))


@dataclass(frozen=True)
class Version:
    """One version of the training data. validation: rows to stop on. keep: what is real signal, as in `ProveSettings`."""

    name: str
    dataset: Dataset
    validation: Dataset | None = None
    keep: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> Labelled:
        """Its rows, as classifiers take them."""
        return rows_of(self.dataset)

    @cached_property
    def ids(self) -> list[str]:
        """The id of each row."""
        return [str(one) for batch in self.dataset.batches() for one in batch.ids]

    @property
    def shortcuts(self) -> csr_matrix:
        """Its rows x the patterns found in it that are no real signal, for methods that need to know them."""
        return self._found[0]

    @property
    def kept_phrases(self) -> tuple[tuple[str, ...], ...]:
        """The phrases of `keep`, as words."""
        return self._found[1].phrases

    @cached_property
    def _found(self) -> tuple[csr_matrix, RealSignal]:
        reading = Reading.of(self.dataset)
        chosen = search(reading).chosen
        real = RealSignal.of(self.keep, [one.description for one in chosen])
        return presence([one for one in chosen if not real.covers(one.description)], reading), real


@dataclass(frozen=True)
class TestSet:
    """One held-out set.

    rows: those that are tested on; left_out: how many were taken away, as they stand in the training data.
    perturbed: rows in which a person was changed, where the fairscore is asked for.
    """

    __test__ = False  # not a test of ours, whatever pytest thinks of the name

    name: str
    dataset: Dataset
    rows: Labelled
    kept: np.ndarray
    left_out: int = 0
    perturbed: PerturbedRows | None = None

    @cached_property
    def fingerprint(self) -> str:
        """Of the rows that are tested on, and of the perturbed ones."""
        tested = f"{self.dataset.fingerprint} {sha256(self.kept.tobytes()).hexdigest()[:16]}"
        return tested if self.perturbed is None else f"{tested} {self.perturbed.fingerprint}"


@dataclass(frozen=True)
class Proof:
    """What was trained: each cell's answers, and the cells that could not be trained with the reason.

    patterns: the strongest shortcuts of the first version; shows: by test set, which rows have which of them.
    unused_keep: what was to be kept and is in no pattern that was found.
    """

    versions: list[Version]
    tests: list[TestSet]
    settings: ProveSettings
    cells: dict[Cell, Trained]
    failed: dict[Cell, str]
    patterns: list[Chosen]
    shows: dict[str, csr_matrix]
    readings: dict[str, Reading]
    features: Path | None = None
    unused_keep: tuple[str, ...] = ()

    def of(self, data: str, model: str, method: str) -> list[Trained]:
        """The trained cells of one row of the table, one for each seed."""
        return [
            found
            for cell, found in self.cells.items()
            if (cell.data, cell.model, cell.method) == (data, model, method)
        ]


def prove(
    versions: list[Version],
    tests: list[TestSet],
    settings: ProveSettings,
    *,
    store: CellStore | None = None,
    models: Path | None = None,
    step: Callable[[str], object] = lambda name: None,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> Proof:
    """Train every model by every method on every version with every seed, and keep what each answers on every test set.

    models: the folder in which each classifier is kept, in a folder of its own (`model_folder`).
    """
    store = store or CellStore(None)
    cells = cells_of(versions, settings)
    trained: dict[Cell, Trained] = {}
    failed: dict[Cell, str] = {}
    for done, cell in enumerate(cells):
        progress(done, len(cells))
        step(f"{cell.model} by {cell.method} on {cell.data}, seed {cell.seed}")
        version = next(one for one in versions if one.name == cell.data)
        try:
            save = None if models is None else models / model_folder(cell)
            trained[cell] = _trained(cell, version, tests, settings, store, save)
        except (SettingError, TrainingError) as error:
            failed[cell] = str(error)
    progress(len(cells), len(cells))
    if not trained:
        cell, reason = next(iter(failed.items()))
        raise TrainingError(f"Nothing could be trained. {cell.model} by {cell.method}: {reason}")
    step("reading all versions and test sets")
    readings = _readings(versions, tests)
    step("looking for shortcuts in the first version")
    found = search(readings[f"version {versions[0].name}"]).chosen
    real = RealSignal.of(settings.keep, [one.description for one in found])
    leaders = [one for place, one in enumerate(found) if one.leader == place]
    patterns = [one for one in leaders if not real.covers(one.description)][:PATTERNS]
    shows = {test.name: presence(patterns, readings[f"test {test.name}"])[test.kept] for test in tests}
    return Proof(
        versions, tests, settings, trained, failed, patterns, shows, readings, store.features, real.unused
    )


def cells_of(versions: list[Version], settings: ProveSettings) -> list[Cell]:
    """Everything that is trained, the cheap models of all versions first."""
    return [
        Cell(version.name, model, method, seed)
        for model in dict.fromkeys(settings.models)
        for seed in range(settings.seeds)
        for version in versions
        for method in settings.all_methods
    ]


def model_folder(cell: Cell) -> str:
    """The name of the folder of a trained classifier.

    >>> model_folder(Cell("before", "hf:some/bert-full", "erm", 0))
    'before-hf-some-bert-full-erm-0'
    """
    name = f"{cell.data}-{cell.model}-{cell.method}-{cell.seed}"
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name)


def default_models() -> tuple[str, ...]:
    """What is trained where nobody says: a bag of words, and the small encoder where it is installed."""
    try:
        minilm.model_folder()
    except MissingExtra:
        return ("bow",)
    return ("bow", "minilm")


def rows_of(dataset: Dataset) -> Labelled:
    """A dataset's usable rows, as classifiers take them."""
    texts: list[str] = []
    contexts: list[str] = []
    labels: list[str] = []
    for batch in dataset.batches():
        texts += batch.texts.to_list()
        contexts += [] if batch.contexts is None else batch.contexts.to_list()
        labels += [dataset.labels[label] for label in batch.labels]
    return Labelled(Inputs(texts, contexts if dataset.columns.context is not None else None), labels)


def _trained(
    cell: Cell,
    version: Version,
    tests: list[TestSet],
    settings: ProveSettings,
    store: CellStore,
    save: Path | None = None,
) -> Trained:
    knows_shortcuts = cell.method != "erm"  # each of the others takes what it can use
    made_of = {
        "cell": [cell.model, cell.method, cell.seed],
        "data": version.dataset.fingerprint,
        "validation": version.validation.fingerprint if version.validation is not None else None,
        "keep": sorted(version.keep) if knows_shortcuts else [],
        "tests": {test.name: test.fingerprint for test in tests},
        "options": dict(settings.model_options),
    }
    is_kept = save is None or (save / ABOUT_FILE).is_file()
    if is_kept and (found := store.get(cell, made_of)) is not None:
        return found
    result = train_cell(
        cell,
        version.rows,
        {test.name: test.rows.inputs for test in tests},
        perturbed={test.name: test.perturbed.inputs for test in tests if test.perturbed},
        validation=None if version.validation is None else rows_of(version.validation),
        shortcuts=version.shortcuts if knows_shortcuts else None,
        keep=version.kept_phrases if knows_shortcuts else (),
        device=settings.device,
        cache=store.features,
        options=settings.model_options,
        save=save,
    )
    store.put(cell, made_of, result)
    return result


def _readings(versions: list[Version], tests: list[TestSet]) -> dict[str, Reading]:
    """All of them with one vocabulary, complete before anything is searched for."""
    first = Reading.of(versions[0].dataset)
    found = {f"version {versions[0].name}": first}
    for version in versions[1:]:
        found[f"version {version.name}"] = Reading.of(version.dataset, like=first)
    for test in tests:
        found[f"test {test.name}"] = Reading.of(test.dataset, like=first)
    return found
