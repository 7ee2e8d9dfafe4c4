"""`longway rewrite DATA`: replace the texts whose surface predicts their label."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from longway.cli.options import Data, DataOptions, DryRun, EngineOptions, On, OutputOptions, command
from longway.jobs.options import METHOD
from longway.jobs.rewrite.settings import RewriteSettings

DecisionsOf = Annotated[
    Path | None,
    typer.Option(
        "--decisions",
        metavar="RUN",
        help="Run folder with a review: its real signal is left alone, its shortcuts are removed first (not with --choose gamma), its "
        "rejected texts are not proposed again.",
        hidden=True,
        rich_help_panel=METHOD,
    ),
]


@command
def rewrite(
    data: Data,
    source: DataOptions,
    settings: RewriteSettings,
    engines: EngineOptions,
    output: OutputOptions,
    reviewed: DecisionsOf = None,  # not "decisions": a field of the settings has that name
    dry_run: DryRun = False,
    on: On = None,
) -> None:
    """Rewrite texts whose surface predicts their label (RAZOR).

    Labels, ids and size stay. Each new text is checked: does the label still hold, are negation, numbers and names preserved, is the meaning close, is it a
    text at all. Writes the dataset in its own format, edits.jsonl with every candidate and verdict, and report.html with before
    and after. The same command again resumes the run and pays for nothing twice. --paper runs RAZOR as published.

        longway rewrite claims.jsonl --text claim --context evidence --label label

        longway rewrite reviews.csv --keep great --keep awful

        longway rewrite reviews.csv --engine served:gpt-4o-mini --budget 2

        longway rewrite reviews.csv --decisions longway-runs/reviews-rewrite
    """
    from longway.cli.change import change
    from longway.jobs.rewrite import job

    change(
        "rewrite",
        data,
        source,
        source.load(data),
        with_decisions(settings, reviewed),
        engines,
        output,
        run=job.rewrite,
        estimate=job.rewrite_estimate if dry_run else None,
        on=on,
    )


def with_decisions(settings: RewriteSettings, folder: Path | None) -> RewriteSettings:
    """The settings with the decisions of a review. folder: of the run that was reviewed."""
    if folder is None:
        return settings
    from longway.review.export import decisions_of

    return replace(settings, decisions=decisions_of(folder))
