"""An augmentation in memory, for Python: no run folder, nothing to resume.

augment(dataset)  ->  Augmentation: the dataset with its additions, the additions, every candidate

What an engine was paid for is lost with the process: a run that costs money is better made by `run_augment`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from longway.data import Dataset
from longway.data.edited import edited_dataset
from longway.engines.engine import Engine
from longway.engines.registry import engine_named
from longway.jobs.augment.augment import Augmenting, AugmentSettings
from longway.jobs.augment.augment_balance import balanced
from longway.jobs.augment.given_file import read_given_file
from longway.jobs.engine_use import Engines, asker_of, check_can_write, close, engines_of, judge_of
from longway.jobs.held_out import arrange
from longway.jobs.run import Watcher
from longway.methods.method import Round, Rows
from longway.records import Edit, Example
from longway.store import Journal


@dataclass(frozen=True, slots=True)
class Augmentation:
    """What an augmentation gave.

    dataset: all rows as they were, then the additions, with the columns longway_id and longway_source.
    added: the additions; edits: every candidate, accepted or not. stopped: why it ended.
    """

    dataset: Dataset
    added: tuple[Example, ...]
    edits: tuple[Edit, ...]
    stopped: str


def augment(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: AugmentSettings | None = None,
    engines: Engines | None = None,
    watcher: Watcher | None = None,
) -> Augmentation:
    """The dataset with texts added that keep the words models fall for and carry another label.

    split: the rows that additions are made from where there are several splits ("train" unless told otherwise).
    """
    settings, engines, watcher = settings or AugmentSettings(), engines or Engines(), watcher or Watcher()
    arranged = arrange(dataset, split, labelled=settings.labelled)
    given = () if settings.rewrites is None else read_given_file(Path(settings.rewrites)).rewrites
    writer, judge = writer_and_judge(settings, engines)
    try:
        journal = Journal(None)
        asker, judging = (asker_of(one, journal, engines.budget, watcher) for one in (writer, judge))
        augmenting = Augmenting(
            arranged.dataset,
            settings,
            writer=asker,
            judge=judging,
            given=given,
            journal=journal,
            watcher=watcher,
        )
        rounds = []
        for done in augmenting.run():
            watcher.round(done)
            rounds.append(done)
    finally:
        close(writer, judge)
    if settings.balance and settings.labelled:
        rounds = balanced(rounds, augmenting.rows, seed=settings.seed)
    return _augmentation(dataset, augmenting.rows, rounds)


def writer_and_judge(
    settings: AugmentSettings, engines: Engines, *, named: Callable[..., Engine] = engine_named
) -> tuple[Engine | None, Engine | None]:
    """Who writes and who judges. Texts made elsewhere are judged by whoever is named."""
    if settings.method == "given" and settings.judge not in ("auto", "none"):
        return None, judge_of(settings, engines, named=named)
    writer, judge = engines_of(settings, engines, named=named)
    check_can_write(writer, judge)
    return writer, judge


def _augmentation(dataset: Dataset, rows: Rows, rounds: list[Round]) -> Augmentation:
    edits = tuple(edit for done in rounds for edit in done.edits)
    stopped = next((done.stopped for done in reversed(rounds) if done.stopped), "")
    return Augmentation(edited_dataset(dataset, edits), tuple(rows.added_by(edits)), edits, stopped)
