"""Plant known shortcuts in a dataset, with test sets that show whether a model uses them: `plant_shortcuts(...).write(folder)`.

    train.<ext>           the training rows, with the plants
    test_reversed.<ext>   the test rows, with the plants tied to the other labels
    test_neutral.<ext>    the same rows, with the plants tied to no label
    test_clean.<ext>      the same rows without plants
    planted.json          the truth: the plants, and which rows have them

Each row has the column `longway_id`, by which planted.json refers to it. Rows without a text or a label are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl

from longway.data import Dataset, as_dataset, save
from longway.data.columns import ID_COLUMN
from longway.data.dataset import examples_of
from longway.data.edited import Changes, apply_edits
from longway.data.table import DataTable
from longway.errors import SettingError
from longway.jobs.about import ending
from longway.jobs.held_out import arrange
from longway.jobs.language import set_split_rules, with_own_rules
from longway.jobs.plant.planting import Plant, Planted, neutral_test, plant, reversed_test
from longway.records import Example
from longway.store.atomic import write_json

TEST_SHARE = 0.2
TEST_SPLITS = ("test", "testing", "validation", "valid", "val", "dev", "development")


@with_own_rules
def plant_shortcuts(
    data: object,
    plants: Sequence[Plant],
    *,
    split: str | None = None,
    test: Dataset | None = None,
    seed: int = 0,
) -> PlantedData:
    """Plant shortcuts in a dataset, to measure whether they are found, repaired, or used by a model.

    data: a dataset, or anything that `load` reads. split: the split to plant in, if there are several (default: "train"). test: test rows,
    with the same columns; by default another split, or else a fifth of the rows.
    """
    if not all(isinstance(one, Plant) for one in plants):
        raise SettingError("'plants' must be a list of plants. Try plants=[lw.Plant('word', 'negative')].")
    divided = divide(as_dataset(data), split=split, test=test, seed=seed)
    planted = plant(divided.train_rows, plants, seed=seed)
    parts = {
        "train": planted,
        "test_reversed": reversed_test(divided.test_rows, planted.plants, seed=seed),
        "test_neutral": neutral_test(divided.test_rows, planted.plants, seed=seed),
        "test_clean": Planted(divided.test_rows, ()),
    }
    return PlantedData(divided, parts, seed)


@dataclass(frozen=True, slots=True)
class PlantedData:
    """A dataset with planted shortcuts. parts: rows and truth of "train", "test_reversed", "test_neutral" and "test_clean"."""

    divided: Divided
    parts: Mapping[str, Planted]
    seed: int

    def write(self, folder: Path | str) -> dict[str, Path]:
        """Write each part in the format of the data, and planted.json; returns the paths by part."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        files = {}
        for name, part in self.parts.items():
            dataset = self.divided.train if name == "train" else self.divided.test
            files[name] = folder / f"{name}.{ending(dataset.format)}"
            save(_tables(dataset, {row.id: row.text for row in part.rows}), files[name])
        truth = {name: [asdict(one) for one in part.truth] for name, part in self.parts.items()}
        rows = {"train": len(self.divided.train_rows), "test": len(self.divided.test_rows)}
        write_json(
            folder / "planted.json", {"seed": self.seed, "test": self.divided.source, "rows": rows, **truth}
        )
        return files


@dataclass(frozen=True, slots=True)
class Divided:
    """Training and test rows, each with their dataset. source: where the test rows came from."""

    train: Dataset
    test: Dataset
    train_rows: list[Example]
    test_rows: list[Example]
    source: str


def divide(dataset: Dataset, *, split: str | None, test: Dataset | None, seed: int) -> Divided:
    """The rows to plant in and the rows to test on."""
    arranged = arrange(dataset, split, {} if test is None else {"given": test})
    set_split_rules(arranged.dataset)
    train_rows = examples_of(arranged.dataset)
    if test is not None:
        return Divided(arranged.dataset, test, train_rows, examples_of(test), f"from {test.source_name}")
    by_rank = {TEST_SPLITS.index(name.strip().lower()): name for name in arranged.held_out if name.strip().lower() in TEST_SPLITS}  # fmt: skip
    if by_rank:
        name = by_rank[min(by_rank)]
        other = arranged.held_out[name]
        return Divided(arranged.dataset, other, train_rows, examples_of(other), f"the split {name}")
    chosen = _fifth(train_rows, seed)
    return Divided(
        arranged.dataset,
        arranged.dataset,
        [row for row, is_test in zip(train_rows, chosen, strict=True) if not is_test],
        [row for row, is_test in zip(train_rows, chosen, strict=True) if is_test],
        f"{TEST_SHARE:.0%} of the rows, drawn at random",
    )


def _fifth(rows: Sequence[Example], seed: int) -> list[bool]:
    """Which rows are test rows: a fifth of each label; rows with the same text and context stay together."""
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


def _tables(dataset: Dataset, texts: Mapping[str, str]) -> Iterator[DataTable]:
    wanted = pl.Series(list(texts), dtype=pl.String)
    for table in apply_edits(dataset, Changes({dataset.columns.text: dict(texts)})):
        yield table.with_frame(table.frame.filter(pl.col(ID_COLUMN).is_in(wanted.implode())))
