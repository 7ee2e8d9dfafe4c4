"""An augmentation into a run folder: dataset, edits.jsonl, augment.json, report.html, card.md, the journal, and run.json last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.data.edited import Changes
from longway.engines.engine import Engine
from longway.engines.registry import engine_named
from longway.jobs.about import describe
from longway.jobs.augment.augment import Augmenting, AugmentSettings, check_label
from longway.jobs.augment.augment_balance import balanced
from longway.jobs.augment.augment_card import augment_card
from longway.jobs.augment.augment_diversity import diversity, encoder
from longway.jobs.augment.augment_forecast import estimate_augment
from longway.jobs.augment.augment_summary import AugmentSummary
from longway.jobs.augment.augmentation import writer_and_judge
from longway.jobs.augment.given_file import GivenFile, read_given_file
from longway.jobs.augment.important_words import words_before_and_after
from longway.jobs.before_after import compare
from longway.jobs.engine_use import (
    Engines,
    RunEstimate,
    addresses_of,
    asker_of,
    close,
    costs,
    costs_money,
    failed_calls,
    name_of,
)
from longway.jobs.formulas import with_formulas
from longway.jobs.held_out import arrange
from longway.jobs.placement import engines_at
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher
from longway.methods.method import Round
from longway.show import render_augment
from longway.store import Run, read_json

AUGMENT = "augment.json"


@dataclass(frozen=True, slots=True)
class _Job:
    """An augmentation whose data and engines are known. settings: with the names of the engines."""

    whole: Dataset
    part: Dataset
    settings: AugmentSettings
    writer: Engine | None
    judge: Engine | None
    given: GivenFile | None
    budget: float | None

    def plan(self, out: Path | str | None) -> PlannedRun:
        more = {} if self.given is None else {"rewrites_fingerprint": self.given.fingerprint}
        addresses = addresses_of(self.writer, self.judge)
        identity = RunIdentity.of("augment", self.part, self.settings, more={**addresses, **more})
        return PlannedRun.choose(identity, self.whole.source_name, out)

    def estimate(self, *, spent: float = 0.0, dry: bool = False) -> RunEstimate:
        return estimate_augment(self.part, self.settings, self.writer, self.judge, spent=spent, dry=dry)


def run_augment(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: AugmentSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
    on: str | None = None,
    watcher: Watcher | None = None,
) -> tuple[Run, dict[str, Any]]:
    """Augment into a run folder; returns the run and its augment.json. A finished run is read, not repeated.

    split: the split that new texts are made from and added to (default: "train" if there are several); the others are copied unchanged.
    on: as in `run_rewrite`.
    """
    watcher = watcher or Watcher()
    with _prepared(dataset, split, settings, engines, on) as job:
        planned = job.plan(out)
        if (content := planned.finished(AUGMENT, budget=job.budget)) is not None:
            return Run(planned.folder), dict(content)
        with planned.start(watcher) as run:
            if costs_money(job.writer, job.judge):
                watcher.estimate(job.estimate(spent=run.journal.spent()))
            found = _augment(run, job)
            watcher.step("writing the report")
            found = with_formulas(run.folder, found)
            run.finish(AUGMENT, found, report=render_augment(found), card=augment_card(found))
    return Run(planned.folder), read_json(planned.folder / AUGMENT)  # as it reads for everyone else


def dry_run_augment(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: AugmentSettings | None = None,
    engines: Engines | None = None,
) -> RunEstimate:
    """What `run_augment` may take; writes nothing and calls no server."""
    with _prepared(dataset, split, settings, engines, None) as job:
        return job.estimate(dry=True)


@contextmanager
def _prepared(
    dataset: Dataset,
    split: str | None,
    settings: AugmentSettings | None,
    engines: Engines | None,
    on: str | None,
) -> Iterator[_Job]:
    """The job with its engines, which are closed at the end."""
    settings, engines = settings or AugmentSettings(), engines or Engines()
    part = arrange(dataset, split, labelled=settings.labelled).dataset
    check_label(settings, part.labels)
    given = None if settings.rewrites is None else read_given_file(Path(settings.rewrites))
    with engines_at(on, engine_named) as named:
        writer, judge = writer_and_judge(settings, engines, named=named)
        settings = replace(settings, engine=name_of(writer), judge=name_of(judge))
        try:
            yield _Job(dataset, part, settings, writer, judge, given, engines.budget)
        finally:
            close(writer, judge)


def _augment(run: ActiveRun, job: _Job) -> dict[str, Any]:
    """Add rows, write edits and dataset, and measure the effect; returns the content of augment.json."""
    settings, journal, watcher = job.settings, run.journal, run.watcher
    asker, judging = (asker_of(one, journal, job.budget, watcher) for one in (job.writer, job.judge))
    watcher.step("reading")
    augmenting = Augmenting(
        job.part,
        settings,
        writer=asker,
        judge=judging,
        given=() if job.given is None else job.given.rewrites,
        journal=journal,
        watcher=watcher,
    )
    summary = AugmentSummary(augmenting.rows, seed=settings.seed)
    watcher.step("writing new texts" if settings.needs_engine else "making new texts")
    after = run.write_dataset(job.whole, job.part, _all_rounds(run, augmenting, summary))
    watcher.step("measuring what the new texts are like")
    return summary.to_dict(
        dataset=_about(job.part, settings),
        settings=run.identity.settings,
        comparison=compare(job.part, after, seed=settings.seed, step=watcher.step)
        if settings.labelled
        else None,
        checks=augmenting.checks(),
        words=_words(augmenting, summary),
        analysis=augmenting.parts.analysis,
        diversity=diversity(
            summary.texts_of_sources(),
            [one.text for one in summary.added],
            augmenting.rows.texts,
            embed=encoder(journal),
            seed=settings.seed,
        ),
        cost=costs(journal, job.writer, job.judge),
        budget=job.budget,
        failed_calls=failed_calls(asker, judging),
    )


def _all_rounds(run: ActiveRun, augmenting: Augmenting, summary: AugmentSummary) -> Changes:
    """All rounds, with edits.jsonl and the summary; labels are balanced at the end. Returns what the accepted edits change."""
    settings, rows = augmenting.settings, augmenting.rows
    waiting: list[Round] = []
    with run.edit_log() as log:

        def take(rounds: Iterable[Round]) -> None:
            for done in rounds:
                summary.add(done)
                log.write(done.edits)

        for done in augmenting.run():
            run.watcher.round(done)
            if settings.balance and settings.labelled:
                waiting.append(done)
            else:
                take([done])
        take(balanced(waiting, rows, seed=settings.seed) if waiting else ())
    return log.changes


def _words(augmenting: Augmenting, summary: AugmentSummary) -> list[dict[str, Any]]:
    """What the spurious words told about the label and tell now; nothing where there are no words or no labels."""
    important = augmenting.parts.important
    if not important or not augmenting.settings.labelled:
        return []
    return [one.to_dict() for one in words_before_and_after(augmenting.rows, summary.added, important)]


def _about(dataset: Dataset, settings: AugmentSettings) -> dict[str, Any]:
    """The dataset in short; texts that stand in the place of labels are not listed."""
    about = describe(dataset)
    return about if settings.labelled else {**about, "labels": {}}
