"""A job splits texts by the rules of its dataset's languages: from `speak` on, until the job returns.

@with_own_rules
def audit(data, ...):
    dataset = ...
    spoken = speak(dataset)          {"ja": 1.0}; every tokenizer call below now finds Japanese words
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import copy_context
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from longway.data import Dataset
from longway.languages.dataset import languages_in
from longway.languages.words import rules_for
from longway.tokens.tokenizer import use_rules

P = ParamSpec("P")
T = TypeVar("T")


def speak(dataset: Dataset) -> Mapping[str, float]:
    """Split texts by the rules of the dataset's languages from now on; returns the share of each language."""
    shares = languages_in(dataset)
    use_rules(rules_for(list(shares)))
    return shares


def with_own_rules(job: Callable[P, T]) -> Callable[P, T]:
    """The job with a context of its own: the rules that it sets end with it."""

    @wraps(job)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return copy_context().run(partial(job, *args, **kwargs))

    return run
