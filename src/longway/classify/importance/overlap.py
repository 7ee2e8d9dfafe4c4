"""Do models look at the same words? Top words of several models, laid on each other text by text.

CoBA (section 3.2, Table 1) asks of how many texts the top 5 of all models share a word, and of how many two or more models share
one that not all share.

    models x texts x top words  ->  overlap()  ->  shares
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from longway.classify.importance.words import WordScores
from longway.errors import SettingError


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much the top words of models have in common.

    every: share of texts with a word in the top k of all models.
    some: share of texts with a word in the top k of two or more models, but not of all.
    words: share of the top words, counted once a text, that two or more models have.
    pairs: for each two models, the mean share of their top words that both have (common / all different).
    """

    k: int
    texts: int
    every: float
    some: float
    words: float
    pairs: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The overlap as plain JSON values."""
        return asdict(self)


def overlap(scores: Mapping[str, Sequence[WordScores]], *, k: int = 5) -> Overlap:
    """What the top k words of models have in common. scores: by model, of the same texts in the same order."""
    n_models, sizes = len(scores), {len(of_model) for of_model in scores.values()}
    if n_models < 2 or len(sizes) != 1:
        raise SettingError(
            f"An overlap needs the same texts explained by two models or more. Got {n_models} models with "
            f"{', '.join(map(str, sorted(sizes))) or 'no'} texts. Explain the same rows with each."
        )
    top = {name: [set(one.top(k)) for one in of_model] for name, of_model in scores.items()}
    counts = [Counter(word for words in text for word in words) for text in zip(*top.values(), strict=True)]
    n_words = sum(map(len, counts))
    shared = sum(n >= 2 for count in counts for n in count.values())
    return Overlap(
        k,
        len(counts),
        every=_share([n_models in count.values() for count in counts]),
        some=_share([any(2 <= n < n_models for n in count.values()) for count in counts]),
        words=shared / n_words if n_words else 0.0,
        pairs={
            f"{a} + {b}": _share([_common(*two) for two in zip(top[a], top[b], strict=True)])
            for a, b in combinations(top, 2)
        },
    )


def _share(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def _common(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0
