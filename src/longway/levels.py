"""Levels: the kinds of patterns, in one table. To add one, write its detector in `detect/` and add a row to `LEVELS`.

The table has what the package needs to know about a level without loading its detector. `detect/levels.py` makes detectors from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

GRAMMAR, CONCEPT, SUFFICIENT = "grammar", "concept", "sufficient"


class Pattern(Protocol):
    """What a wording reads of a `records.Pattern`."""

    @property
    def words(self) -> tuple[str, ...]:
        """Its words."""

    @property
    def place(self) -> str:
        """Which of the level's questions it is."""

    @property
    def bound(self) -> float | None:
        """The number to compare with."""

    @property
    def language(self) -> str:
        """Of words that the level knows by itself."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The text and, across two columns, its context."""


@dataclass(frozen=True, slots=True)
class Level:
    """One row of the table.

    detector: its module in `detect/`, and its class. advice: what to do about a finding; "" for a level that audits do not look for. noun: what a pattern is
    called, if not by the name of the level. wording: the name of a pattern, if it is not made of its place and words.
    is_prepared: whether its detector needs more than the rows (trees, vectors, sets of words), so that the job that has them makes it.
    """

    detector: str
    advice: str = ""
    noun: str = ""
    wording: Callable[[Pattern], str] | None = None
    is_prepared: bool = False


def _length_name(pattern: Pattern) -> str:
    return f"{pattern.bound:.0f} or {'more' if pattern.place == 'at least' else 'fewer'} words"


def _overlap_name(pattern: Pattern) -> str:
    text, context = pattern.columns
    bound = pattern.bound or 0.0
    amount = {0.0: "no word", 1.0: "every word"}.get(bound, f"{pattern.place} {bound:.0%} of the words")
    return f"{amount} of {text} also in {context}"


def _negation_name(pattern: Pattern) -> str:
    text, context = pattern.columns[0], pattern.columns[-1]
    names = {"text": text, "text only": f"{text} only", "context only": f"{context} only"}
    names["both"] = f"{text} and {context}"
    if pattern.place not in names:
        return pattern.place
    return f"negation in {names[pattern.place]}{f' ({pattern.language})' if pattern.language else ''}"


def _pair_name(pattern: Pattern) -> str:
    (there, here), (text, context) = pattern.words, pattern.columns
    return f"{there} ({context}) + {here} ({text})"


def _grammar_name(pattern: Pattern) -> str:
    from longway.grammar_names import grammar_name

    name = grammar_name(pattern.words)
    return f"built like {name}" if pattern.place.startswith("rule ") else name


def _concept_name(pattern: Pattern) -> str:
    """The words that distinguish its texts from similar ones; without any, the number of the concept."""
    if pattern.words:
        return f"texts like: {', '.join(pattern.words)}"
    return f"concept {pattern.place.rpartition(':')[2]}"


def _sufficient_name(pattern: Pattern) -> str:
    return " + ".join(pattern.words)


LEVELS = {
    "token": Level(
        "words.TokenDetector",
        "Reword some of these texts without it, add texts of the other labels with it, or drop a few.",
        noun="word",
    ),
    "ngram": Level(
        "words.NgramDetector",
        "Reword some of these texts without the phrase, or put it into texts of the other labels.",
        noun="phrase",
    ),
    "position": Level(
        "words.PositionDetector",
        "Move the word in some of these texts, or begin or end texts of the other labels with it.",
    ),
    "length": Level(
        "numbers.LengthDetector",
        "Shorten or extend some texts so that all labels have the same lengths.",
        wording=_length_name,
    ),
    "surface": Level(
        "surface.SurfaceDetector",
        "Normalise it in all texts, or make it equally frequent with all labels.",
    ),
    "people": Level(
        "people.PeopleDetector",
        "Exchange people in some of these texts: longway perturb.",
    ),
    "negation": Level(
        "negation.NegationDetector",
        "Say some of these texts without negation, and negate some texts of the other labels.",
        wording=_negation_name,
    ),
    "overlap": Level(
        "numbers.OverlapDetector",
        "Use other words than the context in some of these texts, or its words in texts of the other labels.",
        wording=_overlap_name,
    ),
    "pair": Level(
        "words.PairDetector",
        "Reword one of the two sides in some rows.",
        noun="word pair",
        wording=_pair_name,
    ),
    GRAMMAR: Level(
        "grammar.GrammarDetector",
        "Add texts of the other labels that are built like this, or drop or weigh some of these: longway repair --levels all (add --remedy drop for single texts).",
        wording=_grammar_name,
        is_prepared=True,
    ),
    CONCEPT: Level(
        "concepts.detector.ConceptDetector",
        "Add texts of the other labels about the same, or drop or weigh some of these: longway repair --levels all --remedy drop.",
        wording=_concept_name,
        is_prepared=True,
    ),
    SUFFICIENT: Level("words.SufficientDetector", wording=_sufficient_name, is_prepared=True),
}
AUDITED = tuple(name for name, level in LEVELS.items() if level.advice)  # what an audit can look for


def level_noun(name: str) -> str:
    """What a pattern of this level is called."""
    return (LEVELS[name].noun if name in LEVELS else "") or name
