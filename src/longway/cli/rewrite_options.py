"""The options of `longway rewrite`: what each is called and what its help says. Defaults are in `cli/rewrite.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        help="The dataset: a file, a folder or glob of shards, or hf:NAME. As in `longway audit`."
    ),
]
Method = Annotated[
    str, typer.Option(help="razor; eda and crossaug are baselines; none changes nothing, as control.")
]

# Who writes, who judges, and for how much.
Engine = Annotated[
    str,
    typer.Option(
        help="Who writes: rules (no model), local (small LLM on this machine), served:MODEL (any OpenAI-compatible "
        "server), rules,local (the model where no rule applies), rules+local (both), replay:FILE, or auto. `longway engines` says which answer."
    ),
]
Judge = Annotated[
    str,
    typer.Option(
        help="Who checks that the label still holds: an engine, none, or auto (the writer, in a conversation of its own)."
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option(help="Address of the server. Default: LONGWAY_BASE_URL, then OpenAI's.")
]
JudgeBaseUrl = Annotated[str | None, typer.Option(help="Address of the judge's server, where it is another.")]
Budget = Annotated[
    float | None,
    typer.Option(min=0, help="Most to spend in dollars, over all starts of this run. Never more."),
]
Temperature = Annotated[float, typer.Option(min=0, help="Of the writing engine.")]
TopP = Annotated[float, typer.Option(min=0, max=1, help="Of the writing engine.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask before money is spent; neither does --budget.")]

DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print rows, calls, tokens, money and a rough time, and stop. Writes nothing, calls no server.",
    ),
]

# RAZOR's loop.
Choose = Annotated[
    str,
    typer.Option(
        help="What decides which texts go and which candidate is taken. gamma: RAZOR to the letter; "
        "leak: what a model that sees only the surface could use. The report measures both."
    ),
]
Rerank = Annotated[
    bool,
    typer.Option(
        "--rerank",
        help="Of the candidates that pass, take the one that is best by the choice, by meaning and by label together, "
        "not by the choice alone. All candidates are verified then.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(help="A word or phrase that is real signal, not a shortcut. Repeatable; for --choose leak."),
]
Decisions = Annotated[
    Path | None,
    typer.Option(
        help="Run folder whose review was decided on: its real signal is left alone, its shortcuts are aimed at first "
        "(with --choose leak), its rejected texts are not proposed again."
    ),
]
K = Annotated[str, typer.Option(help="Texts taken up each round: a number, or a share such as 0.1 or 10%.")]
Candidates = Annotated[int, typer.Option(min=1, help="Candidates for each text.")]
Rounds = Annotated[int, typer.Option(min=1, help="Most rounds.")]
Patience = Annotated[int, typer.Option(min=1, help="Rounds without a gain after which it stops.")]
Stop = Annotated[
    str,
    typer.Option(
        help="What must gain. cosine: equation 14; kl: Algorithm 1's divergence; leak: what a bag of words gets right; "
        "never: nothing, so that the rounds or the leak at chance end it."
    ),
]
Balance = Annotated[str, typer.Option(help="Labels taken up: none, equal or alternate.")]
Space = Annotated[
    str, typer.Option(help="Where texts are compared: mean, token, or embedding (the paper's ablation).")
]

# The data and where the result goes.
Context = Annotated[str | None, typer.Option(help="Column read beside it, never changed.")]
Split = Annotated[
    str | None, typer.Option(help="Rewrite this split; the others stay as they are. Default: train.")
]
Out = Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-rewrite.")]
Seed = Annotated[int, typer.Option(help="Of everything that is drawn.")]
Json = Annotated[bool, typer.Option("--json", help="Print rewrite.json instead of tables.")]
