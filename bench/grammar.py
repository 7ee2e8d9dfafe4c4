"""How fast is a grammar learned, and how fast does it parse? Pairs and single sentences, on whatever device there is.

    python bench/grammar.py --rows 64                             the first GPU, else the CPU
    python bench/grammar.py --rows 16384 --numbers numbers.npz    texts that were numbered elsewhere; needs torch and numpy alone

The settings are the paper's: 32 nonterminals, 64 preterminals, 20,000 words, d = 256. A training step is the exact
log probability, its derivative and Adam's update; parsing ends with the nodes of every best tree on the CPU. Texts are SNLI
pairs with |first| * |second| < 225 and sentences of IMDb up to 128 words, or made-up ones of such lengths where the
datasets are not there. Some batches run before the clock does.

The published code's figures beside ours were measured on one H200. TFLOP/s count what the mathematics needs for these
lengths, a multiplication and an addition as two, and neither padding nor what is computed twice to save memory. On a CPU,
torch-struct's SentCFG takes the same training steps on the same sentences, from the same networks' scores.

numbers.npz: a, an: the first texts' words one after the other, and how many each has; b, bn: the second texts; s, sn: sentences.
"""

from __future__ import annotations

import argparse
import re
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import torch

import common
from longway.grammar.batches import Batch, Pair, batches
from longway.grammar.chart import KINDS, Shape, prepare
from longway.grammar.descend import descend
from longway.grammar.model import NeuralGrammar, PairGrammar, SentenceGrammar
from longway.grammar.partition import inside, log_partition
from longway.grammar.semiring import Max

N, P, WORDS, DIMENSION = 32, 64, 20_000, 256
PUBLISHED = {"scfg_train_pairs_s": 2.66, "scfg_parse_pairs_s": 2.15, "pcfg_train_sents_s": 44.5}
LONGEST_FOR_PEER = 30  # words of a sentence; torch-struct's memory grows with their square
PEER_BATCH = 4  # as in the published code


@dataclass(frozen=True)
class Sizes:
    """How much a batch holds on a kind of device; as in `longway.grammar.training` and `longway.grammar.grammar`."""

    rows: int  # texts of the whole benchmark, unless told
    train: int
    train_cells: int
    parse: int
    parse_cells: int
    warm_up: int  # batches


SIZES = {
    "cpu": Sizes(64, 16, 200_000, 32, 400_000, 1),
    "cuda": Sizes(16_384, 256, 20_000_000, 512, 20_000_000, 8),
}

Logs = Callable[[NeuralGrammar, Batch], torch.Tensor]  # the log probability of each text of a batch


# texts


def numbered(path: str) -> tuple[list[Pair], list[Pair]]:
    """Pairs and sentences from a file of numbers."""
    arrays = np.load(path)

    def texts(words: str, lengths: str) -> list[list[int]]:
        return [part.tolist() for part in np.split(arrays[words], np.cumsum(arrays[lengths])[:-1])]

    pairs = list(zip(texts("a", "an"), texts("b", "bn"), strict=True))
    return pairs, [(sentence, []) for sentence in texts("s", "sn")]


def real_texts(rows: int) -> tuple[list[Pair], list[Pair]]:
    """SNLI pairs and IMDb sentences, some more than `rows` of each, so that a draw of them is no run of neighbours."""
    from longway.grammar.words import Vocabulary, words_of_all

    snli = common.rows_of("snli/train_balanced.jsonl.gz")[: 4 * rows]
    first, second = (words_of_all([row[field] for row in snli]) for field in ("premise", "hypothesis"))
    reviews = [row["text"].replace("<br />", " ") for row in common.rows_of("imdb/train.jsonl.gz")[:rows]]
    sentences = words_of_all([part for review in reviews for part in re.split(r"(?<=[.!?])\s+", review)])
    of_pairs, of_sentences = (Vocabulary.count(texts, limit=WORDS) for texts in (first + second, sentences))
    pairs = [(of_pairs.ids(a), of_pairs.ids(b)) for a, b in zip(first, second, strict=True)]
    return pairs, [(of_sentences.ids(sentence), []) for sentence in sentences]


def made_up_texts(rows: int, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Texts as long as the real ones, of words drawn by Zipf's law."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, WORDS)
    shares /= shares.sum()

    def texts(mean: float) -> list[list[int]]:
        lengths = 1 + rng.gamma(4.0, (mean - 1) / 4.0, size=2 * rows).astype(int)
        return [(1 + rng.choice(WORDS - 1, size=n, p=shares)).tolist() for n in lengths]

    return list(zip(texts(14.0), texts(8.0), strict=True)), [(sentence, []) for sentence in texts(25.0)]


def texts_of(options: argparse.Namespace) -> tuple[str, list[Pair], list[Pair]]:
    """Where the texts are from, pairs, and sentences, within the limits of length."""
    if options.numbers:
        source, (pairs, sentences) = options.numbers, numbered(options.numbers)
    elif (common.DATA / "snli").exists() and (common.DATA / "imdb").exists():
        source, (pairs, sentences) = "SNLI and IMDb", real_texts(options.rows)
    else:
        source, (pairs, sentences) = "made-up texts", made_up_texts(options.rows, options.seed)
    pairs = [pair for pair in pairs if 0 < len(pair[0]) * len(pair[1]) < 225]
    sentences = [pair for pair in sentences if 0 < len(pair[0]) <= 128]
    rng = np.random.default_rng(options.seed)
    chosen = [[texts[i] for i in rng.permutation(len(texts))[: options.rows]] for texts in (pairs, sentences)]
    return source, *chosen


# operations


@cache
def chart_operations(n: int, m: int) -> int:
    """Of the inside recursion over one pair: additions and multiplications of all its matrix products."""
    shape = Shape(n, m)
    pairs_of_parts = 0
    for wa, wb in shape.widths():
        cells = int(np.prod(shape.grid((wa, wb))))
        sizes = [sa + sb for sa, sb in product(range(wa + 1), range(wb + 1))]
        splits = sum(2 <= size <= wa + wb - 2 for size in sizes)
        kinds = [(da, db) for da, db in KINDS if da <= wa and db <= wb]
        with_leaf = 2 * sum(wa + wb - da - db >= 2 for da, db in kinds)
        two_leaves = sum((wa - da, wb - db) in KINDS for da, db in kinds)
        pairs_of_parts += cells * (
            splits * N * N + (N**3 if splits else 0) + with_leaf * N * N + two_leaves * N * P
        )
    of_leaves = shape.leaves * P * N * (2 * N + P)  # what each leaf makes of the rules
    return 2 * (pairs_of_parts + of_leaves)


def network_operations(batch: Batch, *, is_pair: bool) -> int:
    """Of the networks and of the sums over all words, once a batch."""
    layers = 5 * DIMENSION * DIMENSION
    rules = (N + 1) * layers + N * DIMENSION * (N + P) ** 2
    asked = 2 if is_pair else 1  # kinds and first words; or words
    leaves = P * (asked * layers + DIMENSION * WORDS)
    if is_pair:
        first_words = len(np.unique(batch.first)) + 1  # and ε
        leaves += first_words * P * (layers + DIMENSION * WORDS)
    return 2 * (rules + leaves)


def operations(batch: Batch, *, is_pair: bool) -> int:
    """Of one way up for a batch; a training step needs three times as many (values, and two products back for each)."""
    return sum(chart_operations(n, m) for n, m in batch.lengths.tolist()) + network_operations(
        batch, is_pair=is_pair
    )


# what is timed


def on_device(batch: Batch, device: torch.device) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, Shape]:
    arrays = (torch.as_tensor(array).to(device) for array in (batch.first, batch.second, batch.lengths))
    first, second, lengths = arrays
    return first, second, lengths, Shape(first.shape[1], second.shape[1])


def our_logs(model: NeuralGrammar, batch: Batch) -> torch.Tensor:
    first, second, lengths, shape = on_device(batch, model.start.device)
    return log_partition(model.rules(), model.leaves(first, second), lengths, shape)


def peer_logs(model: NeuralGrammar, batch: Batch) -> torch.Tensor:
    """The same by torch-struct; its root is a nonterminal always, so a sentence has two words at least."""
    from torch_struct import SentCFG

    first, second, lengths, _ = on_device(batch, model.start.device)
    rules = model.rules()
    size = len(batch.rows)
    scores = (
        model.leaves(first, second),
        rules.binary.expand(size, -1, -1, -1),
        rules.root[:N].expand(size, -1),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it declares no constraints of its arguments
        return SentCFG(scores, lengths=lengths[:, 0]).partition


class Trainer:
    """One model and its optimiser."""

    def __init__(
        self, kind: type[NeuralGrammar], device: torch.device, seed: int, logs: Logs = our_logs
    ) -> None:
        torch.manual_seed(seed)
        self.model = kind(nonterminals=N, preterminals=P, dimension=DIMENSION, words=WORDS).to(device)
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.logs = logs

    def step(self, batch: Batch) -> None:
        loss = -self.logs(self.model, batch).sum() / len(batch.rows)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 3.0)
        self.optimiser.step()

    def parse(self, batch: Batch) -> None:
        with torch.no_grad():
            first, second, lengths, shape = on_device(batch, self.model.start.device)
            rules, leaves = self.model.rules(), self.model.leaves(first, second)
            chart = inside(Max(), prepare(Max(), rules, leaves, lengths), shape)
            descend(Max(), rules, leaves, lengths, shape, chart).cpu()


@dataclass(frozen=True)
class Timed:
    """How many texts a second, and how many 10^12 operations."""

    texts_s: float
    tflop_s: float


def timed(
    work: Callable[[Batch], None], of: list[Batch], *, warm_up: int, passes: int, is_pair: bool
) -> Timed:
    """passes: how often the operations of one way up are needed."""
    for batch in of[:: max(1, len(of) // warm_up)][:warm_up]:  # long ones and short ones
        work(batch)
    wait()
    start = time.perf_counter()
    for batch in of:
        work(batch)
    wait()
    seconds = time.perf_counter() - start
    needed = passes * sum(operations(batch, is_pair=is_pair) for batch in of)
    return Timed(sum(len(batch.rows) for batch in of) / seconds, needed / seconds / 1e12)


def wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def ratio_to_peer(sentences: list[Pair], seed: int, size: int) -> tuple[float, float, float]:
    """Our sentences a second over torch-struct's, ours, and theirs; training on the CPU."""
    device = torch.device("cpu")
    short = [pair for pair in sentences if 2 <= len(pair[0]) <= LONGEST_FOR_PEER][:16]
    speeds = []
    logs = []
    for of, own_size in ((our_logs, size), (peer_logs, PEER_BATCH)):
        trainer = Trainer(SentenceGrammar, device, seed, of)
        made = batches(short, size=own_size, cells=10**9)
        found = np.zeros(len(short))
        for batch in made:
            found[batch.rows] = of(trainer.model, batch).detach().numpy()
        logs.append(found)
        speeds.append(timed(trainer.step, made, warm_up=1, passes=3, is_pair=False).texts_s)
    np.testing.assert_allclose(*logs, rtol=1e-4)  # both say the same of every sentence
    return speeds[0] / speeds[1], *speeds


def peak_gib(device: torch.device) -> float:
    return torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else common.peak_mb() / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, help="pairs, and sentences (64 on a CPU, 16384 on a GPU)")
    parser.add_argument("--numbers", help="a file of numbered texts (.npz)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sizes = SIZES[device.type]
    options.rows = options.rows or sizes.rows
    name = (
        torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    )
    source, pairs, sentences = texts_of(options)
    lengths = [
        np.mean([len(text) for text in texts])
        for texts in (*zip(*pairs, strict=True), [s for s, _ in sentences])
    ]
    print(
        f"{name}, PyTorch {torch.__version__}; {source}: {len(pairs):,} pairs of {lengths[0]:.1f} and {lengths[1]:.1f} words,"
    )
    print(f"{len(sentences):,} sentences of {lengths[2]:.1f} words; {N} + {P} symbols, {WORDS:,} words")

    rng = np.random.default_rng(options.seed)
    of_pairs = Trainer(PairGrammar, device, options.seed)
    of_sentences = Trainer(SentenceGrammar, device, options.seed)
    steps = {"size": sizes.train, "cells": sizes.train_cells, "rng": rng}
    parses = {"size": sizes.parse, "cells": sizes.parse_cells}
    found = {
        "scfg_train_pairs_s": timed(
            of_pairs.step, batches(pairs, **steps), warm_up=sizes.warm_up, passes=3, is_pair=True
        ),
        "scfg_parse_pairs_s": timed(
            of_pairs.parse, batches(pairs, **parses), warm_up=sizes.warm_up, passes=1, is_pair=True
        ),
        "pcfg_train_sents_s": timed(
            of_sentences.step, batches(sentences, **steps), warm_up=sizes.warm_up, passes=3, is_pair=False
        ),
    }
    peak = peak_gib(device)
    print(f"{'':22}{'a second':>10}{'published':>11}{'ratio':>10}{'TFLOP/s':>10}")
    titles = ("SPCFG training, pairs", "SPCFG parsing, pairs", "PCFG training, sents")
    for title, (key, one) in zip(titles, found.items(), strict=True):
        print(
            f"{title:22}{one.texts_s:10.1f}{PUBLISHED[key]:11.2f}{one.texts_s / PUBLISHED[key]:10.1f}{one.tflop_s:10.3f}"
        )
    gflop = 3 * np.mean([chart_operations(len(a), len(b)) for a, b in pairs]) / 1e9
    print(f"a pair's chart, up and down {gflop:.2f} GFLOP; peak memory {peak:.2f} GiB")
    ratio = None
    if device.type == "cpu":
        ratio, ours, theirs = ratio_to_peer(sentences, options.seed, sizes.train)
        print(
            f"sentences up to {LONGEST_FOR_PEER} words: {ours:.2f} a second, torch-struct {theirs:.2f}, ratio {ratio:.1f}"
        )
    common.finish(
        "bench/grammar.py",
        device=name,
        rows=len(pairs),
        **{key: round(one.texts_s, 2) for key, one in found.items()},
        **{key.rsplit("_", 2)[0] + "_tflop_s": round(one.tflop_s, 4) for key, one in found.items()},
        **{
            key.rsplit("_", 2)[0] + "_ratio": round(one.texts_s / PUBLISHED[key], 2)
            for key, one in found.items()
        },
        chart_gflop_pair=round(gflop, 3),
        peak_gib=round(peak, 2),
        ratio_to_torch_struct=None if ratio is None else round(ratio, 2),
    )


if __name__ == "__main__":
    main()
