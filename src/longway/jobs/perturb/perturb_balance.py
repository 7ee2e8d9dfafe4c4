"""Who is spoken of, before and after: rows and words for each attribute of each axis (the paper's Figure 2).

balance(before, after by row, ...)  ->  [{"axis", "attribute", "rows_before", "rows_after", "words_before", "words_after"}]

Counted is what words tell. People whose gender is left open ("they", "relative") have no word that tells it, so that rows perturbed to
"non-binary" often leave the count of men or women and enter none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longway.english.people.demographic_mentions import Demographics
from longway.english.people.demographics import AXES, Attribute


def balance(
    before: Sequence[Demographics],
    new: Mapping[int, Demographics],
    *,
    axes: Iterable[str] = tuple(AXES),
    added: bool = False,
) -> list[dict[str, Any]]:
    """Rows that have a word for an attribute, and how many words, in the data as it came and as it is.

    before: one for each row; new: what the rows that were perturbed say now. added: the rows as they came are still there.
    """
    was = _counts(before)
    stays = before if added else [one for row, one in enumerate(before) if row not in new]
    now = _counts([*stays, *new.values()])
    return [
        {
            "axis": axis,
            "attribute": name,
            "rows_before": was[0][Attribute(axis, name)],
            "rows_after": now[0][Attribute(axis, name)],
            "words_before": was[1][Attribute(axis, name)],
            "words_after": now[1][Attribute(axis, name)],
        }
        for axis in axes
        for name in AXES[axis]
    ]


def _counts(found: Iterable[Demographics]) -> tuple[Counter[Attribute], Counter[Attribute]]:
    """Rows and words by attribute; a man's word that is said of everybody ("actor") tells none."""
    rows: Counter[Attribute] = Counter()
    words: Counter[Attribute] = Counter()
    for one in found:
        told = [word.attribute for word in one.words if not word.is_generic]
        words.update(told)
        rows.update(set(told))
    return rows, words
