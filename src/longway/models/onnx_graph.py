"""Building a network for ONNX Runtime operator by operator, and running it.

    ops = Operators()
    y = ops.do("MatMul", "x", ops.constant(weight))      the name of the result
    run = session_of(ops.serialized("name", inputs, outputs, opsets={"": 17}))

Weights come from safetensors; model files in ONNX's own format are never read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats32 = NDArray[np.float32]

IR = 9
MICROSOFT = "com.microsoft"  # the domain of ONNX Runtime's own operators
BITS = 8
INT8 = 4  # ONNX Runtime's "accuracy level" for products in integers


def can_run() -> bool:
    """Whether the required packages are installed."""
    return find_spec("onnx") is not None and find_spec("onnxruntime") is not None


class Operators:
    """The operators and constants of a graph, in order; each call adds some and returns the names of their results."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any) -> str:
        """Add a number or an array."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def do(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator with one result."""
        from onnx import helper

        name = f"result_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def product_in_8_bits(self, x: str, weight: Floats32, *, block: int) -> str:
        """Add the product with a weight (out, in), both rounded to 8 bits: an error of 1% in a third of the time.

        block: numbers that share a scale; 128 take two thirds of the time of 32 and err slightly more.
        """
        n_out, n_in = weight.shape
        packed, scales = in_8_bits(weight, block)
        return self.do(
            "MatMulNBits",
            x,
            self.constant(packed),
            self.constant(scales),
            domain=MICROSOFT,
            accuracy_level=INT8,
            K=n_in,
            N=n_out,
            bits=BITS,
            block_size=block,
        )

    def serialized(
        self, name: str, inputs: Sequence[Any], outputs: Sequence[Any], *, opsets: Mapping[str, int]
    ) -> bytes:
        """The graph as bytes. inputs, outputs: value infos of onnx. opsets: version by domain."""
        from onnx import helper

        graph = helper.make_graph(self.nodes, name, inputs, outputs, self.constants)
        imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
        return bytes(helper.make_model(graph, opset_imports=imports, ir_version=IR).SerializeToString())


def in_8_bits(weight: Floats32, block: int) -> tuple[NDArray[np.uint8], Floats32]:
    """A weight (out, in) in 8 bits: (out, blocks, block) with 128 for zero, and a scale for each block."""
    blocks = weight.reshape(len(weight), -1, block)
    scales = np.abs(blocks).max(axis=-1, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1
    return (np.rint(blocks / scales) + 128).astype(np.uint8), scales.ravel()


def session_of(graph: bytes) -> Any:
    """An ONNX Runtime session for a graph that was built here."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False  # it would keep the memory of the longest batch
    # A waiting thread must not use a core that others need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
