"""A rewrite by batch files: requests now, answers within a day, and the run finds them in its journal.

    write_batch(dataset, ...)         writes the requests of the next step of a rewrite that the journal cannot answer
    submit_batches(folder)            sends the files to a server that supports batches
    collect_batches(folder, files)    stores answers in the journal, and writes files with the requests to repeat

A rewrite is computed again from its beginning, with the answers in the journal, up to the first step with missing answers: the texts of
a round, or the judgements of its candidates. All requests of that step are written together. If nothing is missing,
`rewrite` finishes the same run without calling an engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from longway.batch.answer_files import AnswerCollector, Collected, Unanswered, answer_files
from longway.batch.provider import BatchForgotten, BatchProgress, BatchProvider
from longway.batch.request_files import (
    FOLDER,
    STATE,
    BatchFolder,
    BatchRequest,
    RequestFile,
    RequestWriter,
)
from longway.data import Dataset
from longway.engines.asker import Asker, EngineCall
from longway.engines.engine import Engine, Written
from longway.engines.recording import StoredAnswer
from longway.engines.served import ServedEngine, is_gguf
from longway.engines.transport import ServerFeatures, size_of
from longway.errors import BudgetSpent, DataError, RunError, SettingError
from longway.jobs.about import RUNS_FOLDER
from longway.jobs.engine_use import Engines, asker_of, name_of
from longway.jobs.language import with_own_rules
from longway.jobs.rewrite.job import prepared
from longway.jobs.rewrite.result import FILE
from longway.jobs.rewrite.rewriting import Rewriting
from longway.jobs.rewrite.settings import RewriteSettings
from longway.jobs.run import Watcher
from longway.methods.method import BUDGET_SPENT, RewriteRequest
from longway.store import JOURNAL_FILE, Journal, Run, holding

WAITING = "it waits for its batch"


class BatchCosts:
    """The requests of a folder without an answer, by call, and what they can cost.

    spent: dollars that were spent, or may be spent by requests without an answer.
    """

    def __init__(self, batch: BatchFolder, journal: Journal) -> None:
        last = {request.key: request for request in batch.requests()}
        answered = set(journal.get_all(last))
        self.last = {key: request for key, request in last.items() if key not in answered}
        self.spent = journal.spent() + sum(request.most for request in self.last.values())

    def add(self, request: BatchRequest) -> None:
        """Add a new request; the cost of a call is reserved once, for all its requests."""
        if request.key not in self.last:
            self.spent += request.most
        self.last[request.key] = request


class BatchAsker(Asker):
    """An asker that makes no calls: what the journal cannot answer becomes a request in a batch file.

    The keys are those of `Asker`, and the bodies those of `ServedEngine`, so that the run finds the collected answers. A call that
    already has a request is not written again.

    waiting: calls without an answer so far. written: those written now; left_out: those that were repeated too often.
    """

    def __init__(
        self,
        engine: ServedEngine,
        journal: Journal,
        batch: BatchFolder,
        writer: RequestWriter,
        *,
        costs: BatchCosts,
        budget: float | None = None,
    ) -> None:
        super().__init__(engine, journal, budget=budget)
        self.served, self.batch, self.writer, self.costs = engine, batch, writer, costs
        self.waiting = self.written = self.left_out = 0

    async def _ask(self, calls: Iterator[EngineCall], take: Callable[[str, StoredAnswer], None]) -> None:
        for call in calls:
            self._write_request(call)
            self.waiting += 1
            take(call.key, call.failed(WAITING))

    def _write_request(self, call: EngineCall) -> None:
        """Write the request, unless there is one that the server may still answer."""
        before = self.costs.last.get(call.key)
        if before is not None and before.custom_id not in self.batch.rejected:
            self.left_out += before.custom_id in self.batch.left_out
            return
        engine = self.served
        if before is None:
            self._check_budget(call.max_cost)
            features = self.batch.features_of(engine.name, engine.base_url, call.kind) or ServerFeatures()
        else:
            features = self.batch.rejected[before.custom_id]
        chat = call.request()
        assert chat is not None  # a served engine sends requests
        body = chat.body(engine.model, features)
        request = BatchRequest(
            key=call.key,
            kind=call.kind,
            engine=engine.name,
            base_url=engine.base_url,
            body=body,
            asked=call.asked,
            reads=chat.reads,
            features=features,
            number=1 if before is None else before.number + 1,
            most=call.max_cost,
            sent=size_of(body["messages"]),
            used=(0, 0, 0.0) if before is None else before.used,
        )
        self.writer.add(request)
        self.costs.add(request)
        self.written += 1

    def _check_budget(self, most: float) -> None:
        spent = self.costs.spent
        if self.budget is not None and spent + most > self.budget:
            raise BudgetSpent(
                f"The budget of ${self.budget:.4g} does not allow another request: ${spent:.4f} is spent or may be spent by requests "
                f"already written, and the next can cost up to ${most:.4f}. Collect first, or give a larger --budget."
            )


@dataclass(frozen=True, slots=True)
class BatchStep:
    """The result of `write_batch`.

    folder: of the run. files: those written now. round: the round of the requests, 0 before the first.
    waiting: calls of the step without an answer, including those in earlier files; left_out: those repeated too often.
    is_needless: the whole rewrite needs no call. is_spent: the budget is used up. is_finished: so is the run.
    note: a remark about the folder.
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
        """Whether the journal has all answers: the rewrite can be finished without a call."""
        return self.waiting == 0 and not self.is_spent


@dataclass(slots=True)
class CollectResult:
    """The result of `collect_batches`. again: files with the requests to repeat; waiting: other calls without an answer.

    under_way: batches that are running. in_doubt: files whose batch may have been begun. forgotten: files whose batch the server no
    longer knows, with its message; they count as running until the missing requests are repeated.
    """

    folder: Path
    collected: Collected
    again: list[RequestFile] = field(default_factory=list)
    waiting: Unanswered = field(default_factory=Unanswered)
    under_way: int = 0
    in_doubt: list[str] = field(default_factory=list)
    forgotten: dict[str, str] = field(default_factory=dict)


class _StepEnds(Exception):  # noqa: N818 - says what happened
    """All requests of a step are written."""


class _WholeRound:
    """A writer that processes all rows of a round before it ends the step because answers are missing."""

    def __init__(self, write: Any, asker: BatchAsker) -> None:
        self.write, self.asker, self.name = write, asker, write.name
        self.is_spent = False

    def __call__(self, requests: Sequence[RewriteRequest]) -> Iterator[Written]:
        """The answers in the journal, if it has all of them."""
        try:
            written = list(self.write(requests))
        except BudgetSpent:
            self.is_spent = True
            raise _StepEnds from None
        if self.asker.waiting:
            raise _StepEnds
        return iter(written)


@with_own_rules
def write_batch(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: RewriteSettings | None = None,
    engines: Engines | None = None,
    out: Path | str | None = None,
    step: Callable[[str], object] = lambda name: None,
) -> BatchStep:
    """Write the requests of the next step of a rewrite. The arguments are those of `rewrite`, which finds the answers later."""
    engines = engines or Engines()
    # A call can cost one request and its repair; retries are the provider's.
    once = replace(engines, options={**engines.options, "retries": 0})
    with prepared(dataset, split, settings or RewriteSettings(), once, None) as job:
        served, judge = _served(job.writer), job.judge
        _check_judge(judge)
        planned = job.plan(None if out is None else Path(out))
        folder, note = planned.folder, planned.note
        if planned.finished(FILE, budget=job.budget) is not None:
            return BatchStep(folder, is_finished=True, note=note)
        with holding(folder), ExitStack() as stack:
            Run.open(folder, **planned.identity.keywords)
            journal = stack.enter_context(closing(Journal(folder / JOURNAL_FILE)))
            batch = BatchFolder(folder)
            with RequestWriter(batch) as files:
                costs = BatchCosts(batch, journal)

                def asker(engine: ServedEngine) -> BatchAsker:
                    return BatchAsker(engine, journal, batch, files, costs=costs, budget=job.budget)

                writing = asker(served)
                batched = [writing]
                judging = asker_of(judge, journal, job.budget, Watcher())
                if isinstance(judge, ServedEngine) and not is_gguf(judge):
                    judging = asker(judge)
                    batched.append(judging)
                step("reading")
                rewriting = Rewriting(job.rows(), job.settings, writer=writing, judge=judging)
                step("looking for calls without an answer")
                number, is_spent = _to_the_first_gap(rewriting, batched)
            waiting = sum(one.waiting for one in batched)
            return BatchStep(
                folder,
                files=tuple(files.written),
                round=number,
                waiting=waiting,
                is_needless=not (waiting or batch.files or is_spent),
                left_out=sum(one.left_out for one in batched),
                is_spent=is_spent,
                note=note,
            )


def _to_the_first_gap(rewriting: Rewriting, batched: Sequence[BatchAsker]) -> tuple[int, bool]:
    """Run the rounds up to the first with missing answers; returns its number, and whether the budget is used up."""
    writing, *judging = batched
    whole = _WholeRound(rewriting.writer, writing)
    rewriting.writer = whole  # type: ignore[assignment]
    number = 0
    try:
        for done in rewriting.run():
            number = done.number
            if any(judge.waiting for judge in judging) or done.stopped == BUDGET_SPENT:
                return number, done.stopped == BUDGET_SPENT
    except _StepEnds:
        return number + 1, whole.is_spent
    return number, False


def _served(engine: Engine | None) -> ServedEngine:
    if isinstance(engine, ServedEngine) and not is_gguf(engine):
        return engine
    if engine is not None and is_gguf(engine):
        raise SettingError(
            f"A GGUF file answers at once and needs no batches. Got the engine {engine.name!r}. Use `longway rewrite` with the same options."
        )
    raise SettingError(
        f"Batches need a served model. Got the engine {name_of(engine)!r}. Try --engine served:MODEL, or `longway rewrite`."
    )


def _check_judge(judge: Engine | None) -> None:
    """Raises SettingError if a judge would be called, and paid for, now."""
    if judge is None or isinstance(judge, ServedEngine):  # a GGUF file judges now, for free
        return
    if any(part.base_url is not None for part in judge.parts):
        raise SettingError(
            f"A judge of several engines cannot wait for a batch. Got {judge.name!r}, whose served model would be called now. "
            "Try --judge served:MODEL, local or none, or `longway rewrite`."
        )


def run_with_batches(folder: Path | str | None = None) -> Path:
    """The given run folder, or the only one in longway-runs with batch files."""
    if folder is not None:
        if not (Path(folder) / FOLDER / STATE).exists():
            raise RunError(
                f"{folder} has no batch files. Expected a run of `longway batch write`. Check --run."
            )
        return Path(folder)
    runs = sorted(path.parents[1] for path in RUNS_FOLDER.glob(f"*/{FOLDER}/{STATE}"))
    if len(runs) == 1:
        return runs[0]
    if not runs:
        raise RunError(
            f"No run in {RUNS_FOLDER} has batch files. Expected a run of `longway batch write`. Name its folder with --run."
        )
    raise RunError(
        f"Several runs have batch files: {', '.join(map(str, runs))}. Name one of them with --run."
    )


def submit_batches(
    folder: Path, *, api_key: str | None = None, on_file: Callable[[RequestFile], object] = lambda file: None
) -> list[RequestFile]:
    """Send the request files that were not submitted yet to their server, without answered calls; returns them."""
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
            with batch.unanswered(file, answered) as path:
                BatchProvider(file.base_url, api_key=api_key).submit(path, file, batch.save)
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
) -> CollectResult:
    """Store answers in the journal of a run. files: answer files; by default those of the submitted batches are fetched.

    again_missing: also repeat requests that no file mentions, and those of batches that their server has forgotten. Only if no batch
    is running.
    """
    with holding(folder):
        batch = BatchFolder(folder)
        with closing(Journal(folder / JOURNAL_FILE)) as journal:
            collector = AnswerCollector(batch, journal)
            progress: dict[str, BatchProgress] = {}
            forgotten: dict[str, str] = {}
            if files:
                _read_files(collector, files, folder, step)
            else:
                progress, forgotten = _fetch(batch, collector, api_key, step)
            if again_missing:
                ended = [name for name, seen in progress.items() if not seen.is_running]
                batch.check_none_running(ended=[*ended, *forgotten])
                for file in batch.files:
                    file.is_heard = file.is_heard or file.name in forgotten
                collector.repeat_missing()
            waiting, again = collector.unanswered(), collector.finish()
            for file in batch.files:  # only now: the requests to repeat are on disk
                if (seen := progress.get(file.name)) is not None:
                    file.status, file.is_collected = seen.status, not seen.is_running
                elif again_missing and file.name in forgotten:
                    file.is_collected = True
            batch.save()
    return CollectResult(
        folder,
        collector.collected,
        again,
        waiting,
        under_way=sum(file.is_running for file in batch.files),
        in_doubt=[file.name for file in batch.files if file.is_in_doubt],
        forgotten={} if again_missing else forgotten,
    )


def _read_files(
    collector: AnswerCollector, files: Sequence[Path], folder: Path, step: Callable[[str], object]
) -> None:
    paths = list(answer_files(files))
    for path in paths:
        step(f"reading {path.name}")
        collector.read(path)
    if not collector.has_matched and (collector.collected.counts or not paths):
        raise DataError(
            f"Nothing in {', '.join(map(str, files))} is about a request of {folder}: {collector.collected.summary()}. Expected "
            "output or error files of its batches (JSON lines). Check the names, or name another run with --run."
        )


def _fetch(
    batch: BatchFolder, collector: AnswerCollector, api_key: str | None, step: Callable[[str], object]
) -> tuple[dict[str, BatchProgress], dict[str, str]]:
    """Fetch the answers of submitted batches; returns, by file, the progress of those not collected before, and those forgotten."""
    submitted = [file for file in batch.files if file.is_submitted]
    if not submitted:
        raise RunError(
            f"No batch of {batch.run_folder} was submitted. Expected answer files. "
            "Name them: longway batch collect FILES, or submit first: longway batch submit."
        )
    found: dict[str, BatchProgress] = {}
    forgotten: dict[str, str] = {}
    for file in submitted:
        if file.is_collected:
            continue
        step(f"checking {file.name}")
        provider = BatchProvider(file.base_url, api_key=api_key)
        try:
            progress = provider.progress(file)
            for name in () if progress.is_running else progress.outputs:
                with provider.fetched(name, batch.folder) as path:
                    collector.read(path)
        except BatchForgotten as error:
            forgotten[file.name] = str(error)
            continue
        found[file.name] = progress
        if progress.is_running:
            continue
        if progress.status != "completed":
            collector.fail(file, progress.why or f"the batch is {progress.status}")
        file.is_heard = True
    return found, forgotten
