"""What a model said about a text, remembered: in memory for the run, in the journal for the next.

memory = Memory(journal)
memory.rows("minilm", version, texts, encoder.embed)     one row of numbers for each, computed where it is not known
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from longway.store.journal import Journal, key_of

Floats = NDArray[np.float32]
T = TypeVar("T", str, tuple[str, str])
AT_ONCE = 256  # rows that are computed before they are put on disk
MOST_KEPT = 200_000  # rows kept in memory


class Memory:
    """Rows of numbers by what they were computed from; journal: None keeps them in memory only."""

    def __init__(self, journal: Journal | None = None) -> None:
        self.journal = journal
        self._known: dict[str, Floats] = {}

    def rows(
        self, model: str, version: str, items: Sequence[T], compute: Callable[[list[T]], NDArray[np.floating]]
    ) -> Floats:
        """One row for each item: (n, columns). version: whatever else shapes what `compute` gives."""
        keys = [key_of({"model": model, "version": version, "item": item}) for item in items]
        self._recall(keys)
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self._known}
        waiting = list(missing.items())
        for start in range(0, len(waiting), AT_ONCE):
            self._compute(model, waiting[start : start + AT_ONCE], compute)
        found = [self._known[key] for key in keys]
        return np.stack(found) if found else np.zeros((0, 1), np.float32)

    def _recall(self, keys: Sequence[str]) -> None:
        if len(self._known) > MOST_KEPT:
            self._known.clear()
        if self.journal is None:
            return
        for key, answer in self.journal.get_all(
            dict.fromkeys(k for k in keys if k not in self._known)
        ).items():
            self._known[key] = np.frombuffer(base64.b64decode(answer["row"]), "<f4")

    def _compute(
        self, model: str, part: list[tuple[str, T]], compute: Callable[[list[T]], NDArray[np.floating]]
    ) -> None:
        started = time.perf_counter()
        rows = np.asarray(compute([item for _, item in part]), "<f4")
        seconds = (time.perf_counter() - started) / len(part)
        self._known.update({key: row for (key, _), row in zip(part, rows, strict=True)})
        if self.journal is not None:
            answers = [json.dumps({"row": base64.b64encode(row.tobytes()).decode()}) for row in rows]
            self.journal.put_all(
                (key, "verify", model, "{}", answer, 0.0, 0, 0, seconds)
                for (key, _), answer in zip(part, answers, strict=True)
            )
