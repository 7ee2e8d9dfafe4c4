"""What people see in the terminal: colour where the terminal has it, plain text where not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from longway.report.terminal import output

__all__ = ["Cells", "cells_progress", "clean", "errors", "output", "safe", "shortened"]


def errors() -> Console:
    """The console for messages and progress."""
    return Console(stderr=True, highlight=False)


def clean(text: str) -> str:
    """The text without characters that steer a terminal; as long as the original, line breaks kept."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def shortened(text: str, n: int) -> str:
    """The clean text on one line, cut to n characters: a row must not be able to write a line of its own that looks like one of ours.

    >>> shortened("fine\\nReport: elsewhere", 40)
    'fine↵Report: elsewhere'
    """
    return clean(text if len(text) <= n else text[: n - 1] + "…").replace("\n", "↵")


def safe(text: str) -> str:
    """The text for a line with markup: no terminal codes, and its brackets are brackets."""
    return escape(clean(text))


class Cells:
    """What a job of many like parts calls to say where it is; shows the time left."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("starting", total=None)

    def step(self, name: str) -> None:
        """Say what is being done now."""
        self._bar.update(self._task, description=clean(name))

    def progress(self, done: int, of: int) -> None:
        """Say how many parts are done."""
        self._bar.update(self._task, completed=done, total=of)


@contextmanager
def cells_progress() -> Iterator[Cells]:
    """A progress bar with the time left, on standard error; silent where that is not a terminal."""
    console = errors()
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, speed_estimate_period=3600
    ) as bar:
        yield Cells(bar)
