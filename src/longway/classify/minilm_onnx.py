"""MiniLM's forward pass in ONNX Runtime: the same numbers as the numpy version in a third of the time.

    run = forward_of(weights, heads=12)      None where onnx or onnxruntime is not installed
    run(ids, segments, mask)                 (batch, tokens, width)

The graph is built here, operator by operator, from the weights that were read from safetensors; no model file in ONNX's own
format is read. `minilm._Layer` is the slow, obvious twin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from longway.classify.onnx_graph import Operators, can_run, session_of

Floats = NDArray[np.float32]
Forward = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]], Floats]
OPSET = 17
HIDDEN = np.float32(-1e9)  # added to the score of a place without a token


def forward_of(weights: Mapping[str, Floats], *, heads: int) -> Forward | None:
    """The forward pass of BERT with these weights, None where the packages are missing."""
    if not can_run():
        return None
    return forward_in(_Graph(weights, heads).network())


def forward_in(graph: bytes) -> Forward:
    """The forward pass of a graph that was built here."""
    session = session_of(graph)

    def forward(ids: NDArray[np.int64], segments: NDArray[np.int64], mask: NDArray[np.bool_]) -> Floats:
        given = {
            "ids": ids,
            "segments": segments,
            "places": np.arange(ids.shape[1]),
            "hidden": np.where(mask, np.float32(0), HIDDEN)[:, None, None, :],
        }
        return np.asarray(session.run(None, given)[0], np.float32)

    return forward


class _Graph(Operators):
    """BERT's encoder as a list of operators; each method adds some and gives the name of their result."""

    def __init__(self, weights: Mapping[str, Floats], heads: int) -> None:
        super().__init__()
        self.weights, self.heads = weights, heads
        self.width = weights["embeddings.LayerNorm.weight"].shape[0]

    def network(self) -> bytes:
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
        return self.serialized("minilm", inputs, [output], opsets={"": OPSET})

    def _encoder(self) -> str:
        words = self._lookup("word_embeddings", "ids")
        segments = self._lookup("token_type_embeddings", "segments")
        places = self._lookup("position_embeddings", "places")
        x = self._normed(self.do("Add", self.do("Add", words, segments), places), "embeddings.LayerNorm")
        count = sum(name.endswith("attention.self.query.weight") for name in self.weights)
        for i in range(count):
            x = self._layer(x, f"encoder.layer.{i}.")
        return x

    def _layer(self, x: str, prefix: str) -> str:
        size = self.width // self.heads
        q, k, v = (
            self._by_head(self._dense(x, f"{prefix}attention.self.{part}"), turned=part == "key")
            for part in ("query", "key", "value")
        )
        scores = self.do("Mul", self.do("MatMul", q, k), self.constant(np.float32(size**-0.5)))
        shares = self.do("Softmax", self.do("Add", scores, "hidden"), axis=-1)
        mixed = self.do("Transpose", self.do("MatMul", shares, v), perm=[0, 2, 1, 3])
        mixed = self.do("Reshape", mixed, self.constant(np.array([0, 0, self.width])))
        attended = self.do("Add", x, self._dense(mixed, f"{prefix}attention.output.dense"))
        x = self._normed(attended, f"{prefix}attention.output.LayerNorm")
        inner = self._gelu(self._dense(x, f"{prefix}intermediate.dense"))
        return self._normed(
            self.do("Add", x, self._dense(inner, f"{prefix}output.dense")), f"{prefix}output.LayerNorm"
        )

    def _by_head(self, x: str, *, turned: bool) -> str:
        """(batch, tokens, width) as (batch, heads, tokens, size), the last two the other way round for keys."""
        shape = self.constant(np.array([0, 0, self.heads, self.width // self.heads]))
        return self.do(
            "Transpose", self.do("Reshape", x, shape), perm=[0, 2, 3, 1] if turned else [0, 2, 1, 3]
        )

    def _gelu(self, x: str) -> str:
        erf = self.do("Erf", self.do("Mul", x, self.constant(np.float32(0.5**0.5))))
        grown = self.do("Mul", x, self.do("Add", erf, self.constant(np.float32(1))))
        return self.do("Mul", grown, self.constant(np.float32(0.5)))

    def _dense(self, x: str, name: str) -> str:
        product = self.do("MatMul", x, self.constant(np.ascontiguousarray(self.weights[f"{name}.weight"].T)))
        return self.do("Add", product, self.constant(self.weights[f"{name}.bias"]))

    def _normed(self, x: str, name: str) -> str:
        weight, bias = (self.constant(self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.do("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-12)

    def _lookup(self, name: str, numbers: str) -> str:
        return self.do("Gather", self.constant(self.weights[f"embeddings.{name}.weight"]), numbers)
