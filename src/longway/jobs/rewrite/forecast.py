"""What a rewrite may cost, before money is spent: `estimate_rewrite`."""

from __future__ import annotations

from longway.engines.engine import Engine
from longway.engines.prompt import judge_prompt, rewrite_prompt
from longway.jobs.engine_use import RunEstimate, engines_in, estimate_calls, sampled
from longway.jobs.rewrite.rewrite import RewriteSettings
from longway.methods.method import Rows
from longway.methods.razor import count_of


def estimate_rewrite(
    rows: Rows,
    settings: RewriteSettings,
    writer: Engine | None,
    judge: Engine | None = None,
    *,
    spent: float = 0.0,
    dry: bool = False,
) -> RunEstimate:
    """What rewriting the rows may take: all rounds, every candidate judged. dry: include free engines, and the time."""
    n_writes = min(count_of(settings.k, len(rows)), len(rows)) * settings.rounds
    n_judgements = n_writes * settings.candidates
    some, task = sampled(len(rows)), rows.task
    write = [rewrite_prompt(task, rows.texts[i], label=rows.label(i), context=rows.context(i)) for i in some]
    ask = [judge_prompt(task, rows.texts[i], context=rows.context(i)) for i in some]
    writes = [
        estimate_calls(engine, write, n_writes, n=settings.candidates, timed=dry)
        for engine in engines_in(writer, free=dry)
    ]
    judgements = [
        estimate_calls(engine, ask, n_judgements, options=task.labels, timed=dry)
        for engine in engines_in(judge, free=dry)
        if "judge" in engine.can
    ]
    return RunEstimate.of(len(rows), writes, judgements, spent=spent)
