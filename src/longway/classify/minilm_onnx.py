"""MiniLM's forward pass in ONNX Runtime: the same numbers as the numpy version in a third of the time.

    run = forward_of(weights, heads=12)      None where onnx or onnxruntime is not installed
    run(ids, segments, mask)                 (batch, tokens, width)

The graph is built here, operator by operator, from the weights that were read from safetensors; no model file in ONNX's own
format is read. `minilm._Layer` is the slow, obvious twin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Forward = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]], Floats]
OPSET, IR = 17, 9
HIDDEN = np.float32(-1e9)  # added to the score of a place without a token


def forward_of(weights: Mapping[str, Floats], *, heads: int) -> Forward | None:
    """The forward pass of BERT with these weights, None where the packages are missing."""
    if find_spec("onnx") is None or find_spec("onnxruntime") is None:
        return None
    return forward_in(_Graph(weights, heads).serialized())


def forward_in(graph: bytes) -> Forward:
    """The forward pass of a graph that was built here."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False  # it would keep the memory of the longest batch for good
    # A thread that waits must not burn a core that others need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def forward(ids: NDArray[np.int64], segments: NDArray[np.int64], mask: NDArray[np.bool_]) -> Floats:
        given = {
            "ids": ids,
            "segments": segments,
            "places": np.arange(ids.shape[1]),
            "hidden": np.where(mask, np.float32(0), HIDDEN)[:, None, None, :],
        }
        return np.asarray(session.run(None, given)[0], np.float32)

    return forward


class _Graph:
    """BERT's encoder as a list of operators; each method adds some and gives the name of their result."""

    def __init__(self, weights: Mapping[str, Floats], heads: int) -> None:
        self.weights, self.heads = weights, heads
        self.width = weights["embeddings.LayerNorm.weight"].shape[0]
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def serialized(self) -> bytes:
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
        graph = helper.make_graph(self.nodes, "minilm", inputs, [output], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
        return bytes(model.SerializeToString())

    def _encoder(self) -> str:
        words = self._lookup("word_embeddings", "ids")
        segments = self._lookup("token_type_embeddings", "segments")
        places = self._lookup("position_embeddings", "places")
        x = self._normed(self._do("Add", self._do("Add", words, segments), places), "embeddings.LayerNorm")
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
        scores = self._do("Mul", self._do("MatMul", q, k), self._constant(np.float32(size**-0.5)))
        shares = self._do("Softmax", self._do("Add", scores, "hidden"), axis=-1)
        mixed = self._do("Transpose", self._do("MatMul", shares, v), perm=[0, 2, 1, 3])
        mixed = self._do("Reshape", mixed, self._constant(np.array([0, 0, self.width])))
        attended = self._do("Add", x, self._dense(mixed, f"{prefix}attention.output.dense"))
        x = self._normed(attended, f"{prefix}attention.output.LayerNorm")
        inner = self._gelu(self._dense(x, f"{prefix}intermediate.dense"))
        return self._normed(
            self._do("Add", x, self._dense(inner, f"{prefix}output.dense")), f"{prefix}output.LayerNorm"
        )

    def _by_head(self, x: str, *, turned: bool) -> str:
        """(batch, tokens, width) as (batch, heads, tokens, size), the last two the other way round for keys."""
        shape = self._constant(np.array([0, 0, self.heads, self.width // self.heads]))
        return self._do(
            "Transpose", self._do("Reshape", x, shape), perm=[0, 2, 3, 1] if turned else [0, 2, 1, 3]
        )

    def _gelu(self, x: str) -> str:
        erf = self._do("Erf", self._do("Mul", x, self._constant(np.float32(0.5**0.5))))
        grown = self._do("Mul", x, self._do("Add", erf, self._constant(np.float32(1))))
        return self._do("Mul", grown, self._constant(np.float32(0.5)))

    def _dense(self, x: str, name: str) -> str:
        product = self._do(
            "MatMul", x, self._constant(np.ascontiguousarray(self.weights[f"{name}.weight"].T))
        )
        return self._do("Add", product, self._constant(self.weights[f"{name}.bias"]))

    def _normed(self, x: str, name: str) -> str:
        weight, bias = (self._constant(self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self._do("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-12)

    def _lookup(self, name: str, numbers: str) -> str:
        return self._do("Gather", self._constant(self.weights[f"embeddings.{name}.weight"]), numbers)

    def _constant(self, value: Any) -> str:
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def _do(self, operator: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        name = f"result_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name
