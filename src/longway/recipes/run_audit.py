"""An audit into a run folder: findings.json, scores.parquet, report.html, and run.json last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from longway.data import Dataset
from longway.recipes.about import RUNS_FOLDER, inputs_of, stem
from longway.recipes.audit import Audit, AuditSettings, audit_arranged
from longway.recipes.held_out import arrange
from longway.report import render_report
from longway.store import Run, free_folder, holding, read_json

FINDINGS = "findings.json"


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
        result = audit_arranged(arranged, settings, on=on, step=step, progress=progress)
        findings = result.to_dict()
        step("writing the report")
        run.write_with("scores.parquet", lambda path: _write_scores(path, result))
        run.write(FINDINGS, findings)
        run.write_with("report.html", lambda path: path.write_text(render_report(findings), encoding="utf-8"))
        run.finish()
    return run, findings


def _write_scores(path: Path, result: Audit) -> None:
    frames = (frame.to_arrow() for frame in result.score_frames())
    first = next(frames)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        for table in chain([first], frames):
            writer.write_table(table)
