"""A hash of what the methods see of a dataset, the same for every file format and batch size."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import polars as pl
import pyarrow as pa

from longway.data.columns import Columns


class Fingerprint:
    """SHA-256 over the column names and, for each role, the bytes and the lengths of its cells in order."""

    def __init__(self, columns: Columns) -> None:
        self._names = json.dumps([columns.text, columns.context, columns.label])
        self._hashes = {role: (hashlib.sha256(), hashlib.sha256()) for role in ("text", "context", "label")}

    def add(self, texts: pl.Series, contexts: pl.Series | None, labels: pl.Series) -> None:
        """Take in some more rows."""
        self._add("text", texts)
        self._add("label", labels)
        if contexts is not None:
            self._add("context", contexts)

    def hexdigest(self) -> str:
        """The hash so far, with the name of its kind."""
        whole = hashlib.sha256(self._names.encode())
        for contents, lengths in self._hashes.values():
            whole.update(contents.digest() + lengths.digest())
        return f"sha256:{whole.hexdigest()}"

    def _add(self, role: str, series: pl.Series) -> None:
        contents, lengths = self._hashes[role]
        for chunk in pa.chunked_array([series.to_arrow()]).cast(pa.large_string()).chunks:
            _, offset_buffer, data = chunk.buffers()
            offsets = np.frombuffer(offset_buffer, dtype=np.int64)[
                chunk.offset : chunk.offset + len(chunk) + 1
            ]
            lengths.update(np.diff(offsets).tobytes())
            if data is not None and len(chunk):
                contents.update(memoryview(data)[offsets[0] : offsets[-1]])
