"""The versions of the data side by side: leak, likeness, telling words, diversity, and what they are.

results.json "leaks"                      ->  leak_figures()   a chart per part of the input
"terms", "apart", "bleu_to_tests",
"diversity", "versions", "tests"          ->  versions_view()  a chart of counts (RAZOR Fig. 3), tables
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from longway.records import Leak
from longway.show.charts import leak_chart
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, cut
from longway.show.labels import Listing, listing
from longway.show.numbers import NONE, count, or_dash, percent, three_digits
from longway.show.prove_charts import CountRow, count_chart
from longway.show.prove_results import Row

MAX_LABELS_TOLD = 8
MAX_TERMS = 20
MAX_ROWS = 12  # of a table


@dataclass(frozen=True, slots=True)
class LeakFigure:
    """The leak from one part of the input, a bar for each version; whole: from all of it, which may well tell."""

    name: str
    whole: bool
    leaks: dict[str, Leak]
    chart: Markup


@dataclass(frozen=True, slots=True)
class ApartRow:
    """How far one version is from another; figures: (name, value)."""

    version: str
    against: str
    figures: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A row of figures, one a column."""

    name: str
    values: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A version or a test set: where it comes from and how large it is."""

    name: str
    source: str
    rows: str
    labels: str
    note: str


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions side by side; the charts of words are two halves of one list."""

    apart: Listing[ApartRow]
    bleu: Listing[NamedRow]
    terms: list[Markup]
    n_more_terms: int
    diversity: Listing[NamedRow]
    versions: Listing[SourceRow]
    tests: Listing[SourceRow]


def versions_view(results: Row, colours: Mapping[str, str]) -> Versions:
    """All but the leak; colours: those of the versions, by name."""
    names = list(colours)
    terms = results["terms"][:MAX_TERMS]
    full = max((value or 0 for row in terms for value in row["counts"].values()), default=0)
    half = (len(terms) + 1) // 2
    halves = [part for part in (terms[:half], terms[half:]) if part]
    return Versions(
        apart=listing(results["apart"], _apart_row, limit=MAX_ROWS),
        bleu=listing(_bleu_rows(results["bleu_to_tests"], names), _as_it_is, limit=MAX_ROWS),
        terms=[_term_chart(part, colours, full=full, at=at) for at, part in enumerate(halves)],
        n_more_terms=len(results["terms"]) - len(terms),
        diversity=listing(_diversity_rows(results["diversity"], names), _as_it_is, limit=MAX_ROWS),
        versions=listing(results["versions"], _version_row, limit=MAX_ROWS),
        tests=listing(results["tests"], _tested_row, limit=MAX_ROWS),
    )


def leak_figures(leaks: Sequence[Row], versions: Sequence[str]) -> list[LeakFigure]:
    """A chart for each part of the input whose leak was measured, with the versions in order."""
    found: dict[tuple[str, str], dict[str, Leak]] = {}
    for row in leaks:
        if row.get("accuracy") is not None and row["data"] in versions:
            found.setdefault((row["part"], row["name"]), {})[row["data"]] = _leak(row)
    return [
        _leak_figure(name, by, versions, whole=part == "both", at=at)
        for at, ((part, name), by) in enumerate(found.items())
    ]


def risen_leaks(figures: Sequence[LeakFigure], versions: Sequence[str]) -> list[str]:
    """A sentence for each leak that is higher than in the first version."""
    told = []
    for one in figures:
        if one.whole:
            continue
        before = one.leaks.get(versions[0])
        for version in versions[1:]:
            after = one.leaks.get(version)
            if before and after and after.accuracy > before.accuracy:
                luck = "" if before.differs_from(after) else " The intervals allow for luck."
                rise = f"{percent(before.accuracy)} to {percent(after.accuracy)}"
                told.append(
                    f"The leak from {one.name} rises from {rise} in {cut(version, NAME_LIMIT)}.{luck}"
                )
    return told


def _term_chart(rows: Sequence[Row], versions: Mapping[str, str], *, full: float, at: int) -> Markup:
    """Bars of how often each word stands in the texts of each version; full: the longest bar's count."""
    drawn = [_count_row(row, versions) for row in rows]
    desc = "; ".join(f"{cut(row.name, NAME_LIMIT)}: {row.told}" for row in drawn)
    title = f"How often each word occurs: {', '.join(cut(name, NAME_LIMIT) for name in versions)}"
    return count_chart(drawn, key=f"terms-{at}", title=title, desc=desc, full=full)


def _apart_row(row: Row) -> ApartRow:
    """A row of the table of how far versions are apart."""
    figures = [
        ("Rows", or_dash(row["rows"], _whole)),
        ("Changed", or_dash(row["changed"], percent)),
        ("BLEU", or_dash(row["bleu"], _one_digit)),
        ("ROUGE-1", or_dash(row["rouge1"], _two_digits)),
        ("ROUGE-2", or_dash(row["rouge2"], _two_digits)),
        ("ROUGE-L", or_dash(row["rougeL"], _two_digits)),
        ("Words changed", or_dash(row["words_changed"], _one_digit)),
        ("Edit distance", or_dash(row["edit_distance"], three_digits)),
        ("Embedding distance", or_dash(row["embedding_distance"], three_digits)),
    ]
    return ApartRow(cut(row["data"], NAME_LIMIT), cut(row["against"], NAME_LIMIT), figures)


def _bleu_rows(rows: Sequence[Row], versions: Sequence[str]) -> list[NamedRow]:
    """BLEU of each test set against each version, a row a test set."""
    found: dict[str, dict[str, float | None]] = {}
    for row in rows:
        found.setdefault(row["test"], {})[row["data"]] = row["bleu"]
    return [
        NamedRow(cut(test, NAME_LIMIT), [(cut(v, NAME_LIMIT), or_dash(by.get(v), _one_digit)) for v in versions])
        for test, by in found.items()
    ]  # fmt: skip


def _diversity_rows(rows: Sequence[Row], versions: Sequence[str]) -> list[NamedRow]:
    """The share of variance in the first so many principal components, a row a number of them."""
    found: dict[int, dict[str, float | None]] = {}
    for row in rows:
        found.setdefault(row["components"], {})[row["data"]] = row["share"]
    return [
        NamedRow(f"first {count(n)}", [(cut(v, NAME_LIMIT), or_dash(by.get(v), percent)) for v in versions])
        for n, by in found.items()
    ]


def _version_row(row: Row) -> SourceRow:
    """A version of the data."""
    note = cut(str(row.get("fingerprint") or NONE), 24)
    return SourceRow(cut(row["name"], NAME_LIMIT), _source(row), count(row["rows"]), _labels(row), note)


def _tested_row(row: Row) -> SourceRow:
    """A test set."""
    notes = [f"commonest label {or_dash(row.get('majority'), percent)}"]
    if row.get("left_out"):
        notes.append(f"{count(row['left_out'])} left out")
    return SourceRow(
        cut(row["name"], NAME_LIMIT), _source(row), count(row["rows"]), _labels(row), ", ".join(notes)
    )


def _leak(row: Row) -> Leak:
    accuracy = row["accuracy"]
    low, high = row.get("low"), row.get("high")
    return Leak(
        part=row["part"],
        columns=(row["data"],),  # the name of its bar
        accuracy=accuracy,
        low=accuracy if low is None else low,
        high=accuracy if high is None else high,
        majority=row["majority"] or 0.0,
        how="",
        rows=0,
    )


def _leak_figure(
    name: str, leaks: dict[str, Leak], versions: Sequence[str], *, whole: bool, at: int
) -> LeakFigure:
    bars = [leaks[version] for version in versions if version in leaks]
    shown = cut(name, NAME_LIMIT)
    told = [f"{cut(bar.columns[0], NAME_LIMIT)} {percent(bar.accuracy)}" for bar in bars]
    chart = leak_chart(
        bars,
        key=f"leak-{at}",
        majority=bars[0].majority,
        title=f"Accuracy of a bag of words from {shown}, by version",
        desc=f"{'; '.join(told)}; chance {percent(bars[0].majority)}",
    )
    return LeakFigure(shown, whole, leaks, chart)


def _count_row(row: Row, versions: Mapping[str, str]) -> CountRow:
    counts = [(colour, float(row["counts"].get(name) or 0)) for name, colour in versions.items()]
    told = [or_dash(row["counts"].get(name), _whole) for name in versions]
    return CountRow(cut(str(row["term"]), PATTERN_LIMIT), " → ".join(told[:2]), ", ".join(told), counts)


def _source(row: Row) -> str:
    return cut(str(row.get("source") or NONE), PATTERN_LIMIT)


def _labels(row: Row) -> str:
    """ "REFUTES 3,333, SUPPORTS 3,333", the largest first."""
    ordered = sorted((row.get("labels") or {}).items(), key=lambda item: (-item[1], item[0]))
    told = [f"{cut(name, NAME_LIMIT)} {count(n)}" for name, n in ordered[:MAX_LABELS_TOLD]]
    n_more = len(ordered) - len(told)
    return ", ".join([*told, f"{count(n_more)} more"] if n_more else told) or NONE


def _as_it_is(row: NamedRow) -> NamedRow:
    return row


def _whole(number: float) -> str:
    return count(int(number))


def _one_digit(value: float) -> str:
    return f"{value:.1f}"


def _two_digits(value: float) -> str:
    return f"{value:.2f}"
