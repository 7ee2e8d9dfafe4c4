"""`longway batch`: a rewrite by batch files of a provider: write the requests, submit them, collect the answers."""

from __future__ import annotations

import json as json_module
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli.options import Data, DataOptions, EngineOptions, OutputOptions, command
from longway.cli.rewrite import DecisionsOf, with_decisions
from longway.jobs.rewrite.settings import RewriteSettings

if TYPE_CHECKING:
    from longway.batch.request_files import RequestFile
    from longway.batch.rewrite_batch import BatchStep, CollectResult
    from longway.cli.ending import Step

app = typer.Typer(
    no_args_is_help=True,
    help="Rewrite by batch files: write the requests, submit them, collect the answers.",
)
COMMAND_FILE = "command.txt"
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
    from longway.cli.ending import again
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
    _keep_command(result.folder, again())
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
    from longway.cli.ending import Step, end
    from longway.cli.screen import safe

    folder = run_with_batches(run)

    def show_file(file: RequestFile) -> None:
        if not json:
            _show(f"{safe(file.name)}: batch {safe(file.batch_id)}, {safe(file.status)}")

    files = submit_batches(folder, on_file=show_file)
    if json:
        _print_json({"run": str(folder), "files": [_file_json(folder, file) for file in files]})
        return
    verdict = f"{_count(len(files), 'file')} submitted." if files else "There is nothing to submit."
    end(verdict, Step("Later, collect the answers", _batch("collect", folder)))


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
    from longway.cli.ending import end
    from longway.cli.screen import safe

    if step.note:
        _show(f"{safe(step.note)}.")
    for file in step.files if not step.is_finished else ():
        path = safe(str(_path(step.folder, file)))
        _show(f"{path}: {_count(file.requests, 'request')} for {safe(file.engine)}")
    earlier = step.waiting - step.left_out - sum(file.requests for file in step.files)
    if earlier > 0 and not step.is_finished:
        _show(f"{_count(earlier, 'request')} in earlier files without an answer.")
    verdict, steps = _step_end(step)
    end(verdict, *steps)


def _step_end(step: BatchStep) -> tuple[str, list[Step]]:
    """The verdict on a step, and the next commands."""
    from longway.cli.ending import Step, again

    folder = step.folder
    finish = Step("Finish the rewrite", _rewrite(again()))
    if step.is_finished:
        return "This run is finished.", [Step("Look at it", f"longway review {quote(str(folder))}")]
    if step.is_needless:
        return "No request is needed; the report says why.", [finish]
    if step.is_answered:
        return "Everything is answered.", [finish]
    if step.is_spent and not step.waiting:
        return f"The budget allows no request of round {step.round}.", [
            Step("Without a budget", again("--budget"))
        ]
    collect = Step("Then collect the answers", _batch("collect", folder))
    if step.waiting > step.left_out:
        verdict = f"Round {step.round} waits for {_count(step.waiting - step.left_out, 'answer')}"
        spent = "; the budget allows no further request" if step.is_spent else ""
        submit = Step("Submit the files, or upload them to your provider", _batch("submit", folder))
        return f"{verdict}{spent}.", [submit, collect]
    return f"{_left_out(step.left_out)}.", [Step("Make them one by one", _rewrite(again()))]


def _show_result(result: CollectResult) -> None:
    from longway.cli.ending import end
    from longway.cli.screen import safe, shortened

    waiting = result.waiting
    for outcome, custom_id, why in result.collected.listed:
        name = f" {custom_id[:12]}" if custom_id else ""
        _show(f"  {outcome}{safe(name)}: {safe(shortened(why, 160))}")
    for name in result.in_doubt:
        _show(f"It is unknown whether the batch of {safe(name)} was begun; submitting looks for it.")
    for name, why in result.forgotten.items():
        _show(
            f"The server has forgotten the batch of {safe(name)}: {safe(shortened(why, 200))}. If you have its answers, collect them: "
            "longway batch collect ANSWERS. With --missing the lost requests are repeated, and paid again."
        )
    for file in result.again:
        path = safe(str(_path(result.folder, file)))
        _show(f"To be repeated, in {path}: {_count(file.requests, 'request')}. Submit it, or upload it.")
    if waiting.rejected:
        _show(
            f"{_count(waiting.rejected, 'request')} that the server does not accept: written again without the rejected part."
        )
    if waiting.unsent:
        _show(
            f"{_count(waiting.unsent, 'call')} in files without any answer yet. Submit or upload them, unless you did."
        )
    if waiting.missing:
        _show(f"{_count(waiting.missing, 'call')} without an answer so far.")
    if waiting.left_out:
        _show(f"{_left_out(waiting.left_out)}.")
    verdict = f"Collected into {result.folder}: {result.collected.summary()}."
    end(verdict, *_collect_steps(result))


def _collect_steps(result: CollectResult) -> list[Step]:
    """The next commands, the most likely one first."""
    from longway.cli.ending import Step

    folder, waiting, command = result.folder, result.waiting, _kept_command(result.folder)
    running = result.under_way - len(result.in_doubt) - len(result.forgotten)
    steps = []
    if result.again or result.in_doubt or waiting.unsent:
        steps.append(Step("Submit the files", _batch("submit", folder)))
    if waiting.rejected:
        steps.append(Step("Write the rejected requests again", command))
    if running:
        steps.append(
            Step(f"{_count(running, 'batch')} running; collect again later", _batch("collect", folder))
        )
    elif waiting.missing or result.forgotten:
        steps.append(Step("If no batch is running any more", _batch("collect", folder, "--missing")))
    if waiting.left_out:
        steps.append(Step("Make the calls that were left out one by one", _rewrite(command)))
    return steps or [Step("Everything is answered; write the next step", command)]


def _batch(name: str, folder: Path, *options: str) -> str:
    """A command on the batches of a run."""
    return " ".join(["longway batch", name, "--run", quote(str(folder)), *options])


def _rewrite(write: str) -> str:
    """The rewrite with the options of `longway batch write`."""
    return write.replace("longway batch write", "longway rewrite", 1)


def _keep_command(folder: Path, command: str) -> None:
    """Store the command of a run for the last lines of `longway batch collect`."""
    from longway.batch.request_files import FOLDER
    from longway.store import replacing

    if (folder / FOLDER).is_dir():
        with replacing(folder / FOLDER / COMMAND_FILE) as temporary:
            temporary.write_text(command, encoding="utf-8")


def _kept_command(folder: Path) -> str:
    from longway.batch.request_files import FOLDER

    file = folder / FOLDER / COMMAND_FILE
    return file.read_text(encoding="utf-8") if file.is_file() else "longway batch write"


def _left_out(n: int) -> str:
    return f"{_count(n, 'call')} left out: repeated too often"


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
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun}es" if noun.endswith("ch") else f"{number:,} {noun}s"
