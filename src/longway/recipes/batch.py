"""A rewrite by the batch: requests in files now, answers in a day, and the run finds them in its journal.

    write_batch(dataset, ...)         the requests of the next step of a rewrite that the journal has no answer for
    submit_batches(folder)            hands the files to a server that takes them
    collect_batches(folder, files)    answers into the journal, and a file with what has to be asked again

A rewrite is computed again from its beginning, with what the journal has, up to the first step whose answers are missing: the
texts of a round, or the judgements of its candidates. All questions of that step are written down together. When nothing is missing,
`run_rewrite` on the same run asks nothing and finishes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.errors import BudgetSpent, DataError, RunError, SettingError
from longway.llm.asking import Asker
from longway.llm.batch import FOLDER, STATE, BatchFolder, RequestFile, RequestWriter
from longway.llm.batch_answers import Collected, Collecting, Waiting, answer_files
from longway.llm.batch_asking import BatchAsker, Outstanding
from longway.llm.batch_server import BatchForgotten, BatchServer, Progress
from longway.llm.engine import Engine, Written
from longway.llm.engines import engine_named
from longway.llm.served import ServedEngine
from longway.recipes.about import RUNS_FOLDER
from longway.recipes.engine_runs import (
    Engines,
    asker_of,
    close,
    engines_of,
    finished,
    folder_for,
    name_of,
    what_is_asked,
)
from longway.recipes.held_out import arrange
from longway.recipes.rewrite import RewriteSettings, Rewriting
from longway.recipes.run_rewrite import REWRITE
from longway.rewrite.method import Asked
from longway.rewrite.stopping import BUDGET_SPENT
from longway.store import JOURNAL_FILE, Journal, Run, holding


@dataclass(frozen=True, slots=True)
class Step:
    """What `write_batch` came to.

    folder: of the run. files: those that were written now. round: the one that the requests are about, 0 before the first.
    waiting: questions of the step without an answer, those in earlier files included; left_out: those of them that were asked
    often enough by the batch. is_needless: not one question had to be asked, now or before. is_spent: the budget held no more.
    is_finished: the run is, there is nothing to do. note: what to tell about the folder.
    """

    folder: Path
    files: tuple[RequestFile, ...] = ()
    round: int = 0
    waiting: int = 0
    left_out: int = 0
    is_needless: bool = False
    is_spent: bool = False
    is_finished: bool = False
    note: str = ""

    @property
    def is_answered(self) -> bool:
        """Whether the journal has everything: the rewrite can be finished without asking."""
        return self.waiting == 0 and not self.is_spent


@dataclass(slots=True)
class Answered:
    """What `collect_batches` came to. again: files with what has to be asked again; waiting: what else has no answer.

    under_way: batches that are not done. in_doubt: files of which nobody knows whether their batch was begun. forgotten: files whose
    batch the server does not know any more, and what it says; they count as under way until the user asks again for what is missing.
    """

    folder: Path
    collected: Collected
    again: list[RequestFile] = field(default_factory=list)
    waiting: Waiting = field(default_factory=Waiting)
    under_way: int = 0
    in_doubt: list[str] = field(default_factory=list)
    forgotten: dict[str, str] = field(default_factory=dict)


class _StepEnds(Exception):  # noqa: N818 - says what happened
    """All questions of a step were put down."""


class _WholeRound:
    """A writer that goes on to the last row of a round before it says that answers are missing."""

    def __init__(self, write: Any, asker: BatchAsker) -> None:
        self.write, self.asker, self.name = write, asker, write.name
        self.is_spent = False

    def __call__(self, asked: Sequence[Asked]) -> Iterator[Written]:
        """What the journal has, where it has all of it."""
        try:
            found = list(self.write(asked))
        except BudgetSpent:
            self.is_spent = True
            raise _StepEnds from None
        if self.asker.waiting:
            raise _StepEnds
        return iter(found)


def write_batch(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: RewriteSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
    step: Callable[[str], object] = lambda name: None,
) -> Step:
    """Write the requests of the next step of a rewrite. All is as in `run_rewrite`, which finds the answers later."""
    settings, engines = settings or RewriteSettings(), engines or Engines()
    arranged = arrange(dataset, split)
    # One request and its repair are what a question can cost; tries are the provider's.
    once = replace(engines, options={**engines.options, "retries": 0})
    writer, judge = engines_of(settings, once, named=engine_named)
    settings = replace(settings, engine=name_of(writer), judge=name_of(judge))
    try:
        served = _served(writer)
        _check_judge(judge)
        asked = what_is_asked("rewrite", arranged.dataset, settings, writer, judge)
        if settings.decisions is not None:
            asked["settings"]["decisions"] = settings.decisions.told()
        folder, note = folder_for(dataset, out, asked)
        if finished(folder, REWRITE, asked, engines.budget) is not None:
            return Step(folder, is_finished=True, note=note)
        with holding(folder):
            Run.open(folder, **asked)
            with closing(Journal(folder / JOURNAL_FILE)) as journal:
                batch = BatchFolder(folder)
                with RequestWriter(batch) as files:
                    outstanding = Outstanding(batch, journal)

                    def asker(engine: ServedEngine) -> BatchAsker:
                        return BatchAsker(
                            engine, journal, batch, files, outstanding=outstanding, budget=engines.budget
                        )

                    writing = asker(served)
                    judging: Asker | None = (
                        asker(judge)
                        if isinstance(judge, ServedEngine)
                        else asker_of(judge, journal, engines.budget, None)
                    )
                    step("reading")
                    rewriting = Rewriting(arranged.dataset, settings, writer=writing, judge=judging)
                    step("looking for what has no answer yet")
                    number, is_spent = _to_the_first_gap(rewriting, writing, judging)
                askers = [one for one in (writing, judging) if isinstance(one, BatchAsker)]
                waiting = sum(one.waiting for one in askers)
                return Step(
                    folder,
                    files=tuple(files.written),
                    round=number,
                    waiting=waiting,
                    is_needless=not (waiting or batch.files or is_spent),
                    left_out=sum(one.left_out for one in askers),
                    is_spent=is_spent,
                    note=note,
                )
    finally:
        close(writer, judge)


def _to_the_first_gap(rewriting: Rewriting, writing: BatchAsker, judging: Asker | None) -> tuple[int, bool]:
    """Go through the rounds up to the first that lacks answers; its number, and whether the budget ended."""
    whole = _WholeRound(rewriting.writer, writing)
    rewriting.writer = whole  # type: ignore[assignment]
    number = 0
    try:
        for done in rewriting.run():
            number = done.number
            if getattr(judging, "waiting", 0) or done.stopped == BUDGET_SPENT:
                return number, done.stopped == BUDGET_SPENT
    except _StepEnds:
        return number + 1, whole.is_spent
    return number, False


def _served(engine: Engine | None) -> ServedEngine:
    if isinstance(engine, ServedEngine):
        return engine
    raise SettingError(
        f"Batches are for a served model. Got the engine {name_of(engine)!r}. Try --engine served:MODEL, or `longway rewrite`."
    )


def _asks_a_server(engine: Engine | None) -> bool:
    return isinstance(engine, ServedEngine) or any(map(_asks_a_server, getattr(engine, "engines", ())))


def _check_judge(judge: Engine | None) -> None:
    """SettingError where a judge would be asked now and paid for."""
    if _asks_a_server(judge) and not isinstance(judge, ServedEngine):
        raise SettingError(
            f"A judge of several engines cannot wait for a batch. Got {name_of(judge)!r}, of which a served model would be asked now. "
            "Try --judge served:MODEL, local or none, or `longway rewrite`."
        )


def run_with_batches(folder: Path | str | None = None) -> Path:
    """The run folder that was named, or the only one in longway-runs that has batch files."""
    if folder is not None:
        if not (Path(folder) / FOLDER / STATE).exists():
            raise RunError(
                f"{folder} has no batch files. Expected a run for which `longway batch write` was used. Check --run."
            )
        return Path(folder)
    found = sorted(path.parents[1] for path in RUNS_FOLDER.glob(f"*/{FOLDER}/{STATE}"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise RunError(
            f"No run in {RUNS_FOLDER} has batch files. Expected one for which `longway batch write` was used. "
            "Name its folder with --run."
        )
    raise RunError(
        f"Several runs have batch files: {', '.join(map(str, found))}. One was expected. Name it with --run."
    )


def submit_batches(
    folder: Path, *, api_key: str | None = None, on_file: Callable[[RequestFile], object] = lambda file: None
) -> list[RequestFile]:
    """Hand the request files that no server has yet to theirs; gives those. What has an answer meanwhile is left out."""
    with holding(folder):
        batch = BatchFolder(folder)
        with closing(Journal(folder / JOURNAL_FILE)) as journal:
            answered = set(journal.get_all({request.key for request in batch.requests()}))
        submitted = []
        for file in batch.files:
            if file.is_submitted or file.is_heard:
                continue
            if {request.key for request in batch.requests([file])} <= answered:
                continue
            with batch.without(file, answered) as path:
                BatchServer(file.base_url, api_key=api_key).submit(path, file, batch.save)
            submitted.append(file)
            on_file(file)
    return submitted


def collect_batches(
    folder: Path,
    files: Sequence[Path] = (),
    *,
    again_missing: bool = False,
    api_key: str | None = None,
    step: Callable[[str], object] = lambda name: None,
) -> Answered:
    """Put answers into the journal of a run. files: answer files; where none is named, the batches that were submitted are looked at.

    again_missing: ask again for questions that no file spoke of, too, and for those of batches that their server has forgotten; for
    when no batch is under way any more.
    """
    with holding(folder):
        batch = BatchFolder(folder)
        with closing(Journal(folder / JOURNAL_FILE)) as journal:
            collecting = Collecting(batch, journal)
            looked_at: dict[str, Progress] = {}
            forgotten: dict[str, str] = {}
            if files:
                paths = list(answer_files(list(files)))
                for path in paths:
                    step(f"reading {path.name}")
                    collecting.read(path)
                if not collecting.has_heard and (collecting.collected.counts or not paths):
                    raise DataError(
                        f"Nothing in {', '.join(map(str, files))} speaks of a request of {folder}: {collecting.collected.told()}. Expected "
                        "output or error files of its batches (JSON lines). Check the names, or name another run with --run."
                    )
            else:
                looked_at, forgotten = _fetch(batch, collecting, api_key, step)
            if again_missing:
                ended = [name for name, seen in looked_at.items() if not seen.is_under_way]
                batch.check_none_under_way(ended=[*ended, *forgotten])
                for file in batch.files:
                    file.is_heard = file.is_heard or file.name in forgotten
                collecting.repeat_missing()
            waiting, again = collecting.waiting(), collecting.finish()
            for file in batch.files:  # only now: what is asked again is on disk
                if (seen := looked_at.get(file.name)) is not None:
                    file.status, file.is_collected = seen.status, not seen.is_under_way
                elif again_missing and file.name in forgotten:
                    file.is_collected = True
            batch.save()
    return Answered(
        folder,
        collecting.collected,
        again,
        waiting,
        under_way=sum(file.is_under_way for file in batch.files),
        in_doubt=[file.name for file in batch.files if file.is_in_doubt],
        forgotten={} if again_missing else forgotten,
    )


def _fetch(
    batch: BatchFolder, collecting: Collecting, api_key: str | None, step: Callable[[str], object]
) -> tuple[dict[str, Progress], dict[str, str]]:
    """Fetch what submitted batches have answered; by file, how far each is that was not collected before, and those forgotten."""
    submitted = [file for file in batch.files if file.is_submitted]
    if not submitted:
        raise RunError(
            f"No batch of {batch.folder.parent} was submitted. Answer files were expected. "
            "Name them: longway batch collect FILES, or submit first: longway batch submit."
        )
    looked_at: dict[str, Progress] = {}
    forgotten: dict[str, str] = {}
    for file in submitted:
        if file.is_collected:
            continue
        step(f"looking at {file.name}")
        server = BatchServer(file.base_url, api_key=api_key)
        try:
            progress = server.look(file)
            for name in () if progress.is_under_way else progress.outputs:
                with server.fetched(name, batch.folder) as path:
                    collecting.read(path)
        except BatchForgotten as error:
            forgotten[file.name] = str(error)
            continue
        looked_at[file.name] = progress
        if progress.is_under_way:
            continue
        if progress.status != "completed":
            collecting.fail(file, progress.why or f"the batch is {progress.status}")
        file.is_heard = True
    return looked_at, forgotten
