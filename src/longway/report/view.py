"""What the page shows, taken from the findings of a run: capped, counted, in reading order.

    findings.json (dict)  ->  audit_page()  ->  Page  ->  templates/audit.html.jinja

Every list is cut here, and what is cut is counted, so the page stays small whatever the dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from markupsafe import Markup

from longway.records import Finding, Leak, Problem, Telling
from longway.report import charts
from longway.report.numbers import count, counted, gamma, length, millibits, percent, q_value, short
from longway.report.parts import (
    MAX_LABELS,
    MAX_SETTINGS,
    KeyFigure,
    Label,
    columns_of,
    label_named,
    labels_of,
    level_name,
    record,
    setting_rows,
)
from longway.report.people_view import PeopleTable, people_tables
from longway.report.shown import (
    NAME_LIMIT,
    PATTERN_LIMIT,
    READ_LIMIT,
    TEXT_LIMIT,
    Piece,
    cut,
    harmless,
    pieces,
    token_spans,
)
from longway.report.surest import surest
from longway.report.verdict import verdict

MAX_BARS = 10  # strongest patterns in a label's chart
OPEN_GROUPS = 20  # the table shows these at once (a few more where that is all),
MAX_SURE = 24
MAX_GROUPS = 100  # and up to these on request
MAX_VARIANTS = 6
MAX_TELLING = 6  # documents per label and ranking
MAX_PROBLEMS = 50
MAX_ROWS = 10  # row numbers of a problem
MARK_LEVEL = 3  # highlighting of a pattern in its example
PARTS = ("text", "context", "both")
RANKINGS = {"lean": "Give themselves away most", "gamma": "Least like the other labels"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with a heading of its own."""

    label: Label
    chart: Markup
    note: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A row of the table: the strongest of the patterns that say the same thing."""

    pattern: str
    level: str
    field: str
    label: Label
    count: str
    share: str
    base_rate: str
    share_bar: Markup
    information: str
    z: str
    q: str
    example: list[Piece]
    variants: list[str]
    n_more_variants: int


@dataclass(frozen=True, slots=True)
class Sure:
    """A rare pattern that nearly always comes with one label."""

    pattern: str
    label: Label
    share: str
    count: str


@dataclass(frozen=True, slots=True)
class Document:
    """A text that stands out on its surface, its telling words marked."""

    id: str
    gamma: str
    lean: str
    text: list[Piece]


@dataclass(frozen=True, slots=True)
class LabelDocuments:
    """The telling texts of one label by one ranking."""

    label: Label
    heading: str
    documents: list[Document]
    n_more: int


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """A problem of the data, in words."""

    message: str
    count: str
    rows: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Page:
    """Everything the template shows; the charts are finished SVG."""

    title: str
    verdict: str
    about: list[tuple[str, str]]
    key_figures: list[KeyFigure]
    leak_charts: list[tuple[str, Markup]]
    strongest: list[Figure]
    surest: list[Sure]
    groups: list[Group]
    n_open: int
    n_groups: int
    n_unlisted: int
    max_q: str
    tested: list[tuple[str, str, str]]
    people: list[PeopleTable]
    gamma_chart: Markup | None
    gamma_note: str
    telling: list[LabelDocuments]
    label_chart: Markup
    n_more_labels: int
    more_labels_texts: str
    length_chart: Markup | None
    problems: list[ProblemRow]
    n_more_problems: int
    settings: list[tuple[str, str]]


def audit_page(findings: Mapping[str, Any], *, title: str | None = None) -> Page:
    """The page of one audit; raises KeyError or TypeError where the findings lack something."""
    dataset = findings["dataset"]
    labels = labels_of(dataset["labels"])
    groups = [record(Finding, row) for row in findings["findings"]]
    space = findings.get("shortcut_space") or {}
    problems = [record(Problem, row) for row in findings["problems"]]
    shown_labels = list(islice(labels.values(), MAX_LABELS))
    n_significant = sum(findings["significant"].values())
    n_tested = sum(findings["tested"].values())
    return Page(
        title=cut(title or f"Audit of {dataset['name']}", PATTERN_LIMIT),
        verdict=verdict(_leaks(findings["leak"]), n_significant=n_significant, n_tested=n_tested),
        about=_about(findings),
        key_figures=_key_figures(findings, labels, n_significant, n_tested),
        leak_charts=_leak_charts(findings["leak"]),
        strongest=_strongest(groups, labels, shown_labels),
        surest=[_sure(row, labels) for row in surest(findings["findings"], after=OPEN_GROUPS, n=MAX_SURE)],
        groups=[_group(group, labels) for group in groups[:MAX_GROUPS]],
        n_open=OPEN_GROUPS if len(groups) > OPEN_GROUPS + 5 else len(groups),
        n_groups=len(groups),
        n_unlisted=max(n_significant - findings["listed"], 0),
        max_q=cut(str(findings["settings"].get("max_q", 0.05)), NAME_LIMIT),
        tested=_tested(findings["tested"], findings["significant"]),
        people=people_tables(findings, labels),
        gamma_chart=_gamma_chart(space, shown_labels),
        gamma_note=_gamma_note(space),
        telling=_telling(space, shown_labels),
        label_chart=_label_chart(shown_labels),
        n_more_labels=len(labels) - len(shown_labels),
        more_labels_texts=counted(sum(label.count for label in list(labels.values())[MAX_LABELS:]), "text"),
        length_chart=_length_chart(findings.get("lengths") or {}, shown_labels),
        problems=[_problem(problem) for problem in problems[:MAX_PROBLEMS]],
        n_more_problems=max(len(problems) - MAX_PROBLEMS, 0),
        settings=setting_rows(findings["settings"], source="findings.json"),
    )


def _group(leader: Finding, labels: Mapping[str, Label]) -> Group:
    variants = [record(Finding, row) for row in leader.variants]  # type: ignore[arg-type]
    label = label_named(leader.label, labels)
    return Group(
        pattern=cut(leader.pattern, PATTERN_LIMIT),
        level=level_name(leader.level),
        field=cut(leader.field, NAME_LIMIT),
        label=label,
        count=count(leader.count),
        share=percent(leader.label_share),
        base_rate=percent(leader.base_rate),
        share_bar=charts.share_bar(leader.label_share, leader.base_rate, colour=label.colour),
        information=short(millibits(leader.gain)),
        z=short(leader.z),
        q=q_value(leader.q),
        example=_example(leader),
        variants=[cut(row.pattern, PATTERN_LIMIT) for row in variants[:MAX_VARIANTS]],
        n_more_variants=max(len(variants) - MAX_VARIANTS, 0),
    )


def _sure(row: Mapping[str, Any], labels: Mapping[str, Label]) -> Sure:
    label = label_named(row["label"], labels)
    return Sure(
        cut(row["pattern"], PATTERN_LIMIT), label, percent(row["label_share"]), counted(row["count"], "text")
    )


def _whole(dataset: Mapping[str, Any]) -> str:
    split = dataset.get("split")
    return f"the split {cut(split, NAME_LIMIT)}" if split else "the data"


def _example(row: Finding) -> list[Piece]:
    """The example with the pattern marked; the marks count characters, so none may be dropped before."""
    marks = sorted((int(start), int(end), MARK_LEVEL) for start, end in row.marks)
    return pieces(harmless(row.example[:READ_LIMIT]), marks)


def _about(findings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Which file, which columns, when."""
    dataset = findings["dataset"]
    return [
        ("Dataset", cut(dataset["name"], PATTERN_LIMIT)),
        ("Columns", columns_of(dataset)),
        ("Made", cut(findings["created"], NAME_LIMIT)),
    ]


def _key_figures(
    findings: Mapping[str, Any], labels: Mapping[str, Label], n_significant: int, n_tested: int
) -> list[KeyFigure]:
    dataset = findings["dataset"]
    largest = next(iter(labels.values()), None)
    figures = [
        KeyFigure("Rows used", count(dataset["used"]), f"of {count(dataset['rows'])} in {_whole(dataset)}"),
        KeyFigure(
            "Labels", count(len(labels)), f"largest: {largest.name}, {largest.share}" if largest else ""
        ),
    ]
    for leak in _leaks(findings["leak"]).values():
        if leak.part == "text":
            name = f"Right from {cut(' + '.join(leak.columns), NAME_LIMIT)} alone"
            figures.append(KeyFigure(name, percent(leak.accuracy), f"chance is {percent(leak.majority)}"))
    of_tested = f"of {counted(n_tested, 'pattern')} tested"
    return [*figures, KeyFigure("Tied to a label", count(n_significant), of_tested)]


def _leaks(measured: Mapping[str, Any]) -> dict[str, Leak]:
    return {part: record(Leak, measured[part]) for part in PARTS if measured.get(part)}


def _held_out(measured: Mapping[str, Any]) -> list[dict[str, Leak]]:
    """The leaks on other files: "held_out" by name, or one as "test"."""
    tests = measured.get("held_out") or {"test": measured.get("test") or {}}
    return [leaks for test in tests.values() if (leaks := _leaks(test))]


def _leak_charts(measured: Mapping[str, Any]) -> list[tuple[str, Markup]]:
    """(how it was measured, chart): on the data itself, then on each held-out file."""
    sources = [_leaks(measured), *_held_out(measured)]
    return [_leak_chart(list(leaks.values()), f"leak-{at}") for at, leaks in enumerate(sources) if leaks]


def _leak_chart(leaks: Sequence[Leak], key: str) -> tuple[str, Markup]:
    how = f"{cut(leaks[0].how, PATTERN_LIMIT)}, {counted(leaks[0].rows, 'row')}"
    title = f"Accuracy of a bag of words against chance ({how})"
    desc = "; ".join(_leak_words(leak) for leak in leaks)
    return how, charts.leak_chart(leaks, key=key, majority=leaks[0].majority, title=title, desc=desc)


def _leak_words(leak: Leak) -> str:
    columns = cut(" + ".join(leak.columns) or leak.part, NAME_LIMIT)
    interval = f"95% interval {percent(leak.low)} to {percent(leak.high)}"
    return f"{columns}: {percent(leak.accuracy)}, {interval}, chance {percent(leak.majority)}"


def _strongest(
    leaders: Sequence[Finding], labels: Mapping[str, Label], shown: Sequence[Label]
) -> list[Figure]:
    """A chart per label of its strongest patterns; all on one scale, so that they compare."""
    full = max((millibits(row.gain) for row in leaders), default=0.0)
    figures = []
    for at, label in enumerate(shown):
        mine = [row for row in leaders if label_named(row.label, labels) is label]
        if mine:
            chart = charts.bar_chart(
                [_bar(row, label) for row in mine[:MAX_BARS]],
                key=f"strongest-{at}",
                title=f"Strongest patterns that point to {label.name}",
                desc="Gain about the label, in millibits.",
                full=full,
            )
            figures.append(Figure(label, chart, counted(len(mine), "group")))
    return figures


def _bar(row: Finding, label: Label) -> charts.Bar:
    information = millibits(row.gain)
    return charts.Bar(row.pattern, information, f"{short(information)} mbit", label.colour)


def _tested(tested: Mapping[str, int], significant: Mapping[str, int]) -> list[tuple[str, str, str]]:
    """(level, significant, tested) for each kind of pattern."""
    shown = islice(tested.items(), MAX_SETTINGS)
    return [(level_name(level), count(significant.get(level, 0)), count(number)) for level, number in shown]


def _gamma_chart(space: Mapping[str, Any], shown: Sequence[Label]) -> Markup | None:
    histogram = space.get("histogram") or {}
    means = {name: mean for name, mean in (space.get("mean_gamma") or {}).items() if mean is not None}
    return _distribution_chart(
        histogram,
        shown,
        key="gamma",
        title="Distribution of gamma by label",
        form=gamma,
        notes={label: f"mean {gamma(means[label])}" for label in means},
        means=means,
    )


def _gamma_note(space: Mapping[str, Any]) -> str:
    if not space:
        return ""
    dimensions = counted(space["dimensions"], "dimension")
    return f"Shortcut space: {cut(str(space['variant']), NAME_LIMIT)} variant, {dimensions}."


def _length_chart(lengths: Mapping[str, Any], shown: Sequence[Label]) -> Markup | None:
    return _distribution_chart(
        lengths, shown, key="lengths", title="Words per text, by label", form=length, notes={}, means={}
    )


def _distribution_chart(
    histogram: Mapping[str, Any],
    shown: Sequence[Label],
    *,
    key: str,
    title: str,
    form: Callable[[float], str],
    notes: Mapping[str, str],
    means: Mapping[str, float],
) -> Markup | None:
    """A histogram with a row for each shown label that has counts; None where it cannot be drawn."""
    counts = histogram.get("counts") or {}
    mine = [label for label in shown if label.key in counts]
    if not mine or not charts.drawable(histogram["edges"], [counts[label.key] for label in mine]):
        return None
    rows = [
        charts.Distribution(
            label.name, counts[label.key], label.colour, means.get(label.key), notes.get(label.key, "")
        )
        for label in mine
    ]
    desc = "Share of each label's own texts per bin, all labels on one scale. " + "; ".join(
        f"{row.name}: {counted(sum(row.counts), 'text')} {row.note}" for row in rows
    )
    return charts.histogram(rows, histogram["edges"], key=key, title=title, desc=desc, form=form)


def _telling(space: Mapping[str, Any], shown: Sequence[Label]) -> list[LabelDocuments]:
    """Per label, the texts that give it away (lean), then those least like the other labels (gamma)."""
    documents: dict[tuple[str, str], list[Telling]] = {}
    for row in space.get("telling") or []:
        documents.setdefault((row["label"], row["chosen_by"]), []).append(record(Telling, row))
    return [
        LabelDocuments(
            label,
            heading,
            [_document(row) for row in chosen[:MAX_TELLING]],
            max(len(chosen) - MAX_TELLING, 0),
        )
        for label in shown
        for ranking, heading in RANKINGS.items()
        if (chosen := documents.get((label.key, ranking)))
    ]


def _document(row: Telling) -> Document:
    text = harmless(row.text[:READ_LIMIT])
    marked = pieces(text, token_spans(text, row.tokens))
    return Document(cut(row.id, NAME_LIMIT), gamma(row.gamma), gamma(row.lean), marked)


def _label_chart(shown: Sequence[Label]) -> Markup:
    bars = [
        charts.Bar(label.name, label.count, f"{count(label.count)} ({label.share})", label.colour)
        for label in shown
    ]
    desc = "; ".join(f"{label.name}: {count(label.count)}" for label in shown)
    full = max((label.count for label in shown), default=0)
    return charts.bar_chart(bars, key="labels", title="Texts per label", desc=desc, full=full)


def _problem(problem: Problem) -> ProblemRow:
    rows = ", ".join(str(row) for row in problem.rows[:MAX_ROWS])
    return ProblemRow(
        message=cut(problem.message, TEXT_LIMIT),
        count=count(problem.count),
        rows=f"{rows} …" if rows and problem.count > len(problem.rows[:MAX_ROWS]) else rows,
        next_step=cut(problem.next_step, TEXT_LIMIT),
    )
