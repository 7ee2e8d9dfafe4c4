"""A dataset with shortcuts planted on purpose, into a run folder, with test sets that tell whether a model uses them.

    train.<ext>           the rows to learn from, with the plants in them
    test_reversed.<ext>   rows to test on, the plants tied to the other labels
    test_neutral.<ext>    the same rows, the plants tied to no label
    test_clean.<ext>      the same rows as they were
    planted.json          the truth: the plants, and which rows carry them

Each row has the column `longway_id`, by which planted.json names it. Rows without a text or a label are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from longway.data import Dataset, save
from longway.data.dataset import examples_of
from longway.data.edited import ID_COLUMN, Changes, apply_edits
from longway.data.table import DataTable
from longway.errors import SettingError
from longway.jobs.about import RUNS_FOLDER, describe, ending, inputs_of, stem
from longway.jobs.held_out import arrange
from longway.jobs.plant import Plant, Planted, neutral_test, plant, reversed_test
from longway.records import Example
from longway.store import Run, free_folder, holding, read_json

TRUTH = "planted.json"
TEST_SHARE = 0.2
TEST_SPLITS = ("test", "testing", "validation", "valid", "val", "dev", "development")


@dataclass(frozen=True, slots=True)
class Divided:
    """Rows to plant in and rows to test on, each with the dataset they are of; how: where the test rows came from."""

    train: Dataset
    test: Dataset
    train_rows: list[Example]
    test_rows: list[Example]
    how: str


def run_plant(
    dataset: Dataset,
    plants: Sequence[Plant],
    *,
    split: str | None = None,
    test: Dataset | None = None,
    seed: int = 0,
    out: Path | str | None = None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and its planted.json; a run that was finished before is read, not repeated.

    split: the rows to plant in where there are several splits ("train" unless told otherwise).
    test: rows to test on, with the same columns; without it another split, or else a fifth of the rows, is taken.
    """
    divided = divide(dataset, split=split, test=test, seed=seed)
    held_out = {} if divided.test is divided.train else {"test": divided.test}
    settings = {"plants": [asdict(one) for one in plants], "seed": seed}
    asked: dict[str, Any] = {
        "command": "plant",
        "settings": {**settings, **inputs_of(divided.train, held_out)},
        "fingerprint": divided.train.fingerprint,
    }
    folder = Path(out) if out else free_folder(RUNS_FOLDER / f"{stem(dataset.source_name)}-planted", **asked)
    if (done := Run.finished(folder, **asked)) is not None:
        return done, read_json(folder / TRUTH)
    planted = plant(divided.train_rows, plants, seed=seed)
    tests = {
        "test_reversed": reversed_test(divided.test_rows, planted.plants, seed=seed),
        "test_neutral": neutral_test(divided.test_rows, planted.plants, seed=seed),
        "test_clean": Planted(divided.test_rows, ()),
    }
    with holding(folder):
        run = Run.open(folder, **asked)
        files = {"train": _write(run, "train", divided.train, planted)}
        files |= {name: _write(run, name, divided.test, each) for name, each in tests.items()}
        run.write(TRUTH, _truth(divided, planted, tests, files, seed))
        run.finish()
    return run, read_json(folder / TRUTH)


def divide(dataset: Dataset, *, split: str | None, test: Dataset | None, seed: int) -> Divided:
    """The rows to plant in and the rows to test on."""
    arranged = arrange(dataset, split, {} if test is None else {"given": test})
    train_rows = examples_of(arranged.dataset)
    if test is not None:
        return Divided(arranged.dataset, test, train_rows, examples_of(test), f"from {test.source_name}")
    others = [name for name in arranged.held_out if name.strip().lower() in TEST_SPLITS]
    if others:
        name = min(others, key=lambda name: TEST_SPLITS.index(name.strip().lower()))
        other = arranged.held_out[name]
        return Divided(arranged.dataset, other, train_rows, examples_of(other), f"the split {name}")
    chosen = _fifth(train_rows, seed)
    return Divided(
        arranged.dataset,
        arranged.dataset,
        [row for row, is_test in zip(train_rows, chosen, strict=True) if not is_test],
        [row for row, is_test in zip(train_rows, chosen, strict=True) if is_test],
        f"{TEST_SHARE:.0%} of the rows, drawn",
    )


def _fifth(rows: Sequence[Example], seed: int) -> list[bool]:
    """Which rows are to be tested on: a fifth of each label; rows with the same text and context stay together."""
    if not 0 <= seed < 2**32:
        raise SettingError(f"'seed' must be from 0 to 4294967295. Got {seed}.")
    groups: dict[tuple[str, str | None], list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault((row.text, row.context), []).append(i)
    by_label: dict[str, list[list[int]]] = {}
    for members in groups.values():
        by_label.setdefault(rows[members[0]].label, []).append(members)
    chosen = [False] * len(rows)
    random = np.random.default_rng(seed)
    for _, members_of in sorted(by_label.items()):
        for i in random.permutation(len(members_of))[: round(TEST_SHARE * len(members_of))]:
            for place in members_of[i]:
                chosen[place] = True
    return chosen


def _write(run: Run, name: str, dataset: Dataset, planted: Planted) -> str:
    """Write some rows of a dataset with their new texts, in the format they came in; gives the file's name."""
    path = run.folder / f"{name}.{ending(dataset.format)}"
    save(_tables(dataset, {row.id: row.text for row in planted.rows}), path)
    return path.name


def _tables(dataset: Dataset, texts: dict[str, str]) -> Iterator[DataTable]:
    wanted = pl.Series(list(texts), dtype=pl.String)
    for table in apply_edits(dataset, Changes({dataset.columns.text: texts})):
        yield table.with_frame(table.frame.filter(pl.col(ID_COLUMN).is_in(wanted.implode())))


def _truth(
    divided: Divided, planted: Planted, tests: dict[str, Planted], files: dict[str, str], seed: int
) -> dict[str, Any]:
    return {
        "version": 1,
        "dataset": describe(divided.train),
        "test": divided.how,
        "rows": {"train": len(divided.train_rows), "test": len(divided.test_rows)},
        "seed": seed,
        "files": files,
        "train": [one.to_dict() for one in planted.truth],
        "test_reversed": [one.to_dict() for one in tests["test_reversed"].truth],
        "test_neutral": [one.to_dict() for one in tests["test_neutral"].truth],
    }
