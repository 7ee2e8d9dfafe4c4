"""Two figures of the grammar page: a kind in its simpler versions (Figure 2 of the paper), and the saliency map of a wrong prediction (Table 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from longway.detect.grammar_versions import GRAMMAR, NGRAM_PAIR, SECOND_ONLY
from longway.jobs.grammar.result import (
    ClassifierSummary,
    GrammarResult,
    KindVersions,
    SideAccuracy,
    VersionCounts,
    WrongPrediction,
)
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, cut, harmless, highlighted
from longway.show.labels import Label, label_named, label_span
from longway.show.numbers import count
from longway.show.sections import Block, Chart, Grid, Paragraph, Span, Words
from longway.show.side_charts import SideGroup, SideLine, side_bars, side_dots

MAX_DRAWN = 6  # kinds in the figure, as in the paper
ENOUGH = 10  # rows of a side for its accuracy to be drawn, and compared
NAME_WIDTH = 40  # characters of a pattern above its lines
PAIR_NAMES = {GRAMMAR: "in its tree", NGRAM_PAIR: "in both texts", SECOND_ONLY: "in the text"}
TEXT_NAMES = {GRAMMAR: "in its tree", NGRAM_PAIR: "in the text"}
COUNTED: Words = [Span("■", "strong"), " with its label, ", Span("■", "pale"), " with another label"]
TESTED: Words = [
    Span("●", "strong"),
    " with its label, ",
    Span("○", "strong"),
    " with another label",
]


def classifier_name(classifier: ClassifierSummary) -> str:
    """The classifier in words."""
    return "bag of words" if classifier.name == "bow" else cut(classifier.name, NAME_LIMIT)


def versions_figure(result: GrammarResult, labels: Mapping[str, Label]) -> list[Block]:
    """How many rows each version of a kind has, and how often the classifier is right on them; nothing without kinds."""
    drawn = result.versions[:MAX_DRAWN]
    if not drawn:
        return []
    names = PAIR_NAMES if result.grammar.kind == "pair" else TEXT_NAMES
    most = max(version.supporting + version.counter for kind in drawn for version in kind.versions)
    counts = [_group(kind, labels, [_count_line(one, names) for one in kind.versions]) for kind in drawn]
    desc = "For each kind of phrase the training rows that have it, as the grammar sees it and as plain phrases. The table below has the figures."
    svg = side_bars(counts, key="versions-rows", title="Training rows with each kind", desc=desc, full=most)
    charts = [Chart(svg, "Training rows", COUNTED)]
    if (classifier := result.classifier) is not None:
        accuracies = [
            _group(kind, labels, [_accuracy_line(one, names) for one in kind.versions]) for kind in drawn
        ]
        title = f"Accuracy of {classifier_name(classifier)} on rows with each pattern"
        desc = "For each kind of phrase the accuracy on held-out rows that have its label, and on those that have another one."
        svg = side_dots(accuracies, key="versions-accuracy", title=title, desc=desc)
        charts.append(Chart(svg, "Right", TESTED))
    return [Grid(charts, "sides")]


def _group(kind: KindVersions, labels: Mapping[str, Label], lines: Sequence[SideLine]) -> SideGroup:
    label = label_named(kind.label, labels)
    words = kind.name or ", ".join(kind.spans[:2])
    return SideGroup(cut(words, NAME_WIDTH), label.name, label.colour, lines)


def _count_line(version: VersionCounts, names: Mapping[str, str]) -> SideLine:
    shown = f"{count(version.supporting)} with its label, {count(version.counter)} with another"
    name = names.get(version.name, cut(version.name, NAME_LIMIT))
    return SideLine(name, version.supporting, version.counter, shown)


def _accuracy_line(version: VersionCounts, names: Mapping[str, str]) -> SideLine:
    name = names.get(version.name, cut(version.name, NAME_LIMIT))
    if version.accuracy is None:
        return SideLine(name, None, None, "not tested")
    sides = version.accuracy.supporting, version.accuracy.counter
    shown = [right_of(side) for side in sides]
    words = f"right on {shown[0]} with its label, {shown[1]} with another"
    first, second = (side.accuracy if side.n >= ENOUGH else None for side in sides)
    return SideLine(name, first, second, words)


def right_of(side: SideAccuracy) -> str:
    """How many rows of a side the classifier gets right: "6 of 10"."""
    return f"{count(round((side.accuracy or 0) * side.n))} of {count(side.n)}"


def saliency_note(result: GrammarResult) -> str:
    """What the lead of the section on wrong predictions says about saliency maps, and about predictions without the phrase."""
    wrong, note = result.wrong, ""
    if any(one.salient for one in wrong):
        note = " Above each tree, the five words with the strongest gradients (L2 norm of integrated gradients): a map of words, beside the rule that connects them."
    elif any(one.text for one in wrong):
        note = " This classifier has no gradients, so there is no saliency map."
    if tested := [one for one in wrong if one.without is not None]:
        right = sum(one.without == one.label for one in tested)
        note += f" Without the words of the highlighted rule, the prediction becomes right in {right} of {len(tested)}."
    return note


def saliency_blocks(one: WrongPrediction, colour: str, labels: Mapping[str, Label]) -> list[Block]:
    """The texts of a wrong prediction with their strongest words highlighted, and the prediction without the phrase."""
    if not one.text:
        return []
    most = max((word.norm for word in one.salient), default=0.0)
    blocks: list[Block] = []
    for field, text in (("context", one.context), ("text", one.text)):
        if text is None:
            continue
        marks = [
            (word.start, word.end, max(1, ceil(5 * word.norm / most)))
            for word in one.salient
            if word.field == field and most > 0
        ]
        blocks.append(Paragraph(highlighted(harmless(text), marks), f"salient {colour}"))
    if one.without is not None and one.rules:
        words: Words = [
            Span("without ", "quiet"),
            Span(cut(one.rules[0].name or one.rules[0].span, PATTERN_LIMIT), "data"),
            Span(" predicted ", "quiet"),
            label_span(label_named(one.without, labels)),
        ]
        blocks.append(Paragraph(words, "without"))
    return blocks
