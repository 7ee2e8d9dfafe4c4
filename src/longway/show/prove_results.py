"""results.json of a proof, read once: every figure by its place, every comparison with both of its figures.

    results.json (dict)  ->  read_proof()  ->  Proof: versions, tests, runs, figures, comparisons

A run is a model trained by a method. The first version is what the others are compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.numbers import NONE, or_dash, percent, points, signed

Row = Mapping[str, Any]
Run = tuple[str, str]  # model, method
Place = tuple[str, str, str, str, str]  # data, model, method, test, metric

MAIN = "accuracy"
FAIRSCORE = "fairscore"
PLAIN = "erm"
BETTER, WORSE, UNCLEAR = "better", "worse", "no clear difference"

MODELS = {
    "bow": "bag of words", "nb": "naive Bayes", "cnn": "CNN", "gru": "GRU", "dan": "mean of word vectors", "minilm": "MiniLM, frozen",
    "minilm-lora": "MiniLM, LoRA", "minilm-full": "MiniLM, fine-tuned",
}  # fmt: skip
METHODS = {
    "erm": "plain training", "rew": "reweighting", "poe": "product of experts", "clever": "CLEVER",
    "jtt": "just train twice", "drift": "DRiFt", "dro": "group DRO",
}  # fmt: skip
METRICS = {
    "accuracy": "accuracy", "macro_f1": "macro F1", "binary_f1": "F1", "auroc": "AUROC",
    "calibration_error": "calibration error", "brier": "Brier score", "worst_group_accuracy": "worst group",
    FAIRSCORE: "fairscore",
}  # fmt: skip
NOT_SHARES = {"auroc", "calibration_error", "brier"}  # written as 0.123, the others as per cent


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two figures and their difference; None: not defined. old and new: what was compared, with its figures."""

    data: str
    against: str
    run: Run
    against_method: str
    test: str
    metric: str
    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    q: float | None
    verdict: str

    @property
    def of_methods(self) -> bool:
        """Whether two training methods are compared, not two versions of the data."""
        return self.against_method != self.run[1]


@dataclass(frozen=True, slots=True)
class Proof:
    """What was trained on and tested on, in order, and all that came out."""

    versions: list[str]
    tests: list[str]
    runs: list[Run]
    figures: dict[Place, Row]
    comparisons: list[Comparison]

    @property
    def first(self) -> str:
        """The version that the others are compared with."""
        return self.versions[0]

    def mean(self, data: str, run: Run, test: str, metric: str = MAIN) -> float | None:
        """A figure; None where it was not measured or is not defined."""
        return self.figures.get((data, *run, test, metric), {}).get("mean")


def read_proof(results: Row) -> Proof:
    """The proof of a results.json; a name that only the figures know comes after those that are listed."""
    rows = results["rows"]
    figures = {(r["data"], r["model"], r["method"], r["test"], r["metric"]): r for r in rows}
    return Proof(
        versions=_names(results["versions"], (row["data"] for row in rows)),
        tests=_names(results["tests"], (row["test"] for row in rows)),
        runs=list(dict.fromkeys((row["model"], row["method"]) for row in rows)),
        figures=figures,
        comparisons=[comparison(row, figures) for row in results["comparisons"]],
    )


def comparison(row: Row, figures: Mapping[Place, Row]) -> Comparison:
    """A comparison with the two figures it compares."""
    other_method = row.get("against_method") or row["method"]
    new = (row["data"], row["model"], row["method"], row["test"], row["metric"])
    old = (row["against"], row["model"], other_method, row["test"], row["metric"])
    return Comparison(
        data=row["data"],
        against=row["against"],
        run=(row["model"], row["method"]),
        against_method=other_method,
        test=row["test"],
        metric=row["metric"],
        before=figures.get(old, {}).get("mean"),
        after=figures.get(new, {}).get("mean"),
        difference=row.get("difference"),
        low=row.get("low"),
        high=row.get("high"),
        q=row.get("q"),
        verdict=row.get("verdict") or "",
    )


@dataclass(frozen=True, slots=True)
class Told:
    """Something said of trainings of one model by one method, once for all of them; seeds: empty where of all seeds."""

    run: Run
    versions: tuple[str, ...]
    seeds: tuple[int, ...]
    text: str


def told_once(rows: Iterable[Row], text: str) -> list[Told]:
    """What notes or failures say, joined where model, method and words are the same. text: the key that has the words.

    >>> rows = [{"data": d, "model": "nb", "method": "poe", "seed": s, "error": "no"} for d in "ab" for s in (0, 1)]
    >>> told_once(rows, "error")
    [Told(run=('nb', 'poe'), versions=('a', 'b'), seeds=(0, 1), text='no')]
    """
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row["model"], row["method"], str(row[text])), []).append(row)
    return [
        Told(
            (model, method),
            tuple(dict.fromkeys(row["data"] for row in same)),
            tuple(dict.fromkeys(row["seed"] for row in same if row.get("seed") is not None)),
            words,
        )
        for (model, method, words), same in found.items()
    ]


def model_name(model: str) -> str:
    """The model in plain words; one we do not know by its own name."""
    return MODELS.get(model) or cut(model, NAME_LIMIT)


def method_name(method: str) -> str:
    """The training method in plain words."""
    return METHODS.get(method) or cut(method, NAME_LIMIT)


def run_name(run: Run) -> str:
    """Model and method in a sentence.

    >>> run_name(("bow", "erm")), run_name(("bow", "poe"))
    ('bag of words', 'bag of words with product of experts')
    """
    model, method = run
    return model_name(model) if method == PLAIN else f"{model_name(model)} with {method_name(method)}"


def metric_name(metric: str) -> str:
    """The measure in plain words.

    >>> metric_name("macro_f1"), metric_name("fairscore:race")
    ('macro F1', 'fairscore, race')
    """
    if axis := axis_of(metric):
        return f"{FAIRSCORE}, {cut(axis, NAME_LIMIT)}"
    return METRICS.get(metric) or cut(metric, NAME_LIMIT)


def axis_of(metric: str) -> str:
    """The axis of a fairscore; empty for one of all axes, and for other measures."""
    return metric.removeprefix(f"{FAIRSCORE}:") if metric.startswith(f"{FAIRSCORE}:") else ""


def figure(value: float | None, metric: str = MAIN) -> str:
    """A figure of this metric.

    >>> figure(0.5042), figure(0.5042, "auroc"), figure(50.42, "fairscore"), figure(None)
    ('50.4%', '0.504', '50.4%', '–')
    """
    if value is not None and _in_percent(metric):
        return percent(value / 100)
    return or_dash(value, _plain if metric in NOT_SHARES else percent)


def change(value: float | None, metric: str = MAIN) -> str:
    """A difference between two figures of this metric, with its sign.

    >>> change(0.0214), change(-2.14, "fairscore:age")
    ('+2.1', '−2.1')
    """
    if value is not None and _in_percent(metric):
        return points(value / 100)
    return or_dash(value, signed if metric in NOT_SHARES else points)


def change_interval(one: Comparison) -> str:
    """The interval of a difference; empty where there is none.

    >>> made = Comparison("b", "a", ("m", "erm"), "erm", "t", "accuracy", 0.5, 0.52, 0.02, 0.003, 0.039, 0.04, "better")
    >>> change_interval(made)
    '+0.3 to +3.9'
    """
    if one.low is None or one.high is None:
        return ""
    return f"{change(one.low, one.metric)} to {change(one.high, one.metric)}"


def _in_percent(metric: str) -> bool:
    """Whether results.json has it in percent, as the papers on fairness do; all other shares are between 0 and 1."""
    return metric == FAIRSCORE or bool(axis_of(metric))


def _plain(value: float) -> str:
    return signed(value).lstrip("+") if value == value else NONE


def _names(listed: Iterable[Row], used: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*(row["name"] for row in listed), *used]))
