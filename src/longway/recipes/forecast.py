"""What a rewrite may cost, told before money is spent.

    forecast(dataset, settings, writer, judge, spent=0.0)  ->  Forecast: calls, tokens, dollars

It supposes that every round is needed and every candidate is judged, and takes the length of the texts from a sample: most runs
take less. What engines answer for nothing (rules, the small model, servers on this machine) is no part of it, but where `free` says so
(`plan.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from longway.data import Dataset
from longway.llm.asking import Asker, Estimate
from longway.llm.engine import Engine
from longway.llm.prices import FREE
from longway.llm.prompt import judge_prompt, rewrite_prompt
from longway.recipes.rewrite import RewriteSettings
from longway.recipes.rows import rows_of
from longway.rewrite.method import Rows
from longway.rewrite.selection import count_of
from longway.store import Journal

SAMPLED = 64  # rows whose prompts are measured


@dataclass(frozen=True, slots=True)
class Forecast:
    """The most that a run is likely to take.

    writes, judgements: calls, by default those that have a price. cost: in dollars, all starts of the run together; None where a price is
    not known. spent: dollars that earlier starts have paid.
    """

    writes: int
    judgements: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    spent: float = 0.0

    @classmethod
    def of(cls, writes: Sequence[Estimate], judgements: Sequence[Estimate], spent: float) -> Forecast:
        """All estimates together."""
        parts = [*writes, *judgements]
        costs = [part.cost for part in parts]
        return cls(
            sum(part.calls for part in writes),
            sum(part.calls for part in judgements),
            sum(part.prompt_tokens for part in parts),
            sum(part.completion_tokens for part in parts),
            None if None in costs else sum(cost for cost in costs if cost is not None),
            spent,
        )

    @property
    def calls(self) -> int:
        """All calls, to write and to judge."""
        return self.writes + self.judgements


def costs_money(engine: Engine | None) -> bool:
    """Whether asking this engine may have to be paid for; a price that is not known counts as one."""
    return engine is not None and any(True for _ in engines_in(engine))


def forecast(
    dataset: Dataset,
    settings: RewriteSettings,
    writer: Engine | None,
    judge: Engine | None = None,
    *,
    spent: float = 0.0,
    n_rows: int | None = None,
    free: bool = False,
) -> Forecast:
    """What rewriting the dataset may take, all rounds of it.

    n_rows: how many rows there are where the dataset is a sample of them. free: count calls that cost nothing, too.
    """
    rows = rows_of(dataset, seed=settings.seed)
    n_rows = len(rows) if n_rows is None else n_rows
    n_writes = min(count_of(settings.k, n_rows), n_rows) * settings.rounds
    n_judgements = n_writes * settings.candidates
    writes = [_for_all(engine, rows, settings, n_writes) for engine in engines_in(writer, free=free)]
    judgements = [
        _for_all(engine, rows, settings, n_judgements, judging=True)
        for engine in engines_in(judge, free=free)
        if "judge" in engine.can
    ]
    return Forecast.of(writes, judgements, spent)


def engines_in(engine: Engine | None, *, free: bool = False) -> Iterator[Engine]:
    """The engine, or those of several in turn, that are not free; with `free` all of them."""
    together: tuple[Any, ...] = () if engine is None else getattr(engine, "engines", (engine,))
    yield from (one for one in together if free or getattr(one, "price", FREE) != FREE)


def _for_all(
    engine: Engine, rows: Rows, settings: RewriteSettings, n: int, *, judging: bool = False
) -> Estimate:
    """What n calls take, from the prompts of a few rows."""
    step = max(1, len(rows) // SAMPLED)
    asker = Asker(engine, Journal(None))
    some = range(0, len(rows), step)
    if judging:
        prompts = [judge_prompt(rows.task, rows.texts[i], context=rows.context(i)) for i in some]
        found = asker.estimate(prompts, options=rows.task.labels)
    else:
        prompts = [
            rewrite_prompt(rows.task, rows.texts[i], label=rows.label(i), context=rows.context(i))
            for i in some
        ]
        found = asker.estimate(prompts, settings.candidates)
    times = n / max(1, found.calls)
    return Estimate(
        n,
        round(found.prompt_tokens * times),
        round(found.completion_tokens * times),
        None if found.cost is None else found.cost * times,
    )
