"""A hand-made MiniLM: a few words, narrow layers, random weights. Enough to see every step of the real one."""

import sys
from pathlib import Path

import numpy as np
import pytest

from longway.models.minilm import MiniLM, forward_in

sys.path.insert(0, str(Path(__file__).parents[2] / "train"))

WORDS = "[PAD] [CLS] [SEP] [UNK] the a cat dog sat ran home not no mat on".split()


def tiny_weights(*, width=8, layers=2, inner=12, positions=64, seed=0):
    """Random weights under BERT's names, (out, in) as torch keeps them."""
    random = np.random.default_rng(seed)

    def draw(*shape):
        return random.normal(0, 0.5, shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": draw(len(WORDS), width),
        "embeddings.position_embeddings.weight": draw(positions, width),
        "embeddings.token_type_embeddings.weight": draw(2, width),
        "embeddings.LayerNorm.weight": draw(width) + 1,
        "embeddings.LayerNorm.bias": draw(width),
    }
    shapes = {
        "attention.self.query": (width, width),
        "attention.self.key": (width, width),
        "attention.self.value": (width, width),
        "attention.output.dense": (width, width),
        "intermediate.dense": (inner, width),
        "output.dense": (width, inner),
    }
    for layer in range(layers):
        for name, shape in shapes.items():
            found[f"encoder.layer.{layer}.{name}.weight"] = draw(*shape)
            found[f"encoder.layer.{layer}.{name}.bias"] = draw(shape[0])
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found[f"encoder.layer.{layer}.{name}.weight"] = draw(width) + 1
            found[f"encoder.layer.{layer}.{name}.bias"] = draw(width)
    return found


def tiny_encoder(forward=None, *, seed=0):
    """An encoder with tiny random weights."""
    pytest.importorskip(
        "onnx", reason="the graph of an encoder of another size is made with the package onnx"
    )
    from minilm_graph import BertGraph

    weights = tiny_weights(seed=seed)
    sizes = {"layers": 2, "heads": 2, "width": 8, "inner": 12, "words": len(WORDS), "positions": 64}
    graph = BertGraph(**sizes, in_8_bits=False).serialized()
    encoder = MiniLM(weights, tiny_tokenizer())
    encoder.forward = forward or forward_in(graph, weights)
    return encoder


def tiny_tokenizer():
    """Cuts at white space; [CLS] text [SEP], and for pairs [CLS] first [SEP] second [SEP]."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    return tokenizer
