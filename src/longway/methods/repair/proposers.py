"""The remedies that change texts, made for one dataset, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from longway.english.document import Document
from longway.methods.loop import AskEngine
from longway.methods.method import Rows, Write
from longway.methods.repair import EXCHANGE, NORMALISE, PUT_IN, RESHAPE, REWORD, TAKE_OUT
from longway.methods.repair.asked import asked_edits
from longway.methods.repair.exchange import Exchange
from longway.methods.repair.normalise import normalised, with_trait
from longway.methods.repair.put_in import PutIn
from longway.methods.repair.recurring import Recurring
from longway.methods.repair.remedy import Proposer, each_row, repair_row
from longway.methods.repair.reshape import Reshape
from longway.methods.repair.reword import reworded
from longway.methods.repair.take_out import TakeOut


def proposers(
    rows: Rows,
    read: Callable[[str], Document] | None = None,
    *,
    seed: int = 0,
    write: Write | None = None,
    ask: AskEngine | None = None,
    writes_english: bool = True,
) -> Iterator[Proposer]:
    """The remedies that change texts.

    read: analyses English texts; None if there are none. write: rewords texts. ask: an engine that follows instructions.
    writes_english: whether `write` and `ask` know English only.
    """
    english = [row for row in range(len(rows)) if rows.is_english(row)] if read is not None else []
    recurring = Recurring(rows.texts, read=read, analysed=frozenset(english), tokenizer=rows.tokenizer)
    every = [repair_row(rows, row, text, read) for row, text in enumerate(rows.texts)]
    texts: dict[str, list[str]] = {}
    for row in every:
        texts.setdefault(row.label, []).append(row.text)
    yield Proposer(TAKE_OUT, each_row(TakeOut(recurring).propose))
    yield Proposer(NORMALISE, each_row(normalised))
    yield Proposer(EXCHANGE, each_row(Exchange(every, seed=seed).propose))
    if write is not None:
        yield Proposer(REWORD, partial(reworded, write, rows.task, writes_english), writes_english, asks=True)
    yield Proposer(RESHAPE, each_row(Reshape(recurring, texts, seed=seed).propose))
    yield Proposer(PUT_IN, each_row(with_trait))
    yield Proposer(PUT_IN, each_row(PutIn(recurring).propose), needs_english=True)
    if ask is not None and write is not None:
        for name in (RESHAPE, PUT_IN):
            edits = partial(asked_edits, ask, rows.task, name, write.name, seed)
            yield Proposer(name, edits, writes_english, asks=True)
