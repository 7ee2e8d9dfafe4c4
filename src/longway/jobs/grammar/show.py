"""The page of a grammar run: patterns that predict the label, a classifier with and against them, trees, wrong predictions, contrast sets.

Patterns have their names in plain English (`longway.grammar_names`). The grammar's symbols are folded in the report, and on the terminal only
if `result.symbols` says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from longway.grammars.trees import read_brackets
from longway.jobs.grammar.figures import saliency_blocks, saliency_note, versions_figure
from longway.jobs.grammar.result import (
    ClassifierSummary,
    ContrastSummary,
    GrammarResult,
    KindVersions,
    PhraseKind,
    RowExample,
    RuleSummary,
    TreeExample,
    VersionAccuracy,
    WrongPrediction,
)
from longway.show.charts import share_bar
from longway.show.differences import versions as changed_words
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut, harmless, highlighted
from longway.show.labels import (
    Label,
    label_named,
    label_span,
    labels_of,
    problem_bullet,
    roles_of,
    setting_rows,
)
from longway.show.numbers import NONE, count, counted, or_dash, percent, points, q_value, short
from longway.show.sections import (
    REPORT,
    SCREEN,
    Block,
    Bullet,
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
    Row,
    Section,
    Span,
    Table,
    Words,
    left_out,
)
from longway.show.tree_picture import tree_picture

MAX_KINDS, OPEN_KINDS, KINDS_ON_SCREEN = 40, 12, 8
MAX_COMPARED, COMPARED_ON_SCREEN = 20, 8
MAX_PICTURES = 40
MAX_RULES = 20
MAX_WRONG = 20
MAX_EDITS = 10
MAX_PROBLEMS = 50
MAX_SPANS, MAX_ALSO = 5, 3
EXAMPLES = 3  # rows below a pattern
MARK = 3  # highlighting of a phrase in its example

Labels = Mapping[str, Label]
Pair = tuple[str, str] | None  # the names of the context and text columns; None for single texts
BLANK = Paragraph(" ")
NOT_ONE = "No kind of phrase is correlated with a label beyond chance."


def grammar_page(result: GrammarResult) -> Page:
    """All sections of a grammar run."""
    dataset, grammar = result.dataset, result.grammar
    labels = labels_of(grammar.labels)
    fields = [cut(dataset.fields.get(role) or role, NAME_LIMIT) for role in ("context", "text")]
    pair = (fields[0], fields[1]) if grammar.kind == "pair" else None
    return Page(
        kicker="Longway grammar",
        title=cut(f"Grammar of {dataset.name}", PATTERN_LIMIT),
        verdict=_verdict(result, labels),
        facts=[
            ("Dataset", cut(dataset.name, PATTERN_LIMIT)),
            ("Columns", roles_of(dataset)),
            ("Made", cut(result.created, NAME_LIMIT)),
        ],
        figures=_key_figures(result),
        figures_style="three",
        sections=[
            _kinds_section(result, labels, pair),
            *_versions_section(result, labels, pair),
            *_contrast_section(result, labels),
            *_trees_section(result.pictures[:MAX_PICTURES], labels, pair),
            *_wrong_section(result, labels, pair),
            *_problems_section(result),
            Section("reading", "How to read this", [Facts(READING, "reading")]),
            _symbols_section(result, labels),
        ],
        sheets=("grammar.css",),
        version=result.longway,
        fingerprint=dataset.fingerprint,
        streamed=dataset.streamed,
        settings=setting_rows(asdict(result.settings), source="run.json"),
    )  # fmt: skip


def _verdict(result: GrammarResult, labels: Labels) -> str:
    best = next((kind for kind in result.composites if kind.q is not None), None)
    if best is None:
        return NOT_ONE
    label = label_named(best.label, labels)
    return f"“{_name(best)}”: {_tested(best, label, labels)}."


def _tested(kind: PhraseKind, label: Label, labels: Labels) -> str:
    """How often the label is right where the kind occurs, in rows that did not choose its phrases."""
    return f"{percent(kind.tested_share)} of {counted(kind.tested, 'row')} with it are {label.name}, usually {percent(_usual(label, labels))}"


def _usual(label: Label, labels: Labels) -> float:
    return label.count / (sum(each.count for each in labels.values()) or 1)


def _name(kind: PhraseKind | KindVersions) -> str:
    return cut(kind.name or ", ".join(kind.spans), PATTERN_LIMIT)


def _key_figures(result: GrammarResult) -> list[KeyFigure]:
    grammar, classifier, kinds = result.grammar, result.classifier, result.composites
    n, unit = sum(kind.q is not None for kind in kinds), "pairs" if grammar.kind == "pair" else "sentences"
    figures = [
        KeyFigure("Patterns that predict a label", count(n), f"of {count(len(kinds))} kinds of phrases"),
        KeyFigure("Learned from", count(grammar.texts), f"{unit}, without labels"),
    ]
    if classifier is not None:
        note = f"right on {counted(classifier.rows, 'held-out row')}"
        figures.append(KeyFigure(f"Classifier {_classifier(classifier)}", percent(classifier.accuracy), note))
    return figures


def _classifier(classifier: ClassifierSummary) -> str:
    return "bag of words" if classifier.name == "bow" else cut(classifier.name, NAME_LIMIT)


# Patterns

READING = [
    ("Rows, label’s share", "Counted in rows that did not choose the phrases: the rows are split into four parts, and each part counts what the parts before it chose. So no phrase is listed because it happened to occur with one label."),
    ("Kind of phrase", "The grammar learned without labels which phrases are used in the same way. It knows no linguistics: a kind can mix phrases, and another seed gives other kinds."),
    ("What it does not say", "A correlation is not an error: if a man becomes a woman, that often is a contradiction. It is a shortcut if a model relies on it without reading the rest."),
]  # fmt: skip


def _notation(pair: Pair) -> list[tuple[Words, Words]]:
    """How names and figures are written."""
    context, text = pair or ("", "")
    of_pairs: list[tuple[Words, Words]] = [
        ("man → woman", f"The {text} has “woman” where the {context} has “man”."),
        ("added, left out, copied", f"Words that only the {text} has, that only the {context} has, that both have."),
    ]  # fmt: skip
    return [
        *(of_pairs if pair else []),
        ("to ___ (work, get)", "“to work” or “to get”."),
        ("[rare word]", "Any word that is too rare for the grammar to know."),
        ("points", "Percentage points above the label’s usual share."),
        ("q", "The risk of chance: of patterns with q up to 0.05, about one in twenty is chance."),
    ]


def _kinds_section(result: GrammarResult, labels: Labels, pair: Pair) -> Section:
    listed = [
        (at, kind) for at, kind in enumerate(result.composites) if kind.q is not None and kind.same_as is None
    ]
    others = [kind for kind in result.composites if kind.q is None]
    blocks: list[Block] = [Paragraph(NOT_ONE, "nothing")]
    if listed:
        significant = [(kind, _below(at, result.composites, pair)) for at, kind in listed[:MAX_KINDS]]
        lead = "The most informative first. Below each are rows with its label."
        blocks = [
            Paragraph(lead, "lead"),
            Facts(_notation(pair), "reading notation"),
            Only(REPORT, [_kinds_table(significant, labels), *left_out(max(0, len(listed) - MAX_KINDS), "are", "tables.json")]),
            Only(SCREEN, [BLANK, Bullets([_kind_bullet(kind, below, labels) for kind, below in significant], screen=KINDS_ON_SCREEN, more="patterns")]),
        ]  # fmt: skip
    if others:
        summary = f"{counted(len(others), 'kind')} without evidence: they may be chance"
        table = _kinds_table([(kind, []) for kind in others[:MAX_KINDS]], labels)
        blocks.append(Only(REPORT, [Details(summary, [table])]))
    return Section("kinds", "Patterns that predict the label", blocks, on=REPORT | SCREEN)


def _below(at: int, kinds: Sequence[PhraseKind], pair: Pair) -> list[Block]:
    """Rows with a kind, and the names of others that are in nearly the same rows."""
    rows = [Paragraph(_example_words(one, pair), "example") for one in kinds[at].examples[:EXAMPLES]]
    also = [_name(kind) for kind in kinds if kind.same_as == at and kind.q is not None]
    return (
        [*rows, Paragraph(f"in nearly the same rows: {'; '.join(also[:MAX_ALSO])}", "also")]
        if also
        else [*rows]
    )


def _kinds_table(kinds: Sequence[tuple[PhraseKind, Sequence[Block]]], labels: Labels) -> Table:
    columns = [Column("Pattern"), Column("Predicts", style="to"), Column("Rows", number=True), Column("Label’s share", style="shares")]  # fmt: skip
    rows = []
    for kind, below in kinds:
        label = label_named(kind.label, labels)
        usual = _usual(label, labels)
        words: Words = [
            Span(percent(kind.tested_share), "strong"),
            " ",
            Span(f"usual {percent(usual)}", "quiet"),
        ]
        share = Cell(words, share_bar(kind.tested_share, usual, colour=label.colour)) if kind.tested else NONE
        above = points(kind.tested_share - usual) if kind.tested else NONE
        figures: list[Words | Cell] = [
            label_span(label),
            count(kind.tested),
            share,
            above,
            or_dash(kind.q, q_value),
        ]
        rows.append(Row([Span(_name(kind), "pattern"), *figures], label.colour, below=below))
    return Table([*columns, *_numbers("Points", "q")], rows, "findings", open=OPEN_KINDS, more="kinds")


def _kind_bullet(kind: PhraseKind, below: Sequence[Block], labels: Labels) -> Bullet:
    label = label_named(kind.label, labels)
    above = points(kind.tested_share - _usual(label, labels))
    figures = f"{_tested(kind, label, labels)}: {above} points, q {or_dash(kind.q, q_value)}"
    name: Words = ["“", Span(_name(kind), "pattern"), "” predicts ", label_span(label)]
    return Bullet(
        name,
        below=[
            Paragraph(figures),
            Bullets([block.words for block in below if isinstance(block, Paragraph)]),
            BLANK,
        ],
    )


def _example_words(one: RowExample, pair: Pair) -> list[str | Span]:
    """A row with the phrase highlighted: the context, an arrow, the text."""
    text, context = (
        highlighted(harmless(words[:TEXT_LIMIT]), [(start, end, MARK) for start, end in marks])
        for words, marks in ((one.text, one.marks), (one.context, one.context_marks))
    )
    return [*context, Span(" → ", "quiet"), *text] if pair else text


def _numbers(*names: str) -> list[Column]:
    return [Column(name, number=True) for name in names]


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
    columns = [Column("Predicts", style="to"), *_numbers("Rows", "Label’s share", "q")]
    kinds = [
        Row([" · ".join(cut(span, NAME_LIMIT) for span in kind.spans[:MAX_SPANS]), str(kind.root), *_counts(kind, labels)])
        for kind in result.composites[:MAX_KINDS]
    ]  # fmt: skip
    rules = [
        Row([cut(rule.name or "", PATTERN_LIMIT), Span(cut(rule.rule, NAME_LIMIT), "code"), *_counts(rule, labels)])
        for rule in result.rules[:MAX_RULES]
    ]  # fmt: skip
    blocks: list[Block] = [
        Paragraph(text),
        Table([Column("Words"), *_numbers("Symbol"), *columns], kinds, caption="Kinds of phrases"),
        Table([Column("Built from"), Column("Rule"), *columns], rules, caption="Rules"),
    ]
    screen = [Only(SCREEN, blocks)] if result.symbols else []
    folded = Only(REPORT, [Details("Show symbols, rules and training", blocks)])
    return Section("symbols", "Symbols", [folded, *screen], on=REPORT | SCREEN)


def _counts(row: PhraseKind | RuleSummary, labels: Labels) -> list[Words]:
    label = label_span(label_named(row.label, labels))
    return [label, count(row.count), percent(row.share), or_dash(row.q, q_value)]


# Trees


def _trees_section(pictures: Sequence[TreeExample], labels: Labels, pair: Pair) -> list[Section]:
    if not pictures:
        return []
    by_kind: dict[tuple[int, str], list[tuple[int, TreeExample]]] = {}
    for at, picture in enumerate(pictures):
        by_kind.setdefault((picture.root, picture.composite), []).append((at, picture))
    lines = f" Words of the {pair[0]} are above those of the {pair[1]}; – stands for no word." if pair else ""
    lead = f"How the grammar splits some rows, with the phrase in the colour of the label that it predicts.{lines}"
    blocks: list[Block] = [Paragraph(lead, "lead")]
    for (_, name), members in by_kind.items():
        label = label_named(name, labels)
        words = members[0][1].name or ", ".join(dict.fromkeys(picture.marked for _, picture in members))
        cards = [_tree_card(picture, label, labels, pair, f"tree-{at}") for at, picture in members]
        heading = Heading(Span(cut(words, PATTERN_LIMIT), "data"), ["predicts ", label_span(label)])
        blocks += [heading, Cards(cards, f"pictures {label.colour}")]
    return [Section("trees", "Trees", blocks)]


def _tree_card(picture: TreeExample, predicted: Label, labels: Labels, pair: Pair, key: str) -> Card:
    side = f"supports {predicted.name}" if picture.side == "supporting" else "counter-example"
    facts: list[Words] = [
        [label_span(label_named(picture.label, labels)), " ", Span(side, "quiet")],
        Span(f"id {cut(picture.id, NAME_LIMIT)}", "quiet end"),
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
        f"Rows that the classifier ({_classifier(result.classifier)}) gets wrong, with the phrases that are built in a way that is most "
        "frequent in training rows of the predicted label, compared with those of the true label."
    ) + saliency_note(result)
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
            Span(f"id {cut(one.id, NAME_LIMIT)}", "quiet end"),
        ]
        tree = _tree(one, predicted.colour, pair, f"wrong-{at}")
        salient = saliency_blocks(one, predicted.colour, labels)
        cards.append(Card(facts, below=[*salient, tree, Bullets(rules, "speaks")], style="picture"))
    blocks: list[Block] = [Paragraph(lead, "lead"), Cards(cards, "pictures")]
    return [Section("wrong", "Wrong predictions", blocks)]


# The classifier with and against each kind


def _versions_section(result: GrammarResult, labels: Labels, pair: Pair) -> list[Section]:
    if not result.versions:
        return []
    classifier, compared = result.classifier, result.versions[:MAX_COMPARED]
    places = "anywhere in both texts, and in the text alone" if pair else "anywhere in the text"
    trees = f"Each pattern as the grammar sees it, and as plain phrases {places}."
    columns = [Column("Pattern"), Column("Seen as"), *_numbers("Rows with its label", "and without")]
    rows = [row for kind in compared for row in _version_rows(kind, labels, classifier is not None)]
    figure = versions_figure(result, labels)
    blocks: list[Block]
    if classifier is None:
        blocks = [Paragraph(trees, "lead"), *figure, Table(columns, rows, "versions")]
        return [Section("versions", "Are the trees needed?", blocks)]
    name = _classifier(classifier)
    tested = _numbers("With it", "Against it", "Gap")
    text = (
        f"How often a classifier ({name}) is right on held-out rows with the pattern: if they have the label that it predicts (with it), and if they have "
        f"another (against it). A large gap means that it relies on the pattern. On all held-out rows it is right on {percent(classifier.accuracy)}."
    )  # fmt: skip
    first = [
        Row([Span(_name(kind), "pattern"), *_accuracy(kind.versions[0].accuracy)]) for kind in compared[:COMPARED_ON_SCREEN]
    ]  # fmt: skip
    blocks = [
        Paragraph(text),
        Only(REPORT, [Paragraph(trees, "lead"), *figure, Table([*columns, *tested], rows, "versions")]),
        Only(SCREEN, [Table([Column("Pattern"), *tested], first)]),
    ]
    return [Section("versions", "Does a classifier rely on it?", blocks, on=REPORT | SCREEN)]


SEEN_AS = {"grammar": "grammar", "n-gram pair": "plain phrases", "second only": "plain phrases, text alone"}


def _version_rows(kind: KindVersions, labels: Labels, has_classifier: bool) -> list[Row]:
    """A row per version; the first names the kind."""
    label, rows = label_named(kind.label, labels), []
    for at, version in enumerate(kind.versions):
        words: Words = [Span(_name(kind), "data"), " ", label_span(label)]
        accuracy = _accuracy(version.accuracy) if has_classifier else []
        seen_as = cut(SEEN_AS.get(version.name, version.name), NAME_LIMIT)
        cells = ["" if at else words, seen_as, count(version.supporting), count(version.counter), *accuracy]
        rows.append(Row(cells, label.colour, style="continued" if at else ""))
    return rows


def _accuracy(found: VersionAccuracy | None) -> list[Words]:
    if found is None:
        return [NONE, NONE, NONE]
    sides = [
        f"{or_dash(side.accuracy, percent)} of {count(side.n)}" for side in (found.supporting, found.counter)
    ]
    return [*sides, or_dash(found.gap, points)]


def _contrast_section(result: GrammarResult, labels: Labels) -> list[Section]:
    if result.contrast is None:
        return []
    if not result.contrast:
        text = "No held-out row could be edited. More rows (--limit) teach the grammar more words."
        blocks: list[Block] = [Paragraph(text, "nothing")]
    else:
        lead = "Held-out rows, edited with the grammar’s own words so that they have a shortcut but not its label."
        if result.classifier is not None:
            lead += (
                f" The error of the classifier ({_classifier(result.classifier)}): of the sets whose row it predicts correctly, those in which an edited row gets the label that the "
                "shortcut suggests."
            )
        columns = [
            Column("Edit"), Column("Sets", number=True), Column("Suggests"), Column("Error", number=True), Column("95% interval"),
        ]  # fmt: skip
        rows = [_contrast_row(one, labels) for one in result.contrast[:MAX_EDITS]]
        end = Paragraph("All examples are in contrast.jsonl.", "rest")
        blocks = [Paragraph(lead, "lead"), Table(columns, rows, "contrast"), end]
    return [Section("contrast", "Contrast sets", blocks, on=REPORT | SCREEN)]


def _contrast_row(one: ContrastSummary, labels: Labels) -> Row:
    example, interval = one.example, ""
    if one.low is not None and one.high is not None and one.counted is not None:
        interval = f"{percent(one.low)} to {percent(one.high)}, of {counted(one.counted, 'set')}"
    before, after = changed_words(example.before, example.after)
    result: list[str | Span] = ["label ", label_span(label_named(example.label, labels))]
    if example.answer is not None:
        result += [Span(" predicted ", "quiet"), label_span(label_named(example.answer, labels))]
    result.append(Span(f" id {cut(example.id, NAME_LIMIT)}", "quiet"))
    return Row(
        [
            cut(one.edit, NAME_LIMIT),
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


def _problems_section(result: GrammarResult) -> list[Section]:
    if not result.problems:
        return []
    shown = [problem_bullet(problem) for problem in result.problems[:MAX_PROBLEMS]]
    more = left_out(max(0, len(result.problems) - MAX_PROBLEMS), "problems are", "tables.json")
    blocks = [Bullets(shown, "problems"), *more]
    return [Section("problems", "About the data", blocks, on=REPORT | SCREEN)]
