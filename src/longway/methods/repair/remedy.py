"""What a remedy takes and returns.

    Target      a pattern to weaken, and the label that it predicts
    RepairRow   one row as a remedy sees it; its analysis is made when it is first used
    Parts       what the remedies of one dataset are made from
    Proposer    a remedy that changes texts, for one dataset: rows, target -> drafts for each row, best first
    Source      a remedy that adds rows: row numbers -> drafts

A remedy says nothing if it is not sure. It does not decide: checks verify a draft, and counts say whether it helps (`repair.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from longway.detect.levels import where
from longway.english.document import Document
from longway.methods.loop import Draft
from longway.methods.method import Rows, Write
from longway.methods.repair import REMEDIES
from longway.methods.repair.recurring import Recurring
from longway.records import Pattern
from longway.text.tokenizer import PLAIN, Tokenizer
from longway.verify.check import Origin

if TYPE_CHECKING:
    from longway.detect.concepts.concepts import Concepts


@dataclass(frozen=True, slots=True)
class Target:
    """A pattern to weaken. label: the one that it predicts. effect: rows with it per observation.

    typical: of a concept, the most typical texts; concepts: those that it is one of.
    """

    pattern: Pattern
    label: str
    effect: float = 1.0
    typical: tuple[str, ...] = ()
    concepts: Concepts | None = None


@dataclass(slots=True)
class RepairRow:
    """One row. number: its position in the dataset. read: analyses English texts; None if the text is in another language.

    language: its ISO 639 code; "" for English. origin: as in `verify.check.Candidate`.
    """

    number: int
    text: str
    label: str
    context: str | None = None
    read: Callable[[str], Document] | None = None
    language: str = ""
    origin: Origin | None = None
    tokenizer: Tokenizer = PLAIN
    _document: Document | None = field(default=None, repr=False)

    @property
    def is_english(self) -> bool:
        """Whether the text is in English, so that it can be analysed."""
        return self.read is not None

    def places(self, target: Target, text: str | None = None) -> dict[str, list[tuple[int, int]]] | None:
        """Where the row shows a pattern, by column; None if it does not. text: in place of its own."""
        texts = (self.text if text is None else text, self.context or "")
        by_column = dict(zip(target.pattern.columns, texts, strict=False))
        return where(target.pattern, by_column, target.concepts, self.tokenizer)

    def shows(self, target: Target, text: str | None = None) -> bool:
        """Whether the row shows a pattern. text: in place of its own."""
        return self.places(target, text) is not None

    def spans(self, target: Target) -> list[tuple[int, int]]:
        """Where the text shows a pattern."""
        return (self.places(target) or {}).get(target.pattern.columns[0], [])

    @property
    def document(self) -> Document:
        """The analysis of the text."""
        if self._document is None:
            assert self.read is not None
            self._document = self.read(self.text)
        return self._document

    def draft(
        self,
        text: str,
        how: str,
        keeps: str = "meaning",
        *,
        asides: Iterable[str] = (),
        engine: str = "rules",
    ) -> Draft:
        """A text in place of the row's own. how: the rule that made it ("take_out.adverb"). The others: as in `Candidate`."""
        return Draft(
            row=self.number,
            before=self.text,
            after=text,
            label=self.label,
            context=self.context,
            keeps=keeps,
            origin=self.origin,
            may_copy=True,  # another mark may be all that changes
            asides=frozenset(asides),
            how=how,
            engine=engine,
        )


def repair_row(
    rows: Rows,
    row: int,
    text: str,
    read: Callable[[str], Document] | None,
    origin: Origin | None = None,
) -> RepairRow:
    """A row with this text. read: analyses English texts; it is not used for rows in other languages."""
    is_english = rows.is_english(row)
    language = "" if is_english else rows.languages[row]
    own_read = read if is_english else None
    return RepairRow(
        row, text, rows.label(row), rows.context(row), own_read, language, origin, rows.tokenizer
    )


@dataclass(frozen=True, slots=True)
class Proposer:
    """A way to weaken patterns by changing texts. name: of the remedy.

    propose: texts in place of that of a row, best first; those that repeat others or do not weaken the pattern are left out. asks: whether an engine writes; `propose` then takes many rows at once.
    needs_english: whether it applies to English texts only.
    """

    name: str
    propose: Callable[..., Iterable[Any]]
    needs_english: bool = False
    asks: bool = False

    def drafts(self, rows: Sequence[RepairRow], target: Target) -> Iterable[Iterable[Draft]]:
        """Texts in place of those of each row, best first."""
        return self.propose(rows, target) if self.asks else (self._of_row(row, target) for row in rows)

    def _of_row(self, row: RepairRow, target: Target) -> Iterator[Draft]:
        """The different texts that no longer show the pattern, or that show it now."""
        seen = {row.text}
        for draft in self.propose(row, target):
            if draft.after not in seen and row.shows(target, draft.after) == self.into_others:
                seen.add(draft.after)
                yield draft

    @property
    def into_others(self) -> bool:
        """False if it changes rows that show the pattern and have its label, True if rows of other labels without it."""
        return REMEDIES[self.name].into_others


@dataclass(frozen=True)
class Parts:
    """What the remedies of one dataset are made from.

    read: analyses English texts; None if there are none. write: rewords texts. writes_english: whether it knows English only.
    """

    rows: Rows
    read: Callable[[str], Document] | None = None
    seed: int = 0
    write: Write | None = None
    writes_english: bool = True

    @cached_property
    def every(self) -> list[RepairRow]:
        """All rows."""
        return [repair_row(self.rows, row, text, self.read) for row, text in enumerate(self.rows.texts)]

    @cached_property
    def recurring(self) -> Recurring:
        """Words, sentences and openings that recur in the texts."""
        english = frozenset(row.number for row in self.every if row.is_english)
        return Recurring(self.rows.texts, read=self.read, analysed=english, tokenizer=self.rows.tokenizer)


@dataclass(frozen=True, slots=True)
class Source:
    """A way to add rows. propose: the drafts for some rows, given by number. asks: whether an engine writes; others know English only."""

    propose: Callable[[Sequence[int]], Iterable[Draft]]
    asks: bool = False

    def drafts(self, rows: Rows, places: Sequence[int]) -> list[Draft]:
        """The drafts for those of the rows whose language it knows."""
        return list(self.propose([row for row in places if self.asks or rows.is_english(row)]))
