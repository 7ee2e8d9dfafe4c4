"""How does a whole audit grow? Time and peak memory at growing sizes, each in a process of its own.

    python bench/scale.py --rows 10000 100000 1000000
    python bench/scale.py --rows 100000 --stream

The texts are short ones (see common.short_texts), written to a Parquet file first; writing is not timed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

import common


def audit_alone(path: Path, stream: bool) -> dict[str, float]:
    command = [sys.executable, __file__, "--audit", str(path), *(["--stream"] if stream else [])]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def audit_here(path: str, stream: bool) -> None:
    from longway.data import load
    from longway.recipes.audit import AuditSettings, levels_named
    from longway.recipes.run_audit import run_audit

    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        run_audit(
            load(path, stream=stream),
            settings=AuditSettings(levels=levels_named("-grammar")),
            out=Path(folder) / "run",
        )
    print(json.dumps({"seconds": time.perf_counter() - start, "peak_mb": common.peak_mb()}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--stream", action="store_true", help="read in a stream whatever the size")
    parser.add_argument("--seed", type=int, default=0, help="nothing here is random; kept for uniformity")
    parser.add_argument("--audit", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.audit:
        audit_here(options.audit, options.stream)
        return
    sizes = {}
    print(f"{'rows':>10s} {'seconds':>9s} {'peak MB':>9s}")
    with tempfile.TemporaryDirectory() as folder:
        for rows in options.rows:
            texts, labels = common.short_texts(rows)
            path = Path(folder) / f"{rows}.parquet"
            pl.DataFrame({"text": texts, "label": labels}).write_parquet(path)
            del texts, labels
            figures = audit_alone(path, options.stream)
            print(f"{rows:10,d} {figures['seconds']:9.1f} {figures['peak_mb']:9.0f}")
            sizes[rows] = {name: round(value, 2) for name, value in figures.items()}
    common.finish(
        "bench/scale.py",
        rows=options.rows,
        seconds=[size["seconds"] for size in sizes.values()],
        peak_mb=[size["peak_mb"] for size in sizes.values()],
        stream=options.stream,
    )


if __name__ == "__main__":
    main()
