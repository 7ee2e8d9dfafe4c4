"""A small Llama in ONNX Runtime, with 8-bit weights, for generating many continuations of one text in parallel.

    network = LlamaOnnx(file)                            file: a GGUF file with an adapter merged into it (`with_adapter`)
    decoding = network.read(ids, rows=16, room=40)       reads one text; 16 continuations of up to 40 tokens may follow
    decoding.log_p                                       (rows, vocabulary): log-likelihoods of the next token
    decoding.advance(tokens)                             each row reads its next token
    decoding.keep([0, 3, 5])                             drops the other rows

Compared with llama.cpp, ONNX Runtime has kernels for all our processors and batches the rows, which is five times as fast on two slow
cores. The graph is built here, operator by operator; no model file in ONNX's own format is read. `scoring.llama.Llama` is the slow, simple
twin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from longway.classify.onnx_graph import Operators, can_run, session_of
from longway.engines.scoring.gguf_weights import Floats, GgufFile, Tensors
from longway.errors import MissingExtra

OPSET = 17
MICROSOFT = "com.microsoft"  # the domain of ONNX Runtime's own operators
BITS, BLOCK = 8, 32  # weights of a block share a scale
INT8 = 4  # ONNX Runtime's "accuracy level" for products in integers
_LOGITS = "output.weight"
_EMBEDDING = "token_embd.weight"
_A, _B = ".lora_a", ".lora_b"


def with_adapter(file: GgufFile, adapter: GgufFile) -> GgufFile:
    """A model with a LoRA adapter added to its weights: W + alpha / rank * B A."""
    alpha = float(adapter.settings["adapter.lora.alpha"])
    adapted = {name.removesuffix(_A) for name in adapter.tensors if name.endswith(_A)}
    if unknown := adapted - set(file.tensors):
        raise ValueError(f"the model has no {sorted(unknown)[0]}")

    def weight(name: str) -> Floats:
        if name not in adapted:
            return file.tensors[name]
        a, b = adapter.tensors[name + _A], adapter.tensors[name + _B]
        return np.asarray(file.tensors[name] + np.float32(alpha / len(a)) * (b @ a))

    return GgufFile(file.settings, Tensors({name: partial(weight, name) for name in file.tensors}))


class LlamaOnnx:
    """A Llama that reads a text and continues it."""

    def __init__(self, file: GgufFile) -> None:
        if not can_run():
            raise MissingExtra("onnxruntime", extra="local", purpose="Running the writer")
        about = file.settings
        self.most_tokens = int(about["llama.context_length"])
        self.layers = int(about["llama.block_count"])
        self.kv_heads = int(about["llama.attention.head_count_kv"])
        self.head_width = int(about["llama.embedding_length"]) // int(about["llama.attention.head_count"])
        self.embedding = file.tensors[_EMBEDDING].astype(np.float16)
        self.vocabulary = len(self.embedding)
        self.session = session_of(_Graph(file).network())

    def read(self, ids: Sequence[int], *, rows: int, room: int) -> Decoding:
        """Read a text, with room for up to `rows` continuations of up to `room` tokens."""
        return Decoding(self, ids, rows, room)


class Decoding:
    """A text and its continuations, all of one length.

    log_p: (rows, vocabulary), the log-likelihood of each token as the next one; updated by `advance`.
    """

    def __init__(self, network: LlamaOnnx, ids: Sequence[int], rows: int, room: int) -> None:
        self._network = network
        self._n_read = 0
        shape = (2 * network.layers, rows, network.kv_heads, len(ids) + room, network.head_width)
        self._memory = np.zeros(shape, np.float32)  # keys and values, layer by layer
        self.log_p = np.repeat(self._step(np.asarray(ids, np.int64)[None]), rows, axis=0)
        self._memory[:, 1:, :, : len(ids)] = self._memory[:, :1, :, : len(ids)]

    def advance(self, tokens: Sequence[int]) -> None:
        """Each row reads one more token."""
        self.log_p = self._step(np.asarray(tokens, np.int64)[:, None])

    def keep(self, rows: Sequence[int]) -> None:
        """Continue only these rows, in this order."""
        chosen = list(rows)
        read = self._memory[:, chosen, :, : self._n_read]
        self._memory[:, : len(chosen), :, : self._n_read] = read
        self.log_p = self.log_p[chosen]

    def _step(self, ids: NDArray[np.int64]) -> Floats:
        """Read (rows, tokens); returns the log-likelihoods after the last token."""
        net, (rows, n_new) = self._network, ids.shape
        self._n_read += n_new
        log_p = np.empty((rows, net.vocabulary), np.float32)
        given = {
            "x": net.embedding[ids].astype(np.float32),
            "last": np.full(rows, self._n_read - 1, np.int32),
            "total": np.array(self._n_read, np.int32),
        }
        binding = net.session.io_binding()
        for name, value in given.items():
            binding.bind_cpu_input(name, value)
        for i, memory in enumerate(self._memory):
            # Input and output share a buffer: new keys and values are appended to the old ones, and nothing is copied.
            place = {
                "device_type": "cpu",
                "device_id": 0,
                "element_type": np.float32,
                "shape": (rows, *memory.shape[1:]),
                "buffer_ptr": memory.ctypes.data,
            }
            binding.bind_input(f"before_{i}", **place)
            binding.bind_output(f"after_{i}", **place)
        binding.bind_output("log_p", "cpu", 0, np.float32, log_p.shape, log_p.ctypes.data)
        net.session.run_with_iobinding(binding)
        return log_p


class _Graph(Operators):
    """The network as a list of operators; each method adds some and returns the names of their results."""

    def __init__(self, file: GgufFile) -> None:
        super().__init__()
        about = file.settings
        self.weights: Mapping[str, Floats] = file.tensors
        self.layers = int(about["llama.block_count"])
        self.heads = int(about["llama.attention.head_count"])
        self.kv_heads = int(about["llama.attention.head_count_kv"])
        self.width = int(about["llama.embedding_length"])
        self.longest = int(about["llama.context_length"])
        self.base = float(about["llama.rope.freq_base"])
        self.tiny = float(about["llama.attention.layer_norm_rms_epsilon"])

    def network(self) -> bytes:
        """The whole graph as bytes."""
        from onnx import TensorProto, helper

        self._layers()
        size = self.width // self.heads
        numbers = helper.make_tensor_value_info
        memory: list[str | int | None] = ["rows", self.kv_heads, "room", size]
        inputs = [
            numbers("x", TensorProto.FLOAT, ["rows", "tokens", self.width]),
            numbers("last", TensorProto.INT32, ["rows"]),
            numbers("total", TensorProto.INT32, []),
            *(numbers(f"before_{i}", TensorProto.FLOAT, memory) for i in range(2 * self.layers)),
        ]
        outputs = [
            numbers("log_p", TensorProto.FLOAT, ["rows", "vocabulary"]),
            *(numbers(f"after_{i}", TensorProto.FLOAT, memory) for i in range(2 * self.layers)),
        ]
        return self.serialized("llama", inputs, outputs, opsets={"": OPSET, MICROSOFT: 1})

    def _layers(self) -> None:
        turns = [self.constant(part) for part in self._turns()]
        x = "x"
        for layer in range(self.layers):
            name = f"blk.{layer}."
            x = self.do("Add", x, self._attended(self._normed(x, f"{name}attn_norm"), layer, turns))
            h = self._dense(self._normed(x, f"{name}ffn_norm"), f"{name}ffn_gate", f"{name}ffn_up")
            gate, up = self.do_all("Split", 2, h, axis=-1)
            gated = self.do("Mul", self.do("Mul", gate, self.do("Sigmoid", gate)), up)
            x = self.do("Add", x, self._dense(gated, f"{name}ffn_down"))
        end = self.do("Gather", x, self.constant(np.array(-1)), axis=1)  # the last token
        out = "output" if _LOGITS in self.weights else "token_embd"
        logits = self._dense(self._normed(end, "output_norm"), out)
        self.named("LogSoftmax", [logits], ["log_p"], axis=-1)

    def _attended(self, x: str, layer: int, turns: Sequence[str]) -> str:
        name = f"blk.{layer}."
        together = self._dense(x, *(f"{name}attn_{part}" for part in "qkv"))
        keys, values = 2 * layer, 2 * layer + 1
        mixed = f"mixed_{layer}"
        self.named(
            "GroupQueryAttention",
            [together, "", "", f"before_{keys}", f"before_{values}", "last", "total", *turns],
            [mixed, f"after_{keys}", f"after_{values}"],
            domain=MICROSOFT,
            num_heads=self.heads,
            kv_num_heads=self.kv_heads,
            do_rotary=1,
            rotary_interleaved=1,  # as in GGUF files: neighbours are rotated together
        )
        return self._dense(mixed, f"{name}attn_output")

    def _turns(self) -> tuple[Floats, Floats]:
        """Cosine and sine of each position's rotation: (positions, half of a head's width)."""
        size = self.width // self.heads
        angles = np.outer(np.arange(self.longest), self.base ** (-np.arange(0, size, 2) / size))
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def _dense(self, x: str, *names: str) -> str:
        """The product with one weight, or with several side by side."""
        weight = np.concatenate([self.weights[f"{name}.weight"] for name in names])
        n_out, n_in = weight.shape
        packed, scales = _packed(weight)
        attributes = {"K": n_in, "N": n_out, "bits": BITS, "block_size": BLOCK}
        return self.do(
            "MatMulNBits",
            x,
            self.constant(packed),
            self.constant(scales),
            domain=MICROSOFT,
            accuracy_level=INT8,
            **attributes,
        )

    def _normed(self, x: str, name: str) -> str:
        weight = self.constant(self.weights[f"{name}.weight"])
        return self.do("SimplifiedLayerNormalization", x, weight, axis=-1, epsilon=self.tiny)


def _packed(weight: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """A weight (out, in) in 8 bits: (out, blocks, BLOCK) with 128 for zero, and a scale for each block."""
    blocks = weight.reshape(len(weight), -1, BLOCK)
    scales = np.abs(blocks).max(axis=-1, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1
    return (np.rint(blocks / scales) + 128).astype(np.uint8), scales.ravel()
