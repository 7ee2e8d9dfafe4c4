"""The settings of a repair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from longway.errors import SettingError
from longway.jobs.audit.settings import AUTO, QUICK, check_levels, levels_named
from longway.jobs.options import ENGINE, check_options, option
from longway.methods.repair import REMEDIES

NORMALISE, COUNTER, REWRITE, POSITIONS, DROP = "normalise", "counter", "rewrite", "positions", "drop"
CHOICE_REMEDIES = (NORMALISE, COUNTER, REWRITE, POSITIONS, DROP)  # of data with candidates, in this order
OF_CANDIDATES = (POSITIONS, REWRITE)  # for data with candidates only
ABOVE_CHANCE, CHOICES_ABOVE_CHANCE = 0.05, 0.02
NO_ENGINE = "none"


def goal_of(text: str) -> float | None:
    """The leak to reach: an accuracy, or None for "chance"; "leak=0.55" is the same as "0.55".

    >>> goal_of("leak=0.55"), goal_of("55%"), goal_of("chance")
    (0.55, 0.55, 0.0)
    """
    value = text.strip().removeprefix("leak=")
    if value == "chance":
        return 0.0
    try:
        number = float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        number = -1.0
    if not 0 < number <= 1:
        raise SettingError(
            f"'goal' must be the accuracy that the leak should fall to, or chance. Got {text!r}. Try --goal leak=0.55."
        )
    return number


def share_of_rows(text: str, option: str = "max_change") -> float:
    """A share of the rows. option: what the text was given for.

    >>> share_of_rows("30%"), share_of_rows("0.3")
    (0.3, 0.3)
    """
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise SettingError(f"'{option}' must be a share of the rows. Got {text!r}. Try 30% or 0.3.") from None


@dataclass(frozen=True, slots=True)
class RepairSettings:
    """What a repair may do."""

    goal: float | None = option(
        None,
        "Stop when a model that sees only the text is right this often: an accuracy such as leak=0.55, or"
        " chance. Default: 5 points above chance; for data with candidates 2.",
        parse=goal_of,
        metavar="LEAK",
        at_least=0,
        at_most=1,
    )
    remedy: tuple[str, ...] = option(
        (),
        "Use only this remedy: take-out, normalise, exchange, reword, put-in, reshape, counterpart, drop "
        "or weigh. Repeatable. Default: all that apply except weigh, which adds a column longway_weight. "
        "For data with candidates: normalise, counter, positions, drop or rewrite.",
        metavar="NAME",
        advanced=True,
    )
    keep: tuple[str, ...] = option((), "A word or phrase that is real signal and must stay. Repeatable.")
    describe: tuple[str, ...] = option(
        (),
        'What a label means, for a language model: LABEL="...", for labels such as 0 and 1. Repeatable.',
        group=ENGINE,
        metavar="LABEL=TEXT",
        advanced=True,
    )
    only: tuple[str, ...] = option(
        (), "Repair only this pattern, as the audit names it. Repeatable.", metavar="PATTERN", advanced=True
    )
    levels: tuple[str, ...] = option(
        (AUTO,),
        "Kinds of patterns to look for, as in an audit: all, some, or the default without some: -grammar."
        " Default: all but concept; the grammar level only if it takes a few seconds.",
        parse=levels_named,
        advanced=True,
    )
    max_change: float = option(
        0.6,
        "The most rows that may be changed, as a share of all; half as many may be dropped. Default: 60%."
        " For data with candidates: the most that may be dropped. Default: 80%.",
        parse=share_of_rows,
        metavar="SHARE",
        at_least=0,
        at_most=1,
        advanced=True,
    )
    keep_size: bool = option(
        False,
        "Keep the number of rows: rows that are added take the place of others.",
        flag=True,
        advanced=True,
    )
    encoder: str = option(
        AUTO,
        "Sentence encoder of the concept level, as in an audit: auto, minilm, multilingual, or a name or "
        "folder of a Hugging Face encoder, which needs torch.",
        advanced=True,
    )
    engine: str = option(
        "rules",
        "Rewords texts and writes counterparts; a model also puts patterns in and changes lengths: rules "
        "(no model, English only), served:MODEL (any OpenAI-compatible server) or gguf:FILE (a model file"
        " of yours). `longway doctor` lists those that work here.",
        group=ENGINE,
    )
    judge: str = option(
        "auto",
        "Checks labels as well: an engine, none, or auto (the engine, in a separate conversation, if it "
        "can judge).",
        group=ENGINE,
        advanced=True,
    )
    seed: int = option(0, "Seed of everything random.", at_least=0, at_most=2**32 - 1, advanced=True)

    @property
    def chosen_levels(self) -> tuple[str, ...]:
        """The levels to look at."""
        return QUICK if self.levels == (AUTO,) else self.levels

    @property
    def needs_engine(self) -> bool:
        """Whether an engine writes texts."""
        named = [REMEDIES.get(name) for name in self.remedy]
        return not named or any(remedy is not None and remedy.by_engine for remedy in named)

    def check_texts(self) -> None:
        """Raise SettingError if a remedy needs data with candidates."""
        if other := [name for name in self.remedy if name in OF_CANDIDATES]:
            raise SettingError(
                f"The remedy {other[0]} needs data with candidates, such as --choices COLUMN --answer COLUMN. The remedies for labelled texts are {', '.join(REMEDIES)}."
            )

    def __post_init__(self) -> None:
        check_options(self)
        _name_remedies(self, REMEDIES, also=OF_CANDIDATES)
        check_levels(self.levels)
        if any(not phrase.strip() for phrase in (*self.keep, *self.only)):
            raise SettingError("'keep' and 'only' must be words or patterns. Got an empty one. Leave it out.")


def _name_remedies(
    settings: RepairSettings | ChoiceRepairSettings,
    known: Iterable[str],
    *,
    also: Iterable[str] = (),
    what: str = "",
) -> None:
    """Give remedies their names in the settings; "take-out" is the same as "take out". SettingError if one is unknown."""
    named = tuple(name.strip().lower().replace("-", " ").replace("_", " ") for name in settings.remedy)
    object.__setattr__(settings, "remedy", named)
    if unknown := [name for name in named if name not in (*known, *also)]:
        raise SettingError(
            f"There is no remedy {unknown[0]!r}{what}. The remedies are {', '.join(known)}. Choose one of them."
        )


@dataclass(frozen=True, slots=True)
class ChoiceRepairSettings:
    """What a repair of data with candidates may do."""

    goal: float | None = option(
        None,
        "Leave out questions until a ranker without the prompt is right this often: an accuracy such as "
        "leak=0.3, or chance. Default: 2 points above chance.",
        parse=goal_of,
        metavar="LEAK",
        at_least=0,
        at_most=1,
    )
    remedy: tuple[str, ...] = option(
        (),
        "Use only this remedy: normalise, counter (pairs only), rewrite, positions or drop. Repeatable. "
        "Default: all but rewrite, which needs an engine.",
        metavar="NAME",
    )
    max_drop: float = option(
        0.8,
        "The most questions that may be left out, as a share of all.",
        parse=partial(share_of_rows, option="max_drop"),
        metavar="SHARE",
        at_least=0,
        at_most=1,
    )
    engine: str = option(
        NO_ENGINE,
        "Rewrites the other candidates: served:MODEL (any OpenAI-compatible server) or gguf:FILE. "
        "Default: none.",
        group=ENGINE,
    )
    judge: str = option(
        "auto",
        "Checks that one candidate is right, without knowing which: an engine, none, or auto (the engine,"
        " in a separate conversation).",
        group=ENGINE,
        advanced=True,
    )
    encoder: bool = option(True, "Also lower what the sentence encoder sees, if it is installed.", flag=True)
    seed: int = option(0, "Seed of everything random.", at_least=0, at_most=2**32 - 1, advanced=True)

    def __post_init__(self) -> None:
        check_options(self)
        _name_remedies(self, CHOICE_REMEDIES, what=" for data with candidates")
        if REWRITE in self.remedy and self.engine == NO_ENGINE:
            raise SettingError("The remedy rewrite needs an engine. Name one: --engine served:MODEL.")

    @property
    def needs_engine(self) -> bool:
        """Whether candidates are rewritten."""
        return self.engine != NO_ENGINE and self.uses(REWRITE)

    def uses(self, remedy: str) -> bool:
        """Whether a remedy is to be used."""
        return remedy in self.remedy if self.remedy else remedy != REWRITE or self.engine != NO_ENGINE

    def goal_at(self, chance: float) -> float:
        """The accuracy that the leak should fall to."""
        return chance + CHOICES_ABOVE_CHANCE if self.goal is None else max(self.goal, chance)
