"""The life of a run: its folder, lock and journal, resuming, progress, and the files that it leaves.

    identity = RunIdentity.of("rewrite", dataset, settings)
    return run_job(RewriteResult, identity, work, out, watcher)     a run that is done is read, not repeated

    def work(run):                                          in a locked folder; a run with the same identity is resumed
        asker = Asker(engine, run.journal)                  every answer is on disk before it is used
        with run.edit_log() as log:
            log.write(edits)                                edits.jsonl
        after = run.write_dataset(whole, part, log.changes) dataset.<ext>
        return RewriteResult(...)                           rewrite.json, report.html, card.md

Without a folder (`out=None`) the same work is done in memory: nothing is written, and `run.kept` is None.

A resumed run computes everything again, but finds the answers of engines in its journal: nothing is paid twice, and the result is
that of an undisturbed run. Files are replaced as a whole. run.json is written last and says "done"; a run that raises
stays "running" and is resumed by the same command. A job without engines never opens the journal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, Literal, TypeVar

import polars as pl

from longway.data import Dataset, load, save
from longway.data.edited import Changes, apply_edits, rows_with
from longway.data.encoding import EncodingError
from longway.data.formats import TABLES, DataFile, data_file, is_known, read
from longway.data.problems import ProblemLog
from longway.data.summary import DatasetSummary
from longway.jobs.results import EDITS_FILE, Result
from longway.language_names import ENGLISH, codes_of
from longway.languages.dataset import languages_in
from longway.languages.lemmas import LANGUAGES as WITH_LEMMAS
from longway.languages.lemmas import PACKAGE as SIMPLEMMA
from longway.languages.words import EXTRAS
from longway.models.multilingual import LANGUAGES, MODULE
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

# What a spreadsheet may take for the start of a formula; spaces before it do not stop it, and a number is none.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_STARTS = r"^ *[=+\-@\t\r\n＝＋－＠]"
_NUMBER = r"^ *[+-]?(\d+([.,]\d+)*|\.\d+)([eE][+-]?\d+)?%? *$"


def formulas_in(folder: Path) -> int:
    """The number of such cells in the dataset of a run folder."""
    return sum(formula_cells(path) for path in _files(folder))


def formula_cells(path: Path) -> int:
    """The cells of a file, column names included, that a spreadsheet would run; 0 where it is no CSV or TSV file."""
    file = data_file(path)
    if file.kind not in TABLES:
        return 0
    try:
        return _formula_cells(file)
    except EncodingError:  # any encoding will do that has the characters of formulas and decodes all bytes
        return _formula_cells(replace(file, encoding="latin-1"))


def _formula_cells(file: DataFile) -> int:
    names: list[str] = []
    n = 0
    for table in read(file, None, ProblemLog()):
        names = names or table.frame.columns
        n += _count(table.frame)
    return n + _count(pl.DataFrame({"name": names}, schema={"name": pl.String}))


def _count(frame: pl.DataFrame) -> int:
    texts = [pl.col(name) for name, kind in frame.schema.items() if kind == pl.String]
    if not texts or frame.is_empty():
        return 0
    is_formula = [text.str.contains(_STARTS) & ~text.str.contains(_NUMBER) for text in texts]
    return int(frame.select(pl.sum_horizontal(one.sum() for one in is_formula)).item() or 0)


def _files(folder: Path) -> Iterable[Path]:
    """The files of the dataset: one, or the shards of a folder."""
    for path in sorted(folder.glob("dataset.*")):
        yield from (
            one
            for one in (sorted(path.iterdir()) if path.is_dir() else [path])
            if one.is_file() and is_known(one)
        )


R = TypeVar("R", bound=Result)
RUNS_FOLDER = Path("longway-runs")


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
    """What makes a run the same run: command, settings, and a fingerprint of the data. name: of the data, for the default folder."""

    command: str
    settings: Mapping[str, object]
    fingerprint: str
    name: str = ""

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
        return cls(command, json.loads(json.dumps(entries)), dataset.fingerprint, dataset.source_name)

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


def check_place(on: str | None) -> None:
    """Raises if a job cannot run at this place: None, "ray" or "ray://host:port"."""
    if on is not None:
        import_module("longway.on_ray").check_place(on)


@contextmanager
def shards_on(on: str | None) -> Iterator[ShardMap | None]:
    """What computes shards at this place; None for this process."""
    if on is None:
        yield None
        return
    with import_module("longway.on_ray").shards_on_ray(on) as shard_map:
        yield shard_map


def run_job(
    kind: type[R],
    identity: RunIdentity,
    work: Callable[[ActiveRun], R],
    out: Path | str | Literal[True] | None,
    watcher: Watcher,
    *,
    on: str | None = None,
    budget: float | None = None,
    parts: Iterable[str] = (),
    check: Callable[[], object] | None = None,
) -> R:
    """The result of a job: made in memory, or with its report in a run folder; that of a run that is done is read.

    out: the run folder; True chooses one in longway-runs, named after the data, with a number if that is another run. on: see `shards_on`.
    budget: in dollars, see `_is_complete`. parts: folders of runs inside this one, which must be done, too. check: raises an error for what
    cannot work, before anything is written.
    """
    if out is None:
        if check is not None:
            check()
        with shards_on(on) as shard_map, ExitStack() as stack:
            return work(ActiveRun(None, identity, watcher, stack, shard_map))
    folder, note = (Path(out), "") if out is not True else _default_folder(identity)
    if Run.finished(folder, **identity.keywords) is not None:
        content = read_json(folder / kind.file)
        if _is_complete(content, budget) and all(Run(folder / part).is_done for part in parts):
            return kind.from_dict(content, folder)
    if check is not None:
        check()
    with active_run(identity, folder, watcher, note=note, on=on) as run:
        result = work(run)
        watcher.step("writing the report")
        run.finish(result)
    return result.in_folder(folder)


def _default_folder(identity: RunIdentity) -> tuple[Path, str]:
    """The folder of a run, and why it is not the first choice."""
    first = RUNS_FOLDER / f"{stem(identity.name)}-{identity.command}"
    folder = free_folder(first, **identity.keywords)
    if folder == first:
        return folder, ""
    differs = Run(first).differences(**identity.keywords) if (first / RUN_FILE).exists() else ""
    holds = f"another run (differs in: {differs})" if differs else "files that are not from a run"
    return folder, f"{first} holds {holds}; this run goes to {folder}"


def _is_complete(content: Mapping[str, Any], budget: float | None) -> bool:
    """Whether a run that is done has nothing left to do: no call failed, and it did not stop for want of money that it now has."""
    was = content.get("budget") if content.get("stopped") == BUDGET_SPENT else None
    has_more_money = was is not None and (budget is None or budget > was)
    return not content.get("failed_calls") and not has_more_money


@contextmanager
def active_run(
    identity: RunIdentity, folder: Path, watcher: Watcher, *, note: str = "", on: str | None = None
) -> Iterator[ActiveRun]:
    """Lock the folder, and begin or resume the run; RunError if the folder holds another run or is in use."""
    with shards_on(on) as shard_map, holding(folder), ExitStack() as stack:
        run = Run.open(folder, **identity.keywords)
        if run.is_done:
            run.reopen()
        engine, judge = (str(identity.settings.get(name) or "") for name in ("engine", "judge"))
        watcher.start(Started(folder, note, engine, judge))
        yield ActiveRun(run, identity, watcher, stack, shard_map)


class ActiveRun:
    """A run in progress, whose folder this process holds; in memory, the run is None. shard_map: computes shards in other processes; None here."""

    def __init__(
        self,
        run: Run | None,
        identity: RunIdentity,
        watcher: Watcher,
        stack: ExitStack,
        shard_map: ShardMap | None = None,
    ) -> None:
        self.identity, self.watcher, self.shard_map = identity, watcher, shard_map
        self.kept = None if run is None else run.folder
        self._run, self._stack = run, stack

    @property
    def folder(self) -> Path:
        """The run folder, of a job that has one."""
        assert self.kept is not None
        return self.kept

    @cached_property
    def journal(self) -> Journal:
        """The answers of engines and networks; opened when first used, closed with the run."""
        file = None if self.kept is None else self.kept / JOURNAL_FILE
        return self._stack.enter_context(closing(Journal(file, shard_map=self.shard_map)))

    def write(self, name: str, content: object) -> None:
        """Write a JSON file into the run folder, if there is one."""
        if self._run is not None:
            self._run.write(name, content)

    def write_with(self, name: str, write: Callable[[Path], object]) -> None:
        """Have a function write a file of the run folder, if there is one."""
        if self._run is not None:
            self._run.write_with(name, write)

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
        self.write(result.file, result.to_dict())
        texts = {"report.html": html.render(page)}
        if result.has_card:
            texts["card.md"] = markdown.render(page)
        for name, text in texts.items():
            with replacing(self.folder / name) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="\n")
        self._stack.close()  # the journal
        assert self._run is not None
        self._run.finish()


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


def inputs_of(dataset: Dataset, held_out: Mapping[str, Dataset]) -> dict[str, Any]:
    """What a run's settings say about the data it was given."""
    columns, languages = dataset.columns, tuple(languages_in(dataset))
    return {
        "data": dataset.source_name,
        "split": dataset.split,
        "id": columns.id,
        "text": columns.text,
        "context": columns.context,
        "label": columns.label,
        **({"tag": columns.tag} if columns.tag is not None else {}),
        "held_out": {name: data.fingerprint for name, data in held_out.items()},
        **({"encoding": dataset.encoding} if dataset.encoding else {}),
        **({"language": list(codes_of(columns.language))} if columns.language else {}),
        **({"languages": list(languages)} if languages != (ENGLISH,) else {}),
        **({"packages": found} if (found := _packages(languages)) else {}),
    }


def _packages(languages: Sequence[str]) -> list[str]:
    """The optional packages for these languages that are installed: with others, a run finds other words and concepts."""
    needed = [package for language in languages for package in EXTRAS.get(language, ())]
    others = [MODULE] if set(languages) & LANGUAGES - {ENGLISH} else []
    others += [SIMPLEMMA] if set(languages) & WITH_LEMMAS else []
    return [package for package in (*needed, *others) if find_spec(package) is not None]


def stem(name: str) -> str:
    """A folder name from a file name: no endings, nothing a shell or a file system dislikes.

    >>> stem("data/my reviews.csv.gz")
    'my-reviews'
    """
    first = name.split("/")[-1].split(".")[0]
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in first) or "data"


def ending(format: str) -> str:
    """The ending of a file to write for a dataset that came in this format: its own, Parquet for what was no file.

    >>> ending("jsonl.gz"), ending("frame")
    ('jsonl.gz', 'parquet')
    """
    known = {"csv", "tsv", "jsonl", "json", "parquet", "arrow", "xlsx"}
    return format if format.partition(".")[0] in known else "parquet"
