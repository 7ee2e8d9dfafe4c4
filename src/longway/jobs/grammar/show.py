"""The page of a grammar run: phrases that predict the label, trees, versions without trees, rules, wrong predictions, contrast sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from longway.grammars.trees import read_brackets
from longway.jobs.grammar.figures import saliency_blocks, saliency_note, versions_figure
from longway.jobs.grammar.result import (
    ContrastSummary,
    GrammarResult,
    KindVersions,
    PhraseKind,
    RuleSummary,
    TreeExample,
    VersionAccuracy,
    WrongPrediction,
)
from longway.show.charts import share_bar
from longway.show.differences import versions as changed_words
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import (
    POINTS,
    Label,
    label_named,
    label_span,
    labels_of,
    problem_bullet,
    roles_of,
    setting_rows,
)
from longway.show.numbers import (
    NONE,
    count,
    counted,
    or_dash,
    percent,
    points,
    q_value,
    short,
)
from longway.show.sections import (
    REPORT,
    SCREEN,
    Block,
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
from longway.stats import points_of

MAX_KINDS, OPEN_KINDS, KINDS_ON_SCREEN = 40, 12, 15
MAX_RULES, RULES_ON_SCREEN = 20, 5
MAX_COMPARED, COMPARED_ON_SCREEN = 20, 8
MAX_PICTURES = 40
MAX_WRONG = 20
MAX_EDITS = 10
MAX_PROBLEMS = 50
MAX_SPANS, SPANS_ON_SCREEN = 5, 2
MAX_OUTLINES = 3

Labels = Mapping[str, Label]
PAIR_READING = ("a man/a woman", "Words of the context that the tree aligns with words of the text. ε/to work: added in the text. in the/ε: left out in the text.")  # fmt: skip
READING = [
    ("Symbol", "A number that the grammar gives to one kind of phrase. It knows no linguistics: a symbol can mix kinds, and another seed gives other symbols."),
    ("[UNK]", "Any word that is too rare for the grammar to know."),
    POINTS,
    ("q", "The p-value of the most significant subtree, corrected for all that were tested; a dash if none is significant{singles}."),
    ("What it does not say", "A correlation is not an error: “a man/a woman” often is a contradiction. It is a shortcut if a model relies on it without reading the rest."),
]  # fmt: skip


def grammar_page(result: GrammarResult) -> Page:
    """All sections of a grammar run."""
    dataset, grammar = result.dataset, result.grammar
    labels = labels_of(grammar.labels)
    is_pair = grammar.kind == "pair"
    singles = "" if is_pair else ", or if all are single words, which an audit tests"
    reading = [(name, text.format(singles=singles)) for name, text in READING]
    texts = counted(grammar.texts, "pair" if is_pair else "sentence")
    return Page(
        kicker="Longway grammar",
        title=cut(f"Grammar of {dataset.name}", PATTERN_LIMIT),
        verdict=_verdict(result, labels, is_pair),
        facts=[
            ("Dataset", cut(dataset.name, PATTERN_LIMIT)),
            ("Columns", roles_of(dataset)),
            ("Learned from", f"{texts} of {counted(grammar.rows, 'row')}, without labels"),
            ("Made", cut(result.created, NAME_LIMIT)),
        ],
        figures=_key_figures(result),
        sections=[
            _training_section(result, "pairs" if is_pair else "sentences"),
            _kinds_section(result, labels, is_pair),
            *_trees_section(result.pictures[:MAX_PICTURES], labels, is_pair),
            *_versions_section(result, labels, is_pair),
            *_rules_section(result.rules[:MAX_RULES], labels),
            *_wrong_section(result, labels, is_pair),
            *_contrast_section(result, labels),
            *_problems_section(result),
            Section("reading", "How to read this", [Facts([PAIR_READING, *reading] if is_pair else reading, "reading")]),
        ],
        sheets=("grammar.css",),
        version=result.longway,
        fingerprint=dataset.fingerprint,
        streamed=dataset.streamed,
        settings=setting_rows(asdict(result.settings), source="run.json"),
    )  # fmt: skip


def _verdict(result: GrammarResult, labels: Labels, is_pair: bool) -> str:
    best = next((kind for kind in (*result.composites, *result.phrases) if kind.q is not None), None)
    n = sum(result.significant.values())
    if best is None and n:
        are = "subtree is" if n == 1 else "subtrees are"
        return f"{count(n)} {are} correlated with a label beyond chance, but no kind of phrase that is listed here."
    if best is None:
        unit = "subtree" if is_pair else "phrase of two words or more"
        return f"No {unit} is correlated with a label beyond chance."
    words = ", ".join(f"“{cut(span, NAME_LIMIT)}”" for span in best.spans[:2])
    more = " and similar" if best.subtrees > len(best.spans[:2]) else ""
    label = label_named(best.label, labels).name
    return f"{words}{more}: {percent(best.share)} of {counted(best.count, 'row')} are {label}."


def _key_figures(result: GrammarResult) -> list[KeyFigure]:
    grammar, classifier = result.grammar, result.classifier
    n_significant, n_tested = (sum(counts.values()) for counts in (result.significant, result.tested))
    symbols = f"{count(grammar.nonterminals)} + {count(grammar.preterminals)}"
    epochs = f"nats per word after {counted(grammar.epochs, 'epoch')}; lower is better"
    figures = [
        KeyFigure("Correlated with a label", count(n_significant), f"of {count(n_tested)} subtrees and rules tested"),
        KeyFigure("Symbols", symbols, f"{counted(grammar.words, 'word')} known"),
        KeyFigure("Held-out likelihood", short(grammar.held_out_nats_per_word), epochs),
    ]  # fmt: skip
    if classifier is not None:
        note = f"of {counted(classifier.rows, 'held-out row')}"
        name = f"{cut(classifier.name, NAME_LIMIT)} is right"
        figures.append(KeyFigure(name, percent(classifier.accuracy), note))
    return figures


def _training_section(result: GrammarResult, unit: str) -> Section:
    grammar = result.grammar
    where = "a GPU" if grammar.device == "cuda" else "a CPU"
    nats = " → ".join(f"{check['held_out']:.3f}" for check in grammar.history)
    text = f"Nats per word of {count(grammar.held_out_texts)} held-out {unit} after each epoch: {nats}"
    return Section("training", f"Training on {where}", [Paragraph(text)], on=SCREEN)


# Phrases and rules


def _kinds_section(result: GrammarResult, labels: Labels, is_pair: bool) -> Section:
    lead = (
        "The most informative subtrees, grouped if they have the same root symbol and predict the same label. The grammar was learned from "
        "the texts alone; its words show what a symbol means."
    )
    blocks: list[Block] = [
        Paragraph(lead, "lead"),
        Only(REPORT, _kinds(result.composites, labels, is_pair)),
        Only(SCREEN, _kinds(result.composites, labels, is_pair, SPANS_ON_SCREEN)),
    ]
    if not result.composites:
        blocks.append(Paragraph("There are none.", "nothing"))
    if result.phrases:
        phrases = Details("The same without single words", _kinds(result.phrases, labels, is_pair))
        blocks.append(Only(REPORT, [phrases]))
    return Section("kinds", "Phrases that predict the label", blocks, on=REPORT | SCREEN)


def _kinds(
    kinds: Sequence[PhraseKind], labels: Labels, is_pair: bool, max_spans: int = MAX_SPANS
) -> list[Block]:
    if not kinds:
        return []
    columns = [
        Column("Words of context/text" if is_pair else "Words"), Column("Predicts", style="to"), Column("Rows", number=True),
        Column("Label’s share", style="shares"), Column("Points", number=True, screen=False), Column("q", number=True),
    ]  # fmt: skip
    rows = []
    for kind in kinds[:MAX_KINDS]:
        spans = [cut(span, PATTERN_LIMIT) for span in kind.spans[:max_spans]]
        n_more = kind.subtrees - len(spans)
        where = f"symbol {kind.root}{f', {count(n_more)} more' if n_more > 0 else ''}"
        words: Words = [Span(" · ".join(spans), "pattern"), " ", Span(where, "where")]
        rows.append(Row([words, *_figures(kind, labels), or_dash(kind.q, q_value)], _colour(kind, labels)))
    table = Table(columns, rows, "findings", open=OPEN_KINDS, more="kinds", screen=KINDS_ON_SCREEN)
    return [table, *left_out(max(0, len(kinds) - MAX_KINDS), "are", "tables.json")]


def _figures(row: PhraseKind | RuleSummary, labels: Labels) -> list[Words | Cell]:
    """Label, rows, share and points of a kind of phrase or a rule."""
    label, total = label_named(row.label, labels), sum(each.count for each in labels.values()) or 1
    usual = label.count / total
    share: Words = [Span(percent(row.share), "strong"), " ", Span(f"usual {percent(usual)}", "quiet")]
    bar = share_bar(row.share, usual, colour=label.colour)
    worth = points(float(points_of(row.share * row.count, row.count, label.count, total)))
    return [label_span(label), count(row.count), Cell(share, bar), worth]


def _colour(row: PhraseKind | RuleSummary | KindVersions, labels: Labels) -> str:
    return label_named(row.label, labels).colour


def _rules_section(rules: Sequence[RuleSummary], labels: Labels) -> list[Section]:
    if not rules:
        return []
    lead = "How phrases are built, whatever their words. Below each rule are its most informative subtrees."
    columns = [
        Column("Rule"), Column("Predicts", style="to"), Column("Rows", number=True), Column("Label’s share", style="shares"),
        Column("Points", number=True, screen=False),
    ]  # fmt: skip
    rows = [
        Row(
            [Span(cut(rule.rule, PATTERN_LIMIT), "pattern"), *_figures(rule, labels)],
            _colour(rule, labels),
            below=[Paragraph(Span(cut(outline, TEXT_LIMIT), "code"), "example") for outline in rule.outlines[:MAX_OUTLINES]],
        )
        for rule in rules
    ]  # fmt: skip
    blocks: list[Block] = [
        Paragraph(lead, "lead"),
        Only(REPORT, [Table(columns, rows, "findings")]),
        Only(SCREEN, [Table(columns, rows[:RULES_ON_SCREEN])]),
    ]
    return [Section("rules", "Rules that predict the label", blocks, on=REPORT | SCREEN)]


# Trees


def _trees_section(pictures: Sequence[TreeExample], labels: Labels, is_pair: bool) -> list[Section]:
    if not pictures:
        return []
    by_kind: dict[tuple[int, str], list[tuple[int, TreeExample]]] = {}
    for at, picture in enumerate(pictures):
        by_kind.setdefault((picture.root, picture.composite), []).append((at, picture))
    lines = " The words of the context are above those of the text; ε stands for no word." if is_pair else ""
    lead = (
        f"The most likely trees of some rows, with the informative subtree in the colour of its label.{lines}"
    )
    blocks: list[Block] = [Paragraph(lead, "lead")]
    for (root, name), members in by_kind.items():
        label = label_named(name, labels)
        words = ", ".join(dict.fromkeys(cut(picture.marked, NAME_LIMIT) for _, picture in members))
        cards = [_tree_card(picture, label, labels, is_pair, f"tree-{at}") for at, picture in members]
        heading = Heading(Span(f"{root}: {words}", "data"), ["predicts ", label_span(label)])
        blocks += [heading, Cards(cards, f"pictures {label.colour}")]
    return [Section("trees", "Trees", blocks)]


def _tree_card(picture: TreeExample, predicted: Label, labels: Labels, is_pair: bool, key: str) -> Card:
    side = f"supports {predicted.name}" if picture.side == "supporting" else "counter-example"
    facts: list[Words] = [
        [label_span(label_named(picture.label, labels)), " ", Span(side, "quiet")],
        Span(f"id {cut(picture.id, NAME_LIMIT)}", "quiet end"),
    ]
    return Card(facts, below=[_tree(picture, predicted.colour, is_pair, key)], style="picture")


def _tree(drawn: TreeExample | WrongPrediction, colour: str, is_pair: bool, key: str) -> Block:
    svg = tree_picture(read_brackets(drawn.tree), drawn.marks, colour=colour, pair=is_pair, key=key)
    if svg is None:
        return Paragraph("The tree is too large to draw; it is in trees.txt.", "quiet")
    return Picture(svg)


def _wrong_section(result: GrammarResult, labels: Labels, is_pair: bool) -> list[Section]:
    if not result.wrong or result.classifier is None:
        return []
    lead = (
        f"Rows that the classifier {cut(result.classifier.name, NAME_LIMIT)} gets wrong, with the rules that are most frequent in training "
        "rows of the predicted label, compared with those of the true label."
    ) + saliency_note(result)
    cards = []
    for at, one in enumerate(result.wrong[:MAX_WRONG]):
        predicted = label_named(one.answer, labels)
        label = label_named(one.label, labels)
        rules: list[Words] = [
            [
                Span(cut(rule.rule, NAME_LIMIT), "code"),
                " ",
                Span(cut(rule.span, PATTERN_LIMIT), "data"),
                Span(f" {short(rule.ratio)} times as frequent in rows of the predicted label", "quiet"),
            ]
            for rule in one.rules
        ]
        facts: list[Words] = [
            ["label ", label_span(label), Span(" predicted ", "quiet"), label_span(predicted)],
            Span(f"id {cut(one.id, NAME_LIMIT)}", "quiet end"),
        ]
        tree = _tree(one, predicted.colour, is_pair, f"wrong-{at}")
        salient = saliency_blocks(one, predicted.colour, labels)
        cards.append(Card(facts, below=[*salient, tree, Bullets(rules, "speaks")], style="picture"))
    blocks: list[Block] = [Paragraph(lead, "lead"), Cards(cards, "pictures")]
    return [Section("wrong", "Wrong predictions", blocks)]


# The classifier with and against each kind


def _versions_section(result: GrammarResult, labels: Labels, is_pair: bool) -> list[Section]:
    if not result.versions:
        return []
    classifier = result.classifier
    places = "both texts, and in the text alone" if is_pair else "the text"
    lead = f"Each kind as the grammar sees it, and as plain phrases anywhere in {places}."
    columns = [
        Column("Kind"), Column("Seen as"), Column("Rows with its label", number=True, short="With its label"),
        Column("and without", number=True, short="Without"),
    ]  # fmt: skip
    tested = [Column(name, number=True) for name in ("Right with it", "Right against it", "Gap, points")]
    screen: list[Block] = []
    compared = result.versions[:MAX_COMPARED]
    if classifier is not None:
        name = cut(classifier.name, NAME_LIMIT)
        lead += (
            f" Next to it, how often the classifier {name} ({percent(classifier.accuracy)} right on all held-out rows) is right if the phrase "
            "occurs with its label, and if it does not: a classifier that relies on the phrase is right on the former and wrong on the latter."
        )
        first = [
            Row([_kind_words(kind), *_accuracy(kind.versions[0].accuracy)]) for kind in compared[:COMPARED_ON_SCREEN]
        ]  # fmt: skip
        screen = [
            Paragraph(f"{name} is right on {percent(classifier.accuracy)} of {counted(classifier.rows, 'held-out row')}:"),
            Table([Column("Words"), *tested], first),
        ]  # fmt: skip
        columns += tested
    rows = [row for kind in compared for row in _version_rows(kind, labels, classifier is not None)]
    report: list[Block] = [
        Paragraph(lead, "lead"), *versions_figure(result, labels), Table(columns, rows, "versions")
    ]  # fmt: skip
    blocks = [Only(REPORT, report), Only(SCREEN, screen)]
    return [Section("versions", "Does it need the trees?", blocks, on=REPORT | SCREEN if screen else REPORT)]


def _version_rows(kind: KindVersions, labels: Labels, has_classifier: bool) -> list[Row]:
    """A row per version; the first names the kind."""
    rows = []
    for at, version in enumerate(kind.versions):
        words: Words = [Span(f"{kind.root}: ", "quiet"), _kind_words(kind), " ", label_span(label_named(kind.label, labels))]  # fmt: skip
        accuracy = _accuracy(version.accuracy) if has_classifier else []
        counts = [count(version.supporting), count(version.counter)]
        cells = ["" if at else words, cut(version.name, NAME_LIMIT), *counts, *accuracy]
        rows.append(Row(cells, _colour(kind, labels), style="continued" if at else ""))
    return rows


def _kind_words(kind: KindVersions) -> Span:
    return Span(", ".join(cut(span, NAME_LIMIT) for span in kind.spans[:2]), "data")


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
            name = cut(result.classifier.name, NAME_LIMIT)
            lead += (
                f" The error of {name}: of the sets whose row it predicts correctly, those in which an edited row gets the label that the "
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
