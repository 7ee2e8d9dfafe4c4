"""Analyses kept on disk, found again by what was analysed and by which pipeline.

One SQLite file. The key is a hash of the pipeline's fingerprint and the text, so a text that changes, or a pipeline that
does, is analysed anew. The text itself is not stored. A damaged entry is as good as none; a damaged file says so.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self

from longway.errors import DataError
from longway.text.document import Document, Word

_FORMAT = "1"  # what an entry looks like; a new one makes old entries unfindable
_COLUMNS = ("start", "end", "lemma", "upos", "tag", "morph", "head", "dep", "entity")


class AnalysisCache:
    """A file of analyses for one pipeline; use it as a context manager, or `close` it."""

    def __init__(self, path: Path, *, pipeline: str) -> None:
        self.path, self._pipeline = path, pipeline
        with self._told():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Several processes may write the same file: each waits for the other.
            self._database = sqlite3.connect(path, timeout=60, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS analyses (key BLOB PRIMARY KEY, words BLOB NOT NULL) WITHOUT ROWID"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write what is waiting and close the file."""
        with self._told():
            self._database.commit()
        self._database.close()

    def find(self, text: str) -> Document | None:
        """The analysis of a text, None where there is none."""
        query = "SELECT words FROM analyses WHERE key = ?"
        with self._told():
            row = self._database.execute(query, (self._key(text),)).fetchone()
        return _unpack(text, row[0]) if row else None

    def keep(self, document: Document) -> None:
        """Remember an analysis; it is on disk after the next `commit`."""
        entry = (self._key(document.text), _pack(document))
        with self._told():
            self._database.execute("INSERT OR REPLACE INTO analyses VALUES (?, ?)", entry)

    def commit(self) -> None:
        """Write everything kept so far to disk."""
        with self._told():
            self._database.commit()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DataError(
                f"The cache of analyses {self.path} cannot be used ({error}). It must be a file that Longway wrote, in a folder "
                "that can be written to. Delete it or name another one: it only saves time."
            ) from None

    def _key(self, text: str) -> bytes:
        parts = (_FORMAT, self._pipeline, text)
        return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _pack(document: Document) -> bytes:
    columns = [[getattr(word, name) for word in document.words] for name in _COLUMNS]
    return zlib.compress(json.dumps([columns, document.sentences]).encode(), level=1)


def _unpack(text: str, packed: bytes) -> Document | None:
    try:
        columns, sentences = json.loads(zlib.decompress(packed))
        words = tuple(
            Word(i, start, end, text[start:end], *rest)
            for i, (start, end, *rest) in enumerate(zip(*columns, strict=True))
        )
        return Document(text, words, tuple(map(tuple, sentences)))
    except (zlib.error, ValueError, TypeError):
        return None
