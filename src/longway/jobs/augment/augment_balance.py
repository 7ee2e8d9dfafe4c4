"""Additions left out again so that all labels have the same number of rows, as far as the additions go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b

from longway.methods.method import Round, Rows
from longway.records import Edit

NOT_NEEDED = "left out so that the labels are balanced"


def balanced(rounds: Sequence[Round], rows: Rows, *, seed: int = 0) -> list[Round]:
    """The rounds with fewer additions; what is left out is drawn by the seed and has its reason.

    Every label comes to as many rows as the scarcest label has with all its additions, and no label loses a row that was
    there: the commonest of the data as it came is the least that all others are filled up to.
    """
    counts = Counter(rows.label(row) for row in range(len(rows)))
    added: dict[str, list[str]] = {label: [] for label in rows.label_names}
    for id_, label in added_in(edit for done in rounds for edit in done.edits).items():
        added[label].append(id_)
    goal = max(max(counts.values()), min(counts[label] + len(ids) for label, ids in added.items()))
    out: set[str] = set()
    for label, ids in added.items():
        out.update(sorted(ids, key=lambda id_: _draw(id_, seed))[max(0, goal - counts[label]) :])
    return [_without(done, out) for done in rounds] if out else list(rounds)


def added_in(edits: Iterable[Edit]) -> dict[str, str]:
    """The ids of the rows that accepted edits add, in order, with their labels."""
    return {edit.id: edit.label_after for edit in edits if edit.accepted and edit.source}


def _without(done: Round, out: set[str]) -> Round:
    n_out = len(out & added_in(done.edits).keys())
    if not n_out:
        return done
    figures = done.figures
    return replace(
        done,
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
