"""A job splits texts by the rules of its dataset's languages: from `set_split_rules` on, until the job returns.

@with_own_rules
def audit(data, ...):
    dataset = ...
    languages = set_split_rules(dataset)          {"ja": 1.0}; every tokenizer call below now finds Japanese words
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import copy_context
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from longway.data import Dataset
from longway.errors import SettingError, with_checked_arguments
from longway.language_names import ENGLISH
from longway.languages.dataset import described, languages_in
from longway.languages.words import rules_for
from longway.text.tokenizer import use_rules

ENGLISH_ONLY = frozenset({"rules"})  # engines that write no other language
SERVED = "Use --engine served:MODEL, which writes in the language of each row, or `longway repair`, which also takes out, normalises and drops."
P = ParamSpec("P")
T = TypeVar("T")


def set_split_rules(dataset: Dataset) -> Mapping[str, float]:
    """Identify the dataset's languages and use their splitting rules for the rest of the job; returns the share of each language."""
    shares = languages_in(dataset)
    use_rules(rules_for(list(shares)))
    return shares


def with_own_rules(job: Callable[P, T]) -> Callable[P, T]:
    """The job with checked arguments and a context of its own: the rules that it sets end with it."""

    @wraps(job)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return copy_context().run(partial(with_checked_arguments(job), *args, **kwargs))

    return run


def check_english(languages: Mapping[str, float], what: str, next_step: str) -> None:
    """SettingError if no text is English. what: the start of a sentence that ends with "English only"."""
    if ENGLISH not in languages:
        raise SettingError(f"{what} English only. The texts look like {described(languages)}. {next_step}")


def check_writer(languages: Mapping[str, float], writer: str) -> None:
    """SettingError if no text is English and only rules write. Rows of mixed data are refused one by one. writer: its name."""
    if writer in ENGLISH_ONLY:
        check_english(languages, f"The engine {writer} supports", SERVED)
