"""The built-in sample, where the truth is known: are the planted shortcuts found, are they repaired, are labels kept?

python runs/planted.py
python runs/planted.py --limit 200 --rounds 1

recall: planted shortcuts that the audit lists. false_discovery: patterns called findings where labels were shuffled, as a
share of what was tested. repaired: the mean share of what the planted shortcuts told about their label that is gone
after rewriting (rules engine, leak-aware choice). labels_changed: rows whose label in the written file is another.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import common
from longway.data import Dataset, load
from longway.recipes.audit import audit
from longway.recipes.planted import PlantedFate, fates
from longway.recipes.rewrite import RewriteSettings
from longway.recipes.run_rewrite import run_rewrite
from longway.records import Finding
from longway.sample import NAMES, planted, sample_path


def is_listed(shortcut: dict[str, Any], found: list[Finding]) -> bool:
    """Whether the audit lists the shortcut, by itself or among the variants of another."""
    words = shortcut["pattern"].rpartition(": ")[2].split()
    for finding in found:
        for one in (finding, *finding.variants):
            same_level = one.level == shortcut["level"] and one.label == shortcut["label"]
            if same_level and (one.level in ("length", "negation") or set(words) & set(one.pattern.split())):
                return True
    return False


def shuffled(dataset: Dataset, seed: int) -> Dataset:
    """The same texts with their labels in another order."""
    frame, columns = dataset.frame, dataset.columns
    order = np.random.default_rng(seed).permutation(frame.height)
    return load(
        frame.with_columns(frame[columns.label][order]),
        text=columns.text,
        context=columns.context or "",
        label=columns.label,
    )


def one_sample(name: str, options: argparse.Namespace) -> dict[str, Any]:
    whole = load(sample_path(name), limit=options.limit)
    columns = whole.columns
    train = whole.select_split("train")
    found = audit(whole).findings
    null = audit(shuffled(train, options.seed))
    settings = RewriteSettings(
        engine="rules",
        choose="leak",
        stop="leak",
        k=0.34,
        candidates=12,
        rounds=options.rounds,
        patience=2,
        seed=options.seed,
    )
    run, result = run_rewrite(whole, settings=settings, out=Path(tempfile.mkdtemp()) / "run")
    after = load(
        next(run.folder.glob("dataset.*")),
        text=columns.text,
        context=columns.context or "",
        label=columns.label,
        split=columns.split,
    ).select_split("train")
    return {
        "listed": [is_listed(shortcut, found) for shortcut in planted(name)],
        "false": sum(null.significant.values()),
        "tested": sum(null.tested.values()),
        "fates": fates(name, train, after),
        "labels_changed": result["labels_changed"],
        "leak": (result["leak"]["before"]["accuracy"], result["leak"]["after"]["accuracy"]),
        "changed": result["changed"],
    }


def show(name: str, found: dict[str, Any]) -> None:
    print(
        f"\n{name}: {found['changed']} texts rewritten, leak {found['leak'][0]:.1%} -> {found['leak'][1]:.1%}"
    )
    print(f"  {'planted':24}{'found':8}{'rows':>12}{'share':>14}{'repaired':>10}")
    fate: PlantedFate
    for fate, listed in zip(found["fates"], found["listed"], strict=True):
        rows = f"{fate.count_before} -> {fate.count_after}"
        share = f"{fate.share_before:.0%} -> {fate.share_after:.0%}"
        print(f"  {fate.pattern:24}{'yes' if listed else 'no':8}{rows:>12}{share:>14}{fate.repaired:>10.0%}")
    print(f"  labels shuffled: {found['false']} of {found['tested']:,} patterns called findings")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, help="rows of each sample")
    parser.add_argument("--only", nargs="+", default=list(NAMES), choices=list(NAMES))
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    results = {name: one_sample(name, options) for name in options.only}
    for name, found in results.items():
        show(name, found)
    listed = [yes for found in results.values() for yes in found["listed"]]
    repaired = [fate.repaired for found in results.values() for fate in found["fates"]]
    common.finish(
        "runs/planted.py",
        recall=sum(listed) / len(listed),
        false_discovery=sum(f["false"] for f in results.values())
        / sum(f["tested"] for f in results.values()),
        repaired=float(np.mean(repaired)),
        labels_changed=sum(found["labels_changed"] for found in results.values()),
        by_shortcut={fate.pattern: fate.repaired for found in results.values() for fate in found["fates"]},
    )


if __name__ == "__main__":
    main()
