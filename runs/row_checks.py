"""Do the row checks of an audit find labels that were turned? 5% of the labels of real data are exchanged at random.

    python runs/row_checks.py                          3,000 rows of each dataset (minutes, most of them for the encoder)
    python runs/row_checks.py --rows 1000 --seed 1 --cache vectors.sqlite

Printed for each dataset: precision and recall of the rows that an audit lists (`listed`: the probability of their label is at most 10%), the
precision of as many rows as were turned (`first`), and average precision, which is 0.05 for a random order; by neighbours and linear
model together as in an audit, and by each alone. Wrong labels that the data had before count as mistakes here. Then the bits that words and the
encoder read, before labels were turned, and the seconds of each step without the encoder.

How many neighbours count and how strongly the linear model is regularized were chosen on SST-2 and SUBJ; Yelp was not looked at.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import common
from longway.data import as_dataset
from longway.detect.clusters import Clusters
from longway.detect.concepts.vectors import TextVectors, unit_rows
from longway.detect.reading import Reading
from longway.detect.row_checks import (
    UNLIKELY,
    CrossFit,
    RowVectors,
    check_rows,
    label_probabilities,
    linear_model,
    neighbour_votes,
)

SETS = {
    "sst2": "sst2_sentences/train.jsonl.gz",
    "subj": "subj/all.jsonl.gz",
    "yelp": "yelp_sentences/dev_sample.jsonl.gz",
}
TURNED = 0.05


def average_precision(is_turned: NDArray[np.bool_], p_own: NDArray[np.float64]) -> float:
    """Mean precision over the places of the turned rows, the least likely label first."""
    hits = is_turned[np.argsort(p_own, kind="stable")]
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=SETS, nargs="*", default=list(SETS))
    parser.add_argument("--cache", type=Path, help="a file that keeps vectors between runs")
    options = parser.parse_args()
    figures = {}
    for name in options.only:
        figures[name] = measured(name, options.rows, options.seed, options.cache)
        print(f"{name}: {json.dumps(figures[name])}", flush=True)
    common.finish("runs/row_checks.py", rows=options.rows, turned=TURNED, **figures)


def measured(name: str, n: int, seed: int, cache: Path | None) -> dict[str, object]:
    """The figures of one dataset."""
    with gzip.open(common.data(SETS[name]), "rt", encoding="utf-8") as opened:
        rows = [json.loads(line) for line in opened]
    random = np.random.default_rng(seed)
    rows = [rows[i] for i in np.sort(random.permutation(len(rows))[:n])]
    reading = Reading.of(as_dataset([{"text": row["text"], "label": str(row["label"])} for row in rows]))
    computed = TextVectors(cache=cache).of([row["text"] for row in rows])
    vectors = RowVectors(np.arange(len(rows)), unit_rows(computed - computed.mean(axis=0)))
    clusters = Clusters.of(reading)
    started = time.process_time()
    words = check_rows(reading, clusters=clusters).information["words"]
    by_words = time.process_time() - started
    both = check_rows(reading, clusters=clusters, vectors=vectors)
    by_all = time.process_time() - started - by_words

    labels = reading.labels.astype(np.int64)
    turned = random.choice(len(labels), round(TURNED * len(labels)), replace=False)
    labels[turned] = (labels[turned] + random.integers(1, reading.n_labels, len(turned))) % reading.n_labels
    is_turned = np.isin(np.arange(len(labels)), turned)
    folds = CrossFit.drawn(labels, clusters.by_any, reading.n_labels, seed)
    linear = folds.scores(linear_model(vectors.features, labels, reading.n_labels))
    votes, _ = neighbour_votes(vectors.joint, labels, folds.groups, reading.n_labels)
    own = folds.own(label_probabilities(vectors, folds, linear)[0])
    listed = own <= UNLIKELY
    first = np.argsort(own, kind="stable")[: len(turned)]
    return {
        "rows": len(labels),
        "listed": int(listed.sum()),
        "precision": round(float(is_turned[listed].mean()), 3) if listed.any() else None,
        "recall": round(float(listed[is_turned].mean()), 3),
        "first": round(float(is_turned[first].mean()), 3),
        "average_precision": round(average_precision(is_turned, own), 3),
        "linear_alone": round(average_precision(is_turned, folds.own(folds.calibrated([linear]))), 3),
        "neighbours_alone": round(
            average_precision(is_turned, folds.own(folds.calibrated([np.log(votes)]))), 3
        ),
        "bits_words": [round(x, 3) for x in (words.bits, words.low, words.high)],
        "bits_encoder": round(both.information["encoder"].bits, 3),
        "seconds_words": round(by_words, 1),
        "seconds_with_vectors": round(by_all, 1),
    }


if __name__ == "__main__":
    main()
