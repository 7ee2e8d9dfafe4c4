"""The page of an explanation: the models, the words that mislead them, what their top words have in common, texts with coloured words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from longway.jobs.explain.result import ExplainedText, ExplainResult, ModelSummary, ModelView, ScoredWord
from longway.jobs.model_words import overlap_table, speech_table
from longway.jobs.results import dataset_page, page_of
from longway.records import Finding
from longway.report.excerpts import (
    PATTERN_LIMIT,
    SCORED_LIMIT,
    TEXT_LIMIT,
    clean,
    cut,
    data_span,
    harmless,
    highlighted,
    scored_words,
)
from longway.report.labels import (
    Label,
    Labels,
    label_named,
    label_span,
    labels_of,
    problems_section,
    setting_rows,
)
from longway.report.numbers import count, counted, or_dash, percent, points, q_value, short
from longway.report.sections import (
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
    Section,
    Span,
    Words,
    left_out,
    nothing,
    table_of,
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


@page_of(ExplainResult)
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
            *problems_section(result.problems, "Problems in the data", "explain.json"),
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
    size = or_dash(first.mean_size, short)
    return [
        KeyFigure("Texts explained", count(len(result.texts)), "by models not trained on them"),
        KeyFigure(f"{cut(first.name)} is right", percent(first.accuracy), "of all rows, cross-validated"),
        KeyFigure("Misled by a few words", or_dash(misled, percent), f"of {searched} searched"),
        KeyFigure("Words that are enough", size, "on average, at most half of the text"),
    ]


def _models_section(models: Sequence[ModelSummary]) -> Section:
    lead = (
        "Each row was predicted and explained by a model that was not trained on it. A set of words is enough for a wrong prediction if "
        "these words alone, at most half of the text, get the same prediction as the whole text. “No words at all” counts the sets whose "
        "prediction the model also makes for an empty text: there the words matter little."
    )
    columns = [
        Column("Model", "name", data_span),
        Column("Right", "accuracy", percent, number=True),
        Column("Wrong", "wrong", number=True),
        Column("Searched", "searched", number=True),
        Column("Sets found", "sets", number=True),
        Column("Words per set", "mean_size", short, number=True),
        Column("No words at all", "by_default", number=True, screen=False),
    ]
    blocks = [Paragraph(lead, "lead"), *table_of(models, columns)]
    return Section("models", "Models and their wrong predictions", blocks, on=REPORT_AND_SCREEN)


def _sets_section(result: ExplainResult, labels: Labels) -> Section:
    wrong = {words.words: words.wrong for words in result.sufficient}
    findings = result.findings
    columns = [
        Column("Words", "pattern.words", lambda words: Span(_joined(words), "pattern")),
        Column("Predicts", "label", lambda label: label_span(label_named(label, labels)), style="to"),
        Column("Misleads", "pattern.words", lambda words: count(wrong.get(words, 0)), number=True),
        Column("Texts", "count", number=True, drop=1),
        Column("Label’s share", "label_share", percent, number=True, drop=2),
        Column("Usual share", "base_rate", percent, number=True, drop=3),
        Column("q", "q", q_value, number=True, screen=False),
    ]
    table = table_of(
        findings, columns, "findings", below=_example, colour=lambda one: label_named(one.label, labels).colour,
        limit=MAX_FINDINGS, what="sets", file="explain.json", screen=FINDINGS_ON_SCREEN,
    )  # fmt: skip
    blocks: Blocks = [nothing("None is correlated with a label beyond chance.")]
    if table:
        lead = "Each set is enough for several wrong predictions, and is correlated with a label over the whole dataset. “Misleads” counts the wrong predictions."
        blocks = [Paragraph(lead, "lead"), *table]
    listed = {finding.pattern.words for finding in findings}
    if others := [one for one in result.sufficient if one.words not in listed]:
        items = []
        for one in others[:MAX_SETS]:
            n = Span(f" {counted(one.wrong, 'wrong prediction')}", "quiet")
            items.append(Bullet([Span(_joined(one.words), "strong"), n]))
        more = left_out(len(others) - MAX_SETS, "sets", "explain.json")
        heading = Heading("Recurring, but not correlated with a label beyond chance")
        blocks.append(Only(REPORT, [heading, Bullets(items, "surest"), *more]))
    return Section("sufficient", "Sets of words that mislead repeatedly", blocks, on=REPORT_AND_SCREEN)


def _example(finding: Finding) -> Blocks:
    """A text with the set, its words marked."""
    marks = [(start, end, MARK_LEVEL) for start, end in finding.marks]
    words = highlighted(harmless(finding.example), marks)
    return [Paragraph(words, "example")] if finding.example else []


def _joined(words: Sequence[str]) -> str:
    shown = " + ".join(clean(word) for word in words[:MAX_WORDS])
    return cut(shown + (" + …" if len(words) > MAX_WORDS else ""), PATTERN_LIMIT)


def _comparison_section(result: ExplainResult) -> list[Section]:
    k = result.settings.top
    blocks = overlap_table(result.overlap, f"Top {k} words")
    if result.parts_of_speech:
        heading = Heading(f"Parts of speech of the top {k} words")
        blocks += [heading, *speech_table(result.parts_of_speech)]
    lead = Paragraph(f"Of the {k} words of each text that contribute most to the prediction.", "lead")
    section = Section("compared", "The words models look at", [lead, *blocks], on=REPORT_AND_SCREEN)
    return [section] if blocks else []


def _texts_section(result: ExplainResult, labels: Labels) -> Section:
    lead = (
        "Words in blue contribute to the model’s prediction, words in orange with dots below count against it; the stronger the colour, the "
        f"more. Scores are by {METHODS[result.settings.method]}; rest the mouse on a word to see its score in points of probability."
    )
    cards = [_text(text, labels, result.settings.field) for text in result.texts[:MAX_TEXTS]]
    blocks: Blocks = [
        Paragraph(lead, "lead"),
        Only(REPORT, [Paragraph(SCALE, "scale")]),
        Cards(cards, "texts", more="texts", screen=TEXTS_ON_SCREEN),
        *left_out(len(result.texts) - MAX_TEXTS, "texts", "explain.json"),
    ]
    if not cards:
        blocks = [nothing("There are none to show.")]
    return Section("texts", "Texts", blocks, on=REPORT_AND_SCREEN)


def _text(text: ExplainedText, labels: Labels, side: str) -> Card:
    explained, other = (text.text, text.context) if side == "text" else (text.context or "", text.text)
    label = label_named(text.label, labels)
    views = [_view(view, explained, label, labels) for view in text.explanations]
    below: Blocks = [Cards(views, "views")]
    if other:
        below.append(Only(REPORT, [Paragraph(data_span(other, TEXT_LIMIT), "other")]))
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
        words += [", " * bool(at), data_span(word), "*" * (word not in view.top)]
    return Paragraph(words, "enough quiet")


def _top(text: str, words: Sequence[ScoredWord]) -> Paragraph:
    """The words with the highest positive scores, in points."""
    best = sorted((word for word in words if word[2] > 0), key=lambda word: -word[2])[:TOP_ON_SCREEN]
    shown = [f"{cut(text[start:end])} {points(score)}" for start, end, score in best if end <= SCORED_LIMIT]
    return Paragraph(f"top words: {', '.join(shown) or 'none'}", "rest")
