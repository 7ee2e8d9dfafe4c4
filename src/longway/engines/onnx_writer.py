"""The small model with the writer's adapter merged into its weights, run in this process by ONNX Runtime.

    model = loaded_with(path, adapter)              both GGUF files; loaded once, shared by all engines
    model.draw(lines, [0.7, 0.7, 0.9], ...)         one continuation per temperature, generated side by side
    model.likelihoods(lines, options)               log-likelihoods of each option as the continuation
    lowered(words, tokenizer)                       logit changes that make words less likely

No state is kept between calls: the same call gives the same answer on the same machine. Other machines and versions may
differ in the last digits, and so in what is drawn.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from longway.engines.llama_onnx import LlamaOnnx, with_adapter
from longway.engines.scoring.gguf_weights import open_gguf, read_settings
from longway.engines.scoring.llama import BETWEEN_TEXTS, tokenizer_of
from longway.errors import CallFailed, EngineError, SettingError

T = TypeVar("T")
MAX_INPUT = 1024  # tokens
TOKENS_AT_ONCE = 6144  # cached for all continuations together: 46 KB each
COMPACT_AFTER = 4  # continuations that must have ended before the cache is compacted
MIN_RELATIVE = 0.02  # tokens less likely than this share of the likeliest one are never drawn
LOWER_BY = -6.0  # added to a logit: a token drawn 99 times in 100 is then drawn one time in five
SHORTEST = 4  # letters that the first of several tokens must have
MOST_OF = 0.6  # share of the word's letters that it must have
_LINE_END, _SPACE = "Ċ", "Ġ"  # as written in the vocabulary
_ENDS = (BETWEEN_TEXTS, "<|im_end|>")


@dataclass(frozen=True, slots=True)
class Draw:
    """One continuation. ended: it reached the end of its line; log_likelihood: mean over its tokens."""

    text: str
    ended: bool
    tokens: int
    log_likelihood: float


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

    async def in_worker(self, call: Callable[..., T], *values: Any) -> T:
        """The result of a call, computed in the model's thread so that the event loop stays free."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, call, *values)

    def draw(
        self,
        lines: str,
        temperatures: Sequence[float],
        *,
        top_p: float,
        max_tokens: int,
        seed: int,
        biases: Mapping[int, float] | None = None,
    ) -> list[Draw]:
        """One continuation per temperature, up to the end of its line or `max_tokens`. biases: added to the logits of some tokens."""
        ids = self._ids(lines)
        together = max(1, TOKENS_AT_ONCE // (len(ids) + max_tokens))
        draws: list[Draw] = []
        for at in range(0, len(temperatures), together):
            rows = range(at, min(at + together, len(temperatures)))
            generators = [np.random.default_rng([seed, row]) for row in rows]
            draws += self._draw(
                ids, temperatures[at : rows.stop], generators, top_p, max_tokens, biases or {}
            )
        return draws

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

    def _draw(
        self,
        ids: list[int],
        temperatures: Sequence[float],
        generators: Sequence[np.random.Generator],
        top_p: float,
        max_tokens: int,
        biases: Mapping[int, float],
    ) -> list[Draw]:
        biased, amounts = list(biases), np.array(list(biases.values()), np.float32)
        written: list[list[int]] = [[] for _ in temperatures]
        totals, ended = [0.0] * len(written), [False] * len(written)
        decoding = self._network.read(ids, rows=len(written), room=max_tokens)
        active = list(range(len(written)))  # the continuation in each row of the decoding
        for _ in range(max_tokens):
            chosen = []
            for row, i in enumerate(active):
                log_p = decoding.log_p[row]
                if biased:
                    log_p = log_p.copy()
                    log_p[biased] += amounts
                at = float(generators[i].random())
                token = draw_token(log_p, temperature=temperatures[i], top_p=top_p, at=at)
                if not ended[i]:
                    ended[i] = token in self._ends
                    written[i].append(token)
                    totals[i] += float(decoding.log_p[row, token])
                chosen.append(token)
            if all(ended[i] for i in active):
                break
            going = [row for row, i in enumerate(active) if not ended[i]]
            if len(active) - len(going) >= COMPACT_AFTER:
                decoding.keep(going)
                active, chosen = [active[row] for row in going], [chosen[row] for row in going]
            decoding.advance(chosen)
        return [
            Draw(
                self._tokenizer.decode([token for token in tokens if token not in self._ends]).strip(),
                end,
                len(tokens),
                total / max(1, len(tokens)),
            )
            for tokens, end, total in zip(written, ended, totals, strict=True)
        ]


def draw_token(log_p: NDArray[np.float32], *, temperature: float, top_p: float, at: float) -> int:
    """A token drawn from a distribution.

    Rare tokens are removed before the temperature is applied, so that a high temperature gives other words, not nonsense.
    temperature: 0 gives the likeliest token. top_p: tokens are drawn from the likeliest ones that together have this share.
    at: a random number from 0 to 1, which selects the token.
    """
    most = log_p.max()
    if temperature <= 0:
        return int(log_p.argmax())
    tokens = np.flatnonzero(log_p >= most + np.log(MIN_RELATIVE))
    tokens = tokens[np.argsort(-log_p[tokens], kind="stable")]
    shares = np.exp(log_p[tokens].astype(np.float64))
    within = np.cumsum(shares) - shares < top_p  # includes the token that reaches the share
    weights = np.exp((log_p[tokens[within]] - most).astype(np.float64) / temperature)
    place = np.searchsorted(np.cumsum(weights), at * weights.sum(), side="right")
    return int(tokens[min(int(place), len(weights) - 1)])


def lowered(words: Iterable[str], tokenizer: Any) -> dict[int, float]:
    """Logit changes that make these words less likely, by token. Phrases are ignored: their words are too common.

    A ban would be too strict: if nothing else fits, the word is better than nonsense. A word of one token is lowered in the forms
    it occurs in: inside a text, at its start, after a bracket. Of several tokens, the first is lowered if it is most of the
    word: " disappoint" of "disappointing", but not " over" of "overlong".
    """
    tokens = (_token_of(form, tokenizer) for word in words for form in _forms(word.strip().lower()))
    return {token: LOWER_BY for token in tokens if token is not None}


@lru_cache(maxsize=2)
def tokenizer_in(model_path: Path) -> Any:
    """The tokenizer of a GGUF file."""
    return tokenizer_of(read_settings(model_path))


def _forms(word: str) -> Iterator[str]:
    if word == "n't":
        yield from ("'t", "’t")
    elif word.isalpha() and len(word) > 1:
        yield from (f" {word}", f" {word.capitalize()}")
        if len(word) >= SHORTEST:  # without a leading space, a short word is part of many others
            yield word


def _token_of(form: str, tokenizer: Any) -> int | None:
    ids = tokenizer.encode(form, add_special_tokens=False).ids
    if len(ids) == 1:
        return int(ids[0])
    n_letters = len(tokenizer.id_to_token(ids[0]).lstrip(_SPACE))
    is_specific = n_letters >= max(SHORTEST, MOST_OF * len(form.strip()))
    return int(ids[0]) if is_specific and form.startswith(" ") else None


_loading = threading.Lock()
_models: WeakValueDictionary[tuple[str, str], OnnxWriter] = WeakValueDictionary()
