"""What runs that ask engines have in common: who is asked, where the run goes, what was paid, the dataset they write.

    engines_of(settings, engines)           the engines by name
    asker_of(engine, journal, ...)          how they are asked
    folder_for(dataset, out, asked)         the run's folder
    costs(journal, writer, judge)           what each engine did and cost
    write_dataset(folder, whole, part, ...) the dataset in the format it came in

`run_rewrite`, `run_augment` and `run_perturb` put a run together from these.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from longway.data import Dataset, load, save
from longway.data.edited import Addition, edited_tables
from longway.errors import SettingError
from longway.llm.asking import Asker
from longway.llm.engine import Engine
from longway.llm.engines import engine_named
from longway.llm.loop import run as run_now
from longway.llm.prices import FREE
from longway.llm.recorded import answers_in
from longway.on_ray.shards import make_way
from longway.recipes.about import RUNS_FOLDER, ending, inputs_of, stem
from longway.recipes.shards import write_edited_shards
from longway.records import Edit, Example
from longway.rewrite.stopping import BUDGET_SPENT
from longway.store import JOURNAL_FILE, RUN_FILE, Journal, Run, free_folder, read_json


@dataclass(frozen=True, slots=True)
class Engines:
    """Where engines are found: addresses of servers, and the most that may be spent in dollars. None of it makes a run another one.

    options: what else `llm.engines.engine_named` takes. device, batch_size: where a network computes (auto, cpu or cuda), and how
    many texts at once.
    """

    base_url: str | None = None
    judge_base_url: str | None = None
    budget: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    device: str = "auto"
    batch_size: int = 16

    def __post_init__(self) -> None:
        if self.device not in ("auto", "cpu", "cuda"):
            raise SettingError(f"'device' must be auto, cpu or cuda. Got {self.device!r}.")
        if self.batch_size < 1:
            raise SettingError(f"'batch_size' must be at least 1. Got {self.batch_size}. Try 16.")


class EngineSettings(Protocol):
    """What the settings of a run say about engines."""

    @property
    def engine(self) -> str:
        """Who writes."""
        ...

    @property
    def judge(self) -> str:
        """Who judges: an engine, "none" or "auto"."""
        ...

    @property
    def seed(self) -> int:
        """Of everything that is drawn."""
        ...

    @property
    def needs_engine(self) -> bool:
        """Whether texts are written by an engine."""
        ...


@dataclass(frozen=True, slots=True)
class Started:
    """A run that begins or goes on: its folder, the settings with engines by name, and what to tell about the folder."""

    run: Run
    settings: EngineSettings
    note: str = ""


def engines_of(
    settings: EngineSettings, engines: Engines, *, named: Callable[..., Engine] = engine_named
) -> tuple[Engine | None, Engine | None]:
    """Who writes and who judges; with "auto" the writer judges where it can, in a conversation of its own."""
    if not settings.needs_engine:
        return None, None
    more = {"seed": settings.seed, **engines.options}
    writer = named(settings.engine, base_url=engines.base_url, **more)
    if settings.judge == "none":
        return writer, None
    if settings.judge != "auto":
        return writer, judge_of(settings, engines, named=named)
    return writer, writer if "judge" in writer.can else None


def judge_of(
    settings: EngineSettings, engines: Engines, *, named: Callable[..., Engine] = engine_named
) -> Engine:
    """The judge that was named; an error where it cannot judge."""
    address = engines.judge_base_url or engines.base_url
    judge = named(settings.judge, base_url=address, **{"seed": settings.seed, **engines.options})
    if "judge" not in judge.can:
        raise SettingError(
            f"The engine {judge.name} cannot judge. An engine that can was expected. Try --judge none, or served:MODEL."
        )
    return judge


def asker_of(
    engine: Engine | None,
    journal: Journal,
    budget: float | None,
    progress: Callable[[int, int], None] | None,
) -> Asker | None:
    """How an engine is asked in a run; None where there is none."""
    return None if engine is None else Asker(engine, journal, budget=budget, progress=progress)


def name_of(engine: Engine | None) -> str:
    """What to call an engine; "none" where there is none."""
    return "none" if engine is None else engine.name


def close(*engines: Engine | None) -> None:
    """Let go of connections and memory; an engine that does both is let go once."""
    for engine in {id(engine): engine for engine in engines if engine is not None}.values():
        run_now(engine.close())


def what_is_asked(
    command: str, dataset: Dataset, settings: Any, writer: Engine | None, judge: Engine | None
) -> dict[str, Any]:
    """What makes this run another one than others: what `Run.open` takes. settings: a dataclass."""
    addresses = {
        "base_url": getattr(writer, "base_url", None),
        "judge_base_url": getattr(judge, "base_url", None),
    }
    return {
        "command": command,
        "settings": {**asdict(settings), **inputs_of(dataset, {}), **addresses},
        "fingerprint": dataset.fingerprint,
    }


def folder_for(dataset: Dataset, out: Path | str | None, asked: dict[str, Any]) -> tuple[Path, str]:
    """The run's folder, and what to tell where it is not the one that its name stands for."""
    if out:
        return Path(out), ""
    first = RUNS_FOLDER / f"{stem(dataset.source_name)}-{asked['command']}"
    folder = free_folder(first, **asked)
    if folder == first:
        return folder, ""
    differs = Run(first).differences(**asked) if (first / RUN_FILE).exists() else ""
    holds = f"another run (differs in: {differs})" if differs else "files that are not a run's"
    return folder, f"{first} holds {holds}; this one goes to {folder}"


def finished(folder: Path, name: str, asked: dict[str, Any], budget: float | None) -> dict[str, Any] | None:
    """The content of the file `name` of this very run where it is finished; None where there is something to do."""
    if Run.finished(folder, **asked) is None:
        return None
    found: dict[str, Any] = read_json(folder / name)
    return None if found.get("failed_calls") or _has_more_money(found, budget) else found


def _has_more_money(found: Mapping[str, Any], budget: float | None) -> bool:
    """Whether a run that ended for want of money can go on now."""
    was = found["budget"]
    return found["stopped"] == BUDGET_SPENT and was is not None and (budget is None or budget > was)


def costs(journal: Journal, *engines: Engine | None) -> list[dict[str, Any]]:
    """What each engine did and cost; the cost is None where its price is not known, and not 0."""
    unpriced = {e.name for e in engines if e is not None and getattr(e, "price", FREE) is None}
    return [{**row, "cost": None} if row["engine"] in unpriced else row for row in journal.totals()]


def failed_calls(*askers: Asker | None) -> Counter[str]:
    """The calls that failed for a passing reason, by why."""
    return sum((asker.why for asker in askers if asker is not None), Counter[str]())


def answers_kept(folder: Path) -> int:
    """How many answers of engines the journal of a run folder holds."""
    path = folder / JOURNAL_FILE
    if not path.exists():
        return 0
    with closing(Journal(path)) as journal:
        return answers_in(journal)


def write_edits(file: IO[str], edits: Iterable[Edit]) -> None:
    """Append edits to an open edits.jsonl."""
    for edit in edits:
        file.write(json.dumps(edit.to_dict(), ensure_ascii=False) + "\n")


def write_dataset(
    folder: Path,
    whole: Dataset,
    part: Dataset,
    texts: Mapping[str, str],
    additions: Sequence[Addition],
    *,
    contexts: Mapping[str, str] | None = None,
    on: str | None = None,
) -> Dataset:
    """Write the dataset in the format it came in; gives the rows of `part`, with the additions, as they are read back.

    texts, contexts: new ones by id. whole: all rows; part: those of the split that was worked on. on: where the run is done; Ray's workers
    write a folder of shards where they see the files, and no rows are added.
    """
    columns = whole.columns
    path = folder / f"dataset.{ending(whole.format)}"
    if on is None or additions or not write_edited_shards(path, whole, texts, contexts):
        make_way(path)
        save(edited_tables(whole, texts, additions, contexts=contexts), path)
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


def addition_of(example: Example, columns: Any, *, source: str = "") -> Addition:
    """A row to be added: a copy of the one it was made from, with other cells where they differ.

    source: the id to write in the column `longway_source`; "" where the run does not say.
    """
    cells = {columns.text: example.text, columns.label: example.label}
    if columns.context is not None and example.context is not None:
        cells[columns.context] = example.context
    return Addition(example.id, like=source or example.id.rpartition("+")[0], cells=cells, source=source)
