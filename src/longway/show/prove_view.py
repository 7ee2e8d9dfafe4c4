"""What the page of a proof shows, taken from what the run left: capped, counted, in reading order.

    results.json (dict)  ->  prove_page()  ->  ProvePage  ->  templates/prove.html.jinja

Every list is cut, here or in the module of its part, and what is cut is counted, so the page stays small
whatever the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import Listing, labels_of, listing, setting_rows
from longway.show.numbers import count, counted
from longway.show.prove_examples import ShownRow, shown_rows
from longway.show.prove_fairscore import FairscoreView, fairscore_view
from longway.show.prove_figures import (
    FigureRow,
    WorseRow,
    WorstRow,
    figure_places,
    figure_row,
    metrics_of,
    worse_row,
    worst_rows,
)
from longway.show.prove_groups import GroupFigure, group_figures
from longway.show.prove_opening import about, key_figures, verdict_of
from longway.show.prove_results import (
    Row,
    Told,
    comparison,
    method_name,
    metric_name,
    model_name,
    read_proof,
    told_once,
)
from longway.show.prove_tables import MAX_VERSIONS, ScoreTables, method_tables, score_tables
from longway.show.prove_training import KeyItem, Training, training
from longway.show.prove_versions import LeakFigure, Versions, leak_figures, risen_leaks, versions_view
from longway.show.sections import KeyFigure

MAX_CONCERNS = MAX_FAILED = MAX_NOTES = 20
MAX_IDS = 8  # of a concern
MAX_LEAKS = 6
MAX_FIGURES = 40  # rows that have all measures
MAX_WORST = MAX_WORSE = 24


@dataclass(frozen=True, slots=True)
class Concern:
    """What is not quite comparable; refused: it must not be compared."""

    kind: str
    count: str
    text: str
    refused: bool
    ids: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know of trainings of a model by a method: why they broke off, or that they are plain training."""

    run: str
    where: str
    text: str


@dataclass(frozen=True, slots=True)
class ProvePage:
    """Everything the template shows; the charts are finished SVG."""

    title: str
    verdict: str
    details: str
    about: list[tuple[str, str]]
    key_figures: list[KeyFigure]
    failures: Listing[Remark]
    n_failed: str
    concerns: Listing[Concern]
    first: str
    several: bool
    version_names: list[str]
    version_key: list[KeyItem]
    n_more_versions: int
    scores: ScoreTables
    notes: Listing[Remark]
    methods: ScoreTables
    metrics: list[str]
    positive: str
    figures: Listing[FigureRow]
    fairscore: FairscoreView | None
    leaks: Listing[LeakFigure]
    groups: Listing[GroupFigure]
    worst: Listing[WorstRow]
    examples: list[ShownRow]
    objections: list[str]
    worse: Listing[WorseRow]
    data: Versions
    training: Training
    settings: list[tuple[str, str]]


def prove_page(results: Row) -> ProvePage:
    """The page of one proof; raises KeyError or TypeError where the run left out something."""
    proof = read_proof(results)
    labels = labels_of(results["versions"][0]["labels"])
    shown = proof.versions[:MAX_VERSIONS]
    colours = {name: f"v{at}" for at, name in enumerate(shown)}
    names = [cut(name, NAME_LIMIT) for name in shown]
    leaks = leak_figures(results["leaks"], shown)
    groups = group_figures(results["groups"], colours, labels)
    worse = [comparison(row, proof.figures) for row in results["worse"]]
    metrics = metrics_of(proof)
    verdict = verdict_of(results, proof, worse)
    return ProvePage(
        title=cut(" against ".join(reversed(proof.versions[:2])), PATTERN_LIMIT),
        verdict=verdict.sentence,
        details=verdict.details,
        about=about(results, proof),
        key_figures=key_figures(results, proof, leaks),
        failures=listing(told_once(results["failed"], "error"), _remark, limit=MAX_FAILED),
        n_failed=counted(len(results["failed"]), "training"),
        concerns=listing(results["concerns"], _concern, limit=MAX_CONCERNS),
        first=names[0],
        several=len(shown) > 2,
        version_names=names,
        version_key=[KeyItem(cut(name, NAME_LIMIT), colour, "bar") for name, colour in colours.items()],
        n_more_versions=len(proof.versions) - len(shown),
        scores=score_tables(proof),
        notes=listing(told_once(results.get("notes", []), "text"), _remark, limit=MAX_NOTES),
        methods=method_tables(proof),
        metrics=[metric_name(metric) for metric in metrics],
        positive=cut(str(results["labels"][-1]), NAME_LIMIT) if "binary_f1" in metrics else "",
        figures=listing(figure_places(proof), figure_row(proof, metrics), limit=MAX_FIGURES),
        fairscore=fairscore_view(results.get("fairscore"), proof, labels, shown),
        leaks=listing(leaks, lambda one: one, limit=MAX_LEAKS),
        groups=groups,
        worst=listing(worst_rows(results["worst"], shown), lambda one: one, limit=MAX_WORST),
        examples=shown_rows(results.get("examples", []), labels),
        objections=_objections(leaks, groups, shown),
        worse=listing(worse, worse_row, limit=MAX_WORSE),
        data=versions_view(results, colours),
        training=training(results, colours, labels),
        settings=setting_rows(
            {name: _plain(value) for name, value in results["settings"].items()}, source="results.json"
        ),
    )


def _objections(
    leaks: Sequence[LeakFigure], groups: Listing[GroupFigure], versions: Sequence[str]
) -> list[str]:
    """What got worse besides the comparisons: leaks that rose, gaps that grew."""
    grown = [
        f"The gap between supporting and counter-examples grew with {one.name}: {one.gap} points on average. Whether that is luck was not tested."
        for one in (*groups.open, *groups.folded)
        if one.grew
    ]
    return [*risen_leaks(leaks, versions), *grown]


def _concern(row: Row) -> Concern:
    ids = row.get("ids") or []
    n_more = len(ids) - MAX_IDS
    told = ", ".join(cut(str(id_), NAME_LIMIT) for id_ in ids[:MAX_IDS])
    told += f" and {count(n_more)} more" if n_more > 0 else ""
    return Concern(
        kind=cut(row["kind"], NAME_LIMIT),
        count=count(row["count"]) if row.get("count") is not None else "",
        text=cut(row["text"], TEXT_LIMIT),
        refused=bool(row.get("refused")),
        ids=told,
    )


def _plain(value: Any) -> Any:
    """A setting as people write it; lists and tables without their brackets."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {one}" for name, one in value.items()) or "none"
    return value


def _remark(one: Told) -> Remark:
    model, method = one.run
    seeds = ", ".join(cut(str(seed), 20) for seed in one.seeds[:MAX_IDS])
    told = f", seed{'s' if len(one.seeds) > 1 else ''} {seeds}" if seeds else ""
    versions = " and ".join(cut(name, NAME_LIMIT) for name in one.versions[:MAX_VERSIONS])
    return Remark(
        run=f"{model_name(model)}, {method_name(method)}",
        where=f"trained on {versions}{told}",
        text=cut(one.text, TEXT_LIMIT),
    )
