"""The page of a grammar run: patterns that go with a label, whether a classifier relies on them, trees, wrong predictions, contrast sets.

Patterns have their names in plain English (`longway.grammar_names`). The grammar's symbols are folded in the report, and on the terminal only
if `result.symbols` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from longway.grammars.trees import read_brackets
from longway.jobs.grammar.patterns import (  # fmt: skip
    MAX_KINDS,
    NOT_ONE,
    Pair,
    classifier_name,
    kinds_section,
    leaders,
    pattern_name,
    share_sentence,
)
from longway.jobs.grammar.reliance import reliance_section
from longway.jobs.grammar.result import (
    ContrastSummary,
    GrammarResult,
    PhraseKind,
    RuleRatio,
    RuleSummary,
    TreeExample,
    WrongPrediction,
)
from longway.jobs.pages import dataset_page
from longway.jobs.results import page_of
from longway.report.differences import versions as changed_words
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut
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
from longway.report.numbers import count, counted, percent, q_value, short
from longway.report.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Block,
    Blocks,
    Bullets,
    Card,
    Cards,
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
