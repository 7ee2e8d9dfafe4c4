"""The small model with the writer's adapter merged into its weights, run in this process by ONNX Runtime.

    model = loaded_with(path, adapter)              both GGUF files; loaded once, shared by all engines
    model.draw(lines, 8, temperature=0.9, ...)      up to 8 different continuations, generated side by side
    model.likelihoods(lines, options)               log-likelihoods of each option as the continuation

No state is kept between calls: the same call gives the same answer on the same machine. Other machines and versions may
differ in the last digits, and so in what is drawn.

The network (`LlamaOnnx`) has 8-bit weights and generates many continuations of one text in parallel:

    decoding = network.read(ids, rows=16, room=40)  reads one text; 16 continuations of up to 40 tokens may follow
    decoding.log_p                                  (rows, vocabulary): log-likelihoods of the next token
    decoding.advance(tokens)                        each row reads its next token; rows at the end may be left out
    decoding.copy(0, 3)                             row 3 goes on from where row 0 is

Compared with llama.cpp, ONNX Runtime has kernels for all our processors and batches the rows, which is five times as fast on two slow
cores. The graph is built here, operator by operator; no model file in ONNX's own format is read. `scoring.llama.Llama` is its slow,
simple twin.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from longway.classify.onnx_graph import MICROSOFT, Operators, can_run, session_of
from longway.engines.bans import Bans
from longway.engines.distinct_draws import Group, Line, draw_distinct
from longway.engines.scoring.gguf_weights import Floats, GgufFile, Tensors, open_gguf, read_settings
from longway.engines.scoring.llama import BETWEEN_TEXTS, tokenizer_of
from longway.errors import CallFailed, EngineError, MissingExtra, SettingError

T = TypeVar("T")
MAX_INPUT = 1024  # tokens
TOKENS_AT_ONCE = 6144  # cached for all continuations together: 46 KB each
MIN_RELATIVE = 0.005  # tokens less likely than this share of the likeliest one are never drawn
_LINE_END, _SPACE = "Ċ", "Ġ"  # as written in the vocabulary
_ENDS = (BETWEEN_TEXTS, "<|im_end|>")
OPSET = 17
_LOGITS = "output.weight"
_EMBEDDING = "token_embd.weight"
_A, _B = ".lora_a", ".lora_b"


@dataclass(frozen=True, slots=True)
class Draw:
    """One continuation. ended: it reached the end of its line; log_likelihood: mean over its tokens; lowest: of the least likely one."""

    text: str
    ended: bool
    tokens: int
    log_likelihood: float
    lowest: float = 0.0


def loaded_with(path: Path, adapter: Path) -> OnnxWriter:
    """The model in a file with an adapter merged into its weights."""
    with _loading:
        key = str(path.resolve()), str(adapter.resolve())
        model = _models.get(key)
        if model is None:
            model = _models[key] = OnnxWriter(path, adapter)
        return model


def onnx_version() -> str:
    """Name and version of the runtime."""
    return f"onnxruntime {version('onnxruntime')}"


class OnnxWriter:
    """A loaded model; `loaded_with` returns one."""

    def __init__(self, path: Path, adapter: Path) -> None:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="longway-model")
        try:
            file = with_adapter(open_gguf(path), open_gguf(adapter))
            self._network = LlamaOnnx(file)
        except (ValueError, KeyError, OSError, SettingError) as error:
            raise EngineError(
                f"{path.name} could not be loaded with {adapter.name}: {error}. Expected an adapter trained on this model. "
                "Reinstall longway, or choose another engine."
            ) from None
        self._tokenizer = tokenizer_of(file.settings)
        self._ends = frozenset(
            number
            for token, number in self._tokenizer.get_vocab().items()
            if _LINE_END in token or token in _ENDS
        )
        self._pieces = pieces_of(self._tokenizer)

    async def in_worker(self, call: Callable[..., T], *values: Any) -> T:
        """The result of a call, computed in the model's thread so that the event loop stays free."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, call, *values)

    def draw(
        self,
        lines: str,
        n: int,
        *,
        temperature: float,
        top_p: float,
        max_tokens: int,
        seed: int,
        avoid: Sequence[str] = (),
        starts: Sequence[str] = (),
        least: int = 0,
    ) -> list[Draw]:
        """Up to n different continuations, each up to the end of its line or `max_tokens`; of a long text some may come twice.

        avoid: words and phrases that none of them has. starts: what they begin with, in turn. least: the fewest words of each.
        """
        ids, bans = self._ids(lines), Bans(avoid, self._pieces)
        together = max(1, TOKENS_AT_ONCE // (len(ids) + max_tokens))

        def choices(line: Line, log_p: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            text = "".join(self._pieces[token] or "" for token in line.tokens)
            banned = bans.after(text)
            if least and len(text.split()) < least:
                banned = [*banned, *self._ends]
            if banned:
                log_p = log_p.copy()
                log_p[banned] = -np.inf
            return drawable(log_p, temperature=temperature, top_p=top_p)

        begun = [
            tuple(self._tokenizer.encode(f" {start}", add_special_tokens=False).ids) for start in starts
        ] or [()]
        sizes = [len(range(i, n, len(begun))) for i in range(min(n, len(begun)))]
        groups = [Group(size, start) for size, start in zip(sizes, begun, strict=False)]
        generator, found = np.random.default_rng(seed), list[Line]()
        for part in _in_parts(groups, together):
            decoding = self._network.read(ids, rows=sum(group.size for group in part), room=max_tokens)
            found += draw_distinct(
                decoding, part, choices, ends=self._ends, max_tokens=max_tokens, generator=generator
            )
        return [self._drawn(line) for line in found]

    def _drawn(self, line: Line) -> Draw:
        n_tokens = len(line.tokens)
        text = self._tokenizer.decode([token for token in line.tokens if token not in self._ends]).strip()
        return Draw(text, line.ended, n_tokens, line.log_p / max(1, n_tokens), line.lowest)

    def likelihoods(self, lines: str, options: Sequence[str]) -> list[list[float]]:
        """For each option, the log-likelihood of each of its tokens after the lines."""
        encoded = [self._tokenizer.encode(option, add_special_tokens=False).ids for option in options]
        longest = max(map(len, encoded))
        decoding = self._network.read(self._ids(lines), rows=len(encoded), room=longest)
        result: list[list[float]] = [[] for _ in encoded]
        for place in range(longest):
            for row, ids in enumerate(encoded):
                if place < len(ids):
                    result[row].append(float(decoding.log_p[row, ids[place]]))
            if place + 1 < longest:  # rows that have ended read on; their output is ignored
                decoding.advance([ids[min(place, len(ids) - 1)] for ids in encoded])
        return result

    def _ids(self, lines: str) -> list[int]:
        ids = list(self._tokenizer.encode(lines, add_special_tokens=False).ids)
        if len(ids) > MAX_INPUT:
            raise CallFailed(
                f"The text is too long for the small model: {len(ids)} tokens ({len(lines)} characters). "
                f"Expected at most {MAX_INPUT} tokens."
            )
        return ids


def drawable(
    log_p: NDArray[np.float32], *, temperature: float, top_p: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The tokens that may be drawn, the likeliest first, and the log-likelihood of each to be drawn.

    Rare tokens are removed before the temperature is applied, so that a high temperature gives other words, not nonsense.
    temperature: 0 leaves the likeliest token. top_p: tokens are drawn from the likeliest ones that together have this share.
    """
    most = log_p.max()
    if temperature <= 0:
        return np.array([log_p.argmax()]), np.zeros(1)
    tokens = np.flatnonzero(log_p >= most + np.log(MIN_RELATIVE))
    tokens = tokens[np.argsort(-log_p[tokens], kind="stable")]
    shares = np.exp(log_p[tokens].astype(np.float64))
    within = np.cumsum(shares) - shares < top_p  # includes the token that reaches the share
    within[0] = True
    likely = (log_p[tokens[within]] - most).astype(np.float64) / temperature
    return tokens[within], likely - np.log(np.exp(likely).sum())


def _in_parts(groups: Sequence[Group], most: int) -> Iterator[list[Group]]:
    """Groups that together have at most so many lines; a larger one is divided."""
    part: list[Group] = []
    for group in groups:
        left = group.size
        while left:
            room = most - sum(one.size for one in part)
            size = min(left, room)
            part.append(replace(group, size=size))
            left -= size
            if size == room:
                yield part
                part = []
    if part:
        yield part


def pieces_of(tokenizer: Any) -> list[str | None]:
    """The text of each token, with its leading space; None for those that are no text of their own, such as a part of a letter."""
    pieces: list[str | None] = [None] * tokenizer.get_vocab_size()
    for token, number in tokenizer.get_vocab().items():
        piece = token.replace(_SPACE, " ")
        pieces[number] = piece if piece.isascii() else None
    return pieces


@lru_cache(maxsize=2)
def tokenizer_in(model_path: Path) -> Any:
    """The tokenizer of a GGUF file."""
    return tokenizer_of(read_settings(model_path))


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
        self.session = session_of(LlamaGraph(file).network())

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
        """The first rows, one for each token, read one more token."""
        self.log_p = self._step(np.asarray(tokens, np.int64)[:, None])

    def copy(self, source: int, to: int) -> None:
        """Let a row go on from where another is; its likelihoods come with the next `advance`."""
        self._memory[:, to, :, : self._n_read] = self._memory[:, source, :, : self._n_read]

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


class LlamaGraph(Operators):
    """The network as a list of operators; each method adds some and returns the names of their results.

    It reads a text that continues what is in its memory, and returns the likelihoods of what may follow.
    """

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

        end = self.do("Gather", self.states(), self.constant(np.array(-1)), axis=1)  # the last token
        self.named("LogSoftmax", [self.logits(end)], ["log_p"], axis=-1)
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

    def states(self) -> str:
        """The states of "x" after all layers."""
        turns = [self.constant(part) for part in self._turns()]
        x = "x"
        for layer in range(self.layers):
            name = f"blk.{layer}."
            x = self.do("Add", x, self._attended(self._normed(x, f"{name}attn_norm"), layer, turns))
            h = self._dense(self._normed(x, f"{name}ffn_norm"), f"{name}ffn_gate", f"{name}ffn_up")
            gate, up = self.do_all("Split", 2, h, axis=-1)
            gated = self.do("Mul", self.do("Mul", gate, self.do("Sigmoid", gate)), up)
            x = self.do("Add", x, self._dense(gated, f"{name}ffn_down"))
        return x

    def logits(self, states: str) -> str:
        """The logits of the token after each state."""
        out = "output" if _LOGITS in self.weights else "token_embd"
        return self._dense(self._normed(states, "output_norm"), out)

    def _attended(self, x: str, layer: int, turns: Sequence[str]) -> str:
        name = f"blk.{layer}."
        together = self._dense(x, *(f"{name}attn_{part}" for part in "qkv"))
        return self._dense(self.attention(together, layer, turns), f"{name}attn_output")

    def attention(self, together: str, layer: int, turns: Sequence[str]) -> str:
        """What each token sees of those before it. together: queries, keys and values side by side."""
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
        return mixed

    def _turns(self) -> tuple[Floats, Floats]:
        """Cosine and sine of each position's rotation: (positions, half of a head's width)."""
        size = self.width // self.heads
        angles = np.outer(np.arange(self.longest), self.base ** (-np.arange(0, size, 2) / size))
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def _dense(self, x: str, *names: str) -> str:
        """The product with one weight, or with several side by side."""
        weight = np.concatenate([self.weights[f"{name}.weight"] for name in names])
        return self.product_in_8_bits(x, weight)

    def _normed(self, x: str, name: str) -> str:
        weight = self.constant(self.weights[f"{name}.weight"])
        return self.do("SimplifiedLayerNormalization", x, weight, axis=-1, epsilon=self.tiny)


_loading = threading.Lock()
_models: WeakValueDictionary[tuple[str, str], OnnxWriter] = WeakValueDictionary()
