"""The fault campaign: kill -9 at random moments, and everything else that breaks, on small data and real processes.

    python -m tests.faults.campaign --kills 200 --seed 0            what `make soak` runs
    python -m tests.faults.campaign --kills 40 --only prove         one command alone
    python -m tests.faults.campaign --kills 0 --times 3             the injected faults alone, each at three places

Prints what was done, what was looked at and what was lost, and ends with one line of JSON; the exit code is 1 where anything was lost.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.injected import FAULTS, Fault, NotHere
from tests.faults.jobs import COMMANDS, Bench
from tests.faults.kills import Counts, killed, undisturbed
from tests.faults.review_kills import killed_while_deciding
from tests.faults.starts import AT_ONCE

KILLED = (*COMMANDS, "review")


class Campaign:
    """Everything that is done in one folder; undisturbed runs are made once. whole: those that were made before, by command."""

    def __init__(self, bench: Bench, *, seed: int = 0, say=lambda line: None, whole=None) -> None:
        self.bench, self.seed, self.say, self.counts = bench, seed, say, Counts()
        self.until, self._whole = math.inf, {} if whole is None else whole

    def whole(self, name):
        """The undisturbed run of a command."""
        if name not in self._whole:
            self._whole[name] = undisturbed(self.bench, self.bench.job(name))
        return self._whole[name]

    def kill(self, name, kills):
        """Kill a command so many times."""
        began, draw = time.monotonic(), random.Random(f"{self.seed} {name}")
        if name == "review":
            self.whole("rewrite")
            run = self.bench.folder / "rewrite-whole"
            killed_while_deciding(
                self.bench, run, kills=kills, draw=draw, counts=self.counts, until=self.until
            )
        else:
            killed(self.bench, self.whole(name), kills=kills, draw=draw, counts=self.counts, until=self.until)
        done = self.counts.kills[name]
        self.say(f"{name}: killed {done} times, {time.monotonic() - began:.0f} s, lost {self.lost()}")

    def inject(self, fault: Fault, job: str, place: int):
        """Inject one fault into a command; what cannot be had on this machine is counted apart."""
        try:
            fault.inject(self.bench, self.whole(job), place, self.counts)
        except NotHere as reason:
            self.counts.skipped[f"{fault.name}: {reason}"] += 1
            return
        self.counts.faults[fault.name] += 1
        self.say(f"{fault.name} in {job}, place {place}: lost {self.lost()}")

    def lost(self) -> str:
        """How much was lost, in words."""
        return "nothing" if not self.counts.lost else f"{len(self.counts.lost)}: {self.counts.lost[-1]}"


def shares(kills, names):
    """How many kills each command gets.

    >>> shares(7, ["a", "b", "c"])
    {'a': 3, 'b': 2, 'c': 2}
    """
    return {name: kills // len(names) + (i < kills % len(names)) for i, name in enumerate(names)}


def told(counts: Counts) -> str:
    """The counts as a table for people."""
    lines = [f"runs killed        {counts.kills.total()}"]
    lines += [f"  {name:<16} {n}" for name, n in sorted(counts.kills.items())]
    lines += [f"faults injected    {counts.faults.total()}"]
    lines += [f"  {name:<16} {n}" for name, n in sorted(counts.faults.items())]
    lines += [f"not here           {reason} ({n})" for reason, n in sorted(counts.skipped.items())]
    lines += [
        f"cases              {counts.cases}",
        f"ends compared      {counts.ends}",
        f"files looked at    {counts.files}",
        f"rows checked       {counts.rows}",
        f"decisions checked  {counts.decisions}",
        f"calls checked      {counts.answers}",
        f"  asked again      {counts.asked_again}, as their answers were not on disk yet",
        f"  open at a kill   {counts.most_open} at most, of {AT_ONCE} that may be under way",
        f"  paid twice       {counts.paid_twice}",
        f"lost               {'none' if not counts.lost else len(counts.lost)}",
    ]
    return "\n".join([*lines, *(f"  {line}" for line in counts.lost)])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument(
        "--times", type=int, default=1, help="places at which each fault is injected; 0 for none"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop sooner, after so many minutes")
    parser.add_argument("--only", action="append", choices=[*KILLED, *FAULTS], help="repeatable")
    options = parser.parse_args()
    only = options.only or [*KILLED, *FAULTS]
    began = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that disks that were mounted are let go
    with tempfile.TemporaryDirectory() as folder, Bench(Path(folder)) as bench:
        until = began + 60 * options.minutes
        campaign = Campaign(bench, seed=options.seed, say=lambda line: print(line, flush=True))
        names = [name for name in KILLED if name in only]
        for i, (name, kills) in enumerate(shares(options.kills, names).items()):
            now = time.monotonic()
            campaign.until = now + (until - now) / (len(names) - i)  # what is left, in equal parts
            if kills:
                campaign.kill(name, kills)
        for name in (name for name in FAULTS if name in only):
            for job in FAULTS[name].jobs:
                for place in range(options.times):
                    campaign.inject(FAULTS[name], job, place)
    counts = campaign.counts
    print(told(counts))
    figures = {
        "script": "tests.faults.campaign", "seed": options.seed, "killed": dict(counts.kills), "faults": dict(counts.faults),
        "cases": counts.cases, "ends": counts.ends, "files": counts.files, "rows": counts.rows,
        "decisions": counts.decisions, "calls": counts.answers, "asked_again": counts.asked_again, "most_open": counts.most_open, "paid_twice": counts.paid_twice,
        "lost": len(counts.lost), "seconds": round(time.monotonic() - began),
    }  # fmt: skip
    print(json.dumps(figures))
    sys.exit(bool(counts.lost))


if __name__ == "__main__":
    main()
