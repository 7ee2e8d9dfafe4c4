"""Repair: choose and combine remedies so that a model learns less from shortcuts.

    audit -> plan -> remedies, each verified -> the repaired dataset -> comparison before and after

Writes repair.json, edits.jsonl, the dataset, report.html and card.md into a run folder.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from longway.data import Dataset, as_dataset, with_columns
from longway.data.columns import WEIGHT_COLUMN
from longway.data.edited import writing_note
from longway.detect.clusters import Clusters
from longway.detect.findings import search
from longway.detect.levels import detectors_for
from longway.detect.reading import Reading
from longway.errors import with_checked_arguments
from longway.jobs.audit.grammar_level import detector_of, parsed_sample
from longway.jobs.audit.settings import AUTO
from longway.jobs.before_after import compare, with_patterns
from longway.jobs.change.collect import Collected, RefusedEdits, reason_counts
from longway.jobs.change.job import ChangeJob, change_job, rewrite_prompts
from longway.jobs.engine_use import Engines, costs, costs_money, failed_calls, with_graded_judge
from longway.jobs.estimate import RunEstimate
from longway.jobs.held_out import arrange
from longway.jobs.options import settings_from
from longway.jobs.repair.page import plan_page
from longway.jobs.repair.plan import RepairPlan, plan_of
from longway.jobs.repair.repairing import Repairing
from longway.jobs.repair.result import RemedyUse, RepairResult, WeightSummary
from longway.jobs.repair.settings import ABOVE_CHANCE, RepairSettings
from longway.jobs.rows import rows_of
from longway.jobs.run import ActiveRun, Watcher
from longway.levels import CONCEPT, GRAMMAR
from longway.methods.method import Figures, Round, Rows
from longway.methods.repair import REMEDIES
from longway.methods.repair.reword import CANDIDATES
from longway.records import Edit, Problem
from longway.store import Journal, now

if TYPE_CHECKING:
    from longway.detect.concepts.detector import ConceptDetector

COMPARE = "compare"  # a kind of work
LABEL_CHECKS = ("judge", "entailment")  # those whose score is the probability that the label is right


@with_checked_arguments
def repair(
    data: object,
    settings: RepairSettings | None = None,
    *,
    split: str | None = None,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    on: str | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> RepairResult:
    """Repair a dataset: remove what gives labels away, balance what cannot be removed, and leave out as little as possible.

    data: a dataset, or what `load` reads. split: the split to repair (default: "train" if there are several); the others are copied unchanged.
    engines: addresses and a budget. out: the run folder; True for a folder in `longway-runs/` named after the data; None to write nothing.
    The same call with the same folder resumes the run, or reads it if it is done. on: "ray" or "ray://host:port" to compute by Ray's workers what engines in this process write and models of checks say.
    options: columns as in `load` (text, context, label, id), and the options of `longway repair` by name, such as
    `max_change=0.2`.
    """
    data, options = with_columns(data, options)
    chosen, watcher = settings_from(RepairSettings, settings, options), watcher or Watcher()
    with prepared(data, split, chosen, engines or Engines()) as job:
        return job.run(RepairResult, _repair, out, watcher, on)


@with_checked_arguments
def repair_plan(
    data: object,
    settings: RepairSettings | None = None,
    *,
    split: str | None = None,
    engines: Engines | None = None,
    watcher: Watcher | None = None,
) -> RepairPlan:
    """The plan of `repair`, with a rough time; changes and writes nothing, and calls no server."""
    watcher = watcher or Watcher()
    with prepared(data, split, settings or RepairSettings(), engines or Engines()) as job:
        rows = job.rows()
        plan = plan_for(job, rows, watcher)
        return replace(plan, calls=_calls(job, rows, plan))


def repairing_for(
    job: ChangeJob[RepairSettings], rows: Rows, plan: RepairPlan, journal: Journal, watcher: Watcher
) -> Repairing:
    """The parts of the repair."""
    writer, judge = job.askers(journal, watcher)
    return Repairing(rows, plan, job.settings, journal, watcher, writer=writer, judge=judge)


def _calls(
    job: ChangeJob[RepairSettings], rows: Rows, plan: RepairPlan, *, spent: float = 0.0
) -> RunEstimate | None:
    """What engines that cost money may take: a text for each row that a step looks at, every one judged. None if there are none."""
    if not costs_money(job.writer, job.judge):
        return None
    n = sum(step.rows for step in plan.steps if REMEDIES[step.remedy].by_engine)
    return job.estimate(rows, [(rewrite_prompts(rows), n)], n=CANDIDATES, n_judged=n, spent=spent)


def plan_for(
    job: ChangeJob[RepairSettings], rows: Rows, watcher: Watcher, folder: Path | None = None
) -> RepairPlan:
    """Which remedy is for which patterns. folder: of the run, where concepts and vectors are kept."""
    dataset, settings, step = job.part, job.settings, watcher.step
    step("looking for shortcuts")
    reading = Reading.of(dataset)
    of_concepts: list[ConceptDetector] = []
    noted: list[Problem] = []
    detectors, parsed, notes = detectors_for(reading, settings.chosen_levels), None, list[str]()
    if GRAMMAR in settings.chosen_levels:
        is_auto = settings.levels == (AUTO,)
        parsed, unparsed = parsed_sample(
            dataset, reading, seed=settings.seed, only_if_quick=is_auto, step=step
        )
        if parsed is None and not is_auto:
            notes = [f"{problem.message} {problem.next_step}" for problem in unparsed]
    if parsed is not None:
        detectors.append(detector_of(parsed, reading))
    clusters = Clusters.of(reading)
    if CONCEPT in settings.chosen_levels:
        from longway.jobs.audit.concept_level import concept_detectors

        of_concepts, noted = concept_detectors(
            dataset, reading, clusters, seed=settings.seed, encoder=settings.encoder, folder=folder, step=step
        )
        detectors += of_concepts
    found = search(reading, detectors=detectors, clusters=clusters, step=step)
    noted += [problem for one in of_concepts for problem in one.problems()]
    notes += [f"{problem.message} {problem.next_step}" for problem in noted]
    chance = max(Counter(rows.labels.tolist()).values(), default=0) / max(len(rows), 1)
    goal = chance + ABOVE_CHANCE if settings.goal is None else max(settings.goal, chance)
    plan = plan_of(rows, found, settings, goal=goal, parse=None if parsed is None else parsed.parse)
    n = 0
    if parsed is not None and plan.grammar is not None:
        n = parsed.n_unparsed(rows.texts, rows.contexts or [None] * len(rows))
    if n:
        notes.append(
            f"{n:,} of {len(rows):,} rows are too long for the grammar, or have no words: its patterns are counted and balanced in the other rows."
        )
    return replace(plan, notes=(*plan.notes, *notes))


@contextmanager
def prepared(
    data: object, split: str | None, settings: RepairSettings, engines: Engines
) -> Iterator[ChangeJob[RepairSettings]]:
    """The job with its engines, which are closed at the end."""
    settings.check_texts()
    whole = as_dataset(data)
    part = arrange(whole, split).dataset
    with change_job("repair", whole, part, settings, engines) as job:
        yield job


def _repair(run: ActiveRun, job: ChangeJob[RepairSettings]) -> RepairResult:
    watcher, settings, part = run.watcher, job.settings, job.part
    watcher.step("reading")
    rows = job.rows()
    started = time.monotonic()
    plan = plan_for(job, rows, watcher, run.folder)
    searched = time.monotonic() - started
    plan = replace(plan, calls=_calls(job, rows, plan, spent=run.journal.spent()))
    watcher.page(plan_page(plan, part.source_name))
    if plan.calls is not None:
        watcher.estimate(plan.calls)
        job = with_graded_judge(job, rows, run.journal, watcher)
    repairing = repairing_for(job, rows, plan, run.journal, watcher)
    kept = _Collected(rows, seed=settings.seed)
    work = repairing.work
    work.restart({COMPARE: (1.0, 2 * searched)})  # the search again, before and after
    with run.edit_log() as log:
        for remedy, done in repairing.run():
            kept.add_of(remedy, done)
            log.write(done.edits)
    after = run.write_dataset(job.whole, part, log.changes)
    keep = (*plan.signal, *repairing.signal)
    comparison = compare(
        part, after, keep=keep, seed=settings.seed, step=lambda name: work.begin(COMPARE, name, 1.0)
    )
    for patterns in (plan.grammar, plan.concepts):
        if patterns is not None:
            comparison = with_patterns(comparison, patterns, rows, rows_of(after, seed=settings.seed))
    return RepairResult(
        dataset=run.summary(part),
        settings=run.identity.settings,
        goal=plan.goal,
        plan=plan.steps,
        expected_seconds=plan.seconds,
        signal=plan.signal,
        uses=kept.uses(),
        changed=len(repairing.repair.changed),
        added=repairing.repair.n_added,
        dropped=repairing.repair.n_dropped,
        weights=_weights(repairing),
        labels_at_risk=kept.labels_at_risk(),
        labels_before=_by_label(part),
        labels_after=_by_label(after),
        stopped=repairing.stopped,
        comparison=comparison,
        checks=kept.checks(),
        missing_checks=(*filter(None, [job.note]), *repairing.missing),
        sample=kept.sample(),
        refused=kept.refused(RefusedEdits),
        budget=job.budget,
        cost=costs(run.journal, job.writer, job.judge),
        failed_calls=reason_counts(failed_calls(repairing.writer, repairing.judge)),
        encoding_note=writing_note(job.whole, after),
        longway=version("longway"),
        created=now(),
    )


def _weights(repairing: Repairing) -> WeightSummary | None:
    """What weights do; None if there are none."""
    weights = list(repairing.repair.weights.values())
    if not weights:
        return None
    from longway.methods.repair.weigh import effective_rows

    leak = repairing.leak(weights)
    return WeightSummary(
        effective_rows(np.array(weights)), min(weights), max(weights), leak.accuracy, leak.majority
    )


class _Collected(Collected):
    """Also collects what each remedy did, and how likely labels are wrong."""

    def __init__(self, rows: Rows, *, seed: int) -> None:
        super().__init__(rows, seed=seed)
        self._wrong: dict[str, float | None] = {}  # by row; None if no check of its label gave a probability
        self._uses: dict[str, Figures] = {}

    def add_of(self, remedy: str, done: Round) -> None:
        """Include a round of a remedy."""
        self.add(done)
        use, figures = self._uses.setdefault(remedy, Figures()), done.figures
        use.asked += figures.asked
        use.candidates += figures.candidates
        use.accepted += figures.accepted
        use.rejected.update(dict(figures.rejected.most_common()))

    def add_candidate(self, edit: Edit, edits: Sequence[Edit]) -> None:
        """Include a candidate."""
        super().add_candidate(edit, edits)
        if edit.accepted and edit.drops:
            self._wrong.pop(edit.id, None)
        elif edit.accepted and edit.field != WEIGHT_COLUMN:
            scores = {verdict.check: verdict.score for verdict in edit.verdicts}
            score = next((scores[check] for check in LABEL_CHECKS if scores.get(check) is not None), None)
            self._wrong[edit.id] = None if score is None else 1 - score

    def labels_at_risk(self) -> float | None:
        """The number of changed and added rows whose label is expected to be wrong, by the probabilities of the check of labels; None if
        that did not look at all of them."""
        known = [wrong for wrong in self._wrong.values() if wrong is not None]
        return sum(known) if len(known) == len(self._wrong) else None

    def uses(self) -> tuple[RemedyUse, ...]:
        """What each remedy did, in order."""
        return tuple(
            RemedyUse(name, one.asked, one.candidates, one.accepted, reason_counts(one.rejected))
            for name, one in self._uses.items()
        )


def _by_label(dataset: Dataset) -> dict[str, int]:
    return dict(zip(dataset.labels, dataset.label_counts, strict=True))
