"""A pretrained encoder, trained further: all of its weights, or thin matrices beside some of them (LoRA). Needs torch.

    text, or context and text together  ->  encoder  ->  mean over tokens  ->  linear head  ->  probabilities

LoRA (Hu et al. 2022) leaves a weight W as it is and learns W + (alpha / r) B A with thin B and A, here on the queries and values of
attention.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from longway.classify.batches import by_length
from longway.classify.classifier import (
    Floats,
    FromLogits,
    Inputs,
    Labelled,
    Watch,
    label_names,
    read_about,
    targets_of,
    write_about,
)
from longway.classify.objectives import CrossEntropy, Objective
from longway.classify.pretrained import TOKENS_A_BATCH, Pretrained, Read, mean_state
from longway.classify.saved import check_base, check_kind, load_arrays, save_arrays
from longway.classify.training import Plan, Task, arrays_of, train
from longway.classify.validation import parts
from longway.errors import MissingExtra, SettingError

# What architectures call queries and values; the first line whose names are all there is taken.
ATTENTION = (
    ("query", "value"),
    ("q_lin", "v_lin"),
    ("q_proj", "v_proj"),
    ("query_proj", "value_proj"),
    ("Wqkv",),
    ("query_key_value",),
    ("in_proj",),
    ("c_attn",),
    ("q", "v"),
)
LEARNING_RATE = {"full": 3e-5, "lora": 5e-4}  # thin matrices start at nothing and need larger steps
EPOCHS = {"full": 3, "lora": 6}


class Encoder(FromLogits):
    """A pretrained encoder with a linear head.

    encoder: "minilm", a name on the Hugging Face hub, or a folder. tuning: lora or full.
    learning_rate, epochs: 3e-5 and 3 for full, 5e-4 and 6 for LoRA where not given. max_tokens: of a row, the rest is cut.
    patience: epochs without a better validation result before it stops.
    """

    name: ClassVar[str] = "encoder"

    def __init__(
        self,
        encoder: str = "minilm",
        *,
        tuning: str = "lora",
        learning_rate: float | None = None,
        epochs: int | None = None,
        batch: int = 16,
        max_tokens: int = 512,
        rank: int = 8,
        alpha: int = 16,
        patience: int = 2,
        device: str = "auto",
        seed: int = 0,
    ) -> None:
        if tuning not in EPOCHS:
            raise SettingError(
                f"'tuning' must be lora or full. Got {tuning!r}. For frozen weights use `Frozen`."
            )
        self.encoder, self.tuning = encoder, tuning
        self.learning_rate = LEARNING_RATE[tuning] if learning_rate is None else learning_rate
        self.epochs = EPOCHS[tuning] if epochs is None else epochs
        self.batch, self.max_tokens = batch, max_tokens
        self.rank, self.alpha = rank, alpha
        self.patience, self.device, self.seed = patience, device, seed

    def fit(
        self,
        data: Labelled,
        *,
        objective: Objective | None = None,
        validation: Labelled | None = None,
        watch: Watch | None = None,
    ) -> Self:
        """Learn, and keep the state that was best on the validation rows: a tenth of the rows where none are given."""
        self.labels_ = label_names(data.labels)
        targets = targets_of(data.labels, self.labels_)
        self.pairs_ = data.inputs.contexts is not None
        rows, stop = parts(data, targets, validation, seed=self.seed)
        stop_targets = targets_of(stop.labels, self.labels_)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(self.seed)
            self._build()
            read, stop_read = self._read(data.inputs), self._read(stop.inputs)
            task = Task(
                objective or CrossEntropy(targets),
                rows,
                [len(row["input_ids"]) for row in read],
                lambda some: self.network_([read[i] for i in some]),
                lambda: (self._logits(stop_read), stop_targets),
            )
            train(self.network_, task, self._plan(), watch=watch)
        return self

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): what softmax makes probabilities of."""
        return self._logits(self._read(inputs))

    def save(self, folder: Path) -> None:
        """Write what was trained, and which encoder it is for."""
        trained = {name: p for name, p in self.network_.named_parameters() if p.requires_grad}
        save_arrays(folder, arrays_of(trained))
        names = (
            "encoder", "tuning", "learning_rate", "epochs", "batch", "max_tokens", "rank", "alpha", "patience", "seed",
        )  # fmt: skip
        settings = {name: getattr(self, name) for name in names}
        about = {"model": self.name, "labels": self.labels_, "pairs": self.pairs_, "settings": settings}
        write_about(folder, about | {"base_hash": self.network_.base.base_hash})

    @classmethod
    def load(cls, folder: Path, *, device: str = "auto") -> Self:
        """The classifier that was saved there; an error where its encoder is another one now."""
        about, arrays = read_about(folder), load_arrays(folder)
        found = cls(**about["settings"], device=device)
        found.labels_, found.pairs_ = tuple(about["labels"]), about["pairs"]
        found._build()
        check_base(found.encoder, about["base_hash"], found.network_.base.base_hash)
        state = {name: torch.from_numpy(array) for name, array in arrays.items()}
        found.network_.load_state_dict(state, strict=False)
        return found

    def _build(self) -> None:
        base = Pretrained.load(self.encoder, device=self.device)
        if self.tuning == "lora":
            base.model = with_lora(base.model, rank=self.rank, alpha=self.alpha)
        self.network_ = _Network(base, len(self.labels_)).to(base.device)

    def _plan(self) -> Plan:
        return Plan(
            self.epochs,
            self.batch,
            self.learning_rate,
            patience=self.patience,
            warm_up=0.1,
            seed=self.seed,
        )

    def _read(self, inputs: Inputs) -> Read:
        check_kind(inputs, pairs=self.pairs_)
        return self.network_.base.read(inputs.texts, inputs.contexts, max_tokens=self.max_tokens)

    def _logits(self, read: Read) -> Floats:
        found = np.zeros((len(read), len(self.labels_)))
        self.network_.eval()
        with torch.inference_mode():
            for places in by_length([len(row["input_ids"]) for row in read], size=TOKENS_A_BATCH):
                found[places] = self.network_([read[i] for i in places]).cpu().double().numpy()
        return found


class _Network(nn.Module):
    """The encoder and its head; on a GPU the encoder computes in 16 bits."""

    def __init__(self, base: Pretrained, n_labels: int) -> None:
        super().__init__()
        self.base = base
        self.encoder = base.model
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(base.width, n_labels)

    def forward(self, rows: Read) -> Tensor:
        batch = self.base.batch(rows)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.base.device.type == "cuda"):
            pooled = mean_state(self.encoder, batch)
        logits: Tensor = self.head(self.dropout(pooled.float()))
        return logits


def with_lora(model: nn.Module, *, rank: int, alpha: int) -> Any:
    """The model with thin matrices beside its attention's queries and values; they alone are trained."""
    if find_spec("peft") is None:
        raise MissingExtra("peft", extra="neural", purpose="training with LoRA")
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=rank, lora_alpha=alpha, lora_dropout=0.1, bias="none", target_modules=list(attention_names(model))
    )
    return get_peft_model(model, config)


def attention_names(model: nn.Module) -> Sequence[str]:
    """What a model calls the queries and values of its attention."""
    there = {name.rpartition(".")[2] for name, part in model.named_modules() if hasattr(part, "weight")}
    for names in ATTENTION:
        if there.issuperset(names):
            return names
    raise SettingError(
        f"LoRA found no queries and values in {type(model).__name__}: none of {', '.join('/'.join(n) for n in ATTENTION)}. "
        "Choose -full or -frozen for this encoder."
    )
