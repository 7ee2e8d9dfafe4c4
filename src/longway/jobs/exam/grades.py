"""Grades, the verdict in one sentence, and the next command."""

from __future__ import annotations

from shlex import quote

from longway.engines.exams import Grade
from longway.jobs.exam.result import JobScore
from longway.sample import sample_path

FEWEST = 8  # questions; fewer give no grade
SAMPLE = "claims"  # the built-in dataset of the next command
TRIED = 100  # rows of it
_USABLE = ("good", "fair")


def judge_grade(job: JobScore) -> Grade:
    """Good: at least three quarters right, beyond chance. Fair: at least 65% right."""
    if job.skipped:
        return "none"
    if job.questions < FEWEST:
        return "unknown"
    if job.share_right.low >= 0.75:
        return "good"
    return "fair" if job.share_right.share >= 0.65 else "weak"


def writer_grade(*jobs: JobScore) -> Grade:
    """From how many questions got a text that is right, and how many of the texts that passed the checks are."""
    tried = [job for job in jobs if not job.skipped]
    if not tried:
        return "none"
    questions, passed, right = (
        sum(getattr(job, name) for job in tried) for name in ("questions", "passed", "right")
    )
    if questions < FEWEST:
        return "unknown"
    if right >= 0.6 * questions and right >= 0.8 * passed:
        return "good"
    return "fair" if right >= 0.3 * questions and right >= 0.6 * passed else "weak"


def verdict_of(judge: Grade, writer: Grade, spec: str, address: str = "") -> tuple[str, str]:
    """The verdict and the next command, on rows of a built-in sample.

    spec: the engine as the user named it. address: " --base-url ..." if it was given.

    >>> verdict_of("good", "weak", "served:some-model")[0]
    'Good judge, weak writer: use it for judging, and rules for writing.'
    """
    if "unknown" in (judge, writer):
        return (
            f"Too few questions for a grade: at least {FEWEST} per job are needed.",
            f"longway engines exam {spec}{address}",
        )
    grades = ", ".join(
        f"{grade} {name}" if grade != "none" else f"no {name}"
        for grade, name in ((judge, "judge"), (writer, "writer"))
    ).capitalize()
    rewrite = f"longway rewrite {quote(str(sample_path(SAMPLE)))} --limit {TRIED}"
    if writer in _USABLE and judge in _USABLE:
        return f"{grades}: use it for both.", f"{rewrite} --engine {spec}{address}"
    if writer in _USABLE:
        does = "use it for writing, and another engine for judging, or none."
        return f"{grades}: {does}", f"{rewrite} --engine {spec}{address} --judge none"
    if judge in _USABLE:
        return (
            f"{grades}: use it for judging, and rules for writing.",
            f"{rewrite} --engine rules --judge {spec}{address}",
        )
    return f"{grades}: use rules, or a better model.", f"{rewrite} --engine rules"
