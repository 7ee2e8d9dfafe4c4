"""`longway grammar DATA`: learn a grammar and list its shortcuts."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from longway.cli.options import ColumnOptions, Data, OutputOptions, command
from longway.jobs.grammar.settings import GrammarSettings
from longway.jobs.options import OUTPUT


@command
def grammar(
    data: Data,
    source: ColumnOptions,
    settings: GrammarSettings,
    output: OutputOptions,
    top: Annotated[
        int,
        typer.Option(min=1, help="Patterns to print; the report has more.", rich_help_panel=OUTPUT),
    ] = 8,
    symbols: Annotated[
        bool,
        typer.Option(
            "--symbols", help="Also print the grammar's symbols, rules and training.", rich_help_panel=OUTPUT
        ),
    ] = False,
) -> None:
    """Learn a grammar; list phrases and rules that predict labels.

    Finds what no single word shows: in a pair, the subject swapped for its opposite (a man → a woman), words that were added
    (to work) or left out; in a text, phrases like "his wife". Rows with a context are parsed as pairs. Writes findings.json, tables.json,
    trees.txt, the grammar and report.html with pictures of trees into a run folder. You can stop it with Ctrl-C: the same command resumes it.
    A validation split is held out. Needs the extra `neural`.

        longway grammar pairs.jsonl --text hypothesis --context premise --label label

        longway grammar reviews.csv --limit 500 --epochs 3
    """
    from longway.cli.ending import REPAIR, on_data, show_result
    from longway.cli.live import Live
    from longway.cli.screen import Step
    from longway.jobs.grammar.job import grammar as run

    loaded = source.load(data)
    with Live(quiet=True) as live:
        result = run(loaded, settings, split=source.split, out=output.out or True, watcher=live)
    assert result.folder is not None  # `out` was given
    repair = Step(REPAIR, on_data("repair", data, source, loaded))
    show_result(
        replace(result, symbols=symbols),
        result.folder,
        repair,
        file="tables.json",
        as_json=output.json,
        top=top,
    )
