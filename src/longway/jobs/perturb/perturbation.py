"""A perturbation in memory, for Python: no run folder, nothing to resume.

perturb(dataset)  ->  Perturbation: the dataset as it is now, every edit

What an engine was paid for is lost with the process: a run that costs money is better made by `run_perturb`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from longway.data import Dataset
from longway.data.edited import edited_dataset
from longway.engines.asker import Asker
from longway.jobs.documents import ANALYSES_FILE
from longway.jobs.engine_use import Engines, close
from longway.jobs.held_out import arrange
from longway.jobs.perturb.perturb import Perturbing
from longway.jobs.perturb.perturb_edits import Editing
from longway.jobs.perturb.perturb_settings import PerturbSettings
from longway.jobs.perturb.perturbers import who_perturbs
from longway.methods.method import BUDGET_SPENT
from longway.records import Edit
from longway.store import Journal


@dataclass(frozen=True, slots=True)
class Perturbation:
    """What a perturbation gave.

    dataset: all rows, those that were perturbed with their new texts (or as further rows), with the column longway_id.
    edits: every choice that was tried, accepted or not. stopped: why it ended early, else "".
    """

    dataset: Dataset
    edits: tuple[Edit, ...]
    stopped: str


def perturb(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: PerturbSettings | None = None,
    engines: Engines | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Perturbation:
    """The dataset with one person of each row perturbed, labels kept.

    split: the rows to perturb where there are several splits ("train" unless told otherwise).
    progress: called with rows done and rows to do, first of reading them, then of perturbing.
    """
    settings, engines = settings or PerturbSettings(), engines or Engines()
    part = arrange(dataset, split, labelled=False).dataset
    who = who_perturbs(settings, engines)
    try:
        with TemporaryDirectory() as folder:
            perturbing = Perturbing(part, who.settings, cache=Path(folder) / ANALYSES_FILE, progress=progress)
            journal = Journal(None)
            asker = None
            if who.engine is not None:
                asker = Asker(
                    who.engine,
                    journal,
                    budget=engines.budget,
                    progress=lambda done, of: perturbing.tell(done),
                )
            perturber = who.perturber(journal=journal, asker=asker, read=perturbing.documents)
            editing = Editing(perturbing, engine=perturber.name)
            outcomes = list(perturbing.run(perturber))
    finally:
        close(who.engine)
    edits = tuple(edit for outcome in outcomes for edit in editing.take(outcome))
    is_spent = any(outcome.stayed == BUDGET_SPENT for outcome in outcomes)
    return Perturbation(edited_dataset(dataset, edits), edits, BUDGET_SPENT if is_spent else "")
