"""Judging labels: how often right, and whether a probability means what it says; the writer beside the encoders.

    cad          Human-CAD NLI dev, originals and revisions
    fever        claims of FEVER's half that neither the writer nor the entailment model learned from
    fever_choose the part of the other half by which the entailment model's settings were chosen; the writer learned from it
    sst2         SST-2 dev

The plain small model judges single texts only. The encoder is our entailment model for pairs, and for single texts MiniLM with a linear
head that learned 2,000 of SST-2's sentences. --calibrate fits the writer's temperature and a bias for each label on rows that are no test rows: SNLI dev
without the premises of Human-CAD for pairs, the first half of SST-2 dev for single texts; SST-2 is then measured on the second half.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import common
from longway.classify.entailment import STANCES, Entailment
from longway.classify.minilm import MiniLM
from longway.engines.local import LocalEngine
from longway.engines.model_files import LabelCalibration
from longway.engines.writer_steps import label_words
from longway.metrics.classification import METRICS, calibration
from longway.task import Task
from writer_common import (
    FACTS,
    NLI,
    SENTIMENT,
    Row,
    chosen,
    engine_of,
    judged_by,
    noted,
    rows_of,
    share,
    some,
    table,
)

LIMIT = 1000
LEARNED = 2000  # sentences that the encoder's head learns from; more cost time and change little
BINS = 10
TRAIN = Path(__file__).resolve().parents[1] / "train"


def _cad() -> Sequence[Row]:
    return [*_pairs("human_cad_snli/original_dev"), *_pairs("human_cad_snli/revised_combined_dev")]


def _pairs(file: str) -> tuple[Row, ...]:
    return rows_of(file, "hypothesis", "premise")


def _fever() -> Sequence[Row]:
    return rows_of("fever/paper_test_supports_refutes", "claim", "evidence")


@cache
def _choose() -> Sequence[Row]:
    """FEVER's pairs by which the entailment model's settings were chosen."""
    if str(TRAIN) not in sys.path:
        sys.path.append(str(TRAIN))
    from entailment_data import FEVER_LABELS, read_all

    names = {short: label for label, short in FEVER_LABELS.items()}
    _, choose, _ = read_all(common.DATA)
    return tuple(
        Row(f"choose-{i}", pair.text, names[pair.answers], pair.context)
        for i, pair in enumerate(choose)
        if pair.source == "fever"
    )


def _halves() -> tuple[Sequence[Row], Sequence[Row]]:
    rows = rows_of("sst2/dev")
    return rows[: len(rows) // 2], rows[len(rows) // 2 :]


SETS: dict[str, tuple[Task, Callable[[], Sequence[Row]]]] = {
    "cad": (NLI, _cad),
    "fever": (FACTS, _fever),
    "fever_choose": (FACTS, _choose),
    "sst2": (SENTIMENT, lambda: rows_of("sst2/dev")),
}


def fitting_sets(limit: int, seed: int) -> dict[str, tuple[Task, list[Row]]]:
    """Rows to calibrate on, by what is judged."""
    tested = {row.context for row in _pairs("human_cad_snli/original_dev")}
    pairs = [row for row in _pairs("snli/dev") if row.context not in tested]
    return {
        "pair": (NLI, some(pairs, limit, seed)),
        "sentiment": (SENTIMENT, some(_halves()[0], limit, seed)),
    }


@cache
def sentiment_encoder() -> Callable[[Sequence[tuple[str, str | None]]], np.ndarray]:
    """MiniLM with a linear head that learned SST-2's sentences: texts -> probabilities of positive and negative."""
    rows, encoder = some(rows_of("sst2_sentences/train"), LEARNED, seed=0), MiniLM.load()
    labels = [SENTIMENT.labels.index(row.label) for row in rows]
    head = LogisticRegression(C=10.0, max_iter=300).fit(encoder.embed([row.text for row in rows]), labels)
    return lambda pairs: np.asarray(head.predict_proba(encoder.embed([text for text, _ in pairs])))


def by_encoder(task: Task, pairs: Sequence[tuple[str, str | None]]) -> np.ndarray:
    """For each (text, context) the encoder's probabilities of the task's labels; what it gives to stances without a label is shared out."""
    if not task.is_pair:
        return sentiment_encoder()(pairs)
    found = Entailment.load().probabilities([(context or "", text) for text, context in pairs])
    columns = found[:, [STANCES.index(task.stances[label]) for label in task.labels]]
    return columns / columns.sum(axis=1, keepdims=True)


def by_engine(name: str, task: Task, rows: Sequence[Row], what: str) -> np.ndarray | None:
    """An engine's probabilities, NaN for rows without an answer; None where it does not judge such a task."""
    engine = engine_of(name)
    if not isinstance(engine, LocalEngine) or not engine.judges(task):
        return None
    return judged_by(engine, task, [(row.text, row.context) for row in rows], f"judge {what} {name}")


def figures_of(task: Task, rows: Sequence[Row], likely: np.ndarray) -> dict[str, Any]:
    """A row without an answer is wrong, and all its labels count as equally likely."""
    truth = [row.label for row in rows]
    unanswered = np.isnan(likely).any(axis=1)
    likely = np.where(unanswered[:, None], 1 / len(task.labels), likely)
    right = likely.argmax(axis=1) == [task.labels.index(label) for label in truth]
    return {
        "accuracy": share(right & ~unanswered),
        "unanswered": int(unanswered.sum()),
        "log_loss": METRICS["log_loss"](truth, likely, task.labels),
        "brier": METRICS["brier"](truth, likely, task.labels),
        "calibration_error": calibration(truth, likely, task.labels, bins=BINS).error,
    }


def fitted(likely: np.ndarray, truth: Sequence[int]) -> tuple[float, np.ndarray]:
    """The temperature and the biases (summing to 0) that make the right labels likeliest: log p / temperature + bias."""
    scores, places = np.log(np.clip(likely, 1e-12, 1)), np.arange(len(truth))

    def loss(parameters: np.ndarray) -> float:
        shifted = scores / np.exp(parameters[0]) + _biases(parameters[1:])
        highest = shifted.max(axis=1, keepdims=True)
        total = highest[:, 0] + np.log(np.exp(shifted - highest).sum(axis=1))
        return float((total - shifted[places, truth]).mean()) + 1e-4 * float((parameters**2).sum())

    best = minimize(loss, np.zeros(likely.shape[1]), method="L-BFGS-B").x
    return float(np.exp(best[0])), _biases(best[1:])


def _biases(free: np.ndarray) -> np.ndarray:
    return np.append(free, -free.sum())


def scaled(likely: np.ndarray, temperature: float, biases: np.ndarray) -> np.ndarray:
    """Probabilities with a temperature and biases."""
    shifted = np.log(np.clip(likely, 1e-12, 1)) / temperature + biases
    weights = np.exp(shifted - shifted.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def joined(known: LabelCalibration, temperature: float, biases: dict[str, float]) -> dict[str, Any]:
    """What the writer's file should say: its calibration so far and the new one after it, as one."""
    return {
        "temperature": round(known.temperature * temperature, 4),
        "bias": {
            name: round(known.bias.get(name, 0.0) / temperature + bias, 4) for name, bias in biases.items()
        },
    }


def calibrated(limit: int, seed: int) -> tuple[dict[str, Any], dict[str, tuple[float, dict[str, float]]]]:
    """For about.json, and by what is judged the temperature and the biases by the names of labels that the writer learned."""
    told, found = {}, {}
    engine = engine_of("writer")
    assert isinstance(engine, LocalEngine)
    for kind, (task, rows) in fitting_sets(limit, seed).items():
        likely = by_engine("writer", task, rows, f"to calibrate, {kind}")
        assert likely is not None
        answered = np.flatnonzero(~np.isnan(likely).any(axis=1))
        temperature, biases = fitted(likely[answered], [task.labels.index(rows[i].label) for i in answered])
        names = label_words(task, task.labels)
        assert names is not None
        by_name = {names[label]: float(bias) for label, bias in zip(task.labels, biases, strict=True)}
        found[kind] = temperature, by_name
        told[kind] = joined(engine.adapter.calibration(kind), temperature, by_name)
    return told, found


def part(options: Namespace) -> dict[str, Any]:
    """Every test set with everything that judges."""
    figures: dict[str, Any] = {}
    fits: dict[str, tuple[float, dict[str, float]]] = {}
    limit = options.limit or LIMIT
    about: dict[str, Any] = {}
    if options.calibrate:
        about, fits = calibrated(limit, options.seed)
    for name, (task, rows_in) in chosen(SETS, options.sets).items():
        is_halved = options.calibrate and task is SENTIMENT
        rows = some(_halves()[1] if is_halved else rows_in(), limit, options.seed)
        for engine in options.engines:
            likely = by_engine(engine, task, rows, name)
            if likely is None:
                continue
            figures[f"{engine}_{name}"] = noted(f"{engine} {name}", figures_of(task, rows, likely))
            if engine == "writer" and fits:
                temperature, by_name = fits["pair" if task.is_pair else "sentiment"]
                names = label_words(task, task.labels) or {}
                biases = np.array([by_name[names[label]] for label in task.labels])
                figures[f"calibrated_{name}"] = figures_of(task, rows, scaled(likely, temperature, biases))
        pairs = [(row.text, row.context) for row in rows]
        figures[f"encoder_{name}"] = figures_of(task, rows, by_encoder(task, pairs))
    show(figures)
    if about:
        print(f'for about.json: "judge": {json.dumps(about)}')
        figures["about"] = about
    return figures


def show(figures: dict[str, Any]) -> None:
    rows = [
        (
            name,
            f["accuracy"]["n"],
            f["unanswered"],
            f["accuracy"],
            f["log_loss"],
            f["brier"],
            f["calibration_error"],
        )
        for name, f in figures.items()
    ]
    table(
        "judge",
        ("", "rows", "no answer", "accuracy", "log loss", "Brier", f"calibration error ({BINS} bins)"),
        rows,
    )
