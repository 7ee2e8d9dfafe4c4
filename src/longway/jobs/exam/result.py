"""What an exam returns: the content of exam.json as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from longway.engines.exams import FILE, VERSION, Grade
from longway.jobs.results import Result, check_version, content_of, read
from longway.verify.calibration import Rate

if TYPE_CHECKING:
    from longway.show.sections import Page


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong answer. fault: what is wrong with it."""

    id: str
    answer: str
    fault: str


@dataclass(frozen=True, slots=True)
class JobScore:
    """How an engine did one job.

    questions: asked. readable: answers that could be read. passed: of these, those that passed Longway's checks (where there are any).
    right: of those, the ones that the known answer confirms. skipped: why the job was not tried. left: questions that were not asked in time. calls, tokens, cost, seconds: over all starts; a cost
    of None is unknown.
    """

    name: str
    questions: int = 0
    readable: int = 0
    passed: int = 0
    right: int = 0
    skipped: str = ""
    left: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    mistakes: tuple[Mistake, ...] = ()

    @property
    def share_readable(self) -> Rate:
        """The share of questions with a readable answer."""
        return Rate.of(self.readable, self.questions)

    @property
    def share_right(self) -> Rate:
        """The share of questions with a right answer."""
        return Rate.of(self.right, self.questions)


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well probabilities match. confidence: mean probability of the chosen label. error: expected calibration error. brier: Brier score."""

    confidence: float
    accuracy: float
    error: float
    brier: float


@dataclass(frozen=True, slots=True, repr=False)
class ExamResult(Result):
    """The result of an exam.

    engine: as named. questions: their fingerprint, and that of the prompts. minutes: the time limit. families: right answers and questions by task, of judging. verdict: one sentence. next: a command. folder: where it is stored.
    """

    longway: str
    created: str
    engine: str
    questions: str
    limit: int | None
    jobs: tuple[JobScore, ...]
    families: Mapping[str, tuple[int, int]]
    calibration: Calibration | None
    judge_grade: Grade
    writer_grade: Grade
    verdict: str
    next: str
    minutes: float = 5.0
    folder: Path | None = field(default=None, compare=False)

    def page(self) -> Page:
        """The sections for the terminal."""
        from longway.jobs.exam.show import exam_page

        return exam_page(self)

    def _frame(self) -> pl.DataFrame:
        rows = [
            {"job": job.name, "questions": job.questions, "readable": job.readable, "passed": job.passed, "right": job.right}
            for job in self.jobs
        ]  # fmt: skip
        return pl.DataFrame(rows)

    def to_dict(self) -> dict[str, object]:
        """The content of exam.json."""
        return content_of(self, VERSION)

    @classmethod
    def from_dict(cls, content: object) -> ExamResult:
        """The result in the content of an exam.json; RunError if this release does not read it."""
        return read(cls, check_version(content, VERSION, file=FILE, command="engines exam"), file=FILE)
