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
    known = set(_ids(before))
    return all(
        ID_COLUMN in one.frame.columns and known.issuperset(_origins(one)) for one in versions.values()
    )


def hold_out(before: Dataset, versions: Mapping[str, Dataset]) -> tuple[dict[str, Dataset], Dataset]:
    """The versions without the rows that are held out, and these rows. before: one of the versions, the original.

    >>> import longway as lw
    >>> rows = [{"text": f"number {i}", "label": "ab"[i % 2]} for i in range(100)]
    >>> kept, test = hold_out(lw.load(rows), {"before": lw.load(rows)})
    >>> len(kept["before"]), len(test)
    (80, 20)
    """
    chosen = _chosen(before)
    kept = {name: in_rows(one, ~_origins(one).is_in(chosen.implode())) for name, one in versions.items()}
    return kept, in_rows(before, _ids(before).is_in(chosen.implode()))


def _chosen(before: Dataset) -> pl.Series:
    """The ids of the rows to hold out, drawn by their texts: the same ones in any order."""
    rows = [pair for batch in before.batches() for pair in zip(batch.ids, batch.texts, strict=True)]
    texts = sorted({text for _, text in rows}, key=_draw)
    held_out = set(texts[: max(1, round(SHARE * len(texts)))])
    return pl.Series([id_ for id_, text in rows if text in held_out], dtype=pl.String)


def _draw(text: str) -> bytes:
    """An order of texts that depends on nothing else."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _ids(dataset: Dataset) -> pl.Series:
    """The ids of all rows, in order."""
    return pl.concat([ids.cast(pl.String) for _, ids in dataset.tables_with_ids()])


def _origins(dataset: Dataset) -> pl.Series:
    """The id of the original row that each row was made from."""
    ids = _ids(dataset)
    if SOURCE_COLUMN not in dataset.frame.columns:
        return ids
    sources = dataset.frame[SOURCE_COLUMN].cast(pl.String)
    return pl.select(pl.when(sources.fill_null("") != "").then(sources).otherwise(ids)).to_series()
