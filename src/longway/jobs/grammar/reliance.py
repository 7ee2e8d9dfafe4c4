"""Whether a classifier relies on the patterns of a grammar run."""

from __future__ import annotations

from longway.jobs.grammar.patterns import Pair, classifier_name, leaders, number_columns, pattern_name
from longway.jobs.grammar.result import GrammarResult, KindAccuracy, SideAccuracy
from longway.show.labels import Labels, label_named, label_span
from longway.show.numbers import count, counted, or_dash, percent, points
from longway.show.sections import (
    REPORT_AND_SCREEN,
    Blocks,
    Column,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
)

MAX_COMPARED, COMPARED_ON_SCREEN = 20, 8
ENOUGH = 10  # rows of a side for its accuracy to be compared


def reliance_section(result: GrammarResult, labels: Labels, pair: Pair) -> list[Section]:
    """The accuracy of the classifier on rows with each pattern; nothing without a classifier or patterns."""
    listed, classifier = leaders(result.composites), result.classifier
    compared = [(kind, kind.accuracy) for _, kind in listed if kind.accuracy is not None][:MAX_COMPARED]
    if not compared or classifier is None:
        return []
    reads = "both texts" if pair else "the text"
    n, of = len(compared), len(listed)
    only = f" Only the {n} strongest of {of} patterns were compared." if n < of else ""
    explained = (
        f"A classifier ({classifier_name(classifier)}) that reads {reads} was tested on {counted(classifier.rows, 'held-out row')}: it is right on {percent(classifier.accuracy)}. "
        "The table has how many of the held-out rows with a pattern it gets right, if they have the pattern’s label, and if they have another one. If it is right far "
        f"more often with the pattern’s label (gap, in percentage points), it may rely on the pattern. With fewer than {ENOUGH} rows on a side, the gap is “too few”; if it is 0 or less, “no gap”.{only}"
    )  # fmt: skip
    rows = []
    for kind, accuracy in compared:
        label = label_named(kind.label, labels)
        rows.append(
            Row(
                [[Span(pattern_name(kind), "pattern"), " ", label_span(label)], *_accuracy(accuracy)],
                label.colour,
            )
        )
    columns = [Column("Pattern"), *number_columns("Pattern’s label", "Other label", "Gap")]
    table = Table(columns, rows, screen=COMPARED_ON_SCREEN, more="patterns")
    blocks: Blocks = [Paragraph(explained), table]
    return [Section("reliance", "Does a classifier rely on it?", blocks, on=REPORT_AND_SCREEN)]


def _accuracy(found: KindAccuracy) -> list[Words]:
    """Rows that the classifier gets right, with the pattern's label and with others, and the gap if there are enough of them."""
    right = [_right_of(found.supporting), _right_of(found.counter)]
    if min(found.supporting.n, found.counter.n) < ENOUGH:
        return [*right, "too few"]
    return [*right, or_dash(found.gap, points) if found.gap is None or found.gap > 0 else "no gap"]


def _right_of(side: SideAccuracy) -> str:
    """How many rows of a side the classifier gets right: "6 of 10"."""
    return f"{count(round((side.accuracy or 0) * side.n))} of {count(side.n)}"
