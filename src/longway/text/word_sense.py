"""Which sense a word has in its sentence: by what the grammar allows, by frequency and, with an encoder, by the context.

    weigh(unit, document)                      the senses it may have here, with shares that add up to 1
    weigh(unit, document, encoder=encode)      the same, moved towards those that are near to the sentence

Without an encoder the shares are those of SemCor. An encoder is any function from texts to vectors, one row each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from longway.text.document import Document
from longway.text.replaceable import Unit, frames_at, position_at
from longway.text.wordnet import Member, Sense, senses, shares

Encoder = Callable[[list[str]], NDArray[np.floating]]


def weigh(
    unit: Unit, document: Document, *, encoder: Encoder | None = None, encoder_weight: float = 8.0
) -> list[tuple[Sense, float]]:
    """The senses that a unit can have at its place, each with how likely it is.

    encoder_weight: a sense whose cosine with the sentence is higher by 1/encoder_weight counts e times as much.
    """
    fits = grammar_of(unit, document)
    weighed = zip(senses(unit.lemma, unit.upos), shares(unit.lemma, unit.upos), strict=True)
    possible = [(one, share) for one, share in weighed if (m := one.member(unit.lemma)) and fits(m)]
    if not possible:
        return []
    weights = np.array([share for _, share in possible])
    if encoder is not None and len(possible) > 1:
        cosines = _cosines(encoder, _sentence(unit, document), tuple(described(one) for one, _ in possible))
        weights = weights * np.exp(encoder_weight * (cosines - cosines.max()))
    return [(one, float(w)) for (one, _), w in zip(possible, weights / weights.sum(), strict=True)]


def grammar_of(unit: Unit, document: Document) -> Callable[[Member], bool]:
    """Whether a word's grammar, in one of its senses, goes with the place of the unit."""
    if unit.upos == "VERB":
        frames = frames_at(unit, document)
        if frames:
            return lambda member: bool(member.frames & frames)
        # With or without an object? Then only words that can do all that this one can.
        own = frozenset(
            number
            for one in senses(unit.lemma, unit.upos)
            for number in getattr(one.member(unit.lemma), "frames", ())
        )
        return lambda member: own <= member.frames or member.lemma == unit.lemma
    if unit.upos == "ADJ":
        position = position_at(unit, document)
        return lambda member: member.position in ("", position)
    return lambda member: True


def described(one: Sense) -> str:
    """A sense in words: those that share it, its definition, its examples."""
    return "; ".join([", ".join(m.lemma for m in one.members), one.definition, *one.examples])


def _sentence(unit: Unit, document: Document) -> str:
    words = document.sentence(document.sentence_number(unit.word))
    return document.text[words[0].start : words[-1].end]


def _cosines(encoder: Encoder, sentence: str, texts: tuple[str, ...]) -> NDArray[np.float64]:
    return _vectors(encoder, texts) @ _vectors(encoder, (sentence,))[0]


@lru_cache(maxsize=4096)
def _vectors(encoder: Encoder, texts: tuple[str, ...]) -> NDArray[np.float64]:
    vectors = np.asarray(encoder(list(texts)), dtype=np.float64)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
