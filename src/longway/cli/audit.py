"""`longway audit DATA`: find the shortcuts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli.options import Id, Label, Limit, On, SplitColumn, Text

if TYPE_CHECKING:
    from longway.data import Dataset

VARIANTS = "mean: equations 7-12 of RAZOR to the letter; token: one position vector for each word"


def command(
    data: Annotated[
        str,
        typer.Argument(
            help="CSV, TSV, JSONL, JSON, Parquet or Arrow (also .gz, .zst), a folder or glob of shards, "
            "a saved Hugging Face dataset, or hf:NAME[:CONFIG][:SPLIT]."
        ),
    ],
    text: Text = None,
    context: Annotated[str | None, typer.Option(help="Column read beside it: premise, evidence.")] = None,
    label: Label = None,
    id: Id = None,
    split: Annotated[
        str | None, typer.Option(help="Audit this split; the others become held-out sets. Default: train.")
    ] = None,
    split_column: SplitColumn = None,
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FILE", help="A held-out set: leak measured on it, shared rows told. Repeatable."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-audit.")] = None,
    limit: Limit = None,
    top: Annotated[int, typer.Option(min=1, help="Shortcuts to print; the report has more.")] = 15,
    max_q: Annotated[float, typer.Option(help="False discovery rate of what is called a finding.")] = 0.05,
    levels: Annotated[
        str | None,
        typer.Option(
            help="What to look at: token, ngram, position, length, surface, people, negation, overlap, pair, grammar, or all but some: -grammar. "
            "Default: all. The grammar of a sample takes up to a minute, and torch.",
        ),
    ] = None,
    variant: Annotated[str, typer.Option(help=f"Shortcut space. {VARIANTS}.")] = "mean",
    dimensions: Annotated[int, typer.Option(min=2, help="Length of the position code.")] = 64,
    seed: Annotated[int, typer.Option(help="Of folds and samples.")] = 0,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream", help="Read in a stream. Default: where the data would not fit in memory."
        ),
    ] = None,
    on: On = None,
    json: Annotated[bool, typer.Option("--json", help="Print findings.json instead of tables.")] = False,
) -> None:
    """Find what a model could cheat with: words, phrases, positions, lengths, overlap, ranked and tested.

    Writes findings.json, scores.parquet and report.html into a run folder. The same command again
    shows the finished run.

        longway audit reviews.csv

        longway audit claims.jsonl --text claim --context evidence --label label --test dev.jsonl

        longway audit reviews.csv --levels -grammar
    """
    from typing import cast

    from longway.cli.screen import errors, progress_of
    from longway.data import load
    from longway.recipes.audit import AuditSettings, levels_named
    from longway.recipes.run_audit import run_audit
    from longway.shortcut_space import Variant

    if on is not None:
        from longway.on_ray.session import check_place

        check_place(on)
    settings = AuditSettings(
        variant=cast(Variant, variant),
        dimensions=dimensions,
        max_q=max_q,
        seed=seed,
        levels=levels_named(levels),
    )
    with errors().status("opening the data"):
        loaded = load(
            data,
            text=text,
            context=context,
            label=label,
            id=id,
            split=split_column,
            limit=limit,
            stream=stream,
        )
        tests = _tests(test or [], loaded)
    with progress_of(loaded.n_used) as bar:
        run, findings = run_audit(
            loaded,
            split=split,
            tests=tests,
            settings=settings,
            out=out,
            on=on,
            step=bar.step,
            progress=bar.advance,
        )
    if json:
        typer.echo((run.folder / "findings.json").read_text(encoding="utf-8"), nl=False)
        return
    from longway.cli.audit_tables import show_audit

    show_audit(findings, run.folder, top=top)


def _tests(given: list[str], like: Dataset) -> dict[str, Dataset]:
    """The held-out sets by name, read with the columns of the audited data."""
    from longway.cli.named_files import named_files
    from longway.data import load

    columns = like.columns
    return {
        name: load(path, text=columns.text, context=columns.context or "", label=columns.label)
        for name, path in named_files(given, "test").items()
    }
