"""An explanation in the terminal: the models, what misleads them, some texts with their words in colour."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from longway.cli.screen import clean, output, safe, shortened
from longway.show.highlights import css_class
from longway.show.numbers import points

N_TEXTS = 5  # shown here; the report has all
N_SETS = 8
N_WORDS = 3  # of a text
LONGEST_TEXT, LONGEST_NAME = 300, 40
STYLES = {"for": "bold cyan", "against": "yellow underline"}


def show_explanation(explanation: dict[str, Any], folder: Path) -> None:
    """Print explain.json for people."""
    console = output()
    console.print(_models(explanation["models"]))
    _show_compared(console, explanation)
    _show_sets(console, explanation)
    field = explanation["settings"]["field"]
    for row in explanation["texts"][:N_TEXTS]:
        _show_text(console, row, field)
    if (n_more := len(explanation["texts"]) - N_TEXTS) > 0:
        console.print(f"[dim]{n_more:,} more texts are in the report.[/]")
    for problem in explanation["problems"]:
        console.print(f"[dim]{safe(problem['message'])} {safe(problem['next_step'])}[/]", soft_wrap=True)
    console.print(f"\nReport: [bold]{safe(str(folder / 'report.html'))}[/]", soft_wrap=True)


def _models(models: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("model")
    for name in ("right", "wrong", "searched", "misled", "words a set", "lemma 1 holds"):
        table.add_column(name, justify="right")
    for model in models:
        sets = model["sets"]
        table.add_row(
            safe(model["name"]),
            f"{model['accuracy']:.1%}",
            f"{model['wrong']:,}",
            f"{model['searched']:,}",
            f"{sets - model['by_default']:,}",
            f"{model['mean_size']:.1f}" if sets else "",
            f"{model['lemma_1'] / sets:.0%}" if sets else "",
        )
    return table


def _show_sets(console: Console, explanation: dict[str, Any]) -> None:
    """The sets that recur and are tied to a label."""
    findings = explanation["findings"]
    if not findings:
        console.print("\nNo set of words that is enough for wrong answers recurs and is tied to a label.")
        return
    wrong = {" + ".join(one["words"]): one["wrong"] for one in explanation["sufficient"]}
    console.print(
        f"\n[bold]Enough for wrong answers[/], and tied to a label: {len(findings):,} sets of words"
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("words", "points to"):
        table.add_column(name)
    for name in ("wrong answers", "rows", "share", "base"):
        table.add_column(name, justify="right")
    for finding in findings[:N_SETS]:
        table.add_row(
            Text(shortened(finding["pattern"], LONGEST_NAME), style="bold"),
            Text(shortened(finding["label"], LONGEST_NAME)),
            f"{wrong.get(finding['pattern'], 0):,}",
            f"{finding['count']:,}",
            f"{finding['label_share']:.0%}",
            f"[dim]{finding['base_rate']:.0%}[/]",
        )
    console.print(table)


def _show_compared(console: Console, explanation: dict[str, Any]) -> None:
    """Overlap between models and parts of speech."""
    k = explanation["settings"]["top"]
    if (found := explanation["overlap"]) is not None:
        some = f", two or more but not all in {found['some']:.0%}" if len(found["pairs"]) > 1 else ""
        console.print(
            f"\nTop {k} words: all models share one in {found['every']:.0%} of the texts{some}; "
            f"{found['words']:.0%} of the words are shared.",
            soft_wrap=True,
        )
    for name, shares in (explanation["parts_of_speech"] or {}).items():
        told = ", ".join(f"{kind} {share:.0%}" for kind, share in shares.items())
        console.print(f"Top {k} words of {safe(name)}: {told}.", soft_wrap=True)


def _show_text(console: Console, row: dict[str, Any], field: str) -> None:
    console.print(
        f"\n[dim]{safe(shortened(row['id'], LONGEST_NAME))}[/] label {safe(shortened(row['label'], LONGEST_NAME))}"
    )
    for one in row["explanations"]:
        wrong = "" if one["predicted"] == row["label"] else " [bold]wrong[/]"
        answer = safe(shortened(one["predicted"], LONGEST_NAME))
        console.print(f"{safe(one['model'])} says {answer} {one['probability']:.0%}{wrong}")
        console.print(_coloured(row[field], one["words"]), soft_wrap=True)
        console.print(f"[dim]for it:[/] {_top(row[field], one['words'])}", soft_wrap=True)
        if one["sufficient"]:
            words = safe(shortened(" + ".join(one["sufficient"]["words"]), LONGEST_TEXT))
            console.print(f"[dim]enough for it:[/] {words}", soft_wrap=True)


def _top(text: str, words: list[list[float]]) -> str:
    """The words that speak most for the answer, with their scores in points."""
    best = sorted((word for word in words if word[2] > 0), key=lambda word: -word[2])[:N_WORDS]
    told = (
        f"{safe(shortened(text[int(start) : int(end)], LONGEST_NAME))} {points(score)}"
        for start, end, score in best
    )
    return ", ".join(told) or "no word"


def _coloured(text: str, words: list[list[float]]) -> Text:
    """The text with the words that speak for the answer, and against it, in two colours; the faint ones have none."""
    shown = Text(clean(text[:LONGEST_TEXT].replace("\n", " ")))
    strongest = max((abs(score) for _, _, score in words), default=0.0)
    for start, end, score in words:
        name = css_class(score, strongest)
        if name and int(name[-1]) >= 2:
            shown.stylize(STYLES[name[:-1]], int(start), int(end))
    return shown + Text("…") if len(text) > LONGEST_TEXT else shown
