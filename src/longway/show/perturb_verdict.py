"""The sentence at the top of a perturbation's page, built from the numbers alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longway.show.numbers import count, counted


def perturb_verdict(perturb: Mapping[str, Any]) -> str:
    """How many rows tell who somebody is, and in how many that was changed, in plain words.

    >>> perturb_verdict({"rows": 10, "perturbable": 4, "perturbed": 3, "added": 0})
    'In 3 of the 4 rows that tell somebody’s gender, race or age, one person is another one now; all 10 labels are as they were.'
    """
    rows, could, done = perturb["rows"], perturb["perturbable"], perturb["perturbed"]
    if not could:
        return f"None of {counted(rows, 'row')} tells somebody’s gender, race or age that could be changed: all are as they were."
    of = f"the {count(could)} rows that tell" if could > 1 else "the one row that tells"
    if not done:
        return f"Nothing was changed in {of} somebody’s gender, race or age."
    if perturb["added"]:
        are = "row was" if done == 1 else "rows were"
        return f"{count(done)} {are} added, made from {of} somebody’s gender, race or age: one person is another one in each."
    some = (
        of if could == 1 else f"all {of.removeprefix('the ')}" if done == could else f"{count(done)} of {of}"
    )
    return (
        f"In {some} somebody’s gender, race or age, one person is another one now; "
        f"all {count(rows)} labels are as they were."
    )
