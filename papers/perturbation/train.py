"""Train a perturber on perturbations that people wrote: section 4, appendix F and Table 10 of the
perturbation paper.

python papers/perturbation/train.py panda.jsonl --base facebook/bart-large --out my-perturber
longway perturb reviews.csv --engine neural:my-perturber

FILE has PANDA's four columns (panda.py). The network reads "word attribute <PERT_SEP> text" and learns to
write the perturbed text. The weights with the lowest validation loss are kept in --out, which is written
whenever there are better ones. At the end they rewrite the validation rows, for the figures of section 4:
BLEU and perplexity. A training that was stopped begins again.

The paper trained with ParlAI. Its "learning rate decay" is read as ParlAI's --lr-scheduler-decay with its
default scheduler, reduceonplateau: after more than --lr-patience validations (ParlAI's default is 3; the
table has none) without a lower loss the learning rate is multiplied by it. Validations during the warm-up do
not count. There is one validation per epoch (README.md says more about this).
"""

from __future__ import annotations

import argparse
import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from math import exp, isfinite
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bases import TINY, Tokens, base_network, batch, pair
from longway.methods.perturb.networks import Network
from longway.methods.perturb.neural import ABOUT_FILE, NeuralPerturber
from longway.methods.perturb.segments import FORMS, Form, joined
from longway.metrics.bleu import sacre_bleu
from panda import PandaRow, read_panda, request_of
from perturbed_rows import finish
from score import word_distance

RATE, RATE_FROM_SCRATCH = 1e-5, 3e-3
BETAS, EPSILON, WEIGHT_DECAY, CLIP, WARM_UP = (0.9, 0.999), 1e-8, 0.01, 0.1, 1200  # Table 10
HELD_OUT = 0.1  # of the texts, for validation
PIECE = (
    8192  # tokens that go through the network together; a larger batch is split, and its gradients are summed
)


class Training:
    """A network and the examples that it learns from and is validated on. too_long: rows that it cannot
    read."""

    def __init__(self, learn: Sequence[PandaRow], stop: Sequence[PandaRow], options: Namespace) -> None:
        torch.manual_seed(options.seed)
        form = FORMS[options.form]
        texts = [text for row in learn for text in texts_of(row, form)]
        self.options = options
        self.network: Network = base_network(options.base, texts, device=options.device)
        self.learn, self.stop = (self._examples(rows, form) for rows in (learn, stop))
        self.too_long = len(learn) + len(stop) - len(self.learn) - len(self.stop)
        if not self.learn or not self.stop:
            sys.exit(
                f"At least two texts of at most {self.network.longest} tokens are needed. "
                "Give more rows, or another --base."
            )
        self.rate = options.lr or (RATE_FROM_SCRATCH if options.base == TINY else RATE)
        self.warm = max(1, min(WARM_UP, options.epochs * -(-len(self.learn) // options.batch_size) // 10))
        self.optimizer = torch.optim.AdamW(
            self.network.model.parameters(), lr=self.rate, betas=BETAS, eps=EPSILON, weight_decay=WEIGHT_DECAY
        )
        self.plateau = None
        if options.lr_decay < 1:
            self.plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(
                self.optimizer, factor=options.lr_decay, patience=options.lr_patience, eps=0
            )
        self.steps = 0

    def _examples(self, rows: Sequence[PandaRow], form: Form) -> list[Tokens]:
        found = [pair(self.network, *texts_of(row, form)) for row in rows]
        return [example for example in found if len(example) <= self.network.longest]

    def run(self) -> list[dict[str, Any]]:
        """Train; the best weights are in the folder. The losses of each epoch."""
        epochs: list[dict[str, Any]] = []
        best, since = float("inf"), 0
        while len(epochs) < self.options.epochs and since < self.options.patience:
            loss, validation = self.epoch(len(epochs) + 1), self.validation_loss()
            rate = self.optimizer.param_groups[0]["lr"]
            since = 0 if validation < best else since + 1
            best = min(best, validation)
            epochs.append(
                {
                    "number": len(epochs) + 1,
                    "loss": loss,
                    "validation_loss": validation,
                    "learning_rate": rate,
                }
            )
            print(
                "epoch {number}: loss {loss:.4f}, validation loss {validation_loss:.4f}, "
                "learning rate {learning_rate:.2g}".format(**epochs[-1]),
                flush=True,
            )
            if not since:
                self.network.model.save_pretrained(self.options.out)
                self.network.tokenizer.save_pretrained(self.options.out)
            if self.plateau is not None and self.steps > self.warm:
                self.plateau.step(validation)
        return epochs

    def epoch(self, number: int) -> float:
        """The mean loss per token of one pass over the rows."""
        self.network.model.train()
        total, order = 0.0, np.random.default_rng([self.options.seed, number]).permutation(len(self.learn))
        for start in range(0, len(order), self.options.batch_size):
            total += self.step(
                [self.learn[place] for place in order[start : start + self.options.batch_size]]
            )
        return total / sum(example.n_learned for example in self.learn)

    def step(self, examples: Sequence[Tokens]) -> float:
        """One step; the summed loss of its tokens."""
        if self.steps < self.warm:
            self.optimizer.param_groups[0]["lr"] = self.rate * (self.steps + 1) / self.warm
        self.steps += 1
        self.optimizer.zero_grad()
        n, total = sum(example.n_learned for example in examples), 0.0
        for piece in pieces(examples):
            loss = self.loss(piece)
            (loss / n).backward()
            total += float(loss.detach())
        if not isfinite(total):
            sys.exit(
                f"The loss became {total}. The learning rate was {self.rate:g}. Try --lr {self.rate / 3:.0e}."
            )
        torch.nn.utils.clip_grad_norm_(self.network.model.parameters(), CLIP)
        self.optimizer.step()
        return total

    def loss(self, examples: Sequence[Tokens]) -> Any:
        """The summed loss of the tokens to write; on a GPU the network computes in 16 bits."""
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.network.device.type == "cuda"):
            mean = self.network.model(**batch(self.network, examples)).loss
        return mean * sum(example.n_learned for example in examples)

    def validation_loss(self) -> float:
        """The mean loss per token of the validation rows."""
        self.network.model.eval()
        with torch.inference_mode():
            total = sum(float(self.loss(piece)) for piece in pieces(self.stop))
        return total / sum(example.n_learned for example in self.stop)


def texts_of(row: PandaRow, form: Form) -> tuple[str, str]:
    """What the network reads and what it should write for a row."""
    return form.source(row.before, row.word, row.target), joined(row.after)


def pieces(examples: Sequence[Tokens]) -> list[list[Tokens]]:
    """The examples in pieces of at most `PIECE` tokens after padding."""
    found: list[list[Tokens]] = []
    for example in sorted(examples, key=len, reverse=True):
        if found and len(found[-1][0]) * (len(found[-1]) + 1) <= PIECE:
            found[-1].append(example)
        else:
            found.append([example])
    return found


def held_out(rows: Sequence[PandaRow], seed: int) -> tuple[list[PandaRow], list[PandaRow]]:
    """The training rows and the validation rows, those of a tenth of the texts, so that no text is in
    both."""
    texts = sorted({row.before for row in rows})
    n = min(max(1, round(HELD_OUT * len(texts))), len(texts) - 1)
    chosen = {texts[place] for place in np.random.default_rng(seed).permutation(len(texts))[:n]}
    return [row for row in rows if row.before not in chosen], [row for row in rows if row.before in chosen]


def validation_figures(rows: Sequence[PandaRow], options: Namespace) -> dict[str, float]:
    """What the trained network writes for the validation rows (section 4).

    source: BLEU against the text before. people: against the rewrite in the file; copied: that of the text
    before. exact: the same word for word. refused: answers that cannot be the same text with another person;
    they count as unchanged.
    """
    asked = [(row, request) for row in rows if (request := request_of(row)) is not None]
    done = NeuralPerturber(options.out, device=options.device).perturb([request for _, request in asked])
    before, wanted = ([" ".join(getattr(row, side)) for row, _ in asked] for side in ("before", "after"))
    wrote = [" ".join(one.segments) for one in done]
    return {
        "rows": len(asked),
        "source": sacre_bleu(wrote, before),
        "people": sacre_bleu(wrote, wanted),
        "copied": sacre_bleu(before, wanted),
        "exact": sum(word_distance(*both)[0] == 0 for both in zip(wrote, wanted, strict=True)),
        "refused": sum(bool(one.reason) for one in done),
    }


def trained(learn: Sequence[PandaRow], stop: Sequence[PandaRow], options: Namespace) -> dict[str, Any]:
    """Train a perturber into --out; returns what its perturber.json says."""
    training = Training(learn, stop, options)
    settings = {**vars(options), "out": str(options.out), "lr": training.rate}
    about = {"form": options.form, "settings": settings, "epochs": training.run()}
    about |= {
        "rows": len(training.learn),
        "validation_rows": len(training.stop),
        "too_long": training.too_long,
    }
    del training  # the network is loaded again, without its optimizer
    (options.out / ABOUT_FILE).write_text(json.dumps(about, indent=1), encoding="utf-8")
    figures = validation_figures(stop, options)
    figures["perplexity"] = exp(min(one["validation_loss"] for one in about["epochs"]))
    about["validation"] = figures
    (options.out / ABOUT_FILE).write_text(json.dumps(about, indent=1), encoding="utf-8")
    return about


def options_of(arguments: Sequence[str] | None = None) -> Namespace:
    """The options of the script."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="perturbations with PANDA's columns: a file, or hf:NAME")
    parser.add_argument(
        "--base", default="facebook/bart-large", help="a folder, a hub name, or tiny (from scratch)"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the perturber")
    parser.add_argument(
        "--validation", help="file with rows for early stopping; default: a tenth of the texts"
    )
    parser.add_argument("--form", default="paper", choices=list(FORMS), help="how requests are written")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--lr", type=float, help="default: 1e-5, and 3e-3 for tiny")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--patience", type=int, default=10, help="epochs without a lower validation loss")
    parser.add_argument("--lr-decay", type=float, default=0.01, help="factor on a plateau; 1: none")
    parser.add_argument("--lr-patience", type=int, default=3, help="epochs without a lower loss before it")
    parser.add_argument("--limit", type=int, help="only the first rows")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    return parser.parse_args(arguments)


def main() -> None:
    options = options_of()
    rows = read_panda(options.file, limit=options.limit)
    learn, stop = (
        (rows, read_panda(options.validation)) if options.validation else held_out(rows, options.seed)
    )
    about = trained(learn, stop, options)
    for words in (
        "BLEU {source:.1f} against the source (88.0 in the paper), "
        "{people:.1f} against the rewrites in the file ({copied:.1f} for the source)",
        "Perplexity {perplexity:.2f} (1.06 in the paper); "
        "{exact} of {rows} as in the file, {refused} refused",
    ):
        print(words.format(**about["validation"]))
    print(f"Next: longway perturb DATA --engine neural:{options.out}")
    finish("papers/perturbation/train.py", **about)


if __name__ == "__main__":
    main()
