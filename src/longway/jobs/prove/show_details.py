"""Sections of a proof about its data and its training: leak, distances between the versions, learning curves, logits, data maps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean
from typing import TypeGuard, TypeVar

from markupsafe import Markup

from longway.errors import install_command
from longway.jobs.prove import charts
from longway.jobs.prove import result as proof
from longway.jobs.prove.wording import method_name, model_name, name
from longway.records import Leak
from longway.show.charts import leak_chart
from longway.show.excerpts import PATTERN_LIMIT, cut
from longway.show.labels import MAX_LABELS, Label, label_named, labels_of
from longway.show.numbers import NONE, arrow, count, or_dash, percent, three_digits
from longway.show.sections import (
    REPORT,
    SCREEN,
    Block,
    Bullet,
    Bullets,
    Chart,
    Column,
    Details,
    Grid,
    Heading,
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
MAX_TERMS = 20
MAX_ROWS = 12  # of a table
MAX_LINES = 20  # in one chart of learning curves
MAX_PANELS = 4  # versions side by side
MAX_CURVES = 9
MAX_FIGURES = 5  # runs and test sets with a chart of logits, or a data map
MAX_HARDEST = 10
FLAT = 0.02  # a second component this much smaller than the first gets no axis
GOLDEN = 0.618034  # its multiples modulo 1 are evenly spread
CORRECTNESS = (("mostly right", "l0", "round"), ("sometimes right", "l4", "ring"), ("mostly wrong", "l1", "square"))  # fmt: skip

Item = TypeVar("Item")
Same = TypeVar("Same", bound=Hashable)
Source = TypeVar("Source", proof.VersionSummary, proof.TestSummary)
Pairs = list[tuple[float, float]]


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
    labels: Mapping[str, Label]
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
    ) -> list[Block]:
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
    return Section("leak", "Leak before and after", blocks, on=REPORT | SCREEN)


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
    """How much the versions differ from each other and from the test sets."""
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
    blocks: list[Block] = [far, *more(result.apart, MAX_ROWS, "rows")] if rows else [nothing("Not measured.")]
    if any(one.bleu is None for one in result.apart):
        blocks.append(
            Paragraph(f"BLEU, ROUGE and edit distance were not measured: {install_command('prove')}", "rest")
        )
    blocks += _terms(shown)
    bleu = grouped(result.bleu_to_tests, lambda one: name(one.test))
    by_test = [
        (key, {one.data: or_dash(one.bleu, "{:.1f}".format) for one in same}) for key, same in bleu.items()
    ]
    shares = grouped(result.diversity, lambda one: f"first {count(one.components)}")
    by_n = [(key, {one.data: or_dash(one.share, percent) for one in same}) for key, same in shares.items()]
    near = "Training data that is more similar to a test set is at an advantage there."
    variance = (
        "The share of the variance of the texts’ embeddings in these components: less means more diverse."
    )
    tables = [
        ("BLEU to the test sets", shown.table("Test set", by_test, "named"), near),
        ("Diversity", shown.table("Principal components", by_n, "named"), variance),
    ]
    figures = [
        Chart(Markup(""), title, below=[*table, Paragraph(note, "rest")])
        for title, table, note in tables
        if table
    ]
    blocks += [Grid(figures, "pairs")] if figures else []
    return Section("apart", "How much the versions differ", blocks)


def _terms(shown: Shown) -> list[Block]:
    """How often each word occurs, in two charts side by side."""
    drawn = []
    for term in shown.result.terms[:MAX_TERMS]:
        counts = [(colour, float(term.counts.get(data) or 0)) for data, colour in shown.colours.items()]
        words = [or_dash(term.counts.get(data), "{:,.0f}".format) for data in shown.versions]
        drawn.append(
            charts.CountRow(cut(term.term, PATTERN_LIMIT), " → ".join(words[:2]), ", ".join(words), counts)
        )
    if not drawn:
        return []
    full = max(n for row in drawn for _, n in row.counts)
    half = (len(drawn) + 1) // 2
    figures: list[Block] = []
    for at, part in enumerate(filter(None, (drawn[:half], drawn[half:]))):
        title = f"How often each word occurs: {', '.join(map(name, shown.versions))}"
        desc = "; ".join(f"{name(row.name)}: {row.title}" for row in part)
        figures.append(Chart(charts.count_chart(part, key=f"terms-{at}", title=title, desc=desc, full=full)))
    rest = more(shown.result.terms, MAX_TERMS, "words")
    return [Heading("How often each word occurs"), shown.legend, Grid(figures), *rest]


# Training


def curve_section(shown: Shown) -> list[Section]:
    """Validation accuracy by epoch."""
    runs = grouped(shown.result.curves, lambda one: one.run).values()
    figures = [chart for at, curves in enumerate(runs) if (chart := _curve_chart(shown, curves, at))]
    lead = (
        "Accuracy on the validation rows after each epoch, a line for each seed. If these rows come from the version itself, shortcuts help "
        "on them too, so a higher line does not mean a better model. Each chart has its own scale, written at its ends."
    )
    grid = Grid(figures[:MAX_CURVES], "thirds")
    blocks = [Paragraph(lead, "lead"), shown.legend, grid, *more(figures, MAX_CURVES, "charts")]
    return [Section("curves", "Learning curves", blocks)] if figures else []


def _curve_chart(shown: Shown, curves: Sequence[proof.LearningCurve], at: int) -> Chart | None:
    """The learning curves of one run; None if no validation accuracy is known."""
    lines: dict[str, list[charts.Curve]] = {data: [] for data in shown.versions}
    for curve in curves:
        values = [(float(epoch.number), epoch.validation_accuracy) for epoch in curve.epochs]
        points = [(number, value) for number, value in values if _known(value)]
        if points and curve.data in lines:
            lines[curve.data].append(charts.Curve(shown.colours[curve.data], points))
    last = {data: fmean(line.points[-1][1] for line in some) for data, some in lines.items() if some}
    if not last:
        return None
    model, method = model_name(curves[0].model), method_name(curves[0].method)
    svg = charts.curve_chart(
        [line for some in lines.values() for line in some][:MAX_LINES],
        key=f"curves-{at}",
        title=f"Validation accuracy by epoch: {model}, {method}",
        desc="; ".join(f"{name(data)} reaches {percent(value)}" for data, value in last.items()),
    )
    reached = [percent(value) for value in last.values()][:2]
    words: Words = [
        Span(arrow(*reached) if len(reached) == 2 else reached[0], "strong"),
        Span(" last epoch", "quiet"),
    ]
    return Chart(svg, model, method, above=[Paragraph(words, "reached")])


def logit_section(shown: Shown) -> list[Section]:
    """The logits of each label on two principal components."""
    lead = (
        "The first two principal components of the model’s logits for each test text, by true label. All versions share one space. If one "
        "component holds nearly all variance, as with two labels, each label has a row instead of a second component. The less the labels mix, "
        "the better the model separates them."
    )
    labels = shown.result.labels
    keys = [
        (label_named(one, shown.labels).name, *_look(shown, at)) for at, one in enumerate(labels[:MAX_LABELS])
    ]
    keys += [("other labels", "lx", "round")] if len(labels) > MAX_LABELS else []
    places = list(grouped(shown.result.projections, lambda one: (one.run, one.test)).values())
    panels = [_logit_panels(shown, same, at) for at, same in enumerate(places[:MAX_FIGURES])]
    blocks = [Paragraph(lead, "lead"), legend(keys), *(block for panel in panels for block in panel)]
    rest = more(places, MAX_FIGURES, "models and test sets")
    return [Section("logits", "Where the labels are", [*blocks, *rest])] if panels else []


def _logit_panels(shown: Shown, same: Sequence[proof.Projection], at: int) -> list[Block]:
    """The logits of one run on one test set, all versions on one scale."""
    ordered = [one for data in shown.versions for one in same if one.data == data][:MAX_PANELS]
    (left, right), (low, high) = (
        charts.span(point[i] for one in ordered for point in one.points) for i in (0, 1)
    )
    is_flat = high - low < FLAT * (right - left)
    drawn = [_in_rows(one.points) if is_flat else one.points for one in ordered]
    xs, ys = (charts.span(point[i] for points in drawn for point in points) for i in (0, 1))
    figures: list[Block] = []
    for n, (one, points) in enumerate(zip(ordered, drawn, strict=True)):
        kept = [
            point
            for point in charts.thinned(points, charts.MAX_POINTS)
            if _known(point[0]) and _known(point[1])
        ]
        looks = grouped(kept, lambda point: _look(shown, int(point[2])))
        svg = charts.scatter(
            [charts.Cloud(*look, [point[:2] for point in looks[look]]) for look in sorted(looks)],
            xs=xs, ys=ys, key=f"logits-{at}-{n}",
            title=f"Logits of {model_name(one.model)} trained on {name(one.data)}, by label",
            desc=f"{count(len(one.points))} texts of {name(one.test)}",
            axes=("first component", "a row for each label" if is_flat else "second component"),
        )  # fmt: skip
        explained = " + ".join(or_dash(share, percent) for share in one.explained[:2])
        figures.append(Chart(svg, name(one.data), f"{explained} of the variance"))
    first = same[0]
    return [
        Heading(model_name(first.model), f"{method_name(first.method)}, on {name(first.test)}"),
        Grid(figures),
    ]


def _in_rows(points: Sequence[proof.Point]) -> list[proof.Point]:
    """The points with a row per label instead of a second component, spread so that they do not cover each other."""
    return [(x, -label + 0.7 * (at * GOLDEN % 1 - 0.5), label) for at, (x, _, label) in enumerate(points)]


def _look(shown: Shown, at: int) -> tuple[str, str]:
    """Colour and shape of the label with this index."""
    labels = shown.result.labels[:MAX_LABELS]
    if not 0 <= at < len(labels):
        return "lx", "round"
    return label_named(labels[at], shown.labels).colour, charts.SHAPES[at % len(charts.SHAPES)]


def map_section(shown: Shown) -> list[Section]:
    """Which training rows are easy, ambiguous and hard."""
    lead = (
        "Each dot is a training row: the mean probability of its label over the epochs (confidence), and how much it varied (variability). "
        "Easy rows are the third at the top, and a shortcut may explain many of them; hard rows are the third at the bottom, some of them "
        "mislabelled; ambiguous rows are the third furthest right. The legend shows how often a row was classified correctly."
    )
    places = list(grouped(shown.result.cartography, lambda one: one.run).values())
    panels = [_map_panels(shown, same, at) for at, same in enumerate(places[:MAX_FIGURES])]
    blocks = [
        Paragraph(lead, "lead"),
        legend(CORRECTNESS),
        *(block for panel in panels for block in panel),
        *more(places, MAX_FIGURES, "models"),
    ]
    return [Section("map", "Easy, ambiguous and hard rows", blocks)] if panels else []


def _map_panels(shown: Shown, same: Sequence[proof.DataMap], at: int) -> list[Block]:
    """The training rows of one run, a chart per version."""
    ordered = [one for data in shown.versions for one in same if one.data == data][:MAX_PANELS]
    widest = max(charts.span(point[0] for one in ordered for point in one.points)[1], 0.05)
    figures: list[Block] = []
    for n, one in enumerate(ordered):
        parts: tuple[Pairs, Pairs, Pairs] = ([], [], [])
        for x, y, correctness in charts.thinned(one.points, charts.MAX_POINTS):
            if _known(x) and _known(y):
                parts[0 if correctness >= 2 / 3 else 1 if correctness > 1 / 3 else 2].append((x, y))
        regions = ", ".join(f"{name(region)} {count(rows)}" for region, rows in list(one.regions.items())[:3])
        svg = charts.scatter(
            [charts.Cloud(colour, shape, part) for (_, colour, shape), part in zip(CORRECTNESS, parts, strict=True) if part],
            xs=(0.0, widest), ys=(0.0, 1.0), key=f"map-{at}-{n}",
            title=f"Training rows of {name(one.data)} by variability and confidence, {model_name(one.model)}",
            desc=regions, axes=(f"variability, to {widest:.2f}", "confidence, 0 to 1"),
        )  # fmt: skip
        confidences = [point[1] for point in one.points if _known(point[1])]
        mean = f"mean confidence {fmean(confidences):.2f}" if confidences else "no row drawn"
        ids: list[str | Span] = [
            part for id_ in one.hardest[:MAX_HARDEST] for part in (Span(name(id_), "code"), " ")
        ]
        hardest = [Details("The hardest rows", [Paragraph(ids, "ids")])] if ids else []
        figures.append(Chart(svg, name(one.data), f"{mean}; rows: {regions}", below=hardest))
    return [Heading(model_name(same[0].model), method_name(same[0].method)), Grid(figures)]


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


def _sources(first: str, rows: Sequence[Source], last: str, note: Callable[[Source], str]) -> list[Block]:
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


def _known(value: float | None) -> TypeGuard[float]:
    return value is not None and isfinite(value)
