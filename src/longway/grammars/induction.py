"""Induces a grammar from texts alone, by maximizing their likelihood over all trees.

    texts -> words, ids -> batches of similar length -> log probability -> its gradient -> Adam

After every `check` texts the likelihood of held-out texts is measured; the grammar with the best one is kept, and `patience`
checks without improvement end the training. The state is written to the checkpoint folder after every epoch and every 20
seconds, so an interrupted training resumes there and ends with the same grammar.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch

from longway.errors import DataError, SettingError, TrainingError
from longway.grammars.minibatch import TRAINING, Pair, PairBatch, batches, improve, log_probabilities
from longway.grammars.model import GRAMMARS, NeuralGrammar
from longway.grammars.parser import Grammar, Texts, TrainingRecord, word_ids
from longway.grammars.recorded import RecordedSteps
from longway.grammars.vocabulary import LIMIT, GrammarVocabulary

_REPORT_SECONDS = 0.2  # between two progress reports
_CHECKPOINT_SECONDS = 20.0  # between two checkpoints within an epoch
_STATE = "reached.json"


@dataclass(frozen=True)
class InduceSettings:
    """How a grammar is induced. The defaults are the paper's, except for `batch` and, for sentences, `check`.

    at_least: occurrences of a known word, as in the published code. epochs: maximum; None is 10 for pairs and 40 for sentences.
    batch: texts per step; None is 16 on a CPU and 64 on a GPU; the paper's are 4 pairs and 16 sentences.
    check: texts between two measurements of the held-out likelihood (at the latest after each epoch); the paper's are 4,096 of its
    steps: 16,384 pairs and 65,536 sentences.
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
        settings = asdict(self)
        for name in ("nonterminals", "preterminals", "dimension", "words", "check", "patience"):
            if settings[name] < 1:
                raise SettingError(f"'{name}' must be at least 1. Got {settings[name]!r}.")


@dataclass(frozen=True)
class InduceProgress:
    """The progress of a training."""

    epoch: int  # from 1
    epochs: int
    done: int  # texts of this epoch
    texts: int
    nats_per_word: float  # of this epoch's training texts so far
    held_out: float | None  # nats per word of the held-out texts at the last check


@dataclass
class _Position:
    """Where a training is. epoch: epochs done; step: batches done of the next; since: texts since the last check; waited: checks without improvement."""

    epoch: int = 0
    step: int = 0
    since: int = 0
    waited: int = 0


def induce(
    texts: Texts,
    *,
    validation: Texts,
    settings: InduceSettings | None = None,
    progress: Callable[[InduceProgress], None] | None = None,
    checkpoint: Path | None = None,
) -> Grammar:
    """A grammar of the texts: of pairs if any second text has a word, else of sentences.

    checkpoint: a folder; the training resumes from it if it was written for the same texts and settings.
    """
    settings = settings or InduceSettings()
    if not texts or not validation:
        raise DataError(
            "A grammar is learned from some texts and validated on others. Got none of either. Give at least one of each."
        )
    kind = "pair" if any(len(second) for _, second in texts) else "sentence"
    vocabulary = GrammarVocabulary.count(
        (side for text in texts for side in text), limit=settings.words, at_least=settings.at_least
    )
    if len(vocabulary) < 3:
        raise DataError(
            f"A grammar needs at least two words that occur {settings.at_least} times in the texts. Got "
            f"{len(vocabulary) - 1} in {len(texts)} texts. Use more texts, or include rarer words (at_least=1)."
        )
    pairs = word_ids(texts, vocabulary, kind), word_ids(validation, vocabulary, kind)
    training = _Induction(kind, vocabulary, pairs, settings, checkpoint)
    training.run(progress)
    return Grammar(training.model, vocabulary, trained=training.record())


class _Induction:
    """One training: the model, the optimizer, and the state."""

    def __init__(
        self,
        kind: str,
        vocabulary: GrammarVocabulary,
        pairs: tuple[list[Pair], list[Pair]],
        settings: InduceSettings,
        checkpoint: Path | None,
    ) -> None:
        self.settings, self.pairs, self.validation = settings, *pairs
        self.epochs = settings.epochs or (10 if kind == "pair" else 40)
        self.device = torch.device(settings.device)
        limits = TRAINING[self.device.type]
        self.limits = replace(limits, size=settings.batch or limits.size)
        torch.manual_seed(settings.seed)
        self.model: NeuralGrammar = GRAMMARS[kind](
            nonterminals=settings.nonterminals,
            preterminals=settings.preterminals,
            dimension=settings.dimension,
            words=len(vocabulary),
        ).to(self.device)
        on_gpu = self.device.type == "cuda"
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), lr=settings.learning_rate, fused=on_gpu, capturable=on_gpu
        )
        self.recorded = RecordedSteps(self.model, self.optimizer) if on_gpu else None
        self.at = _Position()
        self.best = float("inf")
        self.history: list[dict[str, float]] = []
        self.best_weights = self._weights()
        self.checkpoint = _Checkpoint(checkpoint, self) if checkpoint else None
        if self.checkpoint:
            self.checkpoint.read()

    def run(self, progress: Callable[[InduceProgress], None] | None) -> None:
        while self.at.epoch < self.epochs and self.at.waited < self.settings.patience:
            self._epoch(progress)
            self.at.epoch, self.at.step = self.at.epoch + 1, 0
            if self.checkpoint:
                self.checkpoint.write()
        self.model.load_state_dict(self.best_weights)

    def _epoch(self, progress: Callable[[InduceProgress], None] | None) -> None:
        """All remaining batches of this epoch; the same seed gives the same batches."""
        steps = batches(
            self.pairs, self.limits, rng=np.random.default_rng([self.settings.seed, self.at.epoch])
        )
        done = sum(len(batch.rows) for batch in steps[: self.at.step])
        nats, words = torch.zeros((), device=self.device), 0
        reported = written = time.monotonic()
        for batch in steps[self.at.step :]:
            nats += self._step(batch)
            words += int(batch.lengths.sum())
            done += len(batch.rows)
            self.at.since += len(batch.rows)
            self.at.step += 1
            is_last = done == len(self.pairs)
            if self.at.since >= self.settings.check or is_last:
                self._check()
                self.at.since = 0
            now = time.monotonic()
            if progress and (is_last or now - reported > _REPORT_SECONDS):
                reported = now
                held_out = self.history[-1]["held_out"] if self.history else None
                texts, per_word = len(self.pairs), float(nats) / words
                progress(InduceProgress(self.at.epoch + 1, self.epochs, done, texts, per_word, held_out))
            if self.checkpoint and not is_last and now - written > _CHECKPOINT_SECONDS:
                self.checkpoint.write()
                written = now
            if self.at.waited >= self.settings.patience:
                return

    def _step(self, batch: PairBatch) -> torch.Tensor:
        if self.recorded:
            return self.recorded.step(batch)
        return improve(self.model, self.optimizer, log_probabilities(self.model, batch))

    def _check(self) -> None:
        """Measure the held-out texts, and keep the weights if they are the best so far."""
        with torch.no_grad():
            nats = sum(
                float(-log_probabilities(self.model, batch).sum())
                for batch in batches(self.validation, self.limits)
            )
        held_out = nats / sum(len(first) + len(second) for first, second in self.validation)
        if not math.isfinite(held_out):
            raise TrainingError(
                f"The likelihood of the held-out texts became {held_out} in epoch {self.at.epoch + 1}: the training diverged. "
                f"Try a smaller learning rate than {self.settings.learning_rate}."
            )
        self.history.append({"epoch": self.at.epoch + 1, "held_out": held_out})
        if held_out < self.best:
            self.best, self.at.waited, self.best_weights = held_out, 0, self._weights()
        else:
            self.at.waited += 1

    def _weights(self) -> dict[str, torch.Tensor]:
        return {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}

    def record(self) -> TrainingRecord:
        return TrainingRecord(
            asdict(self.settings),
            len(self.pairs),
            len(self.validation),
            self.at.epoch,
            self.best,
            self.history,
        )


class _Checkpoint:
    """The state of a training on disk: weights, the best ones, Adam's moments, and the position, written last."""

    def __init__(self, folder: Path, training: _Induction) -> None:
        self.folder, self.training = folder, training

    def _identity(self) -> dict[str, object]:
        settings = asdict(self.training.settings)
        return {
            "settings": {key: settings[key] for key in settings if key not in ("epochs", "device")},
            "texts": _digest(self.training.pairs),
            "held_out": _digest(self.training.validation),
        }

    def write(self) -> None:
        from safetensors.torch import save_file

        self.folder.mkdir(parents=True, exist_ok=True)
        training = self.training
        tensors = {f"now.{name}": tensor for name, tensor in training.model.state_dict().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in training.best_weights.items()}
        for name, weight in training.model.named_parameters():
            state = training.optimizer.state[weight]
            tensors |= {f"adam.{key}.{name}": torch.as_tensor(value) for key, value in state.items()}
        name = f"epoch-{training.at.epoch}-{training.at.step}.safetensors"
        part = self.folder / (name + ".part")
        save_file({key: tensor.cpu().contiguous() for key, tensor in tensors.items()}, part)
        part.replace(self.folder / name)
        state = self._identity() | {
            "tensors": name,
            "history": training.history,
            "best": training.best if training.history else None,
            "batches": asdict(training.limits),
            **asdict(training.at),
        }
        (self.folder / f"{_STATE}.part").write_text(json.dumps(state), encoding="utf-8")
        (self.folder / f"{_STATE}.part").replace(self.folder / _STATE)
        for old in self.folder.glob("epoch-*.safetensors"):
            if old.name != name:
                old.unlink()

    def read(self) -> None:
        """Resume from the checkpoint; one of other texts or settings is ignored, and overwritten later."""
        from safetensors.torch import load_file

        try:
            state = json.loads((self.folder / _STATE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        if any(state.get(key) != value for key, value in self._identity().items()):
            return
        training = self.training
        tensors = load_file(self.folder / state["tensors"], device=str(training.device))

        def under(prefix: str) -> dict[str, torch.Tensor]:
            return {key[len(prefix) :]: tensor for key, tensor in tensors.items() if key.startswith(prefix)}

        training.model.load_state_dict(under("now."))
        training.best_weights = under("best.")
        for name, weight in training.model.named_parameters():
            moments = {
                key: tensors[f"adam.{key}.{name}"]
                for key in ("step", "exp_avg", "exp_avg_sq")
                if f"adam.{key}.{name}" in tensors
            }
            if moments:
                training.optimizer.state[weight] = moments
        training.history = state["history"]
        if training.history:
            training.best = state["best"]
        training.at = _Position(state["epoch"], state["step"], state["since"], state["waited"])
        if state["batches"] != asdict(training.limits):  # another device: this epoch's batches differ
            training.at.step = 0


def _digest(pairs: list[Pair]) -> str:
    return hashlib.sha256(repr(pairs).encode()).hexdigest()[:16]
