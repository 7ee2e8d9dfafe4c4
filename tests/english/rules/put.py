"""What a family of rules makes of a sentence: (rule, new text) pairs, in order."""

from __future__ import annotations

from longway.english.rules.rule import Rule
from tests.english.rules.said import scene_of


def put(rule: Rule, text: str) -> list[tuple[str, str]]:
    """Each rephrasing's rule with the text it makes."""
    scene = scene_of(text)
    return [(one.rule, one.apply(scene.document)) for one in rule(scene)]
