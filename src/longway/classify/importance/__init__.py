"""Which words of a text speak for its label, as a model sees it: one verb, three methods, one file each.

    word_importance(model, inputs, method="lime")         a line that answers as the model does nearby
    word_importance(model, inputs, method="shapley")      what a word adds, on average over all orders
    word_importance(model, inputs, method="ig")           the slope gathered on the way from no text to the text

All explain one number, the probability of a label, so that their scores can be laid side by side. The first two ask any model
(`masking.py`); the third needs its gradients. What several models agree on: `overlap.py`, `parts_of_speech.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from longway.classify.classifier import Classifier, Inputs, targets_of
from longway.classify.importance.integrated_gradients import integrated_gradients
from longway.classify.importance.lime import lime
from longway.classify.importance.masking import Ask, Ints, explain_by_masking
from longway.classify.importance.shapley import shapley
from longway.classify.importance.words import Words, WordScores
from longway.errors import SettingError

BY_MASKING: dict[str, Callable[[int | None], Ask]] = {"lime": lime, "shapley": shapley}
METHODS = (*BY_MASKING, "ig")
FIELDS = ("text", "context")

__all__ = ["FIELDS", "METHODS", "WordScores", "Words", "check_method", "word_importance"]


def word_importance(
    model: Classifier,
    inputs: Inputs,
    *,
    method: str = "lime",
    target: str | Sequence[str] | None = None,
    field: str = "text",
    seed: int = 0,
    samples: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> list[WordScores]:
    """For each row, how much each word speaks for a label.

    target: the label to explain, or one for each row; without, what the model predicts. field: whose words, "text" or "context".
    samples: lime: masked texts of each text (400). shapley: orders drawn for each text of more than 8 words (16). ig: steps (48).
    progress: called with how many more rows are done.
    """
    check_method(method, field=field, samples=samples)
    if field == "context" and inputs.contexts is None:
        raise SettingError("'field' is context, and the rows are texts without context. Explain the text.")
    targets = _targets(model, inputs, target)
    if method == "ig":
        return integrated_gradients(model, inputs, targets, field=field, steps=samples, progress=progress)
    ask = BY_MASKING[method](samples)
    return explain_by_masking(model, inputs, targets, ask, field=field, seed=seed, progress=progress)


def check_method(method: str, *, field: str = "text", samples: int | None = None) -> None:
    """Raise SettingError where one of these has a value it cannot have."""
    if method not in METHODS:
        raise SettingError(f"'method' must be one of {', '.join(METHODS)}. Got {method!r}.")
    if field not in FIELDS:
        raise SettingError(f"'field' must be one of {', '.join(FIELDS)}. Got {field!r}.")
    if samples is not None and samples < 2:
        raise SettingError(f"'samples' must be 2 or more. Got {samples}. Leave it out for the usual number.")


def _targets(model: Classifier, inputs: Inputs, target: str | Sequence[str] | None) -> Ints:
    if target is None:
        return (
            np.asarray(model.logits(inputs).argmax(axis=1), np.int64)
            if len(inputs)
            else np.zeros(0, np.int64)
        )
    each = [target] * len(inputs) if isinstance(target, str) else list(target)
    if len(each) != len(inputs):
        raise SettingError(
            f"'target' has {len(each)} labels for {len(inputs)} rows. Give one label, one for each row, or none."
        )
    return targets_of(each, model.labels_)
