"""The page of an explanation: the models, the words that mislead them, what their top words have in common, texts with coloured words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from longway.jobs.explain.result import ExplainedText, ExplainResult, ModelSummary, ModelView, ScoredWord
from longway.jobs.pages import dataset_page
from longway.records import Finding
from longway.show.excerpts import PATTERN_LIMIT, TEXT_LIMIT, clean, cut, harmless, highlighted
from longway.show.highlights import LIMIT, scored_words
from longway.show.labels import (
    Label,
    Labels,
    label_named,
    label_span,
    labels_of,
    problem_bullet,
    setting_rows,
)
from longway.show.numbers import NONE, count, counted, or_dash, percent, points, q_value, short
from longway.show.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Bullet,
    Bullets,
    Card,
    Cards,
    Column,
    Facts,
    Heading,
    KeyFigure,
    Only,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
    left_out,
)

MAX_TEXTS, TEXTS_ON_SCREEN = 200, 5
MAX_SETS = 40
MAX_FINDINGS, FINDINGS_ON_SCREEN = 40, 8
MAX_WORDS = 12  # of a set
TOP_ON_SCREEN = 3  # words of a text
MARK_LEVEL = 3
METHODS = {"lime": "LIME", "shapley": "Shapley values", "ig": "integrated gradients"}
READING = [
    ("Word scores", "How much a word changes the probability of the model’s prediction. They describe what the model does with a text, not what is true of the world, and two methods may disagree."),
    ("Enough for a wrong prediction", "Definition 1 of RAZOR: the words alone get the same prediction, the prediction is wrong, and they are at most half of the text. Short texts were searched exhaustively; in longer ones no word of the set can be dropped, but a smaller set may exist."),
    ("Lemma 1", "RAZOR states that words inside such a set have higher scores, on average, than those outside. The table shows for how many sets this holds."),
    ("q", "The p-value of the correlation between words and label, corrected for testing many words and sets."),
]  # fmt: skip
NORMS = ("Strongest in either direction", "The words with the highest L2 norm of their vectors of integrated gradients (Bastings et al. 2021). A word whose numbers cancel out has a high norm and a low score; words that are not among those with the highest scores have a star.")  # fmt: skip
SCALE: Words = [
    Span("against", "quiet"),
    " ",
    *(Span(str(n), f"w against{n}") for n in (5, 4, 3, 2, 1)),
    *(Span(str(n), f"w for{n}") for n in (1, 2, 3, 4, 5)),
    " ",
    Span("for the prediction", "quiet"),
]


def explain_page(result: ExplainResult) -> Page:
    """All sections of an explanation."""
    dataset, settings = result.dataset, result.settings
    labels = labels_of(dataset.labels)
    return dataset_page(
        result,
        "Longway explain",
        "Explanation of",
        verdict=_verdict(result),
        facts=[
            ("Method", METHODS[settings.method]),
        ],
        figures=_key_figures(result),
        sections=[
            _models_section(result.models),
            _sets_section(result, labels),
            *_comparison_section(result),
            _texts_section(result, labels),
            *_problems_section(result),
            Section(
                "reading",
                "How to read this",
                [Facts([*READING, *([NORMS] if settings.method == "ig" else [])], "reading")],
            ),
        ],
        sheets=("highlights.css", "explain.css"),
        settings=setting_rows(asdict(settings), source="run.json"),
    )


def _verdict(result: ExplainResult) -> str:
    if result.findings:
        best = result.findings[0]
        words, label = cut(best.pattern.name, PATTERN_LIMIT), cut(best.label)
        texts = counted(best.count, "text")
        return f"“{words}” alone is enough for some wrong predictions: it is in {texts}, {percent(best.label_share)} of them {label}."
    if any(model.searched for model in result.models):
        return "No set of words that is enough for a wrong prediction both recurs and is correlated with a label."
    return f"{counted(len(result.texts), 'text')} explained; no prediction was wrong."


def _key_figures(result: ExplainResult) -> list[KeyFigure]:
    first = result.models[0]
    misled = (first.sets - first.by_default) / first.searched if first.searched else None
    searched = counted(first.searched, "wrong prediction")
    return [
        KeyFigure("Texts explained", count(len(result.texts)), "by models not trained on them"),
        KeyFigure(f"{cut(first.name)} is right", percent(first.accuracy), "of all rows, cross-validated"),
        KeyFigure("Misled by a few words", or_dash(misled, percent), f"of {searched} searched"),
        KeyFigure("Words that are enough", or_dash(first.mean_size, short), "on average, at most half of the text"),
    ]  # fmt: skip


def _models_section(models: Sequence[ModelSummary]) -> Section:
    lead = (
        "Each row was predicted and explained by a model that was not trained on it. A set of words is enough for a wrong prediction if "
        "these words alone, at most half of the text, get the same prediction as the whole text. “No words at all” counts the sets whose "
        "prediction the model also makes for an empty text: there the words matter little."
    )
    names = ("Right", "Wrong", "Searched", "Sets found", "Words per set", "No words at all", "Lemma 1 holds")
    columns = [
        Column("Model"),
        *(Column(name, number=True, screen=name != "No words at all") for name in names),
    ]
    rows = [
        Row(
            [
                Span(cut(model.name), "pattern"),
                percent(model.accuracy),
                count(model.wrong),
                count(model.searched),
                count(model.sets),
                or_dash(model.mean_size, short),
                count(model.by_default),
                percent(model.lemma_1 / model.sets) if model.sets else NONE,
            ]
        )
        for model in models
    ]
    blocks: Blocks = [Paragraph(lead, "lead"), Table(columns, rows)]
    return Section("models", "Models and their wrong predictions", blocks, on=REPORT_AND_SCREEN)


def _sets_section(result: ExplainResult, labels: Labels) -> Section:
    wrong = {words.words: words.wrong for words in result.sufficient}
    blocks: Blocks = []
    if result.findings:
        columns = [
            Column("Words"), Column("Predicts", style="to"), Column("Misleads", number=True), Column("Texts", number=True, drop=1),
            Column("Label’s share", number=True, drop=2), Column("Usual share", number=True, drop=3), Column("q", number=True, screen=False),
        ]  # fmt: skip
        rows = [_set_row(finding, labels, wrong) for finding in result.findings[:MAX_FINDINGS]]
        lead = "Each set is enough for several wrong predictions, and is correlated with a label over the whole dataset. “Misleads” counts the wrong predictions."
        blocks += [
            Paragraph(lead, "lead"),
            Table(columns, rows, "findings", more="sets", screen=FINDINGS_ON_SCREEN),
            *left_out(max(0, len(result.findings) - MAX_FINDINGS), "sets are", "explain.json"),
        ]
    else:
        blocks.append(Paragraph("None is correlated with a label beyond chance.", "nothing"))
    listed = {_words(finding) for finding in result.findings}
    if others := [one for one in result.sufficient if one.words not in listed]:
        items = [
            Bullet([Span(_joined(one.words), "strong"), Span(f" {counted(one.wrong, 'wrong prediction')}", "quiet")])
            for one in others[:MAX_SETS]
        ]  # fmt: skip
        more = left_out(max(0, len(others) - MAX_SETS), "sets are", "explain.json")
        heading = Heading("Recurring, but not correlated with a label beyond chance")
        blocks.append(Only(REPORT, [heading, Bullets(items, "surest"), *more]))
    return Section("sufficient", "Sets of words that mislead repeatedly", blocks, on=REPORT_AND_SCREEN)


def _words(finding: Finding) -> tuple[str, ...]:
    """The words of a set; its name if an older version wrote it."""
    return finding.pattern.words or (finding.pattern.name,)


def _set_row(finding: Finding, labels: Labels, wrong: Mapping[tuple[str, ...], int]) -> Row:
    label, words = label_named(finding.label, labels), _words(finding)
    marks = [(start, end, MARK_LEVEL) for start, end in finding.marks]
    return Row(
        [
            Span(_joined(words), "pattern"),
            label_span(label),
            count(wrong.get(words, 0)),
            count(finding.count),
            percent(finding.label_share),
            percent(finding.base_rate),
            q_value(finding.q),
        ],
        colour=label.colour,
        below=[Paragraph(highlighted(harmless(finding.example), marks), "example")]
        if finding.example
        else (),
    )


def _joined(words: Sequence[str]) -> str:
    shown = " + ".join(clean(word) for word in words[:MAX_WORDS])
    return cut(shown + (" + …" if len(words) > MAX_WORDS else ""), PATTERN_LIMIT)


def _comparison_section(result: ExplainResult) -> list[Section]:
    k = result.settings.top
    blocks: Blocks = []
    if (found := result.overlap) is not None:
        shares = {"texts in which all models share a top word": found.every}
        if len(found.pairs) > 1:  # with two models, two are all
            shares["texts in which two or more share one, but not all"] = found.some
        shares["top words that two or more models have"] = found.words
        shares |= {f"words in common: {cut(pair, PATTERN_LIMIT)}": share for pair, share in found.pairs.items()}  # fmt: skip
        rows = [Row([name, percent(share)]) for name, share in shares.items()]
        blocks.append(Table([Column(f"Top {k} words"), Column("Share", number=True)], rows, "figures-only"))
    if result.parts_of_speech:
        kinds = list(next(iter(result.parts_of_speech.values())))
        columns = [Column("Model"), *(Column(kind, number=True) for kind in kinds)]
        rows = [
            Row([Span(cut(name), "data"), *(percent(shares.get(kind, 0.0)) for kind in kinds)])
            for name, shares in result.parts_of_speech.items()
        ]
        blocks += [Heading(f"Parts of speech of the top {k} words"), Table(columns, rows, "figures-only")]
    if not blocks:
        return []
    lead = Paragraph(f"Of the {k} words of each text that contribute most to the prediction.", "lead")
    return [Section("compared", "The words models look at", [lead, *blocks], on=REPORT_AND_SCREEN)]


def _texts_section(result: ExplainResult, labels: Labels) -> Section:
    method = METHODS[result.settings.method]
    lead = (
        "Words in blue contribute to the model’s prediction, words in orange with dots below count against it; the stronger the colour, the "
        f"more. Scores are by {method}; rest the mouse on a word to see its score in points of probability."
    )
    n_texts, side = len(result.texts), result.settings.field
    cards = [_text(text, labels, side) for text in result.texts[:MAX_TEXTS]]
    report: Blocks = [Paragraph(SCALE, "scale"), Cards(cards, "texts")]
    report += left_out(max(0, n_texts - MAX_TEXTS), "texts are", "explain.json")
    screen: Blocks = [Cards(cards[:TEXTS_ON_SCREEN])]
    if n_texts > TEXTS_ON_SCREEN:
        screen.append(Paragraph(f"{n_texts - TEXTS_ON_SCREEN:,} more texts are in the report.", "rest"))
    blocks: Blocks = [Paragraph(lead, "lead"), Only(REPORT, report), Only(SCREEN, screen)]
    if not cards:
        blocks = [Paragraph("There are none to show.", "nothing")]
    return Section("texts", "Texts", blocks, on=REPORT_AND_SCREEN)


def _text(text: ExplainedText, labels: Labels, side: str) -> Card:
    explained, other = (text.text, text.context) if side == "text" else (text.context or "", text.text)
    label = label_named(text.label, labels)
    views = [_view(view, explained, label, labels) for view in text.explanations]
    below: Blocks = [Cards(views, "views")]
    if other:
        below.append(Only(REPORT, [Paragraph(Span(cut(other, TEXT_LIMIT), "data"), "other")]))
    id_ = Span(f"id {cut(text.id)}", "quiet end")
    return Card([["label ", label_span(label)], id_], below=below, style="text")


def _view(view: ModelView, text: str, label: Label, labels: Labels) -> Card:
    predicted = label_named(view.predicted, labels)
    said: list[str | Span] = [
        Span(cut(view.model), "strong"),
        Span(" predicts ", "quiet"),
        label_span(predicted),
        Span(f" {percent(view.probability)}", "quiet"),
    ]
    if predicted.key != label.key:
        said += [" ", Span("✗ wrong", "wrong")]
    blocks: Blocks = [
        Paragraph(said, "said"),
        Only(REPORT, [Paragraph(scored_words(text, view.words, label=predicted.name), "data")]),
        Only(SCREEN, [Paragraph(scored_words(text, view.words, limit=TEXT_LIMIT)), _top(text, view.words)]),
    ]
    if view.strongest:
        blocks.append(_strongest(view))
    if view.sufficient is not None:
        note = " (and so are no words at all)" if view.sufficient.by_default else ""
        words = Span(_joined(view.sufficient.words), "strong")
        blocks.append(Paragraph(["Enough for this prediction: ", words, note], "enough quiet"))
    return Card([], below=blocks, style="view")


def _strongest(view: ModelView) -> Paragraph:
    """The words with the highest norms; those without a high score for the prediction are marked."""
    words: list[str | Span] = ["Strongest in either direction: "]
    for at, word in enumerate(view.strongest):
        words += [", "] if at else []
        shown = cut(word)
        words.append(Span(shown, "strong") if word in view.top else f"{shown}*")
    return Paragraph(words, "enough quiet")


def _top(text: str, words: Sequence[ScoredWord]) -> Paragraph:
    """The words with the highest positive scores, in points."""
    best = sorted((word for word in words if word[2] > 0), key=lambda word: -word[2])[:TOP_ON_SCREEN]
    shown = [f"{cut(text[start:end])} {points(score)}" for start, end, score in best if end <= LIMIT]
    return Paragraph(f"top words: {', '.join(shown) or 'none'}", "rest")


def _problems_section(result: ExplainResult) -> list[Section]:
    if not result.problems:
        return []
    bullets = Bullets([problem_bullet(problem) for problem in result.problems], "problems")
    return [Section("problems", "Problems in the data", [bullets], on=REPORT_AND_SCREEN)]
