"""How long is a whole audit of SST-2 (67K rows) against a TfidfVectorizer plus one logistic regression?

    python bench/audit.py

The audit reads the file, looks at every level but the grammar, which learns, measures the leak, scores all documents and writes the report. Both use one thread for linear algebra: with several, the logistic regression
can take ten times as long on a machine that is not idle, and the ratio would flatter the audit.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before anything imports numpy

import common
from longway.data import load
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings, levels_named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=None, help="read the first rows only")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    name = "sst2/train.jsonl.gz"
    rows = common.rows_of(name)[: options.limit]
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    quick = AuditSettings(levels=levels_named("-grammar"))
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        audit(load(common.DATA / name, limit=options.limit), settings=quick, out=Path(folder) / "run")
        ours = time.perf_counter() - start
    start = time.perf_counter()
    features = TfidfVectorizer().fit_transform(texts)
    middle = time.perf_counter()
    LogisticRegression(max_iter=1000, random_state=options.seed).fit(features, labels)
    end = time.perf_counter()
    ratio = ours / (end - start)
    print(f"{len(rows):,} rows of SST-2")
    print(
        f"TfidfVectorizer {middle - start:.2f} s + LogisticRegression {end - middle:.2f} s = {end - start:.2f} s"
    )
    print(f"whole audit, file to report: {ours:.2f} s   ratio {ratio:.2f}")
    common.finish("bench/audit.py", rows=len(rows), seconds=round(ours, 3), ratio_to_sklearn=round(ratio, 3))


if __name__ == "__main__":
    main()
