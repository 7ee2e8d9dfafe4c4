"""The fairscore on the page of a proof: how many answers change when one person of a test row does.

results.json "fairscore", Proof  ->  fairscore_view()  ->  FairscoreView: tables, by axis and pair, texts whose answer changes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longway.show.edit_view import COMPARE_LIMIT, side_by_side
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, Piece, cut, harmless
from longway.show.labels import Label, Listing, label_named, listing
from longway.show.numbers import NONE, count, counted, percent
from longway.show.prove_results import (
    FAIRSCORE,
    Proof,
    Row,
    Run,
    figure,
    method_name,
    model_name,
)
from longway.show.prove_tables import Cell, RunRow, ScoreTable, interval_of, version_entries

MAX_TESTS, MAX_RUNS, MAX_PAIRS = 4, 8, 40
MAX_AXES, MAX_REASONS = 3, 4
MAX_EXAMPLES, EXAMPLES_AT_ONCE = 16, 6


@dataclass(frozen=True, slots=True)
class PerturbedTest:
    """One test set: what was perturbed of it, and the figures. stayed: why the other rows are as they were; table: of all rows and by axis."""

    test: str
    perturbed: str
    share: str
    stayed: str
    file: str
    table: ScoreTable
    n_more_runs: int


@dataclass(frozen=True, slots=True)
class PairRow:
    """The fairscore of rows with one change; figures: (version, value, interval)."""

    change: str
    model: str
    method: str
    test: str
    rows: str
    figures: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Text:
    """One field of a row, before and after, in pieces."""

    field: str
    before: list[Piece]
    after: list[Piece]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the models trained on a version say; now: None where they say the same."""

    data: str
    was: Label
    now: Label | None
    trainings: str


@dataclass(frozen=True, slots=True)
class Flip:
    """A row whose answer changes with the person."""

    id: str
    test: str
    label: Label
    change: str
    texts: list[Text]
    answers: list[Answer]


@dataclass(frozen=True, slots=True)
class FairscoreView:
    """The section of the page."""

    tests: Listing[PerturbedTest]
    pairs: Listing[PairRow]
    flips: Listing[Flip]


def fairscore_view(
    part: Row | None, proof: Proof, labels: Mapping[str, Label], versions: Sequence[str]
) -> FairscoreView | None:
    """What the page shows of it; None where it was not asked for. versions: those that have a column."""
    if part is None:
        return None
    return FairscoreView(
        listing(part["tests"], lambda row: _test(row, proof), limit=MAX_TESTS),
        listing(_pairs(part["pairs"], versions), lambda one: one, limit=MAX_PAIRS),
        listing(
            part["examples"], lambda row: _flip(row, labels), limit=MAX_EXAMPLES, at_once=EXAMPLES_AT_ONCE
        ),
    )


def _test(row: Row, proof: Proof) -> PerturbedTest:
    reasons = list(row["stayed"].items())
    stayed = [f"{count(n)}: {cut(reason, PATTERN_LIMIT)}" for reason, n in reasons[:MAX_REASONS]]
    stayed += [f"{count(sum(n for _, n in rest))}: other reasons"] if (rest := reasons[MAX_REASONS:]) else []
    measured = {place[1:3] for place in proof.figures if place[3:] == (row["test"], FAIRSCORE)}
    runs = [run for run in proof.runs if run in measured]
    return PerturbedTest(
        cut(row["test"], NAME_LIMIT),
        f"{count(row['perturbed'])} of {counted(row['rows'], 'row')}",
        percent(row["perturbed"] / row["rows"]) if row["rows"] else NONE,
        "; ".join(stayed),
        cut(row["file"], PATTERN_LIMIT) if row.get("file") else "",
        _table(row, proof, runs[:MAX_RUNS]),
        max(len(runs) - MAX_RUNS, 0),
    )


def _table(row: Row, proof: Proof, runs: Sequence[Run]) -> ScoreTable:
    """A row for each run, a column for each axis, and one for all perturbed rows where there are several."""
    parts = {f"{FAIRSCORE}:{axis}": (axis, n) for axis, n in list(row["axes"].items())[:MAX_AXES]}
    if len(row["axes"]) > 1:
        parts = {FAIRSCORE: ("all", row["perturbed"]), **parts}
    columns = {
        f"{cut(name, NAME_LIMIT)}, {counted(n, 'row')}": version_entries(proof, metric)
        for metric, (name, n) in parts.items()
    }
    return ScoreTable(
        list(columns),
        [
            RunRow(
                model_name(run[0]),
                method_name(run[1]),
                [Cell(name, entries(run, row["test"])) for name, entries in columns.items()],
            )
            for run in runs
        ],
    )


def _change(row: Row) -> str:
    axis, source, target = (cut(row[name], NAME_LIMIT) for name in ("axis", "source", "target"))
    return f"{axis}: {source} → {target}"


def _pairs(rows: Sequence[Row], versions: Sequence[str]) -> list[PairRow]:
    """A row for each change of each run and test, the versions side by side; those with most rows first."""
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        place = tuple(row[name] for name in ("model", "method", "test", "axis", "source", "target"))
        found.setdefault(place, {})[row["data"]] = row
    made = sorted(found.items(), key=lambda item: -max(row["rows"] for row in item[1].values()))
    return [
        PairRow(
            _change(next(iter(by.values()))),
            model_name(model),
            method_name(method),
            cut(test, NAME_LIMIT),
            count(max(row["rows"] for row in by.values())),
            [_pair_figure(by.get(version, {}), version) for version in versions],
        )
        for (model, method, test, *_), by in made
    ]


def _pair_figure(row: Row, version: str) -> tuple[str, str, str]:
    return cut(version, NAME_LIMIT), figure(row.get("mean"), FAIRSCORE), interval_of(row, FAIRSCORE)


def _flip(row: Row, labels: Mapping[str, Label]) -> Flip:
    return Flip(
        cut(row["id"], NAME_LIMIT),
        cut(row["test"], NAME_LIMIT),
        label_named(row["label"], labels),
        _change(row),
        [_text(one) for one in row["texts"]],
        [_answer(side, labels) for side in row["sides"]],
    )


def _text(one: Row) -> Text:
    before, after = side_by_side(*(harmless(one[when][:COMPARE_LIMIT]) for when in ("before", "after")))
    return Text(cut(one["field"], NAME_LIMIT), before, after)


def _answer(side: Row, labels: Mapping[str, Label]) -> Answer:
    was, now = side["answer"], side["perturbed_answer"]
    return Answer(
        cut(side["data"], NAME_LIMIT),
        label_named(was, labels),
        label_named(now, labels) if now != was else None,
        f"in {count(side['differ'])} of {counted(side['of'], 'training')}",
    )
