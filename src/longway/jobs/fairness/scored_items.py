"""Items that a model answers, a batch at a time, each answer kept in the run's journal as soon as its batch is done.

scored(items, ...)  ->  a dict for each item: from the journal where it is there, asked otherwise
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from longway.store import Journal, JournalEntry
from longway.store.journal import key_of

T = TypeVar("T")
BATCH = 64  # items: what is lost at most when a run is killed


def scored(
    items: Sequence[T],
    *,
    kind: str,
    shaped_by: Mapping[str, Any],
    told: Callable[[T], Mapping[str, Any]],
    ask: Callable[[Sequence[T]], list[dict[str, Any]]],
    journal: Journal,
    progress: Callable[[int, int], object],
    batch: int = BATCH,
) -> list[dict[str, Any]]:
    """The answer to each item, in their order; an item that stands twice is asked once.

    kind: what is asked. shaped_by: the model. told: the item as JSON values. ask: gives the answers to some items.
    """
    keys = [key_of({"kind": kind, "shaped_by": dict(shaped_by), "item": dict(told(item))}) for item in items]
    of_key = dict(zip(keys, items, strict=True))
    found = journal.get_all(of_key)
    wanted = [key for key in of_key if key not in found]
    progress(len(found), len(of_key))
    for at in range(0, len(wanted), batch):
        part = wanted[at : at + batch]
        started = time.monotonic()
        answers = ask([of_key[key] for key in part])
        seconds = (time.monotonic() - started) / len(part)
        journal.put_all(
            JournalEntry(key, kind, engine=kind, answer=answer, seconds=seconds)
            for key, answer in zip(part, answers, strict=True)
        )
        found |= dict(zip(part, answers, strict=True))
        progress(len(found), len(of_key))
    return [found[key] for key in keys]
