"""What a perturbation returns: the content of perturb.json as typed values, and the perturbed dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from longway.jobs.change.collect import ReasonCount
from longway.jobs.change.result import EditedResult
from longway.metrics.versions import VersionDistance
from longway.records import Verdict

FILE = "perturb.json"
PEOPLE_FILE = "people.jsonl"
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
