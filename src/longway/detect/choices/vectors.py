"""What a sentence encoder sees in the candidates, without the prompt: their meaning, and how far each is from the others of its question.

questions  ->  a random part that fits the budget  ->  the start of each candidate  ->  encoder  ->  features for a ranker
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from longway.detect.choices.patterns import Candidates
from longway.detect.choices.ranker import Sets

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


class MultilingualEncoder:
    """The embedded sentence encoder of other languages. cache: a file that keeps vectors by the content of their texts."""

    def __init__(self, cache: Path | None = None) -> None:
        from longway.models.frozen import VectorCache
        from longway.models.multilingual import Multilingual

        self._model = Multilingual()
        self._cache = VectorCache(cache)

    def embedded(self, texts: Sequence[str]) -> NDArray[Any]:
        """One vector of length 1 for each text."""
        return self._cache.vectors(
            f"{self._model.base_hash}/{MAX_TOKENS}",
            list(texts),
            lambda missing: self._model.embed(missing, max_tokens=MAX_TOKENS),
        )

    def n_tokens(self, texts: Sequence[str]) -> Ints:
        """The tokens of each text that are read, about: it is many times as fast as MiniLM."""
        return np.array([min(len(text) // 4 + 1, MAX_TOKENS) for text in texts], dtype=np.int64)


class MiniLMEncoder:
    """The embedded sentence encoder with products in 8 bits. cache: a file that keeps vectors by the content of their texts."""

    def __init__(self, cache: Path | None = None) -> None:
        from longway.models.frozen import VectorCache
        from longway.models.minilm import MiniLM, model_folder
        from longway.models.saved import folder_hash

        self._model = MiniLM.load().rounded
        self._cache = VectorCache(cache)
        self._version = f"{folder_hash(model_folder())}/8 bits/{MAX_TOKENS}"

    def embedded(self, texts: Sequence[str]) -> NDArray[Any]:
        """One vector of length 1 for each text."""
        return self._cache.vectors(
            self._version,
            [text[:MAX_CHARACTERS] for text in texts],
            lambda missing: self._model.embed(missing, max_tokens=MAX_TOKENS),
        )

    def n_tokens(self, texts: Sequence[str]) -> Ints:
        """The tokens of each text that are read."""
        read = self._model.tokenized([(text[:MAX_CHARACTERS], None) for text in texts], MAX_TOKENS)
        return np.array([len(ids) for ids, _ in read], dtype=np.int64)


def encoder_of(texts: Sequence[str], cache: Path | None = None) -> tuple[Encoder | None, str]:
    """The embedded encoder that knows the language of most of these texts, and why there is none; "" if there is one."""
    from longway.errors import LongwayError
    from longway.language_names import ENGLISH, UNKNOWN
    from longway.languages.row_languages import main_language
    from longway.models.multilingual import MINILM, encoder_for

    main = main_language(texts)
    try:
        if encoder_for([ENGLISH if main == UNKNOWN else main]) != MINILM:
            return MultilingualEncoder(cache), ""
    except LongwayError as error:
        return None, str(error)
    return (MiniLMEncoder(cache), "") if is_installed() else (None, "")


def installed() -> list[str]:
    """The embedded encoders that are installed: with others, a run finds something else."""
    from longway.models.multilingual import MINILM, MODULE, MULTILINGUAL

    return [MINILM] * is_installed() + [MULTILINGUAL] * (find_spec(MODULE) is not None)


def is_installed() -> bool:
    """Whether the sentence encoder and what runs it are installed."""
    from longway.errors import MissingExtra
    from longway.models.minilm import model_folder

    try:
        model_folder()
    except MissingExtra:
        return False
    return all(find_spec(name) is not None for name in ("onnx", "onnxruntime"))


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
