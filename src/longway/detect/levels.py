"""Detectors: each looks at one kind of pattern, and all of them implement `detector.Detector`.

Adding one is adding a file, a line in `DETECTORS`, and a page in docs/detectors. `detectors_for(reading)` makes those that apply to a
dataset; `where(pattern, row)` finds a pattern in one row. The level "grammar" needs trees, "concept" needs vectors and "sufficient" needs sets of
words, so the jobs that have them make these detectors themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from longway.detect.detector import PAIR, ROW, Detector, Spans, TokenizedRow
from longway.detect.negation import NegationDetector
from longway.detect.numbers import LengthDetector, OverlapDetector
from longway.detect.people import PeopleDetector
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.detect.surface import SurfaceDetector
from longway.detect.words import (
    ANY_FORM,
    NgramDetector,
    PairDetector,
    PositionDetector,
    SufficientDetector,
    TokenDetector,
)
from longway.records import Pattern
from longway.text.tokenizer import PLAIN, Tokenizer

if TYPE_CHECKING:
    from longway.detect.concepts.concepts import Concepts

DETECTORS: dict[str, type[Detector]] = {
    "token": TokenDetector,
    "ngram": NgramDetector,
    "position": PositionDetector,
    "length": LengthDetector,
    "surface": SurfaceDetector,
    "people": PeopleDetector,
    "negation": NegationDetector,
    "overlap": OverlapDetector,
    "pair": PairDetector,
    "sufficient": SufficientDetector,
}
GRAMMAR, CONCEPT, SUFFICIENT = "grammar", "concept", "sufficient"
LEVELS = (
    *(level for level in DETECTORS if level != SUFFICIENT),
    GRAMMAR,
    CONCEPT,
)  # what an audit can look for


def detectors_for(reading: Reading, levels: Collection[str] = LEVELS) -> list[Detector]:
    """The detectors of these levels that apply to a dataset.

    The context is read but not rewritten, so fewer detectors look at it: each lists its roles.
    """
    roles = (TEXT, ROW, CONTEXT, PAIR) if CONTEXT in reading.columns else (TEXT, ROW)
    return [
        detector(reading, role)
        for role in roles
        for level, detector in DETECTORS.items()
        if level in levels and role in detector.roles
    ]


def where(
    pattern: Pattern,
    row: TokenizedRow | Mapping[str, str],
    concepts: Concepts | None = None,
    tokenizer: Tokenizer = PLAIN,
) -> dict[str, Spans] | None:
    """The spans of a pattern in one row, by column; {} if it is at no particular place, None if the row does not show it.

    row: its texts by column; a `TokenizedRow` saves time if many patterns are looked for. concepts: those that a pattern of the level "concept"
    names; without them, no row shows it. tokenizer: of the texts.

    >>> where(Pattern("position", "review", ("honestly",), "first word"), {"review": "Honestly, not bad."})
    {'review': [(0, 8)]}
    """
    tokenized = row if isinstance(row, TokenizedRow) else TokenizedRow(row, tokenizer)
    if concepts is not None:
        return concepts.where(tokenized, pattern)
    if pattern.level == GRAMMAR:
        from longway.detect.grammar import GrammarDetector

        return GrammarDetector.where(tokenized, pattern)
    detector = DETECTORS.get(pattern.level)
    return None if detector is None else detector.where(tokenized, pattern)


def required_words(pattern: Pattern) -> tuple[str, ...]:
    """Words that every text with the pattern contains in sequence; none if texts with different words can show it.

    >>> required_words(Pattern("length", "review", place="at least", bound=38))
    ()
    """
    if pattern.level == "pair":
        return pattern.words[1:]
    if pattern.place == ANY_FORM:
        return ()
    return pattern.words if pattern.level in ("token", "ngram", "position") else ()


__all__ = [
    "CONCEPT",
    "DETECTORS",
    "GRAMMAR",
    "LEVELS",
    "Detector",
    "TokenizedRow",
    "detectors_for",
    "required_words",
    "where",
]
