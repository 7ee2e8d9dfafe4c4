"""`longway batch`: a rewrite whose questions go to a provider in files, and whose answers come back in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longway.cli import rewrite_options as options
from longway.cli.options import Id, Label, Limit, SplitColumn, Text

if TYPE_CHECKING:
    from longway.llm.batch import RequestFile
    from longway.recipes.batch import Answered, Step

app = typer.Typer(
    no_args_is_help=True,
    help="Rewrite by the batch: write the questions to files, submit them, collect the answers.",
)
RunFolder = Annotated[
    Path | None,
    typer.Option("--run", help="Run folder. Default: the only one in longway-runs that has batch files."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@app.command("write")
def write(
    data: options.Data,
    engine: options.Engine = "auto",
    judge: options.Judge = "auto",
    base_url: options.BaseUrl = None,
    judge_base_url: options.JudgeBaseUrl = None,
    budget: options.Budget = None,
    choose: options.Choose = "gamma",
    rerank: options.Rerank = False,
    keep: options.Keep = None,
    decisions: options.Decisions = None,
    k: options.K = "0.1",
    candidates: options.Candidates = 4,
    rounds: options.Rounds = 10,
    patience: options.Patience = 1,
    stop: options.Stop = "cosine",
    balance: options.Balance = "none",
    space: options.Space = "mean",
    temperature: options.Temperature = 0.7,
    top_p: options.TopP = 0.9,
    text: Text = None,
    context: options.Context = None,
    label: Label = None,
    id: Id = None,
    split: options.Split = None,
    split_column: SplitColumn = None,
    limit: Limit = None,
    out: options.Out = None,
    seed: options.Seed = 0,
    json: Json = False,
) -> None:
    """Write the requests of the next step of a rewrite to files, in OpenAI's batch form.

    The options are those of `longway rewrite`, and so is the run. A step is the texts of a round, or the judgements of its
    candidates. Submit the files, collect the answers, and run this again for the next step, until it says that all is answered.

        longway batch write reviews.csv --engine served:gpt-4o-mini --judge none --rounds 1
    """
    from longway.cli.rewrite import decided_in, share_of
    from longway.cli.screen import errors
    from longway.data import load
    from longway.recipes.batch import write_batch
    from longway.recipes.engine_runs import Engines
    from longway.recipes.rewrite import RewriteSettings

    settings = RewriteSettings(
        engine=engine,
        judge=judge,
        choose=choose,  # type: ignore[arg-type]
        rerank=rerank,
        k=share_of(k),
        candidates=candidates,
        rounds=rounds,
        patience=patience,
        stop=stop,  # type: ignore[arg-type]
        balance=balance,  # type: ignore[arg-type]
        space=space,  # type: ignore[arg-type]
        keep=tuple(keep or ()),
        decisions=None if decisions is None else decided_in(decisions),
        temperature=temperature,
        top_p=top_p,
        seed=seed,
    )
    with errors().status("opening the data") as status:
        loaded = load(data, text=text, context=context, label=label, id=id, split=split_column, limit=limit)
        found = write_batch(
            loaded,
            split=split,
            settings=settings,
            engines=Engines(base_url, judge_base_url, budget),
            out=out,
            step=status.update,
        )
    if json:
        _print_json(_step(found))
        return
    _show_step(found)


@app.command("submit")
def submit(
    run: RunFolder = None,
    json: Json = False,
) -> None:
    """Hand the request files of a run to its server, where it takes batches (`/files` and `/batches`).

    A file that was submitted is not submitted again. Other providers take the files by upload; collect what they give you.
    """
    from longway.cli.screen import output, safe
    from longway.recipes.batch import run_with_batches, submit_batches

    console = output()
    folder = run_with_batches(run)

    def tell(file: RequestFile) -> None:
        if not json:
            console.print(
                f"{safe(file.name)}: batch {safe(file.batch_id)}, {safe(file.status)}", soft_wrap=True
            )

    files = submit_batches(folder, on_file=tell)
    if json:
        _print_json({"run": str(folder), "files": [_file(folder, file) for file in files]})
    elif files:
        console.print(f"{_n(len(files), 'file')} submitted. Later: [bold]longway batch collect[/]")
    else:
        console.print("All files were submitted before. Next: [bold]longway batch collect[/]")


@app.command("collect")
def collect(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Answer files and error files, or folders of them, in any order. None: fetch those of submitted batches."
        ),
    ] = None,
    run: RunFolder = None,
    missing: Annotated[
        bool,
        typer.Option(
            "--missing", help="Ask again for what no file spoke of. Only when no batch is under way."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Put the answers of batches into the journal of their run, and write a new request file for what failed or expired.

    Files may come in any order, more than once, and cut off. `longway rewrite` with the options of `longway batch write` finds the
    answers in the journal and asks for none of them.

        longway batch collect answers/*.jsonl
    """
    from longway.cli.screen import errors
    from longway.recipes.batch import collect_batches, run_with_batches

    folder = run_with_batches(run)
    with errors().status("collecting") as status:
        found = collect_batches(folder, files or (), again_missing=missing, step=status.update)
    if json:
        _print_json(_answered(found))
        return
    _show_answered(found)


def _show_step(found: Step) -> None:
    from longway.cli.screen import output, safe

    console = output()
    if found.note:
        console.print(f"{safe(found.note)}.", soft_wrap=True)
    for file in found.files:
        path = found.folder / "batch" / file.name
        console.print(
            f"{safe(str(path))}: {_n(file.requests, 'request')} for {safe(file.engine)}", soft_wrap=True
        )
    if found.is_spent:
        console.print("The budget holds no further request. Collect these first, or give a larger --budget.")
    if found.is_answered:
        console.print(
            f"Everything is answered. Finish with the same options: [bold]longway rewrite ... --out {safe(str(found.folder))}[/]",
            soft_wrap=True,
        )
        return
    before = found.waiting - sum(file.requests for file in found.files)
    if before > 0:
        console.print(f"{_n(before, 'request')} of earlier files without an answer.")
    console.print(
        f"Round {found.round} waits for {_n(found.waiting, 'answer')}. Next: [bold]longway batch submit[/] where the server takes "
        "batches, or upload the files to your provider; then [bold]longway batch collect[/].",
        soft_wrap=True,
    )


def _show_answered(found: Answered) -> None:
    from longway.cli.screen import output, safe, shortened

    console = output()
    counts = ", ".join(f"{n:,} {kind}" for kind, n in found.collected.counts.items()) or "nothing"
    console.print(f"Collected into {safe(str(found.folder))}: {counts}.", soft_wrap=True)
    for kind, custom_id, why in found.collected.listed:
        name = f" {custom_id[:12]}" if custom_id else ""
        console.print(f"  {kind}{safe(name)}: {safe(shortened(why, 160))}", soft_wrap=True)
    if found.under_way:
        console.print(f"{_n(found.under_way, 'batch', 'batches')} under way. Collect again later.")
    for file in found.again:
        path = found.folder / "batch" / file.name
        console.print(
            f"Asked again in {safe(str(path))}: {_n(file.requests, 'request')}. Submit it, or upload it.",
            soft_wrap=True,
        )
    if found.rejected:
        console.print(
            "The server does not take some requests as they are. `longway batch write` with the options of before writes them "
            "without the part in question.",
            soft_wrap=True,
        )
    if found.missing:
        told = (
            "" if found.under_way else " If no batch is under way any more: longway batch collect --missing."
        )
        console.print(f"{_n(found.missing, 'question')} without an answer so far.{told}", soft_wrap=True)
    elif not found.again and not found.rejected:
        console.print(
            "All is answered. Next: [bold]longway batch write[/] for the next step, or [bold]longway rewrite[/]."
        )


def _step(found: Step) -> dict[str, Any]:
    return {
        "run": str(found.folder),
        "files": [_file(found.folder, file) for file in found.files],
        "round": found.round,
        "waiting": found.waiting,
        "budget_spent": found.is_spent,
        "answered": found.is_answered,
    }


def _answered(found: Answered) -> dict[str, Any]:
    return {
        "run": str(found.folder),
        "counts": dict(found.collected.counts),
        "listed": [
            {"kind": kind, "custom_id": name, "why": why} for kind, name, why in found.collected.listed
        ],
        "again": [_file(found.folder, file) for file in found.again],
        "missing": found.missing,
        "under_way": found.under_way,
    }


def _file(folder: Path, file: Any) -> dict[str, Any]:
    return {
        "path": str(folder / "batch" / file.name),
        "engine": file.engine,
        "requests": file.requests,
        "batch_id": file.batch_id,
        "status": file.status,
    }


def _n(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _print_json(value: Any) -> None:
    import json

    typer.echo(json.dumps(value, indent=1, ensure_ascii=False))
