"""`longway review RUN`: look at a run on a page of this machine, decide, export."""

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
        str | None, typer.Option(help="Name that stands with each decision. Default: your login name.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The dataset of an audit's run; others keep their own.")
    ] = None,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the page in a browser where there is a display."),
    ] = True,
) -> None:
    """Open a page on this machine to look at the findings and edits of a run, to accept, reject or rewrite them, and to export.

    Only this machine can reach the page, and only who has the address that is printed. Every decision is written into the run
    folder at once. Ctrl-C ends it. Needs the extra `review`.

        longway review longway-runs/reviews-rewrite

        longway review --no-browser --port 8123 --author ada
    """
    from longway.cli.screen import cells_progress, errors, output, safe
    from longway.review.book import Book
    from longway.review.serve import Review, has_display, serve

    name = _name(author)
    folder = run if run is not None else _newest()
    with cells_progress() as bar:
        bar.step("reading the run")
        book = Book(folder, data=data, progress=bar.progress)
    if data is not None and book.dataset_path is not None:
        errors().print(
            f"--data {safe(str(data))} is not looked at: the run keeps its own dataset, {safe(book.dataset_path.name)}.",
            soft_wrap=True,
        )
    review = Review(book, author=name, port=port)
    console = output()
    console.print(f"[bold]Review of {safe(str(folder))}[/], on this machine only:")
    console.print(f"  {review.url}", soft_wrap=True, markup=False)
    console.print("Who has this address can read and decide: keep it to yourself. Ctrl-C ends the review.")
    serve(review, folder=folder, browser=browser and has_display())
    book.close()
    kept = safe(str(book.database.path))
    console.print(f"\nThe review has ended. Every decision is kept in {kept}.", soft_wrap=True)


def _newest() -> Path:
    from longway.errors import RunError
    from longway.store import list_runs

    found = list_runs(RUNS)
    if not found:
        raise RunError(
            f"There is no run in {RUNS}. Expected a run folder to review. Name one, or make one: longway rewrite DATA."
        )
    return found[0][0]


def _name(author: str | None) -> str:
    """The author's name: as given, else the login name."""
    from longway.errors import SettingError

    if author is None:
        import getpass

        try:
            return getpass.getuser()
        except (KeyError, OSError):  # a user that the machine has no name for
            return "reviewer"
    if not (author.strip() and author.isprintable() and len(author) <= 80):
        raise SettingError(
            f"--author must be a name of 1 to 80 printable characters. Got {author!r:.100}. Leave it out to use the login name."
        )
    return author.strip()
