"""A grammar into a run folder: findings.json, tables.json, trees.txt, grammar.safetensors and grammar.json, report.html, run.json last;
contrast.jsonl where contrast examples were asked for.

    checkpoint/    what the training reached, written every 20 seconds; removed when the run is done

The same command again goes on from the checkpoint, so that stopping costs some seconds of work.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from longway.classify.catalog import model_named
from longway.data import Dataset
from longway.grammar.trees import brackets
from longway.jobs.about import RUNS_FOLDER, inputs_of, stem
from longway.jobs.grammar.grammar import CHECKPOINT, Induced, Report, asked_of, induce_grammar
from longway.jobs.grammar.grammar_contrast import CONTRAST, lines_of, needs_english, sets_of, stances_of
from longway.jobs.grammar.grammar_settings import GrammarSettings
from longway.jobs.grammar.grammar_tables import findings_of, tables_of
from longway.jobs.held_out import arrange
from longway.methods.contrast import ContrastSet
from longway.show.grammar_html import render_grammar
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
    """The finished run and what tables.json holds; a finished run is read, a broken-off one goes on from where it was.

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
    if settings.contrast:
        stances_of(data.labels, context=data.columns.context, given=settings.contrast_labels)
        needs_english()
    if settings.classifier is not None:  # one that cannot be is told now, not after the training
        model_named(settings.classifier, seed=settings.seed, device=settings.device)
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
        run.write("findings.json", findings_of(induced))
        tables = tables_of(induced, _contrasts(run, induced, step) if settings.contrast else None)
        run.write(TABLES, tables)
        run.write_with("report.html", lambda path: path.write_text(render_grammar(tables), encoding="utf-8"))
        shutil.rmtree(folder / CHECKPOINT, ignore_errors=True)
        run.finish()
    return run, tables


def _contrasts(run: Run, induced: Induced, step: Callable[[str], object]) -> list[ContrastSet]:
    """The contrast sets of the held-out rows, written into the run folder."""
    step("making contrast examples")
    sets = sets_of(induced)
    run.write_with(CONTRAST, lambda path: path.write_text(lines_of(sets), encoding="utf-8", errors="replace"))
    return sets


def _trees(induced: Induced) -> str:
    """One tree a line behind the row's part and id, set apart by tabs; the sentences of a row follow one another."""
    lines = [
        f"{part.name}\t{' '.join(document.example.id.split())}\t{brackets(tree, pair=induced.is_pair)}\n"
        for part in (induced.learned, induced.held_out)
        for document, trees in zip(part.documents, part.trees, strict=True)
        for tree in trees
    ]
    return "".join(lines)
