"""How often words and phrases stand in texts, before and after a rewrite (RAZOR's Fig. 3 does it for "no" and "not")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from longway.text.tokens import tokenize, tokenize_column


@dataclass(frozen=True, slots=True)
class TermCount:
    """A term before and after. before, after: occurrences; texts_before, texts_after: texts that have it."""

    term: str
    before: int
    after: int
    texts_before: int
    texts_after: int

    @property
    def change(self) -> float | None:
        """The change as a share of what was there: -0.5 where half is gone; None where there was nothing."""
        return (self.after - self.before) / self.before if self.before else None

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain JSON values."""
        return {**asdict(self), "change": self.change}


def compare_terms(before: Sequence[str], after: Sequence[str], terms: Iterable[str]) -> list[TermCount]:
    """Each term's counts in two lists of texts.

    >>> compare_terms(["not so", "no, not"], ["hardly so", "no"], ["not", "no"])[0].change
    -1.0
    """
    asked = list(terms)
    counts = (term_counts(texts, asked) for texts in (before, after))
    return [
        TermCount(term, old[0], new[0], old[1], new[1]) for term, old, new in zip(asked, *counts, strict=True)
    ]


def term_counts(texts: Sequence[str], terms: Iterable[str]) -> list[tuple[int, int]]:
    """For each term, how often it stands in the texts as whole words, and in how many of them.

    >>> term_counts(["Not now, not here.", "nothing"], ["not", "not here"])
    [(2, 1), (1, 1)]
    """
    tokens = tokenize_column(pl.Series(list(texts), dtype=pl.String))
    # Words are parted by two spaces and a term takes one on each side, so that "not not" has the term twice.
    lines = " " + tokens.list.join("  ") + " "
    result = []
    for term in terms:
        words = tokenize(term)
        found = lines.str.count_matches(f" {'  '.join(words)} ", literal=True)
        result.append((int(found.sum()), int((found > 0).sum())) if words else (0, 0))
    return result
