"""How often does the gate stop work by chance? Audits of real texts with permuted labels, at the documented limits.

    python runs/gate.py                 100 permutations of each dataset (some minutes)
    python runs/gate.py --audits 20

The limits are those of the documentation, leak=0.6 and severity=high. Labels are permuted over the rows, so that nothing predicts
them: every audit that does not pass is a false alarm. The same command counts the intervals of the leak (from words, and from everything that
detectors see) that cover chance.
"""

from __future__ import annotations

import argparse
import gzip
import json

import numpy as np

import common
import longway as lw
from longway.jobs.audit.gate import Limits, gate

SETS = {
    "fever": ("fever/paper_test_supports_refutes.jsonl.gz", ("claim", "evidence")),
    "sst2": ("sst2/train.jsonl.gz", ("text",)),
}
LIMITS = Limits(leak=0.6, severity="high")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--audits", type=int, default=100)
    parser.add_argument("--rows", type=int, default=600)
    options = parser.parse_args()
    figures = {}
    for name, (file, columns) in SETS.items():
        with gzip.open(common.data(file), "rt", encoding="utf-8") as opened:
            rows = [json.loads(line) for _, line in zip(range(20 * options.rows), opened, strict=False)]
        alarms, covered, measured = 0, 0, 0
        for audit in range(options.audits):
            random = np.random.default_rng(audit)
            drawn = random.choice(len(rows), options.rows, replace=False)
            labels = random.permutation(options.rows) % 2
            given = [
                {**{column: rows[i][column] for column in columns}, "label": "ab"[label]}
                for i, label in zip(drawn, labels, strict=True)
            ]
            result = lw.audit(given, levels="-grammar")
            alarms += bool(gate(result, LIMITS))
            covered += sum(leak.low <= leak.majority <= leak.high for leak in result.measured_leaks)
            measured += len(result.measured_leaks)
        figures[name] = {"alarms": alarms, "covered": covered, "measured": measured}
        print(
            f"{name}: {alarms} false alarms in {options.audits} audits; {covered} of {measured} intervals cover chance",
            flush=True,
        )
    common.finish("runs/gate.py", audits=options.audits, rows=options.rows, **figures)


if __name__ == "__main__":
    main()
