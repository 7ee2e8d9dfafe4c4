"""The embedded model by ONNX Runtime: how likely is each token of two versions of a text, from where they differ?

    Versions(prefix, before, after)     token ids: what both begin with, and how each goes on
    model.log_p([versions, ...])        the log-likelihood of each token of `before` and of `after`

What both begin with is read once: it is followed by the tokens of `before` and then by those of `after`, which do not see those of `before`
and have the positions that they have in their own text. `llama.Llama` is the slow, simple twin, which reads whole texts; the weights here have 8 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from longway.classify.classifier import by_length
from longway.classify.onnx_graph import MICROSOFT, can_run, session_of
from longway.engines.model_files import fingerprint, installed_model
from longway.engines.onnx_writer import OPSET, LlamaGraph, tokenizer_in
from longway.engines.scoring.gguf_weights import Floats, GgufFile, open_gguf
from longway.engines.scoring.llama import BETWEEN_TEXTS
from longway.errors import MissingExtra

VERSION = 1  # increases when the same file would give other numbers
TOKENS_A_BATCH = 512
HIDDEN = np.float32(-1e9)  # added to the attention to a token that is not seen


@dataclass(frozen=True, slots=True)
class Versions:
    """Two versions of a text as token ids. prefix: what both begin with."""

    prefix: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def of(cls, before: Sequence[int], after: Sequence[int]) -> Versions:
        """Split two texts where they begin to differ.

        >>> Versions.of([1, 2, 3], [1, 4])
        Versions(prefix=(1,), before=(2, 3), after=(4,))
        """
        n = 0
        while n < min(len(before), len(after)) and before[n] == after[n]:
            n += 1
        return cls(tuple(before[:n]), tuple(before[n:]), tuple(after[n:]))

    @property
    def n_read(self) -> int:
        """Tokens that are read: one starts the text, and the last of each version is only predicted."""
        return 1 + len(self.prefix) + max(0, len(self.before) - 1) + max(0, len(self.after) - 1)


class VersionsModel:
    """The model that Longway installs; its weights are loaded on first use. model_path: another GGUF file of a Llama."""

    def __init__(self, model_path: Path | None = None) -> None:
        if not can_run():
            raise MissingExtra("onnxruntime", extra="local", purpose="Scoring texts with the small model")
        self.path = model_path or installed_model()
        self._tokenizer = tokenizer_in(self.path)

    @property
    def version(self) -> str:
        """The file and how it is read."""
        return f"{fingerprint(self.path)} {VERSION}"

    def versions(self, before: str, after: str) -> Versions:
        """Two texts as tokens."""
        ids = [self._tokenizer.encode(text, add_special_tokens=False).ids for text in (before, after)]
        return Versions.of(*ids)

    def log_p(self, items: Sequence[Versions]) -> list[tuple[Floats, Floats]]:
        """The log-likelihood of each token of `before` and of `after`, given those before it in its version."""
        return self._network.log_p(items, start=self._tokenizer.token_to_id(BETWEEN_TEXTS))

    @cached_property
    def _network(self) -> VersionsNetwork:
        return _network_in(self.path)


@lru_cache(maxsize=1)
def _network_in(path: Path) -> VersionsNetwork:
    return VersionsNetwork(open_gguf(path))


class VersionsNetwork:
    """The network on 8-bit weights."""

    def __init__(self, file: GgufFile) -> None:
        self._embedding = file.tensors["token_embd.weight"].astype(np.float16)
        self._session = session_of(_VersionsGraph(file).network())

    def log_p(self, items: Sequence[Versions], *, start: int) -> list[tuple[Floats, Floats]]:
        """As `VersionsModel.log_p`. start: the token before each text."""
        found = [(np.zeros(0, np.float32), np.zeros(0, np.float32))] * len(items)
        for rows in by_length([item.n_read for item in items], size=TOKENS_A_BATCH):
            batch = [items[row] for row in rows]
            given, wanted = self._inputs(batch, start)
            values = self._session.run(["log_p"], given)[0][:, 0] if wanted else np.zeros(0, np.float32)
            for row, item in zip(rows, batch, strict=True):
                n, m = len(item.before), len(item.before) + len(item.after)
                found[row] = values[:n], values[n:m]
                values = values[m:]
        return found

    def _inputs(self, batch: Sequence[Versions], start: int) -> tuple[dict[str, Any], list[int]]:
        """The inputs of a batch, and the tokens whose likelihood is wanted: row by row, `before` first."""
        B, T = len(batch), max(item.n_read for item in batch)
        ids = np.full((B, T), start, np.int64)
        positions = np.zeros((B, T), np.int64)
        hidden = np.zeros((B, 1, T, T), np.float32)
        places: list[int] = []
        wanted: list[int] = []
        for row, item in enumerate(batch):
            first = 1 + len(item.prefix)  # where `before` begins
            second = first + max(0, len(item.before) - 1)  # where `after` begins
            ids[row, : item.n_read] = [start, *item.prefix, *item.before[:-1], *item.after[:-1]]
            positions[row, :second] = np.arange(second)
            positions[row, second:] = np.arange(first, first + T - second)
            hidden[row, 0, second:, first:second] = HIDDEN
            # A token is predicted from the one before it: the first of each version from the end of the prefix.
            for version, begin in ((item.before, first), (item.after, second)):
                places += [row * T + (first - 1 if i == 0 else begin + i - 1) for i in range(len(version))]
                wanted += version
        given = {
            "x": self._embedding[ids].astype(np.float32),
            "last": np.full(B, T - 1, np.int32),
            "total": np.array(T, np.int32),
            "positions": positions,
            "hidden": hidden,
            "places": np.array(places, np.int64),
            "wanted": np.array(wanted, np.int64)[:, None],
        }
        return given, wanted


class _VersionsGraph(LlamaGraph):
    """The network on whole texts without a memory. It computes only the likelihoods that are wanted."""

    def attention(self, together: str, layer: int, turns: Sequence[str]) -> str:
        # The operator itself would rotate the tokens by their places in the sequence.
        size = self.width // self.heads
        sizes = self.constant(np.array([self.width, self.kv_heads * size, self.kv_heads * size]))
        queries, keys, values = self.do_all("Split", 3, together, sizes, axis=-1)
        turned = (
            self.do("RotaryEmbedding", part, "positions", *turns, domain=MICROSOFT, interleaved=1)
            for part in (queries, keys)
        )
        mixed = f"mixed_{layer}"
        self.named(
            "GroupQueryAttention",
            [*turned, values, "", "", "last", "total", "", "", "", "hidden"],
            [mixed, f"keys_{layer}", f"values_{layer}"],
            domain=MICROSOFT,
            num_heads=self.heads,
            kv_num_heads=self.kv_heads,
        )
        return mixed

    def network(self) -> bytes:
        from onnx import TensorProto, helper

        flat = self.do("Reshape", self.states(), self.constant(np.array([-1, self.width])))
        logits = self.logits(self.do("Gather", flat, "places", axis=0))
        own = self.do("GatherElements", logits, "wanted", axis=1)
        self.named("Sub", [own, self.do("ReduceLogSumExp", logits, axes=[1], keepdims=1)], ["log_p"])
        numbers = helper.make_tensor_value_info
        inputs = [
            numbers("x", TensorProto.FLOAT, ["rows", "tokens", self.width]),
            numbers("last", TensorProto.INT32, ["rows"]),
            numbers("total", TensorProto.INT32, []),
            numbers("positions", TensorProto.INT64, ["rows", "tokens"]),
            numbers("hidden", TensorProto.FLOAT, ["rows", 1, "tokens", "tokens"]),
            numbers("places", TensorProto.INT64, ["wanted"]),
            numbers("wanted", TensorProto.INT64, ["wanted", 1]),
        ]
        outputs = [numbers("log_p", TensorProto.FLOAT, ["wanted", 1])]
        return self.serialized("versions", inputs, outputs, opsets={"": OPSET, MICROSOFT: 1})
