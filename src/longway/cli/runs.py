"""`longway runs`: list runs."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(help="Folder with run folders.")] = Path("longway-runs"),
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the runs in a folder, newest first."""
    from rich.table import Table

    from longway.cli.screen import Step, end, output, safe
    from longway.store import list_runs

    runs = list_runs(folder)
    if json:
        typer.echo(json_module.dumps([{"folder": str(path), **about} for path, about in runs], indent=1))
        return
    if not runs:
        end(f"There are no runs in the folder {str(folder)!r}.", Step("Make some", "longway demo"))
        return
    table = Table("run", "command", "data", "state", "started", box=None, pad_edge=False, header_style="dim")
    for path, about in runs:
        data = str(about.get("settings", {}).get("data", ""))
        cells = (path, about.get("command", ""), data, about["state"], about.get("started", ""))
        table.add_row(*(safe(str(cell)) for cell in cells))
    output().print(table)
    done = [path for path, about in runs if about["state"] == "done"]
    verdict = f"{len(runs):,} {'run' if len(runs) == 1 else 'runs'}, {len(done):,} done; the command of any other continues it."
    without_page = ("audit-labels", "perturb-pairs")
    single = [path for path, about in runs if path in done and about.get("command") not in without_page]
    steps = [Step("Look at the newest", f"longway review {quote(str(path))}") for path in single[:1]]
    end(verdict, *(steps or [Step("Make another", "longway demo")]))
