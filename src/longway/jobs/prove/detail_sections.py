"""Sections of a proof about its data: leak, distances between the versions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from longway.errors import install_command
from longway.jobs.prove import result as proof
from longway.jobs.prove.wording import change, change_interval, figure, mark, name
from longway.records import Leak
from longway.report.charts import leak_chart
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.labels import Labels, labels_of
from longway.report.numbers import NONE, count, few, or_dash, percent, three_digits
from longway.report.sections import (
    Block,
    Blocks,
    Bullet,
    Bullets,
    Chart,
    Column,
    Grid,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
    left_out,
    nothing,
    table_of,
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

    def changes(self, test: str, metrics: Sequence[str]) -> list[proof.Comparison]:
        """Each model on a test set, trained on the other versions and compared with the first; without a verdict if that was impossible."""
        first, found = self.versions[0], []
        for run, metric, data in product(self.runs, metrics, self.versions[1:] or self.versions):
            one = self.compared.get((data, run, test, metric))
            after = self.mean(data, run, test, metric)
            if one is None and after is not None:
                before, after = self.mean(first, run, test, metric), None if data == first else after
                one = proof.Comparison(
                    data, *run, test, metric, first, difference=None, low=None, high=None, p=None, q=None, verdict="", before=before, after=after
                )  # fmt: skip
            found += [one] if one else []
        return found

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
    return left_out(len(items) - limit, what, proof.FILE)


def legend(items: Iterable[tuple[str, str, str]]) -> Bullets:
    """A legend of (name, colour, shape)."""
    keys = []
    for text, colour, shape in items:
        keys.append(Bullet([Span("", f"key {shape}"), Span(text, "data")], colour=colour))
    return Bullets(keys, "legend")


def comparison_columns(before: str, after: str) -> list[Column]:
    """Both figures of a comparison, the difference with its interval, and the verdict. before, after: headings."""
    return [
        Column(before, _before, number=True),
        Column(after, _after, number=True),
        Column("Difference", difference_words, number=True),
        Column("Verdict", "verdict", form=mark),
    ]


def _before(one: proof.Comparison) -> str:
    return figure(one.before, one.metric)


def _after(one: proof.Comparison) -> Span:
    return Span(figure(one.after, one.metric), "strong")


def difference_words(one: proof.Comparison) -> Words:
    """The difference with its interval."""
    interval = change_interval(one)
    return [change(one.difference, one.metric), Span(f" ({interval})" if interval else "", "quiet")]


def leak_section(shown: Shown) -> Section:
    """How well a bag of words predicts the label from parts of the input."""
    lead = (
        "How often a bag of words predicts the right label from one part of the input. The dashed line is the accuracy of always predicting "
        "the most frequent label; the whisker is the 95% interval."
    )
    charts = []
    for at, ((part, columns), by) in enumerate(shown.leaks.items()):
        bars = [_bar(by[data]) for data in shown.versions if data in by]
        words = [f"{name(bar.columns[0])} {percent(bar.accuracy)}" for bar in bars]
        majority = bars[0].majority
        svg = leak_chart(
            bars,
            key=f"leak-{at}",
            majority=majority,
            title=f"Accuracy of a bag of words from {name(columns)}, by version",
            desc="; ".join([*words, f"chance {percent(majority)}"]),
        )
        charts.append(Chart(svg, f"{name(columns)} {'together' if part == 'both' else 'alone'}"))
    blocks = [Paragraph(lead, "lead"), Grid(charts[:MAX_LEAKS]), *more(charts, MAX_LEAKS, "leaks")]
    return Section(
        "leak", "Leak before and after", blocks if charts else [nothing("The leak was not measured.")]
    )


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


def distance_section(shown: Shown) -> Section:
    """How much the versions differ from each other."""
    distances = shown.result.apart
    table = table_of(distances, DISTANCES, "figures-only far", limit=MAX_ROWS, what="rows", file=proof.FILE)
    blocks = table or [nothing("Not measured.")]
    if any(one.bleu is None for one in distances):
        text = f"BLEU, ROUGE and edit distance were not measured: {install_command('prove')}"
        blocks.append(Paragraph(text, "rest"))
    return Section("apart", "How much the versions differ", blocks)


def _versions_apart(one: proof.Distance) -> list[str | Span]:
    return [name(one.data), " ", Span(f"from {name(one.against)}", "where")]


DISTANCES = [
    Column("Version", _versions_apart),
    Column("Rows", "rows", number=True),
    Column("Changed", "changed", percent, number=True),
    Column("BLEU", "bleu", "{:.1f}".format, number=True),
    Column("ROUGE-1", "rouge1", "{:.2f}".format, number=True),
    Column("ROUGE-2", "rouge2", "{:.2f}".format, number=True),
    Column("ROUGE-L", "rougeL", "{:.2f}".format, number=True),
    Column("Words changed", "words_changed", "{:.1f}".format, number=True),
    Column("Edit distance", "edit_distance", three_digits, number=True),
    Column("Embedding distance", "embedding_distance", three_digits, number=True),
]


def data_section(result: proof.ProveResult) -> Section:
    """The versions and the test sets."""
    fingerprint = Column("Fingerprint", lambda one: cut(one.fingerprint or NONE, 24))
    versions = _sources("Version", result.versions, fingerprint)
    tests = _sources("Test set", result.tests, Column("Notes", _test_note))
    return Section("data", "What was trained and tested on", [*versions, *tests])


def _sources(first: str, rows: Sequence[Source], last: Column) -> Blocks:
    columns = [
        Column(first, _source_name),
        Column("Rows", "rows", number=True),
        Column("Labels", "labels", _label_counts),
        last,
    ]
    what = f"{first.lower()}s"
    return table_of(rows, columns, "figures-only sources", limit=MAX_ROWS, what=what, file=proof.FILE)


def _source_name(one: Source) -> list[str | Span]:
    return [Span(name(one.name), "pattern"), " ", Span(cut(one.source or NONE, PATTERN_LIMIT), "where")]


def _label_counts(labels: Mapping[str, int]) -> str:
    ordered = sorted(labels.items(), key=lambda item: (-item[1], item[0]))
    return few([f"{name(label)} {count(n)}" for label, n in ordered], MAX_LISTED)


def _test_note(test: proof.TestSummary) -> str:
    dropped = f", {count(test.left_out)} left out" if test.left_out else ""
    return f"most frequent label {or_dash(test.majority, percent)}{dropped}"
