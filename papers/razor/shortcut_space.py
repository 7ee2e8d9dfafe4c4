"""Which documents does the shortcut space pick? Gamma and lean, mean and token variant, on FEVER and SNLI.

    python papers/razor/shortcut_space.py

A text counts as holding a give-away when it has one of the words that the audit (and the literature) ties to a
label. AUC: how well a score tells such texts from the others; 0.5 is chance.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy.stats import rankdata

from longway.data import load
from longway.detect.reading import TEXT, Reading
from longway.space.shortcut import ShortcutSpace
from runs_common import common

SETS = {
    "fever": (
        "fever/paper_test_supports_refutes.jsonl.gz",
        "not only incapable yet never exclusively refused zero ever any outside solely did",
    ),
    "snli": (
        "snli/dev.jsonl.gz",
        "sleeping nobody outdoors outside asleep tv cat alone sad tall first no nothing",
    ),
}


def auc(scores: np.ndarray, positive: np.ndarray) -> float:
    ranks = rankdata(np.nan_to_num(scores, nan=-np.inf))
    n, m = positive.sum(), (~positive).sum()
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * m))


def has_one_of(reading: Reading, words: list[str]) -> np.ndarray:
    wanted = np.array([word in words for word in reading.vocabulary.words])
    blocks = [piece.blocks[TEXT] for piece in reading.pieces()]
    return np.concatenate([block.sum_by_text(wanted[block.codes]) > 0 for block in blocks])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--seed", type=int, default=0, help="nothing here is random; kept for uniformity")
    parser.add_argument("--top", type=int, default=500)
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    for name, (path, words) in SETS.items():
        reading = Reading.of(load(common.data(path), limit=options.limit))
        told = has_one_of(reading, words.split())
        print(f"\n{name}: {reading.n_texts:,} texts, {told.mean():.1%} hold a known give-away")
        print(f"  {'score':14s} {'top ' + str(options.top):>8s} {'AUC':>6s}")
        figures[name] = {"share": round(float(told.mean()), 4)}
        for variant in ("mean", "token"):
            space = ShortcutSpace(variant=variant).fit(reading.corpora[TEXT], reading.labels)
            lean = np.concatenate([space.lean(p.blocks[TEXT], p.labels) for p in reading.pieces()])
            for score, values in (("gamma", space.gamma_), ("lean", lean)):
                order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")
                share = float(told[order[: options.top]].mean())
                area = auc(values, told)
                print(f"  {score + ', ' + variant:14s} {share:8.1%} {area:6.2f}")
                figures[name][f"{score}_{variant}"] = {"top": round(share, 4), "auc": round(area, 4)}
    common.finish("papers/razor/shortcut_space.py", **figures)


if __name__ == "__main__":
    main()
