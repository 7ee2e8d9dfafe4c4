"""The page of a grammar run: patterns that go with a label, whether a classifier relies on them, trees, wrong predictions, contrast sets.

Patterns have their names in plain English (`longway.grammar_names`). The grammar's symbols are folded in the report, and on the terminal only
if `result.symbols` says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from longway.grammar_names import ADDED, COPIED, LEFT_OUT, RARE, REPLACED, SLOT
from longway.grammars.trees import read_brackets
from longway.jobs.grammar.result import (
    ClassifierSummary,
    ContrastSummary,
    GrammarResult,
    KindAccuracy,
    PhraseKind,
    RowExample,
    RuleRatio,
    RuleSummary,
    SideAccuracy,
    TreeExample,
    WrongPrediction,
)
from longway.jobs.results import dataset_page, page_of
from longway.report.charts import share_bar
from longway.report.differences import versions as changed_words
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut, harmless, highlighted
from longway.report.labels import (
    Label,
    Labels,
    label_named,
    label_span,
    labels_of,
    named_span,
    problems_section,
    setting_rows,
)
from longway.report.numbers import count, counted, or_dash, percent, points, q_value, short, signed
from longway.report.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Block,
    Blocks,
    Bullets,
    Card,
    Cards,
    Cell,
    Column,
    Details,
    Facts,
    Heading,
    KeyFigure,
    Only,
    Page,
    Paragraph,
    Picture,
    Section,
    Span,
    Words,
    table_of,
)
from longway.report.tree_picture import tree_picture

MAX_COMPARED = 20
ENOUGH = 10  # rows of a side for its accuracy to be compared
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
MAX_PICTURES = 40
MAX_RULES = 20
MAX_WRONG = 20
MAX_EDITS = 10
MAX_SPANS = 5
READING = [
    ("Rows, label’s share", "Counted in rows that did not choose the phrases: the rows are split into four parts, and each part counts what the parts before it chose. So no phrase is listed because it happened to occur with one label."),
    ("95% interval", "The likely range of the true share; wide if the rows are few."),
    ("Difference", "Between the label’s share with the pattern and in all rows, in percentage points."),
    ("q", "The p-value corrected for testing many patterns: of all patterns with q up to a limit, about that share is expected to be chance."),
    ("Group of phrases", "The grammar knows no linguistics: a group can mix phrases, and another seed gives other groups."),
]  # fmt: skip
NEXT = [
    "Read rows with it: findings.json has the ids of up to 20 rows with the pattern’s label (kinds, supporting) and 20 with others (counter).",
    "Decide whether it is fair: if “man” becomes “woman”, the texts often do contradict each other. If most rows with “sleeping” are contradictions, that is a habit of the writers: a shortcut.",
    "Weaken a shortcut: longway repair DATA --levels all. Keep what is fair with --keep PATTERN.",
]  # fmt: skip


@page_of(GrammarResult)
def grammar_page(result: GrammarResult) -> Page:
    """All sections of a grammar run."""
    dataset, grammar = result.dataset, result.grammar
    labels = labels_of(grammar.labels)
    fields = [cut(dataset.fields.get(role) or role) for role in ("context", "text")]
    pair = (fields[0], fields[1]) if grammar.kind == "pair" else None
    return dataset_page(
        result,
        "Longway grammar",
        "Phrase patterns of",
        verdict=_verdict(result, labels),
        figures=_key_figures(result),
        figures_style="" if result.classifier else "three",
        sections=[
            kinds_section(result, labels, pair),
            *reliance_section(result, labels, pair),
            *_contrast_section(result, labels),
            *_trees_section(result.pictures[:MAX_PICTURES], labels, pair),
            *_wrong_section(result, labels, pair),
            *problems_section(result.problems, "Problems in the data", "tables.json"),
            *_next_section(result),
            Section("reading", "How to read this", [Facts(READING, "reading")]),
            _symbols_section(result, labels),
        ],
        sheets=("grammar.css",),

        settings=setting_rows(asdict(result.settings), source="run.json"),
    )  # fmt: skip


def _verdict(result: GrammarResult, labels: Labels) -> str:
    best = next((kind for _, kind in leaders(result.composites)), None)
    if best is None:
        return NOT_ONE
    return f"“{pattern_name(best)}”: {share_sentence(best, labels)}."


def _key_figures(result: GrammarResult) -> list[KeyFigure]:
    grammar, classifier = result.grammar, result.classifier
    n, unit = len(leaders(result.composites)), "pairs" if grammar.kind == "pair" else "sentences"
    figures = [
        KeyFigure("Patterns that go with a label", count(n), f"of {counted(grammar.kinds or len(result.composites), 'kind')} of phrases"),
        KeyFigure("Used to group phrases", count(grammar.texts), f"{unit}, without their labels"),
        KeyFigure("Used to count labels", count(grammar.tested_rows or grammar.rows), "rows"),
    ]  # fmt: skip
    if classifier is not None:
        note = f"right on {counted(classifier.rows, 'held-out row')}"
        figures.append(
            KeyFigure(f"Classifier {classifier_name(classifier)}", percent(classifier.accuracy), note)
        )
    return figures


# Symbols


def _symbols_section(result: GrammarResult, labels: Labels) -> Section:
    """The grammar's symbols, rules and training, as in the paper's tables: for those who ask."""
    grammar = result.grammar
    where = "a GPU" if grammar.device == "cuda" else "a CPU"
    nats = " → ".join(f"{check['held_out']:.3f}" for check in grammar.history)
    text = (
        f"{count(grammar.nonterminals)} + {count(grammar.preterminals)} symbols, {counted(grammar.words, 'word')}, trained on {where}. Nats per word of "
        f"{count(grammar.held_out_texts)} held-out texts after each epoch (lower is better): {nats}. A symbol is a number for one kind of phrase. In a "
        "pair, words of the context are before the slash and words of the text behind it; ε stands for no word. Counts are of all training rows."
    )
    columns = [
        Column("Goes with", "label", style="to", form=partial(named_span, labels=labels)),
        Column("Rows", "count", number=True),
        Column("Label’s share", "share", number=True, form=percent),
        Column("q", "q", number=True, form=q_value),
    ]
    of_kinds = [Column("Words", _spans), Column("Symbol", "root", str, number=True), *columns]
    of_rules = [Column("Built from", _built_from), Column("Rule", _rule_code), *columns]
    blocks: Blocks = [
        Paragraph(text),
        *table_of(result.composites[:MAX_KINDS], of_kinds, caption="Kinds of phrases"),
        *table_of(result.rules[:MAX_RULES], of_rules, caption="Rules"),
    ]
    screen = [Only(SCREEN, blocks)] if result.symbols else []
    folded = Only(REPORT, [Details("Show symbols, rules and training", blocks)])
    return Section("symbols", "Symbols", [folded, *screen], on=REPORT_AND_SCREEN)


def _spans(kind: PhraseKind) -> str:
    return " · ".join(cut(span) for span in kind.spans[:MAX_SPANS])


def _built_from(rule: RuleSummary) -> str:
    return cut(rule.name or "", PATTERN_LIMIT)


def _rule_code(rule: RuleSummary) -> Span:
    return Span(cut(rule.rule), "code")


# Trees


def _trees_section(pictures: Sequence[TreeExample], labels: Labels, pair: Pair) -> list[Section]:
    if not pictures:
        return []
    by_kind: dict[tuple[int, str, str], list[tuple[int, TreeExample]]] = {}
    for at, picture in enumerate(pictures):
        by_kind.setdefault((picture.root, picture.composite, picture.name), []).append((at, picture))
    lines = f" Words of the {pair[0]} are above those of the {pair[1]}; – stands for no word." if pair else ""
    lead = f"How the grammar splits some rows, with the phrase in the colour of the label that it goes with.{lines}"
    blocks: Blocks = [Paragraph(lead, "lead")]
    for (_, name, _), members in by_kind.items():
        label = label_named(name, labels)
        words = members[0][1].name or ", ".join(dict.fromkeys(picture.marked for _, picture in members))
        cards = [_tree_card(picture, label, labels, pair, f"tree-{at}") for at, picture in members]
        heading = Heading(Span(cut(words, PATTERN_LIMIT), "data"), ["goes with ", label_span(label)])
        blocks += [heading, Cards(cards, f"pictures {label.colour}")]
    return [Section("trees", "Trees", blocks)]


def _tree_card(picture: TreeExample, predicted: Label, labels: Labels, pair: Pair, key: str) -> Card:
    side = f"supports {predicted.name}" if picture.side == "supporting" else "counter-example"
    facts: list[Words] = [
        [named_span(picture.label, labels), " ", Span(side, "quiet")],
        Span(f"id {cut(picture.id)}", "quiet end"),
    ]
    return Card(facts, below=[_tree(picture, predicted.colour, pair, key)], style="picture")


def _tree(drawn: TreeExample | WrongPrediction, colour: str, pair: Pair, key: str) -> Block:
    svg = tree_picture(read_brackets(drawn.tree), drawn.marks, colour=colour, pair=pair is not None, key=key)
    if svg is None:
        return Paragraph("The tree is too large to draw; it is in trees.txt.", "quiet")
    return Picture(svg)


def _wrong_section(result: GrammarResult, labels: Labels, pair: Pair) -> list[Section]:
    if not result.wrong or result.classifier is None:
        return []
    lead = (
        f"Rows that the classifier ({classifier_name(result.classifier)}) gets wrong, with the phrases that are built in a way that is most "
        "frequent in training rows of the predicted label, compared with those of the true label."
    )
    cards = [_wrong_card(one, labels, pair, f"wrong-{at}") for at, one in enumerate(result.wrong[:MAX_WRONG])]
    return [Section("wrong", "Wrong predictions", [Paragraph(lead, "lead"), Cards(cards, "pictures")])]


def _wrong_card(one: WrongPrediction, labels: Labels, pair: Pair, key: str) -> Card:
    predicted = label_named(one.answer, labels)
    facts: list[Words] = [
        _labelled_and_predicted(one.label, one.answer, labels),
        Span(f"id {cut(one.id)}", "quiet end"),
    ]
    rules = [_rule_words(rule) for rule in one.rules]
    below = [_tree(one, predicted.colour, pair, key), Bullets(rules, "speaks")]
    return Card(facts, below=below, style="picture")


def _rule_words(rule: RuleRatio) -> Words:
    ratio = f" built in a way that is {short(rule.ratio)} times as frequent in rows of the predicted label"
    return [Span(cut(rule.name or rule.span, PATTERN_LIMIT), "data"), Span(ratio, "quiet")]


def _labelled_and_predicted(label: str, answer: str | None, labels: Labels) -> list[str | Span]:
    words: list[str | Span] = ["label ", named_span(label, labels)]
    if answer is not None:
        words += [Span(" predicted ", "quiet"), named_span(answer, labels)]
    return words


# Contrast sets


def _contrast_section(result: GrammarResult, labels: Labels) -> list[Section]:
    if result.contrast is None:
        return []
    if not result.contrast:
        text = "No held-out row could be edited. More rows (--limit) teach the grammar more words."
        blocks: Blocks = [Paragraph(text, "nothing")]
    else:
        lead = "Held-out rows, edited with the grammar’s own words so that they have a shortcut but not its label."
        if result.classifier is not None:
            lead += (
                f" The error of the classifier ({classifier_name(result.classifier)}): of the sets whose row it predicts correctly, those in which an edited row gets the label that the "
                "shortcut suggests."
            )
        columns = [
            Column("Edit", "edit", form=cut),
            Column("Sets", "sets", number=True),
            Column("Suggests", "shortcut", form=partial(named_span, labels=labels)),
            Column("Error", "error", number=True, form=_strong_percent),
            Column("95% interval", _contrast_interval, drop=1),
        ]
        table = table_of(
            result.contrast[:MAX_EDITS], columns, "contrast", below=partial(_contrast_example, labels=labels)
        )
        end = Paragraph("All examples are in contrast.jsonl.", "rest")
        blocks = [Paragraph(lead, "lead"), *table, end]
    return [Section("contrast", "Contrast sets", blocks, on=REPORT_AND_SCREEN)]


def _strong_percent(share: float) -> Span:
    return Span(percent(share), "strong")


def _contrast_interval(one: ContrastSummary) -> str:
    if one.low is None or one.high is None or one.counted is None:
        return ""
    return f"{percent(one.low)} to {percent(one.high)}, of {counted(one.counted, 'set')}"


def _contrast_example(one: ContrastSummary, labels: Labels) -> Blocks:
    example = one.example
    before, after = changed_words(example.before, example.after)
    answer = _labelled_and_predicted(example.label, example.answer, labels)
    return [
        Paragraph(Span(cut(example.context, TEXT_LIMIT), "data"), "example quiet"),
        Paragraph([*before, Span(" → ", "quiet"), *after], "example"),
        Paragraph([*answer, Span(f" id {cut(example.id)}", "quiet")], "example quiet"),
    ]


def _next_section(result: GrammarResult) -> list[Section]:
    if not leaders(result.composites):
        return []
    return [Section("next", "What to do with a pattern", [Bullets(NEXT)], on=REPORT_AND_SCREEN)]


# Patterns


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


# Reliance


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
