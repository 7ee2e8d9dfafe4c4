"""Does a round of rewriting touch only what it must? The time of a round that rewrites 100 rows, for growing datasets.

    python bench/round.py --rows 10000 100000 1000000
    python bench/round.py --rows 10000 100000 --choose leak

As in bench/razor.py the writer responds without delay and the verifier accepts all, so only our own work is timed. By step: score
(gamma of all rows and of the candidates), choose, update (counts and sums after the 100 replacements), figures (cosine and
divergence of the dataset), leak (accuracy of a bag of words). The baseline, in the same process, builds the space from all texts
again, as a script without updates would after each round. A step that touches only the rewritten rows takes as long at any size.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from json import loads

import numpy as np

import common
from longway.jobs.rewrite.rewriting import LeakOfRounds
from longway.methods.leak_aware import GiveAway
from longway.methods.method import Rows
from longway.methods.razor import Razor, RazorSettings
from longway.space.live_space import LiveSpace
from longway.task import task_of
from razor import InstantWriter, pass_all, random_texts

STEPS = ("score", "choose", "update", "figures", "leak")


def measured(options: argparse.Namespace, n_rows: int) -> dict[str, float]:
    """The median seconds of each step of a round, and of building the space from scratch."""
    texts, labels = random_texts(n_rows, options.seed)
    rows = Rows([str(i) for i in range(n_rows)], texts, labels, ["no", "yes"], task_of(["no", "yes"]))
    settings = RazorSettings(k=options.k, m=4, rounds=options.rounds, stop="never", space=options.space)
    start = time.perf_counter()
    chooser = GiveAway(rows.texts, rows.labels) if options.choose == "leak" else None
    razor = Razor(
        settings,
        write=InstantWriter(texts, options.seed),
        verify=pass_all,
        chooser=chooser,
    )
    rounds = razor.run(rows)
    next(rounds)
    opening = time.perf_counter() - start
    of_step: dict[str, list[float]] = {step: [] for step in STEPS}
    for done in rounds:
        for step in STEPS:
            of_step[step].append(done.figures.seconds.get(step, 0.0))
    if (
        not options.no_leak
    ):  # measured separately: random texts hardly leak, and at chance level the loop would end
        leak = LeakOfRounds(rows, seed=options.seed)
        start = time.perf_counter()
        leak(rows)
        of_step["leak"] = [time.perf_counter() - start]
    start = time.perf_counter()
    anew = LiveSpace(rows.texts, rows.labels.tolist(), variant=options.space)
    anew.gamma(), anew.mean_cosine(), anew.divergence()
    rebuilt = time.perf_counter() - start
    found = {step: float(np.median(of_step[step])) for step in STEPS}
    return {
        **found,
        "round": sum(found.values()),
        "opening": opening,
        "anew": rebuilt,
        "peak_mb": common.peak_mb(),
    }


def _again(options: argparse.Namespace) -> list[str]:
    """The options for the process of one size."""
    named = ("k", "rounds", "choose", "space", "seed")
    given = [word for name in named for word in (f"--{name}", str(getattr(options, name)))]
    return [*given, *(["--no-leak"] if options.no_leak else [])]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--k", type=int, default=100, help="rows rewritten in a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--choose", choices=["gamma", "leak"], default="gamma")
    parser.add_argument("--space", choices=["mean", "token"], default="mean")
    parser.add_argument("--no-leak", action="store_true", help="do not measure the leak after each round")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        common.finish("bench/round.py", **measured(options, options.rows[0]))
        return
    print(
        f"a round that rewrites {options.k} rows, chosen by {options.choose}, space {options.space}; seconds"
    )
    print(
        f"{'rows':>10s} {'round':>8s}"
        + "".join(f"{step:>9s}" for step in STEPS)
        + "     anew   ratio  opening  peak MB"
    )
    sizes = []
    for n_rows in options.rows:
        command = [sys.executable, __file__, "--one", "--rows", str(n_rows), *_again(options)]
        size = loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        sizes.append(size)
        steps = "".join(f"{size[step]:9.3f}" for step in STEPS)
        ratio = size["round"] / size["anew"]
        print(
            f"{n_rows:10,d} {size['round']:8.3f}{steps} {size['anew']:8.3f} {ratio:7.2f} {size['opening']:8.1f} {size['peak_mb']:8,.0f}",
            flush=True,
        )
    common.finish(
        "bench/round.py",
        rows=options.rows,
        k=options.k,
        choose=options.choose,
        space=options.space,
        ratio_to_anew=[round(size["round"] / size["anew"], 3) for size in sizes],
        **{f"{name}_seconds": [round(size[name], 4) for size in sizes] for name in ("round", *STEPS, "anew")},
        peak_mb=[round(size["peak_mb"]) for size in sizes],
    )


if __name__ == "__main__":
    main()
