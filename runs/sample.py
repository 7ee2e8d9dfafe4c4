"""The built-in reviews: can the task be learned, do models learn what is planted, and does a repair undo it?

    python runs/sample.py
    python runs/sample.py --seed 12        other plants in the same reviews

Trains a bag of words and the frozen encoder on three versions of the train split: without plants, as shipped, and repaired with the defaults
of `longway repair`. Tests each on `test`, where the plants say nothing about the label, and on `flipped`, where they say the opposite.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import longway as lw
from longway.models.catalog import model_named
from longway.models.classifier import Inputs, Labelled

SOURCE = Path(__file__).parents[1] / "sample-source" / "build.py"
Row = dict[str, Any]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=11, help="draws the plants")
    parser.add_argument("--limit", type=int, help="train on this many rows only")
    parser.add_argument("--model", action="append", help="models to train; default: bow and minilm")
    given = parser.parse_args()
    models = given.model or ["bow", "minilm"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder / "plain", given.seed, plain=True)
        build(folder / "planted", given.seed)
        planted = read(folder / "planted" / "reviews.jsonl", given.limit)
        data = folder / "reviews.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in planted), encoding="utf-8")
        start = time.monotonic()
        repaired = lw.repair(str(data), out=folder / "repair")
        minutes = (time.monotonic() - start) / 60
        versions = {
            "plain": read(folder / "plain" / "reviews.jsonl", given.limit),
            "before": planted,
            "after": read(next((folder / "repair").glob("dataset.*"))),
        }
    figures: dict[str, Any] = {
        "script": "runs/sample.py",
        "seed": given.seed,
        "repair_minutes": round(minutes, 2),
    }
    figures |= {"changed": repaired.changed, "added": repaired.added, "dropped": repaired.dropped}
    print(f"{'trained on':12}{'model':10}{'rows':>6}{'test':>8}{'flipped':>9}")
    for version, rows in versions.items():
        for model in models:
            found = accuracies(rows, planted, model)
            n = sum(row["split"] == "train" for row in rows)
            print(f"{version:12}{model:10}{n:6,}{found['test']:8.1%}{found['flipped']:9.1%}")
            figures |= {f"{split}_{version}_{model}": round(value, 4) for split, value in found.items()}
    print(json.dumps(figures))


def build(folder: Path, seed: int, *, plain: bool = False) -> None:
    """Write the sample into a folder."""
    spec = importlib.util.spec_from_file_location("sample_build", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sample_build"] = module
    spec.loader.exec_module(module)
    module.build(folder, seed=seed, plain=plain)


def read(path: Path, limit: int | None = None) -> list[Row]:
    """The rows of a file. limit: of the train split, as many of both labels."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    train = [row for row in rows if row["split"] == "train"]
    return train[:limit] + [row for row in rows if row["split"] != "train"]


def accuracies(rows: list[Row], tests: list[Row], name: str) -> dict[str, float]:
    """The accuracy of a model trained on rows, on both test splits."""
    model = model_named(name).fit(labelled(rows, "train"))
    found = {}
    for split in ("test", "flipped"):
        given = labelled(tests, split)
        answers = model.predict_proba(given.inputs).argmax(axis=1)
        found[split] = sum(
            model.labels_[a] == label for a, label in zip(answers, given.labels, strict=True)
        ) / len(given)
    return found


def labelled(rows: list[Row], split: str) -> Labelled:
    """The rows of a split, for a classifier."""
    part = [row for row in rows if row["split"] == split]
    return Labelled(Inputs([row["review"] for row in part]), [row["sentiment"] for row in part])


if __name__ == "__main__":
    main()
