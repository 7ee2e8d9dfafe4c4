"""Concepts in a repair: which rows have them, by the vectors of their texts.

    texts, contexts  ->  vectors (computed once for each text)  ->  the numbers of the concepts, after those of `features.py`

No remedy rewrites a topic or a tone. With numbers of their own, concepts are balanced like words: rows are dropped, weighed and added until they say little about labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longway.methods.method import Rows
from longway.methods.repair.features import N_FEATURES, Numbers
from longway.methods.repair.remedy import Target

BATCH = 10_000  # rows whose vectors are in memory at once


class ConceptPatterns:
    """Some concepts, and the rows that have them.

    targets: the patterns, with the concepts that they name. text_name: the column of texts; other columns are contexts.
    """

    def __init__(self, targets: Sequence[Target], text_name: str) -> None:
        self.targets, self._text_name = tuple(targets), text_name

    def read(self, texts: Sequence[str], contexts: Sequence[str | None] | None) -> list[Numbers]:
        """For each row the numbers of the concepts that it has, ascending."""
        has = np.zeros((len(texts), len(self.targets)), dtype=bool)
        for concepts in dict.fromkeys(one.concepts for one in self.targets):
            assert concepts is not None
            places = [place for place, one in enumerate(self.targets) if one.concepts is concepts]
            wanted = [int(self.targets[place].pattern.place.rpartition(":")[2]) for place in places]
            own = texts
            if concepts.column != self._text_name:
                own = [context or "" for context in contexts or [None] * len(texts)]
            for start in range(0, len(own), BATCH):
                scores = concepts.scores_of(own[start : start + BATCH], wanted)
                has[start : start + BATCH, places] = scores >= concepts.bounds[wanted]
        return [N_FEATURES + np.flatnonzero(row) for row in has]

    def counts(self, rows: Rows) -> tuple[Numbers, Numbers]:
        """Concepts x labels: rows that have a concept and carry a label; and by label, all rows."""
        counts = np.zeros((len(self.targets), len(rows.label_names)), dtype=np.int64)
        for label, numbers in zip(rows.labels.tolist(), self.read(rows.texts, rows.contexts), strict=True):
            counts[numbers - N_FEATURES, label] += 1
        return counts, np.bincount(rows.labels, minlength=len(rows.label_names))
