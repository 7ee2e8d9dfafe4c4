"""A rewrite into a run folder: dataset, edits.jsonl, rewrite.json, report.html, the journal, and run.json last.

The same command again goes on where it stopped: every answer of an engine is in the journal before it is used, and
everything else is computed the same way again, so that nothing is paid twice and the result is that of an undisturbed run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from longway.data import Dataset, load, save
from longway.data.edited import Addition, edited_tables
from longway.llm.asking import Asker
from longway.llm.engine import Engine
from longway.llm.engines import engine_named
from longway.recipes.about import RUNS_FOLDER, describe, inputs_of, stem
from longway.recipes.before_after import compare
from longway.recipes.card import write_card
from longway.recipes.held_out import arrange
from longway.recipes.rewrite import RewriteSettings, Rewriting
from longway.recipes.rewrite_summary import Summary
from longway.records import Edit, Example
from longway.report import render_rewrite
from longway.rewrite.method import Round
from longway.store import Journal, Run, free_folder, read_json, replacing

REWRITE, EDITS, JOURNAL = "rewrite.json", "edits.jsonl", "journal.sqlite"


@dataclass(frozen=True, slots=True)
class Engines:
    """Where engines are found: addresses of servers, and the most that may be spent in dollars."""

    base_url: str | None = None
    judge_base_url: str | None = None
    budget: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def run_rewrite(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: RewriteSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
    step: Callable[[str], object] = lambda name: None,
    progress: Callable[[int, int], None] | None = None,
    on_start: Callable[[Run, RewriteSettings], object] = lambda run, settings: None,
    on_round: Callable[[Round], object] = lambda done: None,
) -> tuple[Run, dict[str, Any]]:
    """The finished run and its rewrite.json; a run that was finished before is read, not repeated.

    split: the rows to rewrite where there are several splits ("train" unless told otherwise); all others are kept as they are.
    progress: called with prompts answered and prompts asked; on_round with each round when it is done.
    """
    settings, engines = settings or RewriteSettings(), engines or Engines()
    arranged = arrange(dataset, split)
    writer, judge = _engines(settings, engines)
    settings = replace(settings, engine=writer.name, judge="none" if judge is None else judge.name)
    asked: dict[str, Any] = {
        "command": "rewrite",
        "settings": {**asdict(settings), **inputs_of(arranged.dataset, {})},
        "fingerprint": arranged.dataset.fingerprint,
    }
    folder = Path(out) if out else free_folder(RUNS_FOLDER / f"{stem(dataset.source_name)}-rewrite", **asked)
    run = Run.open(folder, **asked)
    if run.is_done:
        return run, read_json(folder / REWRITE)
    on_start(run, settings)
    journal = Journal(folder / JOURNAL)
    try:
        asker = Asker(writer, journal, budget=engines.budget, progress=progress)
        judging = None if judge is None else Asker(judge, journal, budget=engines.budget, progress=progress)
        step("reading")
        rewriting = Rewriting(arranged.dataset, settings, writer=asker, judge=judging)
        summary = Summary(rewriting.rows, seed=settings.seed)
        added: list[Example] = []
        step("rewriting")
        with replacing(folder / EDITS) as temporary, temporary.open("w", encoding="utf-8") as file:
            for done in rewriting.run():
                summary.add(done)
                added += done.added
                _write_edits(file, done.edits)
                on_round(done)
        after = _write_dataset(run, dataset, arranged.dataset, rewriting, summary, added)
        comparison = compare(arranged.dataset, after, keep=settings.keep, seed=settings.seed, step=step)
        found = summary.to_dict(
            dataset=describe(arranged.dataset),
            settings=asked["settings"],
            comparison=comparison,
            checks=rewriting.verifier.report(summary.n_accepted),
            cost=journal.totals(),
            budget=engines.budget,
            labels_changed=_labels_changed(arranged.dataset, after),
        )
        step("writing the report")
        run.write(REWRITE, found)
        run.write_with("report.html", lambda path: path.write_text(render_rewrite(found), encoding="utf-8"))
        run.write_with("card.md", lambda path: write_card(path, found))
    finally:
        journal.close()
    run.finish()
    return run, found


def _engines(settings: RewriteSettings, engines: Engines) -> tuple[Engine, Engine | None]:
    """Who writes and who judges; with "auto" the writer judges where it can, in a conversation of its own."""
    writer = engine_named(settings.engine, base_url=engines.base_url, seed=settings.seed)
    if settings.judge == "none":
        return writer, None
    if settings.judge != "auto":
        return writer, engine_named(
            settings.judge, base_url=engines.judge_base_url or engines.base_url, seed=settings.seed
        )
    return writer, writer if "judge" in writer.can else None


def _write_edits(file: IO[str], edits: Iterable[Edit]) -> None:
    for edit in edits:
        file.write(json.dumps(edit.to_dict(), ensure_ascii=False) + "\n")


def _write_dataset(
    run: Run, whole: Dataset, part: Dataset, rewriting: Rewriting, summary: Summary, added: list[Example]
) -> Dataset:
    """Write the dataset in the format it came in; gives its rewritten rows as they are read back."""
    rows, columns = rewriting.rows, whole.columns
    texts = {rows.ids[i]: rows.texts[i] for i in summary.changed}
    additions = [_addition(example, columns) for example in added]
    path = run.folder / f"dataset.{_ending(whole.format)}"
    save(edited_tables(whole, texts, additions), path)
    after = load(
        path,
        text=columns.text,
        context=columns.context or "",
        label=columns.label,
        id=columns.id,
        split=columns.split,
        stream=whole.streamed,
    )
    return after if part.split is None else after.select_split(part.split)


def _labels_changed(before: Dataset, after: Dataset) -> int:
    """Rows that were there before and have another label now, counted in the file that was written."""
    was = dict(_labels(before))
    return sum(was.get(id_, name) != name for id_, name in _labels(after))


def _labels(dataset: Dataset) -> Iterable[tuple[str, str]]:
    for batch in dataset.batches():
        yield from zip(batch.ids, (dataset.labels[label] for label in batch.labels), strict=True)


def _addition(example: Example, columns: Any) -> Addition:
    cells = {columns.text: example.text, columns.label: example.label}
    if columns.context is not None and example.context is not None:
        cells[columns.context] = example.context
    return Addition(example.id, like=example.id.rpartition("+")[0], cells=cells)


def _ending(format: str) -> str:
    """The input's own ending; Parquet for what was no file."""
    known = {"csv", "tsv", "jsonl", "json", "parquet", "arrow"}
    return format if format.partition(".")[0] in known else "parquet"
