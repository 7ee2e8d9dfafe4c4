"""Asking a model about texts with words left out: of many rows at once, each different text once.

    row   ->  Question: which words are kept in which of its masked texts     (lime.py, shapley.py)
    rows  ->  masked texts, equal ones joined  ->  model, in big batches  ->  the label's probability in each
    row   <-  question.read(probabilities): a score for each word

Masks of a thousand texts do not fit in memory, so rows go through in groups of some ten thousand masked texts. The packages
`lime` (unmaintained since 2020, brings scikit-image and matplotlib) and `shap` (brings numba) are not used: both ask the model
text by text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Classifier, Inputs
from longway.classify.importance.words import Bools, Floats, Words, WordScores

Ints = NDArray[np.int64]
AT_ONCE = 20_000  # masked texts that are held together
CHARACTERS_AT_ONCE = 20_000_000  # of them


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be asked about one text.

    masks: (texts, words), True where a word is kept. read: the label's probability in each -> scores and baseline.
    """

    masks: Bools
    read: Callable[[Floats], tuple[Floats, float]]


Ask = Callable[[int, np.random.Generator], Question]  # of how many words


def explain_by_masking(
    model: Classifier,
    inputs: Inputs,
    targets: Ints,
    ask: Ask,
    *,
    field: str = "text",
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
) -> list[WordScores]:
    """The scores of the words of each row. targets: the number of the label to explain, for each row."""
    cut = [Words.of(text) for text in side(inputs, field)]
    questions = (ask(len(words), np.random.default_rng([seed, i])) for i, words in enumerate(cut))
    found: list[WordScores] = []
    for group in _groups(cut, questions):
        rows = range(len(found), len(found) + len(group))
        answers = probabilities(
            model, inputs, [(row, q.masks) for row, q in zip(rows, group, strict=True)], cut, field=field
        )
        whole = model.predict_proba(inputs.take(list(rows)))
        for row, question, answer, all_words in zip(rows, group, answers, whole, strict=True):
            words, target = cut[row], int(targets[row])
            scores, baseline = question.read(answer[:, target])
            found.append(
                WordScores(
                    words.words,
                    words.spans,
                    scores,
                    model.labels_[target],
                    field,
                    float(all_words[target]),
                    baseline,
                )
            )
        if progress is not None:
            progress(len(group))
    return found


def probabilities(
    model: Classifier,
    inputs: Inputs,
    masks: Sequence[tuple[int, Bools]],
    cut: Sequence[Words],
    *,
    field: str = "text",
) -> list[Floats]:
    """For each (row, masks): the probability of each label in each of the masked texts, (masks, labels).

    Equal texts, with equal texts on the other side, are sent to the model once.
    """
    other = inputs.contexts if field == "text" else inputs.texts
    place: dict[tuple[str, str], int] = {}
    which = [
        [
            place.setdefault((cut[row].kept(mask), "" if other is None else other[row]), len(place))
            for mask in these
        ]
        for row, these in masks
    ]
    masked, beside = ([pair[0] for pair in place], [pair[1] for pair in place])
    if field == "text":
        asked = Inputs(masked, None if inputs.contexts is None else beside)
    else:
        asked = Inputs(beside, masked)
    if not len(asked):
        return [np.zeros((0, len(model.labels_))) for _ in masks]
    answers = model.predict_proba(asked)
    return [answers[places] for places in which]


def side(inputs: Inputs, field: str) -> Sequence[str]:
    """The texts of one side."""
    if field == "text":
        return inputs.texts
    assert inputs.contexts is not None  # checked by `word_importance`
    return inputs.contexts


def _groups(cut: Sequence[Words], questions: Iterator[Question]) -> Iterator[list[Question]]:
    """The questions of consecutive rows, as many as may be held together."""
    group: list[Question] = []
    n_texts = n_characters = 0
    for words, question in zip(cut, questions, strict=True):
        group.append(question)
        n_texts += len(question.masks)
        n_characters += len(question.masks) * len(words.text)
        if n_texts >= AT_ONCE or n_characters >= CHARACTERS_AT_ONCE:
            yield group
            group, n_texts, n_characters = [], 0, 0
    if group:
        yield group
