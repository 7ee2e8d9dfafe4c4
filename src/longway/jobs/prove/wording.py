"""Names and numbers of a proof as people read them."""

from __future__ import annotations

from longway.jobs.prove.result import (
    ACCURACY,
    BETTER,
    FAIRSCORE,
    UNCLEAR,
    WORSE,
    Comparison,
    Figure,
    PairFigure,
    Run,
    WordFigure,
)
from longway.jobs.prove.settings import PLAIN
from longway.report.excerpts import cut
from longway.report.numbers import NONE, arrow, or_dash, percent, points, signed
from longway.report.sections import Span

MODELS = {
    "bow": "bag of words", "nb": "naive Bayes", "cnn": "CNN", "gru": "GRU", "dan": "mean of word vectors", "minilm": "MiniLM, frozen",
    "minilm-lora": "MiniLM, LoRA", "minilm-full": "MiniLM, fine-tuned",
}  # fmt: skip
METHODS = {
    "erm": "plain training", "rew": "reweighting", "poe": "product of experts", "clever": "CLEVER",
    "jtt": "just train twice", "jtt-paper": "just train twice, one epoch", "drift": "DRiFt", "dro": "group DRO",
}  # fmt: skip
METRICS = {
    "accuracy": "accuracy", "macro_f1": "macro F1", "binary_f1": "F1", "auroc": "AUROC",
    "calibration_error": "calibration error", "brier": "Brier score", "worst_group_accuracy": "worst group",
    FAIRSCORE: "fairscore",
}  # fmt: skip
NOT_SHARES = {"auroc", "calibration_error", "brier"}  # written as 0.123, the others as percentages
MARKS = {
    BETTER: Span("▲ better", "better mark"),
    WORSE: Span("▼ worse", "worse mark"),
    UNCLEAR: Span("≈ unclear", "quiet mark"),
}


def name(text: str) -> str:
    """A name of the user's, cut."""
    return cut(text)


def model_name(model: str) -> str:
    """The model in plain words; an unknown one by its own name."""
    return MODELS.get(model) or name(model)


def method_name(method: str) -> str:
    """The training method in plain words."""
    return METHODS.get(method) or name(method)


def run_name(run: Run) -> str:
    """Model and method in a sentence.

    >>> run_name(("bow", "erm")), run_name(("bow", "poe"))
    ('bag of words', 'bag of words with product of experts')
    """
    model, method = run
    return model_name(model) if method == PLAIN else f"{model_name(model)} with {method_name(method)}"


def run_words(run: Run) -> str:
    """Model and method in a table.

    >>> run_words(("bow", "erm"))
    'bag of words, plain training'
    """
    return f"{model_name(run[0])}, {method_name(run[1])}"


def metric_name(metric: str) -> str:
    """The metric in plain words.

    >>> metric_name("macro_f1"), metric_name("fairscore:race")
    ('macro F1', 'fairscore, race')
    """
    if axis := axis_of(metric):
        return f"{FAIRSCORE}, {name(axis)}"
    return METRICS.get(metric) or name(metric)


def axis_name(metric: str) -> str:
    """The axis of a fairscore, in a table of several.

    >>> axis_name("fairscore:race"), axis_name("fairscore")
    ('race', 'all')
    """
    return name(axis_of(metric) or "all")


def axis_of(metric: str) -> str:
    """The axis of a fairscore; "" for the one of all axes, and for other metrics."""
    return metric.removeprefix(f"{FAIRSCORE}:") if metric.startswith(f"{FAIRSCORE}:") else ""


def figure(value: float | None, metric: str = ACCURACY) -> str:
    """A figure of this metric.

    >>> figure(0.5042), figure(0.5042, "auroc"), figure(50.42, "fairscore"), figure(None)
    ('50.4%', '0.504', '50.4%', '–')
    """
    if value is not None and _is_percentage(metric):
        return percent(value / 100)
    return or_dash(value, _plain if metric in NOT_SHARES else percent)


def change(value: float | None, metric: str = ACCURACY) -> str:
    """A difference between two figures of this metric, with its sign.

    >>> change(0.0214), change(-2.14, "fairscore:age")
    ('+2.1', '−2.1')
    """
    if value is not None and _is_percentage(metric):
        return points(value / 100)
    return or_dash(value, signed if metric in NOT_SHARES else points)


def before_and_after(one: Comparison) -> str:
    """Both figures of a comparison."""
    return arrow(figure(one.before, one.metric), figure(one.after, one.metric))


def change_interval(one: Comparison) -> str:
    """The interval of a difference; "" if there is none."""
    if one.low is None or one.high is None:
        return ""
    return f"{change(one.low, one.metric)} to {change(one.high, one.metric)}"


def figure_interval(one: Figure | PairFigure | WordFigure | None, metric: str) -> str:
    """The interval of a figure; "" if there is none."""
    if one is None or one.low is None or one.high is None:
        return ""
    return f"{figure(one.low, metric)} to {figure(one.high, metric)}"


def mark(verdict: str) -> Span:
    """The verdict as a sign and a word, so that its meaning does not depend on its colour."""
    return MARKS.get(verdict, Span(""))


def whole_points(value: float | None) -> str:
    """A gap in whole points.

    >>> whole_points(0.748), whole_points(-0.1), whole_points(-0.002), whole_points(None)
    ('75', '−10', '0', '–')
    """
    return NONE if value is None else f"{round(100 * value)}".replace("-", "−")


def _is_percentage(metric: str) -> bool:
    """Whether results.json holds percentages, as for the fairscore; other shares are between 0 and 1."""
    return metric == FAIRSCORE or bool(axis_of(metric))


def _plain(value: float) -> str:
    return signed(value).lstrip("+") if value == value else NONE
