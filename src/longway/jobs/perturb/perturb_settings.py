"""What a perturbation can be told, and what is wrong with it where something is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from longway.engines.registry import NAMES, is_engine
from longway.english.people.demographics import AXES, Attribute, parse_attribute
from longway.errors import SettingError

RULES = "rules"
NEURAL = "neural:"
Draw = Literal["balanced", "uniform"]
Reflexive = Literal["themselves", "themself"]


@dataclass(frozen=True, slots=True)
class PerturbSettings:
    """What a perturbation can be told.

    axes: what may be changed: "gender", "race", "age". to: only to these attributes ("woman", "age:senior"); all where none is named.
    sampling: how a word and its new attribute are drawn: "uniform" as in Algorithm 1, where pronouns make nearly everything gender, or
    "balanced", so that race and age are changed in about as many rows (footnote 2; `rewrite/perturb/choosing.py`).
    engine: "rules", "neural:MODEL" (a folder, or a name on the Hugging Face hub), or an engine that is asked (`llm/engines.py`).
    everyone, names, keep_entities, reflexive: for the rules, see `rewrite.perturb.rules.RulePerturber`.
    share: how likely a row is perturbed. tries: how many choices are tried in a row whose first cannot be made.
    at_least, m0, m1: rows with a lower perturbability (Eq. 2) stay; its weights of names and of listed words.
    keep_warned: rows are changed, and marked, though their label may no longer hold (appendix J). add: new rows instead of changed ones.
    """

    axes: tuple[str, ...] = tuple(AXES)
    to: tuple[str, ...] = ()
    sampling: Draw = "balanced"
    engine: str = RULES
    everyone: bool = False
    names: bool = True
    keep_entities: bool = False
    reflexive: Reflexive = "themselves"
    share: float = 1.0
    tries: int = 3
    at_least: float = 0.0
    m0: float = 1.0
    m1: float = 1.0
    keep_warned: bool = False
    add: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        self._check_names()
        self._check_numbers()
        if self.engine != RULES:
            self._check_rules_only()
        for target in self.targets:
            if target.axis not in self.axes:
                raise SettingError(
                    f"'to' must be attributes of the axes that may be changed ({', '.join(self.axes)}). "
                    f"Got {target}. Name its axis, too: --axis {target.axis}."
                )

    def _check_names(self) -> None:
        if not self.axes or any(axis not in AXES for axis in self.axes):
            raise SettingError(
                f"'axes' must be one or more of {', '.join(AXES)}. Got {', '.join(self.axes) or 'none'}."
            )
        for name, options in (("sampling", get_args(Draw)), ("reflexive", get_args(Reflexive))):
            if getattr(self, name) not in options:
                raise SettingError(
                    f"'{name}' must be one of {', '.join(options)}. Got {getattr(self, name)!r}. Choose one of them."
                )
        if not (self.model or is_engine(self.engine)):
            raise SettingError(
                f"Unknown engine {self.engine!r}. Expected rules, {NEURAL}FOLDER_OR_NAME, or one that is asked: "
                f"{', '.join(name for name in NAMES if name != RULES)}. `longway engines` says which answer."
            )

    def _check_numbers(self) -> None:
        if not 0 < self.share <= 1:
            raise SettingError(
                f"'share' must be more than 0 and at most 1. Got {self.share}. 1 is every row that can be."
            )
        if self.tries < 1:
            raise SettingError(f"'tries' must be 1 or more. Got {self.tries}. The usual number is 3.")
        for name in ("at_least", "m0", "m1"):
            if not getattr(self, name) >= 0:
                raise SettingError(f"'{name}' must be 0 or more. Got {getattr(self, name)}.")
        if self.at_least and not self.m0 and not self.m1:
            raise SettingError(
                f"With both weights 0 no row has a perturbability, and 'at_least' {self.at_least} would leave all of them. "
                "'m0' or 'm1' above 0 was expected. Leave both out, or 'at_least'."
            )
        if not 0 <= self.seed < 2**32:
            raise SettingError(f"'seed' must be from 0 to 4294967295. Got {self.seed}.")

    def _check_rules_only(self) -> None:
        told = {
            "--everyone": self.everyone,
            "--keep-names": not self.names,
            "--keep-entities": self.keep_entities,
            "--reflexive": self.reflexive != "themselves",
        }
        if wrong := [name for name, is_told in told.items() if is_told]:
            raise SettingError(
                f"{' and '.join(wrong)} can only be told to the rules: a model changes the person it is asked about, as it learned to. "
                f"Got the engine {self.engine!r}. Leave it out, or take --engine rules."
            )

    @property
    def targets(self) -> tuple[Attribute, ...]:
        """`to` as attributes."""
        return tuple(parse_attribute(name) for name in self.to)

    @property
    def model(self) -> str | None:
        """The folder or name of the network, for the engine neural."""
        return self.engine.removeprefix(NEURAL) if self.engine.startswith(NEURAL) else None

    @property
    def needs_engine(self) -> bool:
        """Whether a language model is asked."""
        return self.engine != RULES and self.model is None

    @property
    def judge(self) -> str:
        """Nobody: what is written is checked by rule."""
        return "none"
