"""Whether a classifier relies on the patterns of a grammar run."""

from __future__ import annotations

from functools import partial

from longway.jobs.grammar.patterns import Pair, classifier_name, leaders, pattern_name
from longway.jobs.grammar.result import GrammarResult, KindAccuracy, PhraseKind, SideAccuracy
from longway.report.labels import Labels, named_span
from longway.report.numbers import count, counted, or_dash, percent, points
from longway.report.sections import REPORT_AND_SCREEN, Column, Paragraph, Section, Span, Words, table_of

MAX_COMPARED = 20
ENOUGH = 10  # rows of a side for its accuracy to be compared


def reliance_section(result: GrammarResult, labels: Labels, pair: Pair) -> list[Section]:
    """The accuracy of the classifier on rows with each pattern; nothing without a classifier or patterns."""
    listed, classifier = leaders(result.composites), result.classifier
    compared = [kind for _, kind in listed if kind.accuracy is not None][:MAX_COMPARED]
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
    columns = [
        Column("Pattern", partial(_labelled_pattern, labels=labels)),
        Column("Pattern’s label", "accuracy.supporting", number=True, form=_right_of),
        Column("Other label", "accuracy.counter", number=True, form=_right_of),
        Column("Gap", "accuracy", number=True, form=_gap),
    ]
    table = table_of(compared, columns, screen=8, what="patterns")
    blocks = [Paragraph(explained), *table]
    return [Section("reliance", "Does a classifier rely on it?", blocks, on=REPORT_AND_SCREEN)]


def _labelled_pattern(kind: PhraseKind, labels: Labels) -> Words:
    return [Span(pattern_name(kind), "pattern"), " ", named_span(kind.label, labels)]


def _gap(found: KindAccuracy) -> str:
    """The gap if there are enough rows on both sides."""
    if min(found.supporting.n, found.counter.n) < ENOUGH:
        return "too few"
    return or_dash(found.gap, points) if found.gap is None or found.gap > 0 else "no gap"


def _right_of(side: SideAccuracy) -> str:
    """How many rows of a side the classifier gets right: "6 of 10"."""
    return f"{count(round((side.accuracy or 0) * side.n))} of {count(side.n)}"
