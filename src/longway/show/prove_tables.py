"""The main table of a proof: accuracy before and after, and each method against plain training.

    Proof  ->  score_tables()   a row per model and method, a column per test set, before -> after in each cell
           ->  method_tables()  the same for a method against plain training on the same data

A difference carries a sign and a word, never a colour alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.prove_results import (
    BETTER,
    MAIN,
    UNCLEAR,
    WORSE,
    Comparison,
    Proof,
    Row,
    Run,
    change,
    change_interval,
    figure,
    method_name,
    model_name,
)

COLUMNS = 4  # test sets side by side
MAX_TESTS = 12
MAX_VERSIONS = 6
MAX_ENTRIES = 300  # figures of a kind of table: many runs on few tests, or few on many
SIGNS = {BETTER: "▲", WORSE: "▼", UNCLEAR: "≈"}
CLASSES = {BETTER: "better", WORSE: "worse"}


@dataclass(frozen=True, slots=True)
class Mark:
    """What the test says of a difference: a sign, a word, a class for the colour."""

    sign: str
    word: str
    kind: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a cell: two figures and what lies between; version: empty where there is only one to name."""

    version: str
    before: str
    after: str
    mark: Mark | None
    change: str
    interval: str


@dataclass(frozen=True, slots=True)
class Cell:
    """What came out on one test set."""

    test: str
    entries: list[Entry]


@dataclass(frozen=True, slots=True)
class RunRow:
    """A model and a method with a cell for each test set of the table."""

    model: str
    method: str
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Up to COLUMNS test sets side by side."""

    tests: list[str]
    rows: list[RunRow]


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """All tables of a kind, and how much is in results.json only."""

    tables: list[ScoreTable]
    n_more_runs: int
    n_more_tests: int


def mark_of(verdict: str) -> Mark | None:
    """The mark of a verdict; None where nothing was tested.

    >>> mark_of("worse")
    Mark(sign='▼', word='worse', kind='worse')
    """
    if verdict not in SIGNS:
        return None
    return Mark(SIGNS[verdict], verdict, CLASSES.get(verdict, "unclear"))


def score_tables(proof: Proof) -> ScoreTables:
    """Accuracy of every run on every test set, each later version against the first."""
    entries = version_entries(proof)

    def row(run: Run, tests: Sequence[str]) -> RunRow:
        return _run_row(run, method_name(run[1]), tests, entries)

    return _tables(proof.runs, proof.tests, row, a_cell=max(len(proof.versions[1:MAX_VERSIONS]), 1))


def version_entries(proof: Proof, metric: str = MAIN) -> Callable[[Run, str], list[Entry]]:
    """What tells the figures of a run on a test set, a line for each version after the first."""
    others = proof.versions[1:MAX_VERSIONS]
    found = {
        (one.data, one.run, one.test): one
        for one in proof.comparisons
        if one.against == proof.first and one.metric == metric and not one.of_methods
    }

    def entries(run: Run, test: str) -> list[Entry]:
        made = [
            _version_entry(proof, found.get((data, run, test)), (data, run, test, metric), len(others) > 1)
            for data in others
        ]
        return [one for one in made if one] or _alone(proof, run, test, metric)

    return entries


def method_tables(proof: Proof) -> ScoreTables:
    """Accuracy of every method against another on the same data, as the comparisons name them."""
    kept = [one for one in proof.comparisons if one.of_methods and one.metric == MAIN]
    found = {(one.data, one.run, one.against_method, one.test): one for one in kept}
    rows = list(dict.fromkeys((one.data, one.run, one.against_method) for one in kept))
    tests = [test for test in proof.tests if any(one.test == test for one in kept)]

    def row(place: tuple[str, Run, str], shown: Sequence[str]) -> RunRow:
        data, run, other = place
        where = f"{method_name(run[1])} against {method_name(other)}, trained on {cut(data, NAME_LIMIT)}"

        def entries(run: Run, test: str) -> list[Entry]:
            one = found.get((data, run, other, test))
            return [_entry("", one)] if one else []

        return _run_row(run, where, shown, entries)

    return _tables(rows, tests, row, a_cell=1)


def _tables(
    keys: Sequence[Run] | Sequence[tuple[str, Run, str]],
    tests: Sequence[str],
    row: Callable[..., RunRow],
    *,
    a_cell: int,
) -> ScoreTables:
    """The rows in tables of COLUMNS test sets; a_cell: how many entries one cell may have."""
    shown_tests = tests[:MAX_TESTS]
    limit = max(MAX_ENTRIES // (a_cell * max(len(shown_tests), 1)), 1)
    tables = []
    for start in range(0, len(shown_tests), COLUMNS):
        part = shown_tests[start : start + COLUMNS]
        rows = [row(key, part) for key in keys[:limit]]
        tables.append(ScoreTable([cut(test, NAME_LIMIT) for test in part], rows))
    return ScoreTables(tables, max(len(keys) - limit, 0), len(tests) - len(shown_tests))


def _run_row(
    run: Run, where: str, tests: Sequence[str], entries: Callable[[Run, str], list[Entry]]
) -> RunRow:
    cells = [Cell(cut(test, NAME_LIMIT), entries(run, test)) for test in tests]
    return RunRow(model_name(run[0]), where, cells)


def _version_entry(
    proof: Proof, one: Comparison | None, place: tuple[str, Run, str, str], is_named: bool
) -> Entry | None:
    """The line of one version; figures that were not compared stand without a mark."""
    data, run, test, metric = place
    version = cut(data, NAME_LIMIT) if is_named else ""
    if one is not None:
        return _entry(version, one)
    before, after = (proof.mean(which, run, test, metric) for which in (proof.first, data))
    if after is None:
        return None
    return Entry(version, figure(before, metric), figure(after, metric), None, "", "")


def _alone(proof: Proof, run: Run, test: str, metric: str) -> list[Entry]:
    """Where nothing came after, the first version's figure with its interval."""
    row = proof.figures.get((proof.first, *run, test, metric))
    return [Entry("", "", figure(row["mean"], metric), None, "", interval_of(row, metric))] if row else []


def _entry(version: str, one: Comparison) -> Entry:
    return Entry(
        version,
        figure(one.before, one.metric),
        figure(one.after, one.metric),
        mark_of(one.verdict),
        change(one.difference, one.metric),
        change_interval(one),
    )


def interval_of(row: Row, metric: str) -> str:
    """The interval of a figure; empty where there is none."""
    low, high = row.get("low"), row.get("high")
    return "" if low is None or high is None else f"{figure(low, metric)} to {figure(high, metric)}"
