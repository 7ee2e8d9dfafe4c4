"""`longway repair DATA`: make the data better."""

from __future__ import annotations

from longway.cli.options import Data, DataOptions, DryRun, EngineOptions, OutputOptions, command
from longway.jobs.repair.settings import RepairSettings


@command
def repair(
    data: Data,
    source: DataOptions,
    settings: RepairSettings,
    engines: EngineOptions,
    output: OutputOptions,
    dry_run: DryRun = False,
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
    from longway.cli.live import Live
    from longway.cli.screen import output as screen
    from longway.jobs.repair.job import repair as run_job
    from longway.jobs.repair.job import repair_plan
    from longway.jobs.repair.show import plan_page
    from longway.show.terminal import show

    loaded = source.load(data)
    if dry_run:
        with Live(quiet=True) as live:
            plan = repair_plan(loaded, settings, split=source.split, engines=engines.engines(), watcher=live)
        page = plan_page(plan, loaded.source_name)
        show(page, screen())
        end("Nothing was changed: this is the plan.", Step("Carry it out", again("--dry-run")))
        return
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
