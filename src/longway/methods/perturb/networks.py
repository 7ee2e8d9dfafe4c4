"""The network of a neural perturber: an encoder-decoder (BART, T5) or a causal model. Needs torch.

    load_network("facebook/perturber")      a name on the Hugging Face hub, or a folder
    network.read(source)                    the tokens that it reads
    network.text_of(tokens)                 the text of the tokens that it wrote

An encoder-decoder reads the source and writes the target. A causal model reads the source and a second mark, and continues:

    her gender:man <PERT_SEP> Ann lost her hat. <PERT_SEP> Al lost his hat.

Weights are read from safetensors only: other files can run code. Code that comes with a model is never run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longway.errors import MissingExtra, SettingError
from longway.methods.perturb.segments import PERT_SEP

MOST_TOKENS = 1024  # of one sequence, if the model itself sets no limit


@dataclass(frozen=True, slots=True)
class Network:
    """A model with its tokenizer on a device."""

    model: Any
    tokenizer: Any
    device: Any

    @property
    def is_causal(self) -> bool:
        """Whether it continues the source instead of reading it with an encoder."""
        return not self.model.config.is_encoder_decoder

    @property
    def longest(self) -> int:
        """The number of tokens that it reads at once."""
        values = self.model.config.to_dict()
        limits = [values.get(name) for name in ("max_position_embeddings", "n_positions")]
        return min([MOST_TOKENS, *(int(limit) for limit in limits if limit)])

    def read(self, source: str) -> list[int]:
        """The tokens that it reads for a source."""
        if not self.is_causal:
            return list(self.tokenizer(source)["input_ids"])
        tokens: list[int] = list(self.tokenizer(f"{source} {PERT_SEP}")["input_ids"])
        return tokens[:-1] if tokens and tokens[-1] == self.tokenizer.eos_token_id else tokens

    def padded(self, rows: Sequence[list[int]], *, in_front: bool = False) -> tuple[Any, Any]:
        """Rows of tokens padded to one length, at the end or in front, and the mask of their own tokens."""
        width, pad = max(map(len, rows)), self.tokenizer.pad_token_id
        tokens, mask = [], []
        for row in rows:
            padding, zeros = [pad] * (width - len(row)), [0] * (width - len(row))
            tokens.append(padding + row if in_front else row + padding)
            mask.append(zeros + [1] * len(row) if in_front else [1] * len(row) + zeros)
        return self._tensor(tokens), self._tensor(mask)

    def text_of(self, tokens: Sequence[int]) -> str:
        """The text of some tokens, without those that begin, end and pad a sequence; the marks stay."""
        tokenizer = self.tokenizer
        special = {tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id}
        special.add(self.model.generation_config.decoder_start_token_id)
        kept = [token for token in tokens if token not in special]
        text: str = tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def _tensor(self, rows: list[list[int]]) -> Any:
        import torch

        return torch.tensor(rows, device=self.device)


def need_torch(purpose: str) -> None:
    """Raise MissingExtra if torch or transformers is not installed."""
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise MissingExtra(package, extra="neural", purpose=purpose)


def load_network(name: str, *, device: str = "auto") -> Network:
    """The network in a folder, or of a name on the Hugging Face hub."""
    need_torch(f"The perturber {name!r}")
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    from longway.models.network_training import device_named
    from longway.models.pretrained import read_config, read_model

    where = device_named(device)
    _check_folder(name)
    what = f"The model {name!r}", "name the folder"
    is_seq2seq = read_config(name, *what).is_encoder_decoder
    auto: Any = AutoModelForSeq2SeqLM if is_seq2seq else AutoModelForCausalLM
    model, tokenizer, _ = read_model(auto, name, *what)
    if tokenizer.eos_token_id is None:
        raise SettingError(
            "The model's tokenizer has no token for the end of a text, and without one it would never stop writing. "
            "Choose another base."
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return Network(model.to(where), tokenizer, where)


def _check_folder(name: str) -> None:
    """Raise SettingError for a folder whose weights are in a form that can run code."""
    folder = Path(name)
    if not folder.is_dir() or list(folder.glob("*.safetensors")):
        return
    if pickles := sorted(path.name for path in (*folder.glob("*.bin"), *folder.glob("*.pt"))):
        raise SettingError(
            f"{folder} holds its weights as {pickles[0]}, a pickle, which can run code when it is read. "
            "Expected model.safetensors. Convert it once, on a machine where that is safe (AutoModelForCausalLM for a causal model): "
            'python -c "from transformers import AutoModelForSeq2SeqLM as M; '
            f"M.from_pretrained('{folder}').save_pretrained('{folder}')\""
        )
