"""What measuring a model returns: the content of fairness.json as typed values, and its figures as rows of results.json.

Shares are in percent, as published. Every measure comes with what shows how far it can be trusted: the quality of the language model,
for vectors the control tests (harmless associations that any good encoder has: flowers are more pleasant than insects), for a
classifier its accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from longway.jobs.fairness.settings import FairnessSettings
from longway.jobs.prove.result import Figure, PerturbedText
from longway.jobs.results import Result
from longway.metrics import json_values
from longway.metrics.fairness.fairscore import ChangedShare
from longway.metrics.fairness.holistic import Descriptors
from longway.metrics.fairness.preferences import Preference, Quality, StereoScores
from longway.metrics.fairness.weat import Association, Associations
from longway.metrics.intervals import Measurement
from longway.store import CallTotals

FILE = "fairness.json"
Figures = Iterator[tuple[str, str, Measurement]]  # part of the benchmark ("" for all), metric, value


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkMeasure:
    """Base class of measures: figures for all items of a file, and for parts of them.

    test: its name in results.json. metrics: the metrics of a part there, by field. source: the file; of: items in it; method: how the
    model was asked. quality: of the language model, if likelihoods were compared.
    """

    test: ClassVar[str]
    metrics: ClassVar[Mapping[str, str]]
    source: str
    of: int
    method: str
    quality: Quality | None = None

    def parts(self) -> Mapping[str, object]:
        """The figures of each part of the benchmark, by name; "" for all of it."""
        raise NotImplementedError

    def figures(self) -> Figures:
        """Every figure of the measure."""
        for name, part in self.parts().items():
            for attribute, metric in self.metrics.items():
                yield name, metric, getattr(part, attribute)
        if self.quality is not None:
            yield "", "log_likelihood_per_token", self.quality.log_likelihood


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowsPairsMeasure(BenchmarkMeasure):
    """CrowS-Pairs: all pairs, and those of each bias type and direction."""

    test = "CrowS-Pairs"
    metrics: ClassVar = {"score": "prefers_stereotype"}
    overall: Preference
    by_type: Mapping[str, Preference]
    by_direction: Mapping[str, Preference]

    def parts(self) -> Mapping[str, Preference]:
        """All pairs, bias types, directions."""
        return {"": self.overall, **self.by_type, **self.by_direction}


@dataclass(frozen=True, slots=True)
class TaskScores(StereoScores):
    """The scores of one task and bias type."""

    task: str
    bias_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StereoSetMeasure(BenchmarkMeasure):
    """StereoSet: all contexts, and those of each bias type and task."""

    test = "StereoSet"
    metrics: ClassVar = {"lms": "lms", "ss": "ss", "icat": "icat"}
    overall: StereoScores
    by_type: Mapping[str, StereoScores]
    by_task: Mapping[str, StereoScores]
    by_task_and_type: tuple[TaskScores, ...]

    def parts(self) -> Mapping[str, StereoScores]:
        """All contexts, tasks, bias types, and both together."""
        both = {f"{group.task}, {group.bias_type}": group for group in self.by_task_and_type}
        return {"": self.overall, **self.by_task, **self.by_type, **both}


@dataclass(frozen=True, slots=True)
class NamedAssociation(Association):
    """A test with the names of its targets (x, y) and attributes (a, b). control: whether the targets are not people."""

    x: str
    y: str
    a: str
    b: str
    control: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WeatMeasure(BenchmarkMeasure):
    """WEAT and SEAT: each test, and all tests of a kind together."""

    test = "WEAT/SEAT"
    metrics: ClassVar = {name: name for name in ("significant", "significant_holm", "mean_size")}
    tests: tuple[NamedAssociation, ...]
    overall: Associations
    groups: Mapping[str, Associations]

    def parts(self) -> Mapping[str, Associations]:
        """All tests, and each kind."""
        return {"": self.overall, **self.groups}

    def figures(self) -> Figures:
        """Those of the parts, and the effect size of each test."""
        yield from BenchmarkMeasure.figures(self)
        yield from ((test.name, "effect_size", test.d) for test in self.tests)


@dataclass(frozen=True, slots=True, kw_only=True)
class HolisticMeasure(BenchmarkMeasure):
    """HolisticBias: each axis. mean: of the axes' shares of pairs that differ."""

    test = "HolisticBias"
    metrics: ClassVar = {name: f"pairs_that_differ_{name}" for name in ("raw", "holm", "bh")}
    sentences: int
    templates: tuple[str, ...]
    axes: Mapping[str, Descriptors]
    mean: float

    def parts(self) -> Mapping[str, Descriptors]:
        """The axes."""
        return self.axes


@dataclass(frozen=True, slots=True)
class ChangedAnswers:
    """Perturbed rows, and how many of their predictions differ; score: the percentage."""

    rows: int
    differ: int
    score: Measurement

    @classmethod
    def of(cls, share: ChangedShare, *changed: str) -> Self:
        """The figures of one classifier. changed: what was, for a subclass."""
        return cls(share.rows, share.differ, share.score, *changed)


@dataclass(frozen=True, slots=True)
class ChangedPair(ChangedAnswers):
    """The rows in which one attribute was exchanged for another."""

    axis: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class ChangedWord(ChangedAnswers):
    """The rows in which a word became another one; "" where a word was added or removed."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class FlippedRow:
    """A row whose prediction changes with the person."""

    id: str
    label: str
    axis: str
    source: str
    target: str
    texts: tuple[PerturbedText, ...]
    answer: str
    perturbed_answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FairscoreMeasure(BenchmarkMeasure):
    """The fairscore of a classifier.

    rows: that it was asked about; stayed: why the others were not. file: the
    perturbed rows, "" if they were not written. labels: those of the classifier. accuracy: None if its labels are not those of the data.
    perturber: what changed the people. by_word: changes of words in several rows, those that most surely change predictions first;
    examples: some rows whose prediction changes. unanswered: perturbed rows without a
    usable prediction, by reason; they do not count.
    """

    test = "Fairscore"
    metrics: ClassVar = {"score": "fairscore"}
    overall: ChangedAnswers
    rows: int
    by_axis: Mapping[str, ChangedAnswers]
    by_pair: tuple[ChangedPair, ...]
    stayed: Mapping[str, int]
    file: str
    labels: tuple[str, ...]
    accuracy: Measurement | None
    perturber: str = "rules"
    by_word: tuple[ChangedWord, ...] = ()
    examples: tuple[FlippedRow, ...] = ()
    unanswered: Mapping[str, int] = field(default_factory=dict)

    def parts(self) -> Mapping[str, ChangedAnswers]:
        """All perturbed rows, axes, pairs of attributes."""
        pairs = {f"{pair.axis}, {pair.source} to {pair.target}": pair for pair in self.by_pair}
        return {"": self.overall, **self.by_axis, **pairs}

    def figures(self) -> Figures:
        """Those of the parts, and the accuracy."""
        yield from BenchmarkMeasure.figures(self)
        if self.accuracy is not None:
            yield "", "accuracy", self.accuracy


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of a model; None for those that were not asked for."""

    crows_pairs: CrowsPairsMeasure | None = None
    stereoset: StereoSetMeasure | None = None
    weat: WeatMeasure | None = None
    holistic: HolisticMeasure | None = None
    fairscore: FairscoreMeasure | None = None

    def __iter__(self) -> Iterator[BenchmarkMeasure]:
        return (measure for one in fields(self) if (measure := getattr(self, one.name)) is not None)


@dataclass(frozen=True, slots=True)
class NamedModel:
    """The name of a model, and its kind: causal, masked, encoder or classifier."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True, repr=False)
class FairnessResult(Result):
    """What was measured of a model.

    fingerprints: of the files, by measure. identity: everything that the model's answers depend on. folder: the run, if there is one.
    failed_calls: to a server, by reason; the same command makes them again. cost: of language models.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "fairness"
    has_card: ClassVar[bool] = True

    model: NamedModel
    measures: Measures
    settings: FairnessSettings
    fingerprints: Mapping[str, str]
    identity: Mapping[str, Mapping[str, object]]
    longway: str
    seconds: float
    folder: Path | None = field(default=None, compare=False)
    failed_calls: Mapping[str, int] = field(default_factory=dict)
    cost: tuple[CallTotals, ...] = ()

    @property
    def rows(self) -> list[Figure]:
        """Every figure with its interval."""
        rows = []
        for measure in self.measures:
            for part, metric, value in measure.figures():
                test = f"{measure.test}: {part}" if part else measure.test
                about = measure.source, self.model.name, measure.method, test, metric
                rows.append(Figure(*about, value.value, None, value.low, value.high, seeds=1))
        return rows

    def _frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, schema_overrides={"std": pl.Float64})

    def to_dict(self) -> dict[str, object]:
        """The content of fairness.json."""
        settings = {**self.settings.recorded(), "measures": self.fingerprints, "identity": self.identity}
        measures = {name: one for name, one in asdict(self.measures).items() if one is not None}
        return {
            "version": self.version,
            "longway": self.longway,
            "dataset": {"fingerprint": ", ".join(self.fingerprints.values())},
            "model": asdict(self.model),
            "settings": settings,
            "measures": json_values(measures),
            "rows": json_values([asdict(row) for row in self.rows]),
            "seconds": self.seconds,
            "failed_calls": dict(self.failed_calls),
            "cost": [asdict(one) for one in self.cost],
        }

    @classmethod
    def _fields_in(cls, content: Mapping[str, Any]) -> Mapping[str, object]:
        settings = content.get("settings") or {}
        return {
            **content,
            "fingerprints": settings.get("measures") or {},
            "identity": settings.get("identity") or {},
        }
