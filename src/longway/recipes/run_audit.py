"""An audit into a run folder: findings.json, scores.parquet, report.html, and run.json last.

Where Ray's workers read the data, scores.parquet is a folder of shards that they wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.on_ray.shards import make_way
from longway.recipes.about import RUNS_FOLDER, inputs_of, stem
from longway.recipes.audit import AuditSettings, audit_arranged
from longway.recipes.held_out import arrange
from longway.recipes.shards import write_frames
from longway.report import render_report
from longway.store import Run, free_folder, holding, read_json

FINDINGS, SCORES = "findings.json", "scores.parquet"


def run_audit(
    dataset: Dataset,
    *,
    split: str | None = None,
    tests: Mapping[str, Dataset] | None = None,
    settings: AuditSettings | None = None,
    out: Path | str | None = None,
    on: str | None = None,
    step: Callable[[str], object] = lambda name: None,
    progress: Callable[[int], object] | None = None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and its findings; a run that was finished before is read, not repeated.

    split, tests, settings, on, step, progress: as in `audit`; a run that began at one place may be finished at another. out: the run folder; by default a folder named after the
    data below `longway-runs/`, with a number behind it where another run is there already.
    """
    settings = settings or AuditSettings()
    arranged = arrange(dataset, split, tests)
    asked: dict[str, Any] = {
        "command": "audit",
        "settings": {**asdict(settings), **inputs_of(arranged.dataset, arranged.held_out)},
        "fingerprint": arranged.dataset.fingerprint,
    }
    folder = Path(out) if out else free_folder(RUNS_FOLDER / f"{stem(dataset.source_name)}-audit", **asked)
    if (done := Run.finished(folder, **asked)) is not None:
        return done, read_json(folder / FINDINGS)
    with holding(folder):
        run = Run.open(folder, **asked)
        scores = run.folder / SCORES
        result = audit_arranged(arranged, settings, on=on, scores=scores, step=step, progress=progress)
        findings = result.to_dict()
        step("writing the report")
        if not result.has_shards:
            make_way(scores)
            run.write_with(SCORES, lambda path: write_frames(path, result.score_frames()))
        run.write(FINDINGS, findings)
        run.write_with("report.html", lambda path: path.write_text(render_report(findings), encoding="utf-8"))
        run.finish()
    return run, findings
