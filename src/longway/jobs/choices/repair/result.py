"""What a repair of data with candidates returns: the content of its repair.json as typed values, and the repaired data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from longway.data.choices import ChoiceDataset
from longway.detect.choices.leak import headline
from longway.jobs.change.collect import ReasonCount
from longway.jobs.change.result import ChangeResult
from longway.jobs.choices.audit.result import ChoiceSummary
from longway.records import Leak

if TYPE_CHECKING:
    from longway.jobs.estimate import RunEstimate

FILE = "repair.json"


@dataclass(frozen=True, slots=True)
class ChoiceStep:
    """A remedy in the plan. aim: what it is for. questions: that it changes or leaves out; about: whether that is an estimate.

    leak: of the candidates without the prompt, after it; None if it is not known. left: questions that it leaves as they are, by reason.
    """

    remedy: str
    aim: str
    questions: int
    leak: float | None = None
    about: bool = False
    left: tuple[ReasonCount, ...] = ()


@dataclass(frozen=True, slots=True)
class ChoicePlan:
    """What a repair will do. leak: before. goal: the accuracy to reach. notes: what else to know. calls: what engines may cost."""

    steps: tuple[ChoiceStep, ...]
    leak: Leak
    goal: float
    notes: tuple[str, ...] = ()
    calls: RunEstimate | None = None

    def to_dict(self) -> dict[str, object]:
        """The plan as JSON values."""
        from longway.json_values import to_json

        return {
            "steps": [to_json(step) for step in self.steps],
            "leak": self.leak.to_dict(),
            "goal": self.goal,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class CueChange:
    """A pattern of the right candidates before and after. applies: questions that it says something about; share: of their right
    candidates that have it; base: by chance; points: over a random choice."""

    family: str
    name: str
    applies_before: int
    share_before: float
    base_before: float
    points_before: float
    applies_after: int
    share_after: float
    base_after: float
    points_after: float


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """A question before and after, for the report. after: () if it was left out. right: the place of the right candidate."""

    id: str
    remedy: str
    prompt: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    right_before: int
    right_after: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ChoiceRepairResult(ChangeResult):
    """What a repair of data with candidates changed, and how the data are before and after.

    goal: the accuracy that the leak should fall to. steps: what each remedy did.
    questions_after: those that are left. leaks_before, leaks_after: how often a ranker picks the right candidate, by what it sees.
    random: the leak if as many questions are left out at random; None if none are. found_before, found_after: findings. findings: the
    strongest before; worse: those that got stronger. sample: changed questions.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "repair"

    dataset: ChoiceSummary
    goal: float
    steps: tuple[ChoiceStep, ...]
    leaks_before: Mapping[str, Leak]
    leaks_after: Mapping[str, Leak]
    random: Leak | None
    found_before: int
    found_after: int
    findings: tuple[CueChange, ...]
    worse: tuple[CueChange, ...]
    places_before: tuple[int, ...]
    places_after: tuple[int, ...]
    sample: tuple[ChangedQuestion, ...]

    @property
    def questions_after(self) -> int:
        """Questions that are left."""
        return self.dataset.used - self.dropped + self.added

    @property
    def reached(self) -> bool:
        """Whether the goal is reached."""
        return self.leak_after.accuracy <= self.goal

    @property
    def leak_before(self) -> Leak:
        """How often a ranker that never sees the prompt was right."""
        return headline(self.leaks_before)

    @property
    def leak_after(self) -> Leak:
        """How often a ranker that never sees the prompt is right now."""
        return headline(self.leaks_after)

    @property
    def data(self) -> ChoiceDataset:
        """The repaired data."""
        return self._known_original()

    def _computed(self) -> Mapping[str, object]:
        """What the file has besides the fields, for other readers."""
        return {
            "kind": self.dataset.kind,
            "rows_after": self.dataset.rows - self.dropped + self.added,
            "questions_after": self.questions_after,
            "reached": self.reached,
        }
