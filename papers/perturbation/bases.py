"""Networks to train: a base with the marks of a perturber, pairs of texts as its tokens, and a small network.

base_network("facebook/bart-large", texts)    a folder, a hub name, or "tiny": from scratch, without a download
pair(network, source, target)                 what it reads, and what it should learn to write
network.model(**batch(network, pairs)).loss
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

from longway.methods.perturb.networks import Network, load_network
from longway.methods.perturb.segments import MARKS
from longway.models.network_training import device_named

IGNORE = -100  # a token that is not learned
TINY, TINY_VOCABULARY = "tiny", 8000
BEGIN, PAD, END = "<s>", "<pad>", "</s>"


@dataclass(frozen=True)
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


def base_network(name: str, texts: Iterable[str], *, device: str = "auto") -> Network:
    """A network to train. texts: those that the tokenizer of a tiny one is made from."""
    network = tiny_network(texts, device=device) if name == TINY else load_network(name, device=device)
    network.tokenizer.add_tokens(list(MARKS), special_tokens=True)
    model, n = network.model, network.model.get_input_embeddings().num_embeddings
    if len(network.tokenizer) > n:  # new tokens begin as the mean of the others
        model.resize_token_embeddings(len(network.tokenizer), mean_resizing=False)
        for layer in (model.get_input_embeddings(), model.get_output_embeddings()):
            layer.weight.data[n:] = layer.weight.data[:n].mean(dim=0)
    return network


def tiny_network(texts: Iterable[str], *, device: str = "auto") -> Network:
    """A small encoder-decoder from scratch, with a tokenizer made from the texts: for trying out training.

    It is of BART's kind (Lewis et al. 2020) with two layers of width 64, about 250,000 weights. It learns to
    copy and to exchange the words it has seen exchanged: enough for sentences of one pattern, not for
    English.
    """
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
    where = device_named(device)
    return Network(BartForConditionalGeneration(config).to(where), tokenizer, where)


def byte_pair_tokenizer(
    texts: Iterable[str], *, vocabulary: int = TINY_VOCABULARY, special: Sequence[str] = (), **names: str
) -> Any:
    """Byte-level pieces of words: any text can be written, and decoding returns it unchanged.

    vocabulary: the most tokens. special: further tokens that are never split. names: special tokens by role,
    such as mask_token="<mask>".
    """
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[BEGIN, PAD, END, *special, *names.values()],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pieces.train_from_iterator(texts, trainer)
    pieces.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A {END}",
        special_tokens=[(name, pieces.token_to_id(name)) for name in (BEGIN, END)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=pieces, bos_token=BEGIN, pad_token=PAD, eos_token=END, **names
    )


def pair(network: Network, source: str, target: str) -> Tokens:
    """The tokens of a source and of its target."""
    read = network.read(source)
    if not network.is_causal:
        return Tokens(read, list(network.tokenizer(text_target=target)["input_ids"]))
    written = network.tokenizer(f" {target}", add_special_tokens=False)["input_ids"]
    written = [*written, network.tokenizer.eos_token_id]
    return Tokens([*read, *written], [IGNORE] * len(read) + written)


def batch(network: Network, examples: Sequence[Tokens]) -> dict[str, Any]:
    """Several examples as the model takes them."""
    read, mask = network.padded([example.source for example in examples])
    width = max(len(example.labels) for example in examples)
    labels = [example.labels + [IGNORE] * (width - len(example.labels)) for example in examples]
    return {"input_ids": read, "attention_mask": mask, "labels": torch.tensor(labels, device=network.device)}
