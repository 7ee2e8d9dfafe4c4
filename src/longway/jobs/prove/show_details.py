"""Sections of a proof about its data: leak, distances between the versions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from longway.errors import install_command
from longway.jobs.prove import result as proof
from longway.jobs.prove.wording import name
from longway.records import Leak
from longway.show.charts import leak_chart
from longway.show.excerpts import PATTERN_LIMIT, cut
from longway.show.labels import Labels, labels_of
from longway.show.numbers import NONE, count, or_dash, percent, three_digits
from longway.show.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Block,
    Blocks,
    Bullet,
    Bullets,
    Chart,
    Column,
    Grid,
    Only,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
    left_out,
)

MAX_VERSIONS = 6
MAX_LEAKS = 6
MAX_LISTED = 8  # labels in a cell
MAX_ROWS = 12  # of a table

Item = TypeVar("Item")
Same = TypeVar("Same", bound=Hashable)
Source = TypeVar("Source", proof.VersionSummary, proof.TestSummary)


@dataclass(frozen=True, slots=True)
class Shown:
    """A result with what its sections have in common.

    versions: those on the page; colours: their classes. pair: the first two, "" for a missing second. runs: all models and methods.
    figures: by version, model, method, test and metric. compared: comparisons with the first version, by version, run, test and
    metric. leaks: by part and columns, then by version.
    """

    result: proof.ProveResult
    versions: list[str]
    colours: Mapping[str, str]
    pair: tuple[str, str]
    tests: list[str]
    runs: list[proof.Run]
    labels: Labels
    figures: Mapping[tuple[str, str, str, str, str], proof.Figure]
    compared: Mapping[tuple[str, proof.Run, str, str], proof.Comparison]
    leaks: Mapping[tuple[str, str], Mapping[str, proof.VersionLeak]]

    @classmethod
    def of(cls, result: proof.ProveResult) -> Shown:
        """What the sections of this result have in common."""
        versions = [one.name for one in result.versions[:MAX_VERSIONS]]
        compared = [
            one for one in result.comparisons if one.against == versions[0] and not one.against_method
        ]
        leaks = [one for one in result.leaks if one.accuracy is not None and one.data in versions]
        parts = grouped(leaks, lambda one: (one.part, one.name))
        return cls(
            result=result,
            versions=versions,
            colours={data: f"v{at}" for at, data in enumerate(versions)},
            pair=(versions[0], versions[1] if len(versions) > 1 else ""),
            tests=[one.name for one in result.tests],
            runs=list(dict.fromkeys(row.run for row in result.rows)),
            labels=labels_of(result.versions[0].labels),
            figures={(row.data, *row.run, row.test, row.metric): row for row in result.rows},
            compared={(one.data, one.run, one.test, one.metric): one for one in compared},
            leaks={key: {one.data: one for one in each} for key, each in parts.items()},
        )

    @property
    def legend(self) -> Bullets:
        """The versions with their colours."""
        return legend([(name(data), colour, "bar") for data, colour in self.colours.items()])

    def mean(self, data: str, run: proof.Run, test: str, metric: str) -> float | None:
        """A figure; None if it was not measured or is not defined."""
        row = self.figures.get((data, *run, test, metric))
        return None if row is None else row.mean

    def table(
        self,
        first: str,
        rows: Sequence[tuple[Words, Mapping[str, Words]]],
        style: str = "",
        *,
        limit: int = MAX_ROWS,
    ) -> Blocks:
        """A table with a column per version. rows: the heading of each row, and its cells by version."""
        columns = [Column(first), *(Column(name(data), number=True) for data in self.versions)]
        cells = [
            Row([heading, *(by.get(data, NONE) for data in self.versions)]) for heading, by in rows[:limit]
        ]
        return [Table(columns, cells, f"figures-only {style}"), *more(rows, limit, "rows")] if rows else []


def grouped(items: Iterable[Item], key: Callable[[Item], Same]) -> dict[Same, list[Item]]:
    """The items with the same key together, in order."""
    found: dict[Same, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def more(items: Sequence[object], limit: int, what: str) -> Sequence[Block]:
    """The line that counts the items beyond the limit."""
    return left_out(max(len(items) - limit, 0), f"{what} are", proof.FILE)


def nothing(text: str) -> Paragraph:
    """What a section says if it has nothing to show."""
    return Paragraph(text, "nothing")


def legend(items: Iterable[tuple[str, str, str]]) -> Bullets:
    """A legend of (name, colour, shape)."""
    keys = [
        Bullet([Span("", f"key {shape}"), Span(text, "data")], colour=colour) for text, colour, shape in items
    ]
    return Bullets(keys, "legend")


# Leak


def leak_section(shown: Shown) -> Section:
    """How well a bag of words predicts the label from parts of the input."""
    lead = (
        "How often a bag of words predicts the right label from one part of the input. The dashed line is the accuracy of always predicting "
        "the most frequent label; the whisker is the 95% interval."
    )
    figures, rows = [], []
    for at, ((part, columns), by) in enumerate(shown.leaks.items()):
        bars = [_bar(by[data]) for data in shown.versions if data in by]
        title = f"Accuracy of a bag of words from {name(columns)}, by version"
        words = [f"{name(bar.columns[0])} {percent(bar.accuracy)}" for bar in bars]
        desc = "; ".join([*words, f"chance {percent(bars[0].majority)}"])
        svg = leak_chart(bars, key=f"leak-{at}", majority=bars[0].majority, title=title, desc=desc)
        figures.append(Chart(svg, f"{name(columns)} {'together' if part == 'both' else 'alone'}"))
        rows.append((name(columns), {data: or_dash(one.accuracy, percent) for data, one in by.items()}))
    report = Only(
        REPORT, [Paragraph(lead, "lead"), Grid(figures[:MAX_LEAKS]), *more(figures, MAX_LEAKS, "leaks")]
    )
    screen = Only(SCREEN, shown.table("Right from", rows, limit=MAX_LEAKS))
    blocks = [report, screen] if figures else [nothing("The leak was not measured.")]
    return Section("leak", "Leak before and after", blocks, on=REPORT_AND_SCREEN)


def leak_changes(shown: Shown) -> list[str]:
    """A sentence for each leak that is higher than in the first version."""
    sentences = []
    for (part, columns), by in shown.leaks.items():
        old, *others = [_bar(by[data]) if data in by else None for data in shown.versions]
        for new in others:
            if part != "both" and old and new and new.accuracy > old.accuracy:
                rise = f"from {percent(old.accuracy)} to {percent(new.accuracy)} in {name(new.columns[0])}"
                chance = " The intervals overlap: it may be chance." if new.low <= old.high else ""
                sentences.append(f"The leak from {name(columns)} rises {rise}.{chance}")
    return sentences


def _bar(leak: proof.VersionLeak) -> Leak:
    """The leak under the name of its version, as charts show it."""
    accuracy = leak.accuracy or 0.0
    low, high = (accuracy if end is None else end for end in (leak.low, leak.high))
    return Leak(leak.part, (leak.data,), accuracy, low, high, leak.majority or 0.0, "", 0)


# Distances between the versions

DISTANCES: dict[str, Callable[[proof.Distance], str]] = {
    "Rows": lambda one: count(one.rows),
    "Changed": lambda one: or_dash(one.changed, percent),
    "BLEU": lambda one: or_dash(one.bleu, "{:.1f}".format),
    "ROUGE-1": lambda one: or_dash(one.rouge1, "{:.2f}".format),
    "ROUGE-2": lambda one: or_dash(one.rouge2, "{:.2f}".format),
    "ROUGE-L": lambda one: or_dash(one.rougeL, "{:.2f}".format),
    "Words changed": lambda one: or_dash(one.words_changed, "{:.1f}".format),
    "Edit distance": lambda one: or_dash(one.edit_distance, three_digits),
    "Embedding distance": lambda one: or_dash(one.embedding_distance, three_digits),
}


def distance_section(shown: Shown) -> Section:
    """How much the versions differ from each other."""
    result = shown.result
    columns = [Column("Version"), *(Column(title, number=True) for title in DISTANCES)]
    rows = [
        Row(
            [
                [name(one.data), " ", Span(f"from {name(one.against)}", "where")],
                *(of(one) for of in DISTANCES.values()),
            ]
        )
        for one in result.apart[:MAX_ROWS]
    ]
    far = Table(columns, rows, "figures-only far")
    blocks: Blocks = [far, *more(result.apart, MAX_ROWS, "rows")] if rows else [nothing("Not measured.")]
    if any(one.bleu is None for one in result.apart):
        blocks.append(
            Paragraph(f"BLEU, ROUGE and edit distance were not measured: {install_command('prove')}", "rest")
        )
    return Section("apart", "How much the versions differ", blocks)


# What was trained and tested on


def data_section(result: proof.ProveResult) -> Section:
    """The versions and the test sets."""
    versions = _sources(
        "Version", result.versions, "Fingerprint", lambda one: cut(one.fingerprint or NONE, 24)
    )
    return Section(
        "data",
        "What was trained and tested on",
        [*versions, *_sources("Test set", result.tests, "Notes", _test_note)],
    )


def _sources(first: str, rows: Sequence[Source], last: str, note: Callable[[Source], str]) -> Blocks:
    cells = []
    for one in rows[:MAX_ROWS]:
        ordered = sorted(one.labels.items(), key=lambda item: (-item[1], item[0]))
        labels = [f"{name(label)} {count(n)}" for label, n in ordered[:MAX_LISTED]]
        labels += [f"{count(len(ordered) - MAX_LISTED)} more"] if len(ordered) > MAX_LISTED else []
        heading: Words = [
            Span(name(one.name), "pattern"),
            " ",
            Span(cut(one.source or NONE, PATTERN_LIMIT), "where"),
        ]
        cells.append(Row([heading, count(one.rows), ", ".join(labels) or NONE, note(one)]))
    columns = [Column(first), Column("Rows", number=True), Column("Labels"), Column(last)]
    return [Table(columns, cells, "figures-only sources"), *more(rows, MAX_ROWS, f"{first.lower()}s")]


def _test_note(test: proof.TestSummary) -> str:
    dropped = f", {count(test.left_out)} left out" if test.left_out else ""
    return f"most frequent label {or_dash(test.majority, percent)}{dropped}"
