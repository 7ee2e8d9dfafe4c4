"""A grammar into a run folder: findings.json, tables.json, trees.txt, grammar.safetensors and grammar.json, report.html, run.json last.

    checkpoint/    what the training reached, written after each epoch; removed when the run is done

The same command again goes on from the checkpoint, so that stopping costs the epoch that was under way.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.grammar.trees import brackets
from longway.recipes.about import RUNS_FOLDER, inputs_of, stem
from longway.recipes.grammar import CHECKPOINT, Induced, Report, asked_of, induce_grammar
from longway.recipes.grammar_settings import GrammarSettings
from longway.recipes.grammar_tables import findings_of, tables_of
from longway.recipes.held_out import arrange
from longway.report.grammar_html import render_grammar
from longway.store import Run, free_folder, holding, read_json

TABLES, TREES = "tables.json", "trees.txt"


def run_grammar(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: GrammarSettings | None = None,
    out: Path | str | None = None,
    step: Callable[[str], object] = lambda name: None,
    progress: Report = lambda done, of: None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and what tables.json holds; a finished run is read, a broken-off one goes on from its last epoch.

    split, settings, step, progress: as in `induce_grammar`. out: the run folder; by default one named after the data below
    `longway-runs/`.
    """
    settings = settings or GrammarSettings()
    arranged = arrange(dataset, split)
    data = arranged.dataset
    asked: dict[str, Any] = {
        "command": "grammar",
        "settings": {**asked_of(data, settings), **inputs_of(data, arranged.held_out)},
        "fingerprint": data.fingerprint,
    }
    folder = Path(out) if out else free_folder(RUNS_FOLDER / f"{stem(dataset.source_name)}-grammar", **asked)
    if (done := Run.finished(folder, **asked)) is not None:
        return done, read_json(folder / TABLES)
    with holding(folder):
        run = Run.open(folder, **asked)
        induced = induce_grammar(
            dataset, split=split, settings=settings, step=step, progress=progress, folder=folder
        )
        induced.grammar.save(folder)
        step("writing the report")
        run.write_with(
            TREES, lambda path: path.write_text(_trees(induced), encoding="utf-8", errors="replace")
        )
        tables = tables_of(induced)
        run.write("findings.json", findings_of(induced))
        run.write(TABLES, tables)
        run.write_with("report.html", lambda path: path.write_text(render_grammar(tables), encoding="utf-8"))
        shutil.rmtree(folder / CHECKPOINT, ignore_errors=True)
        run.finish()
    return run, tables


def _trees(induced: Induced) -> str:
    """One tree a line behind the row's part and id, set apart by tabs; the sentences of a row follow one another."""
    lines = [
        f"{part.name}\t{' '.join(document.example.id.split())}\t{brackets(tree, pair=induced.is_pair)}\n"
        for part in (induced.learned, induced.held_out)
        for document, trees in zip(part.documents, part.trees, strict=True)
        for tree in trees
    ]
    return "".join(lines)
