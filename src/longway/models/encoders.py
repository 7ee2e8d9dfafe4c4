"""Sentence encoders by name, and vectors that are computed once.

encoder = encoder_named("minilm", rounded=True)                       the encoder with products in 8 bits
CachedEncoder(encoder, VectorCache(path), max_tokens=64)(texts)       (n, width); cached texts are not computed
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, Self
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from longway.models.minilm import MiniLM
from longway.models.multilingual import MINILM, MULTILINGUAL, Multilingual, encoder_for
from longway.store.journal import sqlite_errors

Vectors = NDArray[np.float32]
Compute = Callable[[list[str]], NDArray[np.floating]]

AT_ONCE = 256  # texts computed between two commits: what an interrupted run loses
_KEYS_PER_QUERY = 500  # SQLite limits the number of parameters


class TextEncoder(Protocol):
    """Computes vectors of texts. base_hash: changes with its files."""

    @property
    def base_hash(self) -> str:
        """A hash of the encoder."""
        ...

    def embed(self, texts: Sequence[str], *, max_tokens: int) -> Vectors:
        """One vector per text, of so many of its tokens."""
        ...


class RowCache(Protocol):
    """Keeps rows of numbers."""

    def rows(self, model: str, items: Sequence[str], compute: Compute) -> Vectors:
        """One row per item; those that are missing are computed. model: everything else that determines the output of `compute`."""
        ...


def encoder_named(name: str, *, rounded: bool = False, device: str = "auto") -> TextEncoder:
    """An encoder: "minilm", "multilingual", a name on the Hugging Face hub, or a folder.

    rounded: MiniLM with products in 8 bits, in half the time; the cosine to its exact vectors is 0.999. device: for those that need torch.
    """
    if name == MINILM:
        return MiniLM.load().rounded if rounded else MiniLM.load()
    if name == MULTILINGUAL:
        return Multilingual()
    from longway.models.pretrained import Pretrained

    return Pretrained.load(name, device=device)


class CachedEncoder:
    """Vectors of texts, each computed once. max_tokens: of a text, the rest is cut."""

    def __init__(self, encoder: TextEncoder, cache: RowCache, *, max_tokens: int = 128) -> None:
        self.encoder, self.cache, self.max_tokens = encoder, cache, max_tokens

    @classmethod
    def of(cls, languages: Sequence[str], cache: RowCache) -> Self:
        """The embedded encoder that knows these languages; LongwayError if there is none, or it is not installed."""
        return cls(encoder_named(encoder_for(languages), rounded=True), cache)

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """One vector per text: (n, width)."""
        model = f"{self.encoder.base_hash}/{self.max_tokens}"
        return self.cache.rows(model, texts, partial(self.encoder.embed, max_tokens=self.max_tokens))


class VectorCache:
    """Vectors of texts in a SQLite file, by a hash of the model and the text; the text itself is not stored.

    path: of the file, None to keep vectors in memory. Several processes may use one file.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        with self._readable_errors():
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
        # At the end of the program at the latest, so that SQLite leaves no files beside it.
        self.close = finalize(self, self._database.close)

    @staticmethod
    def delete(path: Path) -> None:
        """Delete the file of a cache, and what SQLite keeps beside it."""
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)

    def rows(self, model: str, items: Sequence[str], compute: Compute) -> Vectors:
        """(n, width), one row per text. Equal texts are computed once, cached ones not at all.

        model: identifies what computes, with its weights and settings; other models do not share vectors.
        """
        keys = [
            blake2b(f"{model}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
            for text in items
        ]
        vectors = self._get(keys)
        missing = {key: text for key, text in zip(keys, items, strict=True) if key not in vectors}
        waiting = list(missing)
        for start in range(0, len(waiting), AT_ONCE):
            batch = waiting[start : start + AT_ONCE]
            new = np.asarray(compute([missing[key] for key in batch]), np.float32)
            self._put(batch, new)
            vectors.update(zip(batch, new, strict=True))
        if not keys:
            return np.asarray(compute([]), np.float32)
        return np.stack([vectors[key] for key in keys])

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        rows: dict[bytes, bytes] = {}
        wanted = list(dict.fromkeys(keys))
        for start in range(0, len(wanted), _KEYS_PER_QUERY):
            batch = wanted[start : start + _KEYS_PER_QUERY]
            query = f"SELECT key, vector FROM vectors WHERE key IN ({','.join('?' * len(batch))})"
            with self._readable_errors():
                rows.update(self._database.execute(query, batch).fetchall())
        return {key: np.frombuffer(vector, np.float32) for key, vector in rows.items()}

    def _put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        rows = [(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._readable_errors():
            self._database.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            self._database.commit()

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        with sqlite_errors(
            self.path,
            what="cache of vectors",
            in_use="Delete it or choose another file: the cache of vectors only saves time.",
        ):
            yield
