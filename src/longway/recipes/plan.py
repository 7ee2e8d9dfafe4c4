"""What a job will take, told before anything is spent: rows, calls, tokens, money and time.

    plan_audit(dataset, settings)                           an audit asks no engine: time only
    plan_rewrite(dataset, settings, engines, limits)        the most that a rewrite may take
    plan_augment(dataset, settings, engines, limits)        the most that an augmentation may take

Calls, tokens and money are those of `forecast`: every round is needed, every candidate is judged; most runs take less. Time comes from
a short measurement on some rows of the data (`speed.py`). A served model is never asked: its time follows from the limits that
are given, or from what is assumed, and the plan says which.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any

from longway.data import Dataset
from longway.detect import GRAMMAR
from longway.errors import SettingError
from longway.llm.engine import Engine
from longway.recipes.audit import AuditSettings
from longway.recipes.augment_forecast import augment_forecast
from longway.recipes.augment_settings import AugmentSettings
from longway.recipes.engine_runs import Engines, close, engines_of, name_of
from longway.recipes.forecast import Forecast, engines_in, forecast
from longway.recipes.held_out import arrange
from longway.recipes.rewrite import RewriteSettings
from longway.recipes.rows import rows_of
from longway.recipes.speed import (
    audit_line,
    checking_speed,
    judging_speed,
    round_line,
    sample_of,
    writing_speed,
)
from longway.rewrite.method import Rows
from longway.verify.classifiers import MOST_ROWS

GRAMMAR_SECONDS = 60.0  # at most, for any number of rows
PASSES = 5  # over a file that is streamed: opening, fingerprint, reading, examples, scores
AUDITS = 2  # a rewrite compares the data before and after


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """How fast a served model may be asked. The defaults are assumptions; None is no limit.

    in_flight: calls under way at once. seconds_a_call, tokens_a_second: how long one call takes before its first token, and how fast the
    rest comes.
    """

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    in_flight: int = 32
    seconds_a_call: float = 1.0
    tokens_a_second: float = 50.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is not None and not 0 < value < inf:
                raise SettingError(
                    f"'{name}' must be a number above 0. Got {value}. Leave it out where there is no limit."
                )

    def seconds(self, calls: int, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many calls take: the slowest of the limits decides.

        >>> ServerLimits(requests_per_minute=60).seconds(120, 100, 100)
        120.0
        """
        busy = calls * self.seconds_a_call + completion_tokens / self.tokens_a_second
        times = [busy / self.in_flight]
        if self.requests_per_minute is not None:
            times.append(60 * calls / self.requests_per_minute)
        if self.tokens_per_minute is not None:
            times.append(60 * (prompt_tokens + completion_tokens) / self.tokens_per_minute)
        return max(times)

    def told(self) -> str:
        """The limits in words."""
        parts = [
            f"{self.in_flight} calls under way",
            f"{self.seconds_a_call:g} s and then {self.tokens_a_second:g} tokens/s each",
        ]
        if self.requests_per_minute is not None:
            parts.append(f"{self.requests_per_minute:,.0f} requests a minute")
        if self.tokens_per_minute is not None:
            parts.append(f"{self.tokens_per_minute:,.0f} tokens a minute")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Step:
    """One part of a job. cost: in dollars, None where a price is not known; how: where the time comes from."""

    name: str
    engine: str = ""
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    how: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a job will take. rows: those that it works on; notes: what was assumed and what is not in it."""

    command: str
    rows: int
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """All calls to engines."""
        return sum(step.calls for step in self.steps)

    @property
    def cost(self) -> float | None:
        """Dollars for all of it; None where a price is not known."""
        costs = [step.cost for step in self.steps]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    @property
    def seconds(self) -> float:
        """Seconds for all of it, one step after the other."""
        return sum(step.seconds for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return {
            "command": self.command,
            "rows": self.rows,
            "calls": self.calls,
            "prompt_tokens": sum(step.prompt_tokens for step in self.steps),
            "completion_tokens": sum(step.completion_tokens for step in self.steps),
            "cost": self.cost,
            "seconds": self.seconds,
            "steps": [asdict(step) for step in self.steps],
            "notes": list(self.notes),
        }


def plan_audit(dataset: Dataset, settings: AuditSettings | None = None, *, split: str | None = None) -> Plan:
    """What an audit will take."""
    settings = settings or AuditSettings()
    part = arrange(dataset, split).dataset
    sample = sample_of(part)
    line, n = audit_line(sample.dataset, settings), part.n_used
    steps = [
        _reading(part, sample.pass_seconds),
        Step("count and score", seconds=line.seconds(n), how=_from(sample.dataset)),
    ]
    if GRAMMAR in settings.levels:
        how = "at most, on a sample of any number of rows; --levels -grammar leaves it out"
        steps.append(Step("grammar", seconds=GRAMMAR_SECONDS, how=how))
    return Plan("audit", n, tuple(steps), ("An audit asks no engine and costs nothing.",))


def plan_rewrite(
    dataset: Dataset,
    settings: RewriteSettings | None = None,
    engines: Engines | None = None,
    limits: ServerLimits | None = None,
    *,
    split: str | None = None,
) -> Plan:
    """The most that a rewrite may take."""
    settings, engines, limits = settings or RewriteSettings(), engines or Engines(), limits or ServerLimits()
    part = arrange(dataset, split).dataset
    writer, judge = engines_of(settings, engines)
    try:
        sample = sample_of(part)
        rows, n = rows_of(sample.dataset, seed=settings.seed), part.n_used
        steps = [_reading(part, sample.pass_seconds), _own_work(sample.dataset, settings, rows, n)]
        if writer is None:
            return Plan("rewrite", n, tuple(steps), (f"The method {settings.method} asks no engine.",))
        asked = {
            "write": forecast(sample.dataset, settings, writer, n_rows=n, free=True),
            "judge": forecast(sample.dataset, settings, None, judge, n_rows=n, free=True),
        }
        speed = _writing(writer, rows, settings)
        n_candidates = (
            asked["write"].writes // max(1, len(list(engines_in(writer, free=True)))) * settings.candidates
        )
        steps += [
            _asking("write", asked["write"], writer, speed, limits),
            _checking(rows, n, n_candidates, settings.seed),
        ]
        if judge is not None and asked["judge"].calls:
            steps.append(_asking("judge", asked["judge"], judge, _judging(judge, rows), limits))
        return Plan(
            "rewrite",
            n,
            tuple(steps),
            _notes(writer, judge, limits, "every round is needed"),
        )
    finally:
        close(writer, judge)


def plan_augment(
    dataset: Dataset,
    settings: AugmentSettings | None = None,
    engines: Engines | None = None,
    limits: ServerLimits | None = None,
    *,
    split: str | None = None,
) -> Plan:
    """The most that an augmentation may take; its own work (models that vote, checks) is not in the time."""
    settings, engines, limits = settings or AugmentSettings(), engines or Engines(), limits or ServerLimits()
    part = arrange(dataset, split, labelled=settings.labelled).dataset
    writer, judge = engines_of(settings, engines)
    try:
        sample = sample_of(part)
        n, data = part.n_used, sample.dataset
        steps = [_reading(part, sample.pass_seconds)]
        if writer is None:
            return Plan("augment", n, tuple(steps), (f"The method {settings.method} asks no engine.",))
        rows = rows_of(data, seed=settings.seed, labelled=settings.labelled)
        write = augment_forecast(data, settings, writer, n_rows=n, free=True)
        speed = _writing(writer, rows, RewriteSettings(candidates=1, seed=settings.seed))
        steps.append(_asking("write", write, writer, speed, limits))
        if judge is not None:
            judged = augment_forecast(data, settings, None, judge, n_rows=n, free=True)
            steps.append(_asking("judge", judged, judge, _judging(judge, rows), limits))
        notes = list(_notes(writer, judge, limits, "every row gets all the way"))
        if speed is not None:
            notes.append("An engine that computes here was timed by a rewriting for each text.")
        notes.append("The models that vote and the checks are not in the time.")
        return Plan("augment", n, tuple(steps), tuple(notes))
    finally:
        close(writer, judge)


def _reading(part: Dataset, pass_seconds: float) -> Step:
    passes = PASSES if part.streamed else 1
    how = f"one pass took {pass_seconds:.1f} s; {passes} of them" if passes > 1 else "measured"
    return Step("read", seconds=pass_seconds * passes, how=how)


def _from(sample: Dataset) -> str:
    return f"measured on {sample.n_used:,} rows"


def _own_work(sample: Dataset, settings: RewriteSettings, rows: Rows, n: int) -> Step:
    """Scoring and updating in each round, and the comparison of before and after."""
    compared = audit_line(sample, AuditSettings(seed=settings.seed))
    seconds = AUDITS * compared.seconds(n)
    if settings.needs_engine:
        a_round = replace(round_line(sample, settings, rows), per_fit=compared.per_fit)
        seconds += settings.rounds * a_round.seconds(n)
    return Step("score, update and compare", seconds=seconds, how=_from(sample))


def _writing(writer: Engine, rows: Rows, settings: RewriteSettings) -> float | None:
    """Seconds a prompt, for all engines in turn that compute here; None where one of them is a server."""
    return writing_speed(writer, rows, settings) if _is_here(writer) else None


def _judging(judge: Engine, rows: Rows) -> float | None:
    return judging_speed(judge, rows) if _is_here(judge) else None


def _is_here(engine: Engine) -> bool:
    """Whether the engine computes in this process: servers have an address, also those that cost nothing."""
    return not any(map(_is_server, engines_in(engine, free=True)))


def _is_server(engine: Engine) -> bool:
    return hasattr(engine, "base_url")


def _asking(name: str, asked: Forecast, engine: Engine, speed: float | None, limits: ServerLimits) -> Step:
    parts = list(engines_in(engine, free=True))
    if speed is not None:
        seconds, how = asked.calls / len(parts) * speed, "measured on a few rows"
    else:  # only servers count: where rules are asked before one, they hardly take any time
        share = sum(map(_is_server, parts)) / len(parts)
        counts = (asked.calls, asked.prompt_tokens, asked.completion_tokens)
        seconds, how = limits.seconds(*(round(n * share) for n in counts)), "the server's limits, see below"
    return Step(
        name,
        name_of(engine),
        asked.calls,
        asked.prompt_tokens,
        asked.completion_tokens,
        asked.cost,
        seconds,
        how,
    )


def _checking(rows: Rows, n_rows: int, n: int, seed: int) -> Step:
    speed = checking_speed(rows, seed=seed)
    seconds = speed.per_row * min(n_rows, MOST_ROWS) + speed.per_candidate * n
    return Step("check", seconds=seconds, how=f"{n:,} candidates at most; measured on a few")


def _notes(writer: Engine, judge: Engine | None, limits: ServerLimits, all_of_it: str) -> tuple[str, ...]:
    judged = "" if judge is None else ", every candidate is judged"
    is_served = not all(_is_here(one) for one in (writer, judge) if one is not None)
    again = (
        " An answer that cannot be read is asked for once more, which is not counted." if is_served else ""
    )
    notes = [f"Supposed: {all_of_it}{judged}. Most runs take less.{again}"]
    if is_served:
        more = ""
        if limits.requests_per_minute is None and limits.tokens_per_minute is None:
            more = " Give --requests-per-minute and --tokens-per-minute for those of your account."
        notes.append(f"The server was not asked. Its time follows from: {limits.told()}.{more}")
    unpriced = sorted(
        {one.name for e in (writer, judge) for one in engines_in(e) if getattr(one, "price", 0) is None}
    )
    if unpriced:
        notes.append(
            f"The price of {' and '.join(unpriced)} is not known: add it to ~/.config/longway/prices.toml (docs: engines)."
        )
    return tuple(notes)
