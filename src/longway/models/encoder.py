"""Fine-tuned pretrained encoders: all weights, or low-rank matrices beside some of them (LoRA). Needs torch.

    text, or context and text together  ->  encoder  ->  mean over tokens  ->  linear head  ->  probabilities

LoRA (Hu et al. 2022) keeps a weight W and learns W + (alpha / r) B A with low-rank B and A, here on the queries and values of
attention.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from longway.errors import MissingExtra, SettingError
from longway.models.classifier import Inputs, Ints, by_length
from longway.models.network_training import NetworkClassifier
from longway.models.pretrained import TOKENS_A_BATCH, Pretrained, Read, mean_state

# Names of queries and values in different architectures; the first line that is complete is used.
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
LEARNING_RATE = {"full": 3e-5, "lora": 5e-4}  # LoRA matrices start at zero and need larger steps
EPOCHS = {"full": 3, "lora": 6}


@dataclass(eq=False)
class Encoder(NetworkClassifier[Read]):
    """A pretrained encoder with a linear head.

    encoder: "minilm", a name on the Hugging Face hub, or a folder. tuning: lora or full.
    learning_rate, epochs: default 3e-5 and 3 for full, 5e-4 and 6 for LoRA. max_tokens: per row, the rest is cut.
    patience: validations without a better result before training stops: one after each epoch, and with `check` one after so many steps.
    warm_up: share of the steps in which the learning rate rises before it falls; None keeps it constant.
    """

    name: ClassVar[str] = "encoder"

    encoder: str = "minilm"
    _: KW_ONLY
    tuning: str = "lora"
    learning_rate: float | None = None
    epochs: int | None = None
    batch: int = 16
    max_tokens: int = 512
    rank: int = 8
    alpha: int = 16
    patience: int = 2
    check: int | None = None
    warm_up: float | None = 0.1
    weight_decay: float = 0.01
    device: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.learning_rate is None:
            self.learning_rate = LEARNING_RATE[self.tuning]
        if self.epochs is None:
            self.epochs = EPOCHS[self.tuning]

    def _build(self) -> None:
        base = Pretrained.load(self.encoder, device=self.device)
        if self.tuning == "lora":
            base.model = with_lora(base.model, rank=self.rank, alpha=self.alpha)
        self.network_: EncoderNetwork = EncoderNetwork(base, len(self.labels_)).to(base.device)

    def _base(self) -> tuple[str, str]:
        return self.encoder, self.network_.base.base_hash

    def _read(self, inputs: Inputs) -> Read:
        return self.network_.base.read(inputs.texts, inputs.contexts, max_tokens=self.max_tokens)

    def _lengths(self, read: Read) -> list[int]:
        return [len(row["input_ids"]) for row in read]

    def _batches(self, read: Read) -> Iterator[Ints]:
        return by_length(self._lengths(read), size=TOKENS_A_BATCH)

    def _forward(self, read: Read, rows: Ints) -> Tensor:
        logits: Tensor = self.network_([read[i] for i in rows])
        return logits


class EncoderNetwork(nn.Module):
    """The encoder and its head; on a GPU the encoder computes in 16 bits."""

    def __init__(self, base: Pretrained, n_labels: int) -> None:
        super().__init__()
        self.base = base
        self.encoder = base.model
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(base.width, n_labels)

    def forward(self, rows: Read) -> Tensor:
        """The logits of some rows."""
        batch = self.base.batch(rows)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.base.device.type == "cuda"):
            pooled = mean_state(self.encoder, batch)
        logits: Tensor = self.head(self.dropout(pooled.float()))
        return logits


def with_lora(model: nn.Module, *, rank: int, alpha: int) -> Any:
    """The model with low-rank matrices beside its attention's queries and values; only these are trained."""
    if find_spec("peft") is None:
        raise MissingExtra("peft", extra="neural", purpose="training with LoRA")
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=rank, lora_alpha=alpha, lora_dropout=0.1, bias="none", target_modules=list(attention_names(model))
    )
    return get_peft_model(model, config)


def attention_names(model: nn.Module) -> Sequence[str]:
    """The names of the queries and values of a model's attention."""
    parameters = (name for name, _ in model.named_parameters(remove_duplicate=False))
    present = {
        name.removesuffix(".weight").rpartition(".")[2] for name in parameters if name.endswith(".weight")
    }
    for names in ATTENTION:
        if present.issuperset(names):
            return names
    raise SettingError(
        f"LoRA found no queries and values in {type(model).__name__}: none of {', '.join('/'.join(n) for n in ATTENTION)}. "
        "Choose -full or -frozen for this encoder."
    )
