"""Settings of `longway engines exam`."""

from __future__ import annotations

from dataclasses import dataclass

from longway.jobs.options import option


@dataclass(frozen=True, slots=True)
class ExamSettings:
    """How long an exam is.

    limit: Most questions per job. Default: all 101 for judging, 20 for rewriting, all of the others.
    minutes: Minutes after which no more questions are asked; the same command continues.
    """

    limit: int | None = option(None, at_least=1)
    minutes: float = option(5.0, at_least=0.1)
