"""The leak after each round of a rewriting: of many rows, on the same ones each time.

A leak is measured on a bounded number of rows (see `detect/leak.py`). They are drawn once, before anything is read: so a
round does not read a million rows to look at a few thousand, and two rounds differ in their texts, not in the draw.
"""

from __future__ import annotations

from dataclasses import replace

from longway.detect.leak import leak_by_folds, rows_measured
from longway.detect.reading import Reading
from longway.jobs.rows import dataset_of
from longway.methods.method import Rows
from longway.records import Leak
from longway.tokens.corpus import Corpus


class LeakOfRounds:
    """What a bag of words tells from the texts alone, as the rows stand when it is asked.

    rows: as they are at the start; how many are measured follows from the length of their texts.
    """

    def __init__(self, rows: Rows, *, seed: int) -> None:
        self.seed = seed
        self.places = rows_measured(len(rows), Corpus.from_texts(rows.texts).n_tokens, seed=seed)

    def __call__(self, rows: Rows) -> Leak:
        """The leak by cross-validation."""
        part = rows.part(self.places.tolist())
        leak = leak_by_folds(Reading.of(dataset_of(part)), "text", seed=self.seed)
        if len(part) == len(rows):
            return leak
        return replace(leak, how=f"{leak.how} on {len(part):,} rows drawn at random")
