"""What gives the label away in an edit: the findings of the run that its text had before, and those it has after.

    findings of the run, an edit  ->  telling()  ->  Telling: words to mark in both texts, and a list that says what they tell

How strong a word is: how far the label's share among texts with it lies from its usual share, on the way to always.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from longway.detect.seen import Places, Seen
from longway.report.edit_view import COMPARE_LIMIT
from longway.report.numbers import count, finite, percent
from longway.report.parts import Label, label_named, level_name
from longway.report.shown import PATTERN_LIMIT, Span, cut
from longway.review.book import Book

STRENGTHS = ("a little", "clearly", "nearly always")
SHOWN = 12
FATES = {(True, True): "stays", (True, False): "goes", (False, True): "comes"}


@dataclass(frozen=True, slots=True)
class Told:
    """One finding that the text has before or after. strength: from 1 to 3; fate: stays, goes or comes; count: texts with it."""

    address: str
    pattern: str
    level: str
    label: Label
    strength: int
    share: str
    usual: str
    count: str
    fate: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class Telling:
    """What gives the label away, strongest first. before, after: stretches of the texts, each with its place in `told`, from 1."""

    told: list[Told]
    before: list[Span]
    after: list[Span]
    n_more: int

    @property
    def has_words(self) -> bool:
        """Whether there is anything to mark in the texts."""
        return bool(self.before or self.after)

    def plain(self) -> list[dict[str, Any]]:
        """The list as plain JSON values."""
        return [{**asdict(one), "label": one.label.key} for one in self.told]


def telling(
    book: Book, edit: Mapping[str, Any], labels: Mapping[str, Label], beside: tuple[str, str] | None
) -> Telling:
    """What the findings of the run see in the two texts of an edit. beside: the other column of a pair, and its text."""
    rows = [_row(book, edit, edit[side][:COMPARE_LIMIT], beside) for side in ("before", "after")]
    found = []
    for one in book.all_findings():
        before, after = (book.places(one, row) for row in rows)
        if before is not None or after is not None:
            found.append((one, before, after))
    found.sort(key=lambda each: -_strength(each[0], labels)[0])
    kept = found[:SHOWN]
    return Telling(
        [_told(*one, labels) for one in kept],
        before=_spans([before for _, before, _ in kept], edit["field"]),
        after=_spans([after for _, _, after in kept], edit["field"]),
        n_more=len(found) - len(kept),
    )


def _row(book: Book, edit: Mapping[str, Any], text: str, beside: tuple[str, str] | None) -> Seen:
    """The row with one version of the edited column."""
    other = None if beside is None else beside[1][:COMPARE_LIMIT]
    if edit["field"] == book.context_column:
        return book.seen(other or "", text)
    return book.seen(text, other)


def _told(
    one: Mapping[str, Any], before: Places | None, after: Places | None, labels: Mapping[str, Label]
) -> Told:
    strength, share, usual = _strength(one, labels)
    return Told(
        address=f"/findings/{one['key']}",
        pattern=cut(one["pattern"], PATTERN_LIMIT),
        level=level_name(one["level"]),
        label=label_named(one["label"], labels),
        strength=min(int(strength * len(STRENGTHS)), len(STRENGTHS) - 1) + 1,
        share=percent(share),
        usual=percent(usual),
        count=count(int(one.get("count") or one.get(f"count_{_side(one)}") or 0)),
        fate=FATES[before is not None, after is not None],
        is_marked=bool(before or after),
    )


def _strength(one: Mapping[str, Any], labels: Mapping[str, Label]) -> tuple[float, float, float]:
    """How far the label's share lies from the usual one (0) on the way to always (1), the share, and the usual one."""
    total = sum(label.count for label in labels.values()) or 1
    known = one.get("base_rate")
    usual = finite(known) if known is not None else label_named(one["label"], labels).count / total
    share = finite(one.get("label_share") or one.get(f"share_{_side(one)}") or 0.0)
    return max(share - usual, 0.0) / max(1 - usual, 1e-9), share, usual


def _side(one: Mapping[str, Any]) -> str:
    """Of a finding that a rewrite followed: the side on which it told more."""
    gains = [finite(one.get(f"gain_{side}") or 0.0) for side in ("before", "after")]
    return "after" if gains[1] > gains[0] else "before"


def _spans(sides: Sequence[Places | None], field: str) -> list[Span]:
    """The stretches of one text in reading order; where two overlap, the stronger one stands."""
    taken: list[Span] = []
    for number, places in enumerate(sides, 1):
        for start, end in (places or {}).get(field, ()):
            if not any(start < other and first < end for first, other, _ in taken):
                taken.append((start, end, number))
    return sorted(taken)
