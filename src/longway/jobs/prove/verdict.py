"""The verdict of a proof: one sentence, and the figures behind it; names and numbers as people read them.

A difference is reported as one only if its test is significant; if none is, the sentence says so. If no comparison has an interval
narrow enough for a critical difference to show (`detect.severity`: 10 points), it says that there are too few test rows, and how many times
as many are needed: an interval is half as wide with four times the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longway.detect.severity import CRITICAL_POINTS
from longway.jobs.prove.result import (
    ACCURACY,
    BETTER,
    FAIRSCORE,
    UNCLEAR,
    WORSE,
    Comparison,
    Figure,
    ProveResult,
    Run,
)
from longway.jobs.prove.settings import PLAIN
from longway.metrics.classification import METRICS
from longway.metrics.paired import LEVEL
from longway.report.excerpts import cut
from longway.report.numbers import NONE, arrow, count, counted, or_dash, percent, points, q_value, signed
from longway.report.sections import Span

MODELS = {
    "bow": "bag of words", "nb": "naive Bayes", "cnn": "CNN", "gru": "GRU", "dan": "mean of word vectors", "minilm": "MiniLM, frozen",
    "minilm-lora": "MiniLM, LoRA", "minilm-full": "MiniLM, fine-tuned",
}  # fmt: skip
METHODS = {
    "erm": "plain training", "rew": "reweighting", "poe": "product of experts", "clever": "CLEVER",
    "jtt": "just train twice", "drift": "DRiFt", "dro": "group DRO",
}  # fmt: skip
WORDS = {name: metric.words for name, metric in METRICS.items()}
WORDS |= {"binary_f1": "F1", "worst_group_accuracy": "worst group", FAIRSCORE: "fairscore"}
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
    return WORDS.get(metric) or name(metric)


def _is_share(metric: str) -> bool:
    return metric not in METRICS or METRICS[metric].is_share


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
    return or_dash(value, percent if _is_share(metric) else _plain)


def change(value: float | None, metric: str = ACCURACY) -> str:
    """A difference between two figures of this metric, with its sign.

    >>> change(0.0214), change(-2.14, "fairscore:age")
    ('+2.1', '−2.1')
    """
    if value is not None and _is_percentage(metric):
        return points(value / 100)
    return or_dash(value, points if _is_share(metric) else signed)


def before_and_after(one: Comparison) -> str:
    """Both figures of a comparison."""
    return arrow(figure(one.before, one.metric), figure(one.after, one.metric))


def change_interval(one: Comparison) -> str:
    """The interval of a difference; "" if there is none."""
    if one.low is None or one.high is None:
        return ""
    return f"{change(one.low, one.metric)} to {change(one.high, one.metric)}"


def figure_interval(one: Figure | None, metric: str) -> str:
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


MAX_TESTS = 3  # named in the sentence


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result in one sentence, and details in a few more."""

    sentence: str
    details: str


def verdict_of(result: ProveResult) -> Verdict:
    """The verdict on the second version against the first."""
    second = result.versions[1].name if len(result.versions) > 1 else ""
    other = [
        one
        for one in result.worse
        if one.data == second and one.metric != ACCURACY and not one.against_method
    ]
    return prove_verdict(
        result.of_versions(ACCURACY, second),
        fairscores=result.of_versions(FAIRSCORE, second),
        seeds=max((row.seeds for row in result.rows), default=None),
        n_other_worse=len(other),
        n_failed=len(result.failed),
        n_refused=sum(one.refused for one in result.concerns),
    )


def is_unclear(result: ProveResult) -> bool:
    """Whether no comparison of the second version with the first is clear."""
    second = result.versions[1].name if len(result.versions) > 1 else ""
    return not any(one.verdict in (BETTER, WORSE) for one in result.of_versions(ACCURACY, second))


def prove_verdict(
    changes: Sequence[Comparison],
    *,
    fairscores: Sequence[Comparison] = (),
    seeds: int | None = None,
    n_other_worse: int = 0,
    n_failed: int = 0,
    n_refused: int = 0,
) -> Verdict:
    """Whether the change helped, where, how certain that is, and what got worse.

    changes: accuracy after against before, for each run and test; fairscores: the same for the fairscore. seeds: per figure.
    n_other_worse: other metrics that got clearly worse. n_refused: concerns that make a comparison unsound.
    """
    better, worse = ([one for one in changes if one.verdict == verdict] for verdict in (BETTER, WORSE))
    sentence = _sentence(changes, better, worse)
    if n_refused:
        sentence += " Not all of it is a fair comparison: read the concerns first."
    details = _details(changes, better, worse) + _fairscore_details(fairscores)
    if n_other_worse:
        details.append(f"By other metrics, {counted(n_other_worse, 'figure')} got clearly worse; see below.")
    if changes and seeds == 1:
        details.append("One seed only: it separates two models, not yet the data they were trained on.")
    if n_failed:
        details.append(
            f"{counted(n_failed, 'training')} failed and {'is' if n_failed == 1 else 'are'} not included."
        )
    return Verdict(sentence, " ".join(details))


def largest(some: Sequence[Comparison]) -> Comparison:
    """The comparison with the largest difference."""
    return max(some, key=lambda one: abs(one.difference or 0.0))


def _sentence(
    changes: Sequence[Comparison], better: Sequence[Comparison], worse: Sequence[Comparison]
) -> str:
    if not changes:
        return "Nothing could be compared: no model has figures for both versions."
    new, old = name(changes[0].data), name(changes[0].against)
    if not better and not worse:
        halves = [(one.high - one.low) / 2 for one in changes if one.low is not None and one.high is not None]
        if halves and min(halves) > CRITICAL_POINTS and not any(one.excludes_zero for one in changes):
            return (
                f"Too few test rows to tell: the 95% interval of the difference between {new} and {old} is {100 * min(halves):.0f} points wide on "
                f"either side, on {_tests(changes)}. A difference of {100 * CRITICAL_POINTS:.0f} points takes about "
                f"{(min(halves) / CRITICAL_POINTS) ** 2:.1f} times as many rows."
            )
        models = "the model is" if len({one.run for one in changes}) == 1 else "models are"
        return (
            f"No clear difference: trained on {new} or on {old}, {models} right about as often on {_tests(changes)} "
            f"({counted(len(changes), 'comparison')}){_why_unclear(changes)}."
        )
    if not worse:
        return f"It helped on {_tests(better)}: {_clear(better, len(changes))} better with {new} than with {old}, none worse."
    if not better:
        return f"It did harm on {_tests(worse)}: {_clear(worse, len(changes))} worse with {new} than with {old}, none better."
    return (
        f"Mixed: it helped on {_tests(better)} and did harm on {_tests(worse)}. Of {count(len(changes))} comparisons of "
        f"{new} with {old}, {count(len(better))} {_are(better)} clearly better and {count(len(worse))} clearly worse."
    )


def _why_unclear(unclear: Sequence[Comparison]) -> str:
    """Why intervals that exclude 0 are not enough; "" if all of them include it."""
    excluding = [one for one in unclear if one.excludes_zero]
    if not excluding:
        return ""
    n = len(excluding)
    whose = f"{counted(n, 'interval')} {'excludes' if n == 1 else 'exclude'} 0"
    over_q = [one.q for one in excluding if one.q is not None and one.q > LEVEL]
    if len(over_q) < n:
        return f"; {whose}, but accuracy varies as much from seed to seed"
    return f"; {whose}, but the p-value corrected for all comparisons, q = {q_value(min(over_q))}, is above {LEVEL}"


def _details(
    changes: Sequence[Comparison], better: Sequence[Comparison], worse: Sequence[Comparison]
) -> list[str]:
    """The largest difference in each direction, and how many comparisons are unclear."""
    if not changes:
        return []
    if not better and not worse:
        return [f"The largest difference: {_described(largest(changes))}."]
    parts = [
        f"The largest {what}: {_described(largest(some))}."
        for what, some in (("gain", better), ("loss", worse))
        if some
    ]
    if n_unclear := len(changes) - len(better) - len(worse):
        why = _why_unclear([one for one in changes if one not in better and one not in worse])
        parts.append(f"{count(n_unclear)} {'shows' if n_unclear == 1 else 'show'} no clear difference{why}.")
    return parts


def _fairscore_details(changes: Sequence[Comparison]) -> list[str]:
    """Whether fewer answers change with the person, by the largest clear difference in each direction."""
    parts = []
    for verdict, what in ((BETTER, "Fewer"), (WORSE, "More")):
        if clear := [one for one in changes if one.verdict == verdict]:
            one = largest(clear)
            parts.append(
                f"{what} answers change when a person’s gender, race or age does: the fairscore of {run_name(one.run)} on "
                f"{name(one.test)} goes {before_and_after(one)}."
            )
    return parts or ["The fairscore shows no clear difference."] * bool(changes)


def _clear(some: Sequence[Comparison], n: int) -> str:
    if n == 1:
        return "the only comparison is clearly"
    return f"{count(len(some))} of {count(n)} comparisons {_are(some)} clearly"


def _are(some: Sequence[Comparison]) -> str:
    return "is" if len(some) == 1 else "are"


def _tests(some: Sequence[Comparison]) -> str:
    """The names of the tests, largest difference first."""
    ordered = sorted(some, key=lambda one: -abs(one.difference or 0.0))
    names = list(dict.fromkeys(name(one.test) for one in ordered))
    shown, n_more = names[:MAX_TESTS], len(names) - MAX_TESTS
    if n_more > 0:
        return f"{', '.join(shown)} and {counted(n_more, 'more test set')}"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _described(one: Comparison) -> str:
    interval = change_interval(one)
    with_interval = f", 95% interval {interval}" if interval else ""
    return f"on {name(one.test)}, {run_name(one.run)} gets {before_and_after(one)} ({change(one.difference)} points{with_interval})"
