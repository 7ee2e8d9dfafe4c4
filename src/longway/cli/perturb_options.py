"""The options of `longway perturb`: what each is called and what its help says. Defaults are in `cli/perturb.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        help="The dataset: a file, a folder or glob of shards, or hf:NAME. As in `longway audit`. A folder called train is ./train."
    ),
]

# What is changed.
Axis = Annotated[
    list[str] | None,
    typer.Option(help="What may be changed: gender, race or age. Repeatable. Default: all three."),
]
To = Annotated[
    list[str] | None,
    typer.Option(
        help="Only to this attribute: man, woman, non-binary; white, black, hispanic, asian, native-american, pacific-islander; child, "
        "young, middle-aged, senior, adult. Repeatable. Default: any other than the one told."
    ),
]
Sampling = Annotated[
    str,
    typer.Option(
        help="How the word to change is drawn. balanced: race and age about as often as gender, as far as there are any; "
        "uniform: every word alike, which makes nearly everything gender."
    ),
]
Share = Annotated[float, typer.Option(min=0, max=1, help="How likely a row is perturbed.")]
AtLeast = Annotated[
    float,
    typer.Option(
        min=0, help="Leave rows alone that speak less of people than this: perturbability, equation 2."
    ),
]
M0 = Annotated[float, typer.Option(min=0, help="Weight of people's names in the perturbability.")]
M1 = Annotated[float, typer.Option(min=0, help="Weight of listed words in the perturbability.")]
Tries = Annotated[
    int, typer.Option(min=1, help="Choices tried in a row whose first cannot be made or is objected to.")
]
Add = Annotated[bool, typer.Option("--add", help="Add the perturbed rows, and leave the rows as they are.")]
KeepWarned = Annotated[
    bool,
    typer.Option(
        "--keep-warned",
        help="Change pairs whose label may no longer hold, too, and mark them. Otherwise they stay as they are.",
    ),
]

# Who changes it, and how.
Engine = Annotated[
    str,
    typer.Option(
        help="rules (no model); neural:FOLDER or neural:NAME (a network, see `longway perturb train`); or a language model that is "
        "asked: local, served:MODEL. `longway engines` says which answer."
    ),
]
Everyone = Annotated[
    bool,
    typer.Option(
        "--everyone", help="Rules: change all people who have the attribute, not only the one drawn."
    ),
]
KeepNames = Annotated[bool, typer.Option("--keep-names", help="Rules: leave names as they are.")]
KeepEntities = Annotated[
    bool,
    typer.Option(
        "--keep-entities", help="Rules: leave people alone that a name makes known, so that facts stay true."
    ),
]
Reflexive = Annotated[
    str, typer.Option(help="Rules: what himself and herself become with they: themselves or themself.")
]
Device = Annotated[str, typer.Option(help="Where a network (neural:) computes: auto, cpu or cuda.")]
BatchSize = Annotated[
    int, typer.Option(min=1, help="Texts that a network computes at once; fewer need less memory.")
]

# The data and where the result goes.
Context = Annotated[
    str | None,
    typer.Option(help="Column read beside it: premise, evidence. Whoever stands in both is changed in both."),
]
Split = Annotated[
    str | None, typer.Option(help="Perturb this split; the others stay as they are. Default: train.")
]
Out = Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-perturb.")]
Json = Annotated[bool, typer.Option("--json", help="Print perturb.json instead of tables.")]
