"""`longway repair` with its defaults: the leak, and models trained before and after, tested where shortcuts do not help.

python runs/repair.py                                        FEVER, SNLI and IMDb; a bag of words and the frozen encoder
python runs/repair.py --data fever --limit 1000
python runs/repair.py --model minilm-full --seeds 4 --device cuda --out DIR     repaired data are kept in DIR and read again
python runs/repair.py --data fever --remedy drop             one remedy alone; beside it a random subset of the same size

The hard test is Symmetric v0.2 dev for FEVER and human counterfactuals for SNLI and IMDb; SNLI has MNLI besides. The rows of SNLI and IMDb are
drawn at random with the seed 0. The line at the end has the figures of the last model by dataset.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import common
from longway.data import Dataset, load
from longway.jobs.prove.training import Cell, Version, rows_of, train_cell
from longway.jobs.repair.job import repair
from longway.jobs.repair.settings import RepairSettings
from longway.models.classifier import Inputs

PAIR = {"text": "hypothesis", "context": "premise", "label": "label"}
CLAIM = {"text": "claim", "context": "evidence", "label": "label"}
REVIEW = {"text": "text", "context": "", "label": "label"}
SETS: dict[str, dict[str, Any]] = {
    "fever": {
        "train": "fever/paper_test_supports_refutes.jsonl.gz",
        "rows": None,
        "columns": CLAIM,
        "tests": {
            "test": "fever/paper_dev_supports_refutes.jsonl.gz",
            "hard": "fever_symmetric/v0.2_dev.jsonl.gz",
        },
    },
    "snli": {
        "train": "snli/train_balanced.jsonl.gz",
        "rows": 8000,
        "columns": PAIR,
        "tests": {
            "test": "snli/test.jsonl.gz",
            "hard": "human_cad_snli/revised_combined_dev.jsonl.gz",
            "mnli": "mnli/dev_matched.jsonl.gz",
        },
    },
    "imdb": {
        "train": "imdb/train.jsonl.gz",
        "rows": 2000,
        "columns": REVIEW,
        "tests": {"test": "imdb/test.jsonl.gz", "hard": "human_cad_imdb/dev.jsonl.gz"},
    },
}


def drawn(dataset: Dataset, n: int | None, columns: dict[str, str]) -> Dataset:
    """n rows of a dataset, drawn at random with the seed 0; all if there are fewer."""
    if n is None or len(dataset) <= n:
        return dataset
    places = np.sort(np.random.default_rng(0).choice(dataset.frame.height, n, replace=False))
    return load(dataset.frame[places.tolist()], **columns)


def accuracies(
    name: str, dataset: Dataset, tests: dict[str, Dataset], model: str, options: argparse.Namespace
) -> dict[str, float]:
    """The mean accuracy over seeds on each test."""
    rows = {test: rows_of(given) for test, given in tests.items()}
    inputs: dict[str, Inputs] = {test: given.inputs for test, given in rows.items()}
    found: dict[str, list[float]] = {test: [] for test in tests}
    data = Version(name, dataset).training_data("erm")
    for seed in range(options.seeds):
        trained = train_cell(Cell(name, model, "erm", seed), data, inputs, device=options.device)
        for test, logits in trained.logits.items():
            answers = [trained.labels[i] for i in logits.argmax(axis=1)]
            found[test].append(float(np.mean(np.array(answers) == np.array(rows[test].labels))))
    return {test: float(np.mean(given)) for test, given in found.items()}


def one_dataset(name: str, options: argparse.Namespace) -> dict[str, Any]:
    about = SETS[name]
    columns = about["columns"]
    before = load(common.data(about["train"]), **columns)
    before = drawn(before, options.limit or about["rows"], columns)
    tests = {
        test: load(common.data(file), limit=options.test_limit, **columns)
        for test, file in about["tests"].items()
    }
    engine = [] if options.engine == "rules" else [options.engine.replace(":", "-")]
    out = (options.out or Path(tempfile.mkdtemp())) / "-".join([name, *options.remedy, *engine])
    settings = RepairSettings(remedy=tuple(options.remedy), engine=options.engine, seed=options.seed)
    started = time.monotonic()
    result = repair(before, settings, out=out)
    minutes = (time.monotonic() - started) / 60
    after = load(next(out.glob("dataset.*")), **columns)
    versions = {"before": before, "after": after}
    if options.remedy == ["drop"]:
        versions["random"] = drawn(before, len(after), columns)
    leak = result.comparison.leak
    assert leak is not None  # all have labels
    figures: dict[str, Any] = {
        "leak_before": leak.before.accuracy,
        "leak_after": leak.after.accuracy,
        "chance": leak.after.majority,
        "rows_before": len(before),
        "rows_after": len(after),
        "changed": result.changed,
        "added": result.added,
        "dropped": result.dropped,
        "minutes": minutes,
        "models": {},
    }
    print(
        f"\n{name}: {len(before):,} -> {len(after):,} rows, leak {leak.before.accuracy:.1%} -> {leak.after.accuracy:.1%} "
        f"(chance {leak.after.majority:.1%}), {minutes:.1f} minutes"
    )
    for model in options.model:
        by_version = {
            version: accuracies(version, data, tests, model, options) for version, data in versions.items()
        }
        figures["models"][model] = by_version
        for version, found in by_version.items():
            shown = ", ".join(f"{test} {share:.1%}" for test, share in found.items())
            print(f"  {model:14}{version:8}{shown}")
            figures |= {f"{test}_{version}": share for test, share in found.items()}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--limit", type=int, help="rows of each dataset")
    parser.add_argument("--test-limit", type=int, help="rows of each test")
    parser.add_argument("--model", nargs="+", default=["bow", "minilm"])
    parser.add_argument("--seeds", type=int, default=1, help="trainings of each model")
    parser.add_argument("--seed", type=int, default=0, help="of the repair")
    parser.add_argument("--remedy", nargs="+", default=[], help="only these remedies")
    parser.add_argument("--engine", default="rules", help="writes texts: rules, gguf:FILE or served:MODEL")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--out", type=Path, help="keep the run folders here")
    options = parser.parse_args()
    common.finish("runs/repair.py", **{name: one_dataset(name, options) for name in options.data})


if __name__ == "__main__":
    main()
