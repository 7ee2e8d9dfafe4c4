"""Cache of model outputs per text: in memory during the run, in the journal for the next.

cache = ModelCache(journal)
cache.rows("minilm 1.0", texts, encoder.embed)     one row of numbers per text, computed on a cache miss
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from longway.shard_map import in_shards
from longway.store.journal import Journal, JournalEntry, key_of

Floats = NDArray[np.float32]
T = TypeVar("T", str, tuple[str, str])
AT_ONCE = 64  # rows computed before they are written to disk; a shard of other processes
MAX_CACHED = 200_000  # rows kept in memory


class ModelCache:
    """Rows of numbers, keyed on what they were computed from.

    journal: keeps them, and may compute them in other processes; None keeps them in memory only.
    """

    def __init__(self, journal: Journal | None = None) -> None:
        self.journal = journal
        self._known: dict[str, Floats] = {}

    def rows(
        self, model: str, items: Sequence[T], compute: Callable[[list[T]], NDArray[np.floating]]
    ) -> Floats:
        """One row per item: (n, columns). model: everything else that determines the output of `compute`."""
        keys = [key_of({"model": model, "item": item}) for item in items]
        if len(self._known) > MAX_CACHED:
            self._known.clear()
        if self.journal is not None:
            unknown = dict.fromkeys(key for key in keys if key not in self._known)
            for key, answer in self.journal.get_all(unknown).items():
                self._known[key] = np.frombuffer(base64.b64decode(answer["row"]), "<f4")
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self._known}
        parts = list(in_shards(missing, AT_ONCE))
        shard_map = None if self.journal is None else self.journal.shard_map
        computed = (shard_map or map)(compute, (list(map(missing.__getitem__, part)) for part in parts))
        started = time.perf_counter()
        for part, rows in zip(parts, computed, strict=True):
            new = dict(zip(part, np.asarray(rows, "<f4"), strict=True))
            self._known |= new
            seconds = (time.perf_counter() - started) / len(new)
            if self.journal is not None:
                self.journal.put_all(
                    JournalEntry(
                        key,
                        "verify",
                        model,
                        {"row": base64.b64encode(row.tobytes()).decode()},
                        seconds=seconds,
                    )
                    for key, row in new.items()
                )
            started = time.perf_counter()
        known = [self._known[key] for key in keys]
        return np.stack(known) if known else np.zeros((0, 1), np.float32)
