"""Vectors of texts from a frozen sentence encoder, cached by content.

    text  ->  sentences spread evenly over it, up to MAX_WORDS words  ->  a unit vector each  ->  their mean, scaled to length 1

A long text is the mean of its sentences and not "any sentence shows it": the latter would be true of more long texts than short ones, and so
be one more measure of length. The encoder runs with products in 8 bits (cosine to the exact vectors 0.999), which takes half the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from longway.errors import DataError
from longway.models.encoders import TextEncoder, VectorCache, Vectors, encoder_named
from longway.models.multilingual import MINILM
from longway.text.sentences import sentences_of

MAX_WORDS = 64  # of a text that are read: the encoder takes most of the time of the level
MAX_TOKENS = 128  # of a sentence
AT_ONCE = 256  # texts between two reports of progress


def excerpt(text: str, *, words: int = MAX_WORDS) -> list[str]:
    """Sentences of the text, spread evenly over it, with about so many words in all; a sentence that is too long is cut.

    >>> excerpt("One two. Three four. Five six. Seven eight.", words=4)
    ['One two.', 'Five six.']
    """
    return [
        sentence if len(sentence.split()) <= words else " ".join(sentence.split()[:words])
        for sentence in sentences_read(text, words=words)
    ]


def sentences_read(text: str, *, words: int = MAX_WORDS) -> list[str]:
    """The sentences of the text that `excerpt` is made of, whole."""
    sentences = sentences_of(text)
    total = sum(len(sentence.split()) for sentence in sentences)
    return sentences[:: max(1, round(total / words))] if total > words else sentences


def unit_rows(vectors: Vectors) -> Vectors:
    """The vectors scaled to length 1; zeros stay zeros."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)


class TextVectors:
    """Computes one vector of length 1 for each text. encoder: "minilm", "multilingual", a name on the Hugging Face hub, or a folder. cache: a file to keep vectors in."""

    def __init__(self, encoder: str = MINILM, *, cache: Path | None = None) -> None:
        self.encoder, self.cache = encoder, cache

    def of(
        self, texts: Sequence[str], *, progress: Callable[[int, int], object] = lambda done, total: None
    ) -> Vectors:
        """(n, width). Equal texts are computed once, cached ones not at all."""
        parts = []
        for start in range(0, len(texts), AT_ONCE):
            part = texts[start : start + AT_ONCE]
            parts.append(self._cache.rows(self._model, part, self._compute))
            progress(start + len(part), len(texts))
        return np.concatenate(parts) if parts else self._compute([])

    @cached_property
    def _cache(self) -> VectorCache:
        return VectorCache(self.cache)

    @cached_property
    def _model(self) -> str:
        return f"{self._encoder.base_hash}/mean of {MAX_WORDS} words, {MAX_TOKENS} tokens"

    @cached_property
    def _encoder(self) -> TextEncoder:
        return encoder_named(self.encoder, rounded=True)

    def _compute(self, texts: Sequence[str]) -> Vectors:
        cut = [excerpt(text) or [""] for text in texts]
        found = np.asarray(
            self._encoder.embed([one for some in cut for one in some], max_tokens=MAX_TOKENS), np.float32
        )
        if not cut:
            return found
        if bad := int((~np.isfinite(found).all(axis=1)).sum()):
            raise DataError(
                f"The encoder {self.encoder} returned vectors with values that are not finite for {bad:,} of {len(found):,} sentences. "
                "Its files may be damaged, or its numbers too coarse (float16). Use another encoder: --encoder minilm."
            )
        found = unit_rows(found)
        starts = np.cumsum([0, *map(len, cut)])[:-1]
        return unit_rows(np.add.reduceat(found, starts, axis=0))
