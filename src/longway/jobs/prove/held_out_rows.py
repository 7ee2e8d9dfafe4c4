"""Test rows for data without any: some of the original rows, which neither version is trained on.

    hold_out(before, versions)  ->  the versions without those rows, and the rows as they were before the change

A row of a later version goes with the row it was made from: by its `longway_id`, or `longway_source` if it was added. Rows with the same
text stay together. The test rows are as they were, so shortcuts help on them; the groups of each pattern show where they do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import polars as pl

from longway.data import Dataset
from longway.data.columns import ID_COLUMN
from longway.data.dataset import in_rows
from longway.data.edited import SOURCE_COLUMN

HELD_OUT = "held-out rows"
SHARE = 0.2


def can_hold_out(before: Dataset, versions: Mapping[str, Dataset]) -> bool:
    """Whether the rows of all versions can be traced to those of the original, in memory."""
    if before.streamed or any(one.streamed for one in versions.values()):
        return False
    source_of = _sources({"before": before, **versions})
    known = set(_roots(before, source_of))
    return all(
        ID_COLUMN in one.frame.columns and known.issuperset(_roots(one, source_of))
        for one in versions.values()
    )


def hold_out(before: Dataset, versions: Mapping[str, Dataset]) -> tuple[dict[str, Dataset], Dataset]:
    """The versions without the rows that are held out, and these rows. before: one of the versions, the original.

    >>> import longway as lw
    >>> rows = [{"text": f"number {i}", "label": "ab"[i % 2]} for i in range(100)]
    >>> kept, test = hold_out(lw.load(rows), {"before": lw.load(rows)})
    >>> len(kept["before"]), len(test)
    (80, 20)
    """
    source_of = _sources({"before": before, **versions})
    roots = _roots(before, source_of)
    chosen = _chosen(before, roots)
    kept = {
        name: in_rows(one, ~_roots(one, source_of).is_in(chosen.implode())) for name, one in versions.items()
    }
    return kept, in_rows(before, roots.is_in(chosen.implode()))


def _chosen(before: Dataset, roots: pl.Series) -> pl.Series:
    """The roots of the rows to hold out, drawn by the rows' texts: the same ones in any order."""
    texts = [text for batch in before.batches() for text in batch.texts]
    ordered = sorted(set(texts), key=_draw)
    held_out = set(ordered[: max(1, round(SHARE * len(ordered)))])
    return pl.Series(
        [root for root, text in zip(roots, texts, strict=True) if text in held_out], dtype=pl.String
    )


def _draw(text: str) -> bytes:
    """An order of texts that depends on nothing else."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _ids(dataset: Dataset) -> pl.Series:
    """The ids of all rows, in order: those that Longway wrote, if there are any."""
    if ID_COLUMN in dataset.frame.columns:
        return dataset.frame[ID_COLUMN].cast(pl.String)
    return pl.concat([ids.cast(pl.String) for _, ids in dataset.tables_with_ids()])


def _sources(versions: Mapping[str, Dataset]) -> dict[str, str]:
    """The row that each added row of any version was made from, by id."""
    found: dict[str, str] = {}
    for one in versions.values():
        if SOURCE_COLUMN in one.frame.columns:
            sources = one.frame[SOURCE_COLUMN].cast(pl.String).fill_null("")
            found |= {id_: source for id_, source in zip(_ids(one), sources, strict=True) if source}
    return found


def _roots(dataset: Dataset, source_of: Mapping[str, str]) -> pl.Series:
    """The original row of each row: the one it was made from, or the one that that was made from."""
    return pl.Series([_root(id_, source_of) for id_ in _ids(dataset)], dtype=pl.String)


def _root(id_: str, source_of: Mapping[str, str]) -> str:
    seen = {id_}
    while (source := source_of.get(id_)) is not None and source not in seen:
        seen.add(source)
        id_ = source
    return id_
