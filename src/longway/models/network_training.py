"""Training of networks on any objective, with early stopping; the base class of classifiers that need torch.

    rows  ->  batches  ->  logits = network(batch)  ->  loss, slope = objective(rows, logits)  ->  logits.backward(slope)  ->  AdamW

The network ends in its best state on the validation rows. A batch that does not fit into GPU memory is split, and the
gradients of its parts are summed, so the step stays the same.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from longway.errors import SettingError
from longway.models.classifier import (
    Classifier,
    FitData,
    Floats,
    Inputs,
    Ints,
    check_kind,
    targets_of,
)
from longway.models.objectives import Best, Objective, held_out, loss_and_accuracy, not_a_number
from longway.models.saved import SavedModel, check_base, load_arrays, save_arrays, settings_of

State = dict[str, Tensor]
R = TypeVar("R")  # rows as a classifier reads them


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """How to train.

    patience: validations without a better result before training stops. check: steps between two validations, counted over all epochs;
    the end of each epoch is validated, too, and with None nothing else.
    warm_up: share of the steps in which the learning rate rises, before it falls to 0; None keeps it constant.
    """

    epochs: int
    batch: int
    learning_rate: float
    patience: int = 3
    check: int | None = None
    warm_up: float | None = None
    weight_decay: float = 0.01
    seed: int = 0

    @classmethod
    def of(cls, model: object) -> Self:
        """The settings of a classifier that have the names of these fields."""
        return cls(**{one.name: getattr(model, one.name) for one in fields(cls) if hasattr(model, one.name)})


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """What to train on.

    rows: indices of the training rows, as the objective counts them. lengths: of all rows, to batch similar lengths together.
    logits_of: the network's output for some rows, ready for a backward pass. validated: logits and targets of the validation rows.
    """

    objective: Objective
    rows: Ints
    lengths: Sequence[int]
    logits_of: Callable[[Ints], Tensor]
    validated: Callable[[], tuple[Floats, Ints]]


class NetworkClassifier(Classifier, Generic[R]):
    """Base class of classifiers with a network. `_read` turns rows into what the network takes, `_forward` applies it."""

    name: ClassVar[str]
    device: str
    seed: int
    network_: nn.Module
    pairs_: bool

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): unnormalized log-probabilities."""
        return self._logits(self._checked(inputs))

    def save(self, folder: Path) -> None:
        """Write the trained weights, and the hash of the pretrained files they are for."""
        save_arrays(folder, {name: p.detach().cpu().numpy() for name, p in self._trained().items()})
        about = SavedModel(self.name, self.labels_, self.pairs_, settings_of(self), self._base()[1])
        about.write(folder)

    @classmethod
    def load(cls, folder: Path, *, device: str = "auto") -> Self:
        """Read the classifier saved there. Raises SettingError if its pretrained files have changed."""
        about, arrays = SavedModel.read(folder), load_arrays(folder)
        model = cls(**{**(about.settings or {}), "device": device})
        model.labels_, model.pairs_ = about.labels, bool(about.pairs)
        model._build()
        name, base_hash = model._base()
        check_base(name, about.base_hash, base_hash)
        state = {name: torch.from_numpy(array) for name, array in arrays.items()}
        if differ := sorted(state.keys() ^ model._trained().keys()):
            raise SettingError(
                f"The weights in {folder} do not fit the classifier: {differ[0]} is missing or unknown. Train it again."
            )
        model.network_.load_state_dict(state, strict=False)
        return model

    @abstractmethod
    def _build(self) -> None:
        """Set `network_`, with fresh weights."""

    @abstractmethod
    def _base(self) -> tuple[str, str]:
        """Name and hash of the pretrained files the network is built on."""

    @abstractmethod
    def _read(self, inputs: Inputs) -> R:
        """Rows as the network takes them."""

    @abstractmethod
    def _lengths(self, read: R) -> list[int]:
        """The length of each row."""

    @abstractmethod
    def _batches(self, read: R) -> Iterator[Ints]:
        """Row indices in batches for inference."""

    @abstractmethod
    def _forward(self, read: R, rows: Ints) -> Tensor:
        """The network's logits of some rows."""

    def _fit(self, given: FitData) -> None:
        """Train, and keep the best state on the validation rows: a tenth of the rows if none are given."""
        self.pairs_ = given.is_pairs
        targets = targets_of(given.data.labels, self.labels_)
        rows, stop = np.arange(len(targets)), given.validation
        if stop is None:
            rows, stopping = held_out(targets, seed=self.seed)
            stop = given.data.take(stopping)
        stop_targets = targets_of(stop.labels, self.labels_)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(self.seed)
            self._build()
            read, stop_read = self._checked(given.data.inputs), self._checked(stop.inputs)
            task = TrainingTask(
                given.objective,
                rows,
                self._lengths(read),
                lambda batch: self._forward(read, batch),
                lambda: (self._logits(stop_read), stop_targets),
            )
            NetworkTraining(self.network_, task, NetworkPlan.of(self)).run()

    def _checked(self, inputs: Inputs) -> R:
        check_kind(inputs, pairs=self.pairs_)
        return self._read(inputs)

    def _logits(self, read: R) -> Floats:
        logits = np.zeros((len(self._lengths(read)), len(self.labels_)))
        self.network_.eval()
        with torch.inference_mode():
            for rows in self._batches(read):
                logits[rows] = self._forward(read, rows).cpu().double().numpy()
        return logits

    def _trained(self) -> State:
        return {name: p for name, p in self.network_.named_parameters() if p.requires_grad}


def device_named(device: str) -> torch.device:
    """The device to compute on; auto is the GPU if there is one."""
    if device == "cuda" and not torch.cuda.is_available():
        raise SettingError(
            "'device' is cuda, but torch sees no GPU here. Choose auto or cpu, or install torch for CUDA."
        )
    return torch.device("cuda" if device != "cpu" and torch.cuda.is_available() else "cpu")


def batches_by_length(lengths: Sequence[int], batch: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Indices of `lengths` in batches of similar length, in a new order each time.

    Rows are shuffled, sorted by length within chunks of 50 batches, split, and the batches shuffled.
    """
    order = rng.permutation(len(lengths))
    size = np.asarray(lengths)
    batches = []
    for start in range(0, len(order), 50 * batch):
        chunk = order[start : start + 50 * batch]
        chunk = chunk[np.argsort(size[chunk], kind="stable")]
        batches += [chunk[i : i + batch] for i in range(0, len(chunk), batch)]
    for i in rng.permutation(len(batches)):
        yield batches[i]


class NetworkTraining:
    """One training of a network, in place; it ends in its best state."""

    def __init__(self, network: nn.Module, task: TrainingTask, plan: NetworkPlan) -> None:
        self.network, self.task, self.plan = network, task, plan
        self.trained = {name: p for name, p in network.named_parameters() if p.requires_grad}
        self.optimizer = torch.optim.AdamW(
            self.trained.values(), lr=plan.learning_rate, weight_decay=plan.weight_decay
        )
        self.steps = plan.epochs * -(-len(task.rows) // plan.batch)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._rate)
        self.at_once = plan.batch  # rows that go through the network together
        self.n_steps = 0  # of all epochs so far
        self.best: Best[State] = Best()

    def run(self) -> None:
        """Train."""
        rng = np.random.default_rng(self.plan.seed)
        for _ in range(self.plan.epochs):
            self._epoch(rng)
            if not self._is_over():
                self._validate()
            if self._is_over():
                break
        if self.best.kept is not None:
            self.network.load_state_dict(self.best.kept, strict=False)

    def _epoch(self, rng: np.random.Generator) -> None:
        """All steps of an epoch, or those before the patience ends."""
        self.network.train()
        lengths = [self.task.lengths[row] for row in self.task.rows]
        batches = list(batches_by_length(lengths, self.plan.batch, rng))
        for in_epoch, indices in enumerate(batches, 1):
            self._step(self.task.rows[indices])
            self.n_steps += 1
            is_due = self.plan.check is not None and self.n_steps % self.plan.check == 0
            if is_due and in_epoch < len(batches):
                self._validate()
                if self._is_over():
                    break
                self.network.train()

    def _validate(self) -> None:
        """Measure loss and accuracy on the validation rows, if there are any, and keep the weights if they are the best."""
        logits, targets = self.task.validated()
        if len(targets):
            loss, accuracy = loss_and_accuracy(logits, targets)
            self.best.offer(accuracy, loss, self._state)

    def _is_over(self) -> bool:
        return self.best.since >= self.plan.patience

    def _step(self, rows: Ints) -> None:
        loss = self._backward_in_parts(rows)
        if not np.isfinite(loss):
            rate = self.plan.learning_rate
            raise not_a_number(f"The learning rate was {rate:g}: try a lower one, such as {rate / 3:.0e}.")
        nn.utils.clip_grad_norm_(list(self.trained.values()), 1.0)
        self.optimizer.step()
        self.schedule.step()

    def _backward_in_parts(self, rows: Ints) -> float:
        """Compute gradients, in smaller parts if the rows do not fit into memory. Returns the mean loss."""
        while True:
            try:
                self.optimizer.zero_grad()
                parts = [rows[i : i + self.at_once] for i in range(0, len(rows), self.at_once)]
                return sum(self._backward(part, len(part) / len(rows)) for part in parts)
            except torch.OutOfMemoryError:
                if self.at_once == 1:
                    raise SettingError(
                        "One row alone does not fit into the GPU's memory. Lower 'max_tokens', or choose a smaller encoder."
                    ) from None
                self._halve()

    def _halve(self) -> None:
        if self.at_once == self.plan.batch:
            warnings.warn(
                f"{self.at_once} rows at a time do not fit into the GPU's memory. Continuing with fewer, and summing their "
                "gradients: the result is that of the same batch size.",
                stacklevel=7,
            )
        self.at_once = max(1, self.at_once // 2)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _backward(self, rows: Ints, share: float) -> float:
        logits = self.task.logits_of(rows)
        values: Floats = logits.detach().cpu().double().numpy()
        loss, slope = self.task.objective(rows, values)
        if np.isfinite(loss):
            logits.backward(gradient=torch.from_numpy(slope * share).to(logits))  # type: ignore[no-untyped-call]
        return loss * share

    def _state(self) -> State:
        return {name: p.detach().clone() for name, p in self.trained.items()}

    def _rate(self, step: int) -> float:
        """The factor of the learning rate at a step."""
        if self.plan.warm_up is None:
            return 1.0
        warm = max(1, round(self.plan.warm_up * self.steps))
        return min((step + 1) / warm, max(0.0, (self.steps - step) / max(1, self.steps - warm)))
