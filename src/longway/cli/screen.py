"""What people see in the terminal: colour where the terminal has it, plain text where not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)


def output() -> Console:
    """The console for results. Piped output is plain and never wrapped by a guess of 80 columns."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=max(console.width, 120))


def errors() -> Console:
    """The console for messages and progress."""
    return Console(stderr=True, highlight=False)


class Steps(Protocol):
    """What a long job is told to call."""

    def step(self, name: str) -> None:
        """Say what is being done now."""

    def advance(self, rows: int) -> None:
        """Say that so many more rows were read."""


@contextmanager
def progress_of(total: int) -> Iterator[Any]:
    """A progress bar on standard error that goes away at the end; silent where that is not a terminal."""
    console = errors()
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("reading", total=total)

        class _Steps:
            def step(self, name: str) -> None:
                bar.update(task, description=name)

            def advance(self, rows: int) -> None:
                bar.update(task, advance=rows)

        yield _Steps()
