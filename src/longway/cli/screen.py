"""What people see in the terminal: colour where the terminal has it, plain text where not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from longway.jobs.results import EditedResult, Result


def output() -> Console:
    """The console for results. Piped output is plain and never wrapped by a guess of 80 columns."""
    console = Console(highlight=False)
    narrowest = 40 if console.is_terminal else 120
    return console if console.width >= narrowest else Console(highlight=False, width=narrowest)


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


def show_review(console: Console, folder: Path) -> None:
    """Print the line that opens the review of a run."""
    console.print(
        f"Look at every edit and decide: [bold]longway review {safe(quote(str(folder)))}[/]", soft_wrap=True
    )


def show_next(command: str, *, why: str) -> None:
    """Print the next command to run."""
    output().print(f"{why}: [bold]{safe(command)}[/]", soft_wrap=True)


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


def show_result(result: Result, folder: Path, *, file: str, as_json: bool, top: int | None = None) -> None:
    """Print the JSON file of a run, or its page of sections and the path of its report."""
    import typer

    from longway.show.terminal import show

    if as_json:
        typer.echo((folder / file).read_text(encoding="utf-8"), nl=False)
        return
    console = output()
    show(result.page(), console, top=top)
    console.print(f"\nReport: [bold]{safe(str(folder / 'report.html'))}[/]", soft_wrap=True)


def show_edited(result: EditedResult, *, file: str, data: str, as_json: bool) -> None:
    """Print the JSON file of a run that changed data; or its page, the files to look at, and the next command.

    data: the dataset as the user named it.
    """
    folder = result.folder
    assert folder is not None  # commands always write a run folder
    show_result(result, folder, file=file, as_json=as_json)
    if as_json:
        return
    console = output()
    dataset = next(iter(sorted(folder.glob("dataset.*"))), folder)
    console.print(f"Dataset: [bold]{safe(str(dataset))}[/]", soft_wrap=True)
    show_review(console, folder)
    if result.is_changed:
        prove = f"longway prove {data} {folder} --test other=other-data.csv"
        console.print(f"Measure the effect: [bold]{safe(prove)}[/]", soft_wrap=True)
