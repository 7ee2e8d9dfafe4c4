"""A wrong prediction beside its saliency map, and what the classifier predicts without the phrase of its strongest rule (Table 9).

    classifier, row, wrong label  ->  integrated gradients of both texts  ->  the five words with the highest L2 norm
    tree, its marked node         ->  the pair without the words of that node  ->  what the classifier predicts now

A saliency map shows single words and not how they are connected; the rule names the phrase. If the prediction becomes right without the
phrase, the classifier relied on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from longway.errors import SettingError
from longway.grammars.trees import Tree, leaves, nodes, read_brackets
from longway.grammars.vocabulary import words_of
from longway.jobs.grammar.result import WrongPrediction
from longway.models.classifier import Classifier, Inputs
from longway.models.importance import word_importance
from longway.models.importance.gradients import gradients_of
from longway.models.importance.word_scores import text_starts
from longway.records import Example

SALIENT = 5  # tokens of a saliency map, as in the paper


@dataclass(frozen=True)
class SalientWord:
    """A word of a saliency map. field: "text" or "context"; norm: the L2 norm of its integrated gradients."""

    field: str
    start: int
    end: int
    norm: float


@dataclass(frozen=True)
class Explained:
    """A wrong prediction with its row. salient: the words with the strongest gradients; empty if the classifier has none.

    without: the prediction for the pair without the words of the marked rule; None for single texts, or if nothing would be left.
    """

    wrong: WrongPrediction
    row: Example
    salient: tuple[SalientWord, ...]
    without: str | None


def has_gradients(model: Classifier) -> bool:
    """Whether a classifier has the gradients that a saliency map needs."""
    try:
        gradients_of(model)
    except SettingError:
        return False
    return True


def with_saliency(
    wrong: Sequence[WrongPrediction], examples: Sequence[Example], model: Classifier
) -> list[Explained]:
    """The wrong predictions with their rows, their saliency maps, and the prediction without the marked phrase.

    examples: the row of each.
    """
    maps = _maps(wrong, examples, model) if wrong and has_gradients(model) else [()] * len(wrong)
    shorter = [_without(one, example) for one, example in zip(wrong, examples, strict=True)]
    kept = [example for example in shorter if example is not None]
    answers = iter(model.predict(_inputs(kept)) if kept else [])
    return [
        Explained(one, example, salient, None if cut is None else next(answers))
        for one, example, salient, cut in zip(wrong, examples, maps, shorter, strict=True)
    ]


def _maps(
    wrong: Sequence[WrongPrediction], examples: Sequence[Example], model: Classifier
) -> list[tuple[SalientWord, ...]]:
    inputs = _inputs(examples)
    field = "text" if inputs.contexts is None else "both"
    scored = word_importance(model, inputs, method="ig", field=field, target=[one.answer for one in wrong])
    found = []
    for scores, example in zip(scored, examples, strict=True):
        shift = 0 if field == "text" else text_starts(example.context or "")
        assert scores.norms is not None  # integrated gradients have them
        norms, salient = scores.norms.tolist(), []
        for place in np.argsort(-scores.norms, kind="stable")[:SALIENT].tolist():
            start, end = scores.spans[place]
            is_text = start >= shift
            moved = (start - shift, end - shift) if is_text else (start, end)
            salient.append(SalientWord("text" if is_text else "context", *moved, norms[place]))
        found.append(tuple(salient))
    return found


def _inputs(examples: Sequence[Example]) -> Inputs:
    is_pair = any(example.context is not None for example in examples)
    contexts = [example.context or "" for example in examples] if is_pair else None
    return Inputs([example.text for example in examples], contexts)


def _without(one: WrongPrediction, example: Example) -> Example | None:
    """The pair without the words of the marked node; None for single texts, and if a text would be empty or its words are not found."""
    if example.context is None or not one.marks:
        return None
    tree = read_brackets(one.tree)
    places = _places(tree, one.marks[0])
    context, text = (
        without_words(given, places[side]) for side, given in enumerate((example.context, example.text))
    )
    if not context or not text or (context, text) == (example.context, example.text):
        return None
    return replace(example, context=context, text=text)


def _places(tree: Tree, mark: int) -> tuple[set[int], set[int]]:
    """The places of the words of one node, in the first text and in the second. mark: its number among the tree's nodes."""
    marked = list(nodes(tree))[mark]
    inside = {id(leaf) for leaf in leaves(marked)}
    places: tuple[set[int], set[int]] = (set(), set())
    counts = [0, 0]
    for leaf in leaves(tree):
        for side in (0, 1):
            if leaf.words[side]:
                if id(leaf) in inside:
                    places[side].add(counts[side])
                counts[side] += 1
    return places


def without_words(text: str, places: set[int]) -> str | None:
    """The text without the words at these places, as a grammar counts them; None if its words are not found in it.

    >>> without_words("A man kneels in spring.", {3, 4})
    'A man kneels.'
    """
    spans, at, lowered = [], 0, text.lower().replace("’", "'")
    if len(lowered) != len(text):
        return None
    for word in words_of(text):
        start = lowered.find(word, at)
        if start < 0:
            return None
        at = start + len(word)
        spans.append((start, at))
    kept = text
    for place in sorted(places, reverse=True):
        start, end = spans[place]
        kept = f"{kept[:start]} {kept[end:]}"
    return re.sub(r" +(?=[.,;:!?]( |$))", "", " ".join(kept.split()))
