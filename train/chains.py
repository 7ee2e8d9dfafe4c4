"""Fit what each rule of the person chains is worth, and from which probability on a pronoun is linked.

python train/chains.py --data development.jsonl.gz [--model longway]

    rows of GAP  ->  people near the pronoun, rules' values  ->  weights  ->  src/longway/english/people/chain_weights.json

The probability of a person is a softmax over the people near and "nobody"; the weights make the labels as likely as they can,
pulled towards 0. A weight is the sum of one for all situations and one for the situation at hand, which is pulled
harder. Rules look at links found before, so that the rows are read twice: without links, then with those of the first weights.
Both bounds are chosen on cross-validated answers. Only weights are stored, no text of the corpus (Apache-2.0).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array

from gap import Answer, Choice, Row, answer, bounds, choice, read_gap, score
from longway.english.people.chains import RULES, WEIGHTS_PATH, Weights, weights_from_table
from longway.english.people.discourse import SITUATIONS
from longway.english.pipeline import MODEL_PATH, load_pipeline

PULL, SITUATION_PULL = 1.0, 6.0  # how hard weights are pulled to 0 (L2)
FOLDS, BLOCK = 5, 20  # neighbouring rows often share a page: they stay in one fold
PRECISION = 0.87  # of the links made at the bound "sure", so that 0.85 holds on other texts
ROUNDS = 2

Floats = NDArray[np.float64]
NOBODY = {"nobody": dict.fromkeys(SITUATIONS, 50.0)}  # weights that never link


class Problem:
    """Many choices as one matrix: each column a rule, then each rule in each situation."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        sizes = [len(choice.values) for choice in choices]
        values = np.array([row for choice in choices for row in choice.values])
        which = np.repeat([SITUATIONS.index(choice.situation) for choice in choices], sizes)
        blocks = [values, *(values * (which == s)[:, None] for s in range(len(SITUATIONS)))]
        self.matrix = csr_array(np.hstack(blocks))
        self.possible = np.array([flag for choice in choices for flag in choice.possible])
        self.first = np.cumsum([0, *sizes[:-1]])
        self.of = np.repeat(np.arange(len(choices)), sizes)
        n = values.shape[1]
        self.pull = np.concatenate([np.full(n, PULL), np.full(n * len(SITUATIONS), SITUATION_PULL)])

    def loss(self, weights: Floats) -> tuple[float, Floats]:
        """Negative log probability of what the labels allow, with the pull; and its slope."""
        p = self._softmax(weights)
        allowed = np.where(self.possible, p, 0.0)
        total = np.add.reduceat(allowed, self.first) + 1e-12
        slope = self.matrix.T @ (p - allowed / total[self.of])
        loss = -np.log(total).sum() + (self.pull * weights**2).sum()
        return float(loss), slope + 2 * self.pull * weights

    def _softmax(self, weights: Floats) -> Floats:
        scores = self.matrix @ weights
        scores -= np.maximum.reduceat(scores, self.first)[self.of]
        odds = np.exp(scores)
        return odds / np.add.reduceat(odds, self.first)[self.of]

    def fit(self) -> dict[str, dict[str, float]]:
        """The best weights: rule -> situation -> number."""
        start = np.zeros(len(self.pull))
        best = minimize(self.loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
        common, *special = best.reshape(1 + len(SITUATIONS), -1)
        table = {s: common + extra for s, extra in zip(SITUATIONS, special, strict=True)}
        return {rule: {s: round(float(table[s][i]), 3) for s in SITUATIONS} for i, rule in enumerate(RULES)}


def read_choices(rows: Sequence[Row], weights: Weights) -> list[Choice]:
    """What there is to choose from in each row, links before it made with the given weights."""
    return [found for row in rows if (found := choice(row, weights)) is not None]


def fit(rows: Sequence[Row], first: Sequence[Choice] | None = None) -> dict[str, dict[str, float]]:
    """Weights for some rows; `first`: what the first reading gave, where it is known."""
    never = weights_from_table(NOBODY, sure=1.0, balanced=1.0)
    table = Problem(first or read_choices(rows, never)).fit()
    for _ in range(ROUNDS - 1):
        table = Problem(read_choices(rows, weights_from_table(table, sure=1.0, balanced=1.0))).fit()
    return table


def fold_of(n: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row: blocks of neighbours, shuffled."""
    blocks = np.arange(n) // BLOCK
    return np.random.default_rng(seed).permutation(blocks.max() + 1)[blocks] % FOLDS


def cross_validated(rows: Sequence[Row], *, seed: int = 0) -> list[Answer]:
    """An answer for each row, with weights fitted on the other folds."""
    never = weights_from_table(NOBODY, sure=1.0, balanced=1.0)
    first = [choice(row, never) for row in rows]
    folds = fold_of(len(rows), seed)
    answers: dict[int, Answer] = {}
    for fold in range(FOLDS):
        known = [i for i in range(len(rows)) if folds[i] != fold]
        table = fit([rows[i] for i in known], [found for i in known if (found := first[i]) is not None])
        weights = weights_from_table(table, sure=1.0, balanced=1.0)
        answers |= {i: answer(rows[i], weights) for i in range(len(rows)) if folds[i] == fold}
    return [answers[i] for i in range(len(rows))]


def chosen_bounds(rows: Sequence[Row], answers: Sequence[Answer]) -> dict[str, float]:
    """The lowest bound at which links are precise enough, and the one with the best F1."""
    right = [row.right for row in rows]
    scores = {bound: score(right, [found.at(bound) for found in answers]) for bound in bounds()}
    precise = [bound for bound, found in scores.items() if found.precision >= PRECISION]
    return {"sure": min(precise, default=1.0), "balanced": max(scores, key=lambda bound: scores[bound].f1)}


def main() -> None:
    """Fit on all rows, choose the bounds on cross-validated answers, write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="GAP development, JSON lines")
    parser.add_argument("--model", default=MODEL_PATH, help="the pipeline that reads the texts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=WEIGHTS_PATH)
    options = parser.parse_args()
    pipeline = load_pipeline(options.model)
    rows = read_gap(options.data, pipeline)
    answers = cross_validated(rows, seed=options.seed)
    chosen = chosen_bounds(rows, answers)
    for name, bound in chosen.items():
        print(name, bound, score([row.right for row in rows], [found.at(bound) for found in answers]))
    stored = {
        "fitted_on": f"GAP development (Webster et al. 2018, Apache-2.0), {len(rows)} rows, read by {pipeline.name}",
        "fitted_by": "train/chains.py",
        "bounds": chosen,
        "weights": fit(rows),
    }
    options.out.write_text(_readable(stored), encoding="utf-8")


def _readable(stored: dict[str, object]) -> str:
    """JSON with one line for each rule."""
    weights = stored.pop("weights")
    assert isinstance(weights, dict)
    lines = [f"  {json.dumps(rule)}: {json.dumps(row)}" for rule, row in weights.items()]
    head = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in stored.items()]
    return "\n".join(["{", *head, ' "weights": {', ",\n".join(lines), " }", "}", ""])


if __name__ == "__main__":
    main()
