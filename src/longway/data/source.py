"""Where rows come from, whatever it is: a name, a format, and the rows as tables again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from longway.data.problems import Tally
from longway.data.shards import Shard
from longway.data.table import Table

Tables = Callable[[Sequence[str] | None, Tally], Iterator[Table]]


@dataclass(frozen=True, slots=True)
class Source:
    """Rows that can be read again and again.

    tables: called with the columns wanted (None: all) and a tally for what is odd, gives the rows in order.
    whole: all rows, where they are in memory; None for a source that is streamed.
    files: those that a streamed source is read from, one after the other; none where only some of their rows are.
    """

    name: str
    format: str
    tables: Tables
    whole: Table | None = None
    files: tuple[Shard, ...] = ()


def in_memory(table: Table, *, name: str, format: str) -> Source:
    """A source of rows that are in memory already."""

    def tables(columns: Sequence[str] | None, tally: Tally) -> Iterator[Table]:
        yield table.select(columns)

    return Source(name, format, tables, table)


def cut(tables: Iterator[Table], limit: int | None) -> Iterator[Table]:
    """The first `limit` rows of the tables."""
    left = limit
    for table in tables:
        if left is None:
            yield table
            continue
        yield table.with_frame(table.frame.head(left))
        left -= table.frame.height
        if left <= 0:
            return
