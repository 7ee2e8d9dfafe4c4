"""A proof in the terminal: what changed for each model on each test set, and what got worse."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from longway.cli.screen import output, safe, shortened
from longway.show.prove_results import FAIRSCORE, Told, axis_of, change, figure, metric_name, told_once

N_WORSE, N_PATTERNS = 8, 6
MARKS = {
    "better": "[green]▲ better[/]",
    "worse": "[red]▼ worse[/]",
    "no clear difference": "[dim]no clear difference[/]",
}
NAMES = {"erm": "plain"}


def show_prove(results: dict[str, Any], folder: Path) -> None:
    """Print a results.json for people."""
    console = output()
    seeds = results["settings"]["seeds"]
    console.print(
        f"Trained on {_listed([one['name'] for one in results['versions']])}, "
        f"{seeds} time{'s' if seeds > 1 else ''} each; accuracy with its 95% interval.\n",
        soft_wrap=True,
    )
    for concern in results["concerns"]:
        console.print(f"[yellow]Note:[/] {safe(concern['text'])}", soft_wrap=True)
    for test in results["tests"]:
        _show_test(console, results, test)
    _show_fairscore(console, results)
    if notes := told_once(results.get("notes", []), "text"):
        _show_told(console, "[yellow]Note:[/]", notes)
        console.print()
    _show_leaks(console, results)
    _show_groups(console, results)
    _show_worse(console, results["worse"])
    _show_told(console, "[red]Not trained:[/]", told_once(results["failed"], "error"))
    if results["settings"].get("save_models"):
        console.print(f"\nClassifiers: [bold]{safe(str(folder / 'models'))}[/]", soft_wrap=True, end="")
    console.print(f"\nResults: [bold]{safe(str(folder / 'results.json'))}[/]", soft_wrap=True)
    console.print(f"Report:  [bold]{safe(str(folder / 'report.html'))}[/]", soft_wrap=True)


def _table(columns: list[str], *, right_from: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for i, name in enumerate(columns):
        table.add_column(name, justify="right" if i >= right_from else "left")
    return table


def _show_test(console: Console, results: dict[str, Any], test: dict[str, Any]) -> None:
    """One table for each test set: a line for each model and method, a column for each version."""
    rows = f"{test['rows']:,} row{'' if test['rows'] == 1 else 's'}"
    left_out = f" ({test['left_out']:,} left out: seen in training)" if test["left_out"] else ""
    chance = f"always the commonest label gets {test['majority']:.1%}"
    console.print(f"{safe(test['name'])}: {rows}{left_out}, {chance}", style="italic", soft_wrap=True)
    _show_figures(console, results, test["name"], ["accuracy"])


def _show_fairscore(console: Console, results: dict[str, Any]) -> None:
    """The same of the fairscore, where it was asked for, with a line for each axis."""
    for test in results.get(FAIRSCORE, {}).get("tests", []):
        rows = f"{test['perturbed']:,} of {test['rows']:,} row{'' if test['rows'] == 1 else 's'} perturbed"
        axes = ", ".join(f"{axis} {n:,}" for axis, n in test["axes"].items())
        told = f"{safe(test['test'])}, fairscore: {rows}{f' ({axes})' if axes else ''}"
        if not test["perturbed"]:
            console.print(f"{told}, so there is none.\n", style="italic", soft_wrap=True)
            continue
        console.print(f"{told}; how many answers change then, less is better", style="italic", soft_wrap=True)
        of_axes = [f"{FAIRSCORE}:{axis}" for axis in test["axes"]] if len(test["axes"]) > 1 else []
        _show_figures(console, results, test["test"], [FAIRSCORE, *of_axes])


def _show_figures(console: Console, results: dict[str, Any], test: str, metrics: Sequence[str]) -> None:
    """A line for each model, method and measure, with the figures of each version."""
    versions = [one["name"] for one in results["versions"]]
    figures = {
        (row["model"], row["method"], row["metric"], row["data"]): row
        for row in results["rows"]
        if row["test"] == test and row["metric"] in metrics
    }
    verdicts = {
        (one["model"], one["method"], one["metric"], one["data"]): one
        for one in results["comparisons"]
        if one["test"] == test and one["metric"] in metrics and "against_method" not in one
    }
    table = _table(
        ["model", "training", *map(safe, versions), f"{safe(versions[1])} against {safe(versions[0])}"],
        right_from=2,
    )
    for key in dict.fromkeys(key[:3] for key in figures):
        model, method, metric = key
        axis = f", {axis_of(metric)}" if axis_of(metric) else ""
        table.add_row(
            safe(model),
            safe(_training(method) + axis),
            *(_figure(figures.get((*key, name))) for name in versions),
            _difference(verdicts.get((*key, versions[1]))),
        )
    console.print(table)
    console.print()


def _figure(row: dict[str, Any] | None) -> str:
    if row is None or row["mean"] is None:
        return ""
    mean, low, high = (figure(row[part], row["metric"]) for part in ("mean", "low", "high"))
    return f"{mean} [dim]{low} to {high}[/]"


def _difference(one: dict[str, Any] | None) -> str:
    if one is None:
        return ""
    told, low, high = (change(one[part], one["metric"]) for part in ("difference", "low", "high"))
    return f"{told} [dim]{low} to {high}[/] {MARKS[one['verdict']]}"


def _show_leaks(console: Console, results: dict[str, Any]) -> None:
    console.print("What a bag of words gets from part of the input", style="italic")
    table = _table(
        ["part", *(safe(v["name"]) for v in results["versions"])],
        right_from=1,
    )
    for name in dict.fromkeys(leak["name"] for leak in results["leaks"]):
        own = {leak["data"]: leak for leak in results["leaks"] if leak["name"] == name}
        table.add_row(
            safe(name),
            *(f"{own[v['name']]['accuracy']:.1%}" if v["name"] in own else "" for v in results["versions"]),
        )
    console.print(table)
    console.print()


def _show_groups(console: Console, results: dict[str, Any]) -> None:
    """Counter-examples of the strongest patterns, by the first model on the first test set that has them."""
    first, second = (one["name"] for one in results["versions"][:2])
    shown = [one for one in results["groups"] if one["counter"] and one["method"] == "erm"]
    if not shown:
        return
    model, test = shown[0]["model"], shown[0]["test"]
    title = f"Rows that have the pattern and another label ({safe(model)} on {safe(test)})"
    console.print(title, style="italic", soft_wrap=True)
    table = _table(["pattern", "speaks for", "rows", safe(first), safe(second)], right_from=2)
    chosen = {
        (one["level"], one["pattern"], one["field"], one["data"]): one
        for one in shown
        if (one["model"], one["test"]) == (model, test)
    }
    for level, pattern, field in list(dict.fromkeys(key[:3] for key in chosen))[:N_PATTERNS]:
        old, new = (chosen.get((level, pattern, field, name)) for name in (first, second))
        if old is None or new is None:
            continue
        table.add_row(
            shortened(safe(pattern), 40), safe(old["label"]), f"{old['counter']['n']:,}",
            f"{old['counter']['accuracy']:.0%}", f"{new['counter']['accuracy']:.0%}",
        )  # fmt: skip
    console.print(table)
    console.print()


def _show_worse(console: Console, worse: list[dict[str, Any]]) -> None:
    if not worse:
        console.print("Nothing got clearly worse.")
        return
    console.print("[bold]What got worse[/]")
    for one in worse[:N_WORSE]:
        method = one.get("against_method")
        against = f"{_training(method)} training" if method else one["against"]
        what = f"{metric_name(one['metric'])} of {one['model']} by {_training(one['method'])} training on {one['data']}, tested on {one['test']}"
        console.print(
            f"  {safe(what)}: {change(one['difference'], one['metric'])} points against {safe(against)}",
            soft_wrap=True,
        )
    if len(worse) > N_WORSE:
        console.print(f"  and {len(worse) - N_WORSE} more, in the report")


def _show_told(console: Console, mark: str, told: list[Told]) -> None:
    """What is to be said of single trainings, a line for each thing."""
    for one in told[:N_WORSE]:
        model, method = one.run
        what = f"{safe(model)} by {safe(_training(method))} training on {_listed(one.versions)}"
        console.print(f"{mark} {what}: {safe(one.text)}", soft_wrap=True)
    if len(told) > N_WORSE:
        console.print(f"{mark} {len(told) - N_WORSE} more, in the report")


def _training(method: str) -> str:
    return NAMES.get(method, method)


def _listed(names: Sequence[str]) -> str:
    *most, last = map(safe, names)
    return f"{', '.join(most)} and {last}" if most else last
