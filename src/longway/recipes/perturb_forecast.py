"""What a perturbation by an engine may cost, told before money is spent.

perturb_forecast(perturbing, engine, spent=0.0)  ->  Forecast: calls, tokens, dollars

It supposes that every row takes as many tries as it may: most take one. An answer that must be asked for again because it
could not be read is not foreseen.
"""

from __future__ import annotations

from longway.llm.asking import Asker, Estimate
from longway.llm.engine import Engine
from longway.recipes.forecast import SAMPLED, Forecast, engines_in
from longway.recipes.perturb import Perturbing
from longway.rewrite.perturb.asked import prompt_of
from longway.store import Journal


def perturb_forecast(perturbing: Perturbing, engine: Engine | None, *, spent: float = 0.0) -> Forecast:
    """What asking the engine about all chosen rows may take. spent: dollars that earlier starts have paid."""
    rows = perturbing.chosen
    n_calls = sum(len(perturbing.requests(row)) for row in rows)
    some = (prompt_of(perturbing.requests(row)[0]) for row in rows[:: max(1, len(rows) // SAMPLED)])
    prompts = [prompt for prompt in some if prompt is not None]
    writes = []
    for paid in engines_in(engine):
        found = Asker(paid, Journal(None)).estimate(prompts)
        times = n_calls / max(1, found.calls)
        writes.append(
            Estimate(
                n_calls,
                round(found.prompt_tokens * times),
                round(found.completion_tokens * times),
                None if found.cost is None else found.cost * times,
            )
        )
    return Forecast.of(writes, [], spent)
