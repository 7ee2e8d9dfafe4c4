"""`longway demo`: the whole way on the built-in sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    name: Annotated[
        str | None, typer.Argument(help="Built-in sample: reviews or claims. Default: both.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run folder; needs a NAME. Default: longway-runs/NAME-audit.")
    ] = None,
) -> None:
    """Audit the built-in samples with planted shortcuts. No key, no download, no question asked."""
    from longway.errors import SettingError
    from longway.sample import NAMES

    if out is not None and name is None:
        raise SettingError(
            "--out is one folder, and the demo audits two samples. Name one: longway demo reviews."
        )
    for i, one in enumerate([name] if name is not None else NAMES):
        typer.echo("\n" if i else "", nl=False)
        _audit_sample(one, out)


def _audit_sample(name: str, out: Path | None) -> None:
    from longway.cli.audit_tables import show_audit
    from longway.cli.screen import output, progress_of
    from longway.data import load
    from longway.recipes.run_audit import run_audit
    from longway.sample import planted, sample_path

    dataset = load(sample_path(name))
    with progress_of(dataset.n_used) as bar:
        run, findings = run_audit(dataset, out=out, step=bar.step, progress=bar.advance)
    console = output()
    console.print(f"[bold]The built-in sample {name}[/] has shortcuts that were planted on purpose:")
    for shortcut in planted(name):
        console.print(f"  {shortcut['name']}: {shortcut['pattern']!r} -> {shortcut['label']}", markup=False)
    console.print()
    show_audit(findings, run.folder, top=12)
