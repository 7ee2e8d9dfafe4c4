"""The embedded model (SmolLM2, a Llama) in numpy: the likelihood of each token of a text, given those before it.

    tokens -> embedding -> [norm -> attention -> + -> norm -> gated dense -> +] x layers -> norm -> logits over the vocabulary

Texts are padded on the right: later tokens do not affect earlier ones. Each begins with the token that separated texts in training, so
that its first word has a likelihood too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import by_length
from longway.engines.model_files import fingerprint, installed_model
from longway.engines.scoring import ScoredText, TokenScores, refuse_long, scored_places
from longway.engines.scoring.gguf_weights import Floats, GgufFile, GgufSettings, read_gguf
from longway.errors import MissingExtra, SettingError

Ints = NDArray[np.int64]

TOKENS_A_BATCH = 1024
LOGITS_AT_ONCE = 128  # tokens: each has a logit for the whole vocabulary
BETWEEN_TEXTS = "<|endoftext|>"
VERSION = 1  # increases when the same file would give other numbers


class EmbeddedModel:
    """The small model that Longway installs, loaded on first use. model_path: another GGUF file of a Llama."""

    kind: Literal["causal", "masked"] = "causal"

    def __init__(self, model_path: Path | None = None) -> None:
        self.path = model_path or installed_model()

    @property
    def identity(self) -> Mapping[str, object]:
        """The file and how it is read."""
        return {"model": self.path.name, "sha256": fingerprint(self.path), "reading": VERSION}

    def scores(self, asks: Sequence[ScoredText]) -> list[TokenScores]:
        """The scored tokens of each text."""
        tokenizer, llama = self._tokenizer, self._llama
        encoded = [tokenizer.encode(ask.text, add_special_tokens=False) for ask in asks]
        chosen = [scored_places(ask, text.offsets) for ask, text in zip(asks, encoded, strict=True)]
        for ask, text in zip(asks, encoded, strict=True):
            refuse_long(ask.text, len(text.ids), llama.most_tokens - 1)
        ids = [text.ids for text in encoded]
        log_p = llama.log_likelihoods(ids, start=tokenizer.token_to_id(BETWEEN_TEXTS))
        return [
            TokenScores(tuple(own[i] for i in places), tuple(float(values[i]) for i in places))
            for own, places, values in zip(ids, chosen, log_p, strict=True)
        ]

    @cached_property
    def _file(self) -> GgufFile:
        return read_gguf(self.path)

    @cached_property
    def _llama(self) -> Llama:
        return Llama(self._file)

    @cached_property
    def _tokenizer(self) -> Any:
        return tokenizer_of(self._file.settings)


def tokenizer_of(settings: GgufSettings) -> Any:
    """The byte-pair tokenizer in a GGUF file's settings; each digit is a token."""
    try:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    except ImportError:
        raise MissingExtra(
            "tokenizers", extra="local", purpose="Scoring texts with the small model"
        ) from None
    if settings.get("tokenizer.ggml.pre") != "smollm":
        raise SettingError(
            f"The model's tokenizer {settings.get('tokenizer.ggml.pre')!r} is not supported. Expected 'smollm'. "
            "Use the model that Longway installs, or a Hugging Face folder: hf:FOLDER."
        )
    vocabulary = {token: number for number, token in enumerate(settings["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ")) for merge in settings["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


class Llama:
    """The network on unpacked weights."""

    def __init__(self, file: GgufFile) -> None:
        about, self._weights = file.settings, file.tensors
        if about.get("general.architecture") != "llama":
            raise SettingError(
                f"The model is a {about.get('general.architecture')!r}. A 'llama' was expected. "
                "Use the model that Longway installs, or a Hugging Face folder: hf:FOLDER."
            )
        self.most_tokens = int(about["llama.context_length"])
        self._layers = int(about["llama.block_count"])
        self._heads = int(about["llama.attention.head_count"])
        # Heads that share keys and values.
        self._shared = self._heads // int(about["llama.attention.head_count_kv"])
        self._tiny = np.float32(about["llama.attention.layer_norm_rms_epsilon"])
        self._base = float(about["llama.rope.freq_base"])
        self._out = self._weights.get("output.weight", self._weights["token_embd.weight"])

    def log_likelihoods(self, texts: Sequence[Sequence[int]], *, start: int) -> list[Floats]:
        """The log-likelihood of each token of each text."""
        found: list[Floats] = [np.zeros(0, np.float32)] * len(texts)
        for rows in by_length([len(text) for text in texts], size=TOKENS_A_BATCH):
            longest = max(len(texts[row]) for row in rows)
            ids = np.full((len(rows), longest + 1), start, np.int64)
            for place, row in enumerate(rows):
                ids[place, 1 : len(texts[row]) + 1] = texts[row]
            states = self._states(ids[:, :-1])
            values = self._of_next(states.reshape(-1, states.shape[-1]), ids[:, 1:].reshape(-1))
            for row, own in zip(rows, values.reshape(len(rows), longest), strict=True):
                found[row] = own[: len(texts[row])]
        return found

    def _states(self, ids: Ints) -> Floats:
        """The last states: (B, T, C)."""
        B, T = ids.shape
        x = self._weights["token_embd.weight"][ids].reshape(B * T, -1)
        turns = self._turns(T)
        for layer in range(self._layers):
            name = f"blk.{layer}."
            x = x + self._attended(self._normed(x, f"{name}attn_norm"), name, B, T, turns)
            h = self._normed(x, f"{name}ffn_norm")
            gate = self._dense(h, f"{name}ffn_gate")
            gate /= 1 + np.exp(-np.clip(gate, -80, 80))
            x = x + self._dense(gate * self._dense(h, f"{name}ffn_up"), f"{name}ffn_down")
        return self._normed(x, "output_norm").reshape(B, T, -1)

    def _attended(self, x: Floats, name: str, B: int, T: int, turns: tuple[Floats, Floats]) -> Floats:
        q, k, v = (
            self._dense(x, f"{name}attn_{part}")
            .reshape(B, T, -1, x.shape[1] // self._heads)
            .transpose(0, 2, 1, 3)
            for part in "qkv"
        )  # each (B, heads, T, head width); k and v have fewer heads
        q, k = _turned(q, *turns), _turned(k, *turns)
        k, v = (np.repeat(part, self._shared, axis=1) for part in (k, v))
        scores = q @ k.transpose(0, 1, 3, 2) * np.float32(q.shape[-1] ** -0.5)  # (B, heads, T, T)
        scores += np.triu(np.full((T, T), -np.inf, np.float32), 1)  # no token sees a later one
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = np.asarray(scores @ v, np.float32).transpose(0, 2, 1, 3).reshape(B * T, -1)
        return self._dense(mixed, f"{name}attn_output")

    def _turns(self, T: int) -> tuple[Floats, Floats]:
        """Cosine and sine of each position's rotation: (T, half of a head's width)."""
        width = self._weights["blk.0.attn_q.weight"].shape[0] // self._heads
        angles = np.outer(np.arange(T), self._base ** (-np.arange(0, width, 2) / width))
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def _dense(self, x: Floats, name: str) -> Floats:
        return np.asarray(x @ self._weights[f"{name}.weight"].T)

    def _normed(self, x: Floats, name: str) -> Floats:
        size = np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self._tiny)
        return np.asarray(x / size * self._weights[f"{name}.weight"])

    def _of_next(self, states: Floats, wanted: Ints) -> Floats:
        """The log-likelihood of the wanted token after each state, a few states at a time."""
        found = np.empty(len(states), np.float32)
        for at in range(0, len(states), LOGITS_AT_ONCE):
            logits = states[at : at + LOGITS_AT_ONCE] @ self._out.T  # (some, vocabulary)
            logits -= logits.max(axis=1, keepdims=True)
            own = logits[np.arange(len(logits)), wanted[at : at + LOGITS_AT_ONCE]]
            found[at : at + LOGITS_AT_ONCE] = own - np.log(np.exp(logits).sum(axis=1))
        return found


def _turned(x: Floats, cosine: Floats, sine: Floats) -> Floats:
    """Rotary positions: each pair of neighbouring numbers is rotated by its position's angle. x: (B, heads, T, width)."""
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = np.empty_like(x)
    turned[..., 0::2] = even * cosine - odd * sine
    turned[..., 1::2] = even * sine + odd * cosine
    return turned
