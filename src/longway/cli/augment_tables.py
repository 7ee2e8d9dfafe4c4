"""An augmentation in the terminal: while it runs, and what was added, what was refused, what the words tell now."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from longway.cli.live import Live
from longway.cli.rewrite_tables import fates_table, show_cost, show_failed, show_leaks, show_not_written
from longway.cli.screen import output, safe, shortened, show_formulas, show_review
from longway.methods.method import Round

N_WORDS, N_WORSE, N_REFUSED, N_EDITS = 15, 6, 8, 3


class AugmentLive(Live):
    """What an augmentation calls to say where it is."""

    def round(self, done: Round) -> None:
        """Print what a round added."""
        if self._quiet:
            return
        figures = done.figures
        rows = "1 row" if figures.accepted == 1 else f"{figures.accepted:,} rows"
        told = f"round {done.number}: {rows} added, made from {figures.asked:,} texts, {figures.candidates:,} candidates"
        self._console.print(told, style="dim", soft_wrap=True)
        if done.stopped:
            self._console.print(f"stopped: {safe(done.stopped)}", style="dim", soft_wrap=True)


def show_augment(found: Mapping[str, Any], folder: Path, data: str) -> None:
    """Print an augment.json for people. data: what was augmented, as the user named it."""
    console = output()
    _show_counts(console, found)
    _show_labels(console, found)
    _show_refused(console, found)
    _show_words(console, found)
    _show_models(console, found["analysis"])
    if found["leak"] is not None:
        show_leaks(console, found)
        _show_worse(console, found)
    _show_edits(console, found)
    show_not_written(console, found["rounds"])
    show_failed(console, found.get("failed_calls", []))
    show_cost(console, found["cost"])
    dataset = next(iter(sorted(folder.glob("dataset.*"))), folder)
    console.print(f"\nDataset: [bold]{safe(str(dataset))}[/]", soft_wrap=True)
    show_formulas(console, found["dataset"])
    console.print(f"Report:  [bold]{safe(str(folder / 'report.html'))}[/]", soft_wrap=True)
    show_review(console, folder)
    if found["added"] and found["leak"] is not None:
        told = f"longway prove {data} {folder} --test other=other-data.csv"
        console.print(f"Next:    [bold]{safe(told)}[/] says whether it helped", soft_wrap=True)


def _show_counts(console: Console, found: Mapping[str, Any]) -> None:
    dataset = found["dataset"]
    console.print(
        f"[bold]{safe(dataset['name'])}[/]: {found['added']:,} rows added to {dataset['used']:,}, "
        f"{found['accepted']:,} of {found['candidates']:,} candidates accepted. "
        f"Stopped: {safe(found['stopped'] or 'it was done')}."
    )
    wrong = found["expected_wrong"]
    if wrong is not None:
        told = f"{wrong['share']:.1%} of the additions ({wrong['low']:.1%} to {wrong['high']:.1%})"
        console.print(f"Expected to have a label that does not hold: {told}.", soft_wrap=True)
    for missing in found["missing_checks"]:
        console.print(f"[dim]Not checked: {safe(missing)}[/]", soft_wrap=True)


def _table(title: str, left: tuple[str, ...], right: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="dim")
    for name in left:
        table.add_column(name, max_width=40)
    for name in right:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _show_labels(console: Console, found: Mapping[str, Any]) -> None:
    if not found["labels_after"]:
        return
    table = _table("Rows by label", ("label",), ("before", "added", "now"))
    for label, now in found["labels_after"].items():
        added = found["added_by_label"][label]
        table.add_row(
            safe(shortened(label, 40)),
            f"{found['labels_before'][label]:,}",
            f"[bold]{added:,}[/]",
            f"{now:,}",
        )
    console.print()
    console.print(table)


def _show_refused(console: Console, found: Mapping[str, Any]) -> None:
    if not found["refused"]:
        return
    table = _table("Candidates refused", ("by", "for example"), ("candidates",))
    for row in found["refused"][:N_REFUSED]:
        reason = row["example"]["reason"].removeprefix(f"{row['reason']}: ")
        table.add_row(
            safe(shortened(row["reason"], 60)),
            "" if reason == row["reason"] else safe(shortened(reason, 80)),
            f"{row['count']:,}",
        )
    console.print()
    console.print(table)


def _show_words(console: Console, found: Mapping[str, Any]) -> None:
    words, mean = found["words"], found["mean_mi"]
    if mean is None:
        return
    was, now = (_millibits(mean[when]) for when in ("before", "after"))
    console.print(
        f"\n[bold]Spurious words[/]: {len(words):,}, which told {was} thousandths of a bit about the label on average "
        f"and tell {now} now. The strongest:",
        soft_wrap=True,
    )
    table = _table("", ("word", "goes with"), ("rows before", "rows now", "told", "tells", "less by"))
    for word in words[:N_WORDS]:
        before, after = word["mi_before"], word["mi_after"]
        less = _less_by(before, after)
        table.add_row(
            safe(shortened(word["word"], 40)),
            safe(shortened(word["label"], 30)),
            f"{word['rows_before']:,}",
            f"{word['rows_after']:,}",
            _millibits(before),
            _millibits(after),
            less,
        )
    console.print(table)


def _less_by(before: float, after: float) -> str:
    """How much less a word tells, in percent; one that told nothing and tells nothing tells 0% less."""
    rounding = 1e-9
    if after > before + rounding:
        return "[red]more[/]"
    return f"{1 - after / before:.0%}" if before > rounding else "0%"


def _show_models(console: Console, analysis: Mapping[str, Any] | None) -> None:
    """What the classifiers look at: words in common, kinds of words."""
    if not analysis:
        return
    if overlap := analysis.get("overlap"):
        console.print(
            f"\n[bold]What models look at[/] (top {overlap['k']} words, {overlap['texts']:,} texts): all share a word in "
            f"{overlap['every']:.0%} of the texts, two or more but not all in {overlap['some']:.0%}.",
            soft_wrap=True,
        )
    if kinds := analysis.get("parts_of_speech"):
        console.print()
        table = _table("Kinds of words that models look at", ("model",), tuple(next(iter(kinds.values()))))
        for model, shares in kinds.items():
            table.add_row(safe(shortened(model, 40)), *(f"{share:.0%}" for share in shares.values()))
        console.print(table)


def _show_worse(console: Console, found: Mapping[str, Any]) -> None:
    n = found["n_worse"]
    if not found["worse"]:
        console.print(
            "\nNothing got worse: no pattern tied to a label says a tenth more about it than before."
        )
        return
    say = "pattern says" if n == 1 else "patterns say"
    console.print(f"\n[bold]What got worse[/]: {n:,} {say} more about a label than before:")
    console.print(fates_table(found["worse"][:N_WORSE]))
    if n > N_WORSE:
        console.print(f"[dim]and {n - N_WORSE:,} more[/]")


def _show_edits(console: Console, found: Mapping[str, Any]) -> None:
    if found["sample"]:
        console.print("\n[bold]For example[/] (more are in the report, with every step on the way):")
    for edit in found["sample"][:N_EDITS]:
        was, now = (safe(shortened(edit[name], 30)) for name in ("label_before", "label_after"))
        if found["labels_after"]:
            console.print(f"  [dim]{was}[/]" + (f" [dim]→ {now}[/]" if was != now else ""))
        console.print(f"  - {safe(shortened(edit['before'], 200))}", soft_wrap=True)
        console.print(f"  + {safe(shortened(edit['after'], 200))}", soft_wrap=True)


def _millibits(nats: float) -> str:
    return f"{1000 * nats / log(2):.2f}"
