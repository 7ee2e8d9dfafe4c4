"""`longway explain DATA`: which words models look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longway.cli.options import Id, Label, Limit, SplitColumn, Text


def command(
    data: Annotated[str, typer.Argument(help="The dataset, as for `longway audit`.")],
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="bow, nb, cnn, gru, dan, minilm, minilm-lora, minilm-full or hf:NAME. Repeatable. Default: bow."
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="lime, shapley (Shapley values) or ig (integrated gradients).")
    ] = "lime",
    rows: Annotated[int, typer.Option(min=1, help="Texts to show, drawn at random.")] = 50,
    wrong: Annotated[
        bool, typer.Option("--wrong", help="Show texts that the first model gets wrong.")
    ] = False,
    ids: Annotated[str | None, typer.Option(help="Show the rows with these ids: a,b,c.")] = None,
    field: Annotated[str, typer.Option(help="Whose words: text or context.")] = "text",
    search: Annotated[
        int, typer.Option(min=0, help="Wrong answers of each model to look for sufficient sets in.")
    ] = 200,
    top: Annotated[
        int, typer.Option(min=1, help="Words of each text that count as the model's top words.")
    ] = 5,
    samples: Annotated[
        int | None,
        typer.Option(min=2, help="lime: masked texts, 400. shapley: orders of words, 16. ig: steps, 48."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Of the cross-validation.")] = 5,
    max_q: Annotated[float, typer.Option(help="False discovery rate of sets that recur.")] = 0.05,
    text: Text = None,
    context: Annotated[str | None, typer.Option(help="Column read beside it: premise, evidence.")] = None,
    label: Label = None,
    id: Id = None,
    split: Annotated[str | None, typer.Option(help="Explain this split. Default: train.")] = None,
    split_column: SplitColumn = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-explain.")] = None,
    limit: Limit = None,
    seed: Annotated[int, typer.Option(min=0, help="Of folds, choice and samples.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print explain.json instead of tables.")] = False,
) -> None:
    """Show which words models look at, and which few are enough to mislead them.

    Trains models by cross-validation, so that each row is explained by one that has not seen it. Writes explain.json and
    report.html, with the words of each text in colour, into a run folder. The same command again goes on, or shows the finished run.

        longway explain claims.jsonl --wrong

        longway explain reviews.csv --model bow --model nb --method shapley --rows 20
    """
    from longway.cli.screen import cells_progress, errors
    from longway.data import load
    from longway.jobs.explain.explanation import ExplainSettings
    from longway.jobs.explain.run_explain import run_explain

    settings = ExplainSettings(
        models=tuple(model or ["bow"]),
        method=method,
        field=field,
        rows=rows,
        wrong=wrong,
        ids=tuple(part.strip() for part in ids.split(",")) if ids else (),
        search=search,
        top=top,
        samples=samples,
        folds=folds,
        max_q=max_q,
        seed=seed,
    )
    with errors().status("opening the data"):
        loaded = load(data, text=text, context=context, label=label, id=id, split=split_column, limit=limit)
    with cells_progress() as bar:
        run, result = run_explain(
            loaded, split=split, settings=settings, out=out, step=bar.step, progress=bar.progress
        )
    if json:
        typer.echo((run.folder / "explain.json").read_text(encoding="utf-8"), nl=False)
        return
    from longway.cli.explain_tables import show_explanation

    show_explanation(result, run.folder)
