"""`longway batch`: a rewrite by batch files of a provider: write the requests, submit them, collect the answers."""

from __future__ import annotations

import json as json_module
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli.options import Data, DataOptions, EngineOptions, OutputOptions, command
from longway.cli.rewrite import DecisionsOf, with_decisions
from longway.jobs.rewrite.settings import RewriteSettings

if TYPE_CHECKING:
    from longway.batch.request_files import RequestFile
    from longway.batch.rewrite_batch import BatchStep, CollectResult

app = typer.Typer(
    no_args_is_help=True,
    help="Rewrite by batch files: write the requests, submit them, collect the answers.",
)
RunFolder = Annotated[
    Path | None,
    typer.Option("--run", help="Run folder. Default: the only one in longway-runs with batch files."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@app.command("write")
@command
def write(
    data: Data,
    source: DataOptions,
    settings: RewriteSettings,
    engines: EngineOptions,
    output: OutputOptions,
    decisions: DecisionsOf = None,
) -> None:
    """Write the requests of the next step of a rewrite to files, in OpenAI's batch format.

    The options are those of `longway rewrite`, and so is the run. A step is the texts of a round, or the judgements of its
    candidates. Submit the files, collect the answers, and run this again for the next step, until everything is answered.

        longway batch write reviews.csv --engine served:gpt-4o-mini --judge none --rounds 1
    """
    from longway.batch.rewrite_batch import write_batch
    from longway.cli.screen import errors

    settings = with_decisions(settings, decisions)
    loaded = source.load(data)
    with errors().status("reading") as status:
        result = write_batch(
            loaded,
            split=source.split,
            settings=settings,
            engines=engines.engines(),
            out=output.out,
            step=status.update,
        )
    if output.json:
        _print_json(_step_json(result))
    else:
        _show_step(result)


@app.command("submit")
def submit(
    run: RunFolder = None,
    json: Json = False,
) -> None:
    """Submit the request files of a run to its server, if it supports batches (`/files` and `/batches`).

    A file is submitted once, and not at all if its calls are answered. With other providers, upload the files by hand and
    collect the answer files.
    """
    from longway.batch.rewrite_batch import run_with_batches, submit_batches
    from longway.cli.screen import safe

    folder = run_with_batches(run)

    def show_file(file: RequestFile) -> None:
        if not json:
            _show(f"{safe(file.name)}: batch {safe(file.batch_id)}, {safe(file.status)}")

    files = submit_batches(folder, on_file=show_file)
    if json:
        _print_json({"run": str(folder), "files": [_file_json(folder, file) for file in files]})
    elif files:
        _show(f"{_count(len(files), 'file')} submitted. Later: [bold]longway batch collect[/]")
    else:
        _show("There is nothing to submit. Next: [bold]longway batch collect[/]")


@app.command("collect")
def collect(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Answer files and error files, or folders of them, in any order. Default: fetch those of submitted batches."
        ),
    ] = None,
    run: RunFolder = None,
    missing: Annotated[
        bool,
        typer.Option(
            "--missing",
            help="Repeat requests that no file mentions, or that were turned away. Only if no batch is running.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Store the answers of batches in the journal of their run, and write new request files for those that failed or expired.

    Files may come in any order, repeatedly, and incomplete. `longway rewrite` with the options of `longway batch write` finds the
    answers in the journal.

        longway batch collect answers/*.jsonl
    """
    from longway.batch.rewrite_batch import collect_batches, run_with_batches
    from longway.cli.screen import errors

    folder = run_with_batches(run)
    with errors().status("collecting") as status:
        result = collect_batches(folder, files or (), again_missing=missing, step=status.update)
    if json:
        _print_json(_result_json(result))
    else:
        _show_result(result)


def _show(text: str) -> None:
    from longway.cli.screen import output

    output().print(text, soft_wrap=True)


def _print_json(value: object) -> None:
    # In ASCII: a server's message may contain characters that cannot be printed.
    typer.echo(json_module.dumps(value, indent=1))


def _show_step(step: BatchStep) -> None:
    from longway.cli.screen import safe

    folder = safe(str(step.folder))
    if step.note:
        _show(f"{safe(step.note)}.")
    if step.is_finished:
        return _show(f"This run is finished. Its results are in {folder}.")
    for file in step.files:
        path = safe(str(_path(step.folder, file)))
        _show(f"{path}: {_count(file.requests, 'request')} for {safe(file.engine)}")
    finish = f"Finish with the same options: [bold]longway rewrite ... --out {folder}[/]"
    if step.is_needless:
        return _show(f"No request is needed; the report says why. {finish}")
    if step.is_answered:
        return _show(f"Everything is answered. {finish}")
    if step.is_spent and not step.waiting:
        return _show(f"The budget allows no request of round {step.round}. Give a larger --budget.")
    if step.is_spent:
        _show("The budget allows no further request. Collect these first, or give a larger --budget.")
    earlier = step.waiting - step.left_out - sum(file.requests for file in step.files)
    if earlier > 0:
        _show(f"{_count(earlier, 'request')} in earlier files without an answer.")
    if step.left_out:
        _show(_left_out(step.left_out))
    if step.waiting > step.left_out:
        _show(
            f"Round {step.round} waits for {_count(step.waiting - step.left_out, 'answer')}. Next: [bold]longway batch submit[/] if the "
            "server supports batches, or upload the files to your provider; then [bold]longway batch collect[/]."
        )


def _show_result(result: CollectResult) -> None:
    from longway.cli.screen import safe, shortened

    waiting = result.waiting
    _show(f"Collected into {safe(str(result.folder))}: {result.collected.summary()}.")
    for outcome, custom_id, why in result.collected.listed:
        name = f" {custom_id[:12]}" if custom_id else ""
        _show(f"  {outcome}{safe(name)}: {safe(shortened(why, 160))}")
    if running := result.under_way - len(result.in_doubt) - len(result.forgotten):
        _show(f"{running:,} {'batch' if running == 1 else 'batches'} running. Collect again later.")
    for name in result.in_doubt:
        _show(
            f"It is unknown whether the batch of {safe(name)} was begun. [bold]longway batch submit[/] looks for it."
        )
    for name, why in result.forgotten.items():
        _show(
            f"The server has forgotten the batch of {safe(name)}: {safe(shortened(why, 200))}. If you have its answers, collect them: "
            "longway batch collect ANSWERS. Then [bold]longway batch collect --missing[/] repeats the lost requests, and pays again."
        )
    for file in result.again:
        path = safe(str(_path(result.folder, file)))
        _show(f"To be repeated, in {path}: {_count(file.requests, 'request')}. Submit it, or upload it.")
    if waiting.rejected:
        _show(
            f"{_count(waiting.rejected, 'request')} that the server does not accept. `longway batch write` with the same options "
            "writes them without the rejected part."
        )
    if waiting.unsent:
        _show(
            f"{_count(waiting.unsent, 'call')} in files without any answer yet. Submit or upload them, unless you did."
        )
    if waiting.missing:
        later = (
            "" if result.under_way else " If no batch is running any more: longway batch collect --missing."
        )
        _show(f"{_count(waiting.missing, 'call')} without an answer so far.{later}")
    if waiting.left_out:
        _show(_left_out(waiting.left_out))
    if not waiting.n and not result.again:
        _show(
            "Everything is answered. Next: [bold]longway batch write[/] for the next step, or [bold]longway rewrite[/]."
        )


def _left_out(n: int) -> str:
    return (
        f"{_count(n, 'call')} left out: repeated too often. Next: [bold]longway rewrite[/] with the same options makes them one by "
        "one, and all later ones."
    )


def _step_json(step: BatchStep) -> dict[str, object]:
    return {
        "run": str(step.folder),
        "files": [_file_json(step.folder, file) for file in step.files],
        "round": step.round,
        "waiting": step.waiting,
        "left_out": step.left_out,
        "budget_spent": step.is_spent,
        "answered": step.is_answered,
        "finished": step.is_finished,
    }


def _result_json(result: CollectResult) -> dict[str, object]:
    return {
        "run": str(result.folder),
        "counts": dict(result.collected.counts),
        "listed": [
            {"kind": kind, "custom_id": name, "why": why} for kind, name, why in result.collected.listed
        ],
        "again": [_file_json(result.folder, file) for file in result.again],
        **asdict(result.waiting),
        "under_way": result.under_way,
        "in_doubt": result.in_doubt,
        "forgotten": result.forgotten,
    }


def _file_json(folder: Path, file: RequestFile) -> dict[str, object]:
    return {
        "path": str(_path(folder, file)),
        "engine": file.engine,
        "requests": file.requests,
        "batch_id": file.batch_id,
        "status": file.status,
    }


def _path(folder: Path, file: RequestFile) -> Path:
    from longway.batch.request_files import FOLDER

    return folder / FOLDER / file.name


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
