"""Additions left out again so that all labels have the same number of rows, as far as the additions go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from longway.records import Example
from longway.rewrite.method import Round, Rows

NOT_NEEDED = "left out so that the labels are balanced"


def balanced(rounds: Sequence[Round], rows: Rows, *, seed: int = 0) -> list[Round]:
    """The rounds with fewer additions; what is left out is drawn by the seed and has its reason.

    Every label comes to as many rows as the scarcest label has with all its additions, and no label loses a row that was
    there: the commonest of the data as it came is the least that all others are filled up to.
    """
    counts = Counter(rows.label(row) for row in range(len(rows)))
    added: dict[str, list[str]] = {label: [] for label in rows.label_names}
    for example in (one for done in rounds for one in done.added):
        added[example.label].append(example.id)
    goal = max(max(counts.values()), min(counts[label] + len(ids) for label, ids in added.items()))
    out: set[str] = set()
    for label, ids in added.items():
        out.update(sorted(ids, key=lambda id_: _draw(id_, seed))[max(0, goal - counts[label]) :])
    return [_without(done, out) for done in rounds] if out else list(rounds)


def _without(done: Round, out: set[str]) -> Round:
    kept: tuple[Example, ...] = tuple(one for one in done.added if one.id not in out)
    n_out = len(done.added) - len(kept)
    if not n_out:
        return done
    figures = done.figures
    return replace(
        done,
        added=kept,
        edits=tuple(
            replace(edit, accepted=False, reason=NOT_NEEDED) if edit.id in out else edit
            for edit in done.edits
        ),
        figures=replace(
            figures,
            accepted=figures.accepted - n_out,
            rejected={**figures.rejected, NOT_NEEDED: n_out},
        ),
    )


def _draw(id_: str, seed: int) -> bytes:
    return blake2b(f"{seed}\0{id_}".encode(), digest_size=8).digest()
