"""Vectors of texts, computed once and kept: one SQLite file, found again by what was encoded and by which model.

    cache = VectorCache(path)                        None keeps them in memory
    cache.vectors(model, texts, compute)             (n, width); `compute` is asked for the texts that are not there yet

The key is a hash of the model's identity and the text; the text itself is not stored. Two processes may use one file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longway.errors import DataError

Floats = NDArray[np.float32]
Compute = Callable[[Sequence[str]], Floats]

AT_ONCE = 256  # texts computed between two commits: what a broken-off run loses
ASKED_AT_ONCE = 500  # SQLite allows some hundred marks in a question


class VectorCache:
    """Vectors by content."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        with self._told():
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            # Several processes may write the same file: each waits for the other.
            self._database = sqlite3.connect(
                ":memory:" if path is None else path, timeout=60, check_same_thread=False
            )
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
            )
            self._database.commit()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def vectors(self, model: str, texts: Sequence[str], compute: Compute) -> Floats:
        """(n, width), one row for each text. Equal texts are computed once, kept ones not at all.

        model: names what computes, weights and settings included; another one finds nothing of this one's.
        """
        keys = [_key(model, text) for text in texts]
        found = self._get(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        waiting = list(missing)
        for start in range(0, len(waiting), AT_ONCE):
            some = waiting[start : start + AT_ONCE]
            new = np.asarray(compute([missing[key] for key in some]), np.float32)
            self._put(some, new)
            found.update(zip(some, new, strict=True))
        if not keys:
            return np.asarray(compute([]), np.float32)
        return np.stack([found[key] for key in keys])

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, Floats]:
        found: dict[bytes, bytes] = {}
        wanted = list(dict.fromkeys(keys))
        for start in range(0, len(wanted), ASKED_AT_ONCE):
            some = wanted[start : start + ASKED_AT_ONCE]
            query = f"SELECT key, vector FROM vectors WHERE key IN ({','.join('?' * len(some))})"
            with self._told():
                found.update(self._database.execute(query, some).fetchall())
        return {key: np.frombuffer(vector, np.float32) for key, vector in found.items()}

    def _put(self, keys: Sequence[bytes], vectors: Floats) -> None:
        rows = [(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._told():
            self._database.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            self._database.commit()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DataError(
                f"The cache of vectors {self.path} cannot be used ({error}). It must be a file that Longway wrote, in a folder "
                "that can be written to. Delete it or name another one: it only saves time."
            ) from None


def _key(model: str, text: str) -> bytes:
    return blake2b(f"{model}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
