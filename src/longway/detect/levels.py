"""Detectors: each looks at one kind of pattern, and all of them implement `detector.Detector`.

`longway.levels.LEVELS` lists them. `detectors_for(reading)` makes those that apply to a dataset; `where(pattern, row)` finds a pattern in one
row. The jobs that have trees, vectors or sets of words make the detectors that need them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from longway.detect.detector import PAIR, ROW, Detector, Spans, TokenizedRow
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.detect.words import ANY_FORM
from longway.levels import AUDITED, LEVELS
from longway.records import Pattern
from longway.text.tokenizer import PLAIN, Tokenizer

if TYPE_CHECKING:
    from longway.detect.concepts.concepts import Concepts


@cache
def detector_class(name: str) -> type[Detector]:
    """A detector as `LEVELS` names it, such as "surface.SurfaceDetector"; loaded when it is needed."""
    module, _, own_name = name.rpartition(".")
    detector: type[Detector] = getattr(import_module(f"longway.detect.{module}"), own_name)
    return detector


def detectors_for(reading: Reading, levels: Collection[str] = AUDITED) -> list[Detector]:
    """The detectors of these levels that apply to a dataset.

    The context is read but not rewritten, so fewer detectors look at it: each lists its roles.
    """
    roles = (TEXT, ROW, CONTEXT, PAIR) if CONTEXT in reading.columns else (TEXT, ROW)
    rows = [LEVELS[level] for level in LEVELS if level in levels]
    detectors = [detector_class(row.detector) for row in rows if not row.is_prepared]
    return [detector(reading, role) for role in roles for detector in detectors if role in detector.roles]


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
    level = LEVELS.get(pattern.level)
    return None if level is None else detector_class(level.detector).where(tokenized, pattern)


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


__all__ = ["Detector", "TokenizedRow", "detectors_for", "required_words", "where"]
