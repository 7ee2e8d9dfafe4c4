"""Trains every model by every method on every version of the data, and keeps what each answers on every test set.

    versions x models x methods x seeds  ->  train_all()  ->  Trainings: a `Trained` for each `Cell`

A cell is one training. `CellStore` keeps it on disk under everything that shaped it: a proof that is interrupted resumes with the
next cell, and a changed file or setting trains the cell again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy.sparse import csr_matrix

from longway.data import Dataset
from longway.detect.clusters import Clusters
from longway.detect.findings import Chosen, presence, search
from longway.detect.reading import Reading
from longway.detect.real_signal import RealSignal
from longway.errors import SettingError, TrainingError
from longway.jobs.prove.features import AuditPatterns, GrammarRules, KnownShortcuts
from longway.jobs.prove.perturbed_rows import PerturbedRows
from longway.jobs.prove.settings import PLAIN, ProveSettings
from longway.jobs.run import Watcher
from longway.models.catalog import model_named
from longway.models.classifier import Classifier, Floats, Inputs, Ints, Labelled
from longway.models.folds import numbered
from longway.models.saved import ABOUT_FILE
from longway.models.training import Trainer, TrainingData, method_named
from longway.store import replacing
from longway.store.journal import key_of
from longway.text.tokenizer import PLAIN as PLAIN_TOKENIZER
from longway.text.tokenizer import Tokenizer

Key = tuple[str, str, str, str]  # data, model, method, test
CELL_VERSION = 4  # increased when the same cell would be trained or stored differently
PATTERNS = 12  # patterns whose supporting and counter-examples are measured


@dataclass(frozen=True, slots=True)
class Cell:
    """One training."""

    data: str
    model: str
    method: str
    seed: int

    @property
    def folder(self) -> str:
        """The name of the folder of the trained classifier.

        >>> Cell("before", "hf:some/bert-full", "erm", 0).folder
        'before-hf-some-bert-full-erm-0'
        """
        name = f"{self.data}-{self.model}-{self.method}-{self.seed}"
        return "".join(c if c.isalnum() or c in "-_" else "-" for c in name)


@dataclass(frozen=True, slots=True)
class Trained:
    """The answers of a trained cell.

    logits: (rows, labels) of each test set; labels: the order of their columns. perturbed: the same for its perturbed rows.
    note: set if the method did no more than plain training, or less than intended.
    """

    labels: tuple[str, ...]
    logits: Mapping[str, Floats]
    note: str = ""
    perturbed: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True)
class Version:
    """A version of the training data. validation: rows for early stopping. keep: real signal, as in `ProveSettings`.

    features: where the shortcuts come from that training methods know.
    """

    name: str
    dataset: Dataset
    validation: Dataset | None = None
    keep: tuple[str, ...] = ()
    features: AuditPatterns | GrammarRules = field(default_factory=AuditPatterns)
    tokenizer: Tokenizer = PLAIN_TOKENIZER

    @cached_property
    def rows(self) -> Labelled:
        """Its rows, as classifiers take them."""
        return rows_of(self.dataset, self.tokenizer)

    @property
    def validation_rows(self) -> Labelled | None:
        """The rows for early stopping, as classifiers take them."""
        return None if self.validation is None else rows_of(self.validation, self.tokenizer)

    def training_data(self, method: str) -> TrainingData:
        """What a training method gets: the rows, and the shortcuts if it uses any."""
        if method == PLAIN:
            return TrainingData(self.rows, self.validation_rows, weights=self.dataset.weights)
        if not method_named(method).knows_shortcuts:
            return TrainingData(self.rows, self.validation_rows)
        known = self._shortcuts
        return TrainingData(
            self.rows,
            self.validation_rows,
            known.matrix,
            known.keep,
            are_rules=known.are_rules,
            parsed=known.parsed,
        )

    @cached_property
    def _shortcuts(self) -> KnownShortcuts:
        return self.features.shortcuts_of(self.dataset, self.keep)


@dataclass(frozen=True)
class TestSet:
    """A held-out set.

    rows: those to test on; kept: their indexes in the dataset; left_out: number of rows that are also in the training data.
    perturbed: rows in which a person was changed, if the fairscore is measured.
    """

    __test__ = False  # not a test for pytest

    name: str
    dataset: Dataset
    rows: Labelled
    kept: Ints
    left_out: int = 0
    perturbed: PerturbedRows | None = None

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of the rows to test on and of the perturbed rows."""
        tested = f"{self.dataset.fingerprint} {sha256(self.kept.tobytes()).hexdigest()[:16]}"
        return tested if self.perturbed is None else f"{tested} {self.perturbed.fingerprint}"


@dataclass(frozen=True)
class Trainings:
    """All trained cells, and those that failed with the reason.

    patterns: the strongest shortcuts of the first version; shows: by test set, which rows have which of them. clusters: by test set, the
    ways in which its rows belong together, a number for each row.
    readings: by "version NAME" and "test NAME". unused_keep: phrases of `keep` that are in no pattern.
    """

    versions: Sequence[Version]
    tests: Sequence[TestSet]
    settings: ProveSettings
    cells: Mapping[Cell, Trained]
    failed: Mapping[Cell, str] = field(default_factory=dict)
    patterns: Sequence[Chosen] = ()
    shows: Mapping[str, csr_matrix] = field(default_factory=dict)
    clusters: Mapping[str, Sequence[Ints]] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    unused_keep: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in the order of the logits."""
        return next(iter(self.cells.values())).labels

    @property
    def trained(self) -> list[tuple[str, str, str]]:
        """Version, model and method of everything that was trained, without seeds."""
        return list(dict.fromkeys((cell.data, cell.model, cell.method) for cell in self.cells))

    def seeds_of(self, data: str, model: str, method: str) -> list[Trained]:
        """The trained cells, one for each seed."""
        wanted = (data, model, method)
        return [one for cell, one in self.cells.items() if (cell.data, cell.model, cell.method) == wanted]

    def compared(self, keys: Mapping[Key, object]) -> Iterator[tuple[Key, Key]]:
        """What to compare with what: each version with the first, and each method with plain training."""
        first = self.versions[0].name
        for key in keys:
            data, model, method, test = key
            if data != first and (old := (first, model, method, test)) in keys:
                yield key, old
            if method != PLAIN and (old := (data, model, PLAIN, test)) in keys:
                yield key, old


def train_all(
    versions: Sequence[Version],
    tests: Sequence[TestSet],
    settings: ProveSettings,
    *,
    store: CellStore,
    models: Path | None = None,
    watcher: Watcher,
) -> Trainings:
    """Train every cell. models: the folder that keeps each classifier, in a folder of its own."""
    cells = [  # the first model on all versions first
        Cell(version.name, model, method, seed)
        for model in dict.fromkeys(settings.models)
        for seed in range(settings.seeds)
        for version in versions
        for method in settings.all_methods
    ]
    by_name = {version.name: version for version in versions}
    trained: dict[Cell, Trained] = {}
    failed: dict[Cell, str] = {}
    for done, cell in enumerate(cells):
        watcher.progress(done, len(cells))
        watcher.step(f"{cell.model} by {cell.method} on {cell.data}, seed {cell.seed}")
        save = None if models is None else models / cell.folder
        try:
            trained[cell] = _trained(cell, by_name[cell.data], tests, settings, store, save)
        except (SettingError, TrainingError) as error:
            failed[cell] = str(error)
    watcher.progress(len(cells), len(cells))
    if not trained:
        cell, reason = next(iter(failed.items()))
        raise TrainingError(f"Nothing could be trained. {cell.model} by {cell.method}: {reason}")
    watcher.step("reading all versions and test sets")
    first = Reading.of(versions[0].dataset)  # the others share its vocabulary
    readings = {f"version {versions[0].name}": first}
    readings |= {f"version {one.name}": Reading.of(one.dataset, like=first) for one in versions[1:]}
    readings |= {f"test {one.name}": Reading.of(one.dataset, like=first) for one in tests}
    watcher.step("searching for shortcuts in the first version")
    found = search(first).chosen
    real = RealSignal.of(settings.keep, [one.description for one in found], versions[0].tokenizer)
    leaders = [one for place, one in enumerate(found) if one.leader == place]
    patterns = [one for one in leaders if not real.covers(one.description)][:PATTERNS]
    shows = {test.name: presence(patterns, readings[f"test {test.name}"])[test.kept] for test in tests}
    watcher.step("looking for test rows that belong together")
    clusters = {test.name: related_rows(readings[f"test {test.name}"], test.kept) for test in tests}
    return Trainings(
        versions,
        tests,
        settings,
        trained,
        failed,
        patterns,
        shows,
        clusters,
        readings,
        real.unused,
    )


def related_rows(reading: Reading, kept: Ints) -> list[Ints]:
    """The ways in which some rows of a test set belong together: by text, by context, by either. Ways in which no two do are left out.

    If rows are connected by either until most of them are one cluster, that says nothing about how far they vary.
    """
    clusters = Clusters.of(reading)
    either = [clusters.by_any] if len(clusters.by_role) > 1 else []
    ways = [numbered(together[kept]) for together in (*clusters.by_role.values(), *either)]
    sizes = [np.bincount(together).max(initial=0) for together in ways]
    last = len(clusters.by_role)
    return [
        together
        for place, (together, size) in enumerate(zip(ways, sizes, strict=True))
        if size > 1 and (place < last or 2 * size <= len(kept))
    ]


def train_cell(
    cell: Cell,
    data: TrainingData,
    tests: Mapping[str, Inputs],
    *,
    perturbed: Mapping[str, Inputs] | None = None,
    save: Path | None = None,
    **options: object,
) -> Trained:
    """Train a cell, and answer every test set and its perturbed rows.

    save: the folder that keeps the classifier. options: of `model_named`: device, cache, and those of the classifier.
    """
    notes: list[str] = []

    def fresh(seed: int) -> Classifier:
        return model_named(cell.model, seed=seed, **options)  # type: ignore[arg-type]

    trainer = Trainer(fresh, cell.seed, notify=notes.append)
    model = method_named(cell.method).fit(data, trainer)
    if save is not None:
        model.save(save)
    return Trained(
        tuple(model.labels_),
        {name: model.logits(inputs) for name, inputs in tests.items()},
        "; ".join(notes),
        {name: model.logits(inputs) for name, inputs in (perturbed or {}).items()},
    )


def rows_of(dataset: Dataset, tokenizer: Tokenizer = PLAIN_TOKENIZER) -> Labelled:
    """A dataset's usable rows, as classifiers take them."""
    texts: list[str] = []
    contexts: list[str] = []
    labels: list[str] = []
    for batch in dataset.batches():
        texts += batch.texts.to_list()
        contexts += [] if batch.contexts is None else batch.contexts.to_list()
        labels += [dataset.labels[label] for label in batch.labels]
    own = contexts if dataset.columns.context is not None else None
    return Labelled(Inputs(texts, own, tokenizer), labels)


def ids_of(dataset: Dataset) -> list[str]:
    """The ids of a dataset's usable rows."""
    return [str(id_) for batch in dataset.batches() for id_ in batch.ids]


def _trained(
    cell: Cell,
    version: Version,
    tests: Sequence[TestSet],
    settings: ProveSettings,
    store: CellStore,
    save: Path | None = None,
) -> Trained:
    key = {
        "cell": [cell.model, cell.method, cell.seed],
        "data": version.dataset.fingerprint,
        "validation": version.validation.fingerprint if version.validation is not None else None,
        "keep": [] if cell.method == PLAIN else sorted(version.keep),
        "tests": {test.name: test.fingerprint for test in tests},
        "options": settings.options_of(cell.model),
        **(version.features.key if method_named(cell.method).knows_shortcuts else {}),
    }
    is_saved = save is None or (save / ABOUT_FILE).is_file()
    if is_saved and (stored := store.get(cell, key)) is not None:
        return stored
    trained = train_cell(
        cell,
        version.training_data(cell.method),
        {test.name: test.rows.inputs for test in tests},
        perturbed={test.name: test.perturbed.inputs for test in tests if test.perturbed},
        save=save,
        device=settings.device,
        cache=store.features,
        **settings.options_of(cell.model),
    )
    store.put(cell, key, trained)
    return trained


class CellStore:
    """Trained cells in a folder, one file each, written atomically. features: the file that keeps the vectors of encoders."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.features = folder, folder / "features.sqlite"

    def get(self, cell: Cell, key: Mapping[str, object]) -> Trained | None:
        """The stored cell; None if there is none for this key. A damaged file is deleted."""
        path = self._path(cell, key)
        if not path.is_file():
            return None
        try:
            with np.load(path, allow_pickle=False) as kept:
                about = json.loads(str(kept["about"]))
                logits = {name: kept[f"logits {i}"] for i, name in enumerate(about["tests"])}
                perturbed = {name: kept[f"perturbed {i}"] for i, name in enumerate(about["perturbed"])}
                return Trained(tuple(about["labels"]), logits, about["note"], perturbed)
        except (BadZipFile, OSError, KeyError, ValueError):
            path.unlink(missing_ok=True)
            return None

    def put(self, cell: Cell, key: Mapping[str, object], trained: Trained) -> None:
        """Store a trained cell."""
        self._folder.mkdir(parents=True, exist_ok=True)
        about = {
            "labels": trained.labels,
            "tests": list(trained.logits),
            "perturbed": list(trained.perturbed),
            "note": trained.note,
        }
        arrays: dict[str, Any] = {f"logits {i}": one for i, one in enumerate(trained.logits.values())}
        arrays |= {f"perturbed {i}": one for i, one in enumerate(trained.perturbed.values())}
        with replacing(self._path(cell, key)) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, about=np.array(json.dumps(about)), **arrays)

    def _path(self, cell: Cell, key: Mapping[str, object]) -> Path:
        return self._folder / f"{cell.seed}-{key_of({**key, 'version': CELL_VERSION})[:24]}.npz"
