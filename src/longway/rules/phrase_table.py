"""The phrases of `phrases.toml`, read and indexed; how they are written there is told in `phrases.py`."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from longway.rules.phrase_conditions import Conditions

PATH = Path(__file__).parent / "phrases.toml"


@dataclass(frozen=True, slots=True)
class Item:
    """One part of a phrase. kind: "V", "N" or "J" for a word in any form, "=" for one as it is, "~" for an adverb."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """Phrases that say the same.

    n_from: so many of them, from the first on, may be replaced; the others only replace. fixed: see `phrases.toml`.
    """

    name: str
    ways: tuple[tuple[Item, ...], ...]
    n_from: int
    fixed: bool
    conditions: Conditions


@lru_cache(maxsize=1)
def groups() -> tuple[Group, ...]:
    """The phrases of the file."""
    table = tomllib.loads(PATH.read_text(encoding="utf-8"))
    return tuple(_group(name, entry) for name, entry in table.items())


def _group(name: str, entry: dict[str, object]) -> Group:
    ways = entry.pop("ways", None)
    sources, targets = entry.pop("from", []), entry.pop("to", [])
    assert isinstance(sources, list)
    assert isinstance(targets, list)
    written = ways if isinstance(ways, list) else [*sources, *targets]
    n_from = len(written) if ways is not None else len(sources)
    fixed = bool(entry.pop("fixed", False))
    items = tuple(_items(way) for way in written)
    return Group(name, items, n_from, fixed, Conditions(**entry))  # type: ignore[arg-type]


def _items(way: str) -> tuple[Item, ...]:
    return tuple(_item(part) for part in way.split())


def _item(part: str) -> Item:
    if part == "~":
        return Item("~", "")
    if part.startswith("<"):
        lemma, _, kind = part.strip("<>").partition(":")
        return Item(kind or "V", lemma.replace("_", " "))
    return Item("=", part)


@lru_cache(maxsize=1)
def index() -> dict[str, tuple[tuple[Group, int], ...]]:
    """The phrases by their first word: the lemma, or "=" and the word as it is."""
    found: defaultdict[str, list[tuple[Group, int]]] = defaultdict(list)
    for group in groups():
        for number, way in enumerate(group.ways[: group.n_from]):
            for first in way[:2] if way[0].kind == "~" else way[:1]:
                if first.kind == "~":
                    continue  # found by the word behind it: an adverb there would stay where it is
                found[f"={first.text.lower()}" if first.kind == "=" else first.text].append((group, number))
                if first.text == "a" and first.kind == "=":
                    found["=an"].append((group, number))
    return {key: tuple(entries) for key, entries in found.items()}
