"""RAZOR on FEVER claims, SNLI hypotheses and SST-2 sentences: what the text alone gives away, before and after.

python papers/razor/fever.py                                   FEVER, the defaults of `longway rewrite` with the rules engine: all 6,666 rows
python papers/razor/fever.py --paper                           RAZOR as published
python papers/razor/fever.py --engine rules served:NAME rules,served:NAME
python papers/razor/fever.py --data snli sst2 --limit 3000

Claims are rewritten, evidence is kept. Beside the leak: "no" and "not" in the claims (the paper's Fig. 3 counts these, its
fall is 36.2%), and models trained on both versions and tested on FEVER Symmetric v0.2 dev, where the claim alone says
nothing: a bag of words over claim and evidence, and the frozen MiniLM encoder with a linear head.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression

from longway.data import Dataset, load
from longway.detect.leak import leak_on_test
from longway.detect.reading import Reading
from longway.jobs.rewrite.job import rewrite
from longway.jobs.rewrite.settings import RewriteSettings
from longway.models.minilm import MiniLM
from results import occurrences
from runs_common import common

SETS: dict[str, dict[str, Any]] = {
    "fever": {
        "file": "fever/paper_test_supports_refutes.jsonl.gz",
        "columns": {"text": "claim", "context": "evidence", "label": "label"},
        "test": "fever_symmetric/v0.2_dev.jsonl.gz",
    },
    "snli": {
        "file": "snli/train_balanced.jsonl.gz",
        "columns": {"text": "hypothesis", "context": "premise", "label": "label"},
        "test": "snli/test.jsonl.gz",
    },
    "sst2": {
        "file": "sst2_sentences/train.jsonl.gz",
        "columns": {"text": "text", "context": "", "label": "label"},
        "test": "sst2_sentences/test.jsonl.gz",
    },
}


def negations(dataset: Dataset) -> int:
    """How often "no" and "not" stand in the texts."""
    texts = [text for batch in dataset.batches() for text in batch.texts]
    return occurrences(texts)


def bag_of_words(train: Dataset, test: Dataset) -> float:
    reading = Reading.of(train)
    part = "both" if train.columns.context else "text"
    return leak_on_test(reading, Reading.of(test, like=reading), part, name="test").accuracy


class Encoder:
    """Frozen MiniLM features with a linear head; each text is encoded once for all comparisons."""

    def __init__(self) -> None:
        self.model = MiniLM.load()
        self.known: dict[str, np.ndarray] = {}

    def vectors(self, texts: list[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            self.known.update(zip(new, self.model.embed(new), strict=True))
        return np.stack([self.known[text] for text in texts])

    def features(self, dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
        parts, labels = [], []
        for batch in dataset.batches():
            text = self.vectors(batch.texts.to_list())
            if batch.contexts is not None:
                context = self.vectors(batch.contexts.to_list())
                text = np.hstack([text, context, np.abs(text - context), text * context])
            parts.append(text)
            labels += [dataset.labels[label] for label in batch.labels]
        return np.vstack(parts), np.array(labels)

    def accuracy(self, train: Dataset, test: Dataset) -> float:
        x, y = self.features(train)
        x_test, y_test = self.features(test)
        return float(LogisticRegression(C=10.0, max_iter=2000).fit(x, y).score(x_test, y_test))


def one_run(
    name: str, settings: RewriteSettings, options: argparse.Namespace, encoder: Encoder | None
) -> dict[str, Any]:
    """Rewrite one dataset one way; the figures of before and after."""
    about = SETS[name]
    before = load(common.data(about["file"]), limit=options.limit, **about["columns"])
    test = load(common.data(about["test"]), limit=options.test_limit, **about["columns"])
    out = (
        options.out / f"{name}-{settings.engine}{'-paper' * settings.paper}"
        if options.out
        else Path(tempfile.mkdtemp()) / "run"
    )
    started = time.monotonic()
    found = rewrite(before, settings, out=out)
    minutes = (time.monotonic() - started) / 60
    comparison, path = found.comparison, next(out.glob("dataset.*"))
    after = load(path, **about["columns"])
    figures = {
        "data": name,
        "engine": found.engine,
        "paper": settings.paper,
        "rows": found.dataset.used,
        "accepted": found.changed,
        "leak_before": comparison.leak.before.accuracy if comparison.leak else None,
        "leak_after": comparison.leak.after.accuracy if comparison.leak else None,
        "negations_before": negations(before),
        "negations_after": negations(after),
        "symmetric_before": bag_of_words(before, test),
        "symmetric_after": bag_of_words(after, test),
        "found_before": comparison.found.before if comparison.found else None,
        "found_after": comparison.found.after if comparison.found else None,
        "worse": len(comparison.worse),
        "bleu": found.bleu,
        "rounds": len(found.rounds) - 1,
        "stopped": found.stopped,
        "minutes": minutes,
    }
    if encoder is not None:
        figures["encoder_before"] = encoder.accuracy(before, test)
        figures["encoder_after"] = encoder.accuracy(after, test)
    return figures


def show(rows: list[dict[str, Any]]) -> None:
    frame = pl.DataFrame(
        {
            "data": [row["data"] for row in rows],
            "engine": [row["engine"] for row in rows],
            "paper": ["yes" if row["paper"] else "" for row in rows],
            "rows": [row["rows"] for row in rows],
            "changed": [row["accepted"] for row in rows],
            "leak": [f"{row['leak_before']:.1%} -> {row['leak_after']:.1%}" for row in rows],
            "no, not": [f"{row['negations_before']} -> {row['negations_after']}" for row in rows],
            "test, words": [f"{row['symmetric_before']:.1%} -> {row['symmetric_after']:.1%}" for row in rows],
            "test, encoder": [
                f"{row['encoder_before']:.1%} -> {row['encoder_after']:.1%}"
                if "encoder_before" in row
                else ""
                for row in rows
            ],
            "patterns": [f"{row['found_before']} -> {row['found_after']}" for row in rows],
            "worse": [row["worse"] for row in rows],
            "minutes": [f"{row['minutes']:.1f}" for row in rows],
            "BLEU": [f"{row['bleu']:.2f}" if row["bleu"] is not None else "" for row in rows],
        }
    )
    with pl.Config(
        tbl_cols=-1,
        tbl_rows=-1,
        tbl_width_chars=200,
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
    ):
        print(frame)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", default=["fever"], choices=list(SETS))
    parser.add_argument("--engine", nargs="+", default=["rules"])
    parser.add_argument(
        "--paper", action="store_true", help="the values of the paper instead of the defaults"
    )
    parser.add_argument("--limit", type=int, help="rows of the data")
    parser.add_argument("--test-limit", type=int, help="rows of the test set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", type=Path, help="keep the run folders here; the same call goes on where it stopped"
    )
    parser.add_argument("--no-encoder", action="store_true")
    options = parser.parse_args()
    encoder = None if options.no_encoder else Encoder()
    rows = []
    for name in options.data:
        for engine in options.engine:
            settings = RewriteSettings(engine=engine, paper=options.paper, seed=options.seed)
            rows.append(one_run(name, settings, options, encoder))
            show(rows[-1:])
    if len(rows) > 1:
        show(rows)
    best = min((row for row in rows if row["data"] == options.data[0]), key=lambda row: row["leak_after"])
    common.finish("papers/razor/fever.py", **best, all=rows)


if __name__ == "__main__":
    main()
