"""How fast is the shortcut space? Tokens, Eq. 7 to 12 and gamma against scikit-learn's TfidfVectorizer.

    python bench/score.py --rows 1000000

Both process the same texts in one process, one after the other. The peak memory is measured in a separate process
that holds the texts and runs only our side. Growth is the time for all rows over the time for a tenth.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import numpy as np
import polars as pl

import common
from longway.space.shortcut import ShortcutSpace
from longway.text.corpus import Corpus

PUBLISHED_DOCUMENTS_A_SECOND = 1.7  # the scoring loop of the RAZOR authors' code on a similar machine


def score(texts: list[str], labels: np.ndarray) -> np.ndarray:
    corpus = Corpus()
    corpus.add(pl.Series(texts))
    return ShortcutSpace().fit(corpus, labels).gamma_


def seconds(call, *args) -> float:
    start = time.perf_counter()
    call(*args)
    return time.perf_counter() - start


def ours_alone(rows: int) -> float:
    command = [sys.executable, __file__, "--rows", str(rows), "--memory-only"]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0, help="unused; nothing here is random")
    parser.add_argument("--memory-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    texts, label_list = common.short_texts(options.rows)
    labels = np.array(label_list)
    if options.memory_only:
        score(texts, labels)
        print(common.peak_mb())
        return

    from sklearn.feature_extraction.text import TfidfVectorizer

    tenth = options.rows // 10
    small = min(seconds(score, texts[:tenth], labels[:tenth]) for _ in range(2))
    ours = seconds(score, texts, labels)
    theirs = seconds(TfidfVectorizer().fit_transform, texts)
    peak = ours_alone(options.rows)
    print(f"{options.rows:,} texts, {sum(map(len, texts)) / options.rows:.0f} characters on average")
    print(f"TfidfVectorizer().fit_transform   {theirs:8.2f} s")
    print(f"tokens + Eq. 7-12 + gamma         {ours:8.2f} s   ratio {ours / theirs:.2f}")
    print(f"a tenth of the rows               {small:8.2f} s   growth {ours / small:.1f}x")
    print(f"peak memory, texts included       {peak:8.0f} MB")
    print(
        f"published code at 1.7 documents/s: {ours and options.rows / ours / PUBLISHED_DOCUMENTS_A_SECOND:,.0f} times slower"
    )
    common.finish(
        "bench/score.py",
        rows=options.rows,
        seconds=round(ours, 3),
        ratio_to_sklearn=round(ours / theirs, 3),
        peak_mb=round(peak),
        growth_10x=round(ours / small, 2),
        ratio_to_published=round(options.rows / ours / PUBLISHED_DOCUMENTS_A_SECOND),
    )


if __name__ == "__main__":
    main()
