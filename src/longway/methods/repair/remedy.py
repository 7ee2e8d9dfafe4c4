"""What a remedy takes and returns.

    Target      a pattern to weaken, and the label that it predicts
    RepairRow   one row as a remedy sees it; its analysis is made when it is first used
    Draft       a text in place of the row's own
    Remedy      propose(row, target) -> drafts, best first
    BatchRemedy propose_all(rows, target) -> drafts for each row, for engines that answer many requests at once

A remedy says nothing if it is not sure. It does not decide: checks verify a draft, and counts say whether it helps (`repair.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from longway.detect.concepts.concepts import Concepts
from longway.english.document import Document
from longway.methods.method import Rows
from longway.records import Pattern


@dataclass(frozen=True, slots=True)
class Target:
    """A pattern to weaken. label: the one that it predicts. gain: how much a model gains by knowing it, in nats per row.

    effect: rows with it per observation. typical: of a concept, the most typical texts; concepts: those that it is one of.
    """

    pattern: Pattern
    label: str
    gain: float = 0.0
    effect: float = 1.0
    typical: tuple[str, ...] = ()
    concepts: Concepts | None = None


@dataclass(slots=True)
class RepairRow:
    """One row. number: its position in the dataset. read: analyses English texts; None if the text is in another language.

    language: its ISO 639 code; "" for English.
    """

    number: int
    text: str
    label: str
    context: str | None = None
    read: Callable[[str], Document] | None = None
    language: str = ""
    _document: Document | None = field(default=None, repr=False)

    @property
    def is_english(self) -> bool:
        """Whether the text is in English, so that it can be analysed."""
        return self.read is not None

    @property
    def document(self) -> Document:
        """The analysis of the text."""
        if self._document is None:
            assert self.read is not None
            self._document = self.read(self.text)
        return self._document


def repair_row(rows: Rows, row: int, text: str, read: Callable[[str], Document] | None) -> RepairRow:
    """A row with this text. read: analyses English texts; it is not used for rows in other languages."""
    is_english = rows.is_english(row)
    language = "" if is_english else rows.languages[row]
    return RepairRow(row, text, rows.label(row), rows.context(row), read if is_english else None, language)


@dataclass(frozen=True, slots=True)
class Draft:
    """A text in place of the row's own. how: the rule that made it ("take_out.adverb"). keeps, asides: as in `verify.check.Candidate`.

    engine: the engine that wrote it.
    """

    text: str
    how: str
    keeps: str = "meaning"
    engine: str = "rules"
    asides: frozenset[str] = frozenset()


class AnyRemedy(Protocol):
    """What all remedies have.

    needs_english: whether it applies to English texts only. into_others: False if it changes rows that show the pattern and have its label,
    True if it changes rows of other labels without the pattern.
    """

    @property
    def name(self) -> str:
        """The name in plans and edits."""
        ...

    @property
    def needs_english(self) -> bool:
        """Whether it applies to English texts only."""
        ...

    @property
    def into_others(self) -> bool:
        """Whether it changes rows of other labels."""
        ...


class Remedy(AnyRemedy, Protocol):
    """A way to weaken patterns by changing texts."""

    def propose(self, row: RepairRow, target: Target) -> Iterator[Draft]:
        """Texts in place of the row's own, best first; none if the remedy does not apply."""
        ...


@runtime_checkable
class BatchRemedy(AnyRemedy, Protocol):
    """A way to weaken patterns by texts that an engine writes for many rows at once."""

    def propose_all(self, rows: Sequence[RepairRow], target: Target) -> list[list[Draft]]:
        """Texts in place of those of each row, best first."""
        ...


def drafts_of(
    remedy: Remedy | BatchRemedy, rows: Sequence[RepairRow], target: Target
) -> Iterator[Iterable[Draft]]:
    """The drafts of a remedy for each row, in order."""
    if isinstance(remedy, BatchRemedy):
        yield from remedy.propose_all(rows, target)
    else:
        yield from (remedy.propose(row, target) for row in rows)
