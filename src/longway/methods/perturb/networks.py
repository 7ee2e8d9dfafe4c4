"""The network behind a neural perturber: an encoder-decoder (BART, T5), or a causal model that goes on writing. Needs torch.

    load_network("facebook/perturber")      a name on the Hugging Face hub, or a folder
    network.pair(source, target)            tokens to read, and tokens to learn to write
    network.batch(examples)                 some of them, filled up to one length, on the device

An encoder-decoder reads the source and writes the target. A causal model reads the source and a second mark, and goes on:

    her gender:man <PERT_SEP> Ann lost her hat. <PERT_SEP> Al lost his hat.

Weights are read from safetensors only: other files can run code. No code that comes with a model is run either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longway.errors import MissingExtra, SettingError
from longway.methods.perturb.forms import MARKS
from longway.methods.perturb.segments import PERT_SEP

IGNORE = -100  # a place whose token is not learned
MOST_TOKENS = 1024  # of one sequence, where the model itself sets no limit


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a network reads, and what it is to write; of a causal one the source stands in both."""

    source: list[int]
    labels: list[int]

    def __len__(self) -> int:
        return max(len(self.source), len(self.labels))

    @property
    def n_learned(self) -> int:
        """Tokens that count for the loss."""
        return sum(label != IGNORE for label in self.labels)


@dataclass(frozen=True, slots=True)
class Network:
    """A model with its tokenizer on a device."""

    model: Any
    tokenizer: Any
    device: Any

    @property
    def is_causal(self) -> bool:
        """Whether it goes on writing after the source, instead of reading it with an encoder."""
        return not self.model.config.is_encoder_decoder

    @property
    def longest(self) -> int:
        """Tokens that it can read at once."""
        names = ("max_position_embeddings", "n_positions")
        limits = [getattr(self.model.config, name, None) for name in names]
        return min([MOST_TOKENS, *(int(limit) for limit in limits if limit)])

    def read(self, source: str) -> list[int]:
        """The tokens that it reads for a source."""
        if not self.is_causal:
            return list(self.tokenizer(source)["input_ids"])
        tokens: list[int] = list(self.tokenizer(f"{source} {PERT_SEP}")["input_ids"])
        return tokens[:-1] if tokens and tokens[-1] == self.tokenizer.eos_token_id else tokens

    def pair(self, source: str, target: str) -> Tokens:
        """The tokens of a source and of what is to be written for it."""
        read = self.read(source)
        if not self.is_causal:
            return Tokens(read, list(self.tokenizer(text_target=target)["input_ids"]))
        written = self.tokenizer(f" {target}", add_special_tokens=False)["input_ids"]
        written = [*written, self.tokenizer.eos_token_id]
        return Tokens([*read, *written], [IGNORE] * len(read) + written)

    def batch(self, examples: Sequence[Tokens]) -> dict[str, Any]:
        """Some examples as the model takes them."""
        read, mask = self.filled([example.source for example in examples])
        width = max(len(example.labels) for example in examples)
        labels = [example.labels + [IGNORE] * (width - len(example.labels)) for example in examples]
        return {"input_ids": read, "attention_mask": mask, "labels": self._tensor(labels)}

    def filled(self, rows: Sequence[list[int]], *, in_front: bool = False) -> tuple[Any, Any]:
        """Token rows filled up to one length, behind or in front, and where their own tokens are."""
        width, pad = max(map(len, rows)), self.tokenizer.pad_token_id
        tokens, places = [], []
        for row in rows:
            filling, none = [pad] * (width - len(row)), [0] * (width - len(row))
            tokens.append(filling + row if in_front else row + filling)
            places.append(none + [1] * len(row) if in_front else [1] * len(row) + none)
        return self._tensor(tokens), self._tensor(places)

    def text_of(self, tokens: Sequence[int]) -> str:
        """The text that tokens stand for, without what begins, ends and fills a sequence; the marks stay."""
        tokenizer = self.tokenizer
        around = {tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id}
        around.add(getattr(self.model.config, "decoder_start_token_id", None))
        kept = [token for token in tokens if token not in around]
        text: str = tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def _tensor(self, rows: list[list[int]]) -> Any:
        import torch

        return torch.tensor(rows, device=self.device)


def load_network(name: str, *, device: str = "auto", marks: bool = False) -> Network:
    """The network a folder or a name on the Hugging Face hub stands for.

    marks: whether the marks become tokens of its own, as for a base that is to be trained.
    """
    need_torch(f"The perturber {name!r}")
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    from longway.classify.network_training import device_named

    quiet()
    where = device_named(device)
    _check_folder(name)
    try:
        config = AutoConfig.from_pretrained(name, trust_remote_code=False)
        kind: Any = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
        tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=False)
        model = kind.from_pretrained(
            name, config=config, use_safetensors=True, trust_remote_code=False, dtype=torch.float32
        )
    except (OSError, ValueError, KeyError) as error:
        raise _unreadable(name, error) from None
    return prepared(model, tokenizer, where, marks=marks)


def prepared(model: Any, tokenizer: Any, device: Any, *, marks: bool) -> Network:
    """A model and its tokenizer made ready: something to fill up with, and the marks where they are wanted."""
    if tokenizer.eos_token_id is None:
        raise SettingError(
            "The model's tokenizer has no token for the end of a text, and without one it would never stop writing. "
            "Choose another base."
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if marks:
        tokenizer.add_tokens(list(MARKS), special_tokens=True)
        _make_room(model, len(tokenizer))
    return Network(model.to(device), tokenizer, device)


def _make_room(model: Any, n_tokens: int) -> None:
    """Give the model places for new tokens, which begin as the mean of the others; some models have room already."""
    n = model.get_input_embeddings().num_embeddings
    if n_tokens <= n:
        return
    model.resize_token_embeddings(n_tokens, mean_resizing=False)
    for layer in (model.get_input_embeddings(), model.get_output_embeddings()):
        layer.weight.data[n:] = layer.weight.data[:n].mean(dim=0)


def folder_of(name: str) -> Path:
    """The folder a model is read from: its own, or the hub's copy on this machine."""
    if Path(name).is_dir():
        return Path(name)
    from transformers.utils.hub import cached_file

    try:
        return Path(str(cached_file(name, "config.json"))).parent
    except OSError as error:
        raise _unreadable(name, error) from None


def quiet() -> None:
    """Take away the bars that show how weights are read and written; fetching them still shows one."""
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]


def need_torch(purpose: str) -> None:
    """MissingExtra where torch or transformers is not installed."""
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise MissingExtra(package, extra="neural", purpose=purpose)


def _check_folder(name: str) -> None:
    """An error of its own for a folder whose weights are there, but in a form that can run code."""
    folder = Path(name)
    if not folder.is_dir() or list(folder.glob("*.safetensors")):
        return
    if pickles := sorted(path.name for path in (*folder.glob("*.bin"), *folder.glob("*.pt"))):
        raise SettingError(
            f"{folder} holds its weights as {pickles[0]}, a pickle, which can run code when it is read. "
            "Expected model.safetensors. Convert it once, where that is no danger (AutoModelForCausalLM for a causal model): "
            'python -c "from transformers import AutoModelForSeq2SeqLM as M; '
            f"M.from_pretrained('{folder}').save_pretrained('{folder}')\""
        )


def _unreadable(name: str, error: Exception) -> SettingError:
    return SettingError(
        f"The model {name!r} cannot be read: {str(error).strip().splitlines()[0]} Expected a folder with config.json, "
        "model.safetensors and tokenizer files of an encoder-decoder or a causal model, or a name on the Hugging Face hub "
        "that this machine can reach and that has safetensors. Fetch it where there is a network "
        "(huggingface-cli download NAME --local-dir FOLDER) and name the folder."
    )
