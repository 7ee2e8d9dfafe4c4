"""The life of a run: its folder, lock and journal, resuming, progress, and the files that it leaves.

    identity = RunIdentity.of("rewrite", dataset, settings)
    planned = PlannedRun.choose(identity, dataset.source_name, out)
    return planned.read(RewriteResult) or planned.make(work, watcher)       a run that is done is read, not repeated

    def work(run):                                          in a locked folder; a run with the same identity is resumed
        asker = Asker(engine, run.journal)                  every answer is on disk before it is used
        with run.edit_log() as log:
            log.write(edits)                                edits.jsonl
        after = run.write_dataset(whole, part, log.changes) dataset.<ext>
        return RewriteResult(...)                           rewrite.json, report.html, card.md

A resumed run computes everything again, but finds the answers of engines in its journal: nothing is paid twice, and the result is
that of an undisturbed run. Files are replaced as a whole. run.json is written last and says "done"; a run that raises
stays "running" and is resumed by the same command. A job without engines never opens the journal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, Literal, TypeVar

from longway.data import Dataset, load, save
from longway.data.edited import Changes, apply_edits, rows_with
from longway.data.summary import DatasetSummary
from longway.jobs.about import RUNS_FOLDER, ending, inputs_of, stem
from longway.jobs.formulas import formulas_in
from longway.jobs.placement import shards_on
from longway.jobs.results import EDITS_FILE, Result
from longway.records import BUDGET_SPENT, Edit
from longway.report import html, markdown
from longway.shard_map import ShardMap
from longway.store import (
    DROPPED,
    JOURNAL_FILE,
    RUN_FILE,
    Journal,
    Run,
    free_folder,
    holding,
    read_json,
    replacing,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from longway.jobs.estimate import RunEstimate
    from longway.methods.method import Round
    from longway.report.sections import Page

R = TypeVar("R", bound=Result)


@dataclass(frozen=True, slots=True)
class Started:
    """A run that begins or is resumed. note: why the folder is not the default one. engine, judge: their names, "" if none is used."""

    folder: Path
    note: str = ""
    engine: str = ""
    judge: str = ""


class Watcher:
    """Follows a run. All methods do nothing here; override those of interest."""

    def start(self, started: Started) -> None:
        """The run folder is locked and work begins; not called for a finished run."""

    def estimate(self, estimate: RunEstimate) -> None:
        """Engines that cost money are about to be used. May raise to stop the run."""

    def page(self, page: Page) -> None:
        """Something to read before work begins, such as a plan."""

    def step(self, name: str) -> None:
        """A step begins."""

    def progress(self, done: int, total: int) -> None:
        """So many parts of the current step are done. May be called from another thread."""

    def work(self, words: str, share: float, left: float | None) -> None:
        """What is being done, the share of the work that is done, and the seconds that are left, all checks included.

        May be called from another thread. left: None if it is not known yet.
        """

    def say(self, sentence: str) -> None:
        """Something to know, before a long step or while a server is silent. May be called from another thread."""

    def round(self, done: Round) -> None:
        """A round of the method is complete."""


class Within(Watcher):
    """Follows a run that is a part of another one, under the name of the part."""

    def __init__(self, outer: Watcher, name: str) -> None:
        self._outer, self._name = outer, name

    def step(self, name: str) -> None:
        """A step of the part."""
        self._outer.step(f"{self._name}: {name}")

    def progress(self, done: int, total: int) -> None:
        """As the part reports it."""
        self._outer.progress(done, total)


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What makes a run the same run: command, settings, and a fingerprint of the data."""

    command: str
    settings: Mapping[str, object]
    fingerprint: str

    @classmethod
    def of(
        cls,
        command: str,
        dataset: Dataset,
        settings: DataclassInstance,
        *,
        held_out: Mapping[str, Dataset] | None = None,
        more: Mapping[str, object] | None = None,
    ) -> RunIdentity:
        """The identity of a run on this dataset. more: entries that are added to the settings, or replace theirs."""
        entries = {**asdict(settings), **inputs_of(dataset, held_out or {}), **(more or {})}
        # As run.json has them, so that a result is the same when it is read.
        return cls(command, json.loads(json.dumps(entries)), dataset.fingerprint)

    @property
    def keywords(self) -> dict[str, Any]:
        """The identity as keywords of `store.Run`."""
        return {
            "command": self.command,
            "settings": dict(self.settings),
            "fingerprint": self.fingerprint,
        }


@contextmanager
def folder_of(out: Path | str | Literal[True] | None) -> Iterator[Path | None]:
    """The folder that a job writes to: `out`; None, for a default folder, if `out` is True; else a temporary folder."""
    if out:
        yield None if out is True else Path(out)
        return
    with TemporaryDirectory(prefix="longway-") as folder:
        yield Path(folder)


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run whose folder is chosen; nothing is written yet."""

    identity: RunIdentity
    folder: Path
    note: str = ""

    @classmethod
    def choose(cls, identity: RunIdentity, name: str, out: Path | str | None) -> PlannedRun:
        """The run in the folder `out`. By default in longway-runs, named after the data, with a number if that is another run."""
        if out:
            return cls(identity, Path(out))
        first = RUNS_FOLDER / f"{stem(name)}-{identity.command}"
        folder = free_folder(first, **identity.keywords)
        if folder == first:
            return cls(identity, folder)
        differs = Run(first).differences(**identity.keywords) if (first / RUN_FILE).exists() else ""
        holds = f"another run (differs in: {differs})" if differs else "files that are not from a run"
        return cls(identity, folder, f"{first} holds {holds}; this run goes to {folder}")

    def finished(self, file: str, *, budget: float | None = None) -> Mapping[str, Any] | None:
        """The content of a result file if this run is done; None if there is something left to do.

        There is if calls to engines failed, or if the run stopped for want of money and may spend more now.
        """
        if Run.finished(self.folder, **self.identity.keywords) is None:
            return None
        content: Mapping[str, Any] = read_json(self.folder / file)
        was = content.get("budget") if content.get("stopped") == BUDGET_SPENT else None
        has_more_money = was is not None and (budget is None or budget > was)
        return None if content.get("failed_calls") or has_more_money else content

    def read(self, kind: type[R], *, budget: float | None = None, parts: Iterable[str] = ()) -> R | None:
        """The result of the run if it is done, see `finished`. parts: folders of runs inside this one, which must be done, too."""
        content = self.finished(kind.file, budget=budget)
        if content is None or not all(Run(self.folder / part).is_done for part in parts):
            return None
        return kind.from_dict(content, self.folder)

    def make(self, work: Callable[[ActiveRun], R], watcher: Watcher, on: str | None = None) -> R:
        """Make the result and write it with its report. on: where shards are computed, see `placement.py`."""
        with self.start(watcher, on) as run:
            result = work(run)
            watcher.step("writing the report")
            run.finish(result)
        return result.in_folder(self.folder)

    @contextmanager
    def start(self, watcher: Watcher, on: str | None = None) -> Iterator[ActiveRun]:
        """Lock the folder, and begin or resume the run; RunError if the folder holds another run or is in use."""
        with shards_on(on) as shard_map, holding(self.folder), ExitStack() as stack:
            run = Run.open(self.folder, **self.identity.keywords)
            if run.is_done:
                run.reopen()
            settings = self.identity.settings
            engine, judge = (str(settings.get(name) or "") for name in ("engine", "judge"))
            watcher.start(Started(self.folder, self.note, engine, judge))
            yield ActiveRun(run, self.identity, watcher, stack, shard_map)


class ActiveRun:
    """A run in progress; this process holds its folder. shard_map: computes shards in other processes; None here."""

    def __init__(
        self,
        run: Run,
        identity: RunIdentity,
        watcher: Watcher,
        stack: ExitStack,
        shard_map: ShardMap | None = None,
    ) -> None:
        self.run, self.identity, self.watcher, self.folder = run, identity, watcher, run.folder
        self.shard_map = shard_map
        self._stack = stack

    @cached_property
    def journal(self) -> Journal:
        """The answers of engines and networks; opened when first used, closed with the run."""
        journal = Journal(self.folder / JOURNAL_FILE, shard_map=self.shard_map)
        return self._stack.enter_context(closing(journal))

    @contextmanager
    def edit_log(self) -> Iterator[EditLog]:
        """The log for edits.jsonl; the file takes its place when the block ends without an error."""
        with replacing(self.folder / EDITS_FILE) as temporary, temporary.open("w", encoding="utf-8") as file:
            yield EditLog(file)

    def summary(self, dataset: Dataset) -> DatasetSummary:
        """The dataset in short, with the formulas among the edits."""
        return replace(DatasetSummary.of(dataset), formulas=formulas_in(self.folder))

    def write_dataset(
        self,
        whole: Dataset,
        part: Dataset,
        changes: Changes,
        *,
        with_sources: bool = True,
    ) -> Dataset:
        """Write the dataset with its changes in the format it came in; returns the rows of `part`, with added rows, as read back.

        whole: all rows; part: those of the split that was worked on. with_sources: as in `apply_edits`.
        """
        path = self.folder / f"dataset.{ending(whole.format)}"
        save(apply_edits(whole, changes, with_sources=with_sources), path)
        self._write_dropped(whole, changes.dropped)
        columns = whole.columns
        after = load(
            path,
            text=columns.text,
            context=columns.context or "",
            label=columns.label,
            id=columns.id,
            split=columns.split,
            stream=whole.streamed,
            encoding=whole.encoding,
        )
        return after if part.split is None else after.select_split(part.split)

    def _write_dropped(self, whole: Dataset, ids: Set[str]) -> None:
        """Keep the rows that are left out, so that a review can restore them; dropped.<ext>."""
        path = self.folder / f"{DROPPED}.{ending(whole.format)}"
        path.unlink(missing_ok=True)
        if ids:
            save(rows_with(whole, ids), path)

    def finish(self, result: Result) -> None:
        """Write the result, report.html and, if it has one, card.md; then run.json, which says that the run is done."""
        page = result.page()
        self.run.write(result.file, result.to_dict())
        texts = {"report.html": html.render(page)}
        if result.has_card:
            texts["card.md"] = markdown.render(page)
        for name, text in texts.items():
            with replacing(self.folder / name) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="\n")
        self._stack.close()  # the journal
        self.run.finish()


class EditLog:
    """Writes edits to a file and collects what the accepted ones change."""

    def __init__(self, file: IO[str]) -> None:
        self.changes = Changes()
        self._file = file

    def write(self, edits: Iterable[Edit]) -> None:
        """Append edits."""
        for edit in edits:
            self._file.write(json.dumps(edit.to_dict(), ensure_ascii=False) + "\n")
            self.changes.add(edit)
