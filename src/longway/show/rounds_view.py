"""The rounds of a rewrite as the page shows them: three small curves and a table.

rewrite.json "rounds"  ->  round_row() for each, round_charts() for all
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from markupsafe import Markup

from longway.show.change_charts import Goal, Point, line_chart
from longway.show.numbers import arrow, count, duration, or_dash, percent, three_digits

MAX_TOLD = 20  # rounds named in a chart's description


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A row of the table of rounds; round 0 is the data as it came."""

    name: str
    rows: str
    candidates: str
    accepted: str
    leak: str
    cosine: str
    kl: str
    gamma: str
    seconds: str


@dataclass(frozen=True, slots=True)
class RoundChart:
    """One figure over the rounds; better: which way it should go."""

    name: str
    better: str
    change: str
    chart: Markup


def round_charts(rounds: Sequence[Mapping[str, Any]], *, chance: float | None) -> list[RoundChart]:
    """Leak, mean cosine and divergence over the rounds; a figure that was measured less than twice has no chart."""
    goal = None if chance is None or not isfinite(chance) else Goal(chance, f"chance {percent(chance)}")
    return [
        chart
        for chart in (
            _chart(rounds, "leak", "Leak from the text", "lower is better", percent, goal),
            _chart(rounds, "objective", "Cosine between labels", "higher is more alike", three_digits, None),
            _chart(rounds, "kl", "KL between labels", "lower is more alike", three_digits, None),
        )
        if chart
    ]


def measured(rounds: Sequence[Mapping[str, Any]], key: str) -> list[Point]:
    """(round, value) wherever the figure was measured."""
    return [
        (int(one["number"]), float(one[key]))
        for one in rounds
        if one.get(key) is not None and isfinite(one[key])
    ]


def _chart(
    rounds: Sequence[Mapping[str, Any]],
    key: str,
    name: str,
    better: str,
    form: Callable[[float], str],
    goal: Goal | None,
) -> RoundChart | None:
    points = measured(rounds, key)
    if len(points) < 2:
        return None
    told = "; ".join(f"round {at}: {form(value)}" for at, value in points[:MAX_TOLD])
    rest = f"; then to round {points[-1][0]}: {form(points[-1][1])}" if len(points) > MAX_TOLD else ""
    chart = line_chart(
        points, key=f"rounds-{key}", title=f"{name} after each round", desc=told + rest, form=form, goal=goal
    )
    return RoundChart(name, better, arrow(form(points[0][1]), form(points[-1][1])), chart)


def round_row(one: Mapping[str, Any]) -> RoundRow:
    """A row of the table."""
    number = int(one["number"])
    return RoundRow(
        name=f"Round {number}" if number else "As it came",
        rows=or_dash(one.get("rows"), _whole) if number else "",
        candidates=or_dash(one.get("candidates"), _whole) if number else "",
        accepted=or_dash(one.get("accepted"), _whole) if number else "",
        leak=or_dash(one.get("leak"), percent),
        cosine=or_dash(one.get("objective"), three_digits),
        kl=or_dash(one.get("kl"), three_digits),
        gamma=or_dash(one.get("mean_gamma"), three_digits),
        seconds=or_dash(one.get("seconds"), duration),
    )


def _whole(number: float) -> str:
    return count(int(number))
