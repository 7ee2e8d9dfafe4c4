"""The local engine (the writer) against the rules, on data that it was not trained on.

python runs/writer.py                                          every part, on so many rows that it takes an hour or two
python runs/writer.py --parts rewrite --limit 20 --write read.jsonl        keeps what was accepted, to be read by people
python runs/writer.py --parts counterfactual --judge FILE.gguf             new labels by a judge of another training
python runs/writer.py --parts judge --engines writer --calibrate           and what about.json should say
python runs/writer.py --parts person speed

rewrite, speed     writer_rewrite.py       judge      writer_judge.py
counterfactual     writer_turn.py          person     writer_person.py
edit               writer_edit.py
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import common
import writer_edit
import writer_judge
import writer_person
import writer_rewrite
import writer_turn
from writer_common import ENGINES

PARTS = {
    "rewrite": writer_rewrite.part,
    "counterfactual": writer_turn.part,
    "edit": writer_edit.part,
    "judge": writer_judge.part,
    "person": writer_person.part,
    "speed": writer_rewrite.speed,
}


@contextmanager
def on_cores(n: int) -> Iterator[int]:
    """At most so many cores for everything inside, where the system lets us choose; gives how many there are."""
    if not hasattr(os, "sched_setaffinity"):
        yield os.cpu_count() or 1
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:n])
    try:
        yield len(os.sched_getaffinity(0))
    finally:
        os.sched_setaffinity(0, before)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument(
        "--sets", nargs="+", help="only these sets of a part (fever, snli, sst2, pair, cad ...)"
    )
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--limit", type=int, help="rows of each set; each part has its own default")
    parser.add_argument("--n", type=int, default=8, help="texts that an engine is asked for")
    parser.add_argument(
        "--judge", type=Path, help="an adapter that says whether a counterfactual has its label"
    )
    parser.add_argument("--calibrate", action="store_true", help="fit the writer's judgements (part judge)")
    parser.add_argument(
        "--write", type=Path, help="keep accepted rewritings or counterfactuals here (one part)"
    )
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.calibrate and "writer" not in options.engines:
        parser.error("--calibrate is about the writer: add it to --engines")
    with on_cores(options.cores) as options.cores:
        figures = {name: PARTS[name](options) for name in options.parts}
    common.finish("runs/writer.py", seed=options.seed, n=options.n, cores=options.cores, **figures)


if __name__ == "__main__":
    main()
