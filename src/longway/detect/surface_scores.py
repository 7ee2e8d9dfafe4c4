"""Whole documents: RAZOR's gamma for all of them, and those that give their label away most.

Two rankings are shown side by side. By gamma (Eq. 12): most unlike the other labels; RAZOR rewrites these first. By
lean: more like its own label than like the others, word for word. Gamma also picks the merely odd; on FEVER the 500
documents with the highest lean hold a known give-away five times as often as chance, those with the highest gamma
no more often (`papers/razor/shortcut_space.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from longway.arrays import Floats
from longway.detect.reading import TEXT, Reading
from longway.records import Example, Telling
from longway.shard_map import ShardMap
from longway.space.shortcut import Labels, ShortcutSpace, Variant
from longway.text.corpus import Block
from longway.text.tokenizer import Tokenizer

SHOWN = {"lean": 5, "gamma": 3}  # documents of each label, by each ranking
MAX_LABELS = 8
MAX_CHARACTERS = 600
MAX_DIMENSIONS = 16  # of lean's word vectors; more find no more give-aways (notes/LOG.md)
_MAX_TABLE = 1 << 25  # numbers in the table of lean's word vectors; beyond, fewer dimensions


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """One document by its place in the reading, with the pull of each of its words towards its label."""

    place: int
    chosen_by: str
    gamma: float
    lean: float
    pulls: Floats


@dataclass(frozen=True, slots=True)
class SurfaceScores:
    """Gamma and lean of every document, and the documents worth showing."""

    gamma: Floats
    lean: Floats
    documents: list[ScoredDocument]


def score_surface(
    reading: Reading, *, variant: Variant, dimensions: int, shard_map: ShardMap | None = None
) -> SurfaceScores:
    """Gamma in the chosen variant of the shortcut space, lean in the token variant.

    shard_map: scores pieces of the reading in other processes.
    """
    space, words = ShortcutSpace(variant=variant, dimensions=dimensions), _word_space(reading)
    corpus, labels = reading.corpora[TEXT], reading.labels
    if shard_map is None:
        gamma = space.fit(corpus, labels, n_labels=reading.n_labels).gamma_
    else:
        gamma = _scored(
            reading, space.learn(corpus, labels, n_labels=reading.n_labels).scorer().gamma, shard_map
        )
    lean = _scored(reading, words.scorer().lean, shard_map or map)
    return SurfaceScores(gamma, lean, _documents(reading, words, gamma, lean))


def telling_of(document: ScoredDocument, example: Example, tokenizer: Tokenizer) -> Telling:
    """The document for people: its words with how much each gives away, the strongest having 1."""
    text = example.text[:MAX_CHARACTERS]
    weights = np.maximum(document.pulls, 0) / max(document.pulls.max(initial=0.0), 1e-12)
    tokens = tuple(
        (text[start:end], round(float(weight), 3))
        for (_, start, end), weight in zip(tokenizer.spans(text), weights, strict=False)
    )
    return Telling(
        example.id, example.label, document.chosen_by, document.gamma, document.lean, text=text, tokens=tokens
    )


def _word_space(reading: Reading) -> ShortcutSpace:
    size = len(reading.vocabulary) * reading.n_labels
    dimensions = int(np.clip(_MAX_TABLE // max(size, 1), 2, MAX_DIMENSIONS))
    variant: Variant = (
        "token" if dimensions * size <= 2 * _MAX_TABLE else "mean"
    )  # a vast vocabulary: coarser
    space = ShortcutSpace(variant=variant, dimensions=dimensions)
    return space.learn(reading.corpora[TEXT], reading.labels, n_labels=reading.n_labels)


def _scored(reading: Reading, score: Callable[[Block, Labels], Floats], shard_map: ShardMap) -> Floats:
    """A score for each document, computed piece by piece."""
    pieces = ((piece.blocks[TEXT], piece.labels) for piece in reading.pieces())
    return np.concatenate([np.zeros(0), *shard_map(partial(_score_of, score), pieces)])


def _score_of(score: Callable[[Block, Labels], Floats], piece: tuple[Block, Labels]) -> Floats:
    return score(*piece)


def _documents(reading: Reading, words: ShortcutSpace, gamma: Floats, lean: Floats) -> list[ScoredDocument]:
    chosen: list[tuple[int, str]] = []
    for label in np.argsort(-reading.totals, kind="stable")[:MAX_LABELS]:
        mine = np.flatnonzero((reading.labels == label) & np.isfinite(gamma))
        for ranking, scores in (("lean", lean), ("gamma", gamma)):
            best = mine[np.argsort(-scores[mine], kind="stable")[: SHOWN[ranking]]]
            chosen += [(place, ranking) for place in best.tolist()]
    places = np.unique(np.array([place for place, _ in chosen], dtype=np.int64))
    block = reading.block_of(TEXT, places)
    pulls = np.split(words.contributions(block, reading.labels[places]), block.offsets[1:-1])
    pulls_of = dict(zip(places.tolist(), pulls, strict=False))
    return [
        ScoredDocument(
            place, ranking, round(float(gamma[place]), 6), round(float(lean[place]), 6), pulls_of[place]
        )
        for place, ranking in chosen
    ]
