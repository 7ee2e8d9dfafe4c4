"""A mutation fuzzer for everything that reads what comes from outside; no coverage, no compiler, the same each time.

    python -m tests.fuzz.fuzz --executions 1000000 --seed 0
    python -m tests.fuzz.fuzz --executions 20000 --target csv

Each execution takes a well-formed input of the target (tests/fuzz/targets.py) and changes it in one to six places: bits, bytes, stretches
cut, doubled, swapped or filled, numbers at their limits, words of the formats, pieces of another input. What comes out must be
an answer or an error that the reader declares. Anything else is printed with the input that did it, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from math import ceil

from tests.fuzz.targets import TARGETS, Target

WORDS = (
    b'"', b"'", b"\\", b"\n", b"\r\n", b"\r", b"\0", b",", b"\t", b";", b"{", b"}", b"[", b"]", b"[[[[[[[[", b"[" * 5_000, b"null", b"true", b"NaN",
    b"Infinity", b"-0", b"1e999", b"99999999999999999999999", b"\\ud800", b"\\u0000", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80",
    b"PAR1", b"ARROW1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"</think>", b"<think>", b"```", b"1. ", b" | ", b": ", b"(", b")", b"\xce\xb5", b"/",
    b"\\{110000}", b"9" * 5_000, b"text", b"label", b"longway_id", b"\xe2\x80\xa8", b"\x85",
)  # fmt: skip
EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF)
LONGEST = 8_000  # bytes of an input


@dataclass
class Report:
    """What became of the executions of one target. failures: one input for each place in the code that failed."""

    name: str
    executions: int = 0
    read: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    seconds: float = 0.0


def mutated(data: bytes, other: bytes, draw: random.Random) -> bytes:
    """The data with one to six changes."""
    made = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4, 6))):
        start = draw.randrange(len(made) + 1)
        end = min(len(made), start + draw.choice((1, 2, 4, 8, 32, 200)))
        match draw.randrange(10):
            case 0 if made:
                place = draw.randrange(len(made))
                made[place] ^= 1 << draw.randrange(8)
            case 1 if made:
                made[draw.randrange(len(made))] = draw.randrange(256)
            case 2:
                del made[start:end]
            case 3:
                made[start:start] = made[start:end] * draw.choice((1, 2, 50))
            case 4:
                made[start:start] = draw.choice(WORDS)
            case 5:
                made[start:end] = draw.choice(WORDS) * draw.choice((1, 1, 1, 40))
            case 6:
                size = draw.choice((1, 2, 4, 8))
                value = (draw.choice(EDGES) + draw.choice((-1, 0, 1))) % (1 << (8 * size))
                made[start : start + size] = value.to_bytes(size, draw.choice(("little", "big")))
            case 7:
                cut = draw.randrange(len(other) + 1)
                made[start:end] = other[cut : cut + draw.choice((4, 32, 200))]
            case 8:
                del made[start:]
            case _:
                made[start:end] = draw.randbytes(end - start)
    return bytes(made[:LONGEST])


def fuzz(name: str, executions: int, *, seed: int = 0, target: Target | None = None) -> Report:
    """What became of so many mutated inputs of one target; the same for the same seed."""
    target = target or TARGETS[name]
    draw, report, seeds = random.Random(f"{name}-{seed}"), Report(name), target.seeds()
    started = time.monotonic()
    for data in seeds:  # as they are: a target whose inputs are not even read tests nothing
        _one(target, data, report)
    for _ in range(executions - len(seeds)):
        _one(target, mutated(draw.choice(seeds), draw.choice(seeds), draw), report)
    report.seconds = time.monotonic() - started
    return report


def _one(target: Target, data: bytes, report: Report) -> None:
    report.executions += 1
    try:
        target.read(data)
        report.read += 1
    except target.may_raise as error:
        report.refused[type(error).__name__] += 1
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of a library is no Exception
        frames = traceback.extract_tb(error.__traceback__)
        ours = [one for one in frames if "longway" in one.filename and "fuzz" not in one.filename] or frames
        place = f"{type(error).__name__} in {ours[-1].name}"
        report.failures.setdefault(place, (data, f"{error!s:.200}"))


def shares(executions: int, names: list[str]) -> dict[str, int]:
    """How many executions each target gets: cheap readers more than files."""
    total = sum(TARGETS[name].share for name in names)
    return {name: ceil(executions * TARGETS[name].share / total) for name in names}


def main() -> int:
    """Fuzz, print a table and one line of JSON; 1 where something came out that must not."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--executions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    options = parser.parse_args()
    wanted = shares(options.executions, options.target or list(TARGETS))
    print(
        f"{'target':14}{'executions':>12}{'read':>10}{'refused':>10}{'failed':>8}{'seconds':>9}", flush=True
    )
    reports = []
    for name, n in wanted.items():
        report = fuzz(name, n, seed=options.seed)
        reports.append(report)
        refused = report.refused.total()
        failed = report.executions - report.read - refused
        print(
            f"{name:14}{report.executions:12,}{report.read:10,}{refused:10,}{failed:8,}{report.seconds:9.1f}",
            flush=True,
        )
        for place, (data, told) in report.failures.items():
            print(f"  {place}: {told!r}\n    {data!r:.400}")
    found = sum(len(report.failures) for report in reports)
    figures = {
        "executions": sum(report.executions for report in reports),
        "failures": found,
        "seed": options.seed,
    }
    print(json.dumps({"script": "tests/fuzz/fuzz.py", **figures}))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
