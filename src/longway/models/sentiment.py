"""Sentiment: how likely does a short English text praise? A linear head on the vectors of the sentence encoder.

    text  ->  MiniLM's vector of the text  ->  the probability that the text praises

`sentiment_model/weights.safetensors` holds the head, 2 kB; the card beside it has data, figures and limits.
`train/sentiment_head.py` produced it. Whoever has the vectors already needs no second pass over the texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longway.errors import RunError
from longway.models.minilm import Floats, tidied

MAX_TOKENS = 128
MODEL = Path(__file__).parent / "sentiment_model"


@dataclass(frozen=True, slots=True)
class SentimentHead:
    """The linear head. weight: one number per column of the vectors. version: changes with the head."""

    weight: Floats
    bias: float
    version: str = ""

    @classmethod
    def load(cls) -> SentimentHead:
        """The head of the package, read once."""
        return _load()

    def positive(self, vectors: Floats) -> NDArray[np.float64]:
        """The probability that each text praises, given the vectors of `readable` texts: (n,)."""
        logits = (vectors @ self.weight + self.bias).astype(np.float64)
        return 1 / (1 + np.exp(-logits))


def readable(texts: Sequence[str]) -> list[str]:
    """The texts as the head learned them: without the marks of a treebank."""
    return [tidied(text) for text in texts]


@cache
def _load() -> SentimentHead:
    path = MODEL / "weights.safetensors"
    if not path.exists():
        raise RunError(
            f"{path.name} is missing from the package. The sentiment model was expected in {MODEL.name}/. "
            "Install longway again."
        )
    from safetensors.numpy import load_file

    head = load_file(path)
    version = blake2b(path.read_bytes(), digest_size=8).hexdigest()
    return SentimentHead(head["weight"], float(head["bias"][0]), version)
