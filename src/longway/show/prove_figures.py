"""The other tables of a proof: every measure, what got worse, the worst groups.

Proof                   ->  figure_row()   all measures of one model on one test set
results.json "worse"    ->  worse_row()
results.json "worst"    ->  worst_rows()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.numbers import arrow, count, or_dash, percent, q_value
from longway.show.prove_results import (
    Comparison,
    Proof,
    Row,
    Run,
    axis_of,
    change,
    change_interval,
    figure,
    method_name,
    metric_name,
    model_name,
)
from longway.show.prove_tables import Mark, interval_of, mark_of

MAX_METRICS = 8


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean with its spread over seeds and its interval, and the mark against the first version."""

    metric: str
    value: str
    spread: str
    interval: str
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class FigureRow:
    """All measures of one run on one test set, trained on one version."""

    model: str
    method: str
    test: str
    version: str
    figures: list[Figure]


@dataclass(frozen=True, slots=True)
class WorseRow:
    """A figure that is clearly worse, and than what."""

    model: str
    method: str
    test: str
    metric: str
    than: str
    figures: str
    change: str
    interval: str
    q: str


@dataclass(frozen=True, slots=True)
class WorstRow:
    """The worst group of one run on one test set; groups: (version, accuracy, group and size)."""

    model: str
    method: str
    test: str
    groups: list[tuple[str, str, str]]


def figure_places(proof: Proof) -> list[tuple[Run, str, str]]:
    """(run, test, version) wherever anything was measured, to be shown with `figure_row`."""
    measured = {(place[1:3], place[3], place[0]) for place in proof.figures}
    return [
        (run, test, version)
        for run in proof.runs
        for test in proof.tests
        for version in proof.versions
        if (run, test, version) in measured
    ]


def metrics_of(proof: Proof) -> list[str]:
    """The measures that have a column, in the order of results.json; the axes of the fairscore have tables of their own."""
    return list(dict.fromkeys(place[4] for place in proof.figures if not axis_of(place[4])))[:MAX_METRICS]


def figure_row(proof: Proof, metrics: Sequence[str]) -> Callable[[tuple[Run, str, str]], FigureRow]:
    """What shows a row of the table of all figures."""
    verdicts = {
        (one.data, *one.run, one.test, one.metric): one.verdict
        for one in proof.comparisons
        if one.against == proof.first and not one.of_methods
    }

    def shown(at: tuple[Run, str, str]) -> FigureRow:
        run, test, version = at
        places = [(version, *run, test, metric) for metric in metrics]
        figures = [
            _figure(proof.figures.get(place, {}), place[4], mark_of(verdicts.get(place, "")))
            for place in places
        ]
        return FigureRow(
            model_name(run[0]),
            method_name(run[1]),
            cut(test, NAME_LIMIT),
            cut(version, NAME_LIMIT),
            figures,
        )

    return shown


def worse_row(one: Comparison) -> WorseRow:
    """A row of the table of what got worse."""
    on, than = cut(one.data, NAME_LIMIT), cut(one.against, NAME_LIMIT)
    if one.of_methods:
        on, than = f"{method_name(one.run[1])} on {on}", method_name(one.against_method)
    return WorseRow(
        model=model_name(one.run[0]),
        method=method_name(one.run[1]),
        test=cut(one.test, NAME_LIMIT),
        metric=metric_name(one.metric),
        than=f"{on} against {than}",
        figures=arrow(figure(one.before, one.metric), figure(one.after, one.metric)),
        change=change(one.difference, one.metric),
        interval=change_interval(one),
        q=or_dash(one.q, q_value),
    )


def worst_rows(worst: Iterable[Row], versions: Sequence[str]) -> list[WorstRow]:
    """The worst groups, a row per run and test, the versions side by side."""
    found: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in worst:
        found.setdefault((row["model"], row["method"], row["test"]), {})[row["data"]] = row
    return [
        WorstRow(model_name(model), method_name(method), cut(test, NAME_LIMIT), [_group(by, v) for v in versions])
        for (model, method, test), by in found.items()
    ]  # fmt: skip


def _figure(row: Row, metric: str, mark: Mark | None) -> Figure:
    std = row.get("std")
    spread = f"± {figure(std, metric)}" if std is not None else ""
    return Figure(
        metric_name(metric), figure(row.get("mean"), metric), spread, interval_of(row, metric), mark
    )


def _group(by_version: dict[str, Row], version: str) -> tuple[str, str, str]:
    row = by_version.get(version)
    name = cut(version, NAME_LIMIT)
    if row is None:
        return name, or_dash(None, percent), ""
    group = f"{cut(row['group'], NAME_LIMIT)} ({count(row['n'])})"
    return name, or_dash(row["accuracy"], percent), group
