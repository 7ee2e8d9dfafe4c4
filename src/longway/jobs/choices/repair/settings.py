"""Settings of a repair of data with candidates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from longway.errors import SettingError
from longway.jobs.options import ENGINE, check_options, option
from longway.jobs.repair.settings import goal_of, remedy_named, share_of_rows

NORMALISE, COUNTER, REWRITE, POSITIONS, DROP = "normalise", "counter", "rewrite", "positions", "drop"
REMEDIES = (NORMALISE, COUNTER, REWRITE, POSITIONS, DROP)  # in this order
ABOVE_CHANCE = 0.02
NO_ENGINE = "none"


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
        named = tuple(map(remedy_named, self.remedy))
        object.__setattr__(self, "remedy", named)
        if unknown := [name for name in named if name not in REMEDIES]:
            raise SettingError(
                f"There is no remedy {unknown[0]!r} for data with candidates. The remedies are {', '.join(REMEDIES)}. Choose one of them."
            )
        if REWRITE in named and self.engine == NO_ENGINE:
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
        return chance + ABOVE_CHANCE if self.goal is None else max(self.goal, chance)
