"""`longway bench plant DATA`: plant known shortcuts in a dataset."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli.options import Data, DataOptions, OutputOptions, command
from longway.jobs.options import DATA
from longway.jobs.plant.settings import PlantSettings

if TYPE_CHECKING:
    from longway.data import Dataset
    from longway.jobs.plant.result import PlantResult

HELP = "Make data with known shortcuts, on which a method can be measured."
app = typer.Typer(no_args_is_help=True, help=HELP)


@app.callback(help=HELP)
def bench() -> None:
    """Keep `plant` a subcommand although it is the only one."""


@app.command("plant")
@command
def plant(
    data: Data,
    source: DataOptions,
    settings: PlantSettings,
    output: OutputOptions,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Test rows, with the same columns. Default: the split named test or dev, else a fifth of the rows.",
            rich_help_panel=DATA,
        ),
    ] = None,
) -> None:
    """Plant known shortcuts in a clean dataset, and make test sets that show whether a model uses them.

    Writes the training rows with the shortcuts, the test rows three times (shortcuts tied to the other labels, to none, and no
    shortcuts at all) and planted.json with the truth. Labels, ids and other columns stay. The inserted texts are English. The same
    command gives the same files.

        longway bench plant reviews.csv --kind word --kind length:0.9

        longway bench plant claims.jsonl --kind overlap --for SUPPORTS --test dev.jsonl

        longway bench plant reviews.csv --kind "position=... all in all" --kind "word:0.8=matinee" --rate 0.1
    """
    from longway.cli.screen import errors
    from longway.data import load
    from longway.jobs.plant.job import plant_data

    loaded = source.load(data)
    columns = loaded.columns
    tested = None
    if test is not None:
        tested = load(
            test,
            text=columns.text,
            context=columns.context or "",
            label=columns.label,
            encoding=source.encoding,
        )
    plants = settings.plants(loaded.labels)
    with errors().status("planting"):
        result = plant_data(
            loaded, plants, split=source.split, test=tested, seed=settings.seed, out=output.out or True
        )
    _show(result, source, loaded, as_json=output.json)


def _show(result: PlantResult, source: DataOptions, loaded: Dataset, *, as_json: bool) -> None:
    from longway.cli.ending import REPAIR, Step, end, on_data, printed_json
    from longway.cli.screen import output
    from longway.show.terminal import show

    folder = result.folder
    assert folder is not None  # planting always writes one
    if printed_json(folder / "planted.json", as_json):
        return
    page = result.page()
    show(page, output())
    files = {name: str(folder / file) for name, file in result.files.items()}
    train, repaired = files.pop("train"), f"{folder}-repair"
    tests = [
        part for name, file in files.items() for part in ("--test", f"{name.removeprefix('test_')}={file}")
    ]
    written = replace(
        source, split=None, split_column=None, limit=None
    )  # the files hold the rows that were chosen
    end(
        page.verdict,
        Step("Find them", on_data("audit", train, written, loaded)),
        Step(REPAIR, f"{on_data('repair', train, written, loaded)} --out {quote(repaired)}"),
        Step("Then measure the effect", on_data("prove", train, written, loaded, repaired, *tests)),
        files={"Folder": folder},
    )
