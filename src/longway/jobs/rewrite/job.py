"""Rewrite: replace the texts whose surface predicts their label by texts whose surface does not.

    read -> rounds of edits -> the dataset with the accepted edits -> comparison before and after

Writes rewrite.json, edits.jsonl, the dataset, report.html and card.md into a run folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from longway.data import Dataset, as_dataset, with_columns
from longway.data.edited import Changes, writing_note
from longway.errors import with_checked_arguments
from longway.jobs.before_after import compare
from longway.jobs.change.collect import Collected, RefusedEdits, ShownEdit, reason_counts
from longway.jobs.change.job import ChangeJob, change_job, rewrite_prompts
from longway.jobs.engine_use import Engines, costs, costs_money, failed_calls, with_graded_judge
from longway.jobs.estimate import RunEstimate
from longway.jobs.held_out import arrange
from longway.jobs.language import SERVED, check_english, check_writer
from longway.jobs.options import settings_from
from longway.jobs.rewrite.page import rewrite_page  # noqa: F401  (registers the page of the result)
from longway.jobs.rewrite.result import RewriteResult
from longway.jobs.rewrite.rewriting import Rewriting
from longway.jobs.rewrite.settings import RewriteSettings
from longway.jobs.run import ActiveRun, Watcher
from longway.languages.dataset import languages_in
from longway.methods.method import Rows
from longway.methods.razor import count_of
from longway.metrics.bleu import corpus_bleu
from longway.records import Edit
from longway.store import now

STRONGEST = 20


@with_checked_arguments
def rewrite(
    data: object,
    settings: RewriteSettings | None = None,
    *,
    split: str | None = None,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    on: str | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> RewriteResult:
    """Rewrite the texts whose surface predicts their label; labels, ids and size stay, and every new text is checked.

    data: a dataset, or what `load` reads. split: the split to rewrite (default: "train" if there are several); the others are copied
    unchanged. engines: addresses and a budget. out: the run folder; True for a folder in `longway-runs/` named after the data; None to
    write nothing. The same call with the same folder resumes the run, or reads it if it is done and no call failed.
    on: "ray" or "ray://host:port" to compute by Ray's workers what engines in this process write and models of checks say.
    options: columns as in `load` (text, context, label, id), and the options of `longway rewrite` by name, such as `paper=True`.
    """
    data, options = with_columns(data, options)
    chosen, watcher = settings_from(RewriteSettings, settings, options), watcher or Watcher()
    with prepared(data, split, chosen, engines or Engines()) as job:
        return job.run(RewriteResult, _rewrite, out, watcher, on)


@with_checked_arguments
def rewrite_estimate(
    data: object, settings: RewriteSettings, *, split: str | None = None, engines: Engines | None = None
) -> RunEstimate:
    """What `rewrite` may take; writes nothing and calls no server."""
    with prepared(data, split, settings, engines or Engines()) as job:
        return estimate_of(job, job.rows(), dry=True)


def estimate_of(
    job: ChangeJob[RewriteSettings], rows: Rows, *, spent: float = 0.0, dry: bool = False
) -> RunEstimate:
    """What a rewrite may take: all rounds, every candidate judged. dry: include free engines, and the time."""
    settings = job.settings
    n = min(count_of(settings.k, len(rows)), len(rows)) * settings.rounds
    n_judged = n * settings.candidates
    return job.estimate(
        rows,
        [(rewrite_prompts(rows), n)],
        n=settings.candidates,
        n_judged=n_judged,
        spent=spent,
        free=dry,
        timed=dry,
    )


@contextmanager
def prepared(
    data: object, split: str | None, settings: RewriteSettings, engines: Engines
) -> Iterator[ChangeJob[RewriteSettings]]:
    """The job with its engines, which are closed at the end."""
    whole = as_dataset(data)
    part = arrange(whole, split).dataset
    languages = languages_in(part)
    if settings.method in ("eda", "crossaug"):
        check_english(languages, f"The method {settings.method} knows", SERVED)
    more = {} if settings.decisions is None else {"decisions": settings.decisions.to_dict()}
    with change_job("rewrite", whole, part, settings, engines, more=more) as job:
        check_writer(languages, job.settings.engine)
        yield job


def _rewrite(run: ActiveRun, job: ChangeJob[RewriteSettings]) -> RewriteResult:
    watcher = run.watcher
    watcher.step("reading")
    rows = job.rows()
    if costs_money(job.writer, job.judge):
        watcher.estimate(estimate_of(job, rows, spent=run.journal.spent()))
    job = with_graded_judge(job, rows, run.journal, watcher)
    settings = job.settings
    asker, judging = job.askers(run.journal, watcher)
    watcher.step("preparing the checks" if settings.needs_engine else "rewriting")
    rewriting = Rewriting(rows, settings, run.journal, writer=asker, judge=judging, watcher=watcher)
    collected = _Collected(rows, seed=settings.seed)
    with run.edit_log() as log:
        for done in rewriting.run():
            collected.add(done)
            log.write(done.edits)
            watcher.round(done)
    after = run.write_dataset(job.whole, job.part, log.changes, with_sources=False)
    comparison = compare(job.part, after, keep=rewriting.left_alone, seed=settings.seed, step=watcher.step)
    changed = collected.changed(log.changes)
    checks = rewriting.check_report(collected.n_accepted, collected.edits_per_row(changed))
    decisions = rewriting.decisions
    return RewriteResult(
        dataset=run.summary(job.part),
        method=settings.method,
        engine=settings.engine,
        judge=settings.judge,
        settings=run.identity.settings,
        changed=len(changed),
        added=len(collected.added),
        asked=collected.n_asked,
        candidates=collected.n,
        accepted=collected.n_accepted,
        labels_changed=_labels_changed(job.part, after),
        stopped=collected.stopped,
        rounds=tuple(collected.rounds),
        comparison=comparison,
        bleu=corpus_bleu(list(changed.values()), [rows.texts[row] for row in changed], tokenizer=rows.tokenizer) if changed else None,
        checks=collected.checks(checks.errors),
        missing_checks=(*filter(None, [job.note]), *checks.missing),
        expected_wrong=checks.wrong,
        sample=collected.sample(),
        strongest=collected.strongest(),
        refused=collected.refused(RefusedEdits),
        failed_calls=reason_counts(failed_calls(asker, judging)),
        cost=costs(run.journal, job.writer, job.judge),
        budget=job.budget,
        decisions=None if decisions is None else decisions.summary(),
        encoding_note=writing_note(job.whole, after),
        longway=version("longway"),
        created=now(),
    )  # fmt: skip


class _Collected(Collected):
    """Also collects the accepted edits of each row, and those whose score fell most."""

    def __init__(self, rows: Rows, *, seed: int) -> None:
        super().__init__(rows, seed=seed, by_edit=True)
        self._edits_of: Counter[str] = Counter()
        self._strongest: list[tuple[float, str, Edit]] = []

    @property
    def n_asked(self) -> int:
        """Rows that were worked on, also those for which no readable answer came."""
        return max(len(self._edits_of), *(one.rows for one in self.rounds), 0)

    def add_candidate(self, edit: Edit, edits: Sequence[Edit]) -> None:
        """Include a candidate."""
        super().add_candidate(edit, edits)
        self._edits_of[edit.id] += edit.accepted
        if edit.accepted and edit.score_before is not None and edit.score_after is not None:
            gain = edit.score_after - edit.score_before
            ranked = sorted([*self._strongest, (gain, edit.id, edit)], key=lambda item: item[:2])
            self._strongest = ranked[:STRONGEST]

    def strongest(self) -> tuple[ShownEdit, ...]:
        """The accepted edits whose score fell most."""
        return tuple(ShownEdit.of([edit], self._rows) for _, _, edit in self._strongest)

    def changed(self, changes: Changes) -> dict[int, str]:
        """The rows whose text is another one now, with their new text."""
        new = changes.cells.get(self._rows.task.text_name, {})
        texts = enumerate(zip(self._rows.ids, self._rows.texts, strict=True))
        return {row: new[id_] for row, (id_, text) in texts if new.get(id_, text) != text}

    def edits_per_row(self, changed: Iterable[int]) -> list[int]:
        """The number of accepted edits of each row."""
        return [self._edits_of[self._rows.ids[row]] for row in changed]


def _labels_changed(before: Dataset, after: Dataset) -> int:
    """Rows whose label differs in the written file."""
    was = dict(_labels(before))
    return sum(was.get(id_, name) != name for id_, name in _labels(after))


def _labels(dataset: Dataset) -> Iterable[tuple[str, str]]:
    for batch in dataset.batches():
        yield from zip(batch.ids, (dataset.labels[label] for label in batch.labels), strict=True)
