"""`longway engines`: which engines are available, and a self-test of each; `install` installs what one needs, `exam` tests one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from longway.engines.registry import EngineStatus

HELP = "List the engines that write and judge text, test how good one is, and install what one needs."
app = typer.Typer(invoke_without_command=True, no_args_is_help=False, help=HELP)


@app.callback(help=HELP)
def command(
    context: typer.Context,
    test: Annotated[
        bool,
        typer.Option("--test/--no-test", help="Have each engine rewrite two sentences and time the second."),
    ] = False,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="Address of an OpenAI-compatible server."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List engines, unless a subcommand runs."""
    if context.invoked_subcommand is not None:
        return
    from longway.engines.registry import available, choose
    from longway.errors import EngineError

    statuses = available(test=test, base_url=base_url)
    try:
        chosen = choose(base_url=base_url)
        auto = {"engine": chosen.spec, "why": chosen.why}
    except EngineError as error:
        auto = {"engine": "", "why": str(error)}
    if json:
        import json as json_module

        engines = [status.to_dict() for status in statuses]
        typer.echo(json_module.dumps({"engines": engines, "auto": auto}, indent=1))
        return
    _show(statuses, auto)


@app.command("install")
def install(
    engine: Annotated[str, typer.Argument(help="rules, gguf, served, or local for the sentence encoder.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Install what an engine needs. Shows packages and sizes first."""
    from longway.cli.ending import Step, end
    from longway.cli.screen import output
    from longway.engines.install import commands, parts_missing
    from longway.engines.install import install as install_parts

    console = output()
    missing = parts_missing(engine)
    if not missing:
        end(f"The engine {engine} is complete.", Step("Test it", "longway engines --test"))
        return
    console.print(f"The engine {engine} needs these packages, about {sum(p.megabytes for p in missing)} MB:")
    for package in missing:
        console.print(f"  {package.requirement:<28} {package.megabytes:>4} MB", markup=False)
    console.print("\nCommands:")
    for line in commands(missing):
        console.print(f"  {line}", markup=False)
    if not yes and not typer.confirm("\nInstall them now?"):
        raise typer.Abort
    with console.status("installing ..."):
        install_parts(engine)
    end(f"The engine {engine} is installed.", Step("Test it", "longway engines --test"))


@app.command("exam")
def exam(
    name: Annotated[str, typer.Argument(metavar="ENGINE", help="served:MODEL, gguf:FILE or rules.")],
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Most questions per job. Default: all 101 for judging, 20 for rewriting, all of the others.",
        ),
    ] = None,
    minutes: Annotated[
        float,
        typer.Option(
            min=0.1, help="Minutes after which no more questions are asked; the same command continues."
        ),
    ] = 5.0,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Address of an OpenAI-compatible server.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="Most to spend, in dollars, over all starts of this exam.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before money is spent.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Test how good an engine is at judging and writing, on questions with known answers.

    Judges rows of five tasks, rewrites texts, writes counterparts with another label, makes triples and changes people. The result is
    stored, and `--engine auto` uses it. The same command again continues an interrupted exam and pays for nothing twice.

        longway engines exam served:gpt-4o-mini --budget 0.20

        longway engines exam gguf:model.gguf --limit 10
    """
    from longway.cli.ending import Step, end, own_file
    from longway.cli.live import Live
    from longway.cli.screen import output
    from longway.jobs.engine_use import Engines
    from longway.jobs.exam.grades import SAMPLE
    from longway.jobs.exam.job import exam as run
    from longway.jobs.exam.settings import ExamSettings
    from longway.sample import sample_path
    from longway.show.terminal import show

    engines = Engines(base_url=base_url, budget=budget)
    with Live(ask=not yes and budget is None) as live:
        result = run(name, ExamSettings(limit, minutes), engines=engines, watcher=live)
    if json:
        import json as json_module

        typer.echo(json_module.dumps(result.to_dict(), indent=1))
        return
    page = result.page()
    show(page, output())
    sample = sample_path(SAMPLE)
    is_tried = str(sample) in result.next
    end(
        page.verdict, Step("Try it on the built-in sample" if is_tried else "Ask more questions", result.next)
    )
    if is_tried:
        own_file(sample)


def _show(statuses: list[EngineStatus], auto: dict[str, str]) -> None:
    from shlex import quote

    from rich.table import Table

    from longway.cli.ending import Step, end
    from longway.cli.screen import output, safe

    console = output()
    table = Table("engine", "state", "speed", "what it is", box=None, pad_edge=False, header_style="dim")
    for status in statuses:
        state = "[green]ready[/]" if status.ready else "[yellow]not ready[/]"
        table.add_row(status.name, state, _speed(status), safe(status.detail))
    console.print(table)
    if tested := [status for status in statuses if status.self_test]:
        from longway.engines.registry import TEST_TEXTS

        console.print(f"\nSelf-test, rewriting: {TEST_TEXTS[-1]}", style="dim", markup=False)
        for status in tested:
            console.print(f"  [bold]{status.name:<7}[/] {safe(status.self_test)}")
    if not auto["engine"]:
        end(auto["why"], Step("Install one", "longway engines install rules"))
        return
    console.print(f"\n--engine auto uses [bold]{safe(auto['engine'])}[/]: {safe(auto['why'])}.")
    ready = [status.name for status in statuses if status.ready]
    best = re.split(r"[,+]", auto["engine"])[-1]
    end(
        f"{', '.join(ready)} {'is' if len(ready) == 1 else 'are'} ready; without --engine, {auto['engine']} is used.",
        Step("Test how good it is", f"longway engines exam {quote(best)}"),
    )


def _speed(status: EngineStatus) -> str:
    if status.texts_per_second is None:
        return ""
    texts = status.texts_per_second
    shown = f"{texts:.0f} texts/s" if texts >= 2 else f"{1 / texts:.1f} s per text"
    return shown + (f", {status.tokens_per_second:.0f} tokens/s" if status.tokens_per_second else "")
