"""A dataset with some of its texts replaced, ready to be saved: same rows, same columns, same order.

edited_tables(dataset, texts by id, rows to add)  ->  tables  ->  save()

Each row also gets the column `longway_id`, by which edits.jsonl names it. Rows that were not used (no label, other splits)
come out as they went in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from longway.data.dataset import Dataset
from longway.data.roles import plain_roles
from longway.data.table import Table

ID_COLUMN = "longway_id"


@dataclass(frozen=True, slots=True)
class Addition:
    """A row to be added: a copy of the row `like` with another id and other cells in the named columns."""

    id: str
    like: str
    cells: Mapping[str, str] = field(default_factory=dict)


def edited_tables(
    dataset: Dataset, texts: Mapping[str, str], additions: Sequence[Addition] = ()
) -> Iterator[Table]:
    """All rows of the dataset with the new texts in place, then the additions.

    texts: by id, as `Batch.ids` has them. A streamed dataset comes in several tables.
    """
    copied: dict[str, Table] = {}
    wanted = {addition.like for addition in additions}
    for table, ids in dataset.tables_with_ids():
        plain = plain_roles(table, dataset.columns)
        column = dataset.columns.text
        old = plain.frame[column]
        new = [texts.get(id_, text) for id_, text in zip(ids, old.cast(pl.String), strict=True)]
        changed = any(id_ in texts for id_ in ids)
        frame = plain.frame.with_columns(
            pl.Series(column, new, dtype=pl.String) if changed else old, ids.alias(ID_COLUMN)
        )
        yield Table(frame, plain.json_columns, plain.optional - {ID_COLUMN})
        for place in (i for i, id_ in enumerate(ids) if wanted and id_ in wanted):
            copied[ids[place]] = plain.with_frame(frame[place])
    for addition in additions:
        row = copied[addition.like]
        cells = {**addition.cells, ID_COLUMN: addition.id}
        if dataset.columns.id is not None:
            cells[dataset.columns.id] = addition.id  # in a column of numbers it stays empty
        types = row.frame.schema
        yield row.with_frame(
            row.frame.with_columns(
                pl.lit(cell).cast(types[name], strict=False).alias(name) for name, cell in cells.items()
            )
        )
