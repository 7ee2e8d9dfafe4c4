"""`longway grammar DATA`: learn a grammar and list its shortcuts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longway.cli.options import Id, Label, SplitColumn, Text

BY_DEVICE = "Default: {} on a GPU, {} on a CPU."


def command(
    data: Annotated[str, typer.Argument(help="The dataset, as for `longway audit`.")],
    nonterminals: Annotated[
        int | None,
        typer.Option(min=1, help="Symbols that are made of two others. " + BY_DEVICE.format(32, 16)),
    ] = None,
    preterminals: Annotated[
        int | None, typer.Option(min=1, help="Symbols that write words. " + BY_DEVICE.format(64, 32))
    ] = None,
    dimension: Annotated[
        int | None, typer.Option(min=1, help="Width of the networks. " + BY_DEVICE.format(256, 128))
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Passes over the texts, at most; it ends sooner where held-out texts become no more likely. "
            "Default: 10 for pairs and 40 for sentences on a GPU, 5 and 8 on a CPU.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rows to learn from, the labels taking turns. Default: all on a GPU; on a CPU rows with 1000 pairs or 4000 sentences.",
        ),
    ] = None,
    classifier: Annotated[
        str,
        typer.Option(
            help="Whose accuracy with and against each phrase is measured: a model as for `longway explain`, or none."
        ),
    ] = "bow",
    contrast: Annotated[
        bool,
        typer.Option(
            "--contrast",
            help="Also make contrast examples of held-out pairs and ask the classifier about them. Needs labels for entailment, contradiction "
            "and neutral, and the extra `rules`.",
        ),
    ] = False,
    contrast_labels: Annotated[
        str | None,
        typer.Option(
            help="Which labels these are, where their names do not say it: entailment=0,neutral=1,contradiction=2. Implies --contrast."
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Kinds of phrases to print; the report has more.")] = 15,
    max_q: Annotated[float, typer.Option(help="False discovery rate of findings.")] = 0.05,
    device: Annotated[str, typer.Option(help="auto (a GPU where there is one), cpu or cuda.")] = "auto",
    text: Text = None,
    context: Annotated[
        str | None,
        typer.Option(help="Column read beside it: premise, evidence. Its rows are parsed as pairs."),
    ] = None,
    label: Label = None,
    id: Id = None,
    split: Annotated[
        str | None,
        typer.Option(help="Learn from this split. Default: train. A validation split is held out."),
    ] = None,
    split_column: SplitColumn = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-grammar.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the sample and the networks.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print tables.json instead of tables.")] = False,
) -> None:
    """Learn a grammar from the texts and list which of its phrases and rules give the label away.

    Finds what no single word tells: in a pair, the subject swapped for its opposite (a man/a woman), a phrase that was added
    (ε/to work) or left out; in a text, phrases like "his wife". Writes findings.json, tables.json, trees.txt, the grammar
    and report.html with pictures of trees into a run folder. Stop it with Ctrl-C when you like: the same command goes on from where
    it was. Needs the extra `neural`.

        longway grammar pairs.jsonl --text hypothesis --context premise --label label

        longway grammar reviews.csv --limit 500 --epochs 3
    """
    from longway.cli.screen import cells_progress, errors
    from longway.data import load
    from longway.jobs.grammar.grammar_contrast import named_labels
    from longway.jobs.grammar.grammar_settings import GrammarSettings
    from longway.jobs.grammar.run_grammar import run_grammar

    settings = GrammarSettings(
        nonterminals=nonterminals,
        preterminals=preterminals,
        dimension=dimension,
        epochs=epochs,
        limit=limit,
        classifier=None if classifier == "none" else classifier,
        contrast=contrast or contrast_labels is not None,
        contrast_labels=None if contrast_labels is None else named_labels(contrast_labels),
        max_q=max_q,
        seed=seed,
        device=device,
    )
    with errors().status("opening the data"):
        loaded = load(data, text=text, context=context, label=label, id=id, split=split_column)
    with cells_progress() as bar:
        run, tables = run_grammar(
            loaded, split=split, settings=settings, out=out, step=bar.step, progress=bar.progress
        )
    if json:
        typer.echo((run.folder / "tables.json").read_text(encoding="utf-8"), nl=False)
        return
    from longway.cli.grammar_tables import show_grammar

    show_grammar(tables, run.folder, top=top)
