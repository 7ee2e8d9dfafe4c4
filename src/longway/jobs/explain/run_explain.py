"""An explanation into a run folder: explain.json, report.html, and run.json last; each fold of a model in the journal as it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.jobs.about import RUNS_FOLDER, inputs_of, stem
from longway.jobs.explain.explain import Progress, check_asked, explain
from longway.jobs.explain.explanation import ExplainSettings
from longway.jobs.held_out import arrange
from longway.show.explain_html import render_explain
from longway.store import JOURNAL_FILE, Journal, JournalEntry, Run, free_folder, holding, read_json

EXPLAIN = "explain.json"


def run_explain(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: ExplainSettings | None = None,
    out: Path | str | None = None,
    step: Callable[[str], object] = lambda name: None,
    progress: Progress = lambda done, of: None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and what explain.json holds; a finished run is read, a broken-off one goes on where it was.

    split, settings, step, progress: as in `explain`. out: the run folder; by default one named after the data below
    `longway-runs/`.
    """
    settings = settings or ExplainSettings()
    data = arrange(dataset, split).dataset
    check_asked(data, settings)  # before anything is written
    asked: dict[str, Any] = {
        "command": "explain",
        "settings": {**asdict(settings), **inputs_of(data, {})},
        "fingerprint": data.fingerprint,
    }
    folder = Path(out) if out else free_folder(RUNS_FOLDER / f"{stem(dataset.source_name)}-explain", **asked)
    if (done := Run.finished(folder, **asked)) is not None:
        return done, read_json(folder / EXPLAIN)
    with holding(folder):
        run = Run.open(folder, **asked)
        journal = Journal(folder / JOURNAL_FILE)
        try:
            result = explain(
                dataset,
                split=split,
                settings=settings,
                step=step,
                progress=progress,
                remember=_kept_in(journal),
            ).to_dict()
        finally:
            journal.close()
        step("writing the report")
        run.write(EXPLAIN, result)
        run.write_with("report.html", lambda path: path.write_text(render_explain(result), encoding="utf-8"))
        run.finish()
    return run, result


def _kept_in(journal: Journal) -> Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]]:
    """Look a part up by its name, or make it and keep it. The run folder holds one run, so that the name says it all."""

    def remember(name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if (kept := journal.get(name)) is None:
            kept = make()
            journal.put(JournalEntry(name, kind="explain", engine=name, answer=kept))
        return kept

    return remember
