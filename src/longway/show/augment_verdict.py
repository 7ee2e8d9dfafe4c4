"""The sentence at the top of an augmentation's page, built from the numbers alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longway.show.numbers import count, counted, millibits, short


def augment_verdict(augment: Mapping[str, Any]) -> str:
    """How many rows were added, and what the spurious words tell about the label since then, in plain words.

    >>> augment_verdict({"added": 2, "dataset": {"used": 10}, "words": [{}], "mean_mi": {"before": 0.001, "after": 0.0005}})
    '2 rows were added to 10; the spurious word tells 0.72 thousandths of a bit about the label instead of 1.4.'
    """
    n = augment["added"]
    if not n:
        return f"Nothing was added to {counted(augment['dataset']['used'], 'row')}: no new text passed."
    added = f"{counted(n, 'row')} {'was' if n == 1 else 'were'} added to {count(augment['dataset']['used'])}"
    mean = augment["mean_mi"]
    if mean is None:
        return f"{added}."
    was, now = (millibits(mean[when]) for when in ("before", "after"))
    one = len(augment["words"]) == 1
    whose = "the spurious word tells" if one else f"{count(len(augment['words']))} spurious words tell"
    each = "" if one else " on average"
    if mean["after"] > mean["before"]:
        return f"{added}; {whose} {short(now)} thousandths of a bit about the label{each}, more than the {short(was)} before."
    return (
        f"{added}; {whose} {short(now)} thousandths of a bit about the label{each} instead of {short(was)}."
    )
