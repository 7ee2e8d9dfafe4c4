"""A grammar run in the terminal: what was learned, the phrases and rules that tell the label, a classifier with and against them and on contrast sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from longway.cli.screen import output, safe, shortened
from longway.show.numbers import points

N_RULES = 5
N_COMPARED = 8
N_SPANS = 3
LONGEST_NAME, LONGEST_LABEL = 60, 24


def show_grammar(tables: dict[str, Any], folder: Path, *, top: int) -> None:
    """Print tables.json for people."""
    console = output()
    _show_learned(console, tables["grammar"])
    _show_kinds(console, tables, top)
    _show_rules(console, tables["rules"][:N_RULES])
    _show_compared(console, tables)
    _show_contrasts(console, tables.get("contrast"))
    for problem in tables["problems"]:
        console.print(f"[dim]{safe(problem['message'])} {safe(problem['next_step'])}[/]", soft_wrap=True)
    console.print(f"\nReport: [bold]{safe(str(folder / 'report.html'))}[/]", soft_wrap=True)


def _show_learned(console: Console, grammar: dict[str, Any]) -> None:
    unit = "pairs" if grammar["kind"] == "pair" else "sentences"
    where = "on a GPU" if grammar["device"] == "cuda" else "on a CPU"
    console.print(
        f"Learned {where} from [bold]{grammar['texts']:,} {unit}[/] of {grammar['rows']:,} rows: {grammar['nonterminals']} + "
        f"{grammar['preterminals']} symbols, {grammar['words']:,} words.",
        soft_wrap=True,
    )
    by_epoch = {int(one["epoch"]): one["held_out"] for one in grammar["history"]}
    told = " → ".join(f"{nats:.3f}" for nats in by_epoch.values())
    console.print(
        f"[dim]Nats a word of {grammar['held_out_texts']:,} held-out {unit} after each epoch:[/] {told}",
        soft_wrap=True,
    )


def _show_kinds(console: Console, tables: dict[str, Any], top: int) -> None:
    rows = tables["composites"]
    if not rows:
        console.print("\nNo piece of a tree stands in enough rows to say anything.")
        return
    tied, tested = (sum(tables[key].values()) for key in ("significant", "tested"))
    console.print(
        f"\n[bold]Phrases that tell the label[/], by symbol; {tied:,} of {tested:,} pieces tested are tied to one:"
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("words", max_width=LONGEST_NAME)
    table.add_column("speaks for", max_width=LONGEST_LABEL, overflow="fold")
    for name in ("symbol", "rows", "share", "base", "q"):
        table.add_column(name, justify="right", no_wrap=True)
    counts = tables["grammar"]["labels"]
    for row in rows[:top]:
        words = ", ".join(shortened(span, LONGEST_NAME) for span in row["spans"][:N_SPANS])
        base = counts.get(row["label"], 0) / max(1, sum(counts.values()))
        table.add_row(
            Text(words, style="bold"),
            Text(shortened(row["label"], LONGEST_LABEL)),
            str(row["root"]),
            f"{row['count']:,}",
            f"{row['share']:.0%}",
            f"[dim]{base:.0%}[/]",
            "[dim]–[/]" if row["q"] is None else f"{row['q']:.3f}",
        )
    console.print(table)
    singles = (
        ""
        if tables["grammar"]["kind"] == "pair"
        else ", or all are single words, which `longway audit` tests"
    )
    console.print(f"[dim]q: of the surest of the pieces; – where none is tied beyond chance{singles}.[/]")


def _show_rules(console: Console, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    console.print("\n[bold]Rules that tell the label[/], whatever the words:")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("rule", "speaks for"):
        table.add_column(name, no_wrap=True)
    for name in ("rows", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("for example")
    for row in rows:
        table.add_row(
            Text(row["rule"], style="bold"),
            Text(shortened(row["label"], LONGEST_LABEL)),
            f"{row['count']:,}",
            f"{row['share']:.0%}",
            Text(shortened(row["outlines"][0] if row["outlines"] else "", LONGEST_NAME), style="dim"),
        )
    console.print(table)


def _show_compared(console: Console, tables: dict[str, Any]) -> None:
    """The classifier's accuracy where a kind goes with its label and where it does not (Table 6)."""
    classifier = tables["classifier"]
    if classifier is None:
        return
    console.print(
        f"\n[bold]{safe(classifier['name'])}[/] is right on {classifier['accuracy']:.0%} of {classifier['rows']:,} held-out rows; "
        "with a phrase and against it:"
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("words", max_width=LONGEST_NAME)
    for name in ("right with it", "right against it", "gap, points"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in tables["versions"][:N_COMPARED]:
        accuracy = row["versions"][0]["accuracy"]
        with_it, against = accuracy["supporting"], accuracy["counter"]
        table.add_row(
            Text(shortened(", ".join(row["spans"][:2]), LONGEST_NAME)),
            *(f"{_share(side['accuracy'])} of {side['n']:,}" for side in (with_it, against)),
            "" if accuracy["gap"] is None else points(accuracy["gap"]),
        )
    console.print(table)


def _show_contrasts(console: Console, rows: list[dict[str, Any]] | None) -> None:
    """How often the classifier falls for each kind of edit (Table 7), with an example of each."""
    if rows is None:
        return
    if not rows:
        console.print(
            "\nNo contrast example could be made of the held-out rows; more rows (--limit) teach the grammar more words."
        )
        return
    console.print(
        "\n[bold]Contrast sets[/]: held-out rows, edited so that a shortcut is there and its label is not:"
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("edit", no_wrap=True)
    for name in ("sets", "error", "95%", "of"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("tempts to", max_width=LONGEST_LABEL, overflow="fold")
    table.add_column("for example", max_width=LONGEST_NAME)
    for row in rows:
        example = row["example"]
        table.add_row(
            row["edit"],
            f"{row['sets']:,}",
            _share(row["error"]),
            "" if row["error"] is None else f"{row['low']:.0%}–{row['high']:.0%}",
            "–" if row["counted"] is None else f"{row['counted']:,}",
            Text(shortened(row["shortcut"], LONGEST_LABEL)),
            Text(f"{shortened(example['after'], LONGEST_NAME)} ({shortened(example['what'], LONGEST_NAME)})"),
        )
    console.print(table)
    console.print(
        "[dim]error: of the sets whose row was labelled right, those in which an example then gets the label it tempts to. "
        "contrast.jsonl has all examples.[/]",
        soft_wrap=True,
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
