"""`longway audit DATA`: find the shortcuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli.options import Data, DataOptions, On, OutputOptions, command
from longway.jobs.audit.settings import AuditSettings
from longway.jobs.options import DATA, OUTPUT

if TYPE_CHECKING:
    from longway.data import Dataset


@command
def audit(
    data: Data,
    source: DataOptions,
    settings: AuditSettings,
    output: OutputOptions,
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FILE",
            help="A held-out set: measure the leak on it and report shared rows. Repeatable.",
            rich_help_panel=DATA,
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="Findings to print; the report has more.", rich_help_panel=OUTPUT)
    ] = 15,
    on: On = None,
) -> None:
    """Find what a model could cheat with: words, phrases, positions, lengths, overlap, ranked and tested.

    Writes findings.json, scores.parquet and report.html into a run folder. The same command again shows the finished run.

        longway audit reviews.csv

        longway audit claims.jsonl --text claim --context evidence --label label --test dev.jsonl

        longway audit reviews.csv --levels -grammar
    """
    from longway.cli.live import Live
    from longway.cli.screen import show_result
    from longway.jobs.audit.job import audit as run

    if on is not None:
        from longway.jobs.placement import check_place

        check_place(on)
    loaded = source.load(data)
    tests = _tests(test or [], loaded, source.encoding)
    with Live(quiet=True) as live:
        result = run(
            loaded, settings, split=source.split, tests=tests, out=output.out or True, on=on, watcher=live
        )
    assert result.folder is not None  # `out` was given
    show_result(result, result.folder, file="findings.json", as_json=output.json, top=top)


def _tests(given: list[str], like: Dataset, encoding: str | None) -> dict[str, Dataset]:
    """The held-out sets by name, read with the columns of the audited data."""
    from longway.cli.named_files import named_files
    from longway.data import load

    columns = like.columns
    return {
        name: load(
            path,
            text=columns.text,
            context=columns.context or "",
            label=columns.label,
            encoding=encoding,
        )
        for name, path in named_files(given, "test").items()
    }
