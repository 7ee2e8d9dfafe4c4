"""Costs as a table: "cost" of perturb.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.numbers import NONE, count, duration, money, or_dash


@dataclass(frozen=True, slots=True)
class CostRow:
    """What one engine did and what that cost."""

    engine: str
    kind: str
    calls: str
    prompt_tokens: str
    completion_tokens: str
    cost: str
    seconds: str


def cost_row(row: Mapping[str, Any]) -> CostRow:
    """A row of the table of costs."""
    return CostRow(
        engine=cut(row["engine"], NAME_LIMIT),
        kind=cut(row["kind"], NAME_LIMIT),
        calls=count(row["calls"]),
        prompt_tokens=count(row["prompt_tokens"]),
        completion_tokens=count(row["completion_tokens"]),
        cost=or_dash(row["cost"], money),
        seconds=or_dash(row["seconds"], duration),
    )


def total_cost(costs: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The price of all engines together and the time they took; a price that is not known is not made up."""
    if any(row["cost"] is None for row in costs):
        return NONE, "a price is not known"
    seconds = duration(sum(row["seconds"] or 0.0 for row in costs))
    return money(
        sum(row["cost"] for row in costs)
    ), f"{seconds} of engine time" if costs else "no engine was used"
