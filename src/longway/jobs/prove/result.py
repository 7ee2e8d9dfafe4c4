"""What a proof returns: the content of results.json as typed values.

A training is a model trained by a method on a version of the data. The first version is the one that the others are compared with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

import polars as pl

from longway.jobs.results import Result
from longway.json_values import FLAT, IF_ANY, to_json
from longway.records import Pattern

FILE = "results.json"
ACCURACY, FAIRSCORE = "accuracy", "fairscore"
BETTER, WORSE, UNCLEAR = "better", "worse", "no clear difference"

ConcernKind = Literal[
    "empty", "one text or two", "other labels", "unknown label", "same data", "overlap", "rewritten", "stopped on",
    "validation", "sizes", "label not tested", "data", "keep", "fairscore", "features",
]  # fmt: skip
Run = tuple[str, str]  # model and method
Point = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class VersionSummary:
    """A version of the training data. labels: rows per label."""

    name: str
    source: str
    rows: int
    labels: Mapping[str, int]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class TestSummary:
    """A test set. majority: share of its most frequent label. left_out: rows that are also in the training data."""

    __test__ = False  # not a test for pytest

    name: str
    source: str
    rows: int
    labels: Mapping[str, int]
    majority: float | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Concern:
    """A reason why a comparison is wrong, or a fact that its reader must know.

    count: rows or labels concerned. ids: indexes of the test rows concerned. refused: the versions must not be compared.
    """

    kind: ConcernKind
    count: int
    ids: tuple[int, ...]
    text: str
    refused: bool

    @classmethod
    def remark(cls, kind: ConcernKind, count: int, text: str) -> Concern:
        """A fact that the reader must know."""
        return cls(kind, count, (), text, False)


@dataclass(frozen=True, slots=True)
class _Trained:
    data: str
    model: str
    method: str

    @property
    def run(self) -> Run:
        """Model and method."""
        return self.model, self.method


@dataclass(frozen=True, slots=True)
class _Tested(_Trained):
    test: str


@dataclass(frozen=True, slots=True)
class Figure(_Tested):
    """A metric with its interval, mean over seeds; None if it is undefined. std: over seeds, None for one seed."""

    metric: str
    mean: float | None
    std: float | None
    low: float | None
    high: float | None
    seeds: int


@dataclass(frozen=True, slots=True)
class Comparison(_Tested):
    """A training against the same on version `against` or, with `against_method`, against another method on the same version."""

    metric: str
    against: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    q: float | None
    verdict: str
    seed_error: float | None = None
    against_method: str | None = field(default=None, metadata=IF_ANY)
    before: float | None = None
    after: float | None = None

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval excludes 0. A difference may be unclear nevertheless: by its test, or over seeds."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class GroupSide:
    """Accuracy on the n rows of a group: "supporting" or "counter"."""

    n: int
    accuracy: float | None
    low: float | None
    high: float | None
    group: str = ""


@dataclass(frozen=True, slots=True)
class PatternGroups(_Tested):
    """Rows with a pattern: those with the label it predicts (supporting) and those with another (counter); None without rows."""

    pattern: Pattern = field(metadata=FLAT)
    label: str
    supporting: GroupSide | None
    counter: GroupSide | None

    @property
    def gap(self) -> float | None:
        """Accuracy on supporting rows minus that on counter-examples; None if one of them is unknown."""
        sides = [side.accuracy for side in (self.supporting, self.counter) if side is not None]
        known = [accuracy for accuracy in sides if accuracy is not None]
        return known[0] - known[1] if len(known) == 2 else None


@dataclass(frozen=True, slots=True)
class WorstGroup(_Tested):
    """The rows with one pattern and one label on which accuracy is lowest."""

    group: str
    n: int
    accuracy: float | None
    low: float | None = None
    high: float | None = None
    seeds: int = 1


@dataclass(frozen=True, slots=True)
class VersionLeak:
    """How well a bag of words predicts the label from one part of the input. name: the columns of the part."""

    data: str
    part: str
    name: str
    accuracy: float | None
    low: float | None
    high: float | None
    majority: float | None


@dataclass(frozen=True, slots=True)
class Distance:
    """The share of the texts of a version that differ from those of the first, row by row."""

    data: str
    against: str
    rows: int
    changed: float | None


@dataclass(frozen=True, slots=True)
class TrainingNote(_Trained):
    """What a reader must know about a training. seed: None for all seeds."""

    seed: int | None
    text: str


@dataclass(frozen=True, slots=True)
class FailedTraining(_Trained):
    """A training that raised an error."""

    seed: int
    error: str

    @property
    def text(self) -> str:
        """The error."""
        return self.error


@dataclass(frozen=True, slots=True)
class WordsOfAnswer:
    """The answer of the model trained on one version, and (start, end, score) of the words that led to it."""

    data: str
    answer: str
    probability: float
    text_words: tuple[Point, ...]
    context_words: tuple[Point, ...] | None = field(default=None, metadata=IF_ANY)


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A test row that the models trained on the first two versions answer differently."""

    test: str
    id: str
    label: str
    text: str
    context: str | None
    sides: tuple[WordsOfAnswer, ...]


@dataclass(frozen=True, slots=True)
class PerturbedTest:
    """Rows of a test set in which one person was changed. axes: rows per axis. stayed: unchanged rows per reason."""

    test: str
    rows: int
    perturbed: int
    axes: Mapping[str, int]
    stayed: Mapping[str, int]
    file: str | None


@dataclass(frozen=True, slots=True)
class PerturbedText:
    """A field of a row, original and perturbed."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PersonAnswers:
    """What the models trained on a version answer. differ: trainings whose answers differ, of all."""

    data: str
    answer: str
    perturbed_answer: str
    differ: int
    of: int


@dataclass(frozen=True, slots=True)
class PersonExample:
    """A row whose answer changes with the person."""

    test: str
    id: str
    label: str
    axis: str
    source: str
    target: str
    texts: tuple[PerturbedText, ...]
    sides: tuple[PersonAnswers, ...]


@dataclass(frozen=True, slots=True)
class Fairscores:
    """The rows that were perturbed, and examples of those whose answer changes."""

    tests: tuple[PerturbedTest, ...] = ()
    examples: tuple[PersonExample, ...] = ()
    perturber: str = "rules"


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """What a grammar parsed of a version. parsed, too_long, no_words: rows. rules: different rules that the trees use.

    long_sentences: of single texts, sentences that are too long to parse, also in rows with other sentences.
    """

    data: str
    rows: int
    parsed: int
    too_long: int
    no_words: int
    rules: int
    long_sentences: int = 0


@dataclass(frozen=True, slots=True)
class GrammarFeatures:
    """The grammar whose rules training methods know. texts: sentences or pairs it was learned from. nats_per_word: of held-out texts."""

    folder: str
    texts: int
    nats_per_word: float | None
    versions: tuple[RuleCounts, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ProveResult(Result):
    """What models trained on each version get right.

    settings: those of the run, and what it was given. rows: all figures. seconds: the time it took. failed_calls: to a perturber, by reason; the
    same command makes them again. features: the grammar that training methods know, if they do. folder: the run folder, if there is one.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "prove"

    labels: tuple[str, ...]
    versions: tuple[VersionSummary, ...]
    tests: tuple[TestSummary, ...]
    concerns: tuple[Concern, ...]
    rows: tuple[Figure, ...]
    comparisons: tuple[Comparison, ...]
    groups: tuple[PatternGroups, ...]
    worst: tuple[WorstGroup, ...]
    leaks: tuple[VersionLeak, ...]
    apart: tuple[Distance, ...]
    failed: tuple[FailedTraining, ...]
    settings: Mapping[str, object]
    longway: str
    created: str = ""
    seconds: float | None = None
    notes: tuple[TrainingNote, ...] = ()
    examples: tuple[ChangedAnswer, ...] = ()
    fairscore: Fairscores | None = None
    failed_calls: Mapping[str, int] = field(default_factory=dict)
    features: GrammarFeatures | None = None
    folder: Path | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.versions:
            raise ValueError("it has no versions")

    @property
    def worse(self) -> tuple[Comparison, ...]:
        """The comparisons whose verdict is "worse"."""
        return tuple(one for one in self.comparisons if one.verdict == WORSE)

    def of_versions(self, metric: str, data: str | None = None) -> list[Comparison]:
        """The comparisons of versions (not of methods) with the first, in this metric. data: of this version only."""
        first = self.versions[0].name
        return [
            one
            for one in self.comparisons
            if (one.against, one.metric, one.against_method) == (first, metric, None)
            and data in (None, one.data)
        ]

    def _frame(self) -> pl.DataFrame:
        return pl.DataFrame([asdict(row) for row in self.rows], infer_schema_length=None)

    def _computed(self) -> Mapping[str, object]:
        """What got worse, for other readers."""
        return {"worse": to_json(self.worse)}
