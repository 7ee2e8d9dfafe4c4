"""What pretraining returns: the content of pretrain.json as typed values, and its figures as rows of results.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from longway.jobs.fairness.result import FairnessRow, Measures
from longway.jobs.pretrain.settings import PretrainSettings
from longway.jobs.results import Result, check_version, read
from longway.metrics import json_values
from longway.metrics.fairness.preferences import Quality

if TYPE_CHECKING:
    from longway.metrics.intervals import Measurement
    from longway.show.sections import Page

FILE = "pretrain.json"
VERSION = 1
START, BEFORE, AFTER = "start", "original", "perturbed"  # the models, by the text they were trained on
# The rows of Table 3: benchmark, its part, the paper's name of the row.
TABLE_3 = (
    ("holistic", "gender_and_sex", "HolisticBias, gender"),
    ("holistic", "race_ethnicity", "HolisticBias, race"),
    ("holistic", "age", "HolisticBias, age"),
    ("weat", "", "WEAT/SEAT, % significant"),
    ("crows_pairs", "gender", "CrowS-Pairs, gender"),
    ("crows_pairs", "race-color", "CrowS-Pairs, race"),
    ("crows_pairs", "age", "CrowS-Pairs, age"),
)


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """The corpus: documents, windows and their tokens; windows that were changed, by axis; why the others were not; windows held out."""

    documents: int
    windows: int
    tokens: int
    changed: int
    by_axis: Mapping[str, int]
    stayed: Mapping[str, int]
    held_out: int


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """One model: as it came ("start"), trained on the texts as they are ("original"), or on perturbed ones ("perturbed").

    model: as `longway fairness` names it. on_original, on_perturbed: how well it predicts masked tokens of held-out windows. losses: the mean
    loss of each 20 steps. measures: those of Table 3; None if no file was given.
    """

    name: str
    model: str
    on_original: Quality
    on_perturbed: Quality
    losses: tuple[float, ...] = ()
    measures: Measures | None = None

    def figures(self) -> Iterator[tuple[str, str, Measurement]]:
        """Test, metric and value of every figure."""
        for text, quality in (("original", self.on_original), ("perturbed", self.on_perturbed)):
            yield f"held-out text, {text}", "log_likelihood_per_token", quality.log_likelihood
        for measure in self.measures or ():
            for part, metric, value in measure.figures():
                yield f"{measure.test}: {part}" if part else measure.test, metric, value


@dataclass(frozen=True, slots=True, repr=False)
class PretrainResult(Result):
    """Models trained on texts as they are and perturbed.

    sequences: packed sequences of the training text; device: where the models were trained. folder: the run, if there is one.
    """

    source: str
    fingerprint: str
    corpus: CorpusCounts
    models: tuple[TrainedModel, ...]
    settings: PretrainSettings
    fingerprints: Mapping[str, str]
    sequences: int
    weights: int
    device: str
    longway: str
    seconds: float
    folder: Path | None = field(default=None, compare=False)

    def model(self, name: str) -> TrainedModel | None:
        """The model with this name, if it was trained."""
        return next((model for model in self.models if model.name == name), None)

    @property
    def rows(self) -> list[FairnessRow]:
        """Every figure with its interval."""
        return [
            FairnessRow(self.source, model.name, "pretrain", test, metric, value.value, None, value.low, value.high)
            for model in self.models
            for test, metric, value in model.figures()
        ]  # fmt: skip

    def page(self) -> Page:
        """The sections of the report."""
        from longway.jobs.pretrain.show import pretrain_page

        return pretrain_page(self)

    def _frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, schema_overrides={"std": pl.Float64})

    def to_dict(self) -> dict[str, object]:
        """The content of pretrain.json."""
        return {
            "version": VERSION,
            "longway": self.longway,
            "dataset": {"fingerprint": self.fingerprint},
            "source": self.source,
            "fingerprint": self.fingerprint,
            "corpus": asdict(self.corpus),
            "models": json_values([_model(model) for model in self.models]),
            "settings": self.settings.recorded(),
            "fingerprints": dict(self.fingerprints),
            "sequences": self.sequences,
            "weights": self.weights,
            "device": self.device,
            "rows": json_values([asdict(row) for row in self.rows]),
            "seconds": self.seconds,
        }

    @classmethod
    def from_dict(cls, content: object) -> PretrainResult:
        """The result in the content of a pretrain.json; RunError if this release does not read it."""
        given = check_version(content, VERSION, file=FILE, command="perturb pretrain")
        return read(cls, {**given, "folder": None}, file=FILE)


def _model(model: TrainedModel) -> dict[str, object]:
    """The model as JSON values, without the measures that were not asked for."""
    values = asdict(model)
    if values["measures"] is not None:
        values["measures"] = {name: one for name, one in values["measures"].items() if one is not None}
    return values


def table_3(measures: Measures | None) -> dict[str, Measurement]:
    """The figures of Table 3 that were measured, by row."""
    found: dict[str, Measurement] = {}
    for benchmark, part, row in TABLE_3:
        measure = getattr(measures, benchmark, None)
        group = None if measure is None else measure.parts().get(part)
        if group is not None:
            metric = {"holistic": "raw", "weat": "significant", "crows_pairs": "score"}[benchmark]
            found[row] = getattr(group, metric)
    return found
