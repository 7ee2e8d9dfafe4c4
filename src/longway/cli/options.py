"""Options that several commands have, each said once."""

from __future__ import annotations

from typing import Annotated

import typer

Text = Annotated[str | None, typer.Option(help="Column with the text. Guessed from the usual names.")]
Label = Annotated[str | None, typer.Option(help="Column with the label.")]
Id = Annotated[str | None, typer.Option(help="Column with an id. Otherwise row numbers.")]
SplitColumn = Annotated[str | None, typer.Option(help="Column with the split.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Read the first rows only.")]
On = Annotated[
    str | None,
    typer.Option(
        metavar="PLACE",
        help="Do the work on Ray: ray for this machine, ray://HOST:PORT for a cluster. Same result. Default: in this process.",
    ),
]
