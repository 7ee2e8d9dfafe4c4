"""Trains a network on any objective: batches, gradient steps, early stopping. For models that need torch.

    rows  ->  batches  ->  logits = network(batch)  ->  loss, slope = objective(rows, logits)  ->  logits.backward(slope)  ->  AdamW

The network's best state on the validation rows is what stays. A batch that does not fit into the GPU's memory is cut in halves whose
slopes are added up, so that a step stays the same step.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from longway.classify.classifier import Epoch, Watch, softmax
from longway.classify.objectives import Objective
from longway.classify.softmax_regression import loss_and_accuracy
from longway.classify.validation import Best, not_a_number
from longway.errors import SettingError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
State = dict[str, Tensor]
LogitsOf = Callable[[Ints], Tensor]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train.

    patience: epochs without a better validation result before it stops.
    warm_up: share of the steps in which the learning rate grows, before it falls to 0; None keeps it as it is.
    """

    epochs: int
    batch: int
    learning_rate: float
    patience: int = 3
    warm_up: float | None = None
    weight_decay: float = 0.01
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """What to train on.

    rows: numbers of the training rows, as the objective counts them. lengths: of all rows, so that those of like length go together.
    logits_of: the network on some rows, ready for a backward pass. validated: logits and targets of the validation rows.
    """

    objective: Objective
    rows: Ints
    lengths: Sequence[int]
    logits_of: LogitsOf
    validated: Callable[[], tuple[Floats, Ints]]


def train(network: nn.Module, task: Task, plan: Plan, *, watch: Watch | None = None) -> None:
    """Train a network in place; it ends in its best state."""
    _Training(network, task, plan).run(watch)


def device_named(device: str) -> torch.device:
    """The device to compute on; auto is the GPU where there is one."""
    if device == "cuda" and not torch.cuda.is_available():
        raise SettingError(
            "'device' is cuda, but torch sees no GPU here. Choose auto or cpu, or install torch for CUDA."
        )
    return torch.device("cuda" if device != "cpu" and torch.cuda.is_available() else "cpu")


def batches_by_length(lengths: Sequence[int], batch: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Places of `lengths` in batches: of like length, and yet in a new order each time.

    Rows are shuffled, sorted by length within stretches of 50 batches, cut, and the batches shuffled.
    """
    order = rng.permutation(len(lengths))
    size = np.asarray(lengths)
    cut = []
    for start in range(0, len(order), 50 * batch):
        stretch = order[start : start + 50 * batch]
        stretch = stretch[np.argsort(size[stretch], kind="stable")]
        cut += [stretch[i : i + batch] for i in range(0, len(stretch), batch)]
    for i in rng.permutation(len(cut)):
        yield cut[i]


class _Training:
    """One training: what changes while it runs."""

    def __init__(self, network: nn.Module, task: Task, plan: Plan) -> None:
        self.network, self.task, self.plan = network, task, plan
        self.trained = {name: p for name, p in network.named_parameters() if p.requires_grad}
        self.optimizer = torch.optim.AdamW(
            self.trained.values(), lr=plan.learning_rate, weight_decay=plan.weight_decay
        )
        self.steps = plan.epochs * -(-len(task.rows) // plan.batch)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._pace)
        self.piece = plan.batch  # rows that go through the network together
        self.gold: Floats = np.zeros(0)

    def run(self, watch: Watch | None) -> None:
        rng = np.random.default_rng(self.plan.seed)
        best: Best[State] = Best()
        for number in range(1, self.plan.epochs + 1):
            loss = self._epoch(rng)
            logits, targets = self.task.validated()
            validation_loss = accuracy = float("nan")
            if len(targets):
                validation_loss, accuracy = loss_and_accuracy(logits, targets)
                best.offer(accuracy, validation_loss, self._state)
            if watch is not None:
                watch(Epoch(number, self.plan.epochs, loss, validation_loss, accuracy, self.gold))
            if best.since >= self.plan.patience:
                break
        if best.kept is not None:
            self.network.load_state_dict(best.kept, strict=False)

    def _epoch(self, rng: np.random.Generator) -> float:
        self.network.train()
        self.gold = np.full(len(self.task.objective.targets), np.nan)
        total = 0.0
        lengths = [self.task.lengths[row] for row in self.task.rows]
        for places in batches_by_length(lengths, self.plan.batch, rng):
            rows = self.task.rows[places]
            total += self._step(rows) * len(rows)
        return total / len(self.task.rows)

    def _step(self, rows: Ints) -> float:
        loss = self._slopes(rows)
        if not np.isfinite(loss):
            raise not_a_number(
                f"The learning rate was {self.plan.learning_rate:g}: try a lower one, such as {self.plan.learning_rate / 3:.0e}."
            )
        nn.utils.clip_grad_norm_(list(self.trained.values()), 1.0)
        self.optimizer.step()
        self.schedule.step()
        return loss

    def _slopes(self, rows: Ints) -> float:
        """The mean loss of the rows, their slopes left in the network; smaller pieces where they do not fit."""
        while True:
            try:
                self.optimizer.zero_grad()
                pieces = [rows[i : i + self.piece] for i in range(0, len(rows), self.piece)]
                return sum(self._backward(piece, len(piece) / len(rows)) for piece in pieces)
            except torch.OutOfMemoryError:
                if self.piece == 1:
                    raise SettingError(
                        "One row alone does not fit into the GPU's memory. Lower 'max_tokens', or choose a smaller encoder."
                    ) from None
                self._halve()

    def _halve(self) -> None:
        if self.piece == self.plan.batch:
            warnings.warn(
                f"{self.piece} rows at a time do not fit into the GPU's memory. Going on with fewer, their slopes added up: "
                "the result is that of the same batch size.",
                stacklevel=6,
            )
        self.piece = max(1, self.piece // 2)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _backward(self, rows: Ints, share: float) -> float:
        logits = self.task.logits_of(rows)
        seen: Floats = logits.detach().cpu().double().numpy()
        loss, slope = self.task.objective(rows, seen)
        self.gold[rows] = softmax(seen)[np.arange(len(rows)), self.task.objective.targets[rows]]
        if np.isfinite(loss):
            logits.backward(gradient=torch.from_numpy(slope * share).to(logits))  # type: ignore[no-untyped-call]
        return loss * share

    def _state(self) -> State:
        return {name: p.detach().clone() for name, p in self.trained.items()}

    def _pace(self, step: int) -> float:
        if self.plan.warm_up is None:
            return 1.0
        warm = max(1, round(self.plan.warm_up * self.steps))
        return min((step + 1) / warm, max(0.0, (self.steps - step) / max(1, self.steps - warm)))


def arrays_of(parameters: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Tensors as arrays, to be saved."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in parameters.items()}
