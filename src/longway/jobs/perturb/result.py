"""What a perturbation returns: the content of perturb.json as typed values, and the perturbed dataset."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from io import StringIO
from pathlib import Path
from typing import ClassVar

import polars as pl

from longway.data.summary import DatasetSummary
from longway.errors import CheckFailed, DataError
from longway.jobs.change.collect import CheckCount, ReasonCount
from longway.jobs.change.result import EditedResult
from longway.jobs.results import Result
from longway.json_values import IF_ANY, JsonRecord, from_json
from longway.metrics.fairness.fairscore import Changed
from longway.metrics.intervals import Measurement
from longway.metrics.versions import VersionDistance
from longway.models.classifier import Inputs
from longway.records import Verdict
from longway.report.excerpts import PATTERN_LIMIT, clean, cut
from longway.store import replacing

FILE = "perturb.json"
PEOPLE_FILE = "people.jsonl"
PAIRS_FILE = "pairs.jsonl"  # one `PersonPair` a line
WIDTH = 100  # columns of `str(result)`
OFFENSIVE, CONTRAST = "offensive", "label contrast"  # the checks


@dataclass(frozen=True, slots=True)
class AxisCount:
    """Rows that mention an attribute of the axis, and rows that were perturbed on it."""

    axis: str
    rows: int
    perturbed: int


@dataclass(frozen=True, slots=True)
class AttributeChange:
    """Rows in which one attribute became another."""

    axis: str
    source: str
    target: str
    count: int


@dataclass(frozen=True, slots=True)
class AttributeCount:
    """Rows and words that mention an attribute, before and after (the paper's Figure 2).

    A gender that is left open ("they", "relative") has no word: rows perturbed to non-binary often leave the count of men or women
    and enter none.
    """

    axis: str
    attribute: str
    rows_before: int
    rows_after: int
    words_before: int
    words_after: int


@dataclass(frozen=True, slots=True)
class PersonText:
    """One text of a row. chain: where the person is mentioned; word: where the chosen word is, None if in another text."""

    field: str
    before: str
    after: str
    chain: tuple[tuple[int, int], ...]
    word: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ShownPerson:
    """One choice in a row, with all texts of the row. source, target: attributes. reason: why it was not taken. left: words left unchanged."""

    id: str
    source_id: str
    label: str
    axis: str
    source: str
    target: str
    word: str
    engine: str
    reason: str
    verdicts: tuple[Verdict, ...]
    left: tuple[str, ...]
    perturbability: float
    texts: tuple[PersonText, ...]


@dataclass(frozen=True, slots=True)
class RefusedChoices(ReasonCount):
    """Why choices could not be made, how many, and one of them."""

    example: ShownPerson


@dataclass(frozen=True, slots=True)
class SkippedWords:
    """Words that look demographic and were left unchanged, by reason. words: the most frequent, with their counts."""

    reason: str
    count: int
    words: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class MentionedWord:
    """A word about a person. field: its column. skipped: why it only looks demographic, else ""; its axis and attribute may then be ""."""

    field: str
    start: int
    end: int
    word: str
    axis: str
    attribute: str
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class RowPeople:
    """A line of people.jsonl: the demographic words of a row, stages 1 and 2 of appendix B. stayed: why the row is unchanged, else ""."""

    id: str
    stayed: str
    words: tuple[MentionedWord, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PerturbResult(EditedResult):
    """What a perturbation changed.

    perturbable: rows that mention an attribute that could be changed; chosen: those to perturb; perturbed: those that were. changed, added:
    the same, by what was done with them. tries: choices that were made. blocked: as offensive; warned: labels in doubt, kept_warned of
    them were kept. stayed: unchanged rows by reason. refused: choices by why they could not be made. distances: None if not measured.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "perturb"

    engine: str
    rows: int
    perturbable: int
    chosen: int
    perturbed: int
    tries: int
    blocked: int
    warned: int
    kept_warned: int
    axes: tuple[AxisCount, ...]
    pairs: tuple[AttributeChange, ...]
    balance: tuple[AttributeCount, ...]
    stayed: tuple[ReasonCount, ...]
    refused: tuple[RefusedChoices, ...]
    left: tuple[SkippedWords, ...]
    distances: VersionDistance | None
    sample: tuple[ShownPerson, ...]

    @property
    def adds_rows(self) -> bool:
        """Whether perturbed rows were added instead of changed."""
        return bool(self.settings.get("add"))


# A counterfactual test set


@dataclass(frozen=True, slots=True)
class PersonPair(JsonRecord):
    """A text before and after a person in it was changed.

    pair: its own id. id: of the row. label: of both texts. source, target: attributes of the axis. word: that was chosen.
    """

    pair: str
    id: str
    label: str
    axis: str
    source: str
    target: str
    word: str
    text_before: str
    text_after: str
    context_before: str | None = field(default=None, metadata=IF_ANY)
    context_after: str | None = field(default=None, metadata=IF_ANY)


@dataclass(frozen=True, slots=True)
class AxisPairs:
    """rows: that mention an attribute of the axis which could be changed. pairs: in the test set."""

    axis: str
    rows: int
    pairs: int


@dataclass(frozen=True, slots=True)
class ChangePairs:
    """A change of one attribute into another. possible: rows in which it could be tried. refused: choices that were tried and refused."""

    axis: str
    source: str
    target: str
    possible: int
    pairs: int
    refused: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PairsResult(Result):
    """A counterfactual test set.

    rows: of the dataset; perturbable: those that mention an attribute that could be changed; used: those with a pair. n_pairs: pairs made.
    tries: choices that were made. refused: choices by why they could not be made. settings: as run.json has them. folder: the run folder,
    None if nothing was written. pairs: all pairs, in order of their rows.
    """

    file: ClassVar[str] = "pairs.json"
    command: ClassVar[str] = "perturb --test-set"

    dataset: DatasetSummary
    engine: str
    settings: Mapping[str, object]
    rows: int
    perturbable: int
    used: int
    n_pairs: int
    tries: int
    axes: tuple[AxisPairs, ...]
    changes: tuple[ChangePairs, ...]
    refused: tuple[RefusedChoices, ...]
    checks: tuple[CheckCount, ...]
    sample: tuple[ShownPerson, ...]
    longway: str
    created: str
    folder: Path | None = field(default=None, compare=False)
    pairs: tuple[PersonPair, ...] = field(default=(), compare=False)

    @property
    def n_refused(self) -> int:
        """Choices that were refused."""
        return sum(one.count for one in self.refused)

    def _frame(self) -> pl.DataFrame:
        """One row per pair."""
        return pl.DataFrame([pair.to_dict() for pair in self.pairs], infer_schema_length=None)


@dataclass(frozen=True, slots=True)
class PairShare:
    """Pairs, the rows that they were made from, and how many answers change. score: in percent, with its 95% interval."""

    pairs: int
    rows: int
    differ: int
    score: Measurement

    @property
    def interval(self) -> str:
        """The score with its interval, in words."""
        return f"{self.score.value:.1f}% ({self.score.low:.1f} to {self.score.high:.1f})"


@dataclass(frozen=True, slots=True)
class Flip:
    """A pair whose answer changes. before, after: the answers."""

    pair: PersonPair
    before: str
    after: str

    def to_dict(self) -> dict[str, str]:
        """The pair with both answers."""
        return {**self.pair.to_dict(), "answer_before": self.before, "answer_after": self.after}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PairsCheck(Result):
    """A model's answers to a counterfactual test set.

    overall, by_axis, by_change: how many answers change. flips: the pairs whose answer changes. accuracy_before, accuracy_after: the
    percentage of right answers to the original and the changed texts; None if the model has other names for the labels. pairs: all pairs.
    """

    model: str
    overall: PairShare
    by_axis: Mapping[str, PairShare]
    by_change: Mapping[Changed, PairShare]
    flips: tuple[Flip, ...]
    accuracy_before: float | None
    accuracy_after: float | None
    pairs: tuple[PersonPair, ...]
    longway: str

    @property
    def fairscore(self) -> float:
        """The percentage of answers that change; lower is better."""
        return self.overall.score.value

    def check(self, *, fairscore: float) -> None:
        """Raise CheckFailed, which is an AssertionError, if more answers change on some axis, in percent: for tests of a model."""
        reasons = [
            self._reason(axis, share, fairscore)
            for axis, share in self.by_axis.items()
            if share.score.value > fairscore
        ]
        if reasons:
            raise CheckFailed("\n".join(reasons))

    def _reason(self, axis: str, share: PairShare, limit: float) -> str:
        flip = next(flip for flip in self.flips if flip.pair.axis == axis)
        old, new = (clean(cut(text, PATTERN_LIMIT)) for text in (flip.pair.text_before, flip.pair.text_after))
        return (
            f"{axis}: {share.differ:,} of {share.pairs:,} answers change, {share.interval}; "
            f"the limit is {limit:g}%. For example {flip.pair.pair}: {flip.before!r} for {old!r}, {flip.after!r} for {new!r}."
        )

    def __str__(self) -> str:
        from rich.console import Console

        from longway.report.terminal import show

        text = StringIO()
        show(self.page(), Console(file=text, width=WIDTH, highlight=False, color_system=None))
        return text.getvalue()

    def to_dict(self) -> dict[str, object]:
        """The figures and the flips as JSON values."""
        return {
            "model": self.model,
            "overall": asdict(self.overall),
            "by_axis": {axis: asdict(share) for axis, share in self.by_axis.items()},
            "by_change": [
                {**dict(zip(("axis", "source", "target"), change, strict=True)), **asdict(share)}
                for change, share in self.by_change.items()
            ],
            "accuracy_before": self.accuracy_before,
            "accuracy_after": self.accuracy_after,
            "flips": [flip.to_dict() for flip in self.flips],
        }

    def _frame(self) -> pl.DataFrame:
        """One row per pair whose answer changes."""
        return pl.DataFrame([flip.to_dict() for flip in self.flips], infer_schema_length=None)


def write_pairs(path: Path, pairs: Iterable[PersonPair]) -> None:
    """Write one pair a line; the file is replaced as a whole."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for pair in pairs:
            file.write(json.dumps(pair.to_dict(), ensure_ascii=False) + "\n")


def read_pairs(path: Path) -> list[PersonPair]:
    """The pairs of a file, or of the run folder it is in; DataError for what is no test set."""
    file = path / PAIRS_FILE if path.is_dir() else path
    hint = "Expected the pairs.jsonl of `longway perturb DATA --test-set`."
    pairs = []
    try:
        for line in file.read_text(encoding="utf-8").splitlines():
            pairs.append(from_json(PersonPair, json.loads(line)))
    except (OSError, TypeError, ValueError, LookupError) as error:
        raise DataError(f"{file} cannot be read, line {len(pairs) + 1}: {error}. {hint}") from None
    if not pairs:
        raise DataError(f"{file} has no pairs. {hint}")
    return pairs


def inputs_of(pairs: Sequence[PersonPair]) -> Inputs:
    """The texts of all pairs as classifiers take them: first all before, then all after."""
    texts = [*(pair.text_before for pair in pairs), *(pair.text_after for pair in pairs)]
    contexts = [*(pair.context_before for pair in pairs), *(pair.context_after for pair in pairs)]
    if all(context is None for context in contexts):
        return Inputs(texts)
    return Inputs(texts, [context or "" for context in contexts])
