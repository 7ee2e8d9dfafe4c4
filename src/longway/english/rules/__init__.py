"""Rewriting rules: ways to rephrase a text without a model, grouped in families.

    RULES["passive"](scene)    the rephrasings of one family
    all_rephrasings(scene)      those of all families, in the order of the table

To add a family, write a function with the family's name that takes a `Scene` and yields `Rephrasing`s,
and add it to the table.
"""

from __future__ import annotations

from longway.english.rules import (
    claims,
    facts,
    negatives,
    nominal,
    phrase_groups,
    restrictors,
    voice,
    word_choice,
    word_order,
)
from longway.english.rules.rule import Rephrasings, Rule, Scene

# Order matters: when two rules produce the same text, the first one is kept. Families that remove
# patterns such as negation and "only" come first, then grammar, then words.
RULES: dict[str, Rule] = {
    "negation": negatives.negation,
    "restrictors": restrictors.restrictors,
    "contrast": claims.contrast,
    "from_context": facts.from_context,
    "details": claims.details,
    "passive": voice.passive,
    "fronting": word_order.fronting,
    "there": voice.there,
    "nominal": nominal.nominal,
    "origins": nominal.origins,
    "phrases": phrase_groups.phrases,
    "aspect": voice.aspect,
    "number_words": word_choice.number_words,
    "words": word_choice.words,
}


def all_rephrasings(scene: Scene) -> Rephrasings:
    """Yield the rephrasings of all families."""
    for rule in RULES.values():
        yield from rule(scene)
