"""The page of a grammar run: patterns that go with a label, whether a classifier relies on them, trees, wrong predictions, contrast sets.

Patterns have their names in plain English (`longway.grammar_names`). The grammar's symbols are folded in the report, and on the terminal only
if `result.symbols` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from longway.grammar_names import RARE
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
OF_PAIRS = [
    (
        "man → woman",
        "The text has “woman” where its context has “man”. In the same way, added, left out and copied say what happened to words of the context.",
    ),
]
NOTATION = [
    (
        "to ___ (work or get)",
        "“to work” or “to get”. If a name ends with “or 10 more”, findings.json has the full list, under “kinds”.",
    ),
    (RARE, "Any word that is rare in the texts."),
]
MAX_PICTURES = 40
MAX_RULES = 20
SIDES = {"supporting": "supporting example", "counter": "counter-example"}
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
    following = Section("next", "What to do with a pattern", [Bullets(NEXT)], on=REPORT_AND_SCREEN)
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
            *([following] if leaders(result.composites) else []),
            Section("reading", "How to read this", [Facts(READING, "reading")]),
            _symbols_section(result, labels),
        ],
        sheets=("grammar.css",),

        settings=setting_rows(asdict(result.settings), source="run.json"),
    )  # fmt: skip


def _verdict(result: GrammarResult, labels: Labels) -> str:
    listed = leaders(result.composites)
    if not listed:
        return NOT_ONE
    best = listed[0]
    return (
        f"“{pattern_name(best)}”: {percent(best.tested_share)} of {counted(best.tested, 'row')} with it are "
        f"{label_named(best.label, labels).name}, compared with {percent(_usual(best.label, labels))} of all rows."
    )


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
    of_rules = [
        Column("Built from", "name", partial(cut, limit=PATTERN_LIMIT)),
        Column("Rule", _rule_code),
        *columns,
    ]
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
        cards = [
            _card(
                picture,
                [named_span(picture.label, labels), " ", Span(SIDES[picture.side], "quiet")],
                [_tree(picture, label.colour, pair, f"tree-{at}")],
            )
            for at, picture in members
        ]
        heading = Heading(Span(cut(words, PATTERN_LIMIT), "data"), ["goes with ", label_span(label)])
        blocks += [heading, Cards(cards, f"pictures {label.colour}")]
    return [Section("trees", "Trees", blocks)]


def _card(drawn: TreeExample | WrongPrediction, heading: Words, below: Blocks) -> Card:
    return Card([heading, Span(f"id {cut(drawn.id)}", "quiet end")], below=below, style="picture")


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
        tree = _tree(one, label_named(one.answer, labels).colour, pair, f"wrong-{at}")
        below = [tree, Bullets([_rule_words(rule) for rule in one.rules], "speaks")]
        cards.append(_card(one, _labelled_and_predicted(one.label, one.answer, labels), below))
    return [Section("wrong", "Wrong predictions", [Paragraph(lead, "lead"), Cards(cards, "pictures")])]


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
            Column("Error", "error", number=True, form=percent),
            Column("95% interval", _interval, drop=1),
            Column("Of sets", "counted", number=True, drop=2),
        ]
        table = table_of(
            result.contrast[:MAX_EDITS], columns, "contrast", below=partial(_contrast_example, labels=labels)
        )
        end = Paragraph("All examples are in contrast.jsonl.", "rest")
        blocks = [Paragraph(lead, "lead"), *table, end]
    return [Section("contrast", "Contrast sets", blocks, on=REPORT_AND_SCREEN)]


def _contrast_example(one: ContrastSummary, labels: Labels) -> Blocks:
    example = one.example
    before, after = changed_words(example.before, example.after)
    answer = _labelled_and_predicted(example.label, example.answer, labels)
    return [
        Paragraph(Span(cut(example.context, TEXT_LIMIT), "data"), "example quiet"),
        Paragraph([*before, Span(" → ", "quiet"), *after], "example"),
        Paragraph([*answer, Span(f" id {cut(example.id)}", "quiet")], "example quiet"),
    ]


# Patterns


def classifier_name(classifier: ClassifierSummary) -> str:
    """The classifier in words."""
    return "bag of words" if classifier.name == "bow" else cut(classifier.name)


def pattern_name(kind: PhraseKind) -> str:
    """The name of a kind, cut to a line."""
    return cut(kind.name or ", ".join(kind.spans), PATTERN_LIMIT)


def leaders(kinds: Sequence[PhraseKind]) -> list[PhraseKind]:
    """The significant kinds, without those in nearly the same rows as a stronger one."""
    return [kind for kind in kinds if kind.q is not None and kind.same_as is None]


def kinds_section(result: GrammarResult, labels: Labels, pair: Pair) -> Section:
    """The significant kinds with their figures and examples."""

    def below(kind: PhraseKind) -> Blocks:
        examples = [block for one in kind.examples[:EXAMPLES] for block in _example(one, pair)]
        return [Only(REPORT, [*examples, *_similar(kind, result.composites)])]

    def colour(kind: PhraseKind) -> str:
        return label_named(kind.label, labels).colour

    def share(kind: PhraseKind) -> Cell:
        usual = Span(f"all rows {percent(_usual(kind.label, labels))}", "quiet")
        bar = share_bar(kind.tested_share, _usual(kind.label, labels), colour=colour(kind))
        return Cell([Span(percent(kind.tested_share), "strong"), " ", usual], bar)

    def difference(kind: PhraseKind) -> str:
        """The difference of two shares as they are printed, so that a reader can check it."""
        usual = _usual(kind.label, labels)
        return signed(round(100 * kind.tested_share, 1) - round(100 * usual, 1), digits=1)

    columns = [
        Column("Pattern", _pattern),
        Column("Goes with", "label", style="to", form=partial(named_span, labels=labels)),
        Column("Rows", "tested", number=True),
        Column("Label’s share", share, style="shares"),
        Column("95% interval", _interval, number=True, drop=3),
        Column("Difference", difference, number=True, drop=1),
        Column("q", "q", number=True, drop=2, form=q_value),
    ]
    table = table_of(
        leaders(result.composites),
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
    notation = Facts([*(OF_PAIRS if pair else ()), *NOTATION], "reading notation")
    lead: Blocks = [Paragraph(LEAD, "lead"), Only(SCREEN, [Paragraph(COUNTED)]), notation]
    blocks = [*lead, *table] if table else [Paragraph(NOT_ONE, "nothing")]
    return Section("kinds", "Patterns that go with a label", blocks, on=REPORT_AND_SCREEN)


def _usual(label: str, labels: Labels) -> float:
    return label_named(label, labels).count / (sum(each.count for each in labels.values()) or 1)


def _interval(one: PhraseKind | ContrastSummary) -> str | None:
    return None if one.low is None or one.high is None else f"{percent(one.low)} to {percent(one.high)}"


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
    compared = [kind for kind in listed if kind.accuracy is not None][:MAX_COMPARED]
    if not compared or classifier is None:
        return []
    reads = "both texts" if pair else "the text"
    explained = (
        f"A classifier ({classifier_name(classifier)}) that reads {reads} was tested on {counted(classifier.rows, 'held-out row')}: it is right on {percent(classifier.accuracy)}. "
        "The table has how many of the held-out rows with a pattern it gets right, if they have the pattern’s label, and if they have another one. If it is right far "
        f"more often with the pattern’s label (gap, in percentage points), it may rely on the pattern. With fewer than {ENOUGH} rows on a side, the gap is “too few”; if it is 0 or less, “no gap”. Compared are {len(compared)} of {counted(len(listed), 'pattern')}, the strongest."
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
    return [_pattern(kind), " ", named_span(kind.label, labels)]


def _pattern(kind: PhraseKind) -> Span:
    return Span(pattern_name(kind), "pattern")


def _gap(found: KindAccuracy) -> str:
    """The gap if there are enough rows on both sides."""
    if min(found.supporting.n, found.counter.n) < ENOUGH:
        return "too few"
    return or_dash(found.gap, points) if found.gap is None or found.gap > 0 else "no gap"


def _right_of(side: SideAccuracy) -> str:
    """How many rows of a side the classifier gets right: "6 of 10"."""
    return f"{count(round((side.accuracy or 0) * side.n))} of {count(side.n)}"
