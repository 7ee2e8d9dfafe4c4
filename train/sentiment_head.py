"""Train the sentiment head that ships with the package: a logistic regression on the vectors of the sentence encoder.

    python train/sentiment_head.py                      reads ../shared/data, writes src/longway/models/sentiment_model
    python train/sentiment_head.py --limit 200 --out DIR    a few texts, to see that it runs

It learns from the training sentences of the Stanford Sentiment Treebank and from phrases of them. Its scale and its bias are fitted on the
first half of the SST-2 development sentences, and its strength is chosen there; the second half is only measured. `--other` also trains
a head on the states of the entailment model, for comparison, on the same texts.

Prints a table and ends with one line of JSON.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from longway.models.entailment import Entailment
from longway.models.minilm import MiniLM
from longway.models.sentiment import MAX_TOKENS, MODEL, readable

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
STRENGTHS = (0.3, 1.0, 3.0, 10.0)
PHRASES, SHORTEST, LONGEST = 4000, 2, 10  # phrases, and their words
QUESTION = "It is good."  # what the entailment model reads beside a text
Vectors = Callable[[Sequence[str]], np.ndarray]
Set = tuple[np.ndarray, np.ndarray]  # vectors, and whether the texts praise


def texts_of(name: str) -> list[tuple[str, bool]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["text"], row["label"] == "positive") for row in rows]


def phrases(seed: int) -> list[tuple[str, bool]]:
    """Some phrases of the training sentences."""
    fit = [one for one in texts_of("sst2/train") if SHORTEST <= len(one[0].split()) <= LONGEST]
    return random.Random(seed).sample(fit, PHRASES)


def halves(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two halves of n rows, drawn by the seed."""
    order = np.random.default_rng(seed).permutation(n)
    return order[::2], order[1::2]


def read(rows: Sequence[tuple[str, bool]], vectors: Vectors) -> Set:
    return vectors(readable([text for text, _ in rows])), np.array([praises for _, praises in rows])


def fitted(given: Set, strength: float) -> np.ndarray:
    """The weights and the bias of a logistic regression; the bias is not penalised."""
    x, signs = given[0].astype(float), np.where(given[1], 1.0, -1.0)

    def loss(head: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (x @ head[:-1] + head[-1])
        pull = -signs / (1 + np.exp(margins))
        gradient = np.append(x.T @ pull + head[:-1] / strength, pull.sum())
        return np.logaddexp(0, -margins).sum() + head[:-1] @ head[:-1] / (2 * strength), gradient

    start = np.zeros(x.shape[1] + 1)
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x


def scores(head: np.ndarray, x: np.ndarray) -> np.ndarray:
    return x @ head[:-1] + head[-1]


def log_loss(logits: np.ndarray, praises: np.ndarray) -> float:
    return float(np.logaddexp(0, -np.where(praises, logits, -logits)).mean())


def calibrated(head: np.ndarray, given: Set) -> np.ndarray:
    """The head with the scale and the bias that make the right labels of these texts likeliest."""
    logits, praises = scores(head, given[0]), given[1]
    scale, bias = minimize(lambda found: log_loss(found[0] * logits + found[1], praises), [1.0, 0.0]).x
    return np.append(scale * head[:-1], scale * head[-1] + bias)


def chosen(train: Set, choose: Set) -> tuple[float, np.ndarray]:
    """The strength with the least log loss on the rows to choose by, and its calibrated head."""
    heads = {strength: calibrated(fitted(train, strength), choose) for strength in STRENGTHS}
    best = min(STRENGTHS, key=lambda one: log_loss(scores(heads[one], choose[0]), choose[1]))
    return best, heads[best]


def part(given: Set, rows: np.ndarray) -> Set:
    return given[0][rows], given[1][rows]


def measured(name: str, vectors: Vectors, train: Sequence[Any], dev: Sequence[Any], seed: int) -> tuple[np.ndarray, dict[str, Any]]:  # fmt: skip
    learned, known = read(train, vectors), read(dev, vectors)
    first, second = (part(known, rows) for rows in halves(len(dev), seed))
    strength, head = chosen(learned, first)
    figures = {"strength": strength, "texts": len(train)}
    for half, given in (("first", first), ("second", second)):
        logits = scores(head, given[0])
        figures[f"right_{half}"] = round(float(((logits > 0) == given[1]).mean()), 4)
        figures[f"log_loss_{half}"] = round(log_loss(logits, given[1]), 4)
    print(f"{name:12}" + "".join(f"{key:>18} {value:<8}" for key, value in figures.items()), flush=True)
    return head, figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, help="texts of each set, for trying out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--other", action="store_true", help="also train a head on the entailment model")
    parser.add_argument("--out", type=Path, default=MODEL)
    args = parser.parse_args()
    train = [*texts_of("sst2_sentences/train")[: args.limit], *phrases(args.seed)[: args.limit]]
    dev = texts_of("sst2/dev")[: args.limit]
    encoder = MiniLM.load().rounded

    def vectors(texts: Sequence[str]) -> np.ndarray:
        return encoder.embed(texts, max_tokens=MAX_TOKENS)

    def states(texts: Sequence[str]) -> np.ndarray:
        return Entailment.load().encoder.states([(text, QUESTION) for text in texts], max_tokens=MAX_TOKENS)

    head, figures = measured("encoder", vectors, train, dev, args.seed)
    other = measured("entailment", states, train, dev, args.seed)[1] if args.other else None
    from safetensors.numpy import save_file

    args.out.mkdir(parents=True, exist_ok=True)
    stored = {"weight": head[:-1].astype(np.float32), "bias": head[-1:].astype(np.float32)}
    save_file(stored, args.out / "weights.safetensors")
    (args.out / "weights.safetensors").chmod(0o644)
    print(json.dumps({"script": "train/sentiment_head.py", "encoder": figures, "entailment": other}))


if __name__ == "__main__":
    main()
