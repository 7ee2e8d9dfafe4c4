"""`longway repair DATA`: make the data better."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from longway.cli.options import Data, DataOptions, DryRun, EngineOptions, OutputOptions, command
from longway.errors import SettingError
from longway.jobs.options import OUTPUT
from longway.jobs.repair.settings import RepairSettings


@command
def repair(
    data: Data,
    source: DataOptions,
    settings: RepairSettings,
    engines: EngineOptions,
    output: OutputOptions,
    dry_run: DryRun = False,
    drafts: Annotated[
        bool,
        typer.Option(
            "--drafts",
            help="With --dry-run: write drafts for a few rows, and estimate edits, time and what is left of each pattern from them. Takes half a minute.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
) -> None:
    """Repair the data: take shortcuts out, balance them by rows with another label, and leave out as few rows as possible.

    Every edit is verified, and used only if it makes the labels harder to guess from the surface. Writes the dataset in its own format,
    edits.jsonl with every draft and verdict, and report.html with before and after. The same command again resumes the run.

        longway repair claims.jsonl --text claim --context evidence --label label

        longway repair reviews.csv --keep great --max-change 20%

        longway repair claims.jsonl --remedy drop --goal chance

        longway repair claims.jsonl --engine served:gpt-4o-mini --budget 2
    """
    from longway.cli.ending import Step, again, end, show_edited
    from longway.cli.live import Live, estimate_words
    from longway.cli.screen import output as screen
    from longway.jobs.repair.job import repair as run_job
    from longway.jobs.repair.job import repair_plan
    from longway.jobs.repair.show import plan_page
    from longway.show.terminal import show

    loaded = source.load(data)
    if dry_run:
        with Live(quiet=True) as live:
            plan = repair_plan(
                loaded,
                settings,
                split=source.split,
                engines=engines.engines(),
                drafts=drafts,
                watcher=live,
            )
        if output.json:
            typer.echo(dumps(plan.to_dict(), indent=1))
            return
        show(plan_page(plan, loaded.source_name), screen())
        if plan.calls is not None:
            screen().print(estimate_words(plan.calls), soft_wrap=True)
        if not drafts:
            screen().print("With --drafts, a few drafts say how many edits to expect.")
        end("Nothing was changed: this is the plan.", Step("Carry it out", again("--dry-run", "--drafts")))
        return
    if drafts:
        raise SettingError("--drafts belongs to --dry-run. Add --dry-run, or leave it out.")
    with Live(quiet=output.json, adds_rows=True, ask=engines.asks) as live:
        result = run_job(
            loaded,
            settings,
            split=source.split,
            engines=engines.engines(),
            out=output.out or True,
            watcher=live,
        )
    show_edited(result, data, source, loaded, file="repair.json", as_json=output.json)
