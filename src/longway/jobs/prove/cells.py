"""One cell of a proof: one model trained by one method on one version with one seed, and what it answers on every test set.

    train_cell(cell, rows, tests)  ->  Trained: logits by test set, also of perturbed rows, epochs, gold probabilities, a note
    CellStore(folder)              keeps them: a proof that was broken off goes on with the next cell

A cell is kept under everything that shaped it, so that a changed file or setting is trained anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.classify.catalog import model_named
from longway.classify.classifier import Classifier, Epoch, Inputs, Labelled
from longway.classify.training import Trainer, TrainingData, method_named
from longway.store import replacing
from longway.store.journal import key_of

Floats = NDArray[np.float64]
VERSION = 4  # goes up when the same cell would be trained or kept in another way


@dataclass(frozen=True, slots=True)
class Cell:
    """What is trained on what."""

    data: str
    model: str
    method: str
    seed: int


@dataclass(frozen=True, slots=True)
class Trained:
    """What a trained cell answers.

    logits: (rows, labels) of each test set; labels: the order of their columns. perturbed: the same of its perturbed rows, for the fairscore.
    epochs: number, loss, validation loss, validation accuracy. gold: (epochs, rows), each training row's probability of its own label.
    note: where the method did no more than plain training, or less than it is meant to; else empty.
    """

    labels: tuple[str, ...]
    logits: Mapping[str, Floats]
    epochs: list[tuple[int, float, float, float]] = field(default_factory=list)
    gold: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    note: str = ""
    perturbed: Mapping[str, Floats] = field(default_factory=dict)


def train_cell(
    cell: Cell,
    rows: Labelled,
    tests: Mapping[str, Inputs],
    *,
    perturbed: Mapping[str, Inputs] | None = None,
    validation: Labelled | None = None,
    shortcuts: csr_matrix | None = None,
    keep: tuple[tuple[str, ...], ...] = (),
    device: str = "auto",
    cache: Path | None = None,
    options: Mapping[str, Any] | None = None,
    save: Path | None = None,
) -> Trained:
    """Train, and answer every test set and its perturbed rows.

    shortcuts, keep: as in `classify.training.TrainingData`. save: the folder in which the classifier is kept.
    """
    seen: list[Epoch] = []
    notes: list[str] = []

    def fresh(seed: int) -> Classifier:
        return model_named(cell.model, seed=seed, device=device, cache=cache, **(options or {}))

    training = TrainingData(rows, validation, shortcuts, keep)
    trainer = Trainer(fresh, cell.seed, watch=seen.append, notify=notes.append)
    model = method_named(cell.method).fit(training, trainer)
    if save is not None:
        model.save(save)
    return Trained(
        tuple(model.labels_),
        {name: model.logits(inputs) for name, inputs in tests.items()},
        [(e.number, e.loss, e.validation_loss, e.validation_accuracy) for e in seen],
        np.array([e.gold for e in seen if len(e.gold) == len(rows)], np.float64).reshape(-1, len(rows)),
        "; ".join(notes),
        {name: model.logits(inputs) for name, inputs in (perturbed or {}).items()},
    )


class CellStore:
    """Trained cells in a folder, one file each, whole or not at all; None: kept nowhere."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @property
    def features(self) -> Path | None:
        """Where encoders keep the vectors of texts they have seen."""
        return None if self._folder is None else self._folder / "features.sqlite"

    def get(self, cell: Cell, made_of: Mapping[str, Any]) -> Trained | None:
        """The cell as it was trained before, where nothing that shaped it has changed."""
        path = self._path(cell, made_of)
        if path is None or not path.is_file():
            return None
        try:
            with np.load(path, allow_pickle=False) as kept:
                about = json.loads(str(kept["about"]))
                logits = {name: kept[f"logits {i}"] for i, name in enumerate(about["tests"])}
                perturbed = {name: kept[f"perturbed {i}"] for i, name in enumerate(about["perturbed"])}
                epochs = [tuple(e) for e in about["epochs"]]
                return Trained(tuple(about["labels"]), logits, epochs, kept["gold"], about["note"], perturbed)
        except (BadZipFile, OSError, KeyError, ValueError):  # a damaged file is trained anew
            path.unlink(missing_ok=True)
            return None

    def put(self, cell: Cell, made_of: Mapping[str, Any], trained: Trained) -> None:
        """Keep a trained cell."""
        path = self._path(cell, made_of)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        about = {
            "labels": trained.labels,
            "tests": list(trained.logits),
            "perturbed": list(trained.perturbed),
            "epochs": trained.epochs,
            "note": trained.note,
        }
        arrays: dict[str, Any] = {f"logits {i}": one for i, one in enumerate(trained.logits.values())}
        arrays |= {f"perturbed {i}": one for i, one in enumerate(trained.perturbed.values())}
        with replacing(path) as beside, beside.open("wb") as file:
            about_it = np.array(json.dumps(about))
            np.savez_compressed(file, about=about_it, gold=trained.gold.astype(np.float32), **arrays)

    def _path(self, cell: Cell, made_of: Mapping[str, Any]) -> Path | None:
        if self._folder is None:
            return None
        key = key_of({**made_of, "version": VERSION})
        return self._folder / f"{cell.seed}-{key[:24]}.npz"
