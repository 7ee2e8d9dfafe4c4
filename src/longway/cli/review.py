"""`longway review RUN`: open a run on a local web page, decide, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
            help="The original file: for an audit, which stores none, and for a repair, to restore rows that it dropped."
        ),
    ] = None,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the page in a browser if there is a display."),
    ] = True,
) -> None:
    """Open a local web page with the findings and edits of a run: accept, reject or rewrite them, and export the result.

    Only this machine can reach the page, and only with the printed address. Every decision is written to the run folder
    at once. Ctrl-C ends the review. Needs the extra `review`.

        longway review longway-runs/reviews-rewrite

        longway review --no-browser --port 8123 --author ada
    """
    from longway.cli.screen import cells_progress, errors, output, safe
    from longway.review.run_contents import RunContents
    from longway.review.serve import Review, has_display, serve

    name = _author_name(author)
    folder = run if run is not None else _newest_run()
    with cells_progress() as bar:
        bar.step("reading the run")
        contents = RunContents(folder, data=data, progress=bar.progress)
    if data is not None and contents.dataset_path is not None and contents.command != "repair":
        errors().print(
            f"--data {safe(str(data))} is ignored: the run has its own dataset, {safe(contents.dataset_path.name)}.",
            soft_wrap=True,
        )
    review = Review(contents, author=name, port=port)
    console = output()
    console.print(f"[bold]Review of {safe(str(folder))}[/], on this machine only:")
    console.print(f"  {review.url}", soft_wrap=True, markup=False)
    console.print("Anyone with this address can read and decide: do not share it. Ctrl-C ends the review.")
    serve(review, folder=folder, browser=browser and has_display())
    contents.close()
    path = safe(str(contents.database.path))
    console.print(f"\nThe review has ended. All decisions are in {path}.", soft_wrap=True)


def _newest_run() -> Path:
    from longway.errors import RunError
    from longway.store import list_runs

    runs = list_runs(RUNS)
    if not runs:
        raise RunError(
            f"There is no run in {RUNS}. Expected a run folder to review. Name one, or make one: longway rewrite DATA."
        )
    return runs[0][0]


def _author_name(author: str | None) -> str:
    """The author's name: as given, otherwise the login name."""
    from longway.errors import SettingError

    if author is None:
        import getpass

        try:
            return getpass.getuser()
        except (KeyError, OSError):  # a user without a name
            return "reviewer"
    if not (author.strip() and author.isprintable() and len(author) <= 80):
        raise SettingError(
            f"--author must be a name of 1 to 80 printable characters. Got {author!r:.100}. Leave it out to use the login name."
        )
    return author.strip()
