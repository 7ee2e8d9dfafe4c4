"""The remedies that change texts, prepared for one dataset, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module

from longway.methods.loop import AskEngine
from longway.methods.repair import PUT_IN, REMEDIES, RESHAPE
from longway.methods.repair.asked import asked_edits
from longway.methods.repair.remedy import Parts, Proposer


def proposers(parts: Parts, ask: AskEngine | None = None) -> Iterator[Proposer]:
    """The remedies of `REMEDIES` that change texts. ask: an engine that follows instructions."""
    for remedy in REMEDIES.values():
        if remedy.module:
            yield from import_module(f"longway.methods.repair.{remedy.module}").proposers(remedy.name, parts)
    if ask is not None and parts.write is not None:
        for name in (RESHAPE, PUT_IN):
            edits = partial(asked_edits, ask, parts.rows.task, name, parts.write.name, parts.seed)
            yield Proposer(name, edits, parts.writes_english, asks=True)
