"""The remedies of a repair. `in_place_remedies` lists those that change texts, in the order in which they are tried."""

from collections.abc import Callable

from longway.english.document import Document
from longway.methods.method import Rows
from longway.methods.repair.exchange import Exchange
from longway.methods.repair.normalise import Normalise, PutTrait
from longway.methods.repair.put_in import PutIn
from longway.methods.repair.recurring import Recurring
from longway.methods.repair.remedy import Remedy, repair_row
from longway.methods.repair.reshape import Reshape
from longway.methods.repair.take_out import TakeOut


def in_place_remedies(
    rows: Rows, read: Callable[[str], Document] | None = None, *, seed: int = 0
) -> list[Remedy]:
    """The remedies that change texts. read: analyses English texts; None if there are none."""
    english = [row for row in range(len(rows)) if rows.is_english(row)] if read is not None else []
    recurring = Recurring(rows.texts, read=read, analysed=frozenset(english))
    given = [repair_row(rows, row, text, read) for row, text in enumerate(rows.texts)]
    texts: dict[str, list[str]] = {}
    for row in given:
        texts.setdefault(row.label, []).append(row.text)
    return [
        TakeOut(recurring),
        Normalise(),
        Exchange(given, seed=seed),
        Reshape(recurring, texts, seed=seed),
        PutTrait(),
        PutIn(recurring),
    ]
