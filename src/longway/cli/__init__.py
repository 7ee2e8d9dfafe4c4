"""The command line: each command is a thin layer over a library call.

Only typer and rich are imported here. The file of a command is imported when it is called, and everything else inside the command, so that
`longway --help` and `longway COMMAND --help` answer at once.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from longway.errors import ColumnError, LongwayError, MissingExtra

# By group: where each command is, and the first line of its help, so that the list of commands imports none of them.
GROUPS = {
    "The story": {
        "demo": ("demo:command", "Audit, repair and prove a built-in sample."),
        "audit": ("audit:audit", "Find what predicts the label: words, phrases, lengths, overlap."),
        "repair": ("repair:repair", "Repair the data: reword, exchange, add and drop rows."),
        "prove": ("prove:prove", "Train on the data before and after, and compare."),
        "review": ("review:command", "Accept, reject or rewrite edits on a local page."),
    },
    "Single methods": {
        "rewrite": ("methods:rewrite", "Rewrite texts whose surface predicts their label (RAZOR)."),
        "augment": ("methods:augment", "Add texts with another label that keep the shortcuts (CoBA)."),
        "perturb": ("methods:perturb", "Change one person's gender, race or age per row (PANDA)."),
        "grammar": ("look:grammar", "Learn a grammar; list phrases and rules that predict labels."),
    },
    "Models": {
        "explain": ("look:explain", "Show which words models look at, and which mislead them."),
        "fairness": ("look:fairness", "Measure stereotypes and the fairscore of a model."),
    },
    "Help": {
        "runs": ("runs:command", "List the runs in a folder, newest first."),
        "doctor": ("doctor:command", "Show what is installed, and which engines can be used."),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
# How libraries report a lack of memory, beside MemoryError.
NO_MEMORY = re.compile(
    r"failed to (map segment|spawn)|kind: WouldBlock|can('t|not) (allocate memory|start new thread)"
    r"|out of memory|bad.alloc",
    re.IGNORECASE,
)
# Exit codes that no error of `longway.errors` has; docs/commands.md has the table.
OUT_OF_MEMORY, INTERNAL, STOPPED, READER_GONE = 4, 5, 130, 141
LOOK: Any = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": "markdown"}


class _OnDemand(Mapping[str, Any]):
    """The commands by name. The file of a command is imported when the command is looked up."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = _build(name, *COMMANDS[name][0].split(":"))
        return self._built[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The command; the default only if there is none of this name. A KeyError while it is imported is raised."""
        return self[name] if name in COMMANDS else default

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)

    def __contains__(self, name: object) -> bool:
        return name in COMMANDS


def _build(name: str, module: str, attribute: str) -> Any:
    given = getattr(import_module(f"longway.cli.{module}"), attribute)
    parent = typer.Typer(**LOOK)
    parent.callback()(lambda: None)  # with a callback it is a group, even of a single command
    parent.command(name)(given)
    group: Any = typer.main.get_command(parent)
    return group.commands[name]


class Commands(TyperGroup):
    """The commands, each imported when it is called."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands: Any = _OnDemand()
        self._is_listing = self._is_command = False

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command; in the list of commands, its name and its first line."""
        if self._is_listing and cmd_name in COMMANDS:
            panel = next(group for group, commands in GROUPS.items() if cmd_name in commands)
            return TyperCommand(
                cmd_name, help=COMMANDS[cmd_name][1], rich_markup_mode="markdown", rich_help_panel=panel
            )
        return super().get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help without importing the commands."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options of `longway` itself. Before a command there are none: typer would import pydantic to read that."""
        self._is_command = bool(args) and not args[0].startswith("-")
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """The options of `longway` itself."""
        return [] if self._is_command else super().get_params(ctx)


app = typer.Typer(
    name="longway",
    cls=Commands,
    no_args_is_help=True,
    **LOOK,
    help="Find the shortcuts in a labelled text dataset, words, phrases, positions, lengths that give the label away, "
    "repair the data, and prove what that changed. "
    "\n\nStart with `longway demo`, then `longway audit your-file.csv`, `longway repair your-file.csv` and `longway prove`; "
    "`longway rewrite` and `longway augment` are single methods.",
)


@app.callback(invoke_without_command=True)
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"longway {installed('longway')}")
        raise typer.Exit


class _Stopped(BaseException):
    """Ctrl-C; not a KeyboardInterrupt, which typer would catch without a message."""


def main() -> None:
    """Run the command line, and exit with a code of the table in docs/commands.md."""
    from longway.cli.last_words import last_words

    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # it may be closed, or not a file
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # cp1252 on Windows has no arrows
    code: str | int | None = READER_GONE
    signal.signal(signal.SIGINT, _stop)
    try:
        with last_words():
            app()
    except BaseException as error:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, 0)
        with suppress(BrokenPipeError, SystemExit):  # nobody reads the message
            code = _explain(error)
    sys.exit(code)


def _explain(error: BaseException) -> str | int | None:
    """Print why the command ended, unless that has been printed. Returns the exit code."""
    causes = list(_causes(error))
    if any(isinstance(cause, _Stopped | typer.Abort) for cause in causes):
        print(
            "\nlongway: stopped. Nothing half-written was left; run the same command again.",
            file=sys.stderr,
        )
        return STOPPED
    if isinstance(error, SystemExit):
        return READER_GONE if isinstance(error.__context__, BrokenPipeError) else error.code
    is_short = any(
        isinstance(cause, MemoryError)
        or (
            (not isinstance(cause, LongwayError) or isinstance(cause, MissingExtra))
            and NO_MEMORY.search(str(cause))
        )
        for cause in causes
    )
    if is_short and (isinstance(error, MissingExtra) or not isinstance(error, LongwayError)):
        print(
            "longway: there is not enough memory. Give it more, or take a part with --limit, "
            "and run the same command again.",
            file=sys.stderr,
            flush=True,
        )
        os._exit(OUT_OF_MEMORY)  # libraries that are loaded in part crash when Python unloads them
    if isinstance(error, OSError):
        from longway.store.atomic import disk_error

        error = disk_error(error) or LongwayError(f"{error}. Correct that, and run the same command again.")
    if not isinstance(error, LongwayError):
        sys.excepthook(type(error), error, error.__traceback__)
        print(
            "longway: this is an error in Longway. Finished work is kept. Please report it with the lines above.",
            file=sys.stderr,
        )
        return INTERNAL
    _print(error)
    return OUT_OF_MEMORY if is_short else error.exit_code


def _print(error: LongwayError) -> None:
    """Print a message; for a column that is not there, also the command with the likely columns."""
    from longway.cli.screen import errors, safe

    errors().print(f"[bold red]longway:[/] {safe(str(error))}", highlight=False, soft_wrap=True)
    if isinstance(error, ColumnError) and error.command:
        errors().print(
            f"Most likely, if these are the right columns: [bold]{safe(error.command)}[/]", soft_wrap=True
        )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and those that were being handled when it was raised."""
    while error is not None:
        yield error
        error = error.__context__


def _stop(number: int, frame: object) -> None:
    """Stop the command. Libraries that are being imported may catch anything, so an alarm repeats this.

    The alarm lets a command that is already stopping close its files; a second Ctrl-C does not.
    """
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
    if number == signal.SIGINT or not any(isinstance(one, _Stopped) for one in _causes(sys.exception())):
        raise _Stopped
