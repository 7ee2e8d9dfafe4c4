"""Can a Parquet file larger than the memory limit be audited? Writes one, then audits it under the limit.

    python bench/stream.py --limit-mb 1050 --file-mb 1150

The texts are made up (words drawn by Zipf's law, one planted word), the limit is RLIMIT_AS: all address space, which
also counts what is merely reserved.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import common

# What a process needs so that reserved address space stays close to what is used.
FRUGAL = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "131072",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
}


def write_file(path: Path, megabytes: int, seed: int) -> int:
    random = np.random.default_rng(seed)
    words = np.array([f"w{i:x}{i * 2654435761 % 99991:x}" for i in range(50_000)])
    weight = 1 / np.arange(1, len(words) + 1)
    writer, rows = None, 0
    while writer is None or path.stat().st_size < megabytes * 1e6:
        labels = random.integers(0, 2, 20_000)
        drawn = words[random.choice(len(words), size=(len(labels), 60), p=weight / weight.sum())]
        told = labels.astype(bool) & (random.random(len(labels)) < 0.3)
        texts = [
            " ".join(line) + (" giveaway" if tell else "") for line, tell in zip(drawn, told, strict=True)
        ]
        table = pa.table({"text": texts, "label": labels})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
        rows += len(labels)
    writer.close()
    return rows


def audit_under_limit(path: str, limit_mb: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limit_mb * 2**20,) * 2)
    from longway.data import load
    from longway.jobs.audit.job import audit
    from longway.jobs.audit.settings import AuditSettings, levels_named

    dataset = load(path)
    with tempfile.TemporaryDirectory() as folder:
        result = audit(
            dataset, settings=AuditSettings(levels=levels_named("-grammar")), out=Path(folder) / "run"
        )
    found = str(result.findings[0].pattern)
    print(json.dumps({"streamed": dataset.streamed, "found": found, "peak_mb": common.peak_mb()}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file-mb", type=int, default=1150)
    parser.add_argument("--limit-mb", type=int, default=1050)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--audit", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.audit:
        audit_under_limit(options.audit, options.limit_mb)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.parquet"
        rows = write_file(path, options.file_mb, options.seed)
        size = path.stat().st_size / 1e6
        command = [sys.executable, __file__, "--audit", str(path), "--limit-mb", str(options.limit_mb)]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | FRUGAL, check=False)
        seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"The audit failed under the limit:\n{done.stderr[-2000:]}")
    figures = json.loads(done.stdout)
    print(f"{rows:,} rows, {size:,.0f} MB on disk, limit {options.limit_mb} MB of address space")
    print(
        f"audited in {seconds:.0f} s, peak {figures['peak_mb']:.0f} MB; strongest finding: {figures['found']}"
    )
    common.finish(
        "bench/stream.py",
        rows=rows,
        file_mb=round(size),
        limit_mb=options.limit_mb,
        seconds=round(seconds, 1),
        **figures,
    )


if __name__ == "__main__":
    main()
