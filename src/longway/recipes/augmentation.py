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
from longway.errors import SettingError
from longway.llm.engine import Engine
from longway.llm.engines import engine_named
from longway.recipes.augment import Augmenting, AugmentSettings
from longway.recipes.augment_balance import balanced
from longway.recipes.engine_runs import Engines, addition_of, asker_of, close, engines_of, judge_of
from longway.recipes.given_file import read_given_file
from longway.recipes.held_out import arrange
from longway.records import Edit, Example
from longway.rewrite.method import Round
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
    step: Callable[[str], object] = lambda name: None,
    progress: Callable[[int, int], None] | None = None,
    on_round: Callable[[Round], object] = lambda done: None,
) -> Augmentation:
    """The dataset with texts added that keep the words models fall for and carry another label.

    split: the rows that additions are made from where there are several splits ("train" unless told otherwise).
    step, progress, on_round: as in `run_rewrite`.
    """
    settings, engines = settings or AugmentSettings(), engines or Engines()
    arranged = arrange(dataset, split, labelled=settings.labelled)
    given = () if settings.rewrites is None else read_given_file(Path(settings.rewrites)).rewrites
    writer, judge = writer_and_judge(settings, engines)
    try:
        journal = Journal(None)
        asker, judging = (asker_of(one, journal, engines.budget, progress) for one in (writer, judge))
        augmenting = Augmenting(
            arranged.dataset,
            settings,
            writer=asker,
            judge=judging,
            given=given,
            journal=journal,
            step=step,
            progress=progress,
        )
        rounds = []
        for done in augmenting.run():
            on_round(done)
            rounds.append(done)
    finally:
        close(writer, judge)
    if settings.balance and settings.labelled:
        rounds = balanced(rounds, augmenting.rows, seed=settings.seed)
    return _augmentation(dataset, rounds)


def writer_and_judge(
    settings: AugmentSettings, engines: Engines, *, named: Callable[..., Engine] = engine_named
) -> tuple[Engine | None, Engine | None]:
    """Who writes and who judges. Texts made elsewhere are judged by whoever is named."""
    if settings.method == "given" and settings.judge not in ("auto", "none"):
        return None, judge_of(settings, engines, named=named)
    writer, judge = engines_of(settings, engines, named=named)
    if writer is not None and "write" not in writer.can:
        close(writer, judge)
        raise SettingError(
            f"The engine {writer.name} cannot write. An engine that can was expected. Try --engine rules, or served:MODEL."
        )
    return writer, judge


def _augmentation(dataset: Dataset, rounds: list[Round]) -> Augmentation:
    edits = tuple(edit for done in rounds for edit in done.edits)
    added = tuple(example for done in rounds for example in done.added)
    source_of = {edit.id: edit.source for edit in edits}
    additions = [
        addition_of(one, dataset.columns, source=source_of.get(one.id) or one.id.rpartition("+")[0])
        for one in added
    ]
    stopped = next((done.stopped for done in reversed(rounds) if done.stopped), "")
    return Augmentation(edited_dataset(dataset, {}, additions), added, edits, stopped)
