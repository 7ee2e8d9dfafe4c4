"""`longway demo`: the whole way on the built-in sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(help="Built-in sample: reviews or claims.")] = "reviews",
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-audit.")] = None,
) -> None:
    """Audit a built-in sample with planted shortcuts. No key, no download, no question asked."""
    from longway.cli.audit_tables import show_audit
    from longway.cli.screen import output, progress_of
    from longway.data import load
    from longway.recipes.run_audit import run_audit
    from longway.sample import planted, sample_path

    dataset = load(sample_path(name))
    with progress_of(dataset.n_used) as bar:
        run, findings = run_audit(dataset, out=out, step=bar.step, progress=bar.advance)
    console = output()
    console.print("The sample has shortcuts that were planted on purpose:")
    for shortcut in planted(name):
        console.print(f"  {shortcut['name']}: {shortcut['pattern']!r} -> {shortcut['label']}", markup=False)
    console.print()
    show_audit(findings, run.folder, top=12)
