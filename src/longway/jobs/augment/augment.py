"""Augment: add texts that keep the words models fall for and carry another label, so that the words stop predicting it.

    rows -> principal and spurious words -> new texts -> checks -> the same dataset and the additions

`Augmenting` puts the parts together for one dataset; `run_augment` (in its own file) fills a run folder with what it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from longway.data import Dataset
from longway.engines.asker import Asker
from longway.errors import SettingError
from longway.jobs.augment.augment_methods import Parts, Setup, parts_of
from longway.jobs.augment.augment_settings import OTHER, AugmentSettings, default_models
from longway.jobs.rows import rows_of
from longway.jobs.run import Watcher
from longway.methods.method import Round
from longway.store import Journal

__all__ = ["AugmentSettings", "Augmenting", "default_models"]


class Augmenting:
    """One dataset being augmented.

    dataset: the rows that additions are made from. writer, judge: how engines are asked; None for methods that need none.
    given: rewrites made elsewhere, for the method "given".
    """

    def __init__(
        self,
        dataset: Dataset,
        settings: AugmentSettings,
        *,
        writer: Asker | None = None,
        judge: Asker | None = None,
        given: Sequence[Any] = (),
        journal: Journal | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.settings = settings
        check_label(settings, dataset.labels)
        if settings.needs_engine and writer is None:
            raise SettingError(
                f"The method {settings.method} has texts written, and needs an engine. Got none. Give `writer`."
            )
        self.rows = rows_of(dataset, seed=settings.seed, labelled=settings.labelled)
        self.parts: Parts = parts_of(
            Setup(settings, self.rows, writer, judge, given, journal, watcher or Watcher())
        )

    def run(self) -> Iterator[Round]:
        """The rounds, each done when it is given; rows are added and none is changed."""
        yield from self.parts.method.run(self.rows)

    def checks(self) -> dict[str, Any]:
        """What the report says about the checks, see `Verifier.report`.

        The error rates known of checks were measured on rewritten texts that keep their label, and say nothing of these.
        """
        return {"errors": {}, "missing": list(self.parts.missing), "expected_wrong": None}


def check_label(settings: AugmentSettings, labels: Sequence[str]) -> None:
    """SettingError where new texts should have a label that the data has not."""
    if settings.labelled and settings.to != OTHER and settings.to not in labels:
        raise SettingError(
            f"'to' must be a label of the data, or {OTHER!r} for any but the row's own. Got {settings.to!r}. "
            f"The labels are {', '.join(map(repr, labels))}."
        )
