"""A perturbation into a run folder: dataset, edits.jsonl, perturb.json, report.html, card.md, the journal, run.json last.

The same command again goes on where it stopped, as a rewrite does (`run_rewrite`): every answer of an engine or a network is in the journal
before it is used, the analyses of texts are kept until the end, and everything else is computed the same way again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.demographics.found import FoundIn, found_in
from longway.llm.asking import Asker
from longway.llm.engines import engine_named
from longway.recipes.about import describe
from longway.recipes.documents import ANALYSES_FILE
from longway.recipes.engine_runs import (
    Engines,
    Started,
    asker_of,
    close,
    costs,
    failed_calls,
    finished,
    folder_for,
    what_is_asked,
    write_dataset,
    write_edits,
)
from longway.recipes.forecast import Forecast, costs_money
from longway.recipes.formulas import with_formulas
from longway.recipes.held_out import MAX_LABELS, arrange
from longway.recipes.perturb import Perturbing
from longway.recipes.perturb_balance import balance
from longway.recipes.perturb_card import write_perturb_card
from longway.recipes.perturb_edits import Editing
from longway.recipes.perturb_forecast import perturb_forecast
from longway.recipes.perturb_settings import PerturbSettings
from longway.recipes.perturb_summary import PerturbSummary
from longway.recipes.perturbers import Who, who_perturbs
from longway.recipes.places import at_place
from longway.report import render_perturb
from longway.rewrite.perturb.segments import as_one
from longway.store import JOURNAL_FILE, Journal, Run, holding, read_json, replacing

PERTURB, EDITS = "perturb.json", "edits.jsonl"
Step = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class _Job:
    """What one start of a run works with."""

    whole: Dataset
    part: Dataset
    who: Who
    asked: dict[str, Any]
    budget: float | None
    step: Step
    progress: Callable[[int, int], None]
    on_estimate: Callable[[Forecast], object] | None


def run_perturb(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: PerturbSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
    on: str | None = None,
    step: Step = lambda name: None,
    progress: Callable[[int, int], None] = lambda done, of: None,
    on_start: Callable[[Started], object] = lambda started: None,
    on_estimate: Callable[[Forecast], object] | None = None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and its perturb.json; a run that was finished before is read, not repeated.

    split: the rows to perturb where there are several splits ("train" unless told otherwise); all others are kept as they are.
    progress: called with rows done and rows to do, in each step anew. on_estimate: called when it is known how many rows an engine that
    costs money is to be asked about, and before it is asked; may raise. on: where an engine is asked, as in `run_rewrite`.
    """
    settings, engines = settings or PerturbSettings(), engines or Engines()
    part = arrange(dataset, split, labelled=False).dataset
    with at_place(on, engine_named) as named:
        who = who_perturbs(settings, engines, named=named)
        try:
            asked = what_is_asked("perturb", part, who.settings, who.engine, None)
            if who.fingerprint:
                asked["settings"]["model_fingerprint"] = who.fingerprint
            folder, note = folder_for(dataset, out, asked)
            if (found := finished(folder, PERTURB, asked, engines.budget)) is not None:
                return Run(folder), found
            job = _Job(dataset, part, who, asked, engines.budget, step, progress, on_estimate)
            with holding(folder):
                run = Run.open(folder, **asked)
                if run.is_done:
                    run.reopen()
                on_start(Started(run, who.settings, note))
                with closing(Journal(folder / JOURNAL_FILE)) as journal:
                    found = _perturb(run, job, journal)
                step("writing the report")
                _write_results(run, found)
                run.finish()
        finally:
            close(who.engine)
    return run, read_json(folder / PERTURB)  # as it reads for everyone else


def _perturb(run: Run, job: _Job, journal: Journal) -> dict[str, Any]:
    """Perturb the rows, write edits and dataset, and count who is spoken of now; gives the content of perturb.json."""
    settings = job.who.settings
    job.step("reading who is spoken of")
    cache = run.folder / ANALYSES_FILE
    perturbing = Perturbing(job.part, settings, cache=cache, progress=job.progress)
    if job.on_estimate is not None and costs_money(job.who.engine):
        job.on_estimate(perturb_forecast(perturbing, job.who.engine, spent=journal.spent()))
    asker = asker_of(job.who.engine, journal, job.budget, lambda done, of: perturbing.tell(done))
    job.step("perturbing")
    editing, summary = _go_through(run, perturbing, job.who, journal, asker)
    write_dataset(
        run.folder,
        job.whole,
        job.part,
        editing.texts,
        editing.additions(job.whole.columns),
        contexts=editing.contexts,
    )
    job.step("reading who is spoken of now")
    told = balance(
        [seen.found for seen in perturbing.seen],
        said_now(perturbing, editing.new, job.progress),
        axes=settings.axes,
        added=settings.add,
    )
    perturbing.documents.forget()
    return summary.to_dict(
        dataset=_about(job.part),
        settings=job.asked["settings"],
        balance=told,
        new=editing.new,
        cost=costs(journal, job.who.engine),
        budget=job.budget,
        failed_calls=failed_calls(asker),
    )


def _go_through(
    run: Run, perturbing: Perturbing, who: Who, journal: Journal, asker: Asker | None
) -> tuple[Editing, PerturbSummary]:
    """All rows, with edits.jsonl and the summary."""
    perturber = who.perturber(journal=journal, asker=asker, read=perturbing.documents)
    editing, summary = Editing(perturbing, engine=perturber.name), PerturbSummary(perturbing)
    with replacing(run.folder / EDITS) as temporary, temporary.open("w", encoding="utf-8") as file:
        for outcome in perturbing.run(perturber):
            edits = editing.take(outcome)
            summary.add(outcome, edits)
            write_edits(file, edits)
    return editing, summary


def said_now(
    perturbing: Perturbing, new: Mapping[int, Sequence[str]], progress: Callable[[int, int], None]
) -> dict[int, FoundIn]:
    """What the rows that were perturbed say of people now."""
    found: dict[int, FoundIn] = {}
    documents = perturbing.documents.all(map(as_one, new.values()))
    for row, document in zip(new, documents, strict=True):
        found[row] = found_in(document)
        progress(len(found), len(new))
    return found


def _about(dataset: Dataset) -> dict[str, Any]:
    """The dataset in short; labels that are texts of their own are not listed."""
    about = describe(dataset)
    return about if len(dataset.labels) <= MAX_LABELS else {**about, "labels": {}}


def _write_results(run: Run, found: dict[str, Any]) -> None:
    """What is made of perturb.json, and itself."""
    found = with_formulas(run.folder, found)
    run.write(PERTURB, found)
    run.write_with("report.html", lambda path: path.write_text(render_perturb(found), encoding="utf-8"))
    run.write_with("card.md", lambda path: write_perturb_card(path, found))
