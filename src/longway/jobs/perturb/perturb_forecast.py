"""What a perturbation by an engine may cost, before money is spent: `estimate_perturb`.

It assumes that every row takes as many tries as it may; most take one. Answers that must be repaired are not included.
"""

from __future__ import annotations

from longway.engines.engine import Engine
from longway.jobs.engine_use import RunEstimate, engines_in, estimate_calls, sampled
from longway.jobs.perturb.perturb import Perturbing
from longway.methods.perturb.asked import prompt_of


def estimate_perturb(
    perturbing: Perturbing, engine: Engine | None, *, spent: float = 0.0, dry: bool = False
) -> RunEstimate:
    """What perturbing all chosen rows may take. dry: include free engines, and the time."""
    rows = perturbing.chosen
    n_calls = sum(len(perturbing.requests(row)) for row in rows)
    some = (prompt_of(perturbing.requests(rows[i])[0]) for i in sampled(len(rows)))
    prompts = [prompt for prompt in some if prompt is not None]
    writes = [estimate_calls(one, prompts, n_calls, timed=dry) for one in engines_in(engine, free=dry)]
    return RunEstimate.of(len(rows), writes, spent=spent)
