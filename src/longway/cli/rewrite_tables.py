"""A rewrite in the terminal: what became of the leak and of the shortcuts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from longway.cli.screen import output, safe, shortened, show_formulas, show_review
from longway.jobs.rewrite.planted import PlantedFate

N_SHORTCUTS, N_WORSE, N_EDITS, N_REFUSED, N_DECIDED = 12, 6, 3, 6, 6


def show_rewrite(found: dict[str, Any], folder: Path) -> None:
    """Print a rewrite.json for people."""
    console = output()
    _show_counts(console, found)
    _show_decisions(console, found.get("decisions"))
    show_leaks(console, found)
    _show_shortcuts(console, found)
    _show_worse(console, found["worse"], found.get("n_worse", len(found["worse"])))
    _show_edits(console, found["sample"][:N_EDITS])
    _show_refused(console, found)
    show_failed(console, found.get("failed_calls", []))
    show_cost(console, found["cost"])
    if hint := _hint(found):
        console.print(f"\n{hint}")
    dataset = next(iter(sorted(folder.glob("dataset.*"))), folder)
    console.print(f"\nDataset: [bold]{safe(str(dataset))}[/]", soft_wrap=True)
    show_formulas(console, found["dataset"])
    console.print(f"Report:  [bold]{safe(str(folder / 'report.html'))}[/]", soft_wrap=True)
    show_review(console, folder)


def show_planted(fates: Sequence[PlantedFate]) -> None:
    """Print what became of the shortcuts that were planted in a sample."""
    table = Table(
        title="The planted shortcuts", title_justify="left", box=None, pad_edge=False, header_style="dim"
    )
    for name in ("shortcut", "speaks for"):
        table.add_column(name)
    for name in ("rows before", "share", "rows after", "share ", "told less by"):
        table.add_column(name, justify="right")
    for fate in fates:
        table.add_row(
            safe(fate.pattern),
            safe(fate.label),
            f"{fate.count_before:,}",
            f"{fate.share_before:.0%}",
            f"{fate.count_after:,}",
            f"{fate.share_after:.0%}" if fate.count_after else "",
            f"{fate.repaired:.0%}" if fate.repaired >= 0 else "[red]more[/]",
        )
    console = output()
    console.print(table)
    console.print()


def _show_counts(console: Console, found: dict[str, Any]) -> None:
    dataset = found["dataset"]
    added = f", {found['added']:,} rows added" if found["added"] else ""
    console.print(
        f"[bold]{safe(dataset['name'])}[/]: {found['changed']:,} of {dataset['used']:,} texts rewritten{added}, "
        f"{found['labels_changed']:,} labels changed. Stopped: {safe(found['stopped'])}."
    )
    wrong = found["expected_wrong"]
    if wrong is not None:
        console.print(f"Expected to have a label that no longer holds: {_expected(wrong)}.", soft_wrap=True)
    for missing in found["missing_checks"]:
        console.print(f"[dim]Not checked: {safe(missing)}[/]", soft_wrap=True)


def _show_decisions(console: Console, decisions: Mapping[str, Any] | None) -> None:
    """Print what was taken over from the review of an earlier run, and what was not."""
    if not decisions:
        return
    told = []
    for what, name in (("left alone as real signal", "signal"), ("aimed at first", "shortcuts")):
        if patterns := decisions[name]:
            more = f" and {len(patterns) - N_DECIDED:,} more" if len(patterns) > N_DECIDED else ""
            told.append(f"{what}: {', '.join(shortened(one, 40) for one in patterns[:N_DECIDED])}{more}")
    if n := decisions["rejected"]:
        told.append(
            "1 rejected text is not proposed again"
            if n == 1
            else f"{n:,} rejected texts are not proposed again"
        )
    console.print(
        f"Decisions of {safe(decisions['source'])}: {safe('; '.join(told) or 'none could be used')}.",
        soft_wrap=True,
    )
    for one in decisions["left_out"][:N_DECIDED]:
        console.print(
            f"[dim]Not taken over: {safe(shortened(one['pattern'], 60))}: {safe(one['why'])}[/]",
            soft_wrap=True,
        )
    if len(decisions["left_out"]) > N_DECIDED:
        console.print(
            f"[dim]and {len(decisions['left_out']) - N_DECIDED:,} more that could not be taken over[/]"
        )


def _expected(wrong: dict[str, Any]) -> str:
    """The share of wrong labels among edits and, a row having one or more of them, among rewritten texts."""
    of = [("of the accepted edits", wrong), ("of the rewritten texts", wrong.get("rows"))]
    return ", ".join(
        f"{one['share']:.1%} {whose} ({one['low']:.1%} to {one['high']:.1%})" for whose, one in of if one
    )


def show_leaks(console: Console, found: Mapping[str, Any]) -> None:
    """Print the leaks before and after."""
    table = Table(
        title="Leak: what a bag of words gets right", title_justify="left", box=None, pad_edge=False
    )
    for name in ("from", "before", "after", "95% interval", "chance"):
        table.add_column(name, justify="left" if name == "from" else "right")
    for pair in (found["leak"], *found["other_leaks"]):
        before, after = pair["before"], pair["after"]
        table.add_row(
            safe(" + ".join(after["columns"])),
            f"{before['accuracy']:.1%}",
            f"[bold]{after['accuracy']:.1%}[/]",
            f"{after['low']:.1%} to {after['high']:.1%}",
            f"{after['majority']:.1%}",
        )
    console.print()
    console.print(table)


def _show_shortcuts(console: Console, found: dict[str, Any]) -> None:
    fates = found["findings"][:N_SHORTCUTS]
    if not fates:
        return
    counts = found["found"]
    console.print(
        f"\n[bold]Shortcuts[/]: {counts['before']:,} patterns were tied to a label, {counts['after']:,} are now. "
        "The strongest, then and now:"
    )
    console.print(fates_table(fates))


def fates_table(fates: list[dict[str, Any]]) -> Table:
    """A table of patterns, then and now."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("pattern", min_width=18, max_width=40)
    table.add_column("speaks for", max_width=18)
    for name in ("rows before", "share", "rows after", "share ", "told less by"):
        table.add_column(name, justify="right", no_wrap=True)
    for fate in fates:
        was, now = fate["gain_before"], fate["gain_after"]
        less = f"{1 - now / was:.0%}" if was > 0 and now <= was else "[red]more[/]"
        table.add_row(
            safe(shortened(fate["pattern"], 60)) + (" [dim](kept)[/]" if fate["marked"] else ""),
            safe(shortened(fate["label"], 40)),
            f"{fate['count_before']:,}",
            f"{fate['share_before']:.0%}",
            f"{fate['count_after']:,}",
            f"{fate['share_after']:.0%}" if fate["count_after"] else "",
            less,
        )
    return table


def _show_worse(console: Console, worse: list[dict[str, Any]], n: int) -> None:
    if not worse:
        console.print(
            "\nNothing got worse: no pattern tied to a label says a tenth more about it than before."
        )
        return
    say = "pattern says" if n == 1 else "patterns say"
    console.print(f"\n[bold]What got worse[/]: {n:,} {say} more about a label than before:")
    console.print(fates_table(worse[:N_WORSE]))
    if n > N_WORSE:
        console.print(f"[dim]and {n - N_WORSE:,} more[/]")


def _show_edits(console: Console, edits: list[dict[str, Any]]) -> None:
    if edits:
        console.print(
            "\n[bold]For example[/] (up to 20 drawn at random are in the report, for a person to look at):"
        )
    for edit in edits:
        about = ", ".join(part for part in (shortened(edit["label_after"], 20), edit["how"]) if part)
        console.print(f"  [dim]{safe(about)}[/]")
        console.print(f"  - {safe(shortened(edit['before'], 200))}", soft_wrap=True)
        console.print(f"  + {safe(shortened(edit['after'], 200))}", soft_wrap=True)


def _show_refused(console: Console, found: dict[str, Any]) -> None:
    if found["refused"]:
        reasons = ", ".join(f"{row['reason']} {row['count']:,}" for row in found["refused"][:N_REFUSED])
        console.print(f"\nCandidates refused by: {safe(reasons)}.")
    show_not_written(console, found["rounds"])


def show_not_written(console: Console, rounds: list[dict[str, Any]]) -> None:
    """Print what engines said about texts they did not write."""
    not_written = Counter[str]()
    for one in rounds:
        not_written.update(one["refusals"])
    if not_written:
        told = "; ".join(f"{shortened(why, 120)} ({n:,})" for why, n in not_written.most_common(N_REFUSED))
        console.print(f"\nNot written by the engine: {safe(told)}.", soft_wrap=True)


def show_failed(console: Console, failed: list[dict[str, Any]]) -> None:
    """Print how many calls to engines failed, and why."""
    if failed:
        n = sum(row["count"] for row in failed)
        told = "; ".join(f"{shortened(row['reason'], 120)} ({row['count']:,})" for row in failed[:N_REFUSED])
        calls = "1 call failed and was" if n == 1 else f"{n:,} calls failed and were"
        console.print(
            f"\n{calls} left out: {safe(told)}. The same command asks again, and for nothing else.",
            soft_wrap=True,
        )


def show_cost(console: Console, cost: list[dict[str, Any]]) -> None:
    """Print what engines cost."""
    if any(row["cost"] is None for row in cost):
        console.print("Spent: not known, since a price is not known.")
        return
    spent = sum(row["cost"] for row in cost)
    if spent:
        tokens = sum(row["prompt_tokens"] + row["completion_tokens"] for row in cost)
        console.print(
            f"Spent: ${spent:,.4f} for {sum(row['calls'] for row in cost):,} calls, {tokens:,} tokens."
        )


def _hint(found: dict[str, Any]) -> str:
    """What to try where the leak hardly fell."""
    before, after = found["leak"]["before"], found["leak"]["after"]
    fell = before["accuracy"] - after["accuracy"]
    if (
        found["method"] == "razor"
        and found["settings"]["choose"] == "gamma"
        and fell < 0.02 < before["accuracy"] - before["majority"]
    ):
        return "The leak hardly fell. Try [bold]--choose leak[/]: it looks for what a surface-only model could use."
    return ""
