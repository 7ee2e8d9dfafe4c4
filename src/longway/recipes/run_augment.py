"""An augmentation into a run folder: dataset, edits.jsonl, augment.json, report.html, card.md, the journal, run.json last.

The same command again goes on where it stopped, as a rewrite does (`run_rewrite`): every answer of an engine is in the journal
before it is used, and everything else is computed the same way again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.llm.engine import Engine
from longway.llm.engines import engine_named
from longway.recipes.about import describe
from longway.recipes.augment import Augmenting, AugmentSettings, check_label
from longway.recipes.augment_balance import balanced
from longway.recipes.augment_card import write_augment_card
from longway.recipes.augment_diversity import diversity, encoder
from longway.recipes.augment_forecast import augment_forecast
from longway.recipes.augment_summary import AugmentSummary
from longway.recipes.augmentation import writer_and_judge
from longway.recipes.before_after import compare
from longway.recipes.engine_runs import (
    Engines,
    Started,
    addition_of,
    asker_of,
    close,
    costs,
    failed_calls,
    finished,
    folder_for,
    name_of,
    what_is_asked,
    write_dataset,
    write_edits,
)
from longway.recipes.forecast import Forecast, costs_money
from longway.recipes.formulas import with_formulas
from longway.recipes.given_file import GivenFile, read_given_file
from longway.recipes.held_out import Arranged, arrange
from longway.recipes.important_words import words_before_and_after
from longway.recipes.places import at_place
from longway.report import render_augment
from longway.rewrite.method import Round
from longway.store import JOURNAL_FILE, Journal, Run, holding, read_json, replacing

AUGMENT, EDITS = "augment.json", "edits.jsonl"
Step = Callable[[str], object]
OnRound = Callable[[Round], object]


@dataclass(frozen=True, slots=True)
class _Job:
    """What one start of a run works with."""

    whole: Dataset
    arranged: Arranged
    settings: AugmentSettings
    writer: Engine | None
    judge: Engine | None
    given: GivenFile | None
    asked: dict[str, Any]


def run_augment(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: AugmentSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
    on: str | None = None,
    step: Step = lambda name: None,
    progress: Callable[[int, int], None] | None = None,
    on_start: Callable[[Started], object] = lambda started: None,
    on_estimate: Callable[[Forecast], object] | None = None,
    on_round: OnRound = lambda done: None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and its augment.json; a run that was finished before is read, not repeated.

    split: the rows that additions are made from where there are several splits ("train" unless told otherwise); additions
    belong to it, and all other rows are kept as they are.
    on, step, progress, on_start, on_estimate, on_round: as in `run_rewrite`.
    """
    settings, engines = settings or AugmentSettings(), engines or Engines()
    arranged = arrange(dataset, split, labelled=settings.labelled)
    check_label(settings, arranged.dataset.labels)
    given = None if settings.rewrites is None else read_given_file(Path(settings.rewrites))
    with at_place(on, engine_named) as named:
        writer, judge = writer_and_judge(settings, engines, named=named)
        settings = replace(settings, engine=name_of(writer), judge=name_of(judge))
        try:
            asked = what_is_asked("augment", arranged.dataset, settings, writer, judge)
            if given is not None:
                asked["settings"]["rewrites_fingerprint"] = given.fingerprint
            folder, note = folder_for(dataset, out, asked)
            if (found := finished(folder, AUGMENT, asked, engines.budget)) is not None:
                return Run(folder), found
            job = _Job(dataset, arranged, settings, writer, judge, given, asked)
            with holding(folder):
                run = Run.open(folder, **asked)
                if run.is_done:
                    run.reopen()
                on_start(Started(run, settings, note))
                with closing(Journal(folder / JOURNAL_FILE)) as journal:
                    if on_estimate is not None and (costs_money(writer) or costs_money(judge)):
                        on_estimate(
                            augment_forecast(arranged.dataset, settings, writer, judge, spent=journal.spent())
                        )
                    found = _augment(run, job, journal, engines.budget, step, progress, on_round)
                step("writing the report")
                _write_results(run, found)
                run.finish()
        finally:
            close(writer, judge)
    return run, read_json(folder / AUGMENT)  # as it reads for everyone else


def _augment(
    run: Run,
    job: _Job,
    journal: Journal,
    budget: float | None,
    step: Step,
    progress: Callable[[int, int], None] | None,
    on_round: OnRound,
) -> dict[str, Any]:
    """Make the additions, write edits and dataset, and measure what that changed; gives the content of augment.json."""
    settings, before = job.settings, job.arranged.dataset
    asker, judging = (asker_of(one, journal, budget, progress) for one in (job.writer, job.judge))
    step("reading")
    augmenting = Augmenting(
        before,
        settings,
        writer=asker,
        judge=judging,
        given=() if job.given is None else job.given.rewrites,
        journal=journal,
        step=step,
        progress=progress,
    )
    summary = AugmentSummary(augmenting.rows, seed=settings.seed)
    step("writing new texts" if settings.needs_engine else "making new texts")
    _go_through(run, augmenting, summary, on_round)
    additions = [
        addition_of(one, job.whole.columns, source=summary.source_of[one.id]) for one in summary.added
    ]
    after = write_dataset(run.folder, job.whole, before, {}, additions)
    step("measuring what the new texts are like")
    return summary.to_dict(
        dataset=_about(before, settings),
        settings=job.asked["settings"],
        comparison=compare(before, after, seed=settings.seed, step=step) if settings.labelled else None,
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
        budget=budget,
        failed_calls=failed_calls(asker, judging),
    )


def _go_through(run: Run, augmenting: Augmenting, summary: AugmentSummary, on_round: OnRound) -> None:
    """All rounds, with edits.jsonl and the summary; where labels are to be balanced, that is decided at the end."""
    settings, rows = augmenting.settings, augmenting.rows
    waiting: list[Round] = []
    with replacing(run.folder / EDITS) as temporary, temporary.open("w", encoding="utf-8") as file:

        def take(rounds: Iterable[Round]) -> None:
            for done in rounds:
                summary.add(done)
                write_edits(file, done.edits)

        for done in augmenting.run():
            on_round(done)
            if settings.balance and settings.labelled:
                waiting.append(done)
            else:
                take([done])
        take(balanced(waiting, rows, seed=settings.seed) if waiting else ())


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


def _write_results(run: Run, found: dict[str, Any]) -> None:
    """What is made of augment.json, and itself."""
    found = with_formulas(run.folder, found)
    run.write(AUGMENT, found)
    run.write_with("report.html", lambda path: path.write_text(render_augment(found), encoding="utf-8"))
    run.write_with("card.md", lambda path: write_augment_card(path, found))
