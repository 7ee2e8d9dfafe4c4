"""Triples by kind, and the order in which they are put together again (CoBA, section 3.3.2).

kind_of(triple)    spurious: it has a spurious word, and stays; principal: it has a principal word, and is changed; else normal
arranged(kinds)    normal triples change places with one another and some are left out; all others stay where they are
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Literal

from longway.english.triples.triple import Triple
from longway.methods.coba.words import Important

Kind = Literal["spurious", "principal", "normal"]


def kind_of(triple: Triple, important: Important, *, mixed: Kind = "spurious") -> Kind:
    """What a triple is by its words. mixed: what it is where it has words of both kinds; in the paper, spurious.

    A sentence that was left whole is no triple, and holds many words: with a principal one it is principal, whatever
    else it has. Spurious words of a triple that is changed must survive the change.
    """
    words = triple.words
    is_spurious, is_principal = bool(words & set(important.spurious)), bool(words & set(important.principal))
    if is_spurious and is_principal:
        return "principal" if triple.is_whole else mixed
    return "spurious" if is_spurious else "principal" if is_principal else "normal"


def kinds_of(triples: Iterable[Triple], important: Important, *, mixed: Kind = "spurious") -> list[Kind]:
    """What each triple is.

    Where a spurious word stands beside every principal one, no triple would be principal and no label could change: then
    those with words of both kinds are principal after all.
    """
    listed = list(triples)
    kinds = [kind_of(triple, important, mixed=mixed) for triple in listed]
    if "principal" in kinds:
        return kinds
    return [kind_of(triple, important, mixed="principal") for triple in listed]


def arranged(kinds: Sequence[Kind], random: Random, *, permute: bool, drop: float) -> list[int]:
    """The places of the triples that are kept, in their new order.

    drop: how likely a normal triple is left out; one triple at least is kept.
    """
    normal = [place for place, kind in enumerate(kinds) if kind == "normal"]
    kept = [place for place in normal if random.random() >= drop]
    if not kept and len(normal) == len(kinds):
        kept = normal[:1]
    places = sorted(set(range(len(kinds))) - set(normal) | set(kept))
    shuffled = list(kept)
    if permute:
        random.shuffle(shuffled)
    new = iter(shuffled)
    return [next(new) if kinds[place] == "normal" else place for place in places]
