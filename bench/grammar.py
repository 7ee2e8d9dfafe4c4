"""How fast is a grammar trained, and how fast does it parse? Pairs and single sentences, on the available device.

    python bench/grammar.py --rows 64                             the first GPU, else the CPU
    python bench/grammar.py --rows 16384 --numbers numbers.npz    texts as word ids; needs only torch and numpy

The settings are the paper's: 32 nonterminals, 64 preterminals, 20,000 words, d = 256. A training step is the exact
log probability, its gradient and Adam's update; parsing ends with the nodes of every best tree on the CPU. Texts are SNLI
pairs with |first| * |second| < 225 and sentences of IMDb up to 128 words, or random ones of such lengths if the datasets are
missing. The published sentences had 24.4 words on average; those of `longway.text.sentences` have about 21.7, so long ones
are drawn more often, until the mean is 24.4. Some warm-up batches are not timed.

The figures of the published code were measured on one H200. TFLOP/s count the operations that these lengths need, a
multiplication and an addition as two, without padding and recomputation. On a CPU, torch-struct's SentCFG takes the same
training steps on the same sentences, with the same networks' scores.

numbers.npz: a, an: the word ids of the first texts, concatenated, and their lengths; b, bn: the second texts; s, sn: sentences.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
import torch

import common
from longway.grammars.backtrace import backtrace
from longway.grammars.chart import KINDS, Shape
from longway.grammars.minibatch import (
    PARSING,
    TRAINING,
    BatchLimits,
    Pair,
    PairBatch,
    batches,
    improve,
    leaves_on_device,
    log_probabilities,
    on_device,
)
from longway.grammars.model import NeuralGrammar, PairGrammar, SentenceGrammar
from longway.grammars.partition import tree_chart
from longway.grammars.recorded import RecordedSteps
from longway.grammars.semiring import MaxSemiring

N, P, DIMENSION = 32, 64, 256
PUBLISHED = {"scfg_train_pairs_s": 2.66, "scfg_parse_pairs_s": 2.15, "pcfg_train_sents_s": 44.5}
MEAN_WORDS = 24.4  # of the published sentences
# for torch-struct: the sentences closest to this length, so that batches are full
PEER = {"words": 22, "sentences": 32}


@dataclass(frozen=True)
class Sizes:
    """Batch sizes for a kind of device; on a GPU training batches are as large as parsing ones, for speed."""

    rows: int  # texts of the benchmark, by default
    train: BatchLimits
    parse: BatchLimits
    warm_up: int  # batches


SIZES = {
    "cpu": Sizes(64, TRAINING["cpu"], PARSING["cpu"], 1),
    "cuda": Sizes(16_384, PARSING["cuda"], PARSING["cuda"], 8),
}

Logs = Callable[[NeuralGrammar, PairBatch], torch.Tensor]  # the log probability of each text of a batch


# ---- texts


def numbered(path: str) -> tuple[list[Pair], list[Pair]]:
    """Pairs and sentences from a file of word ids."""
    arrays = np.load(path)

    def texts(words: str, lengths: str) -> list[list[int]]:
        return [part.tolist() for part in np.split(arrays[words], np.cumsum(arrays[lengths])[:-1])]

    pairs = list(zip(texts("a", "an"), texts("b", "bn"), strict=True))
    return pairs, [(sentence, []) for sentence in texts("s", "sn")]


def real_texts(rows: int, words: int) -> tuple[list[Pair], list[Pair]]:
    """SNLI pairs and IMDb sentences, more than `rows` of each, so that a sample does not consist of neighbours."""
    from longway.grammars.vocabulary import GrammarVocabulary, words_of_all
    from longway.text.sentences import sentences_of

    snli = common.rows_of("snli/train_balanced.jsonl.gz")[: 4 * rows]
    first, second = (words_of_all([row[field] for row in snli]) for field in ("premise", "hypothesis"))
    reviews = common.rows_of("imdb/train.jsonl.gz")[:rows]
    sentences = words_of_all([part for review in reviews for part in sentences_of(review["text"])])
    of_pairs, of_sentences = (
        GrammarVocabulary.count(texts, limit=words) for texts in (first + second, sentences)
    )
    pairs = [(of_pairs.ids(a), of_pairs.ids(b)) for a, b in zip(first, second, strict=True)]
    return pairs, [(of_sentences.ids(sentence), []) for sentence in sentences]


def random_texts(rows: int, words: int, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Texts as long as the real ones, of words drawn by Zipf's law."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, words)
    shares /= shares.sum()

    def texts(mean: float) -> list[list[int]]:
        lengths = 1 + rng.gamma(4.0, (mean - 1) / 4.0, size=2 * rows).astype(int)
        return [(1 + rng.choice(words - 1, size=n, p=shares)).tolist() for n in lengths]

    return list(zip(texts(14.0), texts(8.0), strict=True)), [(sentence, []) for sentence in texts(25.0)]


def texts_of(options: argparse.Namespace) -> tuple[str, list[Pair], list[Pair]]:
    """The source of the texts, pairs, and sentences, within the length limits, in random order."""
    if options.numbers:
        source, (pairs, sentences) = options.numbers, numbered(options.numbers)
    elif (common.DATA / "snli").exists() and (common.DATA / "imdb").exists():
        source, (pairs, sentences) = "SNLI and IMDb", real_texts(max(options.rows, 1000), options.words)
    else:
        source, (pairs, sentences) = (
            "random texts",
            random_texts(max(options.rows, 1000), options.words, options.seed),
        )
    longest = options.longest
    pairs = [(a, b) for a, b in pairs if 0 < len(a) * len(b) < 225 and max(len(a), len(b)) <= longest]
    sentences = [pair for pair in sentences if 0 < len(pair[0]) <= longest]
    rng = np.random.default_rng(options.seed)
    return source, *([texts[i] for i in rng.permutation(len(texts))] for texts in (pairs, sentences))


def of_mean(mean: float, texts: list[Pair], n: int, rng: np.random.Generator) -> list[Pair]:
    """n texts drawn with this mean length: each by the weight exp(tilt * length), with the tilt found by bisection.

    These weights are the closest to a uniform draw with this mean. If all texts are shorter, or at most n, they are returned.
    """
    lengths = np.array([len(first) for first, _ in texts])
    if len(texts) <= n or lengths.max() < mean:
        return texts[:n]
    waits = np.log(
        rng.exponential(size=len(texts))
    )  # the text with the shortest weighted wait is drawn first
    low, high = -1.0, 1.0
    for _ in range(30):
        tilt = (low + high) / 2
        drawn = np.argsort(waits - tilt * lengths, kind="stable")[:n]
        low, high = (tilt, high) if lengths[drawn].mean() < mean else (low, tilt)
    return [texts[i] for i in rng.permutation(drawn)]


# ---- operations


@cache
def chart_operations(n: int, m: int) -> int:
    """Additions and multiplications of all matrix products of the inside recursion over one pair."""
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
    of_leaves = shape.leaves * P * N * (2 * N + P)  # the product of each leaf and the rules
    return 2 * (pairs_of_parts + of_leaves)


def network_operations(batch: PairBatch, model: NeuralGrammar) -> int:
    """Operations of the networks and of the sums over all words, once per batch."""
    layers = 5 * DIMENSION * DIMENSION
    all_words = DIMENSION * model.sizes["words"]
    rules = (N + 1) * layers + N * DIMENSION * (N + P) ** 2
    leaves = P * (layers + all_words)  # of the only words, or of the first
    if model.kind == "pair":
        first_words = len(np.unique(batch.first)) + 1  # and ε
        leaves += P * layers + first_words * P * (layers + all_words)  # of the kinds, and of the second words
    return 2 * (rules + leaves)


def operations(batch: PairBatch, model: NeuralGrammar) -> int:
    """Operations of an inside pass for a batch; a training step needs three times as many (one forward, two backward)."""
    return sum(chart_operations(n, m) for n, m in batch.lengths.tolist()) + network_operations(batch, model)


# ---- timing


def peer_logs(model: NeuralGrammar, batch: PairBatch) -> torch.Tensor:
    """The same by torch-struct; its root is always a nonterminal, so a sentence has at least two words."""
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
        warnings.simplefilter("ignore", UserWarning)  # it declares no argument constraints
        return SentCFG(scores, lengths=lengths[:, 0]).partition


class GrammarTrainer:
    """One model and its optimizer."""

    def __init__(
        self,
        kind: type[NeuralGrammar],
        *,
        words: int,
        device: torch.device,
        seed: int,
        logs: Logs = log_probabilities,
    ) -> None:
        torch.manual_seed(seed)
        self.model = kind(nonterminals=N, preterminals=P, dimension=DIMENSION, words=words).to(device)
        on_gpu = device.type == "cuda"
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3, fused=on_gpu, capturable=on_gpu)
        self.logs = logs
        self.recorded = RecordedSteps(self.model, self.optimizer) if on_gpu else None

    def step(self, batch: PairBatch) -> None:
        if self.recorded:
            self.recorded.step(batch)
            return
        improve(self.model, self.optimizer, self.logs(self.model, batch))

    def parse(self, batch: PairBatch) -> None:
        with torch.no_grad():
            leaves, lengths, shape = leaves_on_device(self.model, batch)
            rules = self.model.rules()
            chart = tree_chart(MaxSemiring(), rules, leaves, lengths, shape)
            backtrace(MaxSemiring(), rules, leaves, lengths, shape, chart).cpu()

    def time_steps(self, of: list[PairBatch], *, warm_up: int) -> Timed:
        """On a GPU the third pass: steps are recorded in the second."""
        for batch in of * 2 if self.recorded else []:
            self.step(batch)
        return timed(self.step, of, warm_up, 3 * sum(operations(batch, self.model) for batch in of))

    def time_parses(self, of: list[PairBatch], *, warm_up: int) -> Timed:
        return timed(self.parse, of, warm_up, sum(operations(batch, self.model) for batch in of))


@dataclass(frozen=True)
class Timed:
    """Texts and 10^12 operations per second."""

    texts_s: float
    tflop_s: float


def timed(work: Callable[[PairBatch], None], of: list[PairBatch], warm_up: int, needed: int) -> Timed:
    for batch in of[:: max(1, len(of) // warm_up)][:warm_up]:  # both long and short ones
        work(batch)
    wait()
    start = time.perf_counter()
    for batch in of:
        work(batch)
    wait()
    seconds = time.perf_counter() - start
    return Timed(sum(len(batch.rows) for batch in of) / seconds, needed / seconds / 1e12)


def wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def ratio_to_peer(
    ours: GrammarTrainer, theirs: GrammarTrainer, of: list[PairBatch]
) -> tuple[float, float, float]:
    """Ratio of our sentences per second to torch-struct's, ours, and theirs; training on the CPU, in the same batches."""
    both = [trainer.logs(trainer.model, of[0]).detach() for trainer in (ours, theirs)]
    torch.testing.assert_close(*both, rtol=1e-4, atol=0)  # both compute the same
    speeds = [trainer.time_steps(of, warm_up=1).texts_s for trainer in (ours, theirs)]
    return speeds[0] / speeds[1], *speeds


def peak_gib(device: torch.device) -> float:
    return torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else common.peak_mb() / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, help="pairs, and sentences (64 on a CPU, 16384 on a GPU)")
    parser.add_argument("--numbers", help="a file of texts as word ids (.npz)")
    parser.add_argument("--words", type=int, default=20_000, help="words of the vocabulary")
    parser.add_argument(
        "--longest", type=int, default=128, help="maximum words of a text; longer ones are left out"
    )
    parser.add_argument("--batch", type=int, help="texts per training step")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sizes = SIZES[device.type]
    options.rows = options.rows or sizes.rows
    train = replace(sizes.train, size=options.batch or sizes.train.size)
    name = (
        torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    )
    source, pairs, all_sentences = texts_of(options)
    rng = np.random.default_rng(options.seed)
    pairs, sentences = pairs[: options.rows], of_mean(MEAN_WORDS, all_sentences, options.rows, rng)
    means = [
        np.mean([len(pair[side]) for pair in texts])
        for texts, side in ((pairs, 0), (pairs, 1), (sentences, 0))
    ]
    print(f"{name}, PyTorch {torch.__version__}; {N} + {P} symbols, {options.words:,} words; {source}:")
    print(
        f"{len(pairs):,} pairs of {means[0]:.1f} and {means[1]:.1f} words, "
        f"{len(sentences):,} sentences of {means[2]:.1f}; training steps of {train.size} texts"
    )

    settings = {"words": options.words, "device": device, "seed": options.seed}
    of_pairs, of_sentences = (
        GrammarTrainer(PairGrammar, **settings),
        GrammarTrainer(SentenceGrammar, **settings),
    )
    warm_up = sizes.warm_up
    found = {
        "scfg_train_pairs_s": of_pairs.time_steps(batches(pairs, train, rng=rng), warm_up=warm_up),
        "scfg_parse_pairs_s": of_pairs.time_parses(batches(pairs, sizes.parse), warm_up=warm_up),
        "pcfg_train_sents_s": of_sentences.time_steps(batches(sentences, train, rng=rng), warm_up=warm_up),
    }
    peak = peak_gib(device)
    print(f"{'':22}{'a second':>10}{'published':>11}{'ratio':>10}{'TFLOP/s':>10}")
    titles = ("SPCFG training, pairs", "SPCFG parsing, pairs", "PCFG training, sents")
    for title, (key, one) in zip(titles, found.items(), strict=True):
        print(
            f"{title:22}{one.texts_s:10.1f}{PUBLISHED[key]:11.2f}{one.texts_s / PUBLISHED[key]:10.1f}{one.tflop_s:10.3f}"
        )
    gflop = 3 * np.mean([chart_operations(len(a), len(b)) for a, b in pairs]) / 1e9
    print(f"a pair's chart, inside and outside {gflop:.2f} GFLOP; peak memory {peak:.2f} GiB")
    ratio = None
    if device.type == "cpu":
        wanted = sorted(all_sentences, key=lambda pair: (len(pair[0]) < 2, abs(len(pair[0]) - PEER["words"])))
        chosen = wanted[: min(options.rows, PEER["sentences"])]
        both = (
            GrammarTrainer(SentenceGrammar, **settings, logs=logs) for logs in (log_probabilities, peer_logs)
        )
        ratio, ours, theirs = ratio_to_peer(*both, batches(chosen, train))
        print(
            f"PCFG training on {len(chosen)} sentences of {np.mean([len(one) for one, _ in chosen]):.1f} words: "
            f"{ours:.2f} a second, torch-struct {theirs:.2f}, ratio {ratio:.1f}"
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
