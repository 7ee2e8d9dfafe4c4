"""Rewriting rules: each file a family of ways to put a sentence differently without a model.

    RULES["passive"](scene)      the ways of one family, as `Rewriting`s
    all_rewritings(scene)        those of all families, in the table's order

A new family is a file with a function `rewritings(scene)` and a row in the table.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules import (
    aspect,
    clause_order,
    contractions,
    contrast,
    details,
    from_context,
    fronting,
    hedges,
    list_order,
    names,
    negation,
    nominal,
    number_words,
    origins,
    passive,
    phrases,
    restrictors,
    there,
    words,
)
from longway.rules.rule import Rewriting, Rule, Scene

# Those that take telling patterns apart come first: negation, "only", then grammar, then words. Of two that make the same
# text the first one counts.
RULES: dict[str, Rule] = {
    "negation": negation.rewritings,
    "restrictors": restrictors.rewritings,
    "contrast": contrast.rewritings,
    "from_context": from_context.rewritings,
    "details": details.rewritings,
    "passive": passive.rewritings,
    "clause_order": clause_order.rewritings,
    "fronting": fronting.rewritings,
    "there": there.rewritings,
    "nominal": nominal.rewritings,
    "origins": origins.rewritings,
    "phrases": phrases.rewritings,
    "aspect": aspect.rewritings,
    "list_order": list_order.rewritings,
    "contractions": contractions.rewritings,
    "number_words": number_words.rewritings,
    "hedges": hedges.rewritings,
    "words": words.rewritings,
    "names": names.rewritings,
}


def all_rewritings(scene: Scene) -> Iterator[Rewriting]:
    """Every way that a rule knows to put the scene's text differently."""
    for rule in RULES.values():
        yield from rule(scene)
