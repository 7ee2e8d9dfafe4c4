"""What an audit shows on FEVER, SNLI and IMDb: the leak and the strongest shortcuts of each.

python runs/audit.py
python runs/audit.py --limit 3000 --only fever
"""

from __future__ import annotations

import argparse
from typing import Any

import common
from longway.data import load
from longway.jobs.audit.job import audit
from longway.jobs.audit.result import AuditResult
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.jobs.audit.show import surest
from longway.records import Finding, Leak

SETS: dict[str, dict[str, Any]] = {
    "fever": {
        "file": "fever/paper_test_supports_refutes.jsonl.gz",
        "tests": {
            "paper_dev": "fever/paper_dev_supports_refutes.jsonl.gz",
            "symmetric": "fever_symmetric/v0.1_generated.jsonl.gz",
        },
        "known": ["not", "only", "incapable", "yet"],
    },
    "snli": {
        "file": "snli/train_balanced.jsonl.gz",
        "tests": {"test": "snli/test.jsonl.gz"},
        "known": ["sleeping", "nobody", "outdoors", "outside", "asleep", "no", "cat"],
    },
    "imdb": {
        "file": "imdb/train.jsonl.gz",
        "tests": {"test": "imdb/test.jsonl.gz"},
        "known": [
            "10/10",
            "4/10",
            "3/10",
            "7/10",
            "8/10",
            "1/10",
            "uwe boll",
            "boll",
            "seagal",
            "steven seagal",
        ],
    },
}


def members(finding: Finding) -> list[str]:
    return [finding.pattern.name, *(variant.pattern.name for variant in finding.variants)]


def rank_of(word: str, found: list[Finding]) -> int | None:
    """The rank of the first group that has the pattern, as itself or inside one of its members."""
    for rank, finding in enumerate(found, start=1):
        if any(word == m or f" {word} " in f" {m} " for m in members(finding)):
            return rank
    return None


def shares(words: list[str], found: list[Finding]) -> str:
    """Label, share and count of each known pattern that is listed as itself."""
    listed = {one.pattern.name: one for finding in found for one in (finding, *finding.variants)}
    return "; ".join(f"{w} {f.label} {f.label_share:.0%} of {f.count}" for w in words if (f := listed.get(w)))


def show_leak(name: str, leak: Leak) -> None:
    columns = " + ".join(leak.columns)
    print(
        f"  {name:34s} {columns:24s} {leak.accuracy:6.1%}  [{leak.low:.1%}, {leak.high:.1%}]  chance {leak.majority:.1%}"
    )


def show(result: AuditResult, text: str, top: int) -> list[Finding]:
    for leak in result.leaks.values():
        show_leak(leak.how, leak)
    for name, leaks in result.held_out.items():
        show_leak(f"held-out {name}", leaks["text"])
    mine = [finding for finding in result.findings if finding.field == text]
    print(f"  the {top} strongest of {len(mine)} groups in {text!r}:")
    for rank, f in enumerate(mine[:top], start=1):
        others = f" (+{len(f.variants)})" if f.variants else ""
        print(
            f"  {rank:3d} {f.pattern.name + others:38s} {f.level:9s} {f.label:14s} {f.count:6,d} {f.label_share:6.1%} "
            f"gain {1000 * f.gain:6.2f} mnat  z {f.z:5.1f}  q {f.q:.1e}"
        )
    sure = surest(mine, after=top, n=12)
    listed = [f"{f.pattern} -> {f.label} ({f.label_share:.0%} of {f.count})" for f in sure]
    print(f"  rare, but nearly certain: {'; '.join(listed) or 'none'}")
    return mine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=None, help="read the first rows only")
    parser.add_argument("--top", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(SETS), default=None)
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    for name in [options.only] if options.only else list(SETS):
        spec = SETS[name]
        dataset = load(common.data(spec["file"]), limit=options.limit)
        tests = {key: load(common.data(path), limit=options.limit) for key, path in spec["tests"].items()}
        print(f"\n{name}: {dataset.n_used:,} rows of {spec['file']}")
        result = audit(
            dataset, tests=tests, settings=AuditSettings(seed=options.seed, levels=levels_named("-grammar"))
        )
        mine = show(result, dataset.columns.text, options.top)
        ranks = {word: rank_of(word, mine) for word in spec["known"]}
        print("  known give-aways, rank of their group: " + ", ".join(f"{w} {r}" for w, r in ranks.items()))
        print(f"  their shares: {shares(spec['known'], mine)}")
        leak = result.leaks["text"]
        figures[name] = {
            "rows": dataset.n_used,
            "leak": round(leak.accuracy, 4),
            "low": round(leak.low, 4),
            "high": round(leak.high, 4),
            "held_out": {key: round(leaks["text"].accuracy, 4) for key, leaks in result.held_out.items()},
            "top": [finding.pattern.name for finding in mine[:10]],
            "ranks": ranks,
        }
    common.finish("runs/audit.py", **figures)


if __name__ == "__main__":
    main()
