"""A counterfactual test set: pairs of texts that differ in one person's gender, race or age, and the counts of how it was made.

pairs.jsonl     one `PersonPair` a line
pairs.json      `PairsResult`: pairs by axis and by change, what was refused and why
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import ClassVar

import polars as pl

from longway.data.summary import DatasetSummary
from longway.errors import DataError
from longway.jobs.change.collect import CheckCount
from longway.jobs.perturb.result import RefusedChoices, ShownPerson
from longway.jobs.results import Result
from longway.json_values import from_json
from longway.models.classifier import Inputs
from longway.store import replacing

FILE = "pairs.json"
PAIRS_FILE = "pairs.jsonl"


@dataclass(frozen=True, slots=True)
class PersonPair:
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
    context_before: str | None = None
    context_after: str | None = None

    def to_dict(self) -> dict[str, str]:
        """The content of its line; without contexts if it has none."""
        return {name: value for name, value in asdict(self).items() if value is not None}


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

    file: ClassVar[str] = FILE
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


def write_pairs(path: Path, pairs: Iterable[PersonPair]) -> None:
    """Write one pair a line; the file is replaced as a whole."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for pair in pairs:
            file.write(json.dumps(pair.to_dict(), ensure_ascii=False) + "\n")


def read_pairs(path: Path) -> list[PersonPair]:
    """The pairs of a file, or of the run folder it is in; DataError for what is no test set."""
    file = path / PAIRS_FILE if path.is_dir() else path
    hint = "Expected the pairs.jsonl of `longway perturb DATA --test-set`."
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(f"{file} cannot be read: {why}. {hint}") from None
    pairs = []
    for number, line in enumerate(lines, start=1):
        try:
            pairs.append(from_json(PersonPair, json.loads(line)))
        except (TypeError, ValueError, LookupError) as error:
            raise DataError(f"Line {number} of {file} is no pair: {error}. {hint}") from None
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
