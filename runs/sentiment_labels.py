"""How often are the labels 0 and 1 read as a sentiment where they are one, and where they are not?

    python runs/sentiment_labels.py

Draws of some rows from datasets about sentiment (1 is positive) and about something else, these with the labels both ways round. The test is
`english/words.py`: it knows no dataset, only words. Prints the share of the draws in which it says "sentiment".
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

from common import finish, rows_of
from longway.english.words import agreement_of, balance

# File, column, the label that is 1, and the one that is 0 (None: all others).
SENTIMENT = {
    "SST-2": ("sst2/train.jsonl.gz", "text", "positive", None),
    "SST-2 sentences": ("sst2_sentences/train.jsonl.gz", "text", "positive", None),
    "Rotten Tomatoes": ("rotten_tomatoes_mr/all.jsonl.gz", "text", "positive", None),
    "IMDb": ("imdb/train.jsonl.gz", "text", "positive", None),
    "Yelp": ("yelp_sentences/dev_sample.jsonl.gz", "text", "positive", None),
    "Human-CAD reviews": ("human_cad_imdb/train.jsonl.gz", "text", "positive", None),
}
OTHER = {
    "subjective or not": ("subj/all.jsonl.gz", "text", "subjective", None),
    "acceptable English": ("cola/train.jsonl.gz", "text", "acceptable", None),
    "hate speech": ("hate_speech_human_cf/dev.jsonl.gz", "text", "hate", None),
    "toxic comments": ("wikipedia_toxicity_identity_swap/test.jsonl.gz", "original", "toxic", None),
    "FEVER claims": ("fever_claims/paper_dev.jsonl.gz", "claim", "SUPPORTS", "REFUTES"),
    "SNLI hypotheses": ("snli/dev.jsonl.gz", "hypothesis", "entailment", "contradiction"),
    "QQP questions": ("qqp/dev_7600.jsonl.gz", "question1", "duplicate", None),
}
Pool = tuple[np.ndarray, np.ndarray]


def pool_of(name: str, column: str, high: str, low: str | None, most: int, seed: int) -> Pool:
    """The balance of some texts of a dataset, and whether their label is the one that is 1."""
    rows = [row for row in rows_of(name) if low is None or row["label"] in (high, low)]
    chosen = np.random.default_rng(seed).permutation(len(rows))[:most]
    balances = [balance(rows[i][column]) for i in chosen]
    return np.array(balances), np.array([rows[i]["label"] == high for i in chosen])


def recognised(pool: Pool, n: int, draws: int, seed: int) -> float:
    """The share of draws of n rows whose labels are read as a sentiment."""
    random = np.random.default_rng(seed)
    found = 0
    for _ in range(draws):
        some = random.choice(len(pool[0]), min(n, len(pool[0])), replace=False)
        found += agreement_of(pool[0][some].tolist(), pool[1][some].tolist()).is_obvious
    return found / draws


def lines(options: argparse.Namespace) -> Iterator[tuple[str, bool, Pool]]:
    """Name, whether it is about sentiment, and the texts of each case."""
    for name, given in SENTIMENT.items():
        yield name, True, pool_of(*given, options.limit, options.seed)
    for name, given in OTHER.items():
        balances, high = pool_of(*given, options.limit, options.seed)
        yield f"{name}, 1 is {given[2]}", False, (balances, high)
        yield f"{name}, 0 is {given[2]}", False, (balances, ~high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--limit", type=int, default=4000, help="texts of each dataset")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"{'labels 0 and 1':42}{'agreement':>10}" + "".join(f"{n:>7,} rows" for n in options.rows))
    figures: dict[str, list[float]] = {"sentiment": [], "other": []}
    for name, is_sentiment, pool in lines(options):
        whole = agreement_of(pool[0].tolist(), pool[1].tolist())
        shares = [recognised(pool, n, options.draws, options.seed) for n in options.rows]
        figures["sentiment" if is_sentiment else "other"].append(shares[-1])
        print(f"{name:42}{whole.agreement:>10.3f}" + "".join(f"{share:>12.1%}" for share in shares))
    missed = 1 - float(np.mean(figures["sentiment"]))
    false = float(np.mean(figures["other"]))
    print(
        f"at {options.rows[-1]:,} rows: {missed:.1%} of sentiments missed, {false:.1%} of others taken for one"
    )
    finish("runs/sentiment_labels.py", rows=options.rows[-1], missed=round(missed, 4), false=round(false, 4))


if __name__ == "__main__":
    main()
