"""A perturbation into a run folder: dataset, edits.jsonl, perturb.json, report.html, card.md, the journal, and run.json last.

Analyses of texts are kept in the folder until the run is done: a resumed run does not make them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from longway.data import Dataset
from longway.data.edited import Changes
from longway.engines.asker import Asker
from longway.engines.registry import engine_named
from longway.english.people.demographic_mentions import Demographics, find_demographics
from longway.jobs.about import describe
from longway.jobs.documents import ANALYSES_FILE
from longway.jobs.engine_use import (
    Engines,
    RunEstimate,
    addresses_of,
    close,
    costs,
    costs_money,
    failed_calls,
)
from longway.jobs.formulas import with_formulas
from longway.jobs.held_out import MAX_LABELS, arrange
from longway.jobs.perturb.perturb import Perturbing
from longway.jobs.perturb.perturb_balance import balance
from longway.jobs.perturb.perturb_card import perturb_card
from longway.jobs.perturb.perturb_edits import Editing
from longway.jobs.perturb.perturb_forecast import estimate_perturb
from longway.jobs.perturb.perturb_settings import PerturbSettings
from longway.jobs.perturb.perturb_summary import PerturbSummary
from longway.jobs.perturb.perturbers import Who, who_perturbs
from longway.jobs.placement import engines_at
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher
from longway.methods.perturb.segments import as_one
from longway.show import render_perturb
from longway.store import Run, read_json

PERTURB = "perturb.json"


@dataclass(frozen=True, slots=True)
class _Job:
    """A perturbation whose data and perturber are known."""

    whole: Dataset
    part: Dataset
    who: Who
    budget: float | None

    def plan(self, out: Path | str | None) -> PlannedRun:
        more = {"model_fingerprint": self.who.fingerprint} if self.who.fingerprint else {}
        addresses = addresses_of(self.who.engine, None)
        identity = RunIdentity.of("perturb", self.part, self.who.settings, more={**addresses, **more})
        return PlannedRun.choose(identity, self.whole.source_name, out)


def run_perturb(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: PerturbSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
    on: str | None = None,
    watcher: Watcher | None = None,
) -> tuple[Run, dict[str, Any]]:
    """Perturb into a run folder; returns the run and its perturb.json. A finished run is read, not repeated.

    split: the split to perturb (default: "train" if there are several); the others are copied unchanged.
    on: where an engine computes, as in `run_rewrite`. watcher: its progress counts rows, anew in each step.
    """
    watcher = watcher or Watcher()
    with _prepared(dataset, split, settings, engines, on) as job:
        planned = job.plan(out)
        if (content := planned.finished(PERTURB, budget=job.budget)) is not None:
            return Run(planned.folder), dict(content)
        with planned.start(watcher) as run:
            found = _perturb(run, job)
            watcher.step("writing the report")
            found = with_formulas(run.folder, found)
            run.finish(PERTURB, found, report=render_perturb(found), card=perturb_card(found))
    return Run(planned.folder), read_json(planned.folder / PERTURB)  # as it reads for everyone else


def dry_run_perturb(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: PerturbSettings | None = None,
    engines: Engines | None = None,
    watcher: Watcher | None = None,
) -> RunEstimate:
    """What `run_perturb` may take; writes nothing and calls no server. The texts are analysed to find the people in them."""
    watcher = watcher or Watcher()
    with _prepared(dataset, split, settings, engines, None) as job, TemporaryDirectory() as folder:
        watcher.step("reading who is spoken of")
        cache = Path(folder) / ANALYSES_FILE
        perturbing = Perturbing(job.part, job.who.settings, cache=cache, progress=watcher.progress)
        return estimate_perturb(perturbing, job.who.engine, dry=True)


@contextmanager
def _prepared(
    dataset: Dataset,
    split: str | None,
    settings: PerturbSettings | None,
    engines: Engines | None,
    on: str | None,
) -> Iterator[_Job]:
    """The job with its engine, which is closed at the end."""
    settings, engines = settings or PerturbSettings(), engines or Engines()
    part = arrange(dataset, split, labelled=False).dataset
    with engines_at(on, engine_named) as named:
        who = who_perturbs(settings, engines, named=named)
        try:
            yield _Job(dataset, part, who, engines.budget)
        finally:
            close(who.engine)


def _perturb(run: ActiveRun, job: _Job) -> dict[str, Any]:
    """Perturb the rows, write edits and dataset, and count the people mentioned now; returns the content of perturb.json."""
    settings, watcher, engine = job.who.settings, run.watcher, job.who.engine
    watcher.step("reading who is spoken of")
    perturbing = Perturbing(job.part, settings, cache=run.folder / ANALYSES_FILE, progress=watcher.progress)
    if costs_money(engine):
        watcher.estimate(estimate_perturb(perturbing, engine, spent=run.journal.spent()))
    asker = None
    if engine is not None:
        asker = Asker(engine, run.journal, budget=job.budget, progress=lambda done, of: perturbing.tell(done))
    watcher.step("perturbing")
    editing, summary, changes = _all_rows(run, perturbing, job.who, asker)
    run.write_dataset(job.whole, job.part, changes)
    watcher.step("reading who is spoken of now")
    told = balance(
        [seen.found for seen in perturbing.seen],
        said_now(perturbing, editing.new, watcher.progress),
        axes=settings.axes,
        added=settings.add,
    )
    perturbing.documents.forget()
    return summary.to_dict(
        dataset=_about(job.part),
        settings=run.identity.settings,
        balance=told,
        new=editing.new,
        cost=costs(run.journal, engine),
        budget=job.budget,
        failed_calls=failed_calls(asker),
    )


def _all_rows(
    run: ActiveRun, perturbing: Perturbing, who: Who, asker: Asker | None
) -> tuple[Editing, PerturbSummary, Changes]:
    """All rows, with edits.jsonl and the summary."""
    perturber = who.perturber(journal=run.journal, asker=asker, read=perturbing.documents)
    editing, summary = Editing(perturbing, engine=perturber.name), PerturbSummary(perturbing)
    with run.edit_log() as log:
        for outcome in perturbing.run(perturber):
            edits = editing.take(outcome)
            summary.add(outcome, edits)
            log.write(edits)
    return editing, summary, log.changes


def said_now(
    perturbing: Perturbing, new: Mapping[int, Sequence[str]], progress: Callable[[int, int], None]
) -> dict[int, Demographics]:
    """What the rows that were perturbed say of people now."""
    found: dict[int, Demographics] = {}
    documents = perturbing.documents.all(map(as_one, new.values()))
    for row, document in zip(new, documents, strict=True):
        found[row] = find_demographics(document)
        progress(len(found), len(new))
    return found


def _about(dataset: Dataset) -> dict[str, Any]:
    """The dataset in short; labels that are texts of their own are not listed."""
    about = describe(dataset)
    return about if len(dataset.labels) <= MAX_LABELS else {**about, "labels": {}}
