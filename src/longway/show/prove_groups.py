"""Supporting against counter-examples of each pattern, before and after: the gap should shrink.

results.json "groups"  ->  group_figures()  ->  a chart and a table for each model, method and test set
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, cut
from longway.show.labels import Label, Listing, label_named, level_name, listing
from longway.show.numbers import NONE, arrow, count, percent
from longway.show.prove_charts import Dot, GapRow, Lane, gap_chart
from longway.show.prove_results import Row, run_name

MAX_PATTERNS = 12
OPEN_FIGURES, MAX_FIGURES = 2, 4  # the first number is shown at once, the second on request
MAX_LANES = 4  # versions in a chart

Place = tuple[str, str, str]  # model, method, test


@dataclass(frozen=True, slots=True)
class Shares:
    """How often a version's model is right with and against a pattern, in words."""

    version: str
    supporting: str
    counter: str
    gap: str


@dataclass(frozen=True, slots=True)
class PatternRow:
    """A pattern of the table under a chart."""

    pattern: str
    level: str
    field: str
    label: Label
    shares: list[Shares]


@dataclass(frozen=True, slots=True)
class GroupFigure:
    """All patterns of one run on one test set; gap: the mean one, before and after."""

    name: str
    gap: str
    grew: bool
    chart: Markup
    rows: list[PatternRow]
    n_more: int


def group_figures(
    groups: Sequence[Row], versions: Mapping[str, str], labels: Mapping[str, Label]
) -> Listing[GroupFigure]:
    """A chart for each run and test set that has groups; versions: name to colour."""
    by_place: dict[Place, list[Row]] = {}
    for row in groups:
        by_place.setdefault((row["model"], row["method"], row["test"]), []).append(row)
    places = list(enumerate(by_place.items()))
    return listing(
        places,
        lambda one: _figure(one[1][0], one[1][1], versions, labels, at=one[0]),
        limit=MAX_FIGURES,
        at_once=OPEN_FIGURES,
    )


def _figure(
    place: Place, rows: Sequence[Row], versions: Mapping[str, str], labels: Mapping[str, Label], *, at: int
) -> GroupFigure:
    """The chart and table of one run on one test set; at: its number on the page."""
    model, method, test = place
    patterns = _by_pattern(rows)
    shown = list(patterns.values())[:MAX_PATTERNS]
    before, after = mean_gaps(rows, list(versions))
    drawn = [_gap_row(by_version, versions) for by_version in shown]
    name = f"{run_name((model, method))} on {cut(test, NAME_LIMIT)}"
    desc = "; ".join(f"{row.name}: {row.shown}" for row in drawn)
    title = f"Accuracy on supporting and counter-examples of each pattern: {name}"
    return GroupFigure(
        name=name,
        gap="" if before is None else arrow(whole_points(before), whole_points(after)),
        grew=before is not None and after is not None and after > before,
        chart=gap_chart(drawn, key=f"groups-{at}", title=title, desc=desc),
        rows=[_pattern_row(by_version, list(versions), labels) for by_version in shown],
        n_more=len(patterns) - len(shown),
    )


def mean_gaps(groups: Iterable[Row], versions: Sequence[str]) -> tuple[float | None, float | None]:
    """The mean gap in the first and the second version over all patterns that have one in both."""
    pairs = []
    for by_version in _by_pattern(groups, by_place=True).values():
        gaps = [gap_of(by_version.get(version)) for version in versions[:2]]
        if len(gaps) == 2 and gaps[0] is not None and gaps[1] is not None:
            pairs.append((gaps[0], gaps[1]))
    if not pairs:
        return None, None
    return sum(first for first, _ in pairs) / len(pairs), sum(second for _, second in pairs) / len(pairs)


def gap_of(row: Row | None) -> float | None:
    """How much more often the model is right with the pattern than against it; None where one side is empty."""
    supporting, counter = _accuracy(row, "supporting"), _accuracy(row, "counter")
    return None if supporting is None or counter is None else supporting - counter


def _by_pattern(groups: Iterable[Row], *, by_place: bool = False) -> dict[tuple[str, ...], dict[str, Row]]:
    """The rows of each pattern by version; by_place: apart for each run and test set."""
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in groups:
        place = (row["model"], row["method"], row["test"]) if by_place else ()
        key = (row["level"], row["pattern"], row["field"], row["label"], *place)
        found.setdefault(key, {})[row["data"]] = row
    return found


def _gap_row(by_version: Mapping[str, Row], versions: Mapping[str, str]) -> GapRow:
    one = next(iter(by_version.values()))
    shown = list(versions.items())[:MAX_LANES]
    gaps = [gap_of(by_version.get(version)) for version, _ in shown]
    lanes = [_lane(colour, by_version.get(version)) for version, colour in shown]
    words = " → ".join(whole_points(gap) for gap in gaps[:2])
    return GapRow(f"{cut(one['pattern'], PATTERN_LIMIT)}", words, lanes)


def _lane(colour: str, row: Row | None) -> Lane:
    sides = [f"{words} {_side(row, side)}" for side, words in (("supporting", "with it"), ("counter", "against it"))]  # fmt: skip
    told = f"{', '.join(sides)}, gap {whole_points(gap_of(row))}"
    return Lane(colour, _dot(row, "supporting"), _dot(row, "counter"), told)


def _pattern_row(
    by_version: Mapping[str, Row], versions: Sequence[str], labels: Mapping[str, Label]
) -> PatternRow:
    one = next(iter(by_version.values()))
    return PatternRow(
        pattern=cut(one["pattern"], PATTERN_LIMIT),
        level=level_name(one["level"]),
        field=cut(one["field"], NAME_LIMIT),
        label=label_named(one["label"], labels),
        shares=[_shares(version, by_version.get(version)) for version in versions[:MAX_LANES]],
    )


def _shares(version: str, row: Row | None) -> Shares:
    return Shares(
        cut(version, NAME_LIMIT), _side(row, "supporting"), _side(row, "counter"), whole_points(gap_of(row))
    )


def _accuracy(row: Row | None, side: str) -> float | None:
    return ((row or {}).get(side) or {}).get("accuracy")


def _dot(row: Row | None, side: str) -> Dot | None:
    accuracy = _accuracy(row, side)
    if row is None or accuracy is None:
        return None
    low, high = row[side].get("low"), row[side].get("high")
    return Dot(accuracy, accuracy if low is None else low, accuracy if high is None else high)


def _side(row: Row | None, side: str) -> str:
    """ "95.0% of 120"."""
    accuracy = _accuracy(row, side)
    return NONE if row is None or accuracy is None else f"{percent(accuracy)} of {count(row[side]['n'])}"


def whole_points(value: float | None) -> str:
    """A gap in whole points.

    >>> whole_points(0.748), whole_points(-0.1), whole_points(-0.002), whole_points(None)
    ('75', '−10', '0', '–')
    """
    return NONE if value is None else f"{round(100 * value)}".replace("-", "−")
