"""The result of an exam on the terminal: a line per job, judging by task, mistakes."""

from __future__ import annotations

from longway.jobs.exam.result import Calibration, ExamResult, JobScore
from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.numbers import NONE, count, percent
from longway.show.sections import (
    SCREEN,
    Block,
    Bullet,
    Bullets,
    Column,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
)
from longway.verify.calibration import Rate

MAX_MISTAKES, ANSWER_LIMIT = 6, 110
_NAMES = {
    "judge": "judging",
    "rewrite": "rewriting",
    "counterpart": "counterparts",
    "triples": "triples",
    "perturb": "changing a person",
}


def exam_page(result: ExamResult) -> Page:
    """All sections of an exam."""
    return Page(
        kicker="Longway engines exam",
        title=cut(result.engine, NAME_LIMIT),
        verdict=result.verdict,
        facts=[("Made", result.created)],
        figures=[],
        sections=[_jobs(result), *_judging(result), *_mistakes(result)],
        version=result.longway,
        fingerprint=result.questions,
    )


def _jobs(result: ExamResult) -> Section:
    names = ("Questions", "Readable", "Passed checks", "Right", "95% interval", "Tokens", "Time", "Cost")
    columns = [Column("Job"), *(Column(name, number=True) for name in names)]
    rows = [_row(job) for job in result.jobs if not job.skipped]
    blocks: list[Block] = [Table(columns, rows)]
    blocks += [
        Paragraph(f"Skipped: {_NAMES[job.name]}; {job.skipped}.") for job in result.jobs if job.skipped
    ]
    if left := [f"{count(job.left)} of {_NAMES[job.name]}" for job in result.jobs if job.left]:
        blocks.append(
            Paragraph(
                f"Not asked within {result.minutes:g} minutes: {', '.join(left)}. The same command continues; --minutes gives more time."
            )
        )
    return Section("jobs", "Jobs", blocks, on=SCREEN)


def _row(job: JobScore) -> Row:
    is_checked = job.name in ("rewrite", "counterpart")
    tokens = job.prompt_tokens + job.completion_tokens
    per_call = f"{job.seconds / job.calls:.1f} s a call" if job.calls and job.seconds else NONE
    cost = "unknown" if job.cost is None else f"${job.cost:.4f}" if job.cost else "free"
    return Row(
        [
            _NAMES[job.name],
            count(job.questions),
            percent(job.share_readable.share),
            percent(job.passed / job.questions) if is_checked and job.questions else NONE,
            Span(percent(job.share_right.share), "strong"),
            _interval(job.share_right),
            count(tokens) if tokens else NONE,
            per_call,
            cost,
        ]
    )


def _judging(result: ExamResult) -> list[Section]:
    if not result.families:
        return []
    columns = [
        Column("Task"),
        *(Column(name, number=True) for name in ("Questions", "Right", "95% interval")),
    ]
    rows = [
        Row([family, count(of), percent(right / of), _interval(Rate.of(right, of))])
        for family, (right, of) in result.families.items()
    ]
    blocks: list[Block] = [Table(columns, rows)]
    if result.calibration is not None:
        blocks.append(Paragraph(_calibration(result.calibration)))
    return [Section("judging", "Judging by task", blocks, on=SCREEN)]


def _calibration(found: Calibration) -> str:
    gap = found.confidence - found.accuracy
    kind = (
        "about as sure as it should be" if abs(gap) < 0.05 else "too sure" if gap > 0 else "not sure enough"
    )
    return (
        f"It is {kind}: it gives its answers {percent(found.confidence)} on average, and {percent(found.accuracy)} are right "
        f"(calibration error {found.error:.2f}, Brier score {found.brier:.2f})."
    )


def _mistakes(result: ExamResult) -> list[Section]:
    bullets = [
        Bullet([f"{mistake.id}: {cut(mistake.fault, ANSWER_LIMIT)}", Span(f" {cut(mistake.answer, ANSWER_LIMIT)}", "quiet")])
        for job in result.jobs
        if job.name != "judge"
        for mistake in job.mistakes[: MAX_MISTAKES // 2]
    ]  # fmt: skip
    if not bullets:
        return []
    return [
        Section("mistakes", "Some mistakes in writing", [Bullets(bullets[: 2 * MAX_MISTAKES])], on=SCREEN)
    ]


def _interval(rate: Rate) -> str:
    return f"{percent(rate.low)} to {percent(rate.high)}"
