"""Settings of `longway perturb` and `longway perturb --test-set`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from longway.english.people.words import AXES, Attribute, parse_attribute
from longway.errors import SettingError
from longway.jobs.options import ENGINE, check_options, option

RULES = "rules"
NEURAL = "neural:"


@dataclass(frozen=True, slots=True)
class PerturbSettings:
    """What is changed, and how."""

    axes: tuple[str, ...] = option(
        tuple(AXES), "What may be changed: gender, race or age. Repeatable. Default: all three.", name="axis"
    )
    to: tuple[str, ...] = option(
        (),
        "Only to this attribute: man, woman, non-binary; white, black, hispanic, asian, native-american, "
        "pacific-islander; child, young, middle-aged, senior, adult. Repeatable. Default: any other "
        "attribute of the axis.",
    )
    sampling: Literal["balanced", "uniform"] = option(
        "balanced",
        "How the word to change is drawn. balanced: race and age about as often as gender, as far as "
        "there are any; uniform: every word alike (Algorithm 1 of the paper), which makes nearly "
        "everything gender.",
        rare=True,
    )
    engine: str = option(
        RULES,
        "rules (no model); neural:FOLDER or neural:NAME (a trained network); or a language model: "
        "served:MODEL or gguf:FILE. `longway doctor` lists those that work here.",
        group=ENGINE,
    )
    everyone: bool = option(
        False,
        "Rules: change all people who have the attribute, not only the one drawn.",
        flag=True,
        advanced=True,
    )
    names: bool = option(True, "Rules: leave names unchanged.", off="keep-names", advanced=True)
    keep_entities: bool = option(
        False, "Rules: leave people unchanged who are known by name, so that facts stay true.", flag=True
    )
    change_famous: bool = option(
        False, "Change widely known people too. By default they stay as they are.", flag=True, advanced=True
    )
    pronouns: Literal["they", "xe", "ze", "ey"] = option(
        "they", "Rules: what a non-binary person is called: they, xe, ze or ey.", advanced=True
    )
    reflexive: Literal["themselves", "themself"] = option(
        "themselves",
        "Rules: what himself and herself become with they: themselves or themself.",
        advanced=True,
    )
    share: float = option(1.0, "Probability that a row is perturbed.", above=0, at_most=1, advanced=True)
    tries: int = option(
        3, "Choices tried in a row if the first cannot be made or is rejected.", at_least=1, rare=True
    )
    at_least: float = option(
        0.0,
        "Leave rows unchanged whose perturbability (equation 2) is lower than this.",
        at_least=0,
        advanced=True,
    )
    m0: float = option(1.0, "Weight of people's names in the perturbability.", at_least=0, rare=True)
    m1: float = option(1.0, "Weight of listed words in the perturbability.", at_least=0, rare=True)
    keep_warned: bool = option(
        False,
        "Change pairs whose label may no longer hold too, and mark them. By default they stay unchanged.",
        flag=True,
        advanced=True,
    )
    add: bool = option(False, "Add the perturbed rows instead of changing rows.", flag=True)
    seed: int = option(0, "Seed of everything random.", at_least=0, at_most=2**32 - 1, advanced=True)

    def __post_init__(self) -> None:
        from longway.engines.registry import NAMES, is_engine

        check_options(self)
        object.__setattr__(self, "axes", tuple(dict.fromkeys(self.axes)))
        if not self.axes or any(axis not in AXES for axis in self.axes):
            raise SettingError(
                f"'axes' must be one or more of {', '.join(AXES)}. Got {', '.join(self.axes) or 'none'}."
            )
        if not (self.model or is_engine(self.engine)):
            raise SettingError(
                f"Unknown engine {self.engine!r}. Expected rules, {NEURAL}FOLDER_OR_NAME, or a language model: "
                f"{', '.join(name for name in NAMES if name != RULES)}. `longway doctor` lists those that work here."
            )
        if self.at_least and not self.m0 and not self.m1:
            raise SettingError(
                f"With both weights 0 every row has a perturbability of 0, and 'at_least' {self.at_least} would leave all rows unchanged. "
                "Expected 'm0' or 'm1' above 0. Leave out both weights, or 'at_least'."
            )
        if self.engine != RULES:
            self._check_rules_only()
        for target in self.targets:
            if target.axis not in self.axes:
                raise SettingError(
                    f"'to' must be attributes of the axes that may be changed ({', '.join(self.axes)}). "
                    f"Got {target}. Name its axis too: --axis {target.axis}."
                )

    def _check_rules_only(self) -> None:
        given = {
            "--everyone": self.everyone,
            "--keep-names": not self.names,
            "--keep-entities": self.keep_entities,
            "--pronouns": self.pronouns != "they",
            "--reflexive": self.reflexive != "themselves",
        }
        if wrong := [name for name, is_given in given.items() if is_given]:
            raise SettingError(
                f"Only the rules have {' and '.join(wrong)}: a model changes the person that it is asked about. "
                f"Got the engine {self.engine!r}. Leave it out, or use --engine rules."
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
        """Whether a language model is called."""
        return self.engine != RULES and self.model is None

    @property
    def judge(self) -> str:
        """None: rules check what is written."""
        return "none"


@dataclass(frozen=True, slots=True)
class PairSettings(PerturbSettings):
    """What is changed in the pairs of a test set, and how many there are."""

    per_axis: int = option(
        300, "Pairs for each axis, spread evenly over its changes of one attribute into another.", at_least=1
    )

    def __post_init__(self) -> None:
        PerturbSettings.__post_init__(self)  # super() does not work in a class with slots
        given = {
            "add": self.add,
            "share": self.share != 1,
            "sampling": self.sampling != "balanced",
            "keep_warned": self.keep_warned,
        }
        if wrong := [name for name, is_given in given.items() if is_given]:
            raise SettingError(
                f"A test set has no option {wrong[0]!r}: it has pairs of all rows, balanced, with labels that hold. Leave it out."
            )
        if self.needs_engine:
            raise SettingError(
                f"A test set is made by the rules or by a network. Got the engine {self.engine!r}. Use rules or {NEURAL}FOLDER_OR_NAME."
            )
