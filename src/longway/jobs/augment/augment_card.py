"""The card of an augmented dataset: what was added to it, for whoever gets the file later."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import Any

from longway.jobs.rewrite.card import percent_of_leak, plain


def augment_card(augment: Mapping[str, Any]) -> str:
    """The card as Markdown; it holds figures and settings, and no text of the dataset."""
    dataset = augment["dataset"]
    lines = [
        f"# {plain(dataset['name'])}, augmented by Longway {augment['longway']}",
        "",
        f"- Made: {augment['created']}; method {augment['method']}, engine {plain(augment['engine'])}, "
        f"judge {plain(augment['judge'])}, seed {augment['settings']['seed']}.",
        f"- Rows: {dataset['used']:,} used of {dataset['rows']:,}, none of them changed; {augment['added']:,} were added "
        f"({_by_label(augment['added_by_label'])}).",
        f"- Candidates: {augment['candidates']:,}, of which {augment['rejected']:,} were refused.",
        *_words(augment),
        *_leak(augment["leak"]),
        *_wrong(augment["expected_wrong"]),
        f"- Stopped because {augment['stopped'] or 'it was done'}.",
        f"- Fingerprint of the data it was made from: {dataset['fingerprint']}.",
        "",
        "Every candidate is in edits.jsonl, with the checks it passed and the steps that made it. The column longway_id names the",
        "row it belongs to, longway_source the row an added one was made from; it is empty for rows that were there.",
        "Longway reduces shortcuts; it does not certify that a dataset or a model trained on it is fair.",
        "",
    ]
    return "\n".join(lines)


def _by_label(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{plain(label)} {n:,}" for label, n in counts.items()) or "the data has no labels"


def _words(augment: Mapping[str, Any]) -> list[str]:
    mean, n = augment["mean_mi"], len(augment["words"])
    if mean is None:
        return []
    was, now = (1000 * mean[when] / log(2) for when in ("before", "after"))
    told = f"{was:.2f} thousandths of a bit about the label, and tell {now:.2f} now; the mean of {n:,}"
    return [f"- Spurious words told {told}."]


def _leak(leak: Mapping[str, Any] | None) -> list[str]:
    if leak is None:
        return []
    before, after = leak["before"], leak["after"]
    return [
        f"- Leak from {plain(' + '.join(before['columns']))} alone: {percent_of_leak(before)} before, "
        f"{percent_of_leak(after)} with the additions; chance is {after['majority']:.1%}."
    ]


def _wrong(wrong: Mapping[str, Any] | None) -> list[str]:
    if wrong is None:
        return []
    ends = f"{wrong['low']:.1%} to {wrong['high']:.1%}"
    return [f"- Expected to have a label that does not hold: {wrong['share']:.1%} of the additions ({ends})."]
