"""The page of a command that reads one dataset: what all of these pages have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from longway.data.label_lists import tag_name
from longway.data.summary import DatasetSummary
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.sections import KeyFigure, Page, Section, Words

if TYPE_CHECKING:
    from longway.jobs.choices.audit.result import ChoiceSummary


class OfDataset(Protocol):
    """A result of one dataset."""

    @property
    def dataset(self) -> DatasetSummary | ChoiceSummary:
        """The dataset that was read."""

    @property
    def longway(self) -> str:
        """The version of Longway that made it."""

    @property
    def created(self) -> str:
        """When."""


def dataset_page(
    result: OfDataset,
    command: str,
    title: str,
    *,
    verdict: str,
    facts: Sequence[tuple[str, str]] = (),
    figures: Sequence[KeyFigure],
    figures_style: str = "",
    sections: Sequence[Section],
    sheets: Sequence[str] = (),
    settings: Sequence[tuple[str, str]] = (),
    warning: Words = "",
) -> Page:
    """A page; see `Page`. title: what comes before the name of the dataset. facts: besides the dataset, its columns and the date."""
    dataset = result.dataset
    name = cut(dataset.name, PATTERN_LIMIT)
    made = ("Made", cut(result.created))
    return Page(
        kicker=command,
        title=cut(f"{title} {dataset.name}", PATTERN_LIMIT),
        verdict=verdict,
        facts=[("Dataset", name), ("Columns", _roles(dataset)), *facts, made],
        figures=figures,
        figures_style=figures_style,
        sections=sections,
        sheets=sheets,
        version=result.longway,
        fingerprint=dataset.fingerprint,
        streamed=dataset.streamed,
        settings=settings,
        warning=warning,
    )


def _roles(dataset: DatasetSummary | ChoiceSummary) -> str:
    """The column of each role; guessed columns are marked."""
    roles = [
        f"{role} = {cut(column)}{' (guessed)' if role in dataset.guessed else ''}"
        for role, column in dataset.fields.items()
        if column
    ]
    tag = [] if dataset.tag is None else [f"tag = {cut(tag_name(dataset.tag))}"]
    return ", ".join([*roles, *tag])
