"""How does a whole audit grow? Time, peak memory and time per row at growing sizes, each in a process of its own.

    python bench/scale.py --rows 10000 100000 1000000
    python bench/scale.py --rows 100000 1000000 10000000 --stream
    python bench/scale.py --rows 1000000 --stream --format jsonl --changed

The texts are short ones (see common.short_texts), repeated as often as needed and written to shards first; writing is not timed.
With --changed, one word of each repeated text is swapped for a word of another, so that few rows are copies. Beside the audit, in the same
run and each in a process of its own, peers that only count words: Polars, reading the shards in a stream on all cores, and with --counter
plain Python, a Counter over the lower-cased words. The time per row and the ratios are of processor time, which tells more on a machine that others
use, too. The level "grammar" is left out: it looks at a sample of the rows and takes as long for any number of them.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import polars as pl

import common

SHARD_ROWS = 1_000_000
WRITTEN_AT_ONCE = 100_000


def write_shards(folder: Path, rows: int, *, format: str, changed: bool, seed: int) -> None:
    """Write the rows in shards of up to a million, some at a time: the parent stays small as well."""
    texts, first = _texts(rows, changed, seed), folder / f"part-00000.{format}"
    for number, start in enumerate(range(0, rows, SHARD_ROWS)):
        if number and not changed and rows - start >= SHARD_ROWS:  # repetition: the first shard once more
            (folder / f"part-{number:05d}.{format}").hardlink_to(first)
            continue
        here = islice(texts, min(SHARD_ROWS, rows - start))
        parts: list[pl.DataFrame] = []
        while part := list(islice(here, WRITTEN_AT_ONCE)):
            parts.append(pl.DataFrame(part, schema={"text": pl.String, "label": pl.Int64}, orient="row"))
        frame = pl.concat(parts)
        path = folder / f"part-{number:05d}.{format}"
        if format == "parquet":
            frame.write_parquet(path, row_group_size=WRITTEN_AT_ONCE)
        elif format == "csv":
            frame.write_csv(path)
        else:
            frame.write_ndjson(path)


def _texts(rows: int, changed: bool, seed: int) -> Iterator[tuple[str, int]]:
    n_pool = min(rows, 200_000)
    pool = list(dict.fromkeys(zip(*common.short_texts(n_pool), strict=True)))
    if not changed:
        yield from islice(cycle(pool), rows)
        return
    rng = random.Random(seed)
    words = [word for text, _ in pool[:20_000] for word in text.split()]
    for number, (text, label) in enumerate(islice(cycle(pool), rows)):
        if number >= len(pool):
            parts = text.split()
            parts[rng.randrange(len(parts))] = rng.choice(words)
            text = " ".join(parts)
        yield text, label


def alone(what: str, folder: Path, format: str, *more: str) -> dict[str, float]:
    """What one job took in a process of its own."""
    command = [sys.executable, __file__, "--do", what, "--at", str(folder), "--format", format, *more]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def audit_here(folder: str, format: str, stream: bool) -> None:
    from longway.data import load
    from longway.jobs.audit.job import audit
    from longway.jobs.audit.settings import AuditSettings, levels_named

    start, busy = time.perf_counter(), time.process_time()
    steps: list[tuple[str, float]] = []
    with tempfile.TemporaryDirectory() as out:
        audit(
            load(folder, stream=stream or None),
            settings=AuditSettings(levels=levels_named("-grammar")),
            out=Path(out) / "run",
            step=lambda name: steps.append((name, time.perf_counter())),
        )
    end = time.perf_counter()
    ends = [*(at for _, at in steps[1:]), end]
    told = {"opening": round(steps[0][1] - start, 2)}
    told |= {name: round(until - at, 2) for (name, at), until in zip(steps, ends, strict=True)}
    _tell(start, busy, steps=told)


def polars_here(folder: str, format: str) -> None:
    """Polars reads the shards in a stream and counts the words of all texts."""
    read = {"parquet": pl.scan_parquet, "csv": pl.scan_csv, "jsonl": pl.scan_ndjson}[format]
    start, busy = time.perf_counter(), time.process_time()
    words = pl.col("text").str.to_lowercase().str.extract_all(r"\w+").explode().alias("word")
    counted = read(f"{folder}/*.{format}").select(words).group_by("word").agg(pl.len())
    found = counted.collect(engine="streaming")
    assert found.height
    _tell(start, busy)


def counter_here(folder: str, format: str) -> None:
    """Plain Python counts the words of all texts, shard by shard."""
    from collections import Counter

    read = {"parquet": pl.read_parquet, "csv": pl.read_csv, "jsonl": pl.read_ndjson}[format]
    start, busy = time.perf_counter(), time.process_time()
    counts: Counter[str] = Counter()
    for shard in sorted(Path(folder).iterdir()):
        for texts in read(shard)["text"].to_frame().iter_slices(WRITTEN_AT_ONCE):
            for text in texts["text"].to_list():
                counts.update(text.lower().split())
    assert counts
    _tell(start, busy)


def _tell(start: float, busy: float, **more: object) -> None:
    seconds, processor = time.perf_counter() - start, time.process_time() - busy
    print(json.dumps({"seconds": seconds, "processor": processor, "peak_mb": common.peak_mb(), **more}))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--stream", action="store_true", help="read in a stream whatever the size")
    parser.add_argument("--format", choices=["parquet", "csv", "jsonl"], default="parquet")
    parser.add_argument(
        "--changed", action="store_true", help="no exact repetition: a word of each is swapped"
    )
    parser.add_argument("--counter", action="store_true", help="time the plain Python peer, too")
    parser.add_argument("--steps", action="store_true", help="print what each step took, too")
    parser.add_argument("--seed", type=int, default=0, help="of the swapped words")
    parser.add_argument("--do", choices=["audit", "polars", "counter"], help=argparse.SUPPRESS)
    parser.add_argument("--at", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.do == "audit":
        audit_here(options.at, options.format, options.stream)
        return
    if options.do:
        (polars_here if options.do == "polars" else counter_here)(options.at, options.format)
        return
    sizes = [_measure(rows, options) for rows in options.rows]
    per_row = [size["microseconds_a_row"] for size in sizes]
    common.finish(
        "bench/scale.py",
        stream=options.stream,
        format=options.format,
        changed=options.changed,
        growth=round(per_row[-1] / per_row[0], 2),
        **{name: [size[name] for size in sizes] for name in sizes[0]},
    )


def _measure(rows: int, options: argparse.Namespace) -> dict[str, float]:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_shards(place, rows, format=options.format, changed=options.changed, seed=options.seed)
        polars = alone("polars", place, options.format)
        counter = alone("counter", place, options.format) if options.counter else {}
        audit = alone("audit", place, options.format, *(["--stream"] if options.stream else []))
    if rows == options.rows[0]:
        print(f"{'':>11s} {'the audit':>36s} {'Polars, counting words':>24s}")
        print(
            f"{'rows':>11s} {'seconds':>8s} {'processor':>9s} {'us a row':>8s} {'peak MB':>8s} {'processor':>16s} {'ratio':>7s}"
        )
    size = {
        "rows": rows,
        "seconds": round(audit["seconds"], 2),
        "processor_seconds": round(audit["processor"], 2),
        "peak_mb": round(audit["peak_mb"]),
        "microseconds_a_row": round(audit["processor"] / rows * 1e6, 1),
        "polars_processor_seconds": round(polars["processor"], 3),
        "ratio_to_polars": round(audit["processor"] / polars["processor"], 1),
    }
    if counter:
        size["counter_processor_seconds"] = round(counter["processor"], 3)
        size["ratio_to_counter"] = round(audit["processor"] / counter["processor"], 1)
    print(
        f"{rows:11,d} {size['seconds']:8.1f} {size['processor_seconds']:9.1f} {size['microseconds_a_row']:8.1f} "
        f"{size['peak_mb']:8,.0f} {size['polars_processor_seconds']:16.2f} {size['ratio_to_polars']:7.1f}",
        flush=True,
    )
    if options.steps:
        for name, seconds in dict(audit["steps"]).items():  # type: ignore[call-overload]
            print(f"{'':11s} {seconds:8.2f}  {name}", flush=True)
    return size


if __name__ == "__main__":
    main()
