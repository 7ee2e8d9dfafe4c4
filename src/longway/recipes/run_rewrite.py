"""A rewrite into a run folder: dataset, edits.jsonl, rewrite.json, report.html, the journal, and run.json last.

The same command again goes on where it stopped: every answer of an engine is in the journal before it is used, and
everything else is computed the same way again, so that nothing is paid twice and the result is that of an undisturbed run.
A finished run goes on, too, where calls to engines failed or its budget was spent and is larger now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.llm.batch import BatchFolder
from longway.llm.engines import engine_named
from longway.recipes.about import describe
from longway.recipes.before_after import compare
from longway.recipes.card import write_card
from longway.recipes.engine_runs import (
    Engines,
    Started,
    addition_of,
    answers_kept,
    asker_of,
    close,
    costs,
    engines_of,
    failed_calls,
    finished,
    folder_for,
    name_of,
    what_is_asked,
    write_dataset,
    write_edits,
)
from longway.recipes.forecast import Forecast, costs_money, forecast
from longway.recipes.formulas import with_formulas
from longway.recipes.held_out import arrange
from longway.recipes.places import at_place
from longway.recipes.rewrite import RewriteSettings, Rewriting
from longway.recipes.rewrite_summary import Summary
from longway.records import Example
from longway.report import render_rewrite
from longway.rewrite.method import Round
from longway.store import JOURNAL_FILE, Journal, Run, holding, read_json, replacing

__all__ = ["Engines", "Started", "answers_kept", "run_rewrite"]

REWRITE, EDITS = "rewrite.json", "edits.jsonl"


def run_rewrite(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: RewriteSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
    on: str | None = None,
    step: Callable[[str], object] = lambda name: None,
    progress: Callable[[int, int], None] | None = None,
    on_start: Callable[[Started], object] = lambda started: None,
    on_estimate: Callable[[Forecast], object] | None = None,
    on_round: Callable[[Round], object] = lambda done: None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and its rewrite.json; a run that was finished before is read, not repeated.

    A run in which calls failed for a passing reason is gone through again: they are asked again, all others are in the journal.

    split: the rows to rewrite where there are several splits ("train" unless told otherwise); all others are kept as they are.
    progress: called with prompts answered and prompts asked; on_round with each round when it is done.
    on_estimate: called before anything is asked that may cost money, and may raise. A run that stopped because its budget
    was spent goes on when it is given a larger one.
    on: where engines are asked: here unless told, "ray" or "ray://host:port" (see `on_ray.engine`). It does not make the run another one.
    """
    settings, engines = settings or RewriteSettings(), engines or Engines()
    arranged = arrange(dataset, split)
    with at_place(on, engine_named) as named:
        writer, judge = engines_of(settings, engines, named=named)
        settings = replace(settings, engine=name_of(writer), judge=name_of(judge))
        try:
            asked = what_is_asked("rewrite", arranged.dataset, settings, writer, judge)
            if settings.decisions is not None:
                asked["settings"]["decisions"] = settings.decisions.told()
            folder, note = folder_for(dataset, out, asked)
            if (found := finished(folder, REWRITE, asked, engines.budget)) is not None:
                return Run(folder), found
            with holding(folder):
                run = Run.open(folder, **asked)
                BatchFolder(folder).check_none_under_way()
                if run.is_done:
                    run.reopen()
                on_start(Started(run, settings, note))
                with closing(Journal(folder / JOURNAL_FILE)) as journal:
                    if on_estimate is not None and (costs_money(writer) or costs_money(judge)):
                        on_estimate(
                            forecast(arranged.dataset, settings, writer, judge, spent=journal.spent())
                        )
                    asker, judging = (
                        asker_of(one, journal, engines.budget, progress) for one in (writer, judge)
                    )
                    step("reading")
                    rewriting = Rewriting(arranged.dataset, settings, writer=asker, judge=judging)
                    summary = Summary(rewriting.rows, seed=settings.seed)
                    step("rewriting")
                    added = _rewrite(run, rewriting, summary, on_round)
                    after = _write_dataset(run, dataset, arranged.dataset, rewriting, summary, added, on)
                    comparison = compare(
                        arranged.dataset, after, keep=rewriting.left_alone, seed=settings.seed, step=step
                    )
                    found = summary.to_dict(
                        dataset=describe(arranged.dataset),
                        settings=asked["settings"],
                        comparison=comparison,
                        checks=rewriting.checks(summary.n_accepted, summary.edits_of_changed),
                        cost=costs(journal, writer, judge),
                        budget=engines.budget,
                        failed_calls=failed_calls(asker, judging),
                        labels_changed=_labels_changed(arranged.dataset, after),
                        decisions=None if rewriting.heeded is None else rewriting.heeded.to_dict(),
                    )
                step("writing the report")
                _write_results(run, found)
                run.finish()
        finally:
            close(writer, judge)
    return run, read_json(folder / REWRITE)  # as it reads for everyone else


def _rewrite(
    run: Run, rewriting: Rewriting, summary: Summary, on_round: Callable[[Round], object]
) -> list[Example]:
    """Go through all rounds, with edits.jsonl and the summary; gives the rows that were added."""
    added: list[Example] = []
    with replacing(run.folder / EDITS) as temporary, temporary.open("w", encoding="utf-8") as file:
        for done in rewriting.run():
            summary.add(done)
            added += done.added
            write_edits(file, done.edits)
            on_round(done)
    return added


def _write_results(run: Run, found: dict[str, Any]) -> None:
    """What is made of rewrite.json, and itself."""
    found = with_formulas(run.folder, found)
    run.write(REWRITE, found)
    run.write_with("report.html", lambda path: path.write_text(render_rewrite(found), encoding="utf-8"))
    run.write_with("card.md", lambda path: write_card(path, found))


def _write_dataset(
    run: Run,
    whole: Dataset,
    part: Dataset,
    rewriting: Rewriting,
    summary: Summary,
    added: list[Example],
    on: str | None,
) -> Dataset:
    """Write the dataset in the format it came in; gives its rewritten rows as they are read back."""
    rows, columns = rewriting.rows, whole.columns
    texts = {rows.ids[i]: rows.texts[i] for i in summary.changed}
    additions = [addition_of(example, columns) for example in added]
    return write_dataset(run.folder, whole, part, texts, additions, on=on)


def _labels_changed(before: Dataset, after: Dataset) -> int:
    """Rows that were there before and have another label now, counted in the file that was written."""
    was = dict(_labels(before))
    return sum(was.get(id_, name) != name for id_, name in _labels(after))


def _labels(dataset: Dataset) -> Iterable[tuple[str, str]]:
    for batch in dataset.batches():
        yield from zip(batch.ids, (dataset.labels[label] for label in batch.labels), strict=True)
