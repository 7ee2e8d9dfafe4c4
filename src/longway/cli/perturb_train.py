"""`longway perturb train FILE`: train a perturber on perturbations that people or rules wrote."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli.options import OutputOptions, command
from longway.jobs.perturb.settings import TrainSettings

if TYPE_CHECKING:
    from longway.methods.perturb.training import TrainedPerturber

File = Annotated[
    str,
    typer.Argument(
        help="Perturbations in PANDA's form: columns original, selected_word, target_attribute, perturbed. "
        "A file, or anything `longway audit` reads."
    ),
]


@command
def train(file: File, settings: TrainSettings, output: OutputOptions) -> None:
    """Train a perturber on perturbations that people or rules wrote, with the paper's settings.

    Writes a folder for `longway perturb DATA --engine neural:FOLDER`; default: longway-runs/NAME-perturber. Every epoch is saved while it
    runs: the same command again resumes the training, and ends with the same weights. Weights are read and written as safetensors only.

        longway perturb train panda.jsonl --base facebook/bart-large

        longway perturb train pairs.csv --base tiny --epochs 7 --batch-size 32
    """
    from longway.cli.screen import cells_progress, errors
    from longway.methods.perturb.panda import read_panda
    from longway.methods.perturb.training import TrainingPlan
    from longway.methods.perturb.training import train as train_perturber

    plan = TrainingPlan(
        epochs=settings.epochs,
        learning_rate=settings.lr,
        batch_size=settings.batch_size,
        patience=settings.patience,
        seed=settings.seed,
    )
    with errors().status("opening the data"):
        learned = read_panda(file, limit=settings.limit, encoding=settings.encoding)
        held_out = None
        if settings.validation is not None:
            held_out = read_panda(settings.validation, encoding=settings.encoding)
    for rows in (learned, held_out):
        for why, n in rows.skipped.items() if rows is not None else ():
            errors().print(f"Rows left out: {n:,}. {why}.", markup=False, soft_wrap=True)
    with cells_progress() as bar:
        trained = train_perturber(
            settings.base,
            learned.rows,
            output.out or Path("longway-runs") / f"{_stem(file)}-perturber",
            plan=plan,
            validation=None if held_out is None else held_out.rows,
            device=settings.device,
            step=bar.step,
            progress=bar.progress,
        )
    if output.json:
        typer.echo((trained.folder / "perturber.json").read_text(encoding="utf-8"), nl=False)
        return
    _show(trained, file)


def _show(trained: TrainedPerturber, file: str) -> None:
    from rich.table import Table

    from longway.cli.ending import Step, end
    from longway.cli.screen import output

    console = output()
    console.print(f"Trained on {trained.rows:,} rows, stopped on {trained.validation_rows:,}.")
    if trained.too_long:
        console.print(f"{trained.too_long:,} rows are longer than the model can read and were left out.")
    table = Table("epoch", "loss", "validation loss", "", box=None, pad_edge=False, header_style="dim")
    for epoch in trained.epochs:
        kept = "kept" if epoch == trained.best else ""
        table.add_row(f"{epoch.number}", f"{epoch.loss:.4f}", f"{epoch.validation_loss:.4f}", kept)
    console.print(table)
    try_it = f"longway perturb {quote(file)} --text original --label target_attribute --engine {quote(f'neural:{trained.folder}')}"
    end(
        f"The perturber of epoch {trained.best.number} is the best, with a validation loss of {trained.best.validation_loss:.4f}.",
        Step("Try it on the rows it was trained on", try_it),
        files={"Perturber": trained.folder},
    )


def _stem(file: str) -> str:
    """The file's name without its endings, or the dataset's without where it is."""
    return Path(file.rpartition(":")[2]).name.partition(".")[0] or "data"
