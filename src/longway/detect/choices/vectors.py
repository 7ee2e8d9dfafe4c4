"""What a sentence encoder sees in the candidates, without the prompt: their meaning, and how far each is from the others of its question.

questions  ->  a random part that fits the budget  ->  the start of each candidate  ->  encoder  ->  features for a ranker
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from longway.detect.choices.patterns import Candidates
from longway.detect.choices.ranker import Sets
from longway.errors import LongwayError, MissingExtra
from longway.language_names import ENGLISH, UNKNOWN
from longway.languages.row_languages import main_language
from longway.models import minilm, multilingual
from longway.models.encoders import CachedEncoder, VectorCache, encoder_named
from longway.models.minilm import MiniLM
from longway.models.multilingual import MINILM, MULTILINGUAL, encoder_for
from longway.models.onnx_graph import can_run

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_TOKENS = 64  # of a candidate; the rest is cut
MAX_CHARACTERS = 16 * MAX_TOKENS  # cut before the text is divided into tokens
BUDGET = 100_000  # tokens of all candidates: about 45 s of processor time on a slow core
REPAIR_BUDGET = 4 * BUDGET  # of a repair, in which every question must be read
MOST_QUESTIONS = 5000
TEXTS_AT_ONCE = 256  # between two reports of progress
VECTOR_PENALTY = 1000.0  # of each number of the vectors


class Embedding(Protocol):
    """Turns texts into vectors."""

    def embedded(self, texts: Sequence[str]) -> NDArray[Any]:
        """One vector of length 1 for each text."""
        ...


class Encoder(Embedding, Protocol):
    """Turns the start of texts into vectors."""

    def n_tokens(self, texts: Sequence[str]) -> Ints:
        """The tokens of each text that are read."""
        ...


class EmbeddedEncoder:
    """An embedded sentence encoder, "minilm" or "multilingual". cache: a file that keeps vectors by the content of their texts."""

    def __init__(self, name: str = MINILM, cache: Path | None = None) -> None:
        self.name, self._encoder = name, encoder_named(name, rounded=True)
        self._vectors = CachedEncoder(self._encoder, VectorCache(cache), max_tokens=MAX_TOKENS)

    def embedded(self, texts: Sequence[str]) -> NDArray[Any]:
        """One vector of length 1 for each text."""
        return self._vectors([text[:MAX_CHARACTERS] for text in texts])

    def n_tokens(self, texts: Sequence[str]) -> Ints:
        """The tokens of each text that are read; about, for the multilingual encoder, which is many times as fast."""
        if not isinstance(self._encoder, MiniLM):
            return np.array([min(len(text) // 4 + 1, MAX_TOKENS) for text in texts], dtype=np.int64)
        read = self._encoder.tokenized([(text[:MAX_CHARACTERS], None) for text in texts], MAX_TOKENS)
        return np.array([len(ids) for ids, _ in read], dtype=np.int64)


def encoder_of(texts: Sequence[str], cache: Path | None = None) -> tuple[Encoder | None, str]:
    """The embedded encoder that knows the language of most of these texts, and why there is none; "" if there is one."""
    main = main_language(texts)
    try:
        name = encoder_for([ENGLISH if main == UNKNOWN else main])
    except LongwayError as error:
        return None, str(error)
    return (EmbeddedEncoder(name, cache) if name != MINILM or is_installed() else None), ""


def installed() -> list[str]:
    """The embedded encoders that are installed: with others, a run finds something else."""
    return [MINILM] * is_installed() + [MULTILINGUAL] * multilingual.is_installed()


def is_installed() -> bool:
    """Whether the sentence encoder and what runs it are installed."""
    try:
        minilm.model_folder()
    except MissingExtra:
        return False
    return can_run()


def sampled(given: Candidates, encoder: Encoder, seed: int, budget: int = BUDGET) -> Ints:
    """The questions that the encoder reads: all of them, or a random part whose candidates have as many tokens as the budget allows."""
    order = np.random.default_rng(seed).permutation(len(given.questions))[:MOST_QUESTIONS]
    texts = [text for at in order for text in given.questions[at].candidates]
    ends = np.cumsum(given.sets.sizes[order])
    spent = np.cumsum(encoder.n_tokens(texts))[ends - 1]
    return np.sort(order[: max(1, int((spent <= budget).sum()))])


def reads_all(given: Candidates, encoder: Encoder, budget: int) -> bool:
    """Whether the budget is enough for all questions."""
    return len(sampled(given, encoder, 0, budget)) == len(given.questions)


def vectors_of(
    texts: Sequence[str],
    encoder: Embedding,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> NDArray[np.float32]:
    """The vector of each text; equal texts are read once, and texts of similar length together."""
    different = sorted(set(texts), key=len)
    parts = []
    for start in range(0, len(different), TEXTS_AT_ONCE):
        progress(start, len(different))
        parts.append(encoder.embedded(different[start : start + TEXTS_AT_ONCE]))
    progress(len(different), len(different))
    index = {text: i for i, text in enumerate(different)}
    return np.concatenate(parts).astype(np.float32)[[index[text] for text in texts]]


def within(values: NDArray[Any], sets: Sets) -> Floats:
    """Values less the mean of their question, in standard deviations over all questions."""
    mean = np.add.reduceat(values, sets.starts[:-1]) / sets.sizes[:, None]
    away = values - mean[sets.question]
    spread = np.sqrt((away**2).mean(axis=0))
    return np.asarray(away / np.where(spread > 1e-12, spread, 1), dtype=np.float64)


def closeness(vectors: NDArray[Any], sets: Sets) -> Floats:
    """For each candidate its mean cosine with the others of its question, and that with the closest one."""
    found = np.zeros((len(vectors), 2))
    for start, end in zip(sets.starts, sets.starts[1:], strict=False):
        cosines = vectors[start:end] @ vectors[start:end].T
        np.fill_diagonal(cosines, -np.inf)
        found[start:end, 1] = cosines.max(axis=1)
        np.fill_diagonal(cosines, 0)
        found[start:end, 0] = cosines.sum(axis=1) / (end - start - 1)
    return found
