"""Make the graphs of MiniLM that Longway ships: its architecture without its weights, for ONNX Runtime.

    python train/minilm_graph.py        writes src/longway/models/minilm.onnx and minilm_8_bits.onnx

The weights keep their names and stay outside: `longway.models.minilm` reads them from the encoder's safetensors and hands them to ONNX Runtime.
Weights of layers come as (in, out); in the second graph they are rounded to 8 bits, in blocks that share a scale. Needs the package onnx.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

MODELS = Path(__file__).parents[1] / "src" / "longway" / "models"
IR, OPSET = 9, 17
MICROSOFT = "com.microsoft"  # the domain of ONNX Runtime's own operators
BLOCK = 128  # numbers that share a scale; 128 take two thirds of the time of 32 and err slightly more
BITS = 8
INT8 = 4  # ONNX Runtime's "accuracy level" for products in integers


class BertGraph:
    """BERT's encoder (Devlin et al. 2019) as a list of operators; each method adds some and returns the name of their result."""

    def __init__(
        self, *, layers: int, heads: int, width: int, inner: int, words: int, positions: int, in_8_bits: bool
    ) -> None:
        self.layers, self.heads, self.width, self.inner, self.in_8_bits = (
            layers,
            heads,
            width,
            inner,
            in_8_bits,
        )
        self.tables = {
            "word_embeddings": words,
            "position_embeddings": positions,
            "token_type_embeddings": 2,
        }
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def serialized(self) -> bytes:
        """The whole graph as bytes."""
        result = self._encoder()
        inputs = [
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "tokens"]),
            helper.make_tensor_value_info("segments", TensorProto.INT64, ["batch", "tokens"]),
            helper.make_tensor_value_info("places", TensorProto.INT64, ["tokens"]),
            helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["batch", 1, 1, "tokens"]),
        ]
        output = helper.make_tensor_value_info(result, TensorProto.FLOAT, ["batch", "tokens", self.width])
        graph = helper.make_graph(self.nodes, "minilm", inputs, [output], self.constants)
        imports = [helper.make_opsetid(domain, version) for domain, version in (("", OPSET), (MICROSOFT, 1))]
        return bytes(helper.make_model(graph, opset_imports=imports, ir_version=IR).SerializeToString())

    def do(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator with one result."""
        name = f"result_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any) -> str:
        """Add a number or an array."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weight(self, name: str, *shape: int, kind: int = TensorProto.FLOAT) -> str:
        """Add an array that comes from elsewhere."""
        tensor = TensorProto(
            name=name, data_type=kind, dims=shape, data_location=TensorProto.DataLocation.EXTERNAL
        )
        tensor.external_data.add(key="location", value="weights")
        self.constants.append(tensor)
        return name

    def _encoder(self) -> str:
        words = self._lookup("word_embeddings", "ids")
        segments = self._lookup("token_type_embeddings", "segments")
        positions = self._lookup("position_embeddings", "places")
        x = self._layer_norm(
            self.do("Add", self.do("Add", words, segments), positions), "embeddings.LayerNorm"
        )
        for number in range(self.layers):
            x = self._layer(x, f"encoder.layer.{number}.")
        return x

    def _layer(self, x: str, prefix: str) -> str:
        width, inner = self.width, self.inner
        q, k, v = (
            self._by_head(
                self._dense(x, f"{prefix}attention.self.{part}", width, width), transposed=part == "key"
            )
            for part in ("query", "key", "value")
        )
        size = width // self.heads
        scores = self.do("Mul", self.do("MatMul", q, k), self.constant(np.float32(size**-0.5)))
        shares = self.do("Softmax", self.do("Add", scores, "hidden"), axis=-1)
        mixed = self.do("Transpose", self.do("MatMul", shares, v), perm=[0, 2, 1, 3])
        mixed = self.do("Reshape", mixed, self.constant(np.array([0, 0, width])))
        attended = self.do("Add", x, self._dense(mixed, f"{prefix}attention.output.dense", width, width))
        x = self._layer_norm(attended, f"{prefix}attention.output.LayerNorm")
        grown = self._gelu(self._dense(x, f"{prefix}intermediate.dense", width, inner))
        dense = self.do("Add", x, self._dense(grown, f"{prefix}output.dense", inner, width))
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

    def _dense(self, x: str, name: str, n_in: int, n_out: int) -> str:
        if self.in_8_bits:
            product = self._product_in_8_bits(x, name, n_in, n_out)
        else:
            product = self.do("MatMul", x, self.weight(f"{name}.weight", n_in, n_out))
        return self.do("Add", product, self.weight(f"{name}.bias", n_out))

    def _product_in_8_bits(self, x: str, name: str, n_in: int, n_out: int) -> str:
        """The product with a weight (out, in), both rounded to 8 bits: an error of 1% in a third of the time."""
        n_blocks = n_in // BLOCK
        packed = self.weight(f"{name}.packed", n_out, n_blocks, BLOCK, kind=TensorProto.UINT8)
        scales = self.weight(f"{name}.scales", n_out * n_blocks)
        sizes = {"K": n_in, "N": n_out, "bits": BITS, "block_size": BLOCK}
        return self.do("MatMulNBits", x, packed, scales, domain=MICROSOFT, accuracy_level=INT8, **sizes)

    def _layer_norm(self, x: str, name: str) -> str:
        weight, bias = (self.weight(f"{name}.{part}", self.width) for part in ("weight", "bias"))
        return self.do("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-12)

    def _lookup(self, name: str, numbers: str) -> str:
        table = self.weight(f"embeddings.{name}.weight", self.tables[name], self.width)
        return self.do("Gather", table, numbers)


def minilm_graph(*, in_8_bits: bool) -> bytes:
    """The graph of all-MiniLM-L6-v2."""
    sizes = {"layers": 6, "heads": 12, "width": 384, "inner": 1536, "words": 30522, "positions": 512}
    return BertGraph(**sizes, in_8_bits=in_8_bits).serialized()


if __name__ == "__main__":
    (MODELS / "minilm.onnx").write_bytes(minilm_graph(in_8_bits=False))
    (MODELS / "minilm_8_bits.onnx").write_bytes(minilm_graph(in_8_bits=True))
