"""`longway prove BEFORE AFTER`: train on both, test where shortcuts do not help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    before: Annotated[
        str, typer.Argument(help="The dataset as it was: a file, or anything `longway audit` reads.")
    ],
    after: Annotated[
        str, typer.Argument(help="The dataset as it is now: a file, or the run folder of `longway rewrite`.")
    ],
    test: Annotated[
        list[str] | None,
        typer.Option(
            help="A test set, as NAME=FILE. Repeatable. Splits that are not trained on are tested on anyway."
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(help="A further version of the training data, as NAME=FILE. Repeatable."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(help="A baseline made from BEFORE as a further version: eda or crossaug. Repeatable."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="What is trained: bow, nb, minilm (small encoder, frozen), minilm-lora, minilm-full, cnn, gru, dan, or "
            "hf:NAME with -frozen, -lora or -full. Repeatable. Default: bow, and minilm where it is installed."
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="How it is trained: erm (plain), rew, poe, clever, jtt, drift, dro. Repeatable. Default: erm."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How often each is trained.")] = 3,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="A word or phrase that is real signal, not a shortcut: methods are not told of patterns about it. Repeatable."
        ),
    ] = None,
    term: Annotated[
        list[str] | None, typer.Option(help="A word to count in every version. Repeatable. Default: no, not.")
    ] = None,
    drop_overlap: Annotated[
        bool,
        typer.Option(
            "--drop-overlap", help="Leave test rows out that stand in the training data, instead of stopping."
        ),
    ] = False,
    fairscore: Annotated[
        bool,
        typer.Option(
            "--fairscore",
            help="Also give one person of each test row another gender, race or age, and tell how many answers change. "
            "Needs the extra `rules`.",
        ),
    ] = False,
    save_models: Annotated[
        bool,
        typer.Option(
            "--save-models",
            help="Keep every trained classifier in the run folder, below models/, for example for `longway fairness --fairscore`.",
        ),
    ] = False,
    text: Annotated[
        str | None, typer.Option(help="Column with the text. Guessed from the usual names.")
    ] = None,
    context: Annotated[str | None, typer.Option(help="Column read beside it.")] = None,
    label: Annotated[str | None, typer.Option(help="Column with the label.")] = None,
    split: Annotated[
        str | None, typer.Option(help="Train on this split, test on the others. Default: train.")
    ] = None,
    split_column: Annotated[str | None, typer.Option(help="Column with the split.")] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Read the first rows of each version only; test sets are read whole."),
    ] = None,
    device: Annotated[str, typer.Option(help="Where networks are trained: auto, cpu or cuda.")] = "auto",
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-prove.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print results.json instead of tables.")] = False,
) -> None:
    """Train on the dataset before and after, and test both where shortcuts do not help.

    Says for each model and test set what changed, with an interval and a paired test; how well the counter-examples of
    each shortcut are answered; what the text alone still gives away; and what got worse. Stops where the comparison
    would be quietly wrong: test rows that were trained on, other labels, a test set that was rewritten.
    The same command again goes on where it stopped.

        longway prove claims.jsonl longway-runs/claims-rewrite --test symmetric=symmetric.jsonl

        longway prove reviews.csv reviews-new.csv --test other=other.csv --model bow --model minilm --method erm --method poe

        longway prove reviews.csv reviews-new.csv --test other=other.csv --method rew --method dro --keep great --keep awful

        longway prove reviews.csv longway-runs/reviews-perturb --test other=other.csv --fairscore
    """
    from longway.cli.named_files import named_files
    from longway.cli.prove_tables import show_prove
    from longway.cli.screen import cells_progress, errors
    from longway.jobs.prove.prove import ProveSettings, default_models
    from longway.jobs.prove.run_prove import load_version, run_prove

    settings = ProveSettings(
        models=tuple(model or default_models()),
        methods=tuple(method or ("erm",)),
        seeds=seeds,
        terms=tuple(term or ("no", "not")),
        baselines=tuple(baseline or ()),
        keep=tuple(keep or ()),
        drop_overlap=drop_overlap,
        fairscore=fairscore,
        save_models=save_models,
        device=device,
    )
    with errors().status("opening the data"):
        first = load_version(before, text=text, context=context, label=label, split=split_column, limit=limit)
        second = load_version(after, like=first, split=split_column, limit=limit)
        others = {
            name: load_version(path, like=first, split=split_column, limit=limit)
            for name, path in named_files(also, "also").items()
        }
        tests = {name: load_version(path, like=first) for name, path in named_files(test, "test").items()}
    with cells_progress() as bar:
        run, results = run_prove(
            first,
            second,
            tests=tests,
            also=others,
            split=split,
            settings=settings,
            out=out,
            step=bar.step,
            progress=bar.progress,
        )
    if json:
        typer.echo((run.folder / "results.json").read_text(encoding="utf-8"), nl=False)
        return
    show_prove(results, run.folder)
