"""How long does a round of RAZOR take without the engine? Scoring, selection, updates, writing, for 100,000 documents.

    python bench/razor.py --rows 100000 --rounds 10

The writer returns texts with some words replaced by others of the dataset, without delay, and the verifier accepts all. A round
ends when its edits and the whole dataset are on disk. The baseline, in the same process, scores the dataset and the same
candidates from scratch with scikit-learn's TfidfVectorizer, as a simple script would. Growth is the processor time of the last
third of the rounds over that of the first third. Processor time is more reliable on a shared machine.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import common
from longway import save
from longway.engines.engine import Written
from longway.methods.method import Rows
from longway.methods.razor import Razor, RazorSettings
from longway.records import Verdict
from longway.space.shortcut import position_code
from longway.task import task_of


def random_texts(n: int, seed: int) -> tuple[list[str], np.ndarray]:
    """Texts of 5 to 20 words drawn by Zipf's law; each label has some words more often."""
    rng = np.random.default_rng(seed)
    n_words = 30_000
    share = 1 / np.arange(1, n_words + 1)
    lengths, labels = rng.integers(5, 21, size=n), rng.integers(0, 2, size=n)
    words = rng.choice(n_words, size=int(lengths.sum()), p=share / share.sum())
    shifted = np.repeat(labels, lengths) * (rng.random(len(words)) < 0.02)
    names = np.array([f"w{i}" for i in range(n_words + 50)])
    pieces = np.split(names[words + 50 * shifted], np.cumsum(lengths)[:-1])
    return [" ".join(piece) for piece in pieces], labels


class InstantWriter:
    """Returns variants of each text without delay: a few words replaced by words of other texts."""

    name = "instant"

    def __init__(self, texts: list[str], seed: int) -> None:
        self.words = [word for text in texts[:20_000] for word in text.split()]
        self.random = random.Random(seed)
        self.seconds = self.processor = 0.0

    def __call__(self, asked):
        start, busy = time.perf_counter(), time.process_time()
        answers = [Written(tuple(self.other(one.text) for _ in range(one.n))) for one in asked]
        self.seconds += time.perf_counter() - start
        self.processor += time.process_time() - busy
        return answers

    def other(self, text: str) -> str:
        words = text.split()
        for _ in range(1 + len(words) // 5):
            words[self.random.randrange(len(words))] = self.random.choice(self.words)
        return " ".join(words)


def pass_all(candidates):
    return [(Verdict("judge", True, 1.0),)] * len(candidates)


def naive_round(texts: list[str], labels: np.ndarray, candidates: list[str]) -> float:
    """Seconds to score all texts and the candidates once, with TfidfVectorizer and numpy."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    start = time.perf_counter()
    vectorizer = TfidfVectorizer(token_pattern=r"\S+", norm=None, smooth_idf=False)
    vectorizer.fit(texts)
    idf = vectorizer.idf_ - 1
    code = vectorizer.vocabulary_
    tau = position_code(64, 64)
    vectors = np.zeros((len(texts) + len(candidates), 64))
    for i, text in enumerate([*texts, *candidates]):
        words = text.split()
        weights = np.array(
            [words.count(w) * idf[code[w]] if w in code else np.log(len(texts)) for w in words]
        ) / len(words)
        vectors[i] = weights @ tau[: len(words)] / max(1, len(words) - 1)
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    means = np.stack([units[: len(texts)][labels != label].mean(axis=0) for label in (0, 1)])
    gamma = 1 - np.einsum("ij,ij->i", units[: len(texts)], means[labels])
    np.argsort(-gamma)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--k", type=int, default=1000)
    parser.add_argument("--m", type=int, default=4)
    parser.add_argument("--space", choices=["mean", "token"], default="mean")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    texts, labels = random_texts(options.rows, options.seed)
    ids = [str(i) for i in range(len(texts))]
    rows = Rows(ids, list(texts), labels, ["no", "yes"], task_of(["no", "yes"]))
    writer = InstantWriter(texts, options.seed)
    settings = RazorSettings(
        k=options.k, m=options.m, rounds=options.rounds, stop="never", space=options.space
    )
    print(f"{options.rows:,} documents, k = {options.k:,}, m = {options.m}, space {options.space}")
    print("round  seconds  processor  score  choose  update  figures  writing   cosine   accepted")
    took, busy, candidates = [], [], []
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "edits.jsonl").open("w") as edits:
        rounds = Razor(settings, write=writer, verify=pass_all).run(rows)
        while True:
            start = time.perf_counter() - writer.seconds, time.process_time() - writer.processor
            done = next(rounds, None)
            if done is None:
                break
            ready = time.perf_counter()
            for edit in done.edits:
                edits.write(json.dumps(edit.to_dict(), ensure_ascii=False) + "\n")
            edits.flush()
            for edit in done.edits:
                if edit.accepted:
                    texts[int(edit.id)] = edit.after
            frame = pl.DataFrame({"longway_id": ids, "text": texts, "label": labels})
            save(frame, Path(folder) / "dataset.jsonl")
            end = time.perf_counter()
            if done.number:
                took.append(end - writer.seconds - start[0])
                busy.append(time.process_time() - writer.processor - start[1])
                seconds = done.figures.seconds
                parts = "".join(f"{seconds.get(s, 0):8.3f}" for s in ("score", "choose", "update", "figures"))
                cosine, accepted = done.figures.cosine, done.figures.accepted
                print(
                    f"{done.number:5d} {took[-1]:8.3f} {busy[-1]:8.3f}{parts} {end - ready:8.3f} {cosine:9.5f} {accepted:8,d}"
                )
                candidates = [edit.after for edit in done.edits]
    naive = naive_round(texts, labels, candidates)
    third = max(1, len(took) // 3)
    growth = float(np.mean(busy[-third:]) / np.mean(busy[:third]))
    per_round = float(np.median(took))
    print(f"a round without the engine    {per_round:8.3f} s   growth {growth:.2f}x")
    print(f"its processor time            {np.median(busy):8.3f} s")
    print(f"from scratch, TfidfVectorizer {naive:8.3f} s   ratio {per_round / naive:.2f}")
    print(f"peak memory                   {common.peak_mb():8.0f} MB")
    common.finish(
        "bench/razor.py",
        rows=options.rows,
        seconds_per_round=round(per_round, 3),
        growth_over_rounds=round(growth, 3),
        processor_seconds_per_round=round(float(np.median(busy)), 3),
        ratio_to_naive=round(per_round / naive, 3),
        peak_mb=round(common.peak_mb()),
    )


if __name__ == "__main__":
    main()
