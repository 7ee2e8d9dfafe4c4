"""A frozen pretrained encoder with softmax regression on its vectors: the encoder to use without a GPU.

    texts  ->  encoder  ->  one vector per text, cached on disk (`VectorCache`)  ->  softmax regression  ->  probabilities

A pair becomes [u, v, |u - v|, u * v] of the vectors u of its text and v of its context (Conneau et al. 2017). MiniLM runs in
ONNX Runtime and needs no torch; other encoders need it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar, Protocol, Self
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from longway.models.classifier import FitData, Floats, Inputs, check_kind
from longway.models.minilm import MiniLM, model_folder
from longway.models.multilingual import MINILM, MULTILINGUAL, Multilingual
from longway.models.saved import (
    SavedModel,
    check_base,
    folder_hash,
    load_arrays,
    save_arrays,
    settings_of,
)
from longway.models.softmax_regression import SoftmaxClassifier, SoftmaxRegression
from longway.store.journal import sqlite_errors

Vectors32 = NDArray[np.float32]
Compute = Callable[[Sequence[str]], Vectors32]

AT_ONCE = 256  # texts computed between two commits: what an interrupted run loses
_KEYS_PER_QUERY = 500  # SQLite limits the number of parameters


class TextEncoder(Protocol):
    """Computes vectors of texts. base_hash: changes with its files."""

    base_hash: str

    def embed(self, texts: Sequence[str], *, max_tokens: int) -> Vectors32:
        """One vector per text."""
        ...


@dataclass(eq=False)
class Frozen(SoftmaxClassifier):
    """Softmax regression on the vectors of a frozen encoder.

    encoder: "minilm", "multilingual", a name on the Hugging Face hub, or a folder. max_tokens: per text, the rest is cut.
    strength: inverse regularization (`softmax_regression.py`). cache: a file that keeps vectors between runs.
    """

    name: ClassVar[str] = "frozen"

    encoder: str = MINILM
    _: KW_ONLY
    strength: float = 0.01
    max_tokens: int = 256
    cache: Path | None = None
    device: str = "auto"
    seed: int = 0

    def features(self, inputs: Inputs) -> Floats:
        """(n, numbers): the vectors, standardized like the training rows."""
        return (self._raw(inputs) - self.mean_) / self.spread_

    def embedded(self, texts: Sequence[str]) -> Floats:
        """(n, width): the encoder's vectors, from the cache if they are in it."""
        model = f"{self._encoder.base_hash}/{self.max_tokens}"

        def compute(missing: Sequence[str]) -> Vectors32:
            return self._encoder.embed(missing, max_tokens=self.max_tokens)

        return self._vector_cache.vectors(model, texts, compute).astype(np.float64)

    def save(self, folder: Path) -> None:
        """Write the regression, and the hash of its encoder."""
        regression = self.regression_
        scaling = {"mean": self.mean_, "spread": self.spread_}
        save_arrays(folder, {**scaling, "weights": regression.weights, "bias": regression.bias})
        base_hash = self._encoder.base_hash
        SavedModel(self.name, self.labels_, self.pairs_, settings_of(self), base_hash).write(folder)

    @classmethod
    def load(cls, folder: Path, *, cache: Path | None = None, device: str = "auto") -> Self:
        """Read the classifier saved there. Raises SettingError if its encoder has changed."""
        about, arrays = SavedModel.read(folder), load_arrays(folder)
        model = cls(**about.settings or {}, cache=cache, device=device)
        check_base(model.encoder, about.base_hash, model._encoder.base_hash)
        model.labels_, model.pairs_ = about.labels, bool(about.pairs)
        model.mean_, model.spread_ = arrays["mean"], arrays["spread"]
        model.regression_ = SoftmaxRegression(arrays["weights"], arrays["bias"])
        return model

    def _fit(self, given: FitData) -> None:
        """Fit the regression to all rows."""
        self.pairs_ = given.is_pairs
        raw = self._raw(given.data.inputs)
        self.mean_ = raw.mean(axis=0)
        spread = raw.std(axis=0)
        self.spread_ = np.where(spread > 0, spread, 1)
        self._fit_regression((raw - self.mean_) / self.spread_, given, strength=self.strength)

    def _raw(self, inputs: Inputs) -> Floats:
        check_kind(inputs, pairs=self.pairs_)
        u = self.embedded(inputs.texts)
        if inputs.contexts is None:
            return u
        v = self.embedded(inputs.contexts)
        return np.hstack([u, v, np.abs(u - v), u * v])

    @cached_property
    def _vector_cache(self) -> VectorCache:
        return VectorCache(self.cache)

    @cached_property
    def _encoder(self) -> TextEncoder:
        if self.encoder == MINILM:
            return _MiniLMEncoder()
        if self.encoder == MULTILINGUAL:
            return Multilingual()
        from longway.models.pretrained import Pretrained

        return Pretrained.load(self.encoder, device=self.device)


class _MiniLMEncoder:
    """MiniLM without torch."""

    def __init__(self) -> None:
        self.base_hash = folder_hash(model_folder())

    def embed(self, texts: Sequence[str], *, max_tokens: int) -> Vectors32:
        return MiniLM.load().embed(texts, max_tokens=max_tokens)


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
        self._close = finalize(self, self._database.close)

    def close(self) -> None:
        """Close the file."""
        self._close()

    @staticmethod
    def delete(path: Path) -> None:
        """Delete the file of a cache, and what SQLite keeps beside it."""
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)

    def vectors(self, model: str, texts: Sequence[str], compute: Compute) -> Vectors32:
        """(n, width), one row per text. Equal texts are computed once, cached ones not at all.

        model: identifies what computes, with its weights and settings; other models do not share vectors.
        """
        keys = [_key(model, text) for text in texts]
        vectors = self._get(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        waiting = list(missing)
        for start in range(0, len(waiting), AT_ONCE):
            batch = waiting[start : start + AT_ONCE]
            new = np.asarray(compute([missing[key] for key in batch]), np.float32)
            self._put(batch, new)
            vectors.update(zip(batch, new, strict=True))
        if not keys:
            return np.asarray(compute([]), np.float32)
        return np.stack([vectors[key] for key in keys])

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, Vectors32]:
        rows: dict[bytes, bytes] = {}
        wanted = list(dict.fromkeys(keys))
        for start in range(0, len(wanted), _KEYS_PER_QUERY):
            batch = wanted[start : start + _KEYS_PER_QUERY]
            query = f"SELECT key, vector FROM vectors WHERE key IN ({','.join('?' * len(batch))})"
            with self._readable_errors():
                rows.update(self._database.execute(query, batch).fetchall())
        return {key: np.frombuffer(vector, np.float32) for key, vector in rows.items()}

    def _put(self, keys: Sequence[bytes], vectors: Vectors32) -> None:
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


def _key(model: str, text: str) -> bytes:
    return blake2b(f"{model}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
