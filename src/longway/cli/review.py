"""`longway review RUN`: open a run on a local web page, decide, export."""

from __future__ import annotations

import getpass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from longway.errors import RunError, SettingError

if TYPE_CHECKING:
    from longway.review.run_contents import RunContents

RUNS = Path("longway-runs")


def command(
    run: Annotated[
        Path | None, typer.Argument(help="The run folder. Default: the newest one in longway-runs.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1. 0: a free one.")] = 0,
    author: Annotated[
        str | None, typer.Option(help="Name recorded with each decision. Default: your login name.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="The original file: for an audit, which stores none, and for repairs of earlier versions, to restore rows that they dropped."
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=2000,
            help="Rate a random sample of this size: drawn once, the same for every rater. The page opens there.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of --sample.")] = 0,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the page in a browser if there is a display."),
    ] = True,
) -> None:
    """Accept, reject or rewrite edits on a local page.

    Only this machine can reach the page, and only with the printed address. Every decision is written to the run folder
    at once. Ctrl-C ends the review. Needs the extra `review`.

        longway review longway-runs/reviews-rewrite

        longway review --no-browser --port 8123 --author ada

        longway review longway-runs/reviews-perturb --sample 300 --author ada
    """
    from longway.cli.live import Live
    from longway.cli.screen import errors, output, safe
    from longway.review.run_contents import RunContents

    name = _author_name(author)
    folder = run if run is not None else _newest_run()
    with Live(quiet=True) as live:
        live.step("reading the run")
        contents = RunContents(folder, data=data, progress=live.progress)
    if data is not None and contents.dataset_path is not None and contents.command != "repair":
        errors().print(
            f"--data {safe(str(data))} is ignored: the run has its own dataset, {safe(contents.dataset_path.name)}.",
            soft_wrap=True,
        )
    from longway.review.sampling import draw_sample
    from longway.review.serve import Review, has_display, serve

    page = ""
    if sample is not None:  # drawn unless there is one of this size and seed
        drawn = draw_sample(contents, name=f"sample-{sample}-{seed}", size=sample, seed=seed, author=name)
        page = f"sample/{drawn.key}"
    review = Review(contents, author=name, port=port, page=page)
    console = output()
    console.print(f"[bold]Review of {safe(str(folder))}[/], on this machine only:")
    console.print(f"  {review.url}", soft_wrap=True, markup=False)
    console.print("Anyone with this address can read and decide: do not share it. Ctrl-C ends the review.")
    serve(review, folder=folder, browser=browser and has_display())
    try:
        _end(contents, folder)
    finally:
        contents.close()


def _end(contents: RunContents, folder: Path) -> None:
    """Write the dataset with the decisions, if there are any on edits; print how many there are, and what to do next."""
    from longway.cli.ending import LEFT
    from longway.cli.screen import Step, end
    from longway.report.numbers import counted
    from longway.review.export import dataset_name, export_dataset
    from longway.store.run_store import REVIEWED

    current = contents.decisions.current
    edits, findings = (
        sum(one.choice != "none" for one in current(kind).values()) for kind in ("edit", "finding")
    )
    verdict = f"{counted(edits, 'edit')} and {counted(findings, 'finding')} are decided."
    files = {"Decisions": contents.database.path}
    if not edits or not contents.can_export:
        end(verdict, Step("Continue the review", f"longway review {quote(str(folder))}"), files=files)
        return
    reviewed = folder / dataset_name(contents).replace("dataset", REVIEWED, 1)
    files["Dataset"] = export_dataset(contents, reviewed)
    columns = contents.columns
    named = (("text", columns.text), ("context", columns.context), ("label", columns.label))
    options = [f"--{name} {quote(value)}" for name, value in named if value]
    audit = " ".join(["longway audit", quote(str(reviewed)), *options])
    end(verdict, Step(LEFT, audit), files=files)


def _newest_run() -> Path:
    from longway.store import list_runs

    runs = list_runs(RUNS)
    if not runs:
        raise RunError(
            f"There is no run in {RUNS}. Expected a run folder to review. Name one, or make one: longway rewrite DATA."
        )
    return runs[0][0]


def _author_name(author: str | None) -> str:
    """The author's name: as given, otherwise the login name."""
    if author is None:
        try:
            return getpass.getuser()
        except (KeyError, OSError):  # a user without a name
            return "reviewer"
    if not (author.strip() and author.isprintable() and len(author) <= 80):
        raise SettingError(
            f"--author must be a name of 1 to 80 printable characters. Got {author!r:.100}. Leave it out to use the login name."
        )
    return author.strip()
