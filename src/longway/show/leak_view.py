"""The leak before and after a rewrite, and what got worse besides patterns.

rewrite.json "leak", "other_leaks"  ->  leak_changes()  ->  charts
the same and "rounds"               ->  objections()    ->  sentences
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from longway.records import Leak
from longway.show.charts import leak_chart
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, cut
from longway.show.labels import record
from longway.show.numbers import counted, percent, three_digits
from longway.show.rewrite_verdict import differ
from longway.show.rounds_view import measured


@dataclass(frozen=True, slots=True)
class LeakChange:
    """A leak before and now; name: what the bag of words reads; how: how it was measured."""

    name: str
    how: str
    before: Leak
    after: Leak
    chart: Markup


def text_leak(leak: Mapping[str, Any] | None) -> LeakChange | None:
    """The leak from the text alone; None where it was not measured on both sides."""
    columns = ((leak or {}).get("after") or {}).get("columns") or ("text",)
    return _leak_change(leak or {}, " + ".join(columns), key="leak-text")


def other_leaks(rows: Sequence[Mapping[str, Any]]) -> list[LeakChange]:
    """The leaks from other parts of the input or on other files, where they were measured on both sides."""
    changes = [_leak_change(row, row["name"], key=f"leak-{at}") for at, row in enumerate(rows)]
    return [change for change in changes if change]


def objections(leaks: Sequence[LeakChange], rounds: Sequence[Mapping[str, Any]]) -> list[str]:
    """What got worse besides patterns: leaks that rose, labels that look less alike."""
    return [
        *(_risen(leak) for leak in leaks if leak.after.accuracy > leak.before.accuracy),
        *_less_alike(rounds),
    ]


def _leak_change(row: Mapping[str, Any], name: str, *, key: str) -> LeakChange | None:
    if not row.get("before") or not row.get("after"):
        return None
    before, after = record(Leak, row["before"]), record(Leak, row["after"])
    name = cut(name, NAME_LIMIT)
    bars = [replace(before, columns=("before",)), replace(after, columns=("now",))]
    chart = leak_chart(
        bars,
        key=key,
        majority=after.majority,
        title=f"Accuracy of a bag of words from {name} alone, before and now",
        desc=f"before {_interval(before)}; now {_interval(after)}; chance {percent(after.majority)}",
    )
    how = f"{cut(after.how, PATTERN_LIMIT)}, {counted(after.rows, 'row')}"
    return LeakChange(name, how, before, after, chart)


def _interval(leak: Leak) -> str:
    return f"{percent(leak.accuracy)}, 95% interval {percent(leak.low)} to {percent(leak.high)}"


def _risen(leak: LeakChange) -> str:
    luck = "" if differ(leak.before, leak.after) else " The intervals allow for luck."
    figures = f"{percent(leak.before.accuracy)} to {percent(leak.after.accuracy)}"
    return f"The leak from {leak.name} rose from {figures}.{luck}"


def _less_alike(rounds: Sequence[Mapping[str, Any]]) -> list[str]:
    """By the two figures of the paper, last round against the data as it came."""
    cosine, kl = measured(rounds, "objective"), measured(rounds, "kl")
    told = []
    if cosine and cosine[-1][1] < cosine[0][1]:
        figures = f"from {three_digits(cosine[0][1])} to {three_digits(cosine[-1][1])}"
        told.append(f"The labels look less alike: the mean cosine between them fell {figures}.")
    if kl and kl[-1][1] > kl[0][1]:
        figures = f"from {three_digits(kl[0][1])} to {three_digits(kl[-1][1])}"
        told.append(f"The labels look less alike: the divergence between them rose {figures}.")
    return told
