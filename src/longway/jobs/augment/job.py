"""Augment: add texts that keep the words models rely on and have another label, so that these words predict it less.

    rows -> principal and spurious words -> new texts -> checks -> the same dataset with the additions

Writes augment.json, edits.jsonl, the dataset, report.html and card.md into a run folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from typing import Literal

from longway.data import Dataset, load, with_columns
from longway.data.edited import writing_note
from longway.errors import SettingError, with_checked_arguments
from longway.jobs.augment.methods import (
    Plan,
    Setup,
    fingerprint_of,
    plan_of,
    prompts_of,
    read_given_file,
)
from longway.jobs.augment.page import augment_page  # noqa: F401  (registers the page of the result)
from longway.jobs.augment.result import AugmentResult
from longway.jobs.augment.settings import OTHER, AugmentSettings
from longway.jobs.augment.words import words_before_and_after
from longway.jobs.before_after import Comparison, compare
from longway.jobs.change.collect import Collected, RefusedEdits, reason_counts
from longway.jobs.change.job import ChangeJob, change_job
from longway.jobs.engine_use import Engines, costs, costs_money, failed_calls, with_graded_judge
from longway.jobs.estimate import RunEstimate
from longway.jobs.held_out import arrange
from longway.jobs.language import SERVED, check_english, check_writer
from longway.jobs.options import settings_from
from longway.jobs.run import ActiveRun, Watcher
from longway.languages.dataset import languages_in
from longway.methods.method import Round, Rows
from longway.methods.peers import GivenRewrite
from longway.models.own_model import sources_of
from longway.records import BUDGET_SPENT, Edit, Example
from longway.store import now

NOT_NEEDED = "left out so that the labels are balanced"


@with_checked_arguments
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
    with _prepared(data, split, chosen, engines or Engines()) as (job, given):
        return job.run(AugmentResult, partial(_augment, given=given), out, watcher, on)


@with_checked_arguments
def augment_estimate(
    data: object, settings: AugmentSettings, *, split: str | None = None, engines: Engines | None = None
) -> RunEstimate:
    """What `augment` may take; writes nothing and calls no server."""
    with _prepared(data, split, settings, engines or Engines()) as (job, _):
        return estimate_of(job, job.rows(labelled=settings.labelled), dry=True)


def estimate_of(
    job: ChangeJob[AugmentSettings], rows: Rows, *, spent: float = 0.0, dry: bool = False
) -> RunEstimate:
    """What an augmentation may take, if every text is judged. Repeated calls are not included. dry: include free engines, and the time."""
    settings = job.settings
    job = job if settings.labelled else replace(job, judge=None)
    n_judged, asked = len(rows) * settings.variants, prompts_of(rows, settings)
    return job.estimate(rows, asked, n_judged=n_judged, spent=spent, free=dry, timed=dry)


@contextmanager
def _prepared(
    data: object, split: str | None, settings: AugmentSettings, engines: Engines
) -> Iterator[tuple[ChangeJob[AugmentSettings], Sequence[GivenRewrite]]]:
    """The job with its engines, which are closed at the end; and the texts that were written elsewhere."""
    whole = data if isinstance(data, Dataset) else load(data, label=settings.target)
    part = arrange(whole, split, labelled=settings.labelled).dataset
    languages = languages_in(part)
    if settings.method in ("eda", "crossaug"):
        check_english(languages, f"The method {settings.method} knows", SERVED)
    if settings.labelled and settings.to != OTHER and settings.to not in part.labels:
        raise SettingError(
            f"'to' must be a label of the data, or {OTHER!r} for any but the row's own. Got {settings.to!r}. "
            f"The labels are {', '.join(map(repr, part.labels))}."
        )
    given: Sequence[GivenRewrite] = ()
    more: dict[str, object] = {**sources_of(settings.models)}
    if settings.rewrites is not None:
        given = read_given_file(Path(settings.rewrites), encoding=whole.encoding)
        more["rewrites_fingerprint"] = fingerprint_of(given)
    is_given = settings.rewrites is not None
    with change_job("augment", whole, part, settings, engines, more=more, judges=is_given) as job:
        check_writer(languages, job.settings.engine)
        yield job, given


def _augment(run: ActiveRun, job: ChangeJob[AugmentSettings], given: Sequence[GivenRewrite]) -> AugmentResult:
    """Add rows, write edits and dataset, and measure the effect."""
    settings, journal, watcher = job.settings, run.journal, run.watcher
    watcher.step("reading")
    rows = job.rows(labelled=settings.labelled)
    if costs_money(job.writer, job.judge):
        watcher.estimate(estimate_of(job, rows, spent=journal.spent()))
    if settings.labelled:
        job = with_graded_judge(job, rows, journal, watcher)
        settings = job.settings
    writer, judge = job.askers(journal, watcher)
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
    is_measured, summary = settings.labelled and plan.important, run.summary(job.part)
    return AugmentResult(
        dataset=summary if settings.labelled else replace(summary, labels={}),  # output texts are no labels
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
    for done in plan.rounds:
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
    rejected = figures.rejected + Counter({NOT_NEEDED: n_out})
    return replace(
        done,
        edits=tuple(edits),
        figures=replace(figures, accepted=figures.accepted - n_out, rejected=rejected),
    )


def _draw(id_: str, seed: int) -> bytes:
    return blake2b(f"{seed}\0{id_}".encode(), digest_size=8).digest()
