"""`longway demo`: the whole way on the built-in sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from longway.data import Dataset
    from longway.jobs.plant.sample_shortcuts import PlantedChange


def command(
    name: Annotated[
        str | None, typer.Argument(help="Built-in sample: reviews or claims. Default: both.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the runs; needs a NAME. Default: longway-runs."),
    ] = None,
) -> None:
    """Audit the built-in samples with planted shortcuts, rewrite them, and prove what it changed.

    No key, no download, no question asked: rules write, and the small model where no rule applies.
    """
    from longway.errors import SettingError
    from longway.sample import NAMES

    if out is not None and name is None:
        raise SettingError("--out is for one sample, and the demo has two. Name one: longway demo reviews.")
    for i, one in enumerate([name] if name is not None else NAMES):
        typer.echo("\n\n" if i else "", nl=False)
        _one_sample(one, out)


def _one_sample(name: str, out: Path | None) -> None:
    from longway.cli.live import Live
    from longway.cli.screen import output, show_result
    from longway.data import load
    from longway.jobs.audit.job import audit
    from longway.jobs.audit.settings import AuditSettings, levels_named
    from longway.sample import planted, sample_path

    dataset = load(sample_path(name))
    audit_out: Path | Literal[True] = True if out is None else out / f"{name}-audit"
    quick = AuditSettings(levels=levels_named("-grammar"))
    with Live(quiet=True) as live:
        result = audit(dataset, quick, out=audit_out, watcher=live)
    assert result.folder is not None  # `out` was given
    console = output()
    console.print(f"[bold]The built-in sample {name}[/] has shortcuts that were planted on purpose:")
    for shortcut in planted(name):
        console.print(f"  {shortcut['name']}: {shortcut['pattern']!r} -> {shortcut['label']}", markup=False)
    console.print()
    show_result(result, result.folder, file="findings.json", as_json=False, top=8)
    _rewrite_sample(name, out)


def _rewrite_sample(name: str, out: Path | None) -> None:
    from longway.cli.live import Live
    from longway.cli.screen import errors, output, safe, show_edited, show_review
    from longway.data import load
    from longway.engines.registry import offline
    from longway.errors import EngineError, MissingExtra
    from longway.jobs.plant.sample_shortcuts import planted_changes
    from longway.jobs.rewrite.job import rewrite
    from longway.sample import sample_path

    dataset = load(sample_path(name))
    try:
        engine = offline().spec
        with_model = "" if engine == "rules" else ", and by the small model if no rule applies"
        output().print(
            f"\n[bold]Now the texts that predict their label are rewritten[/] by rules{with_model}:\n"
        )
        with Live() as live:
            result = rewrite(
                dataset,
                engine=engine,
                judge="none",
                choose="leak",
                stop="leak",
                k=0.34,
                candidates=4,
                rounds=2,
                patience=2,
                out=True if out is None else out / f"{name}-rewrite",
                watcher=live,
            )
    except (MissingExtra, EngineError) as error:
        errors().print(
            f"[yellow]Not rewritten:[/] {safe(str(error))}\nOr: longway engines install rules", soft_wrap=True
        )
        return
    folder = result.folder
    assert folder is not None  # out was given
    columns = dataset.columns
    after = load(
        next(folder.glob("dataset.*")),
        text=columns.text,
        context=columns.context or "",
        label=columns.label,
        split=columns.split,
    )
    _show_planted(planted_changes(name, dataset.select_split("train"), after.select_split("train")))
    show_edited(result, file="rewrite.json", data=str(sample_path(name)), as_json=False)
    _prove_sample(dataset, after, None if out is None else out / f"{name}-prove")
    show_review(output(), folder)


def _show_planted(changes: Sequence[PlantedChange]) -> None:
    """Print the planted shortcuts before and after."""
    from rich.table import Table

    from longway.cli.screen import output, safe

    table = Table(
        title="The planted shortcuts", title_justify="left", box=None, pad_edge=False, header_style="dim"
    )
    for name in ("shortcut", "predicts"):
        table.add_column(name)
    for name in ("rows before", "share", "rows after", "share ", "removed"):
        table.add_column(name, justify="right")
    for change in changes:
        table.add_row(
            safe(change.pattern),
            safe(change.label),
            f"{change.count_before:,}",
            f"{change.share_before:.0%}",
            f"{change.count_after:,}",
            f"{change.share_after:.0%}" if change.count_after else "",
            f"{change.repaired:.0%}" if change.repaired >= 0 else "[red]stronger[/]",
        )
    output().print(table)
    output().print()


def _prove_sample(before: Dataset, after: Dataset, out: Path | None) -> None:
    from longway.cli.live import Live
    from longway.cli.screen import output, show_result
    from longway.jobs.prove.job import prove

    output().print(
        "\n[bold]Now models are trained on both versions[/], and tested where shortcuts do not help:\n"
    )
    with Live(quiet=True) as live:
        result = prove(before, after, out=out or True, watcher=live)
    assert result.folder is not None  # `out` was given
    show_result(result, result.folder, file="results.json", as_json=False)
