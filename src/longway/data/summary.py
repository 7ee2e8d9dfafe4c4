"""A dataset in short, as run folders and reports describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from longway.data.dataset import Dataset
from longway.json_values import IF_ANY


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSummary:
    """Name, size, labels and columns of a dataset.

    rows: rows in the file; used: rows with a text and a label. labels: rows per label. fields: the column of each role.
    guessed: roles whose column was guessed. tag: the label is whether a row has this tag. formulas: cells that a spreadsheet would run as a formula.
    languages: share of each language among the rows of which it is known, if it was looked at. splitting: how their words are found.
    """

    name: str
    split: str | None = None
    rows: int
    used: int
    labels: Mapping[str, int]
    fields: Mapping[str, str | None]
    guessed: tuple[str, ...] = ()
    fingerprint: str
    streamed: bool = False
    formulas: int = 0
    tag: str | None = field(default=None, metadata=IF_ANY)
    languages: Mapping[str, float] = field(default_factory=dict, metadata=IF_ANY)
    splitting: str = field(default="", metadata=IF_ANY)

    @classmethod
    def of(cls, dataset: Dataset) -> DatasetSummary:
        """The summary of a loaded dataset."""
        columns = dataset.columns
        return cls(
            name=dataset.source_name,
            split=dataset.split,
            rows=dataset.n_rows,
            used=dataset.n_used,
            labels=dict(zip(dataset.labels, map(int, dataset.label_counts), strict=True)),
            fields={"text": columns.text, "context": columns.context, "label": columns.label},
            guessed=tuple(columns.guessed),
            fingerprint=dataset.fingerprint,
            streamed=dataset.streamed,
            tag=columns.tag,
        )
