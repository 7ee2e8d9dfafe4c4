"""`longway demo`: the whole way on the built-in sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from longway.data import Dataset


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
    audit_out = True if out is None else out / f"{name}-audit"
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
    from longway.cli.rewrite_tables import show_planted, show_rewrite
    from longway.cli.screen import errors, output, safe, show_review
    from longway.data import load
    from longway.engines.registry import offline
    from longway.errors import EngineError, MissingExtra
    from longway.jobs.rewrite.planted import fates
    from longway.jobs.rewrite.rewrite import RewriteSettings
    from longway.jobs.rewrite.run_rewrite import run_rewrite
    from longway.sample import sample_path

    dataset = load(sample_path(name))
    try:
        engine = offline().spec
        settings = RewriteSettings(
            engine=engine,
            judge="none",
            choose="leak",
            stop="leak",
            k=0.34,
            candidates=4,
            rounds=2,
            patience=2,
        )
        who = (
            "by rules, with no model"
            if engine == "rules"
            else "by rules, and by the small model where no rule applies"
        )
        output().print(f"\n[bold]Now the texts that give their label away are rewritten[/], {who}:\n")
        with Live() as live:
            run, found = run_rewrite(
                dataset,
                settings=settings,
                out=None if out is None else out / f"{name}-rewrite",
                watcher=live,
            )
    except (MissingExtra, EngineError) as error:
        errors().print(
            f"[yellow]Not rewritten:[/] {safe(str(error))}\nOr: longway engines install rules", soft_wrap=True
        )
        return
    columns = dataset.columns
    after = load(
        next(run.folder.glob("dataset.*")),
        text=columns.text,
        context=columns.context or "",
        label=columns.label,
        split=columns.split,
    )
    show_planted(fates(name, dataset.select_split("train"), after.select_split("train")))
    show_rewrite(found, run.folder)
    _prove_sample(dataset, after, None if out is None else out / f"{name}-prove")
    show_review(output(), run.folder)


def _prove_sample(before: Dataset, after: Dataset, out: Path | None) -> None:
    from longway.cli.prove_tables import show_prove
    from longway.cli.screen import cells_progress, output
    from longway.jobs.prove.prove import ProveSettings, default_models
    from longway.jobs.prove.run_prove import run_prove

    output().print(
        "\n[bold]Now models are trained on both versions[/], and tested where shortcuts do not help:\n"
    )
    with cells_progress() as bar:
        run, results = run_prove(
            before,
            after,
            settings=ProveSettings(models=default_models()),
            out=out,
            step=bar.step,
            progress=bar.progress,
        )
    show_prove(results, run.folder)
