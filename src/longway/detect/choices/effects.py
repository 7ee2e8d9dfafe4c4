"""Style effects in pairs: how often the answer with more of something is preferred, as it is and between answers of equal length.

With d = +1/2 for the candidate that has more, -1/2 for the other, and l the difference of log lengths, in a conditional logit

    log odds(the candidate with more is preferred) = b d + c l        share = 1 / (1 + exp(-b)) at equal length (l = 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from longway.detect.choices.cues import CUES, Cue
from longway.detect.choices.patterns import Candidates
from longway.detect.choices.ranker import Sets, fit, softmax
from longway.detect.choices.search import design_effect
from longway.stats import wilson_interval

Floats = NDArray[np.float64]
FEWEST = 20  # pairs that must differ in a cue
LENGTH = "characters"
LENGTHS = (LENGTH, "words")
MORE = {  # what the answer has more of, if the name of the cue is not that
    "word length": "letters per word", "paragraphs": "lines", "space before": "space before the first word",
    "space behind": "space behind the last word", "double space": "double spaces", "capital": "a capital at the start",
    "capitals": "capital letters", "full stop": "a full stop at the end", "quotes": "quotation marks",
    "exclamation": "exclamation marks", "questions": "question marks", "precision": "decimals",
    "middle number": "a middling number", "absolutes": "absolute words (always ...)", "hedges": "hedges (may, often ...)",
    "negation": "negations", "joiners": "joining words (and ...)", "first person": "I, me, my", "second person": "you, your",
    "article fit": "fit with a or an", "number fit": "fit with is or are", "echo share": "a share of prompt words",
    "echo": "words of the prompt", "restated prompt": "the prompt at the start", "similarity": "likeness to the other",
    "same start": "the start of the other", "bullets": "list items", "bold": "bold words", "code": "code blocks",
    "tables": "table rows", "refusal": "refusals", "apology": "apologies", "flattery": "flattery, eagerness",
    "repetition": "repeated words", "other script": "letters of other scripts",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StyleEffect:
    """How often the candidate with more of a cue is preferred. name: what it has more of. equal_*: the same between answers of equal length; None for length itself."""

    cue: str
    family: str
    name: str
    pairs: int
    share: float
    low: float
    high: float
    equal_share: float | None = None
    equal_low: float | None = None
    equal_high: float | None = None


def style_effects(given: Candidates, cues: Sequence[Cue] = CUES) -> list[StyleEffect]:
    """The effect of each cue in which enough pairs differ, clearest first; empty if a question has more than two candidates."""
    if (given.sets.sizes != 2).any():
        return []
    length = np.log1p(given.cues[:, [cue.name for cue in cues].index(LENGTH)])
    found = [_effect(cue, given.cues[:, i], length, given) for i, cue in enumerate(cues)]
    clear = [one for one in found if one is not None]
    return sorted(clear, key=lambda one: -max(one.low - 0.5, 0.5 - one.high))


def _effect(cue: Cue, values: Floats, length: Floats, given: Candidates) -> StyleEffect | None:
    sets = given.sets
    first, second = values[sets.starts[:-1]], values[sets.starts[:-1] + 1]
    keep = np.flatnonzero(first != second)
    if len(keep) < FEWEST:
        return None
    part, places = sets.part(keep)
    more = np.where(values[places] == np.repeat(np.maximum(first, second)[keep], 2), 0.5, -0.5)
    hit = (more[part.right] > 0).astype(np.float64)
    share = float(hit.mean())
    repeats = design_effect(hit - share, given.group[keep])
    name = MORE.get(cue.name, cue.name)
    effect = StyleEffect(
        cue.name, cue.family, name, len(keep), share, *wilson_interval(share, len(keep) / repeats)
    )
    if cue.name in LENGTHS:
        return effect
    b, error = logit(np.stack([more, length[places]], axis=1), part)
    half = 1.96 * error * np.sqrt(repeats)
    return replace(effect, equal_share=_share(b), equal_low=_share(b - half), equal_high=_share(b + half))


def logit(columns: Floats, sets: Sets) -> tuple[float, float]:
    """The first weight of a conditional logit and its standard error, from the inverse of the information matrix."""
    penalty = 1e-3
    weights = fit(columns, sets, penalty)
    p = softmax(columns @ weights, sets)
    mean = np.add.reduceat(p[:, None] * columns, sets.starts[:-1])
    within = columns - mean[sets.question]
    information = (p[:, None] * within).T @ within + penalty * np.eye(columns.shape[1])
    return float(weights[0]), float(np.sqrt(np.linalg.inv(information)[0, 0]))


def _share(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-log_odds)))
