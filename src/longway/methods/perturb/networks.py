"""The network of a neural perturber: an encoder-decoder (BART, T5) or a causal model. Needs torch.

    load_network("facebook/perturber")      a name on the Hugging Face hub, or a folder
    tiny_network(texts)                     a base to train that needs no download
    network.pair(source, target)            tokens to read, and tokens to learn to write
    network.batch(examples)                 several of them, padded to one length, on the device

An encoder-decoder reads the source and writes the target. A causal model reads the source and a second mark, and continues:

    her gender:man <PERT_SEP> Ann lost her hat. <PERT_SEP> Al lost his hat.

Weights are read from safetensors only: other files can run code. Code that comes with a model is never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longway.errors import MissingExtra, SettingError
from longway.methods.perturb.segments import MARKS, PERT_SEP

IGNORE = -100  # a token that is not learned
MOST_TOKENS = 1024  # of one sequence, if the model itself sets no limit
TINY = "tiny"
TINY_VOCABULARY = 8000  # tokens
_BEGIN, _PAD, _END = "<s>", "<pad>", "</s>"


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a network reads, and what it should write; for a causal network the source is in both."""

    source: list[int]
    labels: list[int]

    def __len__(self) -> int:
        return max(len(self.source), len(self.labels))

    @property
    def n_learned(self) -> int:
        """The number of tokens that count for the loss."""
        return sum(label != IGNORE for label in self.labels)


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

    def pair(self, source: str, target: str) -> Tokens:
        """The tokens of a source and of its target."""
        read = self.read(source)
        if not self.is_causal:
            return Tokens(read, list(self.tokenizer(text_target=target)["input_ids"]))
        written = self.tokenizer(f" {target}", add_special_tokens=False)["input_ids"]
        written = [*written, self.tokenizer.eos_token_id]
        return Tokens([*read, *written], [IGNORE] * len(read) + written)

    def batch(self, examples: Sequence[Tokens]) -> dict[str, Any]:
        """Several examples as the model takes them."""
        read, mask = self.padded([example.source for example in examples])
        width = max(len(example.labels) for example in examples)
        labels = [example.labels + [IGNORE] * (width - len(example.labels)) for example in examples]
        return {"input_ids": read, "attention_mask": mask, "labels": self._tensor(labels)}

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


def load_network(name: str, *, device: str = "auto", marks: bool = False) -> Network:
    """The network in a folder, or of a name on the Hugging Face hub.

    marks: whether to add the marks to its vocabulary, as for a base that is to be trained.
    """
    need_torch(f"The perturber {name!r}")
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    from longway.classify.network_training import device_named
    from longway.classify.pretrained import read_config, read_model

    where = device_named(device)
    _check_folder(name)
    what = f"The model {name!r}", "name the folder"
    is_seq2seq = read_config(name, *what).is_encoder_decoder
    auto: Any = AutoModelForSeq2SeqLM if is_seq2seq else AutoModelForCausalLM
    model, tokenizer, _ = read_model(auto, name, *what)
    return prepared(model, tokenizer, where, marks=marks)


def prepared(model: Any, tokenizer: Any, device: Any, *, marks: bool) -> Network:
    """A model and its tokenizer, with a padding token, and with the marks if wanted."""
    if tokenizer.eos_token_id is None:
        raise SettingError(
            "The model's tokenizer has no token for the end of a text, and without one it would never stop writing. "
            "Choose another base."
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if marks:
        tokenizer.add_tokens(list(MARKS), special_tokens=True)
        _add_embeddings(model, len(tokenizer))
    return Network(model.to(device), tokenizer, device)


def _add_embeddings(model: Any, n_tokens: int) -> None:
    """Give new tokens embeddings that start as the mean of the others; some models have room already."""
    n = model.get_input_embeddings().num_embeddings
    if n_tokens <= n:
        return
    model.resize_token_embeddings(n_tokens, mean_resizing=False)
    for layer in (model.get_input_embeddings(), model.get_output_embeddings()):
        layer.weight.data[n:] = layer.weight.data[:n].mean(dim=0)


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


def tiny_network(texts: Iterable[str], *, device: Any) -> Network:
    """A small encoder-decoder from scratch, with a tokenizer made from the texts: for trying out training.

    It is of BART's kind (Lewis et al. 2020) with two layers of width 64, about 250,000 weights. It learns to copy and to exchange
    the words it has seen exchanged: enough for sentences of one pattern, not for English.
    """
    from transformers import BartConfig, BartForConditionalGeneration

    tokenizer = byte_pair_tokenizer(texts, special=MARKS)
    config = BartConfig(
        vocab_size=len(tokenizer),
        d_model=64,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=128,
        decoder_ffn_dim=128,
        max_position_embeddings=512,
        dropout=0.0,
        scale_embedding=True,  # without it, positions outweigh words at the start
        bos_token_id=tokenizer.bos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.eos_token_id,
        forced_eos_token_id=None,
    )
    return prepared(BartForConditionalGeneration(config), tokenizer, device, marks=True)


def byte_pair_tokenizer(
    texts: Iterable[str], *, vocabulary: int = TINY_VOCABULARY, special: Sequence[str] = (), **names: str
) -> Any:
    """Byte-level pieces of words: any text can be written, and decoding returns it unchanged.

    vocabulary: the most tokens. special: further tokens that are never split. names: special tokens by role, such as mask_token="<mask>".
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[_BEGIN, _PAD, _END, *special, *names.values()],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pieces.train_from_iterator(texts, trainer)
    pieces.post_processor = processors.TemplateProcessing(
        single=f"{_BEGIN} $A {_END}",
        special_tokens=[(name, pieces.token_to_id(name)) for name in (_BEGIN, _END)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=pieces, bos_token=_BEGIN, pad_token=_PAD, eos_token=_END, **names
    )
