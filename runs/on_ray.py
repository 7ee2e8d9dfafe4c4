"""Is an audit on Ray the audit that a local run gives? Finding for finding and score for score, with different numbers of blocks.

    python runs/on_ray.py --rows 200000
    python runs/on_ray.py --rows 200000 --pieces 1 4 1000 --files 8 --processors 2

The texts are made up here: sentences of some thousand words with frequencies as in English, planted shortcuts, and copies. Ray is started on
this machine. For each number of pieces in a block: the blocks that Ray had, seconds, and what differs: findings, counts of tests,
problems, leak, charts, documents, and gamma and lean of each row. Then the same rows in so many Parquet files, which are streamed: on
Ray the workers read them. All are compared exactly. Seconds of one machine's processors are no measure of a cluster: here Ray can
only cost.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import common
from longway.data import Dataset, load
from longway.jobs.audit.job import audit
from longway.jobs.audit.result import AuditResult
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.on_ray import ray_reading as on_ray
from longway.on_ray.session import session
from longway.tokens.corpus import slices

WORDS = 8000
SHORTCUTS = (
    ("never", 1, 0.04),
    ("superbly", 0, 0.03),
    ("in the end", 1, 0.02),
)  # words, label, share of its rows
COPIES = 0.01


def made_up(rows: int, seed: int) -> Dataset:
    """So many rows of about twelve words with one of two labels."""
    draw = np.random.default_rng(seed)
    weights = 1 / np.arange(3, WORDS + 3)
    lengths = draw.poisson(11, rows) + 1
    words = np.array([f"w{i}" for i in range(WORDS)])[
        draw.choice(WORDS, int(lengths.sum()), p=weights / weights.sum())
    ]
    texts = [" ".join(part) for part in np.split(words, np.cumsum(lengths)[:-1])]
    labels = draw.integers(0, 2, rows)
    for phrase, label, share in SHORTCUTS:
        for row in np.flatnonzero((labels == label) & (draw.random(rows) < share)).tolist():
            texts[row] = f"{texts[row]} {phrase} {texts[row][:20]}"
    copies = np.flatnonzero(draw.random(rows) < COPIES)
    for row in copies.tolist():
        texts[row] = texts[row // 2]
    return load(pl.DataFrame({"text": texts, "label": np.array(["good", "bad"])[labels]}))


def differences(here: AuditResult, there: AuditResult) -> list[str]:
    """What the two audits do not agree on; nothing where all is the same."""
    first, second = here.to_dict(), there.to_dict()
    found = [key for key in first if key != "created" and first[key] != second[key]]
    return [*found, *([] if here.scores.equals(there.scores) else ["scores"])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--pieces", type=int, nargs="+", default=[1, 4, 1000], help="in a block")
    parser.add_argument("--files", type=int, default=8, help="that workers read; 0: none")
    parser.add_argument("--processors", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    dataset = made_up(options.rows, options.seed)
    settings = AuditSettings(levels=levels_named("-grammar"), seed=options.seed)
    here, local = _timed(dataset, settings, None)
    print(f"{options.rows:,} rows, {len(here.findings)} findings, {sum(here.tested.values()):,} tests")
    print(f"{'':12}{'pieces a block':>16}{'blocks':>8}{'seconds':>9}  differs in")
    print(f"{'local':12}{'':>16}{'':>8}{local:9.1f}", flush=True)
    runs = []
    with session("ray", processors=options.processors, store_bytes=2**30):
        for pieces in options.pieces:
            runs.append(_on_ray(dataset, settings, here, pieces))
            row = runs[-1]
            print(f"{'ray':12}{pieces:16}{row['blocks']:8}{row['seconds']:9.1f}  {_told(row)}", flush=True)
        if options.files:
            runs.append(_files_on_ray(dataset, settings, options.files))
            row = runs[-1]
            print(f"{'files, local':12}{'':>16}{'':>8}{row['local_seconds']:9.1f}")
            print(f"{'files, ray':12}{'':>16}{row['blocks']:8}{row['seconds']:9.1f}  {_told(row)}")
    same = all(not row["differs"] for row in runs)
    common.finish(
        "runs/on_ray.py",
        rows=options.rows,
        findings=len(here.findings),
        tests=sum(here.tested.values()),
        local_seconds=round(local, 1),
        runs=runs,
        identical=same,
    )


def _on_ray(dataset: Dataset, settings: AuditSettings, here: AuditResult, pieces: int) -> dict[str, Any]:
    # An audit leaves the size of blocks to the number of processors; here it is what is tried out.
    on_ray.MAX_PIECES_PER_BLOCK, on_ray.BLOCKS_PER_CPU = pieces, 1e-9
    there, seconds = _timed(dataset, settings, "ray")
    n_pieces = sum(1 for batch in dataset.batches() for _ in slices(batch.texts))
    return {
        "pieces_per_block": pieces,
        "blocks": -(-n_pieces // pieces),
        "seconds": round(seconds, 1),
        "differs": differences(here, there),
    }


def _files_on_ray(dataset: Dataset, settings: AuditSettings, n: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        rows = -(-dataset.n_rows // n)
        for number in range(n):
            dataset.frame[number * rows : (number + 1) * rows].write_parquet(
                Path(folder) / f"{number:04}.parquet"
            )
        streamed = load(folder, stream=True)
        here, local = _timed(streamed, settings, None)
        there, seconds = _timed(streamed, settings, "ray")
        return {
            "files": n,
            "blocks": len(streamed.parts()),
            "local_seconds": round(local, 1),
            "seconds": round(seconds, 1),
            "differs": differences(here, there),
        }


def _timed(dataset: Dataset, settings: AuditSettings, on: str | None) -> tuple[AuditResult, float]:
    started = time.perf_counter()
    found = audit(dataset, settings=settings, on=on)
    return found, time.perf_counter() - started


def _told(row: dict[str, Any]) -> str:
    return ", ".join(row["differs"]) or "nothing"


if __name__ == "__main__":
    main()
