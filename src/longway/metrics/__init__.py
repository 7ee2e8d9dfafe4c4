"""Metrics: plain functions of texts, counts and predictions, one family per module.

bleu.py             n-gram overlap of texts with references
classification.py   accuracy, F1, AUROC, and calibration of probabilities
fairness/           how a model treats people
group_accuracy.py   accuracy per group, and with and against a pattern
intervals.py        confidence intervals
judgements.py       shares estimated from a stratified sample
paired.py           whether accuracy differs before and after
rewrites.py         how close rewrites are to those that people wrote
usable_information.py  bits of the label that a model reads from each row
vectors.py          divergence of vectors
versions.py         how much texts changed between two versions

Results are frozen dataclasses; `to_dict` returns what is written to JSON.
"""

from dataclasses import asdict
from math import isnan
from typing import Any, cast


class Measure:
    """Base class of results, which are dataclasses."""

    __slots__ = ()

    def to_dict(self) -> dict[str, object]:
        """The fields as JSON values, with None for NaN."""
        return cast(dict[str, object], json_values(asdict(cast(Any, self))))


def json_values(value: Any) -> Any:
    """The value for JSON: NaN becomes None, at any depth.

    >>> json_values({"mean": float("nan"), "parts": [{"low": 0.5}]})
    {'mean': None, 'parts': [{'low': 0.5}]}
    """
    if isinstance(value, float):
        return None if isnan(value) else value
    if isinstance(value, dict):
        return {key: json_values(each) for key, each in value.items()}
    return [json_values(each) for each in value] if isinstance(value, list | tuple) else value
