"""Integrated gradients (Sundararajan, Taly and Yan 2017): the slope of the label's probability, gathered on the way from nothing to the text.

    score of piece i = (x_i - x'_i) * mean over a in [0, 1] of  d p(target) / d x_i  at  x' + a (x - x')

    bag of words      x: the row's features; the way is known in closed form       linear_gradients.py
    neural models     x: the embeddings of its wordpieces; summed in steps         torch_gradients.py

x' is the same row without the explained text. The scores of a text sum to p(x) - p(x') (completeness): exactly for the bag of words,
up to the error of the steps for neural models. Wordpieces are summed to words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Classifier, Inputs
from longway.classify.importance.words import Floats, Words, WordScores
from longway.errors import SettingError

Ints = NDArray[np.int64]
STEPS = 48
AT_ONCE = 64  # rows between two calls of `progress`


@dataclass(frozen=True, slots=True)
class PieceScores:
    """What a model says of the pieces that it reads one text in.

    spans: where each piece stands in the text. value, baseline: the label's probability with the text and without.
    """

    spans: Sequence[tuple[int, int]]
    scores: Floats
    value: float
    baseline: float


@runtime_checkable
class HasGradients(Protocol):
    """A model that can be asked for integrated gradients."""

    def piece_scores(self, inputs: Inputs, targets: Ints, *, field: str, steps: int) -> list[PieceScores]:
        """For each row the pieces of one side and their scores. targets: the number of each row's label."""
        ...


def integrated_gradients(
    model: Classifier,
    inputs: Inputs,
    targets: Ints,
    *,
    field: str = "text",
    steps: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> list[WordScores]:
    """The scores of the words of each row. steps: points on the way, for neural models."""
    source = gradients_of(model)
    texts = inputs.texts if field == "text" else (inputs.contexts or ())
    found: list[WordScores] = []
    for start in range(0, len(inputs), AT_ONCE):
        rows = list(range(start, min(start + AT_ONCE, len(inputs))))
        asked = source.piece_scores(inputs.take(rows), targets[rows], field=field, steps=steps or STEPS)
        for row, pieces in zip(rows, asked, strict=True):
            words = Words.of(texts[row])
            scores = to_words(pieces, words.spans)
            label = model.labels_[int(targets[row])]
            found.append(
                WordScores(words.words, words.spans, scores, label, field, pieces.value, pieces.baseline)
            )
        if progress is not None:
            progress(len(rows))
    return found


def to_words(pieces: PieceScores, spans: Sequence[tuple[int, int]]) -> Floats:
    """Scores of words from those of pieces: each piece goes to the words that it overlaps, by characters.

    A piece that touches no word goes to the nearest, so that nothing is lost.
    """
    found = np.zeros(len(spans))
    if not spans:
        return found
    starts, ends = (np.array(side, np.int64) for side in zip(*spans, strict=True))
    for (start, end), score in zip(pieces.spans, pieces.scores.tolist(), strict=True):
        overlap = np.maximum(0, np.minimum(ends, end) - np.maximum(starts, start)).astype(np.float64)
        if not overlap.any():
            overlap[np.argmin(np.maximum(starts - end, start - ends))] = 1
        found += score * overlap / overlap.sum()
    return found


def gradients_of(model: Classifier) -> HasGradients:
    """How this model is asked for its gradients; an error that names the other methods where it has none."""
    if isinstance(model, HasGradients):
        return model
    from longway.classify.importance.linear_gradients import linear_gradients

    if (source := linear_gradients(model)) is not None:
        return source
    from longway.classify.importance.torch_gradients import torch_gradients

    if (source := torch_gradients(model)) is not None:
        return source
    name = getattr(model, "name", type(model).__name__)
    raise SettingError(
        f"The model {name!r} gives no gradients, which integrated gradients need. "
        "Choose the method lime or shapley, or a model that is trained as a whole, such as bow, cnn or minilm-lora."
    )
