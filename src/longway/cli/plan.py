"""`longway plan DATA`: what a job will take, before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli import rewrite_options as options
from longway.cli.options import Id, Label, Limit, SplitColumn, Text

if TYPE_CHECKING:
    from longway.recipes.plan import Plan

JOBS = ("audit", "rewrite", "augment")


def command(
    data: options.Data,
    jobs: Annotated[
        str,
        typer.Option(
            "--for", metavar="JOBS", help="What to plan: audit, rewrite, augment; several with commas."
        ),
    ] = "audit,rewrite",
    engine: options.Engine = "auto",
    judge: options.Judge = "auto",
    base_url: options.BaseUrl = None,
    judge_base_url: options.JudgeBaseUrl = None,
    requests_per_minute: Annotated[
        float | None, typer.Option(help="Requests that the server takes in a minute. Default: no limit.")
    ] = None,
    tokens_per_minute: Annotated[
        float | None,
        typer.Option(help="Tokens, read and written, that it takes in a minute. Default: no limit."),
    ] = None,
    in_flight: Annotated[int, typer.Option(min=1, help="Calls to the server under way at once.")] = 32,
    k: options.K = "0.1",
    candidates: options.Candidates = 4,
    rounds: options.Rounds = 10,
    augment_method: Annotated[
        str, typer.Option(help="Of `augment`: coba, counterfactual, paraphrase ...")
    ] = "coba",
    levels: Annotated[
        str | None, typer.Option(help="Of `audit`: what to look at, or all but some: -grammar.")
    ] = None,
    text: Text = None,
    context: options.Context = None,
    label: Label = None,
    id: Id = None,
    split: Annotated[str | None, typer.Option(help="Plan for this split. Default: train.")] = None,
    split_column: SplitColumn = None,
    limit: Limit = None,
    seed: options.Seed = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Tell rows, calls, tokens, money and time of an audit, a rewrite or an augmentation before anything is spent.

    Engines that compute here are timed on a few rows of the data. A server is never asked: what it takes follows from the
    options, or from what is assumed, and the plan says what that is.

        longway plan reviews.csv --engine served:gpt-4o-mini --requests-per-minute 500 --tokens-per-minute 200000

        longway plan reviews.csv --engine rules --for rewrite --k 500
    """
    from longway.cli.rewrite import settings_of
    from longway.cli.screen import errors
    from longway.data import load
    from longway.recipes.audit import AuditSettings, levels_named
    from longway.recipes.augment_settings import AugmentSettings
    from longway.recipes.engine_runs import Engines
    from longway.recipes.plan import ServerLimits, plan_audit, plan_augment, plan_rewrite

    wanted = _jobs(jobs)
    limits = ServerLimits(requests_per_minute, tokens_per_minute, in_flight)
    engines = Engines(base_url, judge_base_url)
    audited = AuditSettings(levels=levels_named(levels), seed=seed)
    rewritten = settings_of(engine=engine, judge=judge, k=k, candidates=candidates, rounds=rounds, seed=seed)
    augmented = AugmentSettings(method=augment_method, engine=engine, judge=judge, seed=seed)
    with errors().status("opening the data"):
        loaded = load(data, text=text, context=context, label=label, id=id, split=split_column, limit=limit)
    plans = []
    with errors().status("measuring on a few rows"):
        if "audit" in wanted:
            plans.append(plan_audit(loaded, audited, split=split))
        if "rewrite" in wanted:
            plans.append(plan_rewrite(loaded, rewritten, engines, limits, split=split))
        if "augment" in wanted:
            plans.append(plan_augment(loaded, augmented, engines, limits, split=split))
    if json:
        import json as json_module

        told = {"data": loaded.source_name, "plans": [plan.to_dict() for plan in plans]}
        typer.echo(json_module.dumps(told, indent=1))
        return
    for plan in plans:
        _show(plan)


def _jobs(named: str) -> list[str]:
    from longway.errors import SettingError

    wanted = [name.strip() for name in named.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in JOBS]
    if unknown or not wanted:
        raise SettingError(
            f"'--for' must be some of {', '.join(JOBS)}. Got {unknown[0] if unknown else 'nothing'!r}. "
            "Try --for audit,rewrite."
        )
    return wanted


def _show(plan: Plan) -> None:
    """Print one plan for people."""
    from rich.table import Table

    from longway.cli.screen import output, safe

    console = output()
    console.print(f"[bold]longway {plan.command}[/]: {plan.rows:,} rows")
    table = Table(box=None, pad_edge=False, header_style="dim", show_footer=True)
    totals = plan.to_dict()
    columns = (
        ("step", "all of it"),
        ("engine", ""),
        ("calls", _count(totals["calls"])),
        ("tokens read", _count(totals["prompt_tokens"])),
        ("written", _count(totals["completion_tokens"])),
        ("dollars", _dollars(plan.cost)),
        ("time", _time(plan.seconds)),
        ("from", ""),
    )
    for name, total in columns:
        right = name in ("calls", "tokens read", "written", "dollars", "time")
        table.add_column(name, footer=total, justify="right" if right else "left", overflow="fold")
    for step in plan.steps:
        table.add_row(
            step.name,
            safe(step.engine),
            _count(step.calls),
            _count(step.prompt_tokens),
            _count(step.completion_tokens),
            _dollars(step.cost) if step.calls else "",
            _time(step.seconds),
            safe(step.how),
        )
    console.print(table)
    for note in plan.notes:
        console.print(f"  {safe(note)}", style="dim", soft_wrap=True)
    console.print()


def _count(n: int) -> str:
    return f"{n:,}" if n else ""


def _dollars(cost: float | None) -> str:
    return "not known" if cost is None else f"${cost:,.2f}"


def _time(seconds: float) -> str:
    """A time as people say it.

    >>> _time(0.2), _time(75), _time(7300), _time(200_000)
    ('< 1 s', '75 s', '2.0 h', '2.3 days')
    """
    if seconds < 1:
        return "< 1 s"
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}" if seconds < 100 * size else f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.0f} s"
