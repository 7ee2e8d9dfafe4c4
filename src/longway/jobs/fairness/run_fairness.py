"""A model's measures into a run folder: fairness.json, results.json, report.html, perturbed rows, and run.json last; each answer in the journal.

The same command again goes on where it stopped: what the model has answered is read, not asked again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.english.pipeline import load_pipeline
from longway.jobs.about import RUNS_FOLDER, stem
from longway.jobs.fairness.classifier_fairscore import ask_rows, classifier_data
from longway.jobs.fairness.fairness import (
    CROWS_PAIRS,
    HOLISTIC,
    STEREOSET,
    WEAT,
    FairnessSettings,
    answers_of,
    judged_model,
    read_benchmarks,
)
from longway.jobs.fairness.fairness_summary import summarize
from longway.show import render_fairness
from longway.store import JOURNAL_FILE, Journal, Run, free_folder, holding, read_json

FAIRNESS, RESULTS = "fairness.json", "results.json"


def run_fairness(
    *,
    crows_pairs: Path | str | None = None,
    stereoset: Path | str | None = None,
    weat: Path | str | None = None,
    holistic: Path | str | None = None,
    fairscore: Dataset | None = None,
    split: str | None = None,
    settings: FairnessSettings | None = None,
    out: Path | str | None = None,
    step: Callable[[str], object] = lambda name: None,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and what fairness.json holds; a finished run is read, a broken-off one goes on where it was.

    crows_pairs, stereoset, weat, holistic: the published files or folders, any of them. fairscore: data with labels, of which the split
    `split` is used; the model must be a classifier then. One of all these at least.
    out: the run folder; by default one named after the model below `longway-runs/`.
    """
    settings = settings or FairnessSettings()
    named = {CROWS_PAIRS: crows_pairs, STEREOSET: stereoset, WEAT: weat, HOLISTIC: holistic}
    paths = {name: Path(path) for name, path in named.items() if path is not None}
    step("reading the benchmarks")
    data = None
    if fairscore is not None:
        load_pipeline()  # or what it needs is missing
        data = classifier_data(fairscore, split=split, limit=settings.limit, seed=settings.seed)
    given = read_benchmarks(paths, settings, data=data)
    model = judged_model(given.sources, settings)
    sources = {name: source["fingerprint"] for name, source in given.sources.items()}
    asked: dict[str, Any] = {
        "command": "fairness",
        "settings": {**asdict(settings), "measures": sources, "identity": model.identity},
        "fingerprint": f"sha256:{sha256(' '.join(sources.values()).encode()).hexdigest()}",
    }
    folder = Path(out) if out else free_folder(RUNS_FOLDER / f"{stem(settings.model)}-fairness", **asked)
    if (done := Run.finished(folder, **asked)) is not None:
        return done, read_json(folder / FAIRNESS)
    started = time.monotonic()
    with holding(folder):
        run = Run.open(folder, **asked)
        journal = Journal(folder / JOURNAL_FILE)
        try:
            answers = answers_of(model, given, journal=journal, step=step, progress=progress)
            if data is not None and model.classifier is not None:
                rows = ask_rows(
                    model.classifier, data, folder=folder, journal=journal, step=step, progress=progress
                )
                answers = replace(answers, rows=rows)
        finally:
            journal.close()
        result = summarize(given, answers, settings, asked=asked["settings"], step=step)
        result["seconds"] = round(time.monotonic() - started, 1)
        step("writing the report")
        run.write(FAIRNESS, result)
        run.write(RESULTS, {"rows": result["rows"]})
        run.write_with("report.html", lambda path: path.write_text(render_fairness(result), encoding="utf-8"))
        run.finish()
    return run, result
