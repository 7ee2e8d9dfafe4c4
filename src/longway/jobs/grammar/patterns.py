"""The patterns on the page of a grammar run: what the names mean, how often each label occurs with a pattern, and rows with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from longway.grammar_names import ADDED, COPIED, LEFT_OUT, RARE, REPLACED, SLOT
from longway.jobs.grammar.result import ClassifierSummary, GrammarResult, PhraseKind, RowExample
from longway.report.charts import share_bar
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut, harmless, highlighted
from longway.report.labels import Labels, label_named, named_span
from longway.report.numbers import counted, percent, q_value, signed
from longway.report.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Cell,
    Column,
    Details,
    Facts,
    Only,
    Paragraph,
    Section,
    Span,
    Words,
    table_of,
)

MAX_KINDS = 40
MAX_ALSO = 3
EXAMPLES = 3  # rows below a pattern
MARK = 3  # highlighting of a phrase in its example

Pair = tuple[str, str] | None  # the names of the context and text columns; None for single texts
NOT_ONE = "No kind of phrase is correlated with a label beyond chance."
COUNTED = "Rows and shares are counted in rows that did not choose the phrases."
LEAD = (
    "Phrases that are used in the same way were grouped without looking at labels. A pattern is the phrases of one group that go with one label more often "
    "than usual; a row has it if it has at least one of them. The phrases were chosen in some rows, and the labels were counted in others. Strongest first, by "
    "the information about the label over all rows: a smaller effect on many rows can come before a larger one on few. The examples are rows with the pattern’s label, quoted as they are, below the phrase that they have."
)  # fmt: skip


def classifier_name(classifier: ClassifierSummary) -> str:
    """The classifier in words."""
    return "bag of words" if classifier.name == "bow" else cut(classifier.name)


def pattern_name(kind: PhraseKind) -> str:
    """The name of a kind, cut to a line."""
    return cut(kind.name or ", ".join(kind.spans), PATTERN_LIMIT)


def leaders(kinds: Sequence[PhraseKind]) -> list[tuple[int, PhraseKind]]:
    """The significant kinds with their places, without those in nearly the same rows as a stronger one."""
    return [(at, kind) for at, kind in enumerate(kinds) if kind.q is not None and kind.same_as is None]


def share_sentence(kind: PhraseKind, labels: Labels) -> str:
    """How often the label is right where the kind occurs, in rows that did not choose its phrases."""
    return (
        f"{percent(kind.tested_share)} of {counted(kind.tested, 'row')} with it are {label_named(kind.label, labels).name}, "
        f"compared with {percent(_usual(kind.label, labels))} of all rows"
    )


def kinds_section(result: GrammarResult, labels: Labels, pair: Pair) -> Section:
    """The significant kinds, and folded in the report the others."""
    listed = [kind for _, kind in leaders(result.composites)]
    others = [kind for kind in result.composites if kind.q is None]
    blocks: Blocks = [Paragraph(NOT_ONE, "nothing")]
    if listed:
        notation = _notation(result, listed[:MAX_KINDS], pair)
        table = _kinds_table(listed, result.composites, labels, pair)
        explained = [Facts(notation, "reading notation")] if notation else []
        blocks = [Paragraph(LEAD, "lead"), Only(SCREEN, [Paragraph(COUNTED)]), *explained, *table]
    if others:
        summary = f"{counted(len(others), 'kind')} without evidence: they may be chance"
        table = _kinds_table(others, (), labels, pair)
        blocks.append(Only(REPORT, [Details(summary, table)]))
    return Section("kinds", "Patterns that go with a label", blocks, on=REPORT_AND_SCREEN)


def _notation(result: GrammarResult, kinds: Sequence[PhraseKind], pair: Pair) -> list[tuple[Words, Words]]:
    """How the names and figures of these kinds are written; only what occurs."""
    context, text = pair or ("", "")
    relations, names = {kind.relation for kind in kinds}, " ".join(kind.name for kind in kinds)
    entries: list[tuple[bool, Words, Words]] = [
        (REPLACED in relations, "man → woman", f"The {text} has “woman” where the {context} has “man”."),
        (ADDED in relations, "added", f"Only in the {text}, in place of nothing."),
        (LEFT_OUT in relations, "left out", f"Only in the {context}, with nothing in its place."),
        (COPIED in relations, "copied", "In both texts, at matching places."),
        (SLOT in names, "to ___ (work or get)", "“to work” or “to get”."),
        (bool(re.search(r" or [\d,]+ more", names)), "or 10 more", "The full list is in findings.json, under “kinds”."),
        (RARE in names, RARE, f"Any word with fewer than {result.grammar.min_word_count} occurrences in the texts."),
    ]  # fmt: skip
    return [(name, meaning) for occurs, name, meaning in entries if occurs]


def _kinds_table(
    kinds: Sequence[PhraseKind], composites: Sequence[PhraseKind], labels: Labels, pair: Pair
) -> Blocks:
    """Kinds with their figures. composites: all kinds, of which similar ones are named below; none to show no examples."""

    def below(kind: PhraseKind) -> Blocks:
        if not composites:
            return []
        examples = [block for one in kind.examples[:EXAMPLES] for block in _example(one, pair)]
        shown = [*examples, *_similar(kind, composites)]
        return [Only(REPORT, shown)] if shown else []

    def colour(kind: PhraseKind) -> str:
        return label_named(kind.label, labels).colour

    columns = [
        Column("Pattern", pattern_name, form=_pattern_span),
        Column("Goes with", "label", style="to", form=partial(named_span, labels=labels)),
        Column("Rows", "tested", number=True),
        Column("Label’s share", partial(_share_cell, labels=labels), style="shares"),
        Column("95% interval", _interval, number=True, drop=3),
        Column("Difference", partial(_difference, labels=labels), number=True, drop=1),
        Column("q", "q", number=True, drop=2, form=q_value),
    ]
    return table_of(
        kinds,
        columns,
        "findings",
        below=below,
        colour=colour,
        limit=MAX_KINDS,
        what="kinds",
        file="tables.json",
        open=12,
        screen=8,
    )


def _pattern_span(name: str) -> Span:
    return Span(name, "pattern")


def _share_cell(kind: PhraseKind, labels: Labels) -> Cell | None:
    if not kind.tested:
        return None
    share, usual = kind.tested_share, _usual(kind.label, labels)
    words: Words = [Span(percent(share), "strong"), " ", Span(f"all rows {percent(usual)}", "quiet")]
    return Cell(words, share_bar(share, usual, colour=label_named(kind.label, labels).colour))


def _usual(label: str, labels: Labels) -> float:
    return label_named(label, labels).count / (sum(each.count for each in labels.values()) or 1)


def _difference(kind: PhraseKind, labels: Labels) -> str | None:
    """The difference of two shares as they are printed, so that a reader can check it."""
    if not kind.tested:
        return None
    return signed(round(100 * kind.tested_share, 1) - round(100 * _usual(kind.label, labels), 1), digits=1)


def _interval(kind: PhraseKind) -> str | None:
    if kind.low is None or kind.high is None or not kind.tested:
        return None
    return f"{percent(kind.low)} to {percent(kind.high)}"


def _example(one: RowExample, pair: Pair) -> Blocks:
    """The phrase of a row, and its texts with the phrase highlighted."""
    phrase = Paragraph(cut(one.phrase, PATTERN_LIMIT), "also")
    words = _marked(one.text, one.marks)
    if not pair:
        return [phrase, Paragraph(words, "example")]
    context, text = (Span(f"{name}: ", "quiet") for name in pair)
    return [
        phrase,
        Paragraph([context, *_marked(one.context, one.context_marks)], "example"),
        Paragraph([text, *words], "example"),
    ]


def _marked(text: str, marks: Sequence[tuple[int, int]]) -> list[str | Span]:
    spans = [(start, end, MARK) for start, end in marks]
    return list(highlighted(harmless(text[:TEXT_LIMIT]), spans))


def _similar(kind: PhraseKind, composites: Sequence[PhraseKind]) -> Blocks:
    """The names of others that are in nearly the same rows."""
    at = composites.index(kind)
    also = [pattern_name(other) for other in composites if other.same_as == at and other.q is not None]
    return [Paragraph(f"in nearly the same rows: {'; '.join(also[:MAX_ALSO])}", "also")] if also else []
