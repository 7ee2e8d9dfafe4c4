"""`longway demo`: audit, repair and prove on a built-in sample, by the commands that it prints."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longway.errors import EngineError, MissingExtra

if TYPE_CHECKING:
    from longway.jobs.plant.job import PlantedChange


def command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Built-in sample: reviews or claims.")] = "reviews",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the sample and its runs. Default: longway-runs."),
    ] = None,
) -> None:
    """Audit, repair and prove a built-in sample.

    Copies the sample into a folder and runs three commands on it, which are printed first: try them on your own data. Downloads nothing and
    needs no key.
    """
    from longway.cli.screen import output
    from longway.sample import planted, sample_path

    source, folder = sample_path(name), out or Path("longway-runs")
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / source.name
    shutil.copyfile(source, data)
    runs = {step: folder / f"{name}-{step}" for step in ("audit", "repair", "prove")}
    into = {step: () if out is None else ("--out", run) for step, run in runs.items()}
    console = output()
    console.print(f"[bold]The built-in sample {name}[/] has shortcuts that were planted on purpose:")
    for shortcut in planted(name):
        console.print(f"  {shortcut['name']}: {shortcut['pattern']!r} -> {shortcut['label']}", markup=False)
    longway = context.find_root().command
    _run(longway, "audit", data, "--levels", "-grammar", *into["audit"])
    if not _run(longway, "repair", data, *into["repair"]):
        return
    _show_planted(_changes(name, data, runs["repair"]))
    if _run(longway, "prove", data, runs["repair"], *into["prove"]):
        _show_next(data, runs["prove"] / "report.html")


def _run(longway: Any, *arguments: object) -> bool:
    """Run a command of `longway` as if it had been typed, after printing it; False if something that it needs is not installed."""
    from longway.cli.screen import errors, output, safe

    given = [str(one) for one in arguments]
    output().print(f"\n[bold green]$ longway {safe(shlex.join(given))}[/]\n", soft_wrap=True)
    try:
        longway.main(args=given, prog_name="longway", standalone_mode=False)
    except (MissingExtra, EngineError) as error:
        errors().print(
            f"[yellow]Not done:[/] {safe(str(error))}",
            soft_wrap=True,
        )
        return False
    return True


def _changes(name: str, data: Path, folder: Path) -> list[PlantedChange]:
    from longway.data import load
    from longway.jobs.plant.job import planted_changes
    from longway.jobs.prove.job import load_version

    before = load(data)
    after = load_version(folder, like=before)
    return planted_changes(name, before.select_split("train"), after.select_split("train"))


def _show_planted(changes: Sequence[PlantedChange]) -> None:
    """Print the planted shortcuts before and after."""
    from rich.table import Table

    from longway.cli.screen import output, safe

    table = Table(
        title="\nThe planted shortcuts, before and after the repair",
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="dim",
    )
    for name in ("Shortcut", "Predicts"):
        table.add_column(name)
    for name in ("Rows", "Label’s share", "Removed"):
        table.add_column(name, justify="right")
    for change in changes:
        share = f"{change.after.share:.0%}" if change.after.count else "–"
        table.add_row(
            safe(change.pattern),
            safe(change.label),
            f"{change.before.count:,} → {change.after.count:,}",
            f"{change.before.share:.0%} → {share}",
            f"{change.repaired:.0%}" if change.repaired >= 0 else "[red]stronger[/]",
        )
    output().print(table)


def _show_next(data: Path, report: Path) -> None:
    """Print what to do after the last command, which printed the verdict."""
    from longway.cli.screen import Step, own_file, print_steps

    program = next((one for one in ("xdg-open", "open") if shutil.which(one)), None)  # Linux, macOS
    if program is not None:
        print_steps(Step("Open the report", f"{program} {shlex.quote(str(report))}"))
    print_steps(Step("See which words a model looks at", f"longway explain {shlex.quote(str(data))}"))
    own_file(data)
