"""A perturbation in the terminal: while it runs, and who is spoken of now, what became what, what was left alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from longway.cli.live import Live
from longway.cli.screen import output, safe, shortened, show_formulas, show_review
from longway.jobs.run import Started

N_PAIRS, N_REASONS, N_EDITS = 8, 8, 3


class PerturbLive(Live):
    """What a perturbation calls to say where it is."""

    def start(self, started: Started) -> None:
        """Say who changes the texts and where it goes."""
        self._folder = started.folder
        if started.note:
            self._console.print(f"{safe(started.note)}.", soft_wrap=True)
        if not self._quiet:
            self._console.print(
                f"Changed by [bold]{safe(started.engine)}[/]; run folder {safe(str(started.folder))}",
                soft_wrap=True,
            )


def show_perturb(found: Mapping[str, Any], folder: Path, data: str) -> None:
    """Print a perturb.json for people. data: what was perturbed, as the user named it."""
    console = output()
    _show_counts(console, found)
    if found["perturbed"]:
        _show_balance(console, found)
        _show_pairs(console, found)
    _show_reasons(console, found)
    _show_edits(console, found)
    show_failed(console, found["failed_calls"])
    show_cost(console, found["cost"])
    dataset = next(iter(sorted(folder.glob("dataset.*"))), folder)
    console.print(f"\nDataset: [bold]{safe(str(dataset))}[/]", soft_wrap=True)
    show_formulas(console, found["dataset"])
    console.print(f"Report:  [bold]{safe(str(folder / 'report.html'))}[/]", soft_wrap=True)
    show_review(console, folder)
    if found["perturbed"]:
        console.print(
            f"Next:    [bold]{safe(f'longway prove {data} {folder} --test other=other-data.csv')}[/] says what it changed; "
            "perturbed data alone makes no model fair",
            soft_wrap=True,
        )


def _show_counts(console: Console, found: Mapping[str, Any]) -> None:
    name = f"[bold]{safe(found['dataset']['name'])}[/]"
    if not found["perturbable"]:
        console.print(
            f"{name}: none of {found['rows']:,} rows tells somebody's gender, race or age that could be changed. All are as they were.",
            soft_wrap=True,
        )
        return
    done = (
        f"{found['added']:,} rows added"
        if found["settings"]["add"]
        else f"{found['changed']:,} of them changed"
    )
    stopped = f" Stopped: {safe(found['stopped'])}." if found["stopped"] else ""
    console.print(
        f"{name}: {found['perturbable']:,} of {found['rows']:,} rows tell somebody's gender, race or age, {done}. Labels are as they were.{stopped}",
        soft_wrap=True,
    )
    if found["blocked"]:
        console.print(f"Blocked as offensive: {found['blocked']:,}.")
    if found["warned"]:
        kept = f"{found['kept_warned']:,} of them kept" if found["kept_warned"] else "not used"
        console.print(
            f"Labels in doubt, since the contrast of the pair went with the change: {found['warned']:,}, {kept}."
        )


def _table(left: tuple[str, ...], right: tuple[str, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in left:
        table.add_column(name, max_width=80)
    for name in right:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _show_balance(console: Console, found: Mapping[str, Any]) -> None:
    table = _table(("axis", "attribute"), ("before", "now"))
    last = ""
    for row in found["balance"]:
        if row["rows_before"] or row["rows_after"]:
            axis = "" if row["axis"] == last else row["axis"]
            last = row["axis"]
            table.add_row(
                axis, row["attribute"], f"{row['rows_before']:,}", f"[bold]{row['rows_after']:,}[/]"
            )
    console.print("\n[bold]Who is spoken of, in rows[/]")
    console.print(table)


def _show_pairs(console: Console, found: Mapping[str, Any]) -> None:
    table = _table(("axis", "from", "to"), ("rows",))
    for row in found["pairs"][:N_PAIRS]:
        table.add_row(row["axis"], row["source"], row["target"], f"{row['count']:,}")
    console.print("\n[bold]What became what[/]")
    console.print(table)
    if len(found["pairs"]) > N_PAIRS:
        console.print(f"[dim]and {len(found['pairs']) - N_PAIRS:,} more[/]")


def _show_reasons(console: Console, found: Mapping[str, Any]) -> None:
    if found["stayed"] and found["perturbable"]:
        table = _table(("because",), ("rows",))
        for row in found["stayed"][:N_REASONS]:
            table.add_row(safe(shortened(row["reason"], 100)), f"{row['count']:,}")
        console.print("\n[bold]Rows that are as they were[/]")
        console.print(table)
    if found["left"]:
        told = "; ".join(
            f"{row['reason']} {row['count']:,} ({', '.join(word for word, _ in row['words'][:2])})"
            for row in found["left"][:N_REASONS]
        )
        console.print(f"\nWords left alone: {safe(shortened(told, 400))}.", soft_wrap=True)


def _show_edits(console: Console, found: Mapping[str, Any]) -> None:
    if found["sample"]:
        console.print("\n[bold]For example[/] (more are in the report, for a person to look at):")
    seen: set[str] = set()
    for row in found["sample"]:
        if row["axis"] in seen or len(seen) == N_EDITS:
            continue
        seen.add(row["axis"])
        console.print(f"  [dim]{safe(row['axis'])}: {safe(row['source'])} to {safe(row['target'])}[/]")
        for text in row["texts"]:
            if text["before"] != text["after"]:
                console.print(f"  - {safe(shortened(text['before'], 200))}", soft_wrap=True)
                console.print(f"  + {safe(shortened(text['after'], 200))}", soft_wrap=True)


def show_failed(console: Console, failed: list[dict[str, Any]]) -> None:
    """Print how many calls to engines failed, and why."""
    if failed:
        n = sum(row["count"] for row in failed)
        told = "; ".join(f"{shortened(row['reason'], 120)} ({row['count']:,})" for row in failed[:N_REASONS])
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
