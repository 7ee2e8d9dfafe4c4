"""A perturbed row as the page shows it: all its texts, what changed in them, and the words that stand for the person.

perturb.json "sample" object  ->  person_card()  ->  PersonCard  ->  templates/perturb.html.jinja
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longway.records import Verdict
from longway.show.edit_view import COMPARE_LIMIT, MAX_CHIPS, Chip, side_by_side, verdict_chip
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, Piece, Span, cut, harmless
from longway.show.labels import Label, label_named, record
from longway.show.numbers import short

CHAIN, CHOSEN = (
    2,
    3,
)  # levels of words that stayed as they were: they stand for the person, they were chosen; 1 is a word that changed
MAX_TEXTS = 4
MAX_CHAIN = 200
MAX_LEFT = 6


@dataclass(frozen=True, slots=True)
class TextPair:
    """One text of a row. after: empty where it stayed the same."""

    field: str
    before: list[Piece]
    after: list[Piece]


@dataclass(frozen=True, slots=True)
class PersonCard:
    """A row that was perturbed, or could not be. chips: the guards that objected. hidden: its new texts are not shown."""

    id: str
    source_id: str
    label: Label
    how: str
    word: str
    engine: str
    perturbability: str
    texts: list[TextPair]
    left: list[str]
    chips: list[Chip]
    n_more_chips: int
    reason: str
    hidden: bool


def person_card(row: Mapping[str, Any], labels: Mapping[str, Label], *, hidden: bool = False) -> PersonCard:
    """The card of one row. hidden: leave the new texts out, as for those that were blocked as offensive."""
    objections = [one for one in row["verdicts"] if not one["passed"]]
    return PersonCard(
        id=cut(row["id"], NAME_LIMIT),
        source_id=cut(row["source_id"], NAME_LIMIT) if row.get("source_id") else "",
        label=label_named(row["label"], labels),
        how=cut(f"{row['axis']}: {row['source']} to {row['target']}", PATTERN_LIMIT),
        word=cut(row["word"], NAME_LIMIT),
        engine=cut(row["engine"], NAME_LIMIT),
        perturbability=short(row["perturbability"]),
        texts=[_pair(text, hidden=hidden) for text in row["texts"][:MAX_TEXTS]],
        left=[cut(words, TEXT_LIMIT) for words in row["left"][:MAX_LEFT]],
        chips=[verdict_chip(record(Verdict, one)) for one in objections[:MAX_CHIPS]],
        n_more_chips=max(len(objections) - MAX_CHIPS, 0),
        reason=cut(row["reason"], TEXT_LIMIT) if row["reason"] else "",
        hidden=hidden,
    )


def _pair(text: Mapping[str, Any], *, hidden: bool) -> TextPair:
    before, after = (harmless(text[name][:COMPARE_LIMIT]) for name in ("before", "after"))
    same = hidden or before == after
    old, new = side_by_side(before, before if same else after, marks=_marks(text))
    return TextPair(cut(text["field"], NAME_LIMIT), old, [] if same else new)


def _marks(text: Mapping[str, Any]) -> list[Span]:
    """Where the person is spoken of; the chosen word by itself, also where it stands in a longer stretch."""
    chain = [(int(start), int(end)) for start, end in text["chain"][:MAX_CHAIN]]
    if text["word"] is None:
        return [(start, end, CHAIN) for start, end in chain]
    first, last = map(int, text["word"])
    around = [part for start, end in chain for part in ((start, min(end, first)), (max(start, last), end))]
    return [(first, last, CHOSEN), *((start, end, CHAIN) for start, end in around if start < end)]
