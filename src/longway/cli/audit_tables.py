"""An audit in the terminal: the leak, the strongest shortcuts in context, what is odd about the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from longway.cli.screen import clean, output, safe, shortened
from longway.report.people_view import SPEAKS_OF, leaning
from longway.report.surest import surest

COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")
N_PROBLEMS = 8
LONGEST_NAME, LONGEST_LABEL = 64, 40  # characters shown
N_SUREST = 8


def show_audit(findings: dict[str, Any], folder: Path, *, top: int) -> None:
    """Print an audit's findings.json for people."""
    console = output()
    _show_dataset(console, findings["dataset"])
    _show_leak(console, findings["leak"])
    _show_shortcuts(console, findings, top)
    _show_people(console, findings)
    _show_problems(console, findings["problems"])
    console.print(f"\nReport: [bold]{safe(str(folder / 'report.html'))}[/]", soft_wrap=True)


def _show_dataset(console: Console, dataset: dict[str, Any]) -> None:
    labels = list(dataset["labels"].items())
    shown = ", ".join(f"{shortened(name, LONGEST_LABEL)} {count:,}" for name, count in labels[:6])
    more = f" and {len(labels) - 6} more" if len(labels) > 6 else ""
    split = f", split {safe(dataset['split'])}" if dataset["split"] else ""
    rows = f"{dataset['used']:,} rows"
    console.print(f"[bold]{safe(dataset['name'])}[/]{split}: {rows}. Labels: {safe(shown)}{more}.")
    guessed = set(dataset["guessed"])
    roles = [
        f"{role} = {name}" + (" (guessed)" if role in guessed else "")
        for role, name in dataset["fields"].items()
        if name
    ]
    console.print(f"Columns: {safe(', '.join(roles))}.")
    if dataset["streamed"]:
        console.print("Read in a stream.")


def _show_leak(console: Console, leak: dict[str, Any]) -> None:
    table = Table(
        title="Leak: what a bag of words gets right", title_justify="left", box=None, pad_edge=False
    )
    table.add_column("from")
    table.add_column("accuracy", justify="right")
    table.add_column("95% interval", justify="right")
    table.add_column("chance", justify="right")
    table.add_column("measured by")
    for part in ("text", "context", "both"):
        if part in leak:
            table.add_row(*_leak_cells(leak[part]))
    for parts in leak["held_out"].values():
        table.add_row(*_leak_cells(parts["text"]))
    console.print()
    console.print(table)


def _leak_cells(leak: dict[str, Any]) -> tuple[str, ...]:
    style = "bold" if leak["low"] > leak["majority"] else "dim"
    return (
        safe(" + ".join(leak["columns"])),
        f"[{style}]{leak['accuracy']:.1%}[/]",
        f"{leak['low']:.1%} to {leak['high']:.1%}",
        f"{leak['majority']:.1%}",
        safe(leak["how"]),
    )


def _show_shortcuts(console: Console, findings: dict[str, Any], top: int) -> None:
    leaders = findings["findings"]
    tested, real = sum(findings["tested"].values()), sum(findings["significant"].values())
    console.print()
    if not tested:
        console.print(
            "[bold]Nothing could be tested[/]: no pattern stands in at least five rows and is missing from five."
        )
        return
    if not leaders:
        console.print(
            f"[bold]No shortcut found[/]: of {tested:,} patterns tested none is tied to a label beyond chance."
        )
        return
    rate = findings["settings"]["max_q"]
    console.print(
        f"[bold]Shortcuts[/]: {real:,} of {tested:,} patterns are tied to a label (q ≤ {rate:g}), "
        f"the strongest and surest of them in {len(leaders):,} groups:"
    )
    console.print(_shortcut_table(findings, leaders[:top], console.width))
    _show_surest(console, leaders, top)
    if len(leaders) > top:
        console.print(f"[dim]{len(leaders) - top:,} more groups are in the report; --top prints more.[/]")


def _shortcut_table(findings: dict[str, Any], leaders: list[dict[str, Any]], width: int) -> Table:
    colour = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(findings["dataset"]["labels"])}
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("pattern", min_width=18, max_width=34)
    table.add_column("speaks for", min_width=10, max_width=18, overflow="fold")
    for name in ("rows", "share", "base"):
        table.add_column(name, justify="right", no_wrap=True)
    room = width - 34 - 18 - 24
    if room >= 20:
        table.add_column("for example", no_wrap=True, max_width=room)
    for finding in leaders:
        table.add_row(
            _named(finding),
            Text(shortened(finding["label"], LONGEST_LABEL), style=colour.get(finding["label"], "")),
            f"{finding['count']:,}",
            f"{finding['label_share']:.0%}",
            f"[dim]{finding['base_rate']:.0%}[/]",
            *([_marked(finding, room)] if room >= 20 else []),
        )
    return table


def _show_surest(console: Console, leaders: list[dict[str, Any]], top: int) -> None:
    """One line of rare patterns that nearly always come with one label."""
    shown = [
        f"{shortened(f['pattern'], LONGEST_NAME)} → {shortened(f['label'], LONGEST_LABEL)} ({f['label_share']:.0%} of {f['count']:,})"
        for f in surest(leaders, after=top, n=N_SUREST)
    ]
    if shown:
        console.print(f"Rare, but nearly certain: {safe(', '.join(shown))}.")


def _show_people(console: Console, findings: dict[str, Any]) -> None:
    """A line for each column and axis: whom how many texts speak of, with the label where it is tied to one."""
    tested = [row for row in findings.get("people", []) if row["q"] is not None]
    if not tested:
        return
    by_axis: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in tested:
        by_axis.setdefault((row["field"], row["axis"]), []).append(row)
    table = Table(box=None, pad_edge=False, show_header=False)
    for (field, axis), rows in by_axis.items():
        rows.sort(key=lambda row: -sum(row["texts"].values()))
        where = f"{axis} in {shortened(field, LONGEST_LABEL)}"
        table.add_row(f"[dim]{safe(where)}[/]", ", ".join(_people(row, findings) for row in rows))
    tied = any(row["q"] <= findings["settings"]["max_q"] for row in tested)
    which = "those tied to a label with its share" if tied else "none tied to a label"
    console.print(f"\n[bold]Rows that speak of people[/], counted by words; {which}:")
    console.print(table)


def _people(row: dict[str, Any], findings: dict[str, Any]) -> str:
    who = f"{row['pattern'].removeprefix(SPEAKS_OF)} {sum(row['texts'].values()):,}"
    if row["q"] > findings["settings"]["max_q"]:
        return safe(who)
    label, share, base = leaning(row["texts"], findings["dataset"]["labels"])
    return f"[bold]{safe(who)}[/] ({safe(shortened(label, LONGEST_LABEL))} {share:.0%}, usual {base:.0%})"


def _named(finding: dict[str, Any]) -> Text:
    """The pattern, its kind and column, and one or two others that say the same."""
    name = Text(shortened(finding["pattern"], LONGEST_NAME), style="bold", overflow="fold")
    name.append(f"\n{finding['level']} in {clean(finding['field'])}", style="dim not bold")
    if others := [variant["pattern"] for variant in finding["variants"]]:
        more = f" +{len(others) - 1}" if len(others) > 1 else ""
        name.append(f"\nalso {shortened(others[0], LONGEST_NAME)}{more}", style="dim not bold")
    return name


def _marked(finding: dict[str, Any], room: int) -> Text:
    """The example with the pattern marked, cut around it to fit."""
    text = Text(clean(finding["example"]), style="dim")
    for start, end in finding["marks"]:
        text.stylize("bold not dim underline", start, end)
    middle = finding["marks"][0][0] if finding["marks"] else 0
    left = max(0, min(middle - room // 3, len(text) - room))
    cut = text[left : left + room]
    if left > 0:
        cut = Text("…", style="dim") + cut[1:]
    return cut if left + room >= len(text) else cut[:-1] + Text("…", style="dim")


def _show_problems(console: Console, problems: list[dict[str, Any]]) -> None:
    if not problems:
        return
    console.print("\n[bold]About the data[/]")
    for problem in problems[:N_PROBLEMS]:
        rows = ", ".join(f"{row:,}" for row in problem["rows"][:5])
        where = f" (rows {rows}{', …' if problem['count'] > 5 else ''})" if rows else ""
        console.print(
            f"  {safe(problem['message'].rstrip('.'))}{where}. [dim]{safe(problem['next_step'])}[/]"
        )
    if len(problems) > N_PROBLEMS:
        console.print(f"  [dim]{len(problems) - N_PROBLEMS} more in the report.[/]")
