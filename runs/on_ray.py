"""Do commands on Ray give what they give here? Row for row and figure for figure.

    python runs/on_ray.py --rows 200000
    python runs/on_ray.py --rows 200000 --edited 400 --processors 2

The texts of the audit are generated: sentences of some thousand words with frequencies as in English, planted shortcuts, and copies.
`rewrite` and `perturb` work on rows of the built-in claims. Ray is started on this machine. For each command: seconds here and on Ray,
and which parts of the results differ. Seconds of one machine's processors are no measure of a cluster: here Ray can only cost.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import common
import longway as lw
from longway.data import Dataset, load
from longway.on_ray.shards import shards_on_ray

WORDS = 8000
SHORTCUTS = (
    ("never", 1, 0.04),
    ("superbly", 0, 0.03),
    ("in the end", 1, 0.02),
)  # words, label, share of its rows
COPIES = 0.01


def generated(rows: int, seed: int) -> Dataset:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000, help="of the audit")
    parser.add_argument("--edited", type=int, default=400, help="rows of rewrite and perturb")
    parser.add_argument("--processors", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    dataset = generated(options.rows, options.seed)
    claims = load(load(lw.sample_path("claims")).frame.head(options.edited))
    commands: dict[str, Callable[..., Any]] = {
        "audit": lambda **how: lw.audit(dataset, levels="-grammar", seed=options.seed, **how),
        "rewrite": lambda **how: lw.rewrite(claims, engine="rules", rounds=2, seed=options.seed, **how),
        "perturb": lambda **how: lw.perturb(claims, engine="rules", seed=options.seed, **how),
    }
    print(f"{'command':10}{'here, s':>9}{'Ray, s':>9}  differs in")
    with shards_on_ray("ray", processors=options.processors, store_bytes=2**30):
        runs = [_compared(name, run) for name, run in commands.items()]
    identical = not any(run["differs"] for run in runs)
    common.finish("runs/on_ray.py", rows=options.rows, edited=options.edited, runs=runs, identical=identical)


def _compared(name: str, run: Callable[..., Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        here, local = _timed(run, Path(folder) / "here", None)
        there, seconds = _timed(run, Path(folder) / "there", "ray")
    differs = [key for key in here if here[key] != there[key]]
    print(f"{name:10}{local:9.1f}{seconds:9.1f}  {', '.join(differs) or 'nothing'}", flush=True)
    return {"command": name, "seconds_here": local, "seconds": seconds, "differs": differs}


def _timed(run: Callable[..., Any], folder: Path, on: str | None) -> tuple[dict[str, object], float]:
    """The parts of the result that do not depend on the clock, with every score or edit; and the seconds."""
    started = time.perf_counter()
    result = run(out=folder, on=on)
    seconds = round(time.perf_counter() - started, 1)
    parts = {**result.to_dict(), "created": None, "cost": None, "settings": None}
    for done in parts.get("rounds", ()):
        done["seconds"] = done["seconds_by_step"] = None
    scores, edits = folder / "scores.parquet", folder / "edits.jsonl"
    rows = pl.read_parquet(scores).rows() if scores.exists() else edits.read_text(encoding="utf-8")
    return {**parts, "rows": rows}, seconds


if __name__ == "__main__":
    main()
