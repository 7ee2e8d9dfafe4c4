"""RAZOR's Lemma 1 on the texts that `longway explain` shows.

    python papers/razor/lemma_1.py longway-runs/claims-explain

The lemma says that attributions inside a set of sufficient words are on average at least as large as outside (Eq. 4). Attributions are
the word scores of explain.json instead of attention vectors (Eq. 5 and 6). The paper's proof is about expected values; here it is simply checked.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Lemma1(NamedTuple):
    """Both sides of Lemma 1 (Eq. 4): mean attribution inside the set, and outside."""

    inside: float
    outside: float

    @property
    def holds(self) -> bool:
        """Whether Eq. 4 holds: inside >= outside."""
        return self.inside >= self.outside


def lemma_1(places: Sequence[int], attribution: NDArray[Any]) -> Lemma1:
    """Both sides of Lemma 1 for a set of words. places: their indices.

    attribution: h of Eq. 5 and 6, one number per word of the text (importance scores) or one row (attention vectors).

    >>> lemma_1([1], np.array([0.1, -0.8, 0.2])).holds
    True
    """
    h = np.asarray(attribution, np.float64).reshape(len(attribution), -1)
    inside = np.zeros(len(h), dtype=bool)
    inside[list(places)] = True
    return Lemma1(*(float(np.linalg.norm(h[part].sum(axis=0)) / part.sum()) for part in (inside, ~inside)))


def main(folder: Path) -> None:
    """Print for how many of the sets that are shown the lemma holds, by model."""
    found: dict[str, list[bool]] = {}
    for text in json.loads((folder / "explain.json").read_text(encoding="utf-8"))["texts"]:
        for view in text["explanations"]:
            if view.get("sufficient"):
                scores = np.array([score for _, _, score in view["words"]])
                holds = lemma_1(view["sufficient"]["places"], scores).holds
                found.setdefault(view["model"], []).append(holds)
    for model, holds in found.items():
        print(f"{model}: Lemma 1 holds for {sum(holds)} of {len(holds)} sets")
    print(
        json.dumps(
            {"script": "lemma_1", **{model: sum(holds) / len(holds) for model, holds in found.items()}}
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
