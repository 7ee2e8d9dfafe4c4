"""Augment: add texts that keep the words models rely on and have another label, so that these words predict it less.

    rows -> principal and spurious words -> new texts -> checks -> the same dataset with the additions

Writes augment.json, edits.jsonl, the dataset, report.html and card.md into a run folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from typing import Literal

from longway.data import Dataset, load, with_columns
from longway.data.edited import writing_note
from longway.data.summary import DatasetSummary
from longway.engines.engine import Engine
from longway.errors import SettingError
from longway.jobs.augment.methods import GivenFile, Plan, Setup, estimate_augment, plan_of, read_given_file
from longway.jobs.augment.page import augment_page  # noqa: F401  (registers the page of the result)
from longway.jobs.augment.result import AugmentResult
from longway.jobs.augment.settings import OTHER, AugmentSettings
from longway.jobs.augment.words import read_spurious_words, words_before_and_after
from longway.jobs.before_after import Comparison, compare
from longway.jobs.change.collect import Collected, RefusedEdits, reason_counts
from longway.jobs.engine_use import (
    Engines,
    RunEstimate,
    addresses_of,
    asker_of,
    check_can_write,
    close,
    costs,
    costs_money,
    engines_of,
    failed_calls,
    judge_of,
    name_of,
    with_graded_judge,
)
from longway.jobs.held_out import arrange
from longway.jobs.language import SERVED, check_english, check_writer, set_split_rules, with_own_rules
from longway.jobs.options import settings_from
from longway.jobs.rows import rows_of
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher, folder_of
from longway.methods.method import BUDGET_SPENT, Round, Rows
from longway.models.own_model import sources_of
from longway.records import Edit, Example
from longway.store import now

NOT_NEEDED = "left out so that the labels are balanced"


@with_own_rules
def augment(
    data: object,
    settings: AugmentSettings | None = None,
    *,
    split: str | None = None,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    on: str | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> AugmentResult:
    """Add texts with another label that keep the words models rely on; every text is checked.

    data: a dataset, or what `load` reads. split: the split that texts are made from and added to (default: "train" if there are several);
    the others are copied unchanged. engines: addresses and a budget. out: the run folder; True for a folder in `longway-runs/` named
    after the data; None to write nothing. The same call with the same folder resumes the run, or reads it if it is done.
    on: "ray" or "ray://host:port" to compute by Ray's workers what engines in this process write and models of checks say.
    options: columns as in `load` (text, context, label, id), and the options of `longway augment` by name, such as `method="eda"`.
    """
    target = options.get("target", settings.target if settings is not None else None)
    if target is not None and not isinstance(data, Dataset):
        options = {**options, "label": target}  # a column of texts instead of labels
    data, options = with_columns(data, options)
    chosen, watcher = settings_from(AugmentSettings, settings, options), watcher or Watcher()
    with _prepared(data, split, chosen, engines or Engines()) as job, folder_of(out) as folder:
        planned = job.plan(folder)
        done = planned.read(AugmentResult, budget=job.budget)
        result = done or planned.make(partial(_augment, job=job), watcher, on)
        return result.of(job.whole, keeps_folder=bool(out))


@with_own_rules
def augment_estimate(
    data: object, settings: AugmentSettings, *, split: str | None = None, engines: Engines | None = None
) -> RunEstimate:
    """What `augment` may take; writes nothing and calls no server."""
    with _prepared(data, split, settings, engines or Engines()) as job:
        return job.estimate(dry=True)


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
    note: str = ""

    def plan(self, out: Path | None) -> PlannedRun:
        more = {} if self.given is None else {"rewrites_fingerprint": self.given.fingerprint}
        addresses = addresses_of(self.writer, self.judge)
        identity = RunIdentity.of(
            "augment",
            self.part,
            self.settings,
            more={**addresses, **more, **sources_of(self.settings.models)},
        )
        return PlannedRun.choose(identity, self.whole.source_name, out)

    def estimate(self, *, spent: float = 0.0, dry: bool = False) -> RunEstimate:
        return estimate_augment(self.part, self.settings, self.writer, self.judge, spent=spent, dry=dry)


@contextmanager
def _prepared(data: object, split: str | None, settings: AugmentSettings, engines: Engines) -> Iterator[_Job]:
    """The job with its engines, which are closed at the end."""
    whole = data if isinstance(data, Dataset) else load(data, label=settings.target)
    part = arrange(whole, split, labelled=settings.labelled).dataset
    languages = set_split_rules(part)
    if settings.method in ("eda", "crossaug"):
        check_english(languages, f"The method {settings.method} knows", SERVED)
    if settings.labelled and settings.to != OTHER and settings.to not in part.labels:
        raise SettingError(
            f"'to' must be a label of the data, or {OTHER!r} for any but the row's own. Got {settings.to!r}. "
            f"The labels are {', '.join(map(repr, part.labels))}."
        )
    if settings.spurious_words is not None:
        words = read_spurious_words(Path(settings.spurious_words), part.labels)
        settings = replace(settings, spurious=(*settings.spurious, *words))
    given = (
        None
        if settings.rewrites is None
        else read_given_file(Path(settings.rewrites), encoding=whole.encoding)
    )
    writer, judge = engines_of(settings, engines)
    if given is not None and settings.judge not in ("auto", "none"):
        judge = judge_of(settings, engines)
    check_can_write(writer, judge)
    settings = replace(settings, engine=name_of(writer), judge=name_of(judge))
    try:
        check_writer(languages, writer)
        yield _Job(whole, part, settings, writer, judge, given, engines.budget)
    finally:
        close(writer, judge)


def _augment(run: ActiveRun, job: _Job) -> AugmentResult:
    """Add rows, write edits and dataset, and measure the effect."""
    settings, journal, watcher = job.settings, run.journal, run.watcher
    if costs_money(job.writer, job.judge):
        watcher.estimate(job.estimate(spent=run.journal.spent()))
    watcher.step("reading")
    rows = rows_of(job.part, seed=settings.seed, labelled=settings.labelled, describe=settings.describe)
    if settings.labelled:
        job = with_graded_judge(job, rows, journal, watcher)
        settings = job.settings
    writer, judge = (asker_of(engine, journal, job.budget, watcher) for engine in (job.writer, job.judge))
    given = () if job.given is None else job.given.rewrites
    setup = Setup(settings, rows, writer, judge, given, journal, watcher)
    plan = plan_of(setup)
    setup.begin_writing()
    made = Collected(rows, seed=settings.seed, key=attrgetter("id"))
    with run.edit_log() as log:
        for done in _rounds(plan, rows, settings, setup):
            made.add(done)
            log.write(done.edits)
    after = run.write_dataset(job.whole, job.part, log.changes)
    watcher.step("measuring what the new texts are like")
    added, labels = _labels(rows, made.added, settings)
    is_measured = settings.labelled and plan.important
    return AugmentResult(
        dataset=_summary(run.summary(job.part), settings),
        method=settings.method,
        engine=settings.engine,
        judge=settings.judge,
        settings=run.identity.settings,
        asked=sum(one.rows for one in made.rounds),
        candidates=made.n,
        accepted=made.n_accepted,
        added=len(made.added),
        added_by_label=added,
        labels_before=labels,
        labels_after={name: n + added[name] for name, n in labels.items()},
        stopped=BUDGET_SPENT if setup.is_spent else made.stopped,
        rounds=tuple(made.rounds),
        words=words_before_and_after(rows, made.added, plan.important) if is_measured else (),
        analysis=plan.analysis,
        comparison=compare(job.part, after, seed=settings.seed, step=watcher.step)
        if settings.labelled
        else Comparison(),
        checks=made.checks(),
        missing_checks=(*filter(None, [job.note]), *plan.missing),
        sample=made.sample(),
        refused=made.refused(RefusedEdits),
        failed_calls=reason_counts(failed_calls(writer, judge)),
        cost=costs(journal, job.writer, job.judge),
        budget=job.budget,
        encoding_note=writing_note(job.whole, after),
        longway=version("longway"),
        created=now(),
    )


def _rounds(plan: Plan, rows: Rows, settings: AugmentSettings, setup: Setup) -> Iterator[Round]:
    """The rounds of the method; if labels are balanced, all of them at the end."""
    is_balanced = settings.balance and settings.labelled
    waiting: list[Round] = []
    for done in plan.method.run(rows):
        setup.end_round(done)
        setup.watcher.round(done)
        if is_balanced:
            waiting.append(done)
        else:
            yield done
    yield from balanced(waiting, rows, seed=settings.seed) if waiting else ()


def _labels(
    rows: Rows, added: Sequence[Example], settings: AugmentSettings
) -> tuple[dict[str, int], dict[str, int]]:
    """Added and original rows by label; empty if there are no labels."""
    if not settings.labelled:
        return {}, {}
    before = Counter(rows.label(row) for row in range(len(rows)))
    new = Counter(row.label for row in added)
    return {name: new[name] for name in rows.label_names}, {name: before[name] for name in rows.label_names}


def _summary(summary: DatasetSummary, settings: AugmentSettings) -> DatasetSummary:
    """The dataset in short; output texts are not listed as labels."""
    return summary if settings.labelled else replace(summary, labels={})


# Balance


def balanced(rounds: Sequence[Round], rows: Rows, *, seed: int = 0) -> list[Round]:
    """The rounds with fewer additions, so that all labels have the same number of rows; which are left out depends on the seed.

    The number is that of the scarcest label with all its additions, but at least that of the most frequent label before: no original
    row is removed.
    """
    counts = Counter(rows.label(row) for row in range(len(rows)))
    added: dict[str, list[str]] = {label: [] for label in rows.label_names}
    for id_, label in added_in(edit for done in rounds for edit in done.edits).items():
        added[label].append(id_)
    goal = max(max(counts.values()), min(counts[label] + len(ids) for label, ids in added.items()))
    out: set[str] = set()
    for label, ids in added.items():
        out.update(sorted(ids, key=lambda id_: _draw(id_, seed))[max(0, goal - counts[label]) :])
    return [_without(done, out) for done in rounds] if out else list(rounds)


def added_in(edits: Iterable[Edit]) -> dict[str, str]:
    """The ids of the rows that accepted edits add, in order, with their labels."""
    return {edit.id: edit.label_after for edit in edits if edit.accepted and edit.source}


def _without(done: Round, out: set[str]) -> Round:
    n_out = len(out & added_in(done.edits).keys())
    if not n_out:
        return done
    figures = done.figures
    edits = (
        replace(edit, accepted=False, reason=NOT_NEEDED) if edit.id in out else edit for edit in done.edits
    )
    rejected = {**figures.rejected, NOT_NEEDED: n_out}
    return replace(
        done,
        edits=tuple(edits),
        figures=replace(figures, accepted=figures.accepted - n_out, rejected=rejected),
    )


def _draw(id_: str, seed: int) -> bytes:
    return blake2b(f"{seed}\0{id_}".encode(), digest_size=8).digest()
