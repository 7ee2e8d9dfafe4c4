"""Baselines on real data: what models get from the text alone, and what the training methods change.

python runs/baselines.py                                               bag of words and the frozen encoder, plain training
python runs/baselines.py --method erm rew poe clever jtt drift dro      all training methods
python runs/baselines.py --model minilm-lora minilm-full --device cuda  fine-tuning, on a GPU

FEVER -> paper_dev and Symmetric v0.2 dev (where the claim alone says nothing); SNLI -> test; IMDb -> test and human
counterfactual reviews. "claim only" and "hypothesis only" show how far the text goes without its context. Every figure is
the mean over seeds; the data is read as it is, without longway.data, so that the script runs where only numpy and torch are.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import common
from longway.errors import LongwayError
from longway.models.catalog import model_named
from longway.models.classifier import Inputs, Labelled
from longway.models.training import TRAINING, Trainer, TrainingData, method_named

TASKS: dict[str, dict[str, Any]] = {
    "fever": {
        "train": "fever/paper_test_supports_refutes.jsonl.gz",
        "tests": {
            "dev": "fever/paper_dev_supports_refutes.jsonl.gz",
            "symmetric": "fever_symmetric/v0.2_dev.jsonl.gz",
        },
        "text": "claim",
        "context": "evidence",
    },
    "snli": {
        "train": "snli/train_balanced.jsonl.gz",
        "tests": {"test": "snli/test.jsonl.gz", "human_cad": "human_cad_snli/revised_combined_dev.jsonl.gz"},
        "text": "hypothesis",
        "context": "premise",
    },
    "imdb": {
        "train": "imdb/train.jsonl.gz",
        "tests": {"test": "imdb/test.jsonl.gz", "human_cad": "human_cad_imdb/dev.jsonl.gz"},
        "text": "text",
        "context": None,
    },
}


def read(file: str, task: dict[str, Any], *, limit: int | None, text_only: bool) -> Labelled:
    """The rows of one file, drawn at random where there are more than wanted."""
    with gzip.open(common.data(file), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    if limit is not None and limit < len(rows):
        rows = [rows[i] for i in sorted(np.random.default_rng(0).permutation(len(rows))[:limit])]
    contexts = None if task["context"] is None or text_only else [row[task["context"]] for row in rows]
    return Labelled(Inputs([row[task["text"]] for row in rows], contexts), [row["label"] for row in rows])


def accuracies(
    task: dict[str, Any], model: str, method: str, *, text_only: bool, options: argparse.Namespace
) -> dict[str, list[float]]:
    """Accuracy on each test set, one figure for each seed."""
    train = read(task["train"], task, limit=options.limit, text_only=text_only)
    tests = {
        name: read(file, task, limit=options.test_limit, text_only=text_only)
        for name, file in task["tests"].items()
    }
    found: dict[str, list[float]] = {name: [] for name in tests}
    for seed in range(options.seeds):
        trainer = Trainer(
            lambda s: model_named(model, seed=s, device=options.device, cache=options.cache), seed
        )
        fitted = method_named(method).fit(TrainingData(train), trainer)
        for name, test in tests.items():
            right = np.array(fitted.predict(test.inputs)) == np.array(test.labels)
            found[name].append(float(right.mean()))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--model", nargs="+", default=["bow", "minilm"])
    parser.add_argument("--method", nargs="+", default=["erm"], choices=list(TRAINING))
    parser.add_argument("--limit", type=int, help="training rows")
    parser.add_argument("--test-limit", type=int, help="rows of each test set")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="not used: seeds count from 0")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--cache", type=Path, help="file that keeps the encoder's vectors from run to run")
    parser.add_argument("--no-text-only", action="store_true", help="leave out the rows without context")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    print(f"{'data':8}{'input':12}{'model':14}{'training':10}{'tested on':12}{'accuracy':>10}{'seconds':>10}")
    for name in options.data:
        task = TASKS[name]
        for model in options.model:
            for text_only in (True, False) if task["context"] and not options.no_text_only else (False,):
                for method in options.method if not text_only else options.method[:1]:
                    rows += one_line(name, task, model, method, text_only, options)
    figures = {
        f"{r['data']}_{'text_' if r['text_only'] else ''}{r['model']}_{r['method']}_{r['test']}": r[
            "accuracy"
        ]
        for r in rows
    }
    common.finish("runs/baselines.py", rows=rows, **figures)


def one_line(
    name: str, task: dict[str, Any], model: str, method: str, text_only: bool, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Train and print one line for each test set; a method that cannot work here says why."""
    started, shown = time.perf_counter(), f"{task['text']} only" if text_only else "whole"
    try:
        found = accuracies(task, model, method, text_only=text_only, options=options)
    except LongwayError as error:
        print(f"{name:8}{shown:12.12}{model:14}{method:10}{str(error)[:80]}", flush=True)
        return []
    seconds = time.perf_counter() - started
    rows = []
    for test, each in found.items():
        spread = f" ± {np.std(each, ddof=1):.1%}" if len(each) > 1 else ""
        print(
            f"{name:8}{shown:12.12}{model:14}{method:10}{test:12}{np.mean(each):>10.1%}{spread}{seconds:>10.1f}",
            flush=True,
        )
        rows.append(
            {
                "data": name,
                "text_only": text_only,
                "model": model,
                "method": method,
                "test": test,
                "accuracy": float(np.mean(each)),
                "std": float(np.std(each, ddof=1)) if len(each) > 1 else None,
                "seeds": len(each),
                "device": options.device,
                "seconds": round(seconds, 1),
            }
        )
    return rows


if __name__ == "__main__":
    main()
