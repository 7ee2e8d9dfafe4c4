"""What planting returns: the content of planted.json as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from longway.data.summary import DatasetSummary
from longway.jobs.plant.planting import PlantTruth
from longway.jobs.results import Result, check_version, read

if TYPE_CHECKING:
    from longway.show.sections import Page

FILE = "planted.json"
VERSION = 1


@dataclass(frozen=True, slots=True, repr=False)
class PlantResult(Result):
    """The truth about planted shortcuts.

    test: where the test rows came from. rows: of training and test. files: names by part. train, test_reversed, test_neutral: one truth per
    plant. folder: the run.
    """

    dataset: DatasetSummary
    test: str
    rows: Mapping[str, int]
    seed: int
    files: Mapping[str, str]
    train: tuple[PlantTruth, ...]
    test_reversed: tuple[PlantTruth, ...]
    test_neutral: tuple[PlantTruth, ...]
    folder: Path | None = field(default=None, compare=False)

    def page(self) -> Page:
        """The sections for the terminal."""
        from longway.jobs.plant.show import plant_page

        return plant_page(self)

    def _frame(self) -> pl.DataFrame:
        return pl.DataFrame([{**asdict(one.plant), "rows": len(one.ids)} for one in self.train])

    def to_dict(self) -> dict[str, object]:
        """The content of planted.json."""
        content = asdict(self)
        del content["folder"]
        return {"version": VERSION, **content}

    @classmethod
    def from_dict(cls, content: object) -> PlantResult:
        """The result in the content of a planted.json; RunError if this release does not read it."""
        return read(cls, check_version(content, VERSION, file=FILE, command="bench plant"), file=FILE)
