"""Settings of `longway audit`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from longway.errors import SettingError
from longway.jobs.options import DATA, check_options, option
from longway.levels import AUDITED, CONCEPT

Variant = Literal["mean", "token"]
SLOW = (CONCEPT,)  # minutes: only if asked for
AUTO, ALL = "auto", "all"  # all levels but slow ones, the grammar only if it is quick; all levels


QUICK = tuple(level for level in AUDITED if level not in SLOW)


def levels_named(names: str) -> tuple[str, ...]:
    """The levels in a comma-separated list; with a minus before each, all others but slow ones. "all" is all of them, "auto" leaves the choice to the audit.

    >>> levels_named("token,ngram"), levels_named("-grammar,-pair") == QUICK[:-2], levels_named("all") == AUDITED
    (('token', 'ngram'), True, True)
    """
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    if chosen == [ALL]:
        return AUDITED
    if not chosen or not all(name.startswith("-") for name in chosen):
        return tuple(chosen)
    excluded = [name.removeprefix("-") for name in chosen]
    if unknown := [name for name in excluded if name not in AUDITED]:
        raise SettingError(f"There is no level {unknown[0]!r}. The levels are {', '.join(AUDITED)}.")
    return tuple(level for level in QUICK if level not in excluded)


def check_levels(levels: tuple[str, ...]) -> None:
    """Raise SettingError if one of the levels does not exist, or there is none."""
    if unknown := [level for level in levels if level not in AUDITED and levels != (AUTO,)]:
        raise SettingError(
            f"'levels' must be some of {', '.join(AUDITED)}. Got {unknown[0]!r}. Exclude a level with a minus: -grammar."
        )
    if not levels:
        raise SettingError("'levels' is empty. Leave it out to look at everything.")


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What an audit looks at."""

    variant: Variant = option(
        "mean",
        "Shortcut space. mean: equations 7-12 of RAZOR as published; token: one position vector per word.",
        advanced=True,
    )
    dimensions: int = option(64, "Length of the position code.", advanced=True, at_least=2)
    max_q: float = option(0.05, "False discovery rate of findings.", above=0, at_most=1, advanced=True)
    per_level: int = option(100, "Findings kept per level and column.", advanced=True, at_least=1)
    levels: tuple[str, ...] = option(
        (AUTO,),
        "Kinds of patterns, separated by commas: token, ngram, position, length, surface, people, "
        "negation, overlap, pair, grammar, concept; all; or the default without some: -grammar. Default: "
        "all but concept, which takes minutes; the grammar level, which needs torch, only if it takes a "
        "few seconds. For pairs it takes a minute or two, so it is left out unless you ask for it: "
        "--levels all.",
        parse=levels_named,
    )
    group: str | None = option(
        None,
        "Column with the source, annotator, generator, template or date of each row: does it predict the "
        "label, and are findings its fingerprint?",
        group=DATA,
        advanced=True,
    )
    encoder: str = option(
        AUTO,
        "Sentence encoder of the concept level: auto (minilm for English, multilingual for other "
        "languages, an extra), one of these two, or a name or folder of a Hugging Face encoder, which "
        "needs torch.",
        advanced=True,
    )
    seed: int = option(0, "Seed of folds and samples.", at_least=0, at_most=2**32 - 1, advanced=True)

    @property
    def chosen_levels(self) -> tuple[str, ...]:
        """The levels to look at."""
        return QUICK if self.levels == (AUTO,) else self.levels

    def __post_init__(self) -> None:
        check_options(self)
        check_levels(self.levels)


@dataclass(frozen=True, slots=True)
class ChoiceAuditSettings:
    """What an audit of candidates looks at."""

    max_q: float = option(0.05, "False discovery rate of findings.", above=0, at_most=1)
    seed: int = option(0, "Seed of the folds.", at_least=0, at_most=2**32 - 1)
    encoder: bool = option(
        True, "Also measure what the sentence encoder sees, if it is installed.", flag=True
    )

    def __post_init__(self) -> None:
        check_options(self)
