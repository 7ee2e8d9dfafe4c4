"""The page of models trained on texts as they are and perturbed: Table 3 of the paper, held-out loss, and the corpus."""

from __future__ import annotations

from math import exp
from pathlib import Path

from longway.jobs.fairness.show import CAUTION, CHANCE, EVEN, WARNING, figure_cell
from longway.jobs.pretrain.result import AFTER, BEFORE, START, PretrainResult, TrainedModel, table_3
from longway.metrics.fairness.preferences import Quality
from longway.metrics.intervals import Measurement
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, cut
from longway.show.labels import setting_rows
from longway.show.numbers import count, counted, duration, percent
from longway.show.sections import (
    REPORT,
    SCREEN,
    Block,
    Bullet,
    Bullets,
    Cell,
    Column,
    Facts,
    KeyFigure,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
)

NAMES = {START: "As it came", BEFORE: "Original text", AFTER: "Perturbed text"}
NO_MEASURES = (
    "No file was given to measure the models with. Add --crows-pairs, --weat and --holistic, as for `longway fairness`; the trained models "
    "are kept, so this takes little time."
)
ABOUT_TABLE = (
    "As in Table 3 of Qian et al. 2022. HolisticBias: pairs of descriptors whose sentences differ, in percent. WEAT/SEAT: tests that are significant, in "
    "percent. Lower is better for both, and 5 is chance. CrowS-Pairs: pairs whose stereotype is more likely, in percent; 50 is even."
)
ONE_SEED = (
    "Each model was trained once. Another --seed changes these figures too: repeat the run with several seeds before you call a difference "
    "an effect of the perturbation."
)
POOR = "The measures of a model that predicts text badly say little, whichever way they turn out: look at the loss first, and at the model as it came."
READING = [
    ("Original, perturbed", "Two trainings with the same start, number of steps, order and masked positions. Only the text differs: in the perturbed one, a person of each window has another gender, race or age."),
    ("Loss", "The mean negative log-likelihood of masked tokens in documents that no model was trained on. Perplexity is its exponential; lower is better."),
    ("Interval", "The 95% interval over items of a benchmark, or over held-out sequences. It does not include how much another training would differ."),
]  # fmt: skip


def pretrain_page(result: PretrainResult) -> Page:
    """All sections of a pretraining."""
    warning, *_ = WARNING
    return Page(
        kicker="Longway perturb pretrain",
        title=cut(f"{result.settings.model} on {result.source}", PATTERN_LIMIT),
        verdict=verdict(result),
        facts=[
            ("Weights", count(result.weights)),
            ("Training", f"{counted(result.settings.steps, 'step')} of {result.settings.batch} × {result.settings.length} tokens"),
            ("Device", cut(result.device, NAME_LIMIT)),
            ("Time", duration(result.seconds)),
        ],
        figures=_key_figures(result),
        figures_style="of3",
        sections=[
            Section("warning", "What these numbers cannot say", [Paragraph(warning), Paragraph(ONE_SEED)]),
            Section("table-3", "Fairness measures", _table_3(result), on=REPORT | SCREEN),
            Section("loss", "Held-out text", _losses(result), on=REPORT | SCREEN),
            Section("corpus", "The corpus", _corpus(result), on=REPORT | SCREEN),
            Section("reading", "How to read this", [Facts(READING, "reading")]),
            Section("caution", "Note", [Paragraph(CAUTION), Paragraph(ONE_SEED)], on=SCREEN),
        ],
        sheets=("fairness.css",),
        version=result.longway,
        fingerprint=result.fingerprint,
        fingerprint_of="Fingerprint of the texts",
        settings=setting_rows(result.settings.recorded(), source="run.json"),
    )  # fmt: skip


def verdict(result: PretrainResult) -> str:
    """The sentence below the title."""
    before, after = result.model(BEFORE), result.model(AFTER)
    assert after is not None  # always trained
    if before is None:
        return "Only the perturbed text was trained on, so its effect cannot be seen; leave out --no-compare to see it."
    ours, theirs = table_3(after.measures), table_3(before.measures)
    if not ours:
        difference = _loss(after.on_original) - _loss(before.on_original)
        word = "higher" if difference > 0 else "lower"
        return f"On held-out original text, the loss after training on perturbed text is {abs(difference):.3f} {word}; fairness was not measured."
    better = [row for row in ours if distance(row, ours[row].value) < distance(row, theirs[row].value)]
    apart = [row for row in ours if ours[row].low > theirs[row].high or ours[row].high < theirs[row].low]
    numbers = {0: "none of these differences is", 1: "1 of these differences is"}
    clear = numbers.get(len(apart), f"{len(apart)} of these differences are")
    return f"Trained on perturbed text, the model is closer to no preference in {len(better)} of {counted(len(ours), 'measure')} of Table 3; {clear} larger than the intervals."


def distance(row: str, value: float) -> float:
    """How far a figure of Table 3 is from no preference: from 50 for CrowS-Pairs, from 0 for the others.

    >>> distance("CrowS-Pairs, age", 47.0), distance("HolisticBias, age", 47.0)
    (3.0, 47.0)
    """
    return abs(value - 50) if row.startswith("CrowS") else value


def _key_figures(result: PretrainResult) -> list[KeyFigure]:
    corpus, figures = result.corpus, []
    share = percent(corpus.changed / corpus.windows)
    figures.append(KeyFigure("Windows changed", share, f"{count(corpus.changed)} of {count(corpus.windows)}"))
    for model in result.models[1:]:
        note = f"on held-out original text; {exp(_loss(model.on_perturbed)):.1f} on perturbed text"
        figures.append(KeyFigure(f"Perplexity, trained on {NAMES[model.name].lower()}", f"{model.on_original.perplexity:.1f}", note))  # fmt: skip
    return figures


def _loss(quality: Quality) -> float:
    return -quality.log_likelihood.value


def _columns(result: PretrainResult) -> list[Column]:
    return [Column(NAMES[model.name], style="shares figure") for model in result.models]


def _table_3(result: PretrainResult) -> list[Block]:
    by_model = [table_3(model.measures) for model in result.models]
    if not any(by_model):
        return [Paragraph(NO_MEASURES)]
    rows = [
        Row([name, *(_figure(name, figures[name]) for figures in by_model)])
        for name in dict.fromkeys(name for figures in by_model for name in figures)
    ]
    reports = [Path("measures") / model.name / "report.html" for model in result.models]
    return [
        Paragraph(ABOUT_TABLE, "lead"),
        Table([Column("Measure"), *_columns(result)], rows, "measure"),
        Paragraph(f"All figures of each model: {', '.join(map(str, reports))}.", "rest"),
    ]


def _figure(row: str, figure: Measurement) -> Cell:
    return figure_cell(figure, EVEN if row.startswith("CrowS") else CHANCE)


def _losses(result: PretrainResult) -> list[Block]:
    columns = [
        Column("Model"),
        Column("Loss on original text", number=True, short="On original"),
        Column("Perplexity", number=True),
        Column("Loss on perturbed text", number=True, short="On perturbed"),
        Column("Perplexity", number=True, screen=False),
    ]
    rows = [Row([NAMES[model.name], *_loss_cells(model)]) for model in result.models]
    tokens = counted(result.models[0].on_original.tokens, "masked token")
    return [
        Paragraph(f"The loss on {tokens} of documents that no model was trained on. {POOR}", "rest"),
        Table(columns, rows),
    ]


def _loss_cells(model: TrainedModel) -> list[Words]:
    cells: list[Words] = []
    for quality in (model.on_original, model.on_perturbed):
        one = quality.log_likelihood
        interval = Span(f"{-one.high:.2f} to {-one.low:.2f}", "quiet")
        cells += [[f"{-one.value:.3f} ", interval], f"{quality.perplexity:.1f}"]
    return cells


def _corpus(result: PretrainResult) -> list[Block]:
    corpus = result.corpus
    facts: list[tuple[str, str]] = [
        ("Documents", count(corpus.documents)),
        ("Windows", f"{count(corpus.windows)} of at most {result.settings.window} tokens, {count(corpus.tokens)} tokens in all"),
        ("Changed", ", ".join(f"{axis} {count(n)}" for axis, n in corpus.by_axis.items()) or "none"),
        ("Held out", counted(corpus.held_out, "window")),
        ("Sequences to train on", f"{count(result.sequences)} of {result.settings.length} tokens"),
    ]  # fmt: skip
    blocks: list[Block] = [Facts(facts)]
    if corpus.stayed:
        stayed = [Bullet(cut(why, PATTERN_LIMIT), count(n)) for why, n in corpus.stayed.items()]
        blocks += [Paragraph("Why the other windows stay as they are:"), Bullets(stayed)]
    return blocks
