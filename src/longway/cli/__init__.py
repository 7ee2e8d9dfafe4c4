"""The command line: one command a file, each a thin layer over a library call.

Only typer and rich are imported here; everything else is imported inside the command that needs it, so that
`longway --help` answers at once.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from longway.cli import (
    audit,
    augment,
    batch,
    bench,
    demo,
    doctor,
    engines,
    explain,
    fairness,
    grammar,
    perturb,
    perturb_train,
    prove,
    review,
    rewrite,
    runs,
)
from longway.errors import LongwayError, SettingError


class Commands(TyperGroup):
    """Commands of one word or two: `perturb train FILE` is one of its own beside `perturb DATA`; a folder called train is ./train."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the first words name, and the words that are left for it."""
        if args[:1] == ["plan"]:
            raise SettingError(
                "`longway plan` is gone. Add --dry-run to `longway rewrite`, `augment` or `perturb`: it prints rows, calls, tokens, "
                "money and time, and writes nothing."
            )
        if " ".join(args[:2]) in self.commands:
            args = [" ".join(args[:2]), *args[2:]]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="longway",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Find the shortcuts in a labelled text dataset, words, phrases, positions, lengths that give the label away, "
    "rewrite the texts that have them, and prove what that changed. "
    "\n\nStart with `longway demo`, then `longway audit your-file.csv`, `longway rewrite your-file.csv` and `longway prove`; "
    "`longway augment` adds texts instead of rewriting them.",
)
app.command("audit")(audit.audit)
app.command("augment")(augment.augment)
app.add_typer(batch.app, name="batch")
app.add_typer(bench.app, name="bench")
app.command("demo")(demo.command)
app.command("doctor")(doctor.command)
app.add_typer(engines.app, name="engines")
app.command("explain")(explain.explain)
app.command("fairness")(fairness.fairness)
app.command("grammar")(grammar.grammar)
app.command("perturb")(perturb.perturb)
app.command("perturb train")(perturb_train.train)
app.command("prove")(prove.prove)
app.command("review")(review.command)
app.command("rewrite")(rewrite.rewrite)
app.command("runs")(runs.command)


@app.callback(invoke_without_command=True)
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"longway {installed('longway')}")
        raise typer.Exit


class _Stopped(BaseException):
    """Ctrl-C; not a KeyboardInterrupt, which typer would swallow without a word."""


def main() -> None:
    """Run the command line; a user's mistake is told in plain words, without a traceback."""
    from longway.cli.last_words import last_words

    signal.signal(signal.SIGINT, _stop)
    try:
        with last_words():
            app()
    except _Stopped:
        print(
            "\nlongway: stopped. Nothing half-written was left; run the same command again.",
            file=sys.stderr,
        )
        sys.exit(130)
    except MemoryError:
        print(
            "longway: there is not enough memory. Give it more, or take a part with --limit, and run the same command again.",
            file=sys.stderr,
        )
        sys.exit(2)
    except OSError as error:
        from longway.store.atomic import disk_error

        _tell(disk_error(error) or LongwayError(f"{error}. Mend that, and run the same command again."))
    except LongwayError as error:
        _tell(error)


def _tell(error: Exception) -> None:
    """Say what went wrong, and end."""
    from longway.cli.screen import errors, safe

    errors().print(f"[bold red]longway:[/] {safe(str(error))}", highlight=False, soft_wrap=True)
    sys.exit(2)


def _stop(number: int, frame: object) -> None:
    raise _Stopped
