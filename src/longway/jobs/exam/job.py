"""The exam of an engine: how well it does Longway's jobs, on questions with known answers.

engine -> estimate -> judge, rewrite, counterpart, triples, perturb -> grades, verdict -> exam.json in the user's data folder

The jobs take turns, a few questions at a time, until all are asked or the time is over: a slow engine is graded on all jobs, too. Every answer is in the journal of its job before it is used: after Ctrl-C, or a spent budget, the same command continues and pays for
nothing twice. `--engine auto` reads the grades.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from math import floor, inf
from pathlib import Path
from shlex import quote

from longway.engines.asker import Asker
from longway.engines.engine import Engine
from longway.engines.exams import FILE, fingerprint, folder_of, grades_of
from longway.engines.registry import engine_named
from longway.jobs.engine_use import CallsEstimate, Engines, RunEstimate, close, seconds_of
from longway.jobs.exam.grades import judge_grade, verdict_of, writer_grade
from longway.jobs.exam.parts import COUNTERPART, JUDGE, REWRITE, JudgePart, Part, parts_for
from longway.jobs.exam.result import ExamResult, JobScore
from longway.jobs.exam.settings import ExamSettings
from longway.jobs.options import settings_from
from longway.jobs.run import Watcher
from longway.store import Journal, now
from longway.store.atomic import write_json

FIRST = 2  # questions of each job before the next one has its turn


def exam(
    engine: str,
    settings: ExamSettings | None = None,
    *,
    engines: Engines | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> ExamResult:
    """How good an engine is at judging and writing.

    engine: its name, such as "served:gpt-4o-mini". engines: its address and the budget. options: those of `longway engines exam`.
    The result is stored for `--engine auto`.
    """
    chosen = settings_from(ExamSettings, settings, options)
    engines, watcher = engines or Engines(), watcher or Watcher()
    # A model that answers in no usable form is graded, not given up.
    candidate = engine_named(engine, base_url=engines.base_url, misread=inf, **engines.options)
    try:
        return _exam(candidate, engine, chosen, engines, watcher)
    finally:
        close(candidate)


def _exam(
    engine: Engine, spec: str, settings: ExamSettings, engines: Engines, watcher: Watcher
) -> ExamResult:
    folder = folder_of(engine)
    folder.mkdir(parents=True, exist_ok=True)
    parts = parts_for(engine, settings.limit)
    watcher.estimate(_estimate(parts, engine, folder, 60 * settings.minutes))
    _ask_in_turn(parts, engine, folder, engines.budget, watcher, seconds=60 * settings.minutes)
    watcher.step("exam: marking the answers")
    scores: dict[str, JobScore] = {}
    for part in parts:
        part.mark()
        scores[part.name] = _with_usage(part.score(), folder)
    judging = next(part for part in parts if isinstance(part, JudgePart))
    judge, writer = judge_grade(scores[JUDGE]), writer_grade(scores[REWRITE], scores[COUNTERPART])
    address = f" --base-url {engine.base_url}" if engines.base_url and engine.base_url else ""
    verdict, command = verdict_of(judge, writer, quote(spec), address)
    result = ExamResult(
        longway=version("longway"),
        created=now(),
        engine=engine.name,
        questions=fingerprint(),
        limit=settings.limit,
        jobs=tuple(scores.values()),
        families=judging.by_family(),
        calibration=judging.calibration(),
        judge_grade=judge,
        writer_grade=writer,
        verdict=verdict,
        next=command,
        minutes=settings.minutes,
        folder=folder,
    )
    before = grades_of(engine)
    # A few questions do not replace an exam.
    if "unknown" not in (judge, writer) or before is None or not before.is_current:
        write_json(folder / FILE, result.to_dict())
    return result


def _ask_in_turn(
    parts: list[Part],
    engine: Engine,
    folder: Path,
    budget: float | None,
    watcher: Watcher,
    *,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Ask questions of all jobs in turn, twice as many each time, as long as they are likely to be answered in time."""
    until, n = clock() + seconds, FIRST
    pace: dict[
        str, float
    ] = {}  # seconds per question, by job; those found in the journal take none and do not count
    waiting = [part for part in parts if part.left]
    while waiting:
        for part in list(waiting):
            began = clock()
            most = (until - began) / pace[part.name] if pace.get(part.name) else inf
            at_once = n if part.name in pace else FIRST
            some = min(at_once, len(part.left), floor(most) if most < inf else at_once)
            if some < 1 or began >= until:
                waiting.remove(part)
                continue
            watcher.step(f"exam: {part.name}")
            if n_new := _ask(part, some, engine, folder, budget, watcher):
                pace[part.name] = (clock() - began) / n_new
            if not part.left:
                waiting.remove(part)
        n *= 2


def _ask(part: Part, n: int, engine: Engine, folder: Path, budget: float | None, watcher: Watcher) -> int:
    """Ask one job's next questions; returns how many were not in its journal.

    Each job has its own journal, so that its tokens and time are known; the budget is for all.
    """
    journal_path = _journal_of(part.name, folder)
    if budget is not None:
        others = (path for path in folder.glob("*.sqlite") if path != journal_path)
        budget = max(0.0, budget - sum(_spent(path) for path in others))
    with closing(Journal(journal_path)) as journal:
        asker = Asker(engine, journal, budget=budget, progress=watcher.progress, say=watcher.say)
        part.ask(asker, n)
    return max(0, n - asker.found)


def _estimate(parts: list[Part], engine: Engine, folder: Path, limit: float) -> RunEstimate:
    """What the questions without an answer would take. limit: seconds after which the exam stops."""
    writes: list[CallsEstimate] = []
    judgements: list[CallsEstimate] = []
    for part in parts:
        if part.skipped:
            continue
        with closing(Journal(_journal_of(part.name, folder))) as journal:
            one = part.estimate(Asker(engine, journal))
        seconds = 0.0 if engine.base_url is None else seconds_of(engine, one.calls, one.completion_tokens)
        calls = CallsEstimate(one.calls, one.prompt_tokens, one.completion_tokens, one.cost, seconds)
        (judgements if part.name == JUDGE else writes).append(calls)
    spent = sum(_spent(path) for path in folder.glob("*.sqlite"))
    total = RunEstimate.of(sum(len(part.questions) for part in parts), writes, judgements, spent=spent)
    cost = None if total.cost is None else total.cost + spent
    return replace(total, cost=cost, seconds=min(total.seconds, limit), limit=limit)


def _with_usage(score: JobScore, folder: Path) -> JobScore:
    """The score with what its calls used, over all starts."""
    path = _journal_of(score.name, folder)
    if not path.exists():
        return score
    with closing(Journal(path)) as journal:
        totals = journal.totals()
    costs = [total.cost for total in totals]
    return replace(
        score,
        calls=sum(total.calls for total in totals),
        prompt_tokens=sum(total.prompt_tokens for total in totals),
        completion_tokens=sum(total.completion_tokens for total in totals),
        cost=None if None in costs else round(sum(cost or 0.0 for cost in costs), 6),
        seconds=round(sum(total.seconds or 0.0 for total in totals), 3),
    )


def _spent(path: Path) -> float:
    with closing(Journal(path)) as journal:
        return journal.spent()


def _journal_of(name: str, folder: Path) -> Path:
    return folder / f"{name}.sqlite"
