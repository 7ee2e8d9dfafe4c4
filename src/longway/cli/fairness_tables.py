"""A model's measures in the terminal: a table for each, the quality of the language model, and what the figures cannot say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from longway.cli.screen import output, safe

N_TESTS = 12
CAUTION = "These figures cannot show that a model is fair: each looks for one kind of preference, and a model that knows little language passes most of them."


def show_fairness(result: Mapping[str, Any], folder: Path) -> None:
    """Print a fairness.json for people."""
    console = output()
    model = result["model"]
    console.print(f"[bold]{safe(model['name'])}[/] ({safe(model['kind'])}); 95% intervals.\n", soft_wrap=True)
    shown = {
        "crows_pairs": _crows_pairs,
        "stereoset": _stereoset,
        "weat": _weat,
        "holistic": _holistic,
        "fairscore": _fairscore,
    }
    for name, measure in result["measures"].items():
        shown[name](console, measure)
        _quality(console, measure.get("quality"))
    console.print(f"[yellow]Note:[/] {CAUTION}", soft_wrap=True)
    console.print(f"\nResults: [bold]{safe(str(folder / 'fairness.json'))}[/]", soft_wrap=True)
    console.print(f"Report:  [bold]{safe(str(folder / 'report.html'))}[/]", soft_wrap=True)


def _crows_pairs(console: Console, measure: Mapping[str, Any]) -> None:
    overall = measure["overall"]
    ties = f", {overall['ties']:,} ties" if overall["ties"] else ""
    _title(
        console, f"CrowS-Pairs: {overall['pairs']:,} of {measure['of']:,} pairs{ties}; 50 is no preference"
    )
    table = _table(["bias type", "pairs", "prefers the stereotype"])
    for name, one in {"all": overall, **measure["by_direction"], **measure["by_type"]}.items():
        table.add_row(safe(name), f"{one['pairs']:,}", _figure(one["score"], "%", neutral=50))
    console.print(table)


def _stereoset(console: Console, measure: Mapping[str, Any]) -> None:
    _title(
        console,
        f"StereoSet: {measure['overall']['rows']:,} of {measure['of']:,} contexts; stereotype score 50, the others 100 at best",
    )
    table = _table(["bias type", "contexts", "stereotype score", "language score", "ICAT"])
    for name, one in {"all": measure["overall"], **measure["by_task"], **measure["by_type"]}.items():
        figures = _figure(one["ss"], neutral=50), _figure(one["lms"]), _figure(one["icat"])
        table.add_row(safe(name), f"{one['rows']:,}", *figures)
    console.print(table)


def _weat(console: Console, measure: Mapping[str, Any]) -> None:
    _title(
        console,
        f"WEAT/SEAT: {measure['overall']['tests']:,} of {measure['of']:,} tests; p < 0.05 in 5% by chance",
    )
    table = _table(["tests", "n", "p < 0.05", "after Holm", "mean |d|"])
    for name, one in {"all": measure["overall"], **measure["groups"]}.items():
        table.add_row(
            safe(name),
            f"{one['tests']:,}",
            _figure(one["significant"], "%"),
            _figure(one["significant_holm"], "%"),
            _figure(one["mean_size"], digits=2),
        )
    console.print(table)
    console.print()
    strongest = sorted(
        (one for one in measure["tests"] if not one["control"]), key=lambda one: -abs(one["d"]["value"])
    )
    _title(console, "The largest effects about people")
    table = _table(["test", "targets", "attributes", "d", "p"], right_from=3)
    for one in strongest[:N_TESTS]:
        targets, attributes = f"{one['x']} / {one['y']}", f"{one['a']} / {one['b']}"
        table.add_row(
            safe(one["name"]),
            safe(targets),
            safe(attributes),
            _figure(one["d"], digits=2, neutral=0),
            "<0.001" if one["p"] < 0.001 else f"{one['p']:.3f}",
        )
    console.print(table)
    console.print()


def _holistic(console: Console, measure: Mapping[str, Any]) -> None:
    by = {
        "association": "association of vectors with pleasant and unpleasant words, our own measure",
        "likelihood": "log-likelihood",
        "pseudo-likelihood": "pseudo-log-likelihood",
    }[measure["method"]]
    _title(
        console,
        f"HolisticBias, by {by}: {measure['sentences']:,} of {measure['of']:,} sentences; 5% of pairs differ by chance",
    )
    table = _table(["axis", "descriptors", "tests", "differ", "after Holm", "after BH"])
    for axis, one in measure["axes"].items():
        figures = [
            _figure(one[kind], "%", neutral=5 if kind == "raw" else None) for kind in ("raw", "holm", "bh")
        ]
        table.add_row(safe(axis), f"{one['descriptors']:,}", f"{one['tests']:,}", *figures)
    console.print(table)


def _fairscore(console: Console, measure: Mapping[str, Any]) -> None:
    _title(
        console,
        f"Fairscore: {measure['overall']['rows']:,} of {measure['rows']:,} rows perturbed; how many answers change then, less is better",
    )
    table = _table(["changed", "rows", "answers that change"])
    groups = {"all": measure["overall"], **measure["by_axis"]}
    groups |= {f"{one['axis']}: {one['source']} to {one['target']}": one for one in measure["by_pair"]}
    for name, one in groups.items():
        table.add_row(safe(name), f"{one['rows']:,}", _figure(one["score"], "%"))
    console.print(table)
    accuracy = measure["accuracy"]
    told = (
        f"accuracy {_figure(accuracy, '%')} on all {measure['rows']:,} rows"
        if accuracy
        else f"accuracy not known: the classifier has other labels ({safe(', '.join(measure['labels'][:5]))}) than the data"
    )
    console.print(f"[dim]{told}; the perturbed rows are in {safe(measure['file'])}[/]", soft_wrap=True)


def _quality(console: Console, quality: Mapping[str, Any] | None) -> None:
    if quality is not None:
        figure = quality["log_likelihood"]
        console.print(
            f"[dim]language model: {figure['value']:.2f} nats per token, perplexity {quality['perplexity']:,.1f}, "
            f"over {quality['tokens']:,} tokens[/]",
            soft_wrap=True,
        )
    console.print()


def _figure(
    figure: Mapping[str, Any], unit: str = "", *, digits: int = 1, neutral: float | None = None
) -> str:
    """The figure with its interval; bold where all of it lies on one side of no preference."""
    if figure["value"] is None:
        return ""
    value = f"{figure['value']:.{digits}f}{unit}"
    if figure["low"] is None:
        return value
    clear = neutral is not None and not figure["low"] <= neutral <= figure["high"]
    interval = f"[dim]{figure['low']:.{digits}f} to {figure['high']:.{digits}f}[/]"
    return f"[bold]{value}[/] {interval}" if clear else f"{value} {interval}"


def _title(console: Console, text: str) -> None:
    console.print(text, style="italic", soft_wrap=True)


def _table(columns: Sequence[str], *, right_from: int = 1) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for i, name in enumerate(columns):
        table.add_column(name, justify="right" if i >= right_from else "left")
    return table
