"""Whether a classifier relies on the patterns of a grammar run, and whether the trees are needed to see them."""

from __future__ import annotations

from collections.abc import Sequence

from longway.jobs.grammar.figures import ENOUGH, classifier_name, right_of, versions_figure
from longway.jobs.grammar.patterns import Labels, Pair, leaders, number_columns, pattern_name
from longway.jobs.grammar.result import ClassifierSummary, GrammarResult, KindVersions, VersionAccuracy
from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.labels import label_named, label_span
from longway.show.numbers import NONE, count, counted, or_dash, percent, points
from longway.show.sections import (
    REPORT,
    SCREEN,
    Block,
    Column,
    Only,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
)

MAX_COMPARED, COMPARED_ON_SCREEN = 20, 8
SEEN_AS = {"grammar": "grammar", "n-gram pair": "plain phrases", "second only": "plain phrases, text alone"}


def reliance_section(result: GrammarResult, labels: Labels, pair: Pair) -> list[Section]:
    """Each pattern in its versions, with the accuracy of the classifier if there is one."""
    if not result.versions:
        return []
    classifier, compared = result.classifier, result.versions[:MAX_COMPARED]
    places = "anywhere in both texts, and in the text alone" if pair else "anywhere in the text"
    trees = f"Each pattern as the grammar sees it, and as plain phrases {places}."
    columns = [Column("Pattern"), Column("Seen as"), *number_columns("Rows with its label", "and without")]
    rows = [row for kind in compared for row in _version_rows(kind, labels, classifier is not None)]
    figure = versions_figure(result, labels)
    if classifier is None:
        blocks: list[Block] = [Paragraph(trees, "lead"), *figure, Table(columns, rows, "versions")]
        return [Section("versions", "Are the trees needed?", blocks)]
    tested = number_columns("Pattern’s label", "Other label", "Gap")
    first = [Row([Span(pattern_name(kind), "pattern"), *_accuracy(kind.versions[0].accuracy)]) for kind in compared]  # fmt: skip
    blocks = [
        Paragraph(_explained(classifier, compared, result, pair)),
        Only(REPORT, [Paragraph(trees, "lead"), *figure, Table([*columns, *tested], rows, "versions")]),
        Only(
            SCREEN, [Table([Column("Pattern"), *tested], first, screen=COMPARED_ON_SCREEN, more="patterns")]
        ),
    ]
    return [Section("versions", "Does a classifier rely on it?", blocks, on=REPORT | SCREEN)]


def _explained(
    classifier: ClassifierSummary, compared: Sequence[KindVersions], result: GrammarResult, pair: Pair
) -> str:
    reads = "both texts" if pair else "the text"
    n, of = len(compared), len(leaders(result.composites))
    only = f" Only the {n} strongest of {of} patterns were compared." if n < of else ""
    return (
        f"A classifier ({classifier_name(classifier)}) that reads {reads} was tested on {counted(classifier.rows, 'held-out row')}: it is right on {percent(classifier.accuracy)}. "
        "The table has how many of the held-out rows with a pattern it gets right, if they have the pattern’s label, and if they have another one. If it is right far "
        f"more often with the pattern’s label (gap, in percentage points), it may rely on the pattern. With fewer than {ENOUGH} rows on a side, the gap is “too few”; if it is 0 or less, “no gap”.{only}"
    )  # fmt: skip


def _version_rows(kind: KindVersions, labels: Labels, has_classifier: bool) -> list[Row]:
    """A row per version; the first names the kind."""
    label, rows = label_named(kind.label, labels), []
    for at, version in enumerate(kind.versions):
        words: Words = [Span(pattern_name(kind), "data"), " ", label_span(label)]
        accuracy = _accuracy(version.accuracy) if has_classifier else []
        seen_as = cut(SEEN_AS.get(version.name, version.name), NAME_LIMIT)
        cells = ["" if at else words, seen_as, count(version.supporting), count(version.counter), *accuracy]
        rows.append(Row(cells, label.colour, style="continued" if at else ""))
    return rows


def _accuracy(found: VersionAccuracy | None) -> list[Words]:
    """Rows that the classifier gets right, with the pattern's label and with others, and the gap if there are enough of them."""
    if found is None:
        return [NONE, NONE, NONE]
    sides = (found.supporting, found.counter)
    right = [right_of(side) for side in sides]
    if min(side.n for side in sides) < ENOUGH:
        return [*right, "too few"]
    return [*right, or_dash(found.gap, points) if found.gap is None or found.gap > 0 else "no gap"]
