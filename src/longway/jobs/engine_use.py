"""The engines of a run: which are used, what they may cost, and what they did.

    name, writer, judge = engines_of(settings, engines)     who writes, and the models that the settings name
    job = with_graded_judge(job, rows, journal, watcher)    the rules instead of a model that "auto" chose and that judges these rows badly
    asker_of(engine, journal, engines.budget, watcher)  asks one of them, within the budget
    costs(journal, writer, judge)                       what each engine did and cost

Rules are no engine: the writer's name is then "rules", or "rules,served:MODEL" if a model writes where no rule applies.
An estimate is an upper bound: it assumes that every round is needed and every candidate is judged. Token counts come from the
prompts of a sample of rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast

from longway.engines.costs import FREE
from longway.engines.engine import RULES, Engine
from longway.engines.prompt import Prompt
from longway.engines.registry import engine_named, split_writer
from longway.errors import SettingError
from longway.jobs.estimate import IN_FLIGHT, SECONDS_A_CALL, TOKENS_A_SECOND, CallsEstimate
from longway.jobs.options import check_options, option
from longway.jobs.run import Watcher
from longway.methods.method import Rows
from longway.store import CHECKED, JOURNAL_FILE, WORDS, CallTotals, Journal

if TYPE_CHECKING:
    from longway.engines.asker import Asker

SAMPLED_ROWS = 64  # rows whose prompts are measured
SECONDS_BY_RULES = 0.04  # for a text, on a slow core


@dataclass(frozen=True, slots=True)
class Engines:
    """Where engines are, and what they may cost; not part of a run's identity.

    base_url, judge_base_url: addresses of servers. budget: the most to spend, in dollars. options: further keywords of `engine_named`.
    device: where a network computes: auto, cpu or cuda. batch_size: texts that a network computes at once.
    """

    base_url: str | None = None
    judge_base_url: str | None = None
    budget: float | None = option(None, at_least=0)
    options: Mapping[str, Any] = field(default_factory=dict)
    device: Literal["auto", "cpu", "cuda"] = "auto"
    batch_size: int = option(16, at_least=1)

    def __post_init__(self) -> None:
        check_options(self)


class EngineSettings(Protocol):
    """The part of a job's settings that is about engines."""

    @property
    def engine(self) -> str:
        """The engine that writes."""
        ...

    @property
    def judge(self) -> str:
        """The engine that judges, "none", or "auto": the writing engine if it can judge."""
        ...

    @property
    def seed(self) -> int:
        """The seed of everything random."""
        ...

    @property
    def needs_engine(self) -> bool:
        """Whether an engine writes texts."""
        ...


def engines_of(settings: EngineSettings, engines: Engines) -> tuple[str, Engine | None, Engine | None]:
    """The name of the writer, the model that writes, and the one that judges.

    With judge "auto", the writer judges if it can, in a separate conversation; it does not judge what rules wrote.
    """
    if not settings.needs_engine:
        return "none", None, None
    by_rules, model = split_writer(settings.engine, base_url=engines.base_url)
    writer = engine_named(model, base_url=engines.base_url, **engines.options) if model else None
    name = ",".join([*([RULES] if by_rules else []), *([] if writer is None else [writer.name])])
    if settings.judge not in ("auto", "none"):
        return name, writer, judge_of(settings, engines)
    judges = settings.judge == "auto" and writer is not None and "judge" in writer.can and not by_rules
    return name, writer, writer if judges else None


def judge_of(settings: EngineSettings, engines: Engines) -> Engine:
    """The judge that the settings name; SettingError if it cannot judge."""
    address = engines.judge_base_url or engines.base_url
    judge = engine_named(settings.judge, base_url=address, **engines.options)
    if "judge" not in judge.can:
        raise SettingError(
            f"The engine {judge.name} cannot judge. Expected an engine that can. Try --judge none, or served:MODEL."
        )
    return judge


def check_can_write(writer: Engine | None, judge: Engine | None = None) -> None:
    """Raise SettingError, and close both engines, if the writer cannot write."""
    if writer is not None and "write" not in writer.can:
        close(writer, judge)
        raise SettingError(
            f"The engine {writer.name} cannot write. Expected an engine that can. Try --engine rules, or served:MODEL."
        )


def addresses_of(writer: Engine | None, judge: Engine | None) -> dict[str, object]:
    """The addresses of the servers, as a run's settings record them."""
    return {
        "base_url": None if writer is None else writer.base_url,
        "judge_base_url": None if judge is None else judge.base_url,
    }


def asker_of(engine: Engine | None, journal: Journal, budget: float | None, watcher: Watcher) -> Asker | None:
    """Asks an engine, within the budget; None if there is no engine."""
    if engine is None:
        return None
    from longway.engines.asker import Asker

    return Asker(engine, journal, budget=budget, progress=watcher.progress, say=watcher.say)


class JobWithEngines(Protocol):
    """The part of a job that is about engines. A dataclass. note: why the engines are not those that were chosen."""

    @property
    def settings(self) -> EngineSettings:
        """A dataclass, with the names of the engines."""
        ...

    @property
    def judge(self) -> Engine | None:
        """The engine that judges."""
        ...

    @property
    def budget(self) -> float | None:
        """Dollars."""
        ...


J = TypeVar("J", bound=JobWithEngines)


def with_graded_judge(job: J, rows: Rows, journal: Journal, watcher: Watcher) -> J:
    """The job; with the rules and without a judge if "auto" chose a model that is not good enough at judging these rows.

    The model is graded on rows whose labels are known; its answers are in the journal.
    """
    if job.judge is None or not job.judge.is_to_be_graded:
        return job
    from longway.engines.asker import Asker
    from longway.verify.grading import grade, graded_rows

    watcher.step("grading the judge on rows of the data")
    some = graded_rows([rows.label(row) for row in range(len(rows))])
    asker = Asker(job.judge, journal, budget=job.budget, progress=watcher.progress, say=watcher.say)
    found = grade(asker, rows.task, [rows.example(row) for row in some])
    if found.is_good_enough:
        watcher.say(f"{job.judge.name} got {found}; it writes and judges.")
        return job
    note = f"judge: {job.judge.name} got {found}, so it is not used and the rules write; --engine {job.judge.name} uses it all the same"
    watcher.say(note)
    settings: Any = replace(cast(Any, job.settings), engine=RULES, judge="none")
    return cast(J, replace(cast(Any, job), settings=settings, writer=None, judge=None, note=note))


def name_of(engine: Engine | None) -> str:
    """The name of an engine, "none" if there is none."""
    return "none" if engine is None else engine.name


def close(*engines: Engine | None) -> None:
    """Close connections and free memory; an engine that both writes and judges is closed once."""
    for engine in {id(engine): engine for engine in engines if engine is not None}.values():
        from longway.engines.event_loop import run

        run(engine.close())


# What a run may take


def costs_money(*engines: Engine | None) -> bool:
    """Whether one of the engines may cost money; an unknown price counts as one."""
    return any(engine is not None and engine.price != FREE for engine in engines)


def estimate_rules(writer: str, n_texts: int) -> list[CallsEstimate]:
    """What rules may take to write so many texts; nothing if they do not write. writer: its name."""
    is_by_rules = writer.partition(",")[0] == RULES
    return [CallsEstimate(n_texts, 0, 0, 0.0, n_texts * SECONDS_BY_RULES)] if is_by_rules else []


def estimate_calls(
    engine: Engine | None,
    prompts: Sequence[Prompt],
    n_calls: int,
    *,
    n: int = 1,
    options: Sequence[str] | None = None,
    timed: bool = False,
    free: bool = False,
) -> list[CallsEstimate]:
    """What `n_calls` calls may take, from the prompts of a sample. n: texts per call. options: the labels, for judgements.

    timed: estimate the time too; no engine is called. free: include an engine that costs nothing. Empty if there is no such engine.
    """
    if engine is None or not (free or engine.price != FREE):
        return []
    from longway.engines.asker import Asker

    sample = Asker(engine, Journal(None)).estimate(prompts, n, options=options)
    scale = n_calls / max(1, len({(one.text, one.context, one.label) for one in prompts}))
    n_calls = round(sample.calls * scale)  # a long text takes several
    written = round(sample.completion_tokens * scale)
    seconds = seconds_of(engine, n_calls, written) if timed else 0.0
    cost = None if sample.cost is None else sample.cost * scale
    return [CallsEstimate(n_calls, round(sample.prompt_tokens * scale), written, cost, seconds)]


def seconds_of(engine: Engine, n_calls: int, written: int) -> float:
    """About how long a server takes for so many calls and tokens."""
    at_once = min(IN_FLIGHT, engine.max_in_flight or IN_FLIGHT)
    return (n_calls * SECONDS_A_CALL + written / TOKENS_A_SECOND) / at_once


def sampled(n_rows: int) -> range:
    """Rows spread over the data whose prompts are measured."""
    return range(0, n_rows, max(1, n_rows // SAMPLED_ROWS))


# What a run took


def costs(journal: Journal, *engines: Engine | None) -> tuple[CallTotals, ...]:
    """What each engine did and cost; the cost is None, not 0, if the price is not known. Results of checks and word searches are no calls."""
    unpriced = {e.name for e in engines if e is not None and e.price is None}
    calls = (one for one in journal.totals() if one.kind not in (CHECKED, WORDS))
    return tuple(replace(one, cost=None) if one.engine in unpriced else one for one in calls)


def failed_calls(*askers: Asker | None) -> Counter[str]:
    """The number of calls that failed temporarily, by reason."""
    return sum((asker.why for asker in askers if asker is not None), Counter[str]())


def answers_kept(folder: Path) -> int:
    """How many answers of engines the journal of a run folder holds."""
    path = folder / JOURNAL_FILE
    if not path.exists():
        return 0
    from longway.engines.recording import answers_in

    with closing(Journal(path)) as journal:
        return answers_in(journal)
