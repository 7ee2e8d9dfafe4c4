"""What jobs that change a dataset have in common: its rows, the engines, the run, and what it may cost.

with change_job("rewrite", whole, part, settings, engines) as job:      engines are opened, and closed at the end
    job.run(RewriteResult, work, out, watcher)                          the result of the run; it is read if the run is done
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

from longway.data import Dataset
from longway.engines.prompt import Prompt, judge_prompt, rewrite_prompt
from longway.jobs.change.result import ChangeResult
from longway.jobs.engine_use import (
    Engines,
    EngineSettings,
    addresses_of,
    asker_of,
    check_can_write,
    close,
    engines_of,
    estimate_calls,
    estimate_rules,
    judge_of,
    name_of,
    sampled,
)
from longway.jobs.estimate import RunEstimate
from longway.jobs.rows import rows_of
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, folder_of, run_job
from longway.methods.method import Rows
from longway.store import Journal

if TYPE_CHECKING:
    from longway.engines.asker import Asker
    from longway.engines.engine import Engine

S = TypeVar("S", bound=EngineSettings)
R = TypeVar("R", bound=ChangeResult)


@dataclass(frozen=True, slots=True)
class ChangeJob(Generic[S]):
    """A change of a dataset whose engines are known.

    whole: all rows; part: the split to change. settings: with the names of the engines. budget: in dollars. more: what the identity of the
    run has besides the settings. note: why the engines are not those that were chosen.
    """

    command: str
    whole: Dataset
    part: Dataset
    settings: S
    writer: Engine | None = None
    judge: Engine | None = None
    budget: float | None = None
    more: Mapping[str, object] = field(default_factory=dict)
    note: str = ""

    def run(
        self,
        kind: type[R],
        work: Callable[[ActiveRun, ChangeJob[S]], R],
        out: Path | str | Literal[True] | None,
        watcher: Watcher,
        on: str | None = None,
    ) -> R:
        """The result of the run, which is read if it is done. out: the run folder, see `folder_of`. on: see `run.shards_on`."""
        more = {**addresses_of(self.writer, self.judge), **self.more}
        identity = RunIdentity.of(self.command, self.part, cast(Any, self.settings), more=more)
        with folder_of(out) as folder:
            result = run_job(
                kind,
                identity,
                lambda run: work(run, self),
                folder or True,
                watcher,
                on=on,
                budget=self.budget,
            )
            return result.of(self.whole, keeps_folder=bool(out))

    def rows(self, *, labelled: bool = True) -> Rows:
        """The rows to change, in memory. labelled: as in `rows_of`."""
        settings = cast(Any, self.settings)
        return rows_of(self.part, seed=settings.seed, labelled=labelled, describe=settings.describe)

    def askers(self, journal: Journal, watcher: Watcher) -> tuple[Asker | None, Asker | None]:
        """What calls the writer and the judge, within the budget."""
        writer, judge = (asker_of(one, journal, self.budget, watcher) for one in (self.writer, self.judge))
        return writer, judge

    def estimate(
        self,
        rows: Rows,
        asked: Iterable[tuple[Sequence[Prompt], int]],
        *,
        n: int = 1,
        n_judged: int,
        spent: float = 0.0,
        free: bool = False,
        timed: bool = True,
    ) -> RunEstimate:
        """What it may take to write n texts for some prompts, each so many times, and to judge so many.

        asked: prompts of some rows, and the calls for all rows. free: include free engines. timed: estimate the time.
        """
        task = rows.task
        judging = [judge_prompt(task, rows.texts[i], context=rows.context(i)) for i in sampled(len(rows))]
        writes = []
        for prompts, n_calls in asked:
            writes += estimate_calls(self.writer, prompts, n_calls, n=n, timed=timed, free=free)
            writes += estimate_rules(self.settings.engine, n_calls) if free else []
        judgements = estimate_calls(
            self.judge, judging, n_judged, options=task.labels, timed=timed, free=free
        )
        return RunEstimate.of(len(rows), writes, judgements, spent=spent)


def rewrite_prompts(rows: Rows) -> list[Prompt]:
    """The prompts of some rows, from which calls for all are estimated."""
    return [
        rewrite_prompt(rows.task, rows.texts[i], label=rows.label(i), context=rows.context(i))
        for i in sampled(len(rows))
    ]


@contextmanager
def change_job(
    command: str,
    whole: Dataset,
    part: Dataset,
    settings: S,
    engines: Engines,
    *,
    more: Mapping[str, object] | None = None,
    judges: bool = False,
) -> Iterator[ChangeJob[S]]:
    """The job with the engines that the settings name, which are closed at the end.

    judges: open a judge that is named where no engine writes, too. The others are fields of `ChangeJob`.
    """
    name, writer, judge = engines_of(settings, engines)
    if judges and settings.judge not in ("auto", "none"):
        judge = judge_of(settings, engines)
    check_can_write(writer, judge)
    named = replace(cast(Any, settings), engine=name, judge=name_of(judge))
    try:
        yield ChangeJob(command, whole, part, named, writer, judge, engines.budget, more or {})
    finally:
        close(writer, judge)
