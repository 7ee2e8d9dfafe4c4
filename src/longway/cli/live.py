"""The progress of a run on the terminal: engines, cost, rounds, and what an interrupted run keeps."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import typer
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from longway.cli.screen import Step, clean, end, errors, output, safe
from longway.errors import SettingError
from longway.jobs.estimate import IN_FLIGHT, TOKENS_A_SECOND, RunEstimate
from longway.jobs.run import Started, Watcher
from longway.report.numbers import approximate_time
from longway.report.sections import Page
from longway.report.terminal import show

if TYPE_CHECKING:
    from longway.methods.method import Round

DO_IT = "Carry it out"


class PartsColumn(ProgressColumn):
    """How many parts of a step are done; a percentage for the work as a whole; nothing if neither is known."""

    def render(self, task: Task) -> Text:
        """The column of one task."""
        if task.total is None:
            return Text("")
        if "ends" in task.fields:
            return Text(f"{task.completed / task.total:.0%}", style="progress.download")
        return Text(f"{int(task.completed)}/{int(task.total)}", style="progress.download")


class LeftColumn(ProgressColumn):
    """The time left, of all work if the job knows it, else of the step; nothing if it is not known or the step is about to end."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """The column of one task."""
        ends = task.fields.get("ends")
        left = task.time_remaining if ends is None and not task.finished else ends and ends - time.monotonic()
        return Text(f"{approximate_time(left)} left" if left and left > 0 else "", style="progress.remaining")


class Live(Watcher):
    """Shows the progress of a run; prints each round when it is done."""

    def __init__(self, *, quiet: bool = False, ask: bool = True, adds_rows: bool = False) -> None:
        self._console = errors()
        self._ask, self._adds_rows = ask, adds_rows
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=12),
            PartsColumn(),
            TimeElapsedColumn(),
            LeftColumn(),
        )
        self._bar = Progress(
            *columns, console=self._console, transient=True, disable=not self._console.is_terminal
        )
        self._is_work = False
        self._task = self._bar.add_task("starting", total=None)
        self._quiet = quiet
        self._folder: Path | None = None

    def __enter__(self) -> Live:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
        if kind is not None and self._folder is not None and (kept := _kept(self._folder)):
            self._console.print(kept, soft_wrap=True)

    def start(self, started: Started) -> None:
        """Print the engines and the run folder."""
        self._folder = started.folder
        if started.note:
            self._console.print(f"{safe(started.note)}.", soft_wrap=True)
        if not self._quiet:
            judge = f", judged by {safe(started.judge)}" if started.judge else ""
            by = f"{'Written' if judge else 'Changed'} by [bold]{safe(started.engine)}[/]{judge}; run folder"
            self._console.print(
                f"{by if started.engine else 'Run folder'} {safe(str(started.folder))}", soft_wrap=True
            )

    def estimate(self, estimate: RunEstimate) -> None:
        """Print the cost and ask whether to continue, unless it is free; SettingError if there is no terminal to ask on."""
        words = estimate_words(estimate)
        if not self._ask or estimate.cost == 0:
            if not self._quiet:
                self._console.print(words, soft_wrap=True)
            return
        if not _can_ask():
            raise SettingError(
                f"{words} There is no terminal to confirm it on. Give --budget DOLLARS, or --yes."
            )
        self._bar.stop()
        self._console.print(words, soft_wrap=True)
        if not typer.confirm("Continue?", err=True):
            self._console.print("Stopped. Nothing was spent.")
            raise typer.Abort
        self._bar.start()

    def page(self, page: Page) -> None:
        """Print a page."""
        if not self._quiet:
            show(page, self._console)

    def step(self, name: str) -> None:
        """Show the current step."""
        self._bar.remove_task(self._task)  # a reused task keeps its total and its clock
        self._task = self._bar.add_task(clean(name), total=None)
        self._is_work = False

    def progress(self, done: int, total: int) -> None:
        """Show how many parts of the step are done."""
        (task,) = self._bar.tasks
        if done < task.completed:  # the next part of the same step; the clock continues
            task.finished_time = None
        self._bar.update(self._task, total=total, completed=done)

    def work(self, words: str, share: float, left: float | None) -> None:
        """Show the current part of the work, how much of all of it is done, and the time left."""
        if not self._is_work:
            self.step(words)
            self._is_work = True
        ends = None if left is None else time.monotonic() + left
        total = None if left is None else 1.0
        self._bar.update(
            self._task, description=clean(words), total=total, completed=min(share, 0.99), ends=ends
        )

    def say(self, sentence: str) -> None:
        """Print a sentence."""
        if not self._quiet:
            self._console.print(safe(sentence))

    def round(self, done: Round) -> None:
        """Print a round's figures."""
        if self._quiet:
            return
        figures = done.figures
        parts = [f"round {done.number}" if done.number else "before"]
        if done.number and self._adds_rows:
            rows = "1 row" if figures.accepted == 1 else f"{figures.accepted:,} rows"
            parts[0] += f": {rows} added"
            parts.append(f"made from {figures.asked:,} texts, {figures.candidates:,} candidates")
        elif done.number:
            parts.append(
                f"{figures.accepted:,} of {figures.asked:,} texts rewritten, {figures.candidates:,} candidates"
            )
        if figures.leak is not None:
            parts.append(f"leak {figures.leak.accuracy:.1%}")
        if figures.cosine is not None:
            parts.append(f"cosine {figures.cosine:.4f}")
        if figures.divergence is not None:
            parts.append(f"divergence {figures.divergence:.4f}")
        self._console.print(", ".join(parts), style="dim", soft_wrap=True)
        if done.stopped:
            self._console.print(f"stopped: {safe(done.stopped)}", style="dim", soft_wrap=True)


def show_dry_run(command: str, estimate: RunEstimate, again: str, *, as_json: bool) -> None:
    """Print the estimate of a run. again: the command that carries it out."""
    if as_json:
        typer.echo(json.dumps({"command": command, "calls": estimate.calls, **asdict(estimate)}, indent=1))
        return
    console = output()
    rows = f"{estimate.rows:,} rows"
    if estimate.sampled:
        rows = f"about {rows} (estimated from {estimate.sampled:,} of {estimate.texts:,} texts)"
    console.print(f"[bold]longway {command}[/] on {rows}:", highlight=False)
    if not estimate.calls:
        end("Nothing was changed: it calls no engine and costs nothing.", Step(DO_IT, again))
        return
    console.print(estimate_words(estimate), soft_wrap=True)
    console.print(
        f"The calls take about {approximate_time(estimate.seconds)}. For an engine on this machine, two slow cores are assumed; for a server, "
        f"{IN_FLIGHT} calls at once with {TOKENS_A_SECOND:.0f} tokens per second each.",
        soft_wrap=True,
    )
    cost = (
        "at an unknown price"
        if estimate.cost is None
        else f"for ${estimate.cost:,.2f}"
        if estimate.cost
        else "for free"
    )
    end(
        f"Nothing was changed: it would make up to {estimate.calls:,} calls {cost}.",
        Step(DO_IT, again),
    )


def _can_ask() -> bool:
    return sys.stdin.isatty()


def estimate_words(estimate: RunEstimate) -> str:
    """The calls, tokens and cost of an estimate as a sentence."""
    tokens = f"{estimate.prompt_tokens:,} tokens read and {estimate.completion_tokens:,} written"
    cost = (
        "its price is not known"
        if estimate.cost is None
        else f"about ${estimate.cost:,.2f}"
        if estimate.cost
        else "free"
    )
    words = (
        f"This may take up to {estimate.calls:,} calls ({estimate.writes:,} to write, "
        f"{estimate.judgements:,} to judge), {tokens}: {cost}."
    )
    return words + (f" Of that, ${estimate.spent:,.4f} was spent before." if estimate.spent else "")


def _kept(folder: Path) -> str:
    """What an interrupted run keeps, and how to resume it; "" if no engine has answered yet."""
    from longway.jobs.engine_use import answers_kept

    if not (n := answers_kept(folder)):
        return ""
    answers = "1 answer is" if n == 1 else f"{n:,} answers are"
    return (
        f"{answers} kept in {safe(str(folder))}. The same command resumes the run and pays for nothing twice."
    )
