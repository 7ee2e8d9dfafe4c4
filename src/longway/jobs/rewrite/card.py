"""The card of a rewritten dataset: what was done to it, for whoever gets the file later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def card(rewrite: Mapping[str, Any]) -> str:
    """The card as Markdown; it holds figures and settings, and no text of the dataset."""
    dataset, leak = rewrite["dataset"], rewrite["leak"]
    lines = [
        f"# {plain(dataset['name'])}, rewritten by Longway {rewrite['longway']}",
        "",
        f"- Made: {rewrite['created']}; method {rewrite['method']}, engine {plain(rewrite['engine'])}, "
        f"judge {plain(rewrite['judge'])}, seed {rewrite['settings']['seed']}.",
        f"- Rows: {dataset['used']:,} used of {dataset['rows']:,}; {rewrite['changed']:,} have another text, "
        f"{rewrite['added']:,} were added, {rewrite['labels_changed']:,} have another label.",
        f"- Leak from {plain(' + '.join(leak['before']['columns']))} alone: {percent_of_leak(leak['before'])} before, "
        f"{percent_of_leak(leak['after'])} after; chance is {leak['after']['majority']:.1%}.",
        f"- Patterns tied to a label: {rewrite['found']['before']:,} before, {rewrite['found']['after']:,} after; "
        f"{rewrite['n_worse']:,} say more about a label than before.",
        f"- Expected to have a label that no longer holds: {_expected(rewrite['expected_wrong'])}.",
        f"- Stopped because {rewrite['stopped'] or 'it was done'}.",
        f"- Fingerprint of the data it was made from: {dataset['fingerprint']}.",
        "",
        "Every change is in edits.jsonl, with the checks it passed. The column longway_id names the row it belongs to.",
        "Longway reduces shortcuts; it does not certify that a dataset or a model trained on it is fair.",
        "",
    ]
    return "\n".join(lines)


def percent_of_leak(leak: Mapping[str, Any]) -> str:
    """A leak's accuracy with its interval."""
    return f"{leak['accuracy']:.1%} ({leak['low']:.1%} to {leak['high']:.1%})"


def _expected(wrong: Mapping[str, Any] | None) -> str:
    if wrong is None:
        return "not known for this task"
    of = [("of the accepted edits", wrong), ("of the rewritten texts", wrong["rows"])]
    return ", ".join(
        f"{one['share']:.1%} {whose} ({one['low']:.1%} to {one['high']:.1%})" for whose, one in of if one
    )


def plain(text: str) -> str:
    """The text without what Markdown would read as markup or a new line."""
    return "".join(c for c in text if c.isprintable() and c not in "`*_[]<>#|\\")
