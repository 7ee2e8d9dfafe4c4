"""Examples of a dataset: all of them, or some by row number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from longway.data.dataset import Dataset
from longway.records import Example


def examples_at(dataset: Dataset, rows: NDArray[np.int64]) -> list[Example]:
    """The examples with these row numbers (ascending, as in `Batch.rows`), in one pass over the dataset."""
    found: list[Example] = []
    for batch in dataset.batches():
        places = np.flatnonzero(np.isin(batch.rows, rows, assume_unique=True))
        if not len(places):
            continue
        contexts = [None] * len(places) if batch.contexts is None else batch.contexts.gather(places).to_list()
        for id_, text, label, context in zip(
            batch.ids.gather(places), batch.texts.gather(places), batch.labels[places], contexts, strict=True
        ):
            found.append(Example(id=id_, text=text, label=dataset.labels[label], context=context))
    return found


def examples_of(dataset: Dataset) -> list[Example]:
    """All usable rows, in order."""
    found: list[Example] = []
    for batch in dataset.batches():
        contexts = [None] * len(batch.rows) if batch.contexts is None else batch.contexts.to_list()
        labels = [dataset.labels[label] for label in batch.labels]
        found += map(Example, batch.ids, batch.texts, labels, contexts)
    return found
