"""Grammar: learn a grammar from the texts, and list which of its phrases and rules predict the label.

The run folder holds findings.json, tables.json, trees.txt, grammar.safetensors, grammar.json and report.html; with contrast examples also
contrast.jsonl. While the grammar is learned, `checkpoint/` is updated every 20 seconds, and the same call resumes from it.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Literal

from longway.data import Dataset, with_columns
from longway.errors import with_checked_arguments
from longway.grammars.trees import brackets
from longway.jobs.grammar.induced import CHECKPOINT, Induced, device_of, induce_grammar
from longway.jobs.grammar.page import grammar_page  # noqa: F401  (registers the page of the result)
from longway.jobs.grammar.result import FINDINGS, GrammarResult
from longway.jobs.grammar.settings import GrammarSettings
from longway.jobs.grammar.tables import check_english, result_of, sets_of, stances_of
from longway.jobs.held_out import arrange
from longway.jobs.options import settings_from
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, run_job
from longway.models.catalog import model_named

TREES, CONTRAST = "trees.txt", "contrast.jsonl"


@with_checked_arguments
def grammar(
    data: object,
    settings: GrammarSettings | None = None,
    *,
    split: str | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> GrammarResult:
    """Learn a grammar from the texts of a dataset, and list which of its phrases and rules predict the label.

    data: a dataset, or anything that `load` takes. split: the split to learn from (default: "train" if there are several); a validation
    split is held out. out: write a run folder; True chooses one in longway-runs. The same call resumes a run, or reads a finished one.
    options: columns as in `load` (text, context, label, id), and the options of `longway grammar` by name, such as `limit=500`.
    """
    whole, options = with_columns(data, options)
    chosen = settings_from(GrammarSettings, settings, options)
    if chosen.contrast_labels is not None:
        chosen = replace(chosen, contrast=True)
    watcher = watcher or Watcher()
    arranged = arrange(whole, split)
    dataset, device = arranged.dataset, device_of(chosen)
    sizes = chosen.sizes(device, pair=dataset.columns.context is not None, rows=dataset.n_used)
    identity = RunIdentity.of(
        "grammar", dataset, chosen, held_out=arranged.held_out, more={"sizes": asdict(sizes)}
    )

    def work(run: ActiveRun) -> GrammarResult:
        checkpoint = None if run.kept is None else run.kept / CHECKPOINT
        induced = induce_grammar(arranged, chosen, sizes, device, watcher, checkpoint)
        if run.kept is not None:
            induced.grammar.save(run.kept)
            run.write(FINDINGS, induced.findings_dict())
            _write_text(run, TREES, _tree_lines(induced))
        sets = None
        if chosen.contrast:
            watcher.step("generating contrast examples")
            sets = sets_of(induced)
            _write_text(run, CONTRAST, [json.dumps(asdict(member), ensure_ascii=False) for one in sets for member in one.members])  # fmt: skip
        if checkpoint is not None:
            shutil.rmtree(checkpoint, ignore_errors=True)
        return result_of(induced, sets)

    return run_job(GrammarResult, identity, work, out, watcher, check=partial(_check, dataset, chosen))


def _check(dataset: Dataset, settings: GrammarSettings) -> None:
    """Raise an error for what cannot work later: before the training, and before any file is written."""
    if settings.contrast:
        stances_of(dataset.labels, context=dataset.columns.context, given=settings.contrast_labels)
        check_english()
    if settings.classifier is not None:
        model = model_named(
            settings.classifier, seed=settings.seed, device=settings.device, **settings.tuning()
        )
        _check_encoder(getattr(model, "encoder", None))


def _check_encoder(name: str | None) -> None:
    """Raise SettingError if a classifier's encoder cannot be read: now, and not after the grammar was learned."""
    if name is None or name == "minilm":
        return
    from longway.models.pretrained import needs_transformers, read_config

    needs_transformers(f"the encoder {name!r}")
    read_config(name, f"The encoder {name!r}", "name the folder: --classifier hf:FOLDER-full, or leave it out: --classifier none")  # fmt: skip


def _write_text(run: ActiveRun, name: str, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    run.write_with(name, lambda path: path.write_text(text, encoding="utf-8", errors="replace"))


def _tree_lines(induced: Induced) -> list[str]:
    """One tree per line after the name of its part and the id of its row, separated by tabs."""
    return [
        f"{part.name}\t{' '.join(row.example.id.split())}\t{brackets(tree, pair=induced.is_pair)}"
        for part in (induced.learned, induced.held_out)
        for row, trees in zip(part.rows, part.trees, strict=True)
        for tree in trees
    ]
