"""Concepts as a value: directions in the space of sentence vectors or fields of words, each with a bound; saved as safetensors.

    of vectors    score = direction . u, where u is the vector of a text minus the mean of all, scaled to length 1
    of words      score = share of the text's words that belong to the field (`fields`); equal shares are ordered by direction . u

A text has a concept if its score is at least the bound. No label enters into them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from json import dumps, loads
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from longway.arrays import Bools, Floats32
from longway.detect.concepts import kmeans
from longway.detect.concepts.fields import PER_WORDS, Field, shares, word_fields
from longway.detect.concepts.vectors import TextVectors, sentences_read, unit_rows
from longway.detect.detector import Spans, TokenizedRow
from longway.errors import DataError
from longway.languages.words import tokenizer_for
from longway.models.encoders import Vectors
from longway.models.multilingual import MINILM
from longway.records import Pattern
from longway.store.atomic import replacing
from longway.text.sentences import sentences_of
from longway.text.tokenizer import PLAIN, Tokenizer

RAREST, COMMONEST = 0.005, 0.5  # share of rows with a concept
SAME = 0.98  # cosine from which one of two directions is enough
ORDER = 1e-6  # of a similarity, added to a share of words; too little to make up for a word


@dataclass(frozen=True, eq=False)
class Concepts:
    """The concepts of one column.

    mean: (width,). directions: (k, width), of length 1. bounds: (k,). sources: where each comes from ("clusters of 32", "words of 100").
    column: its name. encoder: its name, as `TextVectors` takes it. fields: the words of the last concepts; the others are of vectors.
    """

    mean: Floats32
    directions: Floats32
    bounds: Floats32
    sources: tuple[str, ...]
    column: str
    encoder: str = MINILM
    vectors: TextVectors = field(default_factory=TextVectors, repr=False)
    fields: tuple[Field, ...] = ()
    tokenizer: Tokenizer = PLAIN

    @classmethod
    def make(
        cls,
        vectors: Vectors,
        *,
        column: str,
        by: TextVectors,
        tokens: Sequence[Sequence[str]] = (),
        n_rows_with: Mapping[str, int] | None = None,
        n_rows: int = 0,
        seed: int = 0,
        tokenizer: Tokenizer = PLAIN,
        step: Callable[[str], object] = lambda name: None,
    ) -> Concepts:
        """Make concepts from the vectors of some texts. by: what computed them. tokens: of the same texts. n_rows_with: of n_rows, those with a word;
        without it there are no fields of words."""
        mean = vectors.mean(axis=0)
        units = unit_rows(vectors - mean)
        step(f"clustering {column}")
        made = kmeans.cluster_directions(units, seed=seed)
        directions, bounds = (np.concatenate([one[i] for one in made]) for i in (1, 2))
        sources = [name for name, found, _ in made for _ in range(len(found))]
        kept = _kept(units, directions, bounds)
        step(f"grouping the words of {column}")
        fields, centres = _kept_fields(
            units, tokens, list(word_fields(n_rows_with or {}, n_rows, by, seed=seed))
        )
        return cls(
            mean,
            np.concatenate([directions[kept], centres]),
            np.concatenate([bounds[kept], np.full(len(fields), 1 / PER_WORDS, np.float32)]),
            (*(sources[i] for i in kept), *(name for name, _ in fields)),
            column,
            by.encoder,
            by,
            tuple(words for _, words in fields),
            tokenizer,
        )

    def __len__(self) -> int:
        return len(self.bounds)

    @cached_property
    def fingerprint(self) -> str:
        """A name that changes with the concepts."""
        digest = blake2b(f"{self.encoder}\0{self.column}\0{dumps(self.fields)}".encode(), digest_size=8)
        for array in (self.mean, self.directions, self.bounds):
            digest.update(np.ascontiguousarray(array, np.float32).tobytes())
        return digest.hexdigest()

    def units(self, vectors: Vectors) -> Floats32:
        """(n, width): the vectors as directions are compared with them, of length 1."""
        return unit_rows(vectors - self.mean)

    def words(self, number: int) -> Field:
        """The words of a field, the most central and frequent first; none of a concept of vectors."""
        place = number - (len(self) - len(self.fields))
        return self.fields[place] if place >= 0 else ()

    def scores(
        self, vectors: Vectors, tokens: Sequence[Sequence[str]], numbers: Sequence[int] | None = None
    ) -> Floats32:
        """(n, k): how much of each concept, or of those with these numbers, the texts with these vectors and tokens have."""
        chosen = np.arange(len(self)) if numbers is None else np.asarray(numbers, np.int64)
        found = self.units(vectors) @ self.directions[chosen].T
        of_words = np.flatnonzero(chosen >= len(self) - len(self.fields))
        if len(of_words):
            fields = [self.words(number) for number in chosen[of_words].tolist()]
            found[:, of_words] = shares(tokens, fields) + ORDER * (1 + found[:, of_words])
        return np.asarray(found, np.float32)

    def members(self, scores: Floats32) -> csr_matrix:
        """(n, k): which text has which concept, from the scores."""
        return csr_matrix((scores >= self.bounds).astype(np.int32))

    def scores_of(self, texts: Sequence[str], numbers: Sequence[int]) -> Floats32:
        """(n, numbers): the scores of texts for some concepts."""
        return self.scores(self.vectors.of(texts), [self.tokenizer.tokens(text) for text in texts], numbers)

    def has(self, texts: Sequence[str], number: int) -> Bools:
        """Which of these texts have one concept."""
        return np.asarray(self.scores_of(texts, [number])[:, 0] >= self.bounds[number])

    def where(self, row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """{} if the row has the concept that a pattern names, for it is at no particular place; None if not, or if it is none of these."""
        text, number = row.get(pattern.field), pattern.place.removeprefix(f"{self.fingerprint}:")
        if text is None or not number.isdecimal() or int(number) >= len(self):
            return None
        return {} if self.has([text.text], int(number))[0] else None

    def sentence(self, text: str, number: int) -> str:
        """The sentence of a text that has most of one concept."""
        if words := frozenset(self.words(number)):
            return max(
                sentences_of(text),
                key=lambda one: sum(word in words for word in self.tokenizer.tokens(one)),
                default="",
            )
        read = sentences_read(text)
        if not read:
            return ""
        return read[int(self.scores_of(read, [number])[:, 0].argmax())]

    def save(self, path: Path) -> None:
        """Write the concepts as safetensors."""
        from safetensors.numpy import save_file

        arrays = {
            "mean": self.mean,
            "directions": self.directions,
            "bounds": self.bounds,
        }
        about = {
            "encoder": self.encoder,
            "column": self.column,
            "sources": "\n".join(self.sources),
            "fields": dumps(self.fields),
            "languages": ",".join(self.tokenizer.languages),
        }
        with replacing(path) as temporary:
            save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, temporary, about)

    @classmethod
    def load(cls, path: Path, *, cache: Path | None = None) -> Concepts:
        """Read concepts that `save` wrote. Raises DataError if the file is not one."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                about = file.metadata()
                arrays = [file.get_tensor(name) for name in ("mean", "directions", "bounds")]
            sources = tuple(about["sources"].split("\n"))
            encoder, column = about["encoder"], about["column"]
            fields = tuple(tuple(words) for words in loads(about["fields"]))
            tokenizer = tokenizer_for(about["languages"].split(","))
        except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{path} could not be read as concepts ({error}). Expected a file that an audit wrote. Run the audit again."
            ) from None
        mean, directions, bounds = arrays
        by = TextVectors(encoder, cache=cache)
        return cls(mean, directions, bounds, sources, column, encoder, by, fields, tokenizer)


def _kept(units: Floats32, directions: Floats32, bounds: Floats32) -> list[int]:
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


def _kept_fields(
    units: Floats32, tokens: Sequence[Sequence[str]], fields: list[tuple[str, Field]]
) -> tuple[list[tuple[str, Field]], Floats32]:
    """The fields that are neither too rare nor too common in these texts, and the mean direction of the texts with each."""
    has = shares(tokens, [words for _, words in fields]) >= np.float32(1 / PER_WORDS)
    share = has.mean(axis=0) if len(has) else np.zeros(len(fields))
    kept = np.flatnonzero((share >= RAREST) & (share <= COMMONEST))
    if not len(kept):
        return [], np.zeros((0, units.shape[1]), np.float32)
    return [fields[i] for i in kept.tolist()], unit_rows(has[:, kept].T.astype(np.float32) @ units)
