"""`longway perturb train FILE`: a perturber of one's own, from perturbations that people or rules wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from longway.methods.perturb.training import Trained


def train_command(
    file: Annotated[
        str,
        typer.Argument(
            help="Perturbations in PANDA's form: columns original, selected_word, target_attribute, perturbed. "
            "A file, or anything `longway audit` reads."
        ),
    ],
    base: Annotated[
        str,
        typer.Option(
            help="What is trained: a folder or a name on the Hugging Face hub (an encoder-decoder such as BART or T5, or a "
            "causal model), smollm2 (the small model that Longway installs), or tiny (from scratch, to try it out)."
        ),
    ] = "facebook/bart-large",
    validation: Annotated[
        str | None, typer.Option(help="Rows to stop on, as FILE. Default: a tenth of the texts.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often all rows are gone through, at most.")] = 10,
    lr: Annotated[float | None, typer.Option(help="Learning rate. Default: 1e-5, and 3e-3 for tiny.")] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Rows of one step.")] = 64,
    patience: Annotated[
        int, typer.Option(min=1, help="Epochs without a lower validation loss before it stops.")
    ] = 10,
    limit: Annotated[int | None, typer.Option(min=1, help="Read the first rows only.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of order and dropout.")] = 0,
    device: Annotated[str, typer.Option(help="Where it is trained: auto, cpu or cuda.")] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Folder of the model. Default: longway-runs/NAME-perturber.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print perturber.json instead of a table.")] = False,
) -> None:
    """Train a perturber on perturbations that people or rules wrote, with the paper's settings.

    Leaves a folder for `longway perturb DATA --engine neural:FOLDER`. Every epoch is kept on disk while it runs: the same command again
    goes on where it stopped, and ends with the same weights. Weights are read and written as safetensors only.

        longway perturb train panda.jsonl --base facebook/bart-large

        longway perturb train pairs.csv --base tiny --epochs 7 --batch-size 32
    """
    from longway.cli.screen import cells_progress, errors
    from longway.methods.perturb.panda import read_panda
    from longway.methods.perturb.training import TrainingPlan, train

    plan = TrainingPlan(epochs=epochs, learning_rate=lr, batch_size=batch_size, patience=patience, seed=seed)
    with errors().status("opening the data"):
        learned = read_panda(file, limit=limit)
        stop = None if validation is None else read_panda(validation)
    for why, n in [*learned.skipped.items(), *(stop.skipped.items() if stop is not None else ())]:
        errors().print(f"Rows left out: {n:,}. {why}.", markup=False, soft_wrap=True)
    with cells_progress() as bar:
        trained = train(
            base,
            learned.rows,
            out or Path("longway-runs") / f"{_stem(file)}-perturber",
            plan=plan,
            validation=None if stop is None else stop.rows,
            device=device,
            step=bar.step,
            progress=bar.progress,
        )
    if json:
        typer.echo((trained.folder / "perturber.json").read_text(encoding="utf-8"), nl=False)
        return
    _show(trained)


def _show(trained: Trained) -> None:
    from rich.table import Table

    from longway.cli.screen import output, safe

    console = output()
    console.print(f"Learned from {trained.rows:,} rows, stopped on {trained.validation_rows:,}.")
    if trained.too_long:
        console.print(f"{trained.too_long:,} rows are longer than the model can read and were left out.")
    table = Table("epoch", "loss", "validation loss", "", box=None, pad_edge=False, header_style="dim")
    for epoch in trained.epochs:
        kept = "kept" if epoch == trained.best else ""
        table.add_row(f"{epoch.number}", f"{epoch.loss:.4f}", f"{epoch.validation_loss:.4f}", kept)
    console.print(table)
    console.print(f"The perturber is in {safe(str(trained.folder))}", soft_wrap=True)


def _stem(file: str) -> str:
    """The file's name without its endings, or the dataset's without where it is."""
    return Path(file.rpartition(":")[2]).name.partition(".")[0] or "data"
