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
    At the end, the best weights rewrite the validation rows: BLEU against the source and against the file, and the perplexity, as in the
    paper. `longway perturb score` compares several perturbers on rows that none was trained on.

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
        decay=settings.lr_decay,
        decay_patience=settings.lr_patience,
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
        typer.echo((trained.folder / "perturber.json").read_bytes(), nl=False)
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
    columns = ("epoch", "learning rate", "loss", "validation loss", "perplexity", "")
    table = Table(*columns, box=None, pad_edge=False, header_style="dim")
    for epoch in trained.epochs:
        rate = "" if epoch.learning_rate is None else f"{epoch.learning_rate:.2g}"
        losses = f"{epoch.loss:.4f}", f"{epoch.validation_loss:.4f}", f"{epoch.perplexity:.3f}"
        table.add_row(f"{epoch.number}", rate, *losses, "kept" if epoch == trained.best else "")
    console.print(table)
    console.print(_validation_words(trained), markup=False, soft_wrap=not console.is_terminal)
    try_it = f"longway perturb {quote(file)} --text original --label target_attribute --engine {quote(f'neural:{trained.folder}')}"
    end(
        f"The perturber of epoch {trained.best.number} is the best, with a validation loss of {trained.best.validation_loss:.4f}.",
        Step("Try it on the rows it was trained on", try_it),
        files={"Perturber": trained.folder},
    )


def _validation_words(trained: TrainedPerturber) -> str:
    """What the perturber writes for the validation rows, in words."""
    scores = trained.validation
    perplexity = f"On the validation rows, the perplexity of the rewrites in the file is {trained.best.perplexity:.2f}."
    if scores is None:
        return f"{perplexity} BLEU was not computed: it needs `pip install 'longway[prove]'`."
    return (
        f"{perplexity} What the perturber writes has a BLEU of {scores.source:.1f} against the source (the paper: 88.0 on PANDA) and of "
        f"{scores.people:.1f} against the rewrites in the file; the source unchanged has {scores.copied:.1f}. "
        f"{scores.exact:,} of {scores.rows:,} are word for word as in the file; {scores.refused:,} answers were refused and count as unchanged."
    )


def _stem(file: str) -> str:
    """The file's name without its endings, or the dataset's without where it is."""
    return Path(file.rpartition(":")[2]).name.partition(".")[0] or "data"
