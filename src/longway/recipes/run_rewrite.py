"""A rewrite into a run folder: dataset, edits.jsonl, rewrite.json, report.html, the journal, and run.json last.

The same command again goes on where it stopped: every answer of an engine is in the journal before it is used, and
everything else is computed the same way again, so that nothing is paid twice and the result is that of an undisturbed run.
A finished run goes on, too, where calls to engines failed or its budget was spent and is larger now.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from longway.data import Dataset, load, save
from longway.data.edited import Addition, edited_tables
from longway.errors import SettingError
from longway.llm.asking import Asker
from longway.llm.engine import Engine
from longway.llm.engines import engine_named
from longway.llm.loop import run as run_now
from longway.llm.prices import FREE
from longway.llm.recorded import answers_in
from longway.recipes.about import RUNS_FOLDER, describe, ending, inputs_of, stem
from longway.recipes.before_after import compare
from longway.recipes.card import write_card
from longway.recipes.forecast import Forecast, costs_money, forecast
from longway.recipes.held_out import arrange
from longway.recipes.rewrite import RewriteSettings, Rewriting
from longway.recipes.rewrite_summary import Summary
from longway.records import Edit, Example
from longway.report import render_rewrite
from longway.rewrite.method import Round
from longway.rewrite.stopping import BUDGET_SPENT
from longway.store import JOURNAL_FILE, RUN_FILE, Journal, Run, free_folder, holding, read_json, replacing

REWRITE, EDITS = "rewrite.json", "edits.jsonl"


@dataclass(frozen=True, slots=True)
class Engines:
    """Where engines are found: addresses of servers, and the most that may be spent in dollars.

    options: what else `llm.engines.engine_named` takes.
    """

    base_url: str | None = None
    judge_base_url: str | None = None
    budget: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Started:
    """A run that begins or goes on: its folder, the settings with engines by name, and what to tell about the folder."""

    run: Run
    settings: RewriteSettings
    note: str = ""


def run_rewrite(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: RewriteSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
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
    """
    settings, engines = settings or RewriteSettings(), engines or Engines()
    arranged = arrange(dataset, split)
    writer, judge = _engines(settings, engines)
    settings = replace(settings, engine=_name(writer), judge=_name(judge))
    try:
        asked = _asked(arranged.dataset, settings, writer, judge)
        folder, note = _folder(dataset, out, asked)
        if (found := _finished(folder, asked, engines.budget)) is not None:
            return Run(folder), found
        with holding(folder):
            run = Run.open(folder, **asked)
            if run.is_done:
                run.reopen()
            on_start(Started(run, settings, note))
            with closing(Journal(folder / JOURNAL_FILE)) as journal:
                if on_estimate is not None and (costs_money(writer) or costs_money(judge)):
                    on_estimate(forecast(arranged.dataset, settings, writer, judge, spent=journal.spent()))
                asker, judging = (_asker(one, journal, engines.budget, progress) for one in (writer, judge))
                step("reading")
                rewriting = Rewriting(arranged.dataset, settings, writer=asker, judge=judging)
                summary = Summary(rewriting.rows, seed=settings.seed)
                step("rewriting")
                added = _rewrite(run, rewriting, summary, on_round)
                after = _write_dataset(run, dataset, arranged.dataset, rewriting, summary, added)
                comparison = compare(
                    arranged.dataset, after, keep=settings.keep, seed=settings.seed, step=step
                )
                found = summary.to_dict(
                    dataset=describe(arranged.dataset),
                    settings=asked["settings"],
                    comparison=comparison,
                    checks=rewriting.checks(summary.n_accepted, summary.edits_of_changed),
                    cost=_costs(journal, writer, judge),
                    budget=engines.budget,
                    failed_calls=_failed(asker, judging),
                    labels_changed=_labels_changed(arranged.dataset, after),
                )
            step("writing the report")
            _write_results(run, found)
            run.finish()
    finally:
        _close(writer, judge)
    return run, read_json(folder / REWRITE)  # as it reads for everyone else


def answers_kept(folder: Path) -> int:
    """How many answers of engines the journal of a run folder holds."""
    path = folder / JOURNAL_FILE
    if not path.exists():
        return 0
    with closing(Journal(path)) as journal:
        return answers_in(journal)


def _engines(settings: RewriteSettings, engines: Engines) -> tuple[Engine | None, Engine | None]:
    """Who writes and who judges; with "auto" the writer judges where it can, in a conversation of its own."""
    if not settings.needs_engine:
        return None, None
    more = {"seed": settings.seed, **engines.options}
    writer = engine_named(settings.engine, base_url=engines.base_url, **more)
    if settings.judge == "none":
        return writer, None
    if settings.judge != "auto":
        address = engines.judge_base_url or engines.base_url
        judge = engine_named(settings.judge, base_url=address, **more)
        if "judge" not in judge.can:
            raise SettingError(
                f"The engine {judge.name} cannot judge. An engine that can was expected. Try --judge none, or served:MODEL."
            )
        return writer, judge
    return writer, writer if "judge" in writer.can else None


def _asker(
    engine: Engine | None,
    journal: Journal,
    budget: float | None,
    progress: Callable[[int, int], None] | None,
) -> Asker | None:
    return None if engine is None else Asker(engine, journal, budget=budget, progress=progress)


def _asked(
    dataset: Dataset, settings: RewriteSettings, writer: Engine | None, judge: Engine | None
) -> dict[str, Any]:
    """What makes this run another one than others: what `Run.open` takes."""
    addresses = {
        "base_url": getattr(writer, "base_url", None),
        "judge_base_url": getattr(judge, "base_url", None),
    }
    return {
        "command": "rewrite",
        "settings": {**asdict(settings), **inputs_of(dataset, {}), **addresses},
        "fingerprint": dataset.fingerprint,
    }


def _costs(journal: Journal, *engines: Engine | None) -> list[dict[str, Any]]:
    """What each engine did and cost; the cost is None where its price is not known, and not 0."""
    unpriced = {e.name for e in engines if e is not None and getattr(e, "price", FREE) is None}
    return [{**row, "cost": None} if row["engine"] in unpriced else row for row in journal.totals()]


def _finished(folder: Path, asked: dict[str, Any], budget: float | None) -> dict[str, Any] | None:
    """The rewrite.json of this very run where it is finished; None where there is something to do."""
    if Run.finished(folder, **asked) is None:
        return None
    found: dict[str, Any] = read_json(folder / REWRITE)
    return None if found.get("failed_calls") or _has_more_money(found, budget) else found


def _failed(*askers: Asker | None) -> Counter[str]:
    """The calls that failed for a passing reason, by why."""
    return sum((asker.why for asker in askers if asker is not None), Counter[str]())


def _name(engine: Engine | None) -> str:
    return "none" if engine is None else engine.name


def _close(*engines: Engine | None) -> None:
    """Let go of connections and memory; an engine that does both is let go once."""
    for engine in {id(engine): engine for engine in engines if engine is not None}.values():
        run_now(engine.close())


def _folder(dataset: Dataset, out: Path | str | None, asked: dict[str, Any]) -> tuple[Path, str]:
    """The run's folder, and what to tell where it is not the one that its name stands for."""
    if out:
        return Path(out), ""
    first = RUNS_FOLDER / f"{stem(dataset.source_name)}-rewrite"
    folder = free_folder(first, **asked)
    if folder == first:
        return folder, ""
    differs = Run(first).differences(**asked) if (first / RUN_FILE).exists() else ""
    holds = f"another run (differs in: {differs})" if differs else "files that are not a run's"
    return folder, f"{first} holds {holds}; this one goes to {folder}"


def _has_more_money(found: Mapping[str, Any], budget: float | None) -> bool:
    """Whether a run that ended for want of money can go on now."""
    was = found["budget"]
    return found["stopped"] == BUDGET_SPENT and was is not None and (budget is None or budget > was)


def _rewrite(
    run: Run, rewriting: Rewriting, summary: Summary, on_round: Callable[[Round], object]
) -> list[Example]:
    """Go through all rounds, with edits.jsonl and the summary; gives the rows that were added."""
    added: list[Example] = []
    with replacing(run.folder / EDITS) as temporary, temporary.open("w", encoding="utf-8") as file:
        for done in rewriting.run():
            summary.add(done)
            added += done.added
            _write_edits(file, done.edits)
            on_round(done)
    return added


def _write_edits(file: IO[str], edits: Iterable[Edit]) -> None:
    for edit in edits:
        file.write(json.dumps(edit.to_dict(), ensure_ascii=False) + "\n")


def _write_results(run: Run, found: dict[str, Any]) -> None:
    """What is made of rewrite.json, and itself."""
    run.write(REWRITE, found)
    run.write_with("report.html", lambda path: path.write_text(render_rewrite(found), encoding="utf-8"))
    run.write_with("card.md", lambda path: write_card(path, found))


def _write_dataset(
    run: Run, whole: Dataset, part: Dataset, rewriting: Rewriting, summary: Summary, added: list[Example]
) -> Dataset:
    """Write the dataset in the format it came in; gives its rewritten rows as they are read back."""
    rows, columns = rewriting.rows, whole.columns
    texts = {rows.ids[i]: rows.texts[i] for i in summary.changed}
    additions = [_addition(example, columns) for example in added]
    path = run.folder / f"dataset.{ending(whole.format)}"
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
