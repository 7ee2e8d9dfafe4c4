"""Concepts as a value: directions in the space of sentence vectors, each with a bound; saved as safetensors.

A text has a concept if direction . u >= bound, where u is its vector minus the mean of all, scaled to length 1. No label enters into them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.classify.multilingual import MINILM
from longway.detect.concepts import autoencoder, kmeans
from longway.detect.concepts.vectors import TextVectors, Vectors
from longway.errors import DataError
from longway.store.atomic import replacing

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

RAREST, COMMONEST = 0.005, 0.5  # share of rows with a concept
SAME = 0.98  # cosine from which one of two directions is enough


@dataclass(frozen=True, eq=False)
class Concepts:
    """The concepts of one column.

    mean: (width,). directions: (k, width), of length 1. bounds: (k,). sources: where each comes from ("clusters of 32", "autoencoder").
    column: its name. encoder: its name, as `TextVectors` takes it.
    """

    mean: Floats
    directions: Floats
    bounds: Floats
    sources: tuple[str, ...]
    column: str
    encoder: str = MINILM
    vectors: TextVectors = field(default_factory=TextVectors, repr=False)

    @classmethod
    def make(
        cls,
        vectors: Vectors,
        *,
        column: str,
        by: TextVectors,
        seed: int = 0,
        step: Callable[[str], object] = lambda name: None,
    ) -> Concepts:
        """Make concepts from the vectors of some texts. by: what computed them."""
        mean = vectors.mean(axis=0)
        units = unit_rows(vectors - mean)
        step(f"clustering {column}")
        made = kmeans.cluster_directions(units, seed=seed)
        step(f"training a sparse autoencoder on {column}")
        n_features = min(autoencoder.MAX_FEATURES, len(units) // autoencoder.PER_FEATURE)
        weights = autoencoder.train(units, features=n_features, seed=seed)
        made.append(autoencoder.feature_directions(weights, units))
        directions, bounds = (np.concatenate([one[i] for one in made]) for i in (1, 2))
        sources = [name for name, found, _ in made for _ in range(len(found))]
        kept = _kept(units, directions, bounds)
        return cls(
            mean,
            directions[kept],
            bounds[kept],
            tuple(sources[i] for i in kept),
            column,
            by.encoder,
            by,
        )

    def __len__(self) -> int:
        return len(self.bounds)

    @cached_property
    def fingerprint(self) -> str:
        """A name that changes with the concepts."""
        digest = blake2b(f"{self.encoder}\0{self.column}".encode(), digest_size=8)
        for array in (self.mean, self.directions, self.bounds):
            digest.update(np.ascontiguousarray(array, np.float32).tobytes())
        return digest.hexdigest()

    def units(self, vectors: Vectors) -> Floats:
        """(n, width): the vectors as directions are compared with them, of length 1."""
        return unit_rows(vectors - self.mean)

    def scores(self, vectors: Vectors) -> Floats:
        """(n, k): how similar each vector is to each direction."""
        return self.units(vectors) @ self.directions.T

    def members(self, scores: Floats) -> csr_matrix:
        """(n, k): which text has which concept, from the scores."""
        return csr_matrix((scores >= self.bounds).astype(np.int32))

    def has(self, texts: Sequence[str], number: int) -> Bools:
        """Which of these texts have one concept."""
        scores = self.units(self.vectors.of(texts)) @ self.directions[number]
        return np.asarray(scores >= self.bounds[number])

    def save(self, path: Path) -> None:
        """Write the concepts as safetensors."""
        from safetensors.numpy import save_file

        arrays = {
            "mean": self.mean,
            "directions": self.directions,
            "bounds": self.bounds,
        }
        about = {"encoder": self.encoder, "column": self.column, "sources": "\n".join(self.sources)}
        with replacing(path) as temporary:
            save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, temporary, about)

    @classmethod
    def load(cls, path: Path, *, cache: Path | None = None) -> Concepts:
        """Read concepts that `save` wrote; `where` knows them from then on. Raises DataError if the file is not one."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                about = file.metadata()
                arrays = [file.get_tensor(name) for name in ("mean", "directions", "bounds")]
            sources = tuple(about["sources"].split("\n"))
            encoder, column = about["encoder"], about["column"]
        except (OSError, SafetensorError, KeyError, TypeError) as error:
            raise DataError(
                f"{path} could not be read as concepts ({error}). Expected a file that an audit wrote. Run the audit again."
            ) from None
        mean, directions, bounds = arrays
        found = cls(mean, directions, bounds, sources, column, encoder, TextVectors(encoder, cache=cache))
        remember(found)
        return found


def unit_rows(vectors: Floats) -> Floats:
    """The vectors scaled to length 1; zeros stay zeros."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)


def _kept(units: Floats, directions: Floats, bounds: Floats) -> list[int]:
    """The concepts that are neither too rare nor too common in the rows they were made from, without near copies of earlier ones."""
    share = np.zeros(len(bounds))
    for start in range(0, len(bounds), 256):
        part = slice(start, start + 256)
        share[part] = (units @ directions[part].T >= bounds[part]).mean(axis=0)
    kept: list[int] = []
    for i in np.flatnonzero((share >= RAREST) & (share <= COMMONEST)).tolist():
        if not kept or (directions[kept] @ directions[i]).max() < SAME:
            kept.append(i)
    return kept


_known: dict[str, Concepts] = {}
MOST_KNOWN = 16


def remember(concepts: Concepts) -> None:
    """Let `where` find these concepts by their fingerprint, as long as not many others are remembered after them."""
    _known[concepts.fingerprint] = concepts
    for old in list(_known)[:-MOST_KNOWN]:
        del _known[old]


def known(fingerprint: str) -> Concepts | None:
    """Concepts that were made or loaded in this process."""
    return _known.get(fingerprint)
