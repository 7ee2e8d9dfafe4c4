"""Learns a grammar from texts alone, by making them more likely, all trees counted.

    texts -> words, numbers -> batches of like length -> log probability -> its derivative -> Adam

After every `check` of the texts the likelihood of texts that are held out is measured; the grammar with the best
one is kept, and `patience` checks without a better one end the training. What was reached so far is written into
the checkpoint folder after every epoch and every 20 seconds, so that a training that was stopped goes on from there
and ends with the same grammar.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from longway.errors import DataError, SettingError, TrainingError
from longway.grammar.batches import TRAINING, Batch, Pair, batches
from longway.grammar.grammar import Grammar, Texts, numbered
from longway.grammar.model import GRAMMARS, NeuralGrammar
from longway.grammar.steps import improve, log_probabilities
from longway.grammar.words import LIMIT, Vocabulary

_TELL = 0.2  # seconds between two words about the progress
_KEEP = 20.0  # seconds between two checkpoints within an epoch
_COUNTS = ("epoch", "step", "since", "waited")


@dataclass(frozen=True)
class InduceSettings:
    """How a grammar is learned; the defaults are the paper's where it names one.

    epochs: at most; None is 10 for pairs and 40 for sentences. batch: texts a step; None is 16 on a CPU and 64 on
    a GPU. check: after how many texts the held-out likelihood is measured (at the latest after each epoch).
    """

    nonterminals: int = 32
    preterminals: int = 64
    dimension: int = 256
    words: int = LIMIT
    at_least: int = 3
    epochs: int | None = None
    learning_rate: float = 1e-3
    batch: int | None = None
    check: int = 16_384
    patience: int = 5
    seed: int = 0
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name in ("nonterminals", "preterminals", "dimension", "words", "check", "patience"):
            if getattr(self, name) < 1:
                raise SettingError(f"'{name}' must be at least 1. Got {getattr(self, name)!r}.")


@dataclass(frozen=True)
class Progress:
    """Where a training is."""

    epoch: int  # from 1
    epochs: int
    done: int  # texts of this epoch
    texts: int
    nats_per_word: float  # of the training texts of this epoch so far
    held_out: float | None  # nats per word of the held-out texts at the last check


def induce(
    texts: Texts,
    *,
    validation: Texts,
    settings: InduceSettings | None = None,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: Path | None = None,
) -> Grammar:
    """A grammar of the texts: of pairs where any second text has a word, of sentences where none has.

    checkpoint: a folder; the training goes on from what it holds, where that was made of the same texts and settings.
    """
    settings = settings or InduceSettings()
    if not texts or not validation:
        raise DataError(
            "A grammar is learned from some texts and checked on others. Got none of either; give at least one."
        )
    kind = "pair" if any(len(second) for _, second in texts) else "sentence"
    vocabulary = Vocabulary.count(
        (side for text in texts for side in text), limit=settings.words, at_least=settings.at_least
    )
    if len(vocabulary) < 3:
        raise DataError(
            f"A grammar needs at least two words that stand {settings.at_least} times in the texts. Got "
            f"{len(vocabulary) - 1} in {len(texts)} texts. Give more texts, or count rarer words (at_least=1)."
        )
    pairs = numbered(texts, vocabulary, kind), numbered(validation, vocabulary, kind)
    training = _Training(kind, vocabulary, pairs, settings, checkpoint)
    training.run(progress)
    return Grammar(training.model, vocabulary, trained=training.about())


class _Training:
    """One training: the model, the optimiser, and what was reached."""

    def __init__(
        self, kind: str, vocabulary: Vocabulary, pairs: tuple[list[Pair], list[Pair]], settings: InduceSettings,
        checkpoint: Path | None,
    ) -> None:  # fmt: skip
        self.settings, self.pairs, self.validation = settings, *pairs
        self.epochs = settings.epochs or (10 if kind == "pair" else 40)
        self.device = torch.device(settings.device)
        limits = TRAINING[self.device.type]
        self.limits = replace(limits, size=settings.batch or limits.size)
        torch.manual_seed(settings.seed)
        self.model: NeuralGrammar = GRAMMARS[kind](
            nonterminals=settings.nonterminals, preterminals=settings.preterminals, dimension=settings.dimension,
            words=len(vocabulary),
        ).to(self.device)  # fmt: skip
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=settings.learning_rate)
        self.epoch, self.step = 0, 0  # epochs done, batches of the next one
        self.since = 0  # texts since the last check
        self.best, self.waited = float("inf"), 0
        self.history: list[dict[str, float]] = []
        self.best_weights = self._weights()
        self.checkpoint = _Checkpoint(checkpoint, self) if checkpoint else None
        if self.checkpoint:
            self.checkpoint.read()

    def run(self, progress: Callable[[Progress], None] | None) -> None:
        while self.epoch < self.epochs and self.waited < self.settings.patience:
            self._one_epoch(progress)
            self.epoch, self.step = self.epoch + 1, 0
            if self.checkpoint:
                self.checkpoint.write()
        self.model.load_state_dict(self.best_weights)

    def _one_epoch(self, progress: Callable[[Progress], None] | None) -> None:
        """All batches from where this epoch was left; the same seed gives the same batches."""
        steps = self._batches(self.pairs, np.random.default_rng([self.settings.seed, self.epoch]))
        done = sum(len(batch.rows) for batch in steps[: self.step])
        nats, words = torch.zeros((), device=self.device), 0
        told = written = time.monotonic()
        for batch in steps[self.step :]:
            nats += self._step(batch)
            words += int(batch.lengths.sum())
            done, self.since, self.step = done + len(batch.rows), self.since + len(batch.rows), self.step + 1
            is_last = done == len(self.pairs)
            if self.since >= self.settings.check or is_last:
                self._check()
                self.since = 0
            now = time.monotonic()
            if progress and (is_last or now - told > _TELL):
                told = now
                held_out = self.history[-1]["held_out"] if self.history else None
                progress(
                    Progress(
                        self.epoch + 1, self.epochs, done, len(self.pairs), float(nats) / words, held_out
                    )
                )
            if self.checkpoint and not is_last and now - written > _KEEP:
                self.checkpoint.write()
                written = now
            if self.waited >= self.settings.patience:
                return

    def _step(self, batch: Batch) -> torch.Tensor:
        return improve(self.model, self.optimiser, log_probabilities(self.model, batch))

    def _check(self) -> None:
        """Measures the held-out texts, and keeps the weights if they are the best so far."""
        with torch.no_grad():
            nats = sum(
                float(-log_probabilities(self.model, batch).sum())
                for batch in self._batches(self.validation, None)
            )
        held_out = nats / sum(len(first) + len(second) for first, second in self.validation)
        if not math.isfinite(held_out):
            raise TrainingError(
                f"The held-out texts have no likelihood any more ({held_out}) in epoch {self.epoch + 1}: the training went astray. "
                f"Try a smaller learning rate than {self.settings.learning_rate}."
            )
        self.history.append({"epoch": self.epoch + 1, "held_out": held_out})
        if held_out < self.best:
            self.best, self.waited, self.best_weights = held_out, 0, self._weights()
        else:
            self.waited += 1

    def _batches(self, pairs: list[Pair], rng: np.random.Generator | None) -> list[Batch]:
        return batches(pairs, self.limits, rng=rng)

    def _weights(self) -> dict[str, torch.Tensor]:
        return {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}

    def about(self) -> dict[str, Any]:
        return {
            "settings": asdict(self.settings), "texts": len(self.pairs), "held_out_texts": len(self.validation),
            "epochs": self.epoch, "held_out_nats_per_word": self.best, "history": self.history,
        }  # fmt: skip


class _Checkpoint:
    """What a training reached, on disk: weights, the best ones, the optimiser's memory, and the counts, written last."""

    def __init__(self, folder: Path, training: _Training) -> None:
        self.folder, self.training = folder, training

    def _identity(self) -> dict[str, Any]:
        training = self.training
        settings = {
            key: value for key, value in asdict(training.settings).items() if key not in ("epochs", "device")
        }
        return {
            "settings": settings,
            "texts": _digest(training.pairs),
            "held_out": _digest(training.validation),
        }

    def write(self) -> None:
        from safetensors.torch import save_file

        self.folder.mkdir(parents=True, exist_ok=True)
        training = self.training
        tensors = {f"now.{name}": tensor for name, tensor in training.model.state_dict().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in training.best_weights.items()}
        for name, weight in training.model.named_parameters():
            state = training.optimiser.state[weight]
            tensors |= {f"adam.{key}.{name}": torch.as_tensor(value) for key, value in state.items()}
        name = f"epoch-{training.epoch}-{training.step}.safetensors"
        save_file(
            {key: tensor.cpu().contiguous() for key, tensor in tensors.items()},
            self.folder / (name + ".part"),
        )
        (self.folder / (name + ".part")).replace(self.folder / name)
        about = self._identity() | {
            "tensors": name, "history": training.history, "best": training.best if training.history else None,
            "batches": asdict(training.limits),
            **{key: getattr(training, key) for key in _COUNTS},
        }  # fmt: skip
        (self.folder / "reached.json.part").write_text(json.dumps(about), encoding="utf-8")
        (self.folder / "reached.json.part").replace(self.folder / "reached.json")
        for old in self.folder.glob("epoch-*.safetensors"):
            if old.name != name:
                old.unlink()

    def read(self) -> None:
        """Goes on from what is there; something made of other texts or settings is left unread, to be written over."""
        from safetensors.torch import load_file

        try:
            about = json.loads((self.folder / "reached.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        if any(about.get(key) != value for key, value in self._identity().items()):
            return
        training = self.training
        tensors = load_file(self.folder / about["tensors"], device=str(training.device))

        def under(prefix: str) -> dict[str, torch.Tensor]:
            return {key[len(prefix) :]: tensor for key, tensor in tensors.items() if key.startswith(prefix)}

        training.model.load_state_dict(under("now."))
        training.best_weights = under("best.")
        for name, weight in training.model.named_parameters():
            kept = {
                key: tensors[f"adam.{key}.{name}"]
                for key in ("step", "exp_avg", "exp_avg_sq")
                if f"adam.{key}.{name}" in tensors
            }
            if kept:
                kept["step"] = kept["step"].cpu()
                training.optimiser.state[weight] = kept
        training.history = about["history"]
        if training.history:
            training.best = about["best"]
        for key in _COUNTS:
            setattr(training, key, about[key])
        if about["batches"] != asdict(training.limits):  # another device: this epoch's batches are others
            training.step = 0


def _digest(pairs: list[Pair]) -> str:
    import hashlib

    return hashlib.sha256(repr(pairs).encode()).hexdigest()[:16]
