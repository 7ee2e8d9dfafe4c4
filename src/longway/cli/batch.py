"""`longway batch`: a rewrite whose questions go to a provider in files, and whose answers come back in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longway.cli import rewrite_options as options
from longway.cli.options import Id, Label, Limit, SplitColumn, Text

if TYPE_CHECKING:
    from longway.llm.batch import RequestFile

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
    from longway.cli.batch_screen import show_step, step_json
    from longway.cli.rewrite import settings_of
    from longway.cli.screen import errors
    from longway.data import load
    from longway.recipes.batch import write_batch
    from longway.recipes.engine_runs import Engines

    settings = settings_of(
        engine=engine,
        judge=judge,
        choose=choose,
        rerank=rerank,
        k=k,
        candidates=candidates,
        rounds=rounds,
        patience=patience,
        stop=stop,
        balance=balance,
        space=space,
        keep=keep,
        decisions=decisions,
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
        _print_json(step_json(found))
        return
    show_step(found)


@app.command("submit")
def submit(
    run: RunFolder = None,
    json: Json = False,
) -> None:
    """Hand the request files of a run to its server, where it takes batches (`/files` and `/batches`).

    A file that was submitted is not submitted again, nor is one whose questions are answered. Other providers take the files by
    upload; collect what they give you.
    """
    from longway.cli.batch_screen import count_of, file_json
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
        _print_json({"run": str(folder), "files": [file_json(folder, file) for file in files]})
    elif files:
        console.print(f"{count_of(len(files), 'file')} submitted. Later: [bold]longway batch collect[/]")
    else:
        console.print("Nothing is left to submit. Next: [bold]longway batch collect[/]")


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
            "--missing",
            help="Ask again for what the files did not speak of, or was turned away. Only when no batch is under way.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Put the answers of batches into the journal of their run, and write a new request file for what failed or expired.

    Files may come in any order, more than once, and cut off. `longway rewrite` with the options of `longway batch write` finds the
    answers in the journal and asks for none of them.

        longway batch collect answers/*.jsonl
    """
    from longway.cli.batch_screen import answered_json, show_answered
    from longway.cli.screen import errors
    from longway.recipes.batch import collect_batches, run_with_batches

    folder = run_with_batches(run)
    with errors().status("collecting") as status:
        found = collect_batches(folder, files or (), again_missing=missing, step=status.update)
    if json:
        _print_json(answered_json(found))
        return
    show_answered(found)


def _print_json(value: Any) -> None:
    import json

    # In ASCII: what a server says may be no text that can be printed.
    typer.echo(json.dumps(value, indent=1))
