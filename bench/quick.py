"""How long do the first commands take: audit, repair --dry-run and doctor?

    python bench/quick.py

Each command runs in a process of its own, from the first import to the last line, on short texts of SST-2 and on pairs of FEVER. The peer is the
audit with all levels, which was the default before: the grammar level now runs by default only where it is quick. Processor seconds (user and
system, all threads) count on a machine that is not idle.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import common

DATASETS = {
    "sst2": "sst2/train.jsonl.gz",
    "fever": "fever/paper_test_supports_refutes.jsonl.gz",
}
RUN = "import sys; from longway.cli import main; sys.argv[0] = 'longway'; main()"


def timed(folder: Path, *args: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor that a command takes."""
    started, before = time.perf_counter(), os.times()
    subprocess.run([sys.executable, "-c", RUN, *args], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--before", action="store_true", help="also the audits with all levels, the default before"
    )
    options = parser.parse_args()
    figures: dict[str, float] = {}
    print(f"{'command':34}{'seconds':>9}{'processor':>11}")

    def show(name: str, folder: Path, *args: str) -> None:
        wall, used = timed(folder, *args)
        figures[name.replace("--", "").replace(" ", "_").replace("-", "_")] = round(used, 2)
        print(f"{name:34}{wall:>9.1f}{used:>11.1f}", flush=True)

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, file in DATASETS.items():
            rows = common.rows_of(file)
            step = max(1, len(rows) // options.rows)
            lines = [json.dumps(row) for row in rows[options.seed % step :: step][: options.rows]]
            (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
            show(f"audit {name}", folder, "audit", f"{name}.jsonl")
            show(f"repair --dry-run {name}", folder, "repair", f"{name}.jsonl", "--dry-run")
            if options.before:
                show(f"audit all levels {name}", folder, "audit", f"{name}.jsonl", "--levels", "all")
        show("doctor", folder, "doctor")
    common.finish("bench/quick.py", rows=options.rows, **figures)


if __name__ == "__main__":
    main()
