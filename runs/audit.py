"""What an audit shows on FEVER, SNLI and IMDb: the leak and the strongest shortcuts of each.

    python runs/audit.py
    python runs/audit.py --limit 3000 --only fever
    python runs/audit.py --sources          why SNLI's leak is lower by cross-validation than on its test set

The training rows of SNLI come from two published samples, AutoCAD's and DISCO's. `--sources` measures the leak within each, on the same number of
rows of every label, by cross-validation and on the test set; and on all rows without keeping related rows in one fold.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

import common
from longway.data import Dataset, load
from longway.detect.leak import cross_validated, word_features
from longway.detect.reading import TEXT, Reading
from longway.jobs.audit.job import audit
from longway.jobs.audit.result import AuditResult
from longway.jobs.audit.settings import AuditSettings, levels_named
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
        f"  {name:38s} {columns:24s} {leak.accuracy:6.1%}  [{leak.low:.1%}, {leak.high:.1%}]  chance {leak.majority:.1%}"
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
            f"  {rank:3d} {f.pattern.name + others:38s} {f.level:9s} {f.label:14s} {f.count:6,d} {f.texts or 0:6,d} {f.label_share:6.1%} "
            f"gain {1000 * f.gain:6.2f} mnat  z {f.z:5.1f}  q {f.q:.1e}"
        )
    return mine


def by_single_rows(dataset: Dataset, seed: int) -> float:
    """The accuracy from the text by three folds of single rows, wherever related rows may be."""
    reading = Reading.of(dataset)
    features = word_features([reading], (TEXT,), [np.arange(reading.n_texts)])
    fold = np.zeros(reading.n_texts, dtype=np.int64)
    splits = StratifiedKFold(3, shuffle=True, random_state=seed).split(reading.labels, reading.labels)
    for number, (_, test) in enumerate(splits):
        fold[test] = number
    return float(cross_validated(features, reading.labels, [fold], seed).mean())


def by_source(limit: int | None, seed: int) -> dict[str, Any]:
    """The leak from SNLI's hypotheses within each source, by cross-validation and on the test set."""
    dataset = load(common.data(SETS["snli"]["file"]), limit=limit)
    test = load(common.data(SETS["snli"]["tests"]["test"]), limit=limit)
    frame = dataset.frame.select("premise", "hypothesis", "label", "source")
    sources = {
        "autocad": frame.filter(frame["source"].str.contains("autocad")),
        "disco": frame.filter(frame["source"] == "disco"),
    }
    rows = min(int(each["label"].value_counts()["count"].min()) for each in sources.values())
    figures: dict[str, Any] = {"rows_per_label": rows, "single_rows": round(by_single_rows(dataset, seed), 4)}
    print(f"  all rows, related rows in different folds: {figures['single_rows']:.1%}")
    for name, each in sources.items():
        shuffled = each.sample(fraction=1, shuffle=True, seed=seed).drop("source")
        balanced = shuffled.group_by("label", maintain_order=True).head(rows)
        result = audit(
            load(balanced), tests={"test": test}, settings=AuditSettings(seed=seed, levels=("length",))
        )
        show_leak(f"{name}, {len(balanced):,} rows, cross-validated", result.leaks["text"])
        show_leak(f"{name}, {len(balanced):,} rows, on the test set", result.held_out["test"]["text"])
        figures[name] = {
            "leak": round(result.leaks["text"].accuracy, 4),
            "test": round(result.held_out["test"]["text"].accuracy, 4),
        }
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sources", action="store_true", help="compare the two sources of SNLI instead")
    parser.add_argument("--limit", type=int, default=None, help="read the first rows only")
    parser.add_argument("--top", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(SETS), default=None)
    options = parser.parse_args()
    if options.sources:
        common.finish("runs/audit.py", sources=by_source(options.limit, options.seed))
        return
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
