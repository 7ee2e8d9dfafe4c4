"""The patterns on the page of a grammar run: what the names mean, how often each label occurs with a pattern, and rows with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longway.grammar_names import ADDED, COPIED, LEFT_OUT, RARE, REPLACED, SLOT
from longway.jobs.grammar.result import ClassifierSummary, GrammarResult, PhraseKind, RowExample
from longway.show.charts import share_bar
from longway.show.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut, harmless, highlighted
from longway.show.labels import Label, Labels, label_named, label_span
from longway.show.numbers import NONE, count, counted, or_dash, percent, q_value, signed
from longway.show.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Bullet,
    Bullets,
    Cell,
    Column,
    Details,
    Facts,
    Only,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
    left_out,
)

MAX_KINDS, OPEN_KINDS, KINDS_ON_SCREEN = 40, 12, 8
MAX_ALSO = 3
EXAMPLES = 3  # rows below a pattern
MARK = 3  # highlighting of a phrase in its example

Pair = tuple[str, str] | None  # the names of the context and text columns; None for single texts
BLANK = Paragraph(" ")
NOT_ONE = "No kind of phrase is correlated with a label beyond chance."
LEAD = (
    "Phrases that are used in the same way were grouped without looking at labels. A pattern is the phrases of one group that go with one label more often "
    "than usual; a row has it if it has at least one of them. The phrases were chosen in some rows, and the labels were counted in others. Strongest first, by "
    "the information about the label over all rows: a smaller effect on many rows can come before a larger one on few."
)  # fmt: skip
QUOTED = (
    "The examples are rows with the pattern’s label, quoted as they are, below the phrase that they have."
)


def classifier_name(classifier: ClassifierSummary) -> str:
    """The classifier in words."""
    return "bag of words" if classifier.name == "bow" else cut(classifier.name)


def pattern_name(kind: PhraseKind) -> str:
    """The name of a kind, cut to a line."""
    return cut(kind.name or ", ".join(kind.spans), PATTERN_LIMIT)


def leaders(kinds: Sequence[PhraseKind]) -> list[tuple[int, PhraseKind]]:
    """The significant kinds with their places, without those in nearly the same rows as a stronger one."""
    return [(at, kind) for at, kind in enumerate(kinds) if kind.q is not None and kind.same_as is None]


def share_sentence(kind: PhraseKind, labels: Labels, *, interval: bool = False) -> str:
    """How often the label is right where the kind occurs, in rows that did not choose its phrases."""
    label = label_named(kind.label, labels)
    likely = f" (95% interval {_interval(kind)})" if interval and kind.low is not None else ""
    return (
        f"{percent(kind.tested_share)} of {counted(kind.tested, 'row')} with it are {label.name}{likely}, compared with "
        f"{percent(_usual(label, labels))} of all rows"
    )


def kinds_section(result: GrammarResult, labels: Labels, pair: Pair) -> Section:
    """The significant kinds, and folded in the report the others."""
    listed, others = leaders(result.composites), [kind for kind in result.composites if kind.q is None]
    blocks: Blocks = [Paragraph(NOT_ONE, "nothing")]
    if listed:
        shown = listed[:MAX_KINDS]
        rows = [(kind, _below(at, result.composites, pair)) for at, kind in shown]
        bullets = [_kind_bullet(kind, below, labels) for kind, below in rows]
        blocks = [
            Paragraph(f"{LEAD} {QUOTED}" if any(kind.examples for _, kind in shown) else LEAD),
            Facts(_notation(result, [kind for _, kind in shown], pair), "reading notation"),
            Only(REPORT, [_kinds_table(rows, labels), *left_out(max(0, len(listed) - MAX_KINDS), "are", "tables.json")]),
            Only(SCREEN, [BLANK, Bullets(bullets, screen=KINDS_ON_SCREEN, more="patterns")]),
        ]  # fmt: skip
    if others:
        summary = f"{counted(len(others), 'kind')} without evidence: they may be chance"
        table = _kinds_table([(kind, []) for kind in others[:MAX_KINDS]], labels)
        blocks.append(Only(REPORT, [Details(summary, [table])]))
    return Section("kinds", "Patterns that go with a label", blocks, on=REPORT_AND_SCREEN)


def _notation(result: GrammarResult, kinds: Sequence[PhraseKind], pair: Pair) -> list[tuple[Words, Words]]:
    """How the names and figures of these kinds are written; only what occurs."""
    context, text = pair or ("", "")
    relations, names = {kind.relation for kind in kinds}, " ".join(kind.name for kind in kinds)
    max_q = result.settings.max_q
    entries: list[tuple[bool, Words, Words]] = [
        (REPLACED in relations, "man → woman", f"The {text} has “woman” where the {context} has “man”."),
        (ADDED in relations, "added", f"Only in the {text}, in place of nothing."),
        (LEFT_OUT in relations, "left out", f"Only in the {context}, with nothing in its place."),
        (COPIED in relations, "copied", "In both texts, at matching places."),
        (SLOT in names, "to ___ (work or get)", "“to work” or “to get”."),
        (bool(re.search(r" or [\d,]+ more", names)), "or 10 more", "The full list is in findings.json, under “kinds”."),
        (RARE in names, RARE, f"Any word with fewer than {result.grammar.min_word_count} occurrences in the texts."),
        (True, "95% interval", "The likely range of the true share; wide if the rows are few."),
        (True, "difference", "Between the two shares, in percentage points."),
        (True, "q", f"False discovery rate: of patterns with q up to {max_q:g}, about {100 * max_q:g}% are chance."),
    ]  # fmt: skip
    return [(name, meaning) for occurs, name, meaning in entries if occurs]


def _below(at: int, kinds: Sequence[PhraseKind], pair: Pair) -> list[Bullet]:
    """Rows with a kind, and the names of others that are in nearly the same rows."""
    rows = [_example(one, pair) for one in kinds[at].examples[:EXAMPLES]]
    also = [pattern_name(kind) for kind in kinds if kind.same_as == at and kind.q is not None]
    return [*rows, Bullet(f"in nearly the same rows: {'; '.join(also[:MAX_ALSO])}")] if also else rows


def _example(one: RowExample, pair: Pair) -> Bullet:
    """The phrase of a row, and its texts with the phrase highlighted."""
    text, context = (
        highlighted(harmless(words[:TEXT_LIMIT]), [(start, end, MARK) for start, end in marks])
        for words, marks in ((one.text, one.marks), (one.context, one.context_marks))
    )
    lines = [[Span(f"{name}: ", "quiet"), *words] for name, words in zip(pair or (), (context, text), strict=False)]  # fmt: skip
    return Bullet(Span(cut(one.phrase, PATTERN_LIMIT), "quiet"), below=[Paragraph(words, "line") for words in lines or [text]])  # fmt: skip


def _kinds_table(kinds: Sequence[tuple[PhraseKind, Sequence[Bullet]]], labels: Labels) -> Table:
    columns = [Column("Pattern"), Column("Goes with", style="to"), Column("Rows", number=True), Column("Label’s share", style="shares")]  # fmt: skip
    rows = []
    for kind, below in kinds:
        label = label_named(kind.label, labels)
        usual, share = _usual(label, labels), kind.tested_share
        words: Words = [Span(percent(share), "strong"), " ", Span(f"all rows {percent(usual)}", "quiet")]
        figures: list[Words | Cell] = [
            label_span(label),
            count(kind.tested),
            Cell(words, share_bar(share, usual, colour=label.colour)) if kind.tested else NONE,
            _interval(kind) if kind.tested else NONE,
            _difference(share, usual) if kind.tested else NONE,
            or_dash(kind.q, q_value),
        ]
        blocks = [Bullets(below, "examples")] if below else []
        rows.append(Row([Span(pattern_name(kind), "pattern"), *figures], label.colour, below=blocks))
    return Table(
        [*columns, *number_columns("95% interval", "Difference", "q")],
        rows,
        "findings",
        open=OPEN_KINDS,
        more="kinds",
    )


def _kind_bullet(kind: PhraseKind, below: Sequence[Bullet], labels: Labels) -> Bullet:
    label = label_named(kind.label, labels)
    above = _difference(kind.tested_share, _usual(label, labels))
    figures = (
        f"{share_sentence(kind, labels, interval=True)}: difference {above}, q {or_dash(kind.q, q_value)}"
    )
    name: Words = [
        "“",
        Span(pattern_name(kind), "pattern"),
        "”: ",
        label_span(label),
        " more often than usual",
    ]
    return Bullet(name, below=[Paragraph(figures), Bullets(below), BLANK])


def number_columns(*names: str) -> list[Column]:
    """Columns of numbers."""
    return [Column(name, number=True) for name in names]


def _usual(label: Label, labels: Labels) -> float:
    return label.count / (sum(each.count for each in labels.values()) or 1)


def _difference(share: float, usual: float) -> str:
    """The difference of two shares as they are printed, so that a reader can check it.

    >>> _difference(0.8305, 0.3333)
    '+49.7'
    """
    return signed(round(100 * share, 1) - round(100 * usual, 1), digits=1)


def _interval(kind: PhraseKind) -> str:
    return (
        f"{percent(kind.low)} to {percent(kind.high)}"
        if kind.low is not None and kind.high is not None
        else NONE
    )
