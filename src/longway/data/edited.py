"""A dataset with some of its texts replaced, ready to be saved: same rows, same columns, same order.

edited_tables(dataset, texts by id, rows to add)  ->  tables  ->  save()
edited_dataset(the same)                          ->  a dataset in memory

Each row also gets the column `longway_id`, by which edits.jsonl names it, and where rows are added that say what they were made
from, the column `longway_source`: the id of that row, empty for rows that were there. Rows that were not used (no label,
other splits) come out as they went in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from longway.data.dataset import Dataset
from longway.data.parts import Part
from longway.data.problems import Tally
from longway.data.roles import plain_roles
from longway.data.source import in_memory
from longway.data.table import Table, combine

ID_COLUMN = "longway_id"
SOURCE_COLUMN = "longway_source"


@dataclass(frozen=True, slots=True)
class Addition:
    """A row to be added: a copy of the row `like` with another id and other cells in the named columns.

    source: the id of the row that it was made from; "" where the run does not say.
    """

    id: str
    like: str
    cells: Mapping[str, str] = field(default_factory=dict)
    source: str = ""


def edited_tables(
    dataset: Dataset | Part,
    texts: Mapping[str, str],
    additions: Sequence[Addition] = (),
    *,
    contexts: Mapping[str, str] | None = None,
) -> Iterator[Table]:
    """All rows of the dataset with the new texts and contexts in place, then the additions.

    texts, contexts: by id, as `Batch.ids` has them. A streamed dataset comes in several tables.
    """
    copied: dict[str, Table] = {}
    wanted = {addition.like for addition in additions}
    has_sources = any(addition.source for addition in additions)
    for table, ids in dataset.tables_with_ids():
        plain = plain_roles(table, dataset.columns)
        new = _replaced(plain.frame, dataset.columns.text, ids, texts)
        new += _replaced(plain.frame, dataset.columns.context, ids, contexts or {})
        frame = plain.frame.with_columns(*new, ids.alias(ID_COLUMN))
        if has_sources:
            frame = _with_sources(frame)
        yield Table(frame, plain.json_columns, plain.optional - {ID_COLUMN, SOURCE_COLUMN})
        for place in (i for i, id_ in enumerate(ids) if wanted and id_ in wanted):
            copied[ids[place]] = plain.with_frame(frame[place])
    for addition in additions:
        row = copied[addition.like]
        cells = {**addition.cells, ID_COLUMN: addition.id}
        if has_sources:
            cells[SOURCE_COLUMN] = addition.source
        if dataset.columns.id is not None:
            cells[dataset.columns.id] = addition.id  # in a column of numbers it stays empty
        types = row.frame.schema
        yield row.with_frame(
            row.frame.with_columns(
                pl.lit(cell).cast(types[name], strict=False).alias(name) for name, cell in cells.items()
            )
        )


def edited_dataset(
    dataset: Dataset,
    texts: Mapping[str, str],
    additions: Sequence[Addition] = (),
    *,
    contexts: Mapping[str, str] | None = None,
) -> Dataset:
    """The same in memory, with `longway_id` as its ids."""
    whole = combine(list(edited_tables(dataset, texts, additions, contexts=contexts)))
    source = in_memory(whole, name=dataset.source_name, format=dataset.format)
    return Dataset(source, replace(dataset.columns, id=ID_COLUMN), Tally())


def _replaced(
    frame: pl.DataFrame, column: str | None, ids: pl.Series, new: Mapping[str, str]
) -> list[pl.Series]:
    """The column with new cells for some ids; nothing where no row of the frame has one."""
    if column is None or not any(id_ in new for id_ in ids):
        return []
    cells = [new.get(id_, old) for id_, old in zip(ids, frame[column].cast(pl.String), strict=True)]
    return [pl.Series(column, cells, dtype=pl.String)]


def _with_sources(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with a column for what each was made from, as text; what was told by an earlier run stays."""
    if SOURCE_COLUMN in frame.columns:
        return frame.with_columns(pl.col(SOURCE_COLUMN).cast(pl.String))
    return frame.with_columns(pl.lit(None, dtype=pl.String).alias(SOURCE_COLUMN))
