"""Rewriting rules: each file a family of ways to put a sentence differently without a model.

    RULES["passive"](scene)      the ways of one family, as `Rewriting`s
    all_rewritings(scene)        those of all families, in the table's order

A new family is a file with a function `rewritings(scene)` and a row in the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

from longway.rules.rule import Rewriting, Rule, Scene

# Those that take telling patterns apart come first: negation, "only", then grammar, then words.
FAMILIES = (
    "negation",
    "restrictors",
    "contrast",
    "passive",
    "clause_order",
    "fronting",
    "nominal",
    "phrases",
    "aspect",
    "list_order",
    "contractions",
    "number_words",
    "hedges",
    "words",
    "names",
    "frames",
)


def _table() -> dict[str, Rule]:
    names = [name for name in FAMILIES if find_spec(f"longway.rules.{name}")]
    return {name: import_module(f"longway.rules.{name}").rewritings for name in names}


RULES: dict[str, Rule] = _table()


def all_rewritings(scene: Scene) -> Iterator[Rewriting]:
    """Every way that a rule knows to put the scene's text differently."""
    for rule in RULES.values():
        yield from rule(scene)
