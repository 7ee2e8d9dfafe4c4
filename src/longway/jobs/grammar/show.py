"""The page of a grammar run: patterns that go with a label, whether a classifier relies on them, trees, wrong predictions, contrast sets.

Patterns have their names in plain English (`longway.grammar_names`). The grammar's symbols are folded in the report, and on the terminal only
if `result.symbols` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from longway.grammars.trees import read_brackets
from longway.jobs.grammar.patterns import (  # fmt: skip
    MAX_KINDS,
    NOT_ONE,
    Pair,
    classifier_name,
    kinds_section,
    leaders,
    number_columns,
    pattern_name,
    share_sentence,
)
from longway.jobs.grammar.reliance import reliance_section
from longway.jobs.grammar.result import (
    ContrastSummary,
    GrammarResult,
    PhraseKind,
    RuleSummary,
    TreeExample,
    WrongPrediction,
)
from longway.jobs.pages import dataset_page
from longway.show.differences import versions as changed_words
from longway.show.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import (
    Label,
    Labels,
    label_named,
    label_span,
    labels_of,
    problem_bullet,
    setting_rows,
)
from longway.show.numbers import count, counted, or_dash, percent, q_value, short
from longway.show.sections import (
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
    Row,
    Section,
    Span,
    Table,
    Words,
    left_out,
)
from longway.show.tree_picture import tree_picture

MAX_PICTURES = 40
MAX_RULES = 20
MAX_WRONG = 20
MAX_EDITS = 10
MAX_PROBLEMS = 50
MAX_SPANS = 5
READING = [
    ("Rows, label’s share", "Counted in rows that did not choose the phrases: the rows are split into four parts, and each part counts what the parts before it chose. So no phrase is listed because it happened to occur with one label."),
    ("Group of phrases", "The grammar knows no linguistics: a group can mix phrases, and another seed gives other groups."),
]  # fmt: skip
NEXT = [
    "Read rows with it: findings.json has the ids of up to 20 rows with the pattern’s label (kinds, supporting) and 20 with others (counter).",
    "Decide whether it is fair: if “man” becomes “woman”, the texts often do contradict each other. If most rows with “sleeping” are contradictions, that is a habit of the writers: a shortcut.",
    "Weaken a shortcut: longway repair DATA --levels all. Keep what is fair with --keep PATTERN.",
]  # fmt: skip


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
            *_problems_section(result),
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
    columns = [Column("Goes with", style="to"), *number_columns("Rows", "Label’s share", "q")]
    kinds = [
        Row([" · ".join(cut(span) for span in kind.spans[:MAX_SPANS]), str(kind.root), *_counts(kind, labels)])
        for kind in result.composites[:MAX_KINDS]
    ]  # fmt: skip
    rules = [
        Row([cut(rule.name or "", PATTERN_LIMIT), Span(cut(rule.rule), "code"), *_counts(rule, labels)])
        for rule in result.rules[:MAX_RULES]
    ]  # fmt: skip
    blocks: Blocks = [
        Paragraph(text),
        Table([Column("Words"), *number_columns("Symbol"), *columns], kinds, caption="Kinds of phrases"),
        Table([Column("Built from"), Column("Rule"), *columns], rules, caption="Rules"),
    ]
    screen = [Only(SCREEN, blocks)] if result.symbols else []
    folded = Only(REPORT, [Details("Show symbols, rules and training", blocks)])
    return Section("symbols", "Symbols", [folded, *screen], on=REPORT_AND_SCREEN)


def _counts(row: PhraseKind | RuleSummary, labels: Labels) -> list[Words]:
    label = label_span(label_named(row.label, labels))
    return [label, count(row.count), percent(row.share), or_dash(row.q, q_value)]


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
        [label_span(label_named(picture.label, labels)), " ", Span(side, "quiet")],
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
    cards = []
    for at, one in enumerate(result.wrong[:MAX_WRONG]):
        predicted, label = label_named(one.answer, labels), label_named(one.label, labels)
        rules: list[Words] = [
            [
                Span(cut(rule.name or rule.span, PATTERN_LIMIT), "data"),
                Span(f" built in a way that is {short(rule.ratio)} times as frequent in rows of the predicted label", "quiet"),
            ]
            for rule in one.rules
        ]  # fmt: skip
        facts: list[Words] = [
            ["label ", label_span(label), Span(" predicted ", "quiet"), label_span(predicted)],
            Span(f"id {cut(one.id)}", "quiet end"),
        ]
        tree = _tree(one, predicted.colour, pair, f"wrong-{at}")
        cards.append(Card(facts, below=[tree, Bullets(rules, "speaks")], style="picture"))
    blocks: Blocks = [Paragraph(lead, "lead"), Cards(cards, "pictures")]
    return [Section("wrong", "Wrong predictions", blocks)]


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
            Column("Edit"), Column("Sets", number=True), Column("Suggests"), Column("Error", number=True), Column("95% interval"),
        ]  # fmt: skip
        rows = [_contrast_row(one, labels) for one in result.contrast[:MAX_EDITS]]
        end = Paragraph("All examples are in contrast.jsonl.", "rest")
        blocks = [Paragraph(lead, "lead"), Table(columns, rows, "contrast"), end]
    return [Section("contrast", "Contrast sets", blocks, on=REPORT_AND_SCREEN)]


def _contrast_row(one: ContrastSummary, labels: Labels) -> Row:
    example, interval = one.example, ""
    if one.low is not None and one.high is not None and one.counted is not None:
        interval = f"{percent(one.low)} to {percent(one.high)}, of {counted(one.counted, 'set')}"
    before, after = changed_words(example.before, example.after)
    result: list[str | Span] = ["label ", label_span(label_named(example.label, labels))]
    if example.answer is not None:
        result += [Span(" predicted ", "quiet"), label_span(label_named(example.answer, labels))]
    result.append(Span(f" id {cut(example.id)}", "quiet"))
    return Row(
        [
            cut(one.edit),
            count(one.sets),
            label_span(label_named(one.shortcut, labels)),
            Span(or_dash(one.error, percent), "strong"),
            interval,
        ],
        below=[
            Paragraph(Span(cut(example.context, TEXT_LIMIT), "data"), "example quiet"),
            Paragraph([*before, Span(" → ", "quiet"), *after], "example"),
            Paragraph(result, "example quiet"),
        ],
    )


def _next_section(result: GrammarResult) -> list[Section]:
    if not leaders(result.composites):
        return []
    return [Section("next", "What to do with a pattern", [Bullets(NEXT)], on=REPORT_AND_SCREEN)]


def _problems_section(result: GrammarResult) -> list[Section]:
    if not result.problems:
        return []
    shown = [problem_bullet(problem) for problem in result.problems[:MAX_PROBLEMS]]
    more = left_out(max(0, len(result.problems) - MAX_PROBLEMS), "problems are", "tables.json")
    blocks = [Bullets(shown, "problems"), *more]
    return [Section("problems", "About the data", blocks, on=REPORT_AND_SCREEN)]
