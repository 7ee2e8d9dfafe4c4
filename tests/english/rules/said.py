"""What a family of rules makes of a sentence, as our own pipeline parses it."""

from __future__ import annotations

from longway.english.pipeline import load_pipeline
from longway.english.rules.rule import Rephrasing, Rule, Scene


def scene_of(text: str, stance=None, context: str | None = None) -> Scene:
    """The scene of a text, analysed by the pipeline that comes with the package."""
    return Scene(load_pipeline().analyse(text), context=context, stance=stance)


def said(rule: Rule, text: str, stance=None, context: str | None = None) -> dict[str, list[str]]:
    """The new texts by the name of the rule that made them."""
    scene = scene_of(text, stance, context)
    found: dict[str, list[str]] = {}
    for rephrasing in rule(scene):
        assert isinstance(rephrasing, Rephrasing)
        found.setdefault(rephrasing.rule, []).append(rephrasing.apply(scene.document))
    return found
