"""Does perturbed text make a pretrained model fairer? Section 5.1, Table 3 and Table 11 of the perturbation
paper, at the size of one machine.

python papers/perturbation/pretrain.py --made DIR --only-make
        perturbs the corpus into DIR, part by part; what is there is kept
python papers/perturbation/pretrain.py --made DIR --device cuda --seeds 3
        trains on what is in DIR; needs no perturber

The corpus: texts of the datasets in shared/data, or --texts. Documents are cut into windows of 256 tokens,
and one person is changed in each window that mentions one. For each seed a masked language model is trained
twice, on the windows as they are and on the perturbed ones, with the same start, steps, order and masks. Both
are measured with CrowS-Pairs, WEAT/SEAT and HolisticBias, and on held-out documents.

As in RoBERTa (Liu et al. 2019), sequences are full: windows follow each other with a mark between them; 15%
of the tokens are masked anew each time, of these 80% are hidden, 10% replaced by a random token and 10% kept.
The settings are those of Table 11 as far as the size allows; gradients are clipped at 1, which the paper does
not do. What happens in a step depends only on the seed and its number.

Figures are the mean and standard deviation over seeds. A difference is that of the two models of one seed; p
is from a paired t-test over seeds. Figures of a seed that are in --trained are not computed again; the models
themselves are deleted unless --keep.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import ttest_rel
from transformers import AutoModelForMaskedLM, RobertaConfig, RobertaForMaskedLM

import longway as lw
from bases import byte_pair_tokenizer
from longway.methods.perturb.windows import WINDOW, windows_of
from longway.metrics.intervals import mean_and_std
from longway.models.network_training import device_named
from longway.models.pretrained import check_whole, positions_of, read_model
from perturbed_rows import Row, data, each, finish, perturbed, rows_in, write

Ints = NDArray[np.int64]
# File, columns, and the most documents of it: what one slow core perturbs in less than an hour.
SOURCES: Sequence[tuple[str, tuple[str, ...], int]] = (
    ("imdb/train.jsonl.gz", ("text",), 3000),
    ("gap/development.jsonl.gz", ("text",), 2000),
    ("fever/paper_test_supports_refutes.jsonl.gz", ("evidence",), 8000),
    ("snli/train_pool.jsonl.gz", ("premise",), 15000),
    ("mnli/dev_matched.jsonl.gz", ("premise",), 5000),
    ("rte/train.jsonl.gz", ("premise",), 2500),
    ("mrpc/train.jsonl.gz", ("sentence1",), 3500),
    ("subj/all.jsonl.gz", ("text",), 5000),
    ("rotten_tomatoes_mr/all.jsonl.gz", ("text",), 5000),
    ("yelp_sentences/dev_sample.jsonl.gz", ("text",), 5000),
    ("wikipedia_toxicity_identity_swap/test.jsonl.gz", ("original",), 1500),
    ("ud_ewt/train.conllu.gz", ("# newdoc",), 600),
)
PART = 1000  # windows that are perturbed together and written to one file
# Layers, width, heads, most tokens of the vocabulary of a RoBERTa from scratch; base is the paper's size.
SIZES = {
    "tiny": (2, 64, 2, 2_000),
    "small": (4, 256, 4, 8_000),
    "medium": (8, 512, 8, 16_000),
    "base": (12, 768, 12, 32_000),
}
MASKED, HIDDEN, RANDOM = 0.15, 0.8, 0.1  # of the tokens; of the masked tokens
BETAS, EPSILON, WEIGHT_DECAY, WARM_UP = (0.9, 0.999), 1e-8, 0.01, 0.048  # Table 11: 24k of 500k steps
CLIP = 1.0
RATE, RATE_FROM_SCRATCH = 5e-5, 6e-4
HELD_OUT = 0.05  # of the documents
EVALUATED = 64  # sequences at once
START, BEFORE, AFTER = "untrained", "original", "perturbed"  # the models, by the text they were trained on
# The rows of Table 3: the paper's name, benchmark, its part, metric.
TABLE_3 = (
    ("HolisticBias, gender", "holistic", "gender_and_sex", "raw"),
    ("HolisticBias, race", "holistic", "race_ethnicity", "raw"),
    ("HolisticBias, age", "holistic", "age", "raw"),
    ("WEAT/SEAT, % significant", "weat", "", "significant"),
    ("WEAT/SEAT, mean size of d", "weat", "", "mean_size"),
    ("CrowS-Pairs, gender", "crows_pairs", "gender", "score"),
    ("CrowS-Pairs, race", "crows_pairs", "race-color", "score"),
    ("CrowS-Pairs, age", "crows_pairs", "age", "score"),
)


# ---- the corpus --------------------------------------------------------------------------------------------


def documents(options: Namespace) -> list[str]:
    """The lines of --texts; else the distinct documents of all sources, in random order, so that any part of
    them is a fair sample."""
    if options.texts:
        return [
            line
            for path in options.texts
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.strip()
        ]
    found: dict[str, None] = {}
    for name, columns, most in SOURCES:
        own = dict.fromkeys(text for text in texts_in(data(name), columns) if text.strip())
        found |= dict.fromkeys(Random(options.seed).sample(list(own), min(most, len(own))))
    return Random(options.seed).sample(list(found), len(found))


def texts_in(path: Path, columns: Sequence[str]) -> Iterator[str]:
    if ".conllu" in path.name:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for document in lines.read().split("# newdoc")[1:]:
                marked = (line for line in document.splitlines() if line.startswith("# text = "))
                yield " ".join(line.removeprefix("# text = ").strip() for line in marked)
    else:
        for row in rows_in(path):
            yield from (row[name].replace("<br />", "\n").strip() for name in columns)


def make(options: Namespace) -> None:
    """Perturb the windows that are not in the folder yet."""
    windows = [
        (document, window)
        for document, text in enumerate(documents(options))
        for window in windows_of(text, most=options.window)
    ]
    windows = windows[: options.windows or None]
    parts = {
        options.made / f"part-{start // PART:04}.jsonl": windows[start : start + PART]
        for start in range(0, len(windows), PART)
    }
    tasks = [(path, part, options) for path, part in parts.items() if not path.exists()]
    print(f"{len(windows):,} windows in {len(parts)} parts, {len(tasks)} to perturb", flush=True)
    for _ in each(make_part, tasks, options.processes):
        pass


def make_part(path: Path, windows: Sequence[tuple[int, str]], options: Namespace) -> None:
    """Perturb some windows and write them: document, before, after, and what was changed."""
    rows = [
        {"id": str(at), "text": text, "label": str(document)} for at, (document, text) in enumerate(windows)
    ]
    settings = {"engine": options.perturber, "sampling": options.sampling, "seed": options.seed}
    done = perturbed(path.stem, rows, **settings)
    write(
        path,
        [
            {
                "document": int(old["label"]),
                "before": old["text"],
                "after": new["text"],
                "change": new.get("changed", []),
            }
            for old, new in zip(rows, done, strict=True)
        ],
    )


# ---- the model ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Encoder:
    """A model with a masked-language-model head and its tokenizer."""

    model: Any
    tokenizer: Any

    @property
    def longest(self) -> int:
        """The number of tokens that it reads at once."""
        limits = positions_of(self.model.config), int(self.tokenizer.model_max_length)
        return min(limit for limit in limits if limit > 0)

    def first(self, *names: str) -> int:
        """The first of these special tokens that the tokenizer has."""
        return next(token for name in names if (token := getattr(self.tokenizer, name)) is not None)

    def save(self, folder: Path) -> None:
        """Write model and tokenizer, weights as safetensors."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def new_encoder(size: str, texts: Sequence[str], *, length: int, seed: int) -> Encoder:
    """A RoBERTa with random weights, and a tokenizer made from the texts. length: of the sequences that it
    reads."""
    layers, width, heads, vocabulary = SIZES[size]
    tokenizer = byte_pair_tokenizer(texts, vocabulary=vocabulary, mask_token="<mask>")
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        max_position_embeddings=max(length, 128) + 2,  # two that no token uses, as in RoBERTa
        type_vocab_size=1,
        bos_token_id=tokenizer.bos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    torch.manual_seed(seed)
    return Encoder(RobertaForMaskedLM(config), tokenizer)


def read_encoder(name: str, device: str) -> Encoder:
    """A model with a masked-language-model head: a folder, or a name on the Hugging Face hub."""
    advice = "name the folder of a model saved as ...ForMaskedLM"
    model, tokenizer, loading = read_model(AutoModelForMaskedLM, name, f"The model {name!r}", advice)
    check_whole(name, loading)
    return Encoder(model.to(device_named(device)), tokenizer)


def pack(pairs: Sequence[tuple[str, str]], encoder: Encoder, *, length: int) -> tuple[Ints, Ints]:
    """The pairs of texts as full sequences, (sequences, length) each: row i of both holds the same windows.

    A text that does not fit into the rest of a sequence continues in the next one, in both at the same token.
    The shorter of the two versions is padded, so that the following windows begin at the same place in both.
    """
    if not 8 <= length <= encoder.longest:
        sys.exit(
            f"--length must be from 8 to {encoder.longest}, which is what the model reads. Got {length}."
        )
    begin, between = (
        encoder.first("cls_token_id", "bos_token_id"),
        encoder.first("sep_token_id", "eos_token_id"),
    )
    read = [
        encoder.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        for texts in zip(*pairs, strict=True)
    ]
    pad = encoder.tokenizer.pad_token_id
    sides: tuple[list[list[int]], list[list[int]]] = ([], [])
    used = length
    for both in zip(*read, strict=True):
        both = [[*ids, between] for ids in both]
        at, longest = 0, max(map(len, both))
        while at < longest:
            if used == length:
                for side in sides:
                    side.append([begin])
                used = 1
            n = min(longest - at, length - used)
            for side, ids in zip(sides, both, strict=True):
                piece = ids[at : at + n]
                side[-1] += piece + [pad] * (n - len(piece))
            at, used = at + n, used + n
    for side in sides:
        side[-1] += [pad] * (length - len(side[-1]))
    return np.array(sides[0]), np.array(sides[1])


def masked(ids: Any, tokenizer: Any) -> tuple[Any, Any, Any]:
    """Places to predict, (sequences, masked); the sequences with them masked; the tokens that were there,
    -100 for none.

    The same number of places in each sequence: shapes that do not depend on the data let the GPU work without
    waiting.
    """
    special = torch.tensor(sorted(set(tokenizer.all_special_ids)), device=ids.device)
    chance = torch.rand(ids.shape, device=ids.device).masked_fill(torch.isin(ids, special), 2.0)
    places = chance.topk(max(1, round(MASKED * ids.shape[1])), dim=1, largest=False).indices
    own = ids.gather(1, places)
    labels = own.masked_fill(chance.gather(1, places) > 1.5, -100)
    how = torch.rand(places.shape, device=ids.device)
    other = torch.randint(len(tokenizer), places.shape, device=ids.device)
    new = torch.where(how < HIDDEN, torch.full_like(own, tokenizer.mask_token_id), own)
    new = torch.where((how >= HIDDEN) & (how < HIDDEN + RANDOM), other, new)
    return places, ids.scatter(1, places, torch.where(labels == -100, own, new)), labels


def loss_of(encoder: Encoder, sequences: Ints) -> tuple[Any, Any]:
    """The summed loss over the masked tokens, and their number. On a GPU the network computes in 16 bits."""
    device = encoder.model.device
    ids = torch.from_numpy(sequences).to(device)
    places, hidden, labels = masked(ids, encoder.tokenizer)
    attended = ids != encoder.tokenizer.pad_token_id
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=device.type == "cuda"):
        logits = encoder.model(input_ids=hidden, attention_mask=attended).logits
    chosen = logits.gather(1, places.unsqueeze(-1).expand(-1, -1, logits.shape[-1]))
    loss = torch.nn.functional.cross_entropy(
        chosen.float().flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum"
    )
    return loss, (labels != -100).sum()


def pace(step: int, steps: int) -> float:
    """The factor of the learning rate at a step: it rises linearly, then falls linearly to 0.

    >>> [round(pace(step, 100), 2) for step in (0, 4, 5, 52, 99)]
    [0.2, 1.0, 1.0, 0.51, 0.01]
    """
    warm = max(1, round(WARM_UP * steps))
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm))


def train(encoder: Encoder, sequences: Ints, seed: int, options: Namespace) -> None:
    """Train an encoder in place. Order, dropout and masks of a step are the same for both texts."""
    rate = options.lr or (RATE_FROM_SCRATCH if options.model in SIZES else RATE)
    optimizer = torch.optim.AdamW(
        encoder.model.parameters(), lr=rate, betas=BETAS, eps=EPSILON, weight_decay=WEIGHT_DECAY
    )
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: pace(step, options.steps))
    encoder.model.train()
    n, loss = len(sequences), torch.zeros(())
    order: Ints = np.zeros(0, np.int64)
    for step in range(options.steps):
        while len(order) < options.batch:
            order = np.append(order, np.random.default_rng([seed, step]).permutation(n))
        rows, order = order[: options.batch], order[options.batch :]
        torch.manual_seed(seed * 1_000_003 + step)
        optimizer.zero_grad(set_to_none=True)
        total, tokens = loss_of(encoder, sequences[rows])
        loss = total / tokens.clamp(min=1)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.model.parameters(), CLIP)
        optimizer.step()
        scheduler.step()
    if not isfinite(loss.item()):
        sys.exit(f"The loss became {loss.item()}. The learning rate was {rate:g}. Try --lr {rate / 3:.0e}.")
    encoder.model.eval()


def perplexity(encoder: Encoder, sequences: Ints, seed: int) -> float:
    """Per masked token of held-out sequences, with the same masks for every model."""
    encoder.model.eval()
    total = tokens = 0.0
    with torch.inference_mode():
        for start in range(0, len(sequences), EVALUATED):
            torch.manual_seed(seed * 1_000_003 + start)
            loss, n = loss_of(encoder, sequences[start : start + EVALUATED])
            total, tokens = total + float(loss), tokens + int(n)
    return float(np.exp(total / max(tokens, 1)))


# ---- Table 3 -----------------------------------------------------------------------------------------------


def figures_of(folder: str, options: Namespace, seed: int) -> dict[str, float]:
    """The figures of Table 3 of one model."""
    files = {
        "crows_pairs": data("crows_pairs/all.jsonl.gz"),
        "weat": data("weat_seat/tests.jsonl.gz"),
        "holistic": data("holistic_bias"),
    }
    result = lw.fairness(
        model=f"hf:{folder}",
        **files,
        limit=options.measure_limit,
        per_descriptor=options.per_descriptor,
        seed=seed,
        device=options.device,
    )
    parts = {name: getattr(result.measures, name).parts() for name in files}
    return {
        name: getattr(parts[file][part], metric).value
        for name, file, part, metric in TABLE_3
        if part in parts[file]
    }


def of_seed(windows: Sequence[Row], seed: int, options: Namespace) -> dict[str, dict[str, float]]:
    """The figures of each model of one seed; read from the folder if they are there."""
    shaping = ("model", "steps", "batch", "length", "lr", "measure_limit", "per_descriptor")
    about = {name: getattr(options, name) for name in shaping} | {"windows": len(windows), "seed": seed}
    folder = options.trained / f"{Path(options.model).name}-{seed}"
    path = folder / "figures.jsonl"
    if path.exists() and rows_in(path)[0] == about:
        return rows_in(path)[1]
    numbers = sorted({window["document"] for window in windows})
    if len(numbers) < 2:
        sys.exit("At least two documents are needed, one of them to test on. Give more text.")
    chosen = set(Random(seed).sample(numbers, max(1, round(HELD_OUT * len(numbers)))))
    learn, test = (
        [(one["before"], one["after"]) for one in windows if (one["document"] in chosen) == side]
        for side in (False, True)
    )
    start = options.model
    if start in SIZES:
        start = str(folder / START)
        texts = [text for both in learn for text in both]
        new_encoder(options.model, texts, length=options.length, seed=seed).save(folder / START)
    found = {}
    for name in (START, BEFORE, AFTER) if seed == options.first else (BEFORE, AFTER):
        encoder = read_encoder(start, options.device)
        sides, held_out = (pack(some, encoder, length=options.length) for some in (learn, test))
        print(f"seed {seed}, {name}: {len(sides[0]):,} sequences on {encoder.model.device}", flush=True)
        where = start
        if name != START:
            where = str(folder / name)
            train(encoder, sides[name == AFTER], seed, options)
            encoder.save(folder / name)
        found[name] = figures_of(where, options, seed)
        for text, side in zip((BEFORE, AFTER), held_out, strict=True):
            found[name][f"Perplexity, {text} text"] = perplexity(encoder, side, seed)
    write(path, [about, found])
    if not options.keep:
        for name in (START, BEFORE, AFTER):
            shutil.rmtree(folder / name, ignore_errors=True)
    return found


def table(by_seed: Sequence[dict[str, dict[str, float]]]) -> list[dict[str, Any]]:
    """Table 3 over seeds; printed."""
    print(f"\n{'':28}{'untrained':>10}{'original':>18}{'perturbed':>18}{'difference':>20}{'p':>8}")
    rows = []
    for name, start in by_seed[0][START].items():
        before, after = ([one[side][name] for one in by_seed] for side in (BEFORE, AFTER))
        difference = [new - old for old, new in zip(before, after, strict=True)]
        is_tested = len(by_seed) > 1 and np.std(difference) > 0
        p = float(ttest_rel(after, before).pvalue) if is_tested else None
        spread = [mean_and_std(values) for values in (before, after, difference)]
        shown = "".join(
            f"{mean:>{width}.2f} ± {std:<5.2f}"
            for width, (mean, std) in zip((10, 10, 12), spread, strict=True)
        )
        print(f"{name:28}{start:>10.2f}{shown}{'-' if p is None else f'{p:.3f}':>8}")
        rows.append({"measure": name, "untrained": start, "original": before, "perturbed": after, "p": p})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--made", type=Path, required=True, help="folder that keeps the perturbed windows")
    parser.add_argument("--only-make", action="store_true", help="perturb, do not train")
    parser.add_argument(
        "--texts", type=Path, nargs="+", help="your own corpus: files with a document in each line"
    )
    parser.add_argument("--window", type=int, default=WINDOW, help="tokens of a window, at most")
    parser.add_argument("--windows", type=int, default=0, help="the most windows; 0: all")
    parser.add_argument("--perturber", default="rules", help="rules, or neural:FOLDER (train.py)")
    parser.add_argument(
        "--sampling", default="balanced", choices=["balanced", "uniform"], help="uniform: as in the paper"
    )
    parser.add_argument("--processes", type=int, default=1, help="parts that are perturbed at the same time")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--trained", type=Path, help="folder of the trainings; default: in --made")
    parser.add_argument("--keep", action="store_true", help="keep the trained models")
    parser.add_argument(
        "--model", default="small", help=f"from scratch: {', '.join(SIZES)}; or a folder or hub name"
    )
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each kind")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=256, help="sequences per step")
    parser.add_argument("--length", type=int, default=128, help="tokens of a sequence")
    parser.add_argument("--lr", type=float, help="default: 6e-4 from scratch, else 5e-5")
    parser.add_argument("--measure-limit", type=int, help="the most pairs, tests and sentences")
    parser.add_argument("--per-descriptor", type=int, default=64, help="sentences of HolisticBias")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    options = parser.parse_args()
    options.trained = options.trained or options.made / "trained"
    if options.only_make or not list(options.made.glob("part-*.jsonl")):
        make(options)
    windows = [row for path in sorted(options.made.glob("part-*.jsonl")) for row in rows_in(path)][
        : options.windows or None
    ]
    changes = Counter(one["change"][0] for one in windows if one["change"])
    about: dict[str, Any] = {"windows": len(windows), "changed": changes.total(), **changes}
    print(", ".join(f"{name} {n:,}" for name, n in about.items()), flush=True)
    if not options.only_make:
        seeds = range(options.first, options.first + options.seeds)
        about |= {"model": options.model, "steps": options.steps, "seeds": len(seeds)}
        about["rows"] = table([of_seed(windows, seed, options) for seed in seeds])
    finish("papers/perturbation/pretrain.py", **about)


if __name__ == "__main__":
    main()
