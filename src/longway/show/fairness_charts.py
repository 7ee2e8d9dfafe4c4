"""The small chart in a cell of a fairness table: a figure, its interval, and the place of no preference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from markupsafe import Markup

from longway.show.charts import across, tag
from longway.show.numbers import NONE

SIDE = 0.02  # of the width, so that a dot at the end is whole


@dataclass(frozen=True, slots=True)
class Scale:
    """What a bar runs from and to, where no preference is (None: nowhere), and how many digits are shown."""

    low: float
    high: float
    neutral: float | None
    digits: int = 1


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure as it is shown. clear: its whole interval lies on one side of no preference."""

    value: str
    interval: str
    bar: Markup
    clear: bool


def measured(figure: Mapping[str, Any], scale: Scale) -> Measured:
    """A figure of fairness.json (value, low, high; None where not known) on its scale."""
    value, low, high = (_number(figure[key]) for key in ("value", "low", "high"))
    known = isfinite(low) and isfinite(high)
    shown = f"{value:.{scale.digits}f}" if isfinite(value) else NONE
    interval = f"{low:.{scale.digits}f} to {high:.{scale.digits}f}" if known else ""
    clear = known and scale.neutral is not None and not low <= scale.neutral <= high
    return Measured(
        shown.replace("-", "−"),
        interval.replace("-", "−"),
        _bar(value, low, high, scale, clear),
        clear,
    )


def _bar(value: float, low: float, high: float, scale: Scale, clear: bool) -> Markup:
    def place(number: float) -> str:
        share = (number - scale.low) / (scale.high - scale.low)
        return across(SIDE + (1 - 2 * SIDE) * min(max(share, 0.0), 1.0))

    parts = [tag("line", x1=across(0), x2=across(1), y1=9, y2=9, class_="scale-line")]
    if scale.neutral is not None:
        at = place(scale.neutral)
        parts.append(tag("line", x1=at, x2=at, y1=1, y2=17, class_="neutral"))
    if isfinite(low) and isfinite(high):
        parts.append(tag("line", x1=place(low), x2=place(high), y1=9, y2=9, class_="range"))
    if isfinite(value):
        parts.append(tag("circle", cx=place(value), cy=9, r=5, class_="point"))
    # The cell says it in words.
    kind = "range-bar clear" if clear else "range-bar"
    return tag("svg", *parts, class_=kind, width="100%", height=18, aria_hidden="true")


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
