"""The GAP corpus of ambiguous pronouns (Webster et al. 2018) as the chains see it, and its scores.

A row asks whether a pronoun stands for the name A, for the name B, or for neither; the answer counts as two yes-or-no
questions. The system gets the plain text and finds names itself: it says yes to A where the chain of the pronoun
has a mention that overlaps A.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longway.english.document import Document
from longway.english.people.chains import (
    PronounResolver,
    Weights,
    no_antecedent_values,
    rule_values_of_candidates,
)
from longway.english.people.discourse import Entity, PronounContext
from longway.english.people.mentions import Mention
from longway.english.pipeline import EnglishPipeline


@dataclass(frozen=True)
class Row:
    """One question: the analysed text, the pronoun and both names by their offsets, and the right answers."""

    document: Document
    pronoun: tuple[int, int]
    names: tuple[tuple[int, int], tuple[int, int]]
    right: tuple[bool, bool]
    gender: str


@dataclass(frozen=True)
class Answer:
    """What was found: which names the best person has, and how probable that person is."""

    names: tuple[bool, bool]
    probability: float

    def at(self, bound: float) -> tuple[bool, bool]:
        """The answers where links need a probability of at least `bound`."""
        return self.names if self.probability >= bound else (False, False)


def read_gap(path: Path, pipeline: EnglishPipeline, *, limit: int | None = None) -> list[Row]:
    """The rows of a file of GAP, analysed."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    stored = [json.loads(line) for line in content.decode().splitlines()][:limit]
    documents = pipeline.analyse_all(row["text"] for row in stored)
    return [_row(row, document) for row, document in zip(stored, documents, strict=True)]


def _row(row: dict[str, str], document: Document) -> Row:
    def span(key: str) -> tuple[int, int]:
        start = int(row[f"{key}_offset"])
        return start, start + len(row[key])

    right = (row["a_coref"] == "TRUE", row["b_coref"] == "TRUE")
    return Row(document, span("pronoun"), (span("a"), span("b")), right, row["gender"])


def pronoun_of(row: Row, mentions: Iterable[Mention]) -> Mention | None:
    """The mention that the row asks about."""
    start, _ = row.pronoun
    words = row.document.words
    return next((m for m in mentions if words[m.start].start <= start < words[m.end - 1].end), None)


def has_name(row: Row, person: Entity, which: int) -> bool:
    """True where a mention of the person overlaps the name A (0) or B (1)."""
    start, end = row.names[which]
    words = row.document.words
    return any(words[m.start].start < end and words[m.end - 1].end > start for m in person.mentions)


def answer(row: Row, weights: Weights) -> Answer:
    """What the chains say about a row."""
    reading = PronounResolver(row.document, weights)
    asked = pronoun_of(row, reading.pronouns)
    if asked is None:
        return Answer((False, False), 0.0)
    for pronoun in reading.pronouns:
        reading.resolve(pronoun)
        if pronoun is asked:
            break
    person, probability = reading.meant(asked)
    if person is None:
        return Answer((False, False), 0.0)
    return Answer((has_name(row, person, 0), has_name(row, person, 1)), probability)


@dataclass(frozen=True)
class Choice:
    """What the rules say at a labelled pronoun: one row of values for each person, and one for nobody.

    possible: for each row whether the labels allow it.
    """

    situation: str
    values: list[list[float]]
    possible: list[bool]


def choice(row: Row, weights: Weights) -> Choice | None:
    """What there is to choose from at the labelled pronoun; None where grammar alone decides or nothing is right."""
    reading = PronounResolver(row.document, weights)
    asked = pronoun_of(row, reading.pronouns)
    for pronoun in reading.pronouns:
        if pronoun is asked:
            break
        reading.resolve(pronoun)
    if asked is None:
        return None
    spot = PronounContext(reading.scene, asked)
    found = rule_values_of_candidates(spot, reading.claims)
    is_right = [any(row.right[i] and has_name(row, person, i) for i in (0, 1)) for person, _ in found]
    is_wrong = [any(not row.right[i] and has_name(row, person, i) for i in (0, 1)) for person, _ in found]
    possible = [*is_right, False] if any(is_right) else [*(not wrong for wrong in is_wrong), True]
    return Choice(spot.situation, [*(values for _, values in found), no_antecedent_values(spot)], possible)


@dataclass(frozen=True)
class Score:
    """Precision, recall and F1 over yes-or-no questions; links: how many were answered with yes."""

    precision: float
    recall: float
    f1: float
    links: int


def score(right: Sequence[tuple[bool, bool]], given: Sequence[tuple[bool, bool]]) -> Score:
    """The official scores of GAP.

    >>> score([(True, False), (False, True)], [(True, False), (True, False)])
    Score(precision=0.5, recall=0.5, f1=0.5, links=2)
    """
    pairs = [
        pair for truth, guess in zip(right, given, strict=True) for pair in zip(truth, guess, strict=True)
    ]
    hits = sum(truth and guess for truth, guess in pairs)
    links, wanted = sum(guess for _, guess in pairs), sum(truth for truth, _ in pairs)
    precision, recall = hits / max(1, links), hits / max(1, wanted)
    return Score(precision, recall, 2 * hits / max(1, links + wanted), links)


def bounds() -> Iterator[float]:
    """The probabilities that are tried as a bound."""
    return (step / 100 for step in range(5, 100))
