"""`longway repair DATA`: make the data better."""

from __future__ import annotations

from dataclasses import asdict
from json import dumps
from shlex import quote
from typing import TYPE_CHECKING

import typer

from longway.cli.options import (
    CandidateOptions,
    Data,
    DataOptions,
    DryRun,
    EngineOptions,
    On,
    OutputOptions,
    command,
    typed,
)
from longway.errors import SettingError
from longway.jobs.repair.settings import ChoiceRepairSettings, RepairSettings

if TYPE_CHECKING:
    from longway.data.choices import ChoiceDataset
    from longway.jobs.choices.repair.result import ChoicePlan
    from longway.jobs.repair.plan import RepairPlan
    from longway.report.sections import Page

OF_TEXTS = (
    "encoder",
    "keep",
    "only",
    "keep_size",
    "describe",
)  # options that say nothing about candidates


@command
def repair(
    data: Data,
    source: DataOptions,
    choice: CandidateOptions,
    settings: RepairSettings,
    engines: EngineOptions,
    output: OutputOptions,
    dry_run: DryRun = False,
    on: On = None,
) -> None:
    """Repair the data: reword, exchange, add and drop rows.

    Takes shortcuts out, balances them by rows with another label, and drops as few rows as possible. Every edit is verified, and used only if it makes the labels harder to guess from the surface. Writes the dataset in its own format,
    edits.jsonl with every draft and verdict, and report.html with before and after. The same command again resumes the run.

        longway repair claims.jsonl --text claim --context evidence --label label

        longway repair reviews.csv --keep great --max-change 20%

        longway repair claims.jsonl --remedy drop --goal chance

        longway repair claims.jsonl --engine served:gpt-4o-mini --budget 2

        longway repair quiz.jsonl --remedy normalise --remedy positions

    Data with candidates (multiple choice, preference pairs, votes) are recognised as by `longway audit`. Their repair makes the form of the
    candidates of a question the same, puts right ones at every place equally often, and leaves out as few questions as possible until
    the right candidate cannot be found without the prompt.
    """
    from longway.cli.change import change
    from longway.cli.live import Live
    from longway.jobs.repair import job
    from longway.jobs.repair.page import plan_page

    if (questions := choice.load(data, source)) is not None:
        if on is not None:
            raise SettingError("Data with candidates are repaired on this machine. Leave out --on.")
        _repair_candidates(data, questions, choice, settings, engines, output, dry_run=dry_run)
        return
    loaded = source.load(data)
    if dry_run:
        with Live(quiet=True) as live:
            plan = job.repair_plan(
                loaded, settings, split=source.split, engines=engines.engines(), watcher=live
            )
        _show_plan(plan, plan_page(plan, loaded.source_name), output)
        return
    change(
        "repair", data, source, loaded, settings, engines, output, run=job.repair, estimate=None, on=on, adds_rows=True,
    )  # fmt: skip


def _repair_candidates(
    data: str,
    questions: ChoiceDataset,
    choice: CandidateOptions,
    settings: RepairSettings,
    engines: EngineOptions,
    output: OutputOptions,
    *,
    dry_run: bool,
) -> None:
    """Repair data with candidates, or show the plan."""
    from longway.cli.ending import LEFT, PROVE, REVIEW, show_result
    from longway.cli.live import Live
    from longway.cli.screen import Step
    from longway.jobs.choices.repair.job import choice_repair_plan, repair_choices
    from longway.jobs.choices.repair.page import choice_plan_page

    chosen = _candidate_settings(settings, output)
    if dry_run:
        with Live(quiet=True) as live:
            plan = choice_repair_plan(questions, chosen, engines=engines.engines(), watcher=live)
        _show_plan(plan, choice_plan_page(plan, questions.source_name), output)
        return
    with Live(quiet=output.json, ask=engines.asks) as live:
        result = repair_choices(
            questions, chosen, engines=engines.engines(), out=output.out or True, watcher=live
        )
    assert result.folder is not None  # commands always write a run folder
    dataset = next(iter(sorted(result.folder.glob("dataset.*"))))
    folder, columns = quote(str(result.folder)), typed(CandidateOptions, asdict(choice))
    steps = [
        Step(REVIEW, f"longway review {folder}"),
        Step(PROVE, " ".join(["longway prove", quote(data), folder, *columns])),
        Step(LEFT, " ".join(["longway audit", quote(str(dataset)), *columns])),
    ]
    show_result(
        result, *(steps if result.is_changed else []), as_json=output.json, files={"Dataset": dataset},
    )  # fmt: skip


def _show_plan(plan: RepairPlan | ChoicePlan, page: Page, output: OutputOptions) -> None:
    """Print what a repair would do."""
    from longway.cli.live import estimate_words
    from longway.cli.screen import Step, end
    from longway.cli.screen import output as screen
    from longway.report.terminal import show

    if output.json:
        typer.echo(dumps(plan.to_dict(), indent=1))
        return
    show(page, screen())
    if plan.calls is not None:
        screen().print(estimate_words(plan.calls), soft_wrap=True)
    end("Nothing was changed: this is the plan.", Step("Carry it out", output.again("--dry-run")))


def _candidate_settings(settings: RepairSettings, output: OutputOptions) -> ChoiceRepairSettings:
    """The settings for data with candidates; SettingError if an option was given that is for labelled texts."""
    default = RepairSettings()
    for name in OF_TEXTS:
        if getattr(settings, name) != getattr(default, name):
            raise SettingError(
                f"--{name.replace('_', '-')} is for labelled texts. These data have candidates. Leave it out."
            )
    source = output.running.get_parameter_source("max_change")
    is_given = source is not None and source.name == "COMMANDLINE"
    engine = "none" if settings.engine == default.engine else settings.engine
    return ChoiceRepairSettings(
        goal=settings.goal,
        remedy=settings.remedy,
        engine=engine,
        judge=settings.judge,
        seed=settings.seed,
        max_drop=settings.max_change if is_given else ChoiceRepairSettings().max_drop,
    )
