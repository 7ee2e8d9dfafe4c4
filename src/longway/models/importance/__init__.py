"""Word importance: which words of a text make a model predict a label. One function, three methods.

    word_importance(model, inputs, method="lime")         a local linear approximation of the model
    word_importance(model, inputs, method="shapley")      what a word adds, on average over all orders
    word_importance(model, inputs, method="ig")           integrated gradients from the empty text to the text

All explain the same number, the probability of a label, so their scores are comparable. The first two work with any model
(`masking.py`); the third needs its gradients (`gradients.py`), and can also explain both texts of a pair at once. `top_words.py` compares the top words of several models;
`sufficient_words.py` finds the few words that are enough for a wrong prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longway.errors import SettingError
from longway.models.classifier import Classifier, Inputs, targets_of
from longway.models.importance.gradients import integrated_gradients
from longway.models.importance.masking import Sampler, explain_by_masking, lime, shapley
from longway.models.importance.word_scores import MaskableText, WordScores

SAMPLERS: dict[str, Callable[[int | None], Sampler]] = {"lime": lime, "shapley": shapley}
METHODS = (*SAMPLERS, "ig")

__all__ = ["METHODS", "MaskableText", "WordScores", "word_importance"]


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
    """For each row, how much each word contributes to the probability of a label.

    target: the label to explain, or one per row; default the model's prediction. field: "text", "context", or with ig "both".
    samples: lime: masked texts per text (400). shapley: orders drawn per text of more than 8 words (16). ig: steps (48).
    progress: called with the number of newly finished rows.
    """
    if method not in METHODS:
        raise SettingError(f"'method' must be one of {', '.join(METHODS)}. Got {method!r}.")
    fields = ("text", "context", "both") if method == "ig" else ("text", "context")
    if field not in fields:
        raise SettingError(f"'field' must be one of {', '.join(fields)}. Got {field!r}.")
    if samples is not None and samples < 2:
        raise SettingError(f"'samples' must be 2 or more. Got {samples}. Leave it out for the default.")
    if field != "text" and inputs.contexts is None:
        raise SettingError(f"'field' is {field}, but the rows are texts without context. Explain the text.")
    if target is None:
        target = model.predict(inputs) if len(inputs) else []
    labels = [target] * len(inputs) if isinstance(target, str) else target
    targets = targets_of(labels, model.labels_)
    if method == "ig":
        return integrated_gradients(model, inputs, targets, field=field, steps=samples, progress=progress)
    sampler = SAMPLERS[method](samples)
    return explain_by_masking(model, inputs, targets, sampler, field=field, seed=seed, progress=progress)
