"""A rewrite into a run folder: dataset, edits.jsonl, rewrite.json, report.html, the journal, and run.json last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.data.edited import Changes
from longway.engines.engine import Engine
from longway.engines.registry import engine_named
from longway.jobs.about import describe
from longway.jobs.before_after import compare
from longway.jobs.engine_use import (
    Engines,
    RunEstimate,
    addresses_of,
    asker_of,
    close,
    costs,
    costs_money,
    engines_of,
    failed_calls,
    name_of,
)
from longway.jobs.formulas import with_formulas
from longway.jobs.held_out import arrange
from longway.jobs.placement import engines_at
from longway.jobs.rewrite.card import card
from longway.jobs.rewrite.forecast import estimate_rewrite
from longway.jobs.rewrite.rewrite import RewriteSettings, Rewriting
from longway.jobs.rewrite.rewrite_summary import Summary
from longway.jobs.rows import rows_of
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher
from longway.show import render_rewrite
from longway.store import Run, read_json

REWRITE = "rewrite.json"


def run_rewrite(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: RewriteSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
    on: str | None = None,
    watcher: Watcher | None = None,
) -> tuple[Run, dict[str, Any]]:
    """Rewrite into a run folder; returns the run and its rewrite.json. A finished run is read, not repeated.

    A finished run is resumed if calls to engines failed, or if it stopped for want of money and may spend more now.

    split: the split to rewrite (default: "train" if there are several); the others are copied unchanged.
    on: where engines compute: "ray" or "ray://host:port"; by default in this process. The result is the same.
    """
    settings, engines, watcher = settings or RewriteSettings(), engines or Engines(), watcher or Watcher()
    part = arrange(dataset, split).dataset
    with engines_at(on, engine_named) as named:
        writer, judge = engines_of(settings, engines, named=named)
        settings = replace(settings, engine=name_of(writer), judge=name_of(judge))
        try:
            planned = plan_rewrite(dataset, part, settings, writer, judge, out)
            if (content := planned.finished(REWRITE, budget=engines.budget)) is not None:
                return Run(planned.folder), dict(content)
            with planned.start(watcher) as run:
                watcher.step("reading")
                rows = rows_of(part, seed=settings.seed)
                if costs_money(writer, judge):
                    spent = run.journal.spent()
                    watcher.estimate(estimate_rewrite(rows, settings, writer, judge, spent=spent))
                asker, judging = (
                    asker_of(one, run.journal, engines.budget, watcher) for one in (writer, judge)
                )
                rewriting = Rewriting(rows, settings, writer=asker, judge=judging)
                summary = Summary(rows, seed=settings.seed)
                watcher.step("rewriting")
                changes = _rewrite(run, rewriting, summary)
                after = run.write_dataset(dataset, part, changes, with_sources=False, on=on)
                comparison = compare(
                    part, after, keep=rewriting.left_alone, seed=settings.seed, step=watcher.step
                )
                found = summary.to_dict(
                    changes,
                    dataset=describe(part),
                    settings=planned.identity.settings,
                    comparison=comparison,
                    checks=rewriting.checks(summary.n_accepted, summary.edits_of_changed(changes)),
                    cost=costs(run.journal, writer, judge),
                    budget=engines.budget,
                    failed_calls=failed_calls(asker, judging),
                    labels_changed=_labels_changed(part, after),
                    decisions=None if rewriting.heeded is None else rewriting.heeded.to_dict(),
                )
                watcher.step("writing the report")
                found = with_formulas(run.folder, found)
                run.finish(REWRITE, found, report=render_rewrite(found), card=card(found))
        finally:
            close(writer, judge)
    return Run(planned.folder), read_json(planned.folder / REWRITE)  # as it reads for everyone else


def dry_run_rewrite(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: RewriteSettings | None = None,
    engines: Engines | None = None,
) -> RunEstimate:
    """What `run_rewrite` may take; writes nothing and calls no server."""
    settings, engines = settings or RewriteSettings(), engines or Engines()
    rows = rows_of(arrange(dataset, split).dataset, seed=settings.seed)
    writer, judge = engines_of(settings, engines)
    try:
        return estimate_rewrite(rows, settings, writer, judge, dry=True)
    finally:
        close(writer, judge)


def plan_rewrite(
    dataset: Dataset,
    part: Dataset,
    settings: RewriteSettings,
    writer: Engine | None,
    judge: Engine | None,
    out: Path | str | None,
) -> PlannedRun:
    """The run of a rewrite: its identity and its folder. settings: with the names of the engines."""
    more = addresses_of(writer, judge)
    if settings.decisions is not None:
        more["decisions"] = settings.decisions.told()
    identity = RunIdentity.of("rewrite", part, settings, more=more)
    return PlannedRun.choose(identity, dataset.source_name, out)


def _rewrite(run: ActiveRun, rewriting: Rewriting, summary: Summary) -> Changes:
    """All rounds, with edits.jsonl and the summary; returns what the accepted edits change."""
    with run.edit_log() as log:
        for done in rewriting.run():
            summary.add(done)
            log.write(done.edits)
            run.watcher.round(done)
    return log.changes


def _labels_changed(before: Dataset, after: Dataset) -> int:
    """Rows whose label differs in the written file."""
    was = dict(_labels(before))
    return sum(was.get(id_, name) != name for id_, name in _labels(after))


def _labels(dataset: Dataset) -> Iterable[tuple[str, str]]:
    for batch in dataset.batches():
        yield from zip(batch.ids, (dataset.labels[label] for label in batch.labels), strict=True)
