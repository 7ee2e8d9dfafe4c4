"""Options of a settings dataclass: each field has its default, its help, its group and its bounds.

    @dataclass(frozen=True, slots=True)
    class AuditSettings:
        max_q: float = option(0.05, "False discovery rate of findings.", at_most=1)

The command line (`cli/options.py`), the Python functions and the documentation all derive from such a class. This module imports
nothing heavy, so that `--help` answers at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_origin, get_type_hints

from longway.errors import SettingError, fits, in_words

DATA, ENGINE, METHOD, OUTPUT = "Data", "Engine", "Method", "Output"
CANDIDATES = "Multiple choice, preferences, votes"
Settings = TypeVar("Settings")


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line offers a field.

    help: what the field does, for `--help` and the documentation. group: the panel of `--help`. advanced: shown by `--help-all` only. rare: set with `--set NAME=VALUE`, without an option of its own.
    name: if it differs from the field's. flag: for a switch without a
    `--no-` form. off: the name of a switch that turns the field off; there is none to turn it on. parse: turns the text of the command
    line, or of a call, into the value. at_least, at_most: bounds, both included; above: a bound that is not
    included. objects: values may also be objects, such as models. paper: the value with `--paper`; usual: the value
    without it.
    """

    help: str = ""
    group: str = METHOD
    advanced: bool = False
    rare: bool = False
    name: str = ""
    flag: bool = False
    off: str = ""
    metavar: str | None = None
    parse: Callable[[str], object] | None = None
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    objects: bool = False
    usual: Any = None
    paper: Any = None


def option(default: Any, help: str = "", **options: Any) -> Any:
    """A dataclass field with a default and an `Option`; help and the keywords are the option's.

    With `paper`, the field is None until `fill_in` sets it, so that a value given with `--paper` is recognised.
    """
    if "paper" in options:
        options["usual"], default = default, None
    return dataclasses.field(default=default, metadata={"option": Option(help, **options)})


def fill_in(settings: Any) -> None:
    """Set the options that were not given to the paper's values if `settings.paper`, otherwise to their defaults.

    >>> @dataclass(frozen=True)
    ... class Toy:
    ...     paper: bool = False
    ...     rounds: int = option(9, paper=10)
    ...     def __post_init__(self): fill_in(self)
    >>> Toy().rounds, Toy(paper=True).rounds, Toy(paper=True, rounds=3).rounds
    (9, 10, 3)
    """
    for name, value in _paper_values(type(settings), settings.paper).items():
        if getattr(settings, name) is None:
            object.__setattr__(settings, name, value)  # frozen, and not yet complete


def _by_field(kind: type, options: Mapping[str, object]) -> dict[str, object]:
    """The options by the names of their fields; `random_state` is another name of `seed`.

    >>> @dataclass(frozen=True)
    ... class Toy:
    ...     models: tuple[str, ...] = option((), name="model")
    >>> _by_field(Toy, {"model": "bow"})
    {'models': 'bow'}
    """
    named = {
        given.name: field.name
        for field in dataclasses.fields(kind)
        if (given := field.metadata.get("option", Option())).name
    }
    if "random_state" in options and "seed" in {field.name for field in dataclasses.fields(kind)}:
        if "seed" in options:
            raise SettingError("'random_state' and 'seed' are the same. Got both. Leave one out.")
        options = {("seed" if name == "random_state" else name): value for name, value in options.items()}
    return {named.get(name, name): value for name, value in options.items()}


def _paper_values(settings: type, paper: bool) -> dict[str, object]:
    """The values of the options that depend on `paper`."""
    options = {field.name: field.metadata.get("option", Option()) for field in dataclasses.fields(settings)}
    return {name: one.paper if paper else one.usual for name, one in options.items() if one.paper is not None}


def check_options(settings: Any) -> None:
    """Raise SettingError if a value has another type than its option, or is outside its bounds.

    Text for an option that the command line parses is parsed. A single value for an option that takes several is a list
    of this one.

    >>> @dataclass(frozen=True)
    ... class Toy:
    ...     rounds: int = option(5, at_least=1)
    ...     keep: tuple[str, ...] = option(())
    ...     def __post_init__(self): check_options(self)
    >>> Toy(keep="a phrase").keep
    ('a phrase',)
    >>> Toy(rounds=0)
    Traceback (most recent call last):
    longway.errors.SettingError: 'rounds' must be 1 or more. Got 0. The default is 5.
    """
    hints = get_type_hints(type(settings))
    for field in dataclasses.fields(settings):
        hint, given = hints[field.name], field.metadata.get("option", Option())
        got = getattr(settings, field.name)
        value = _in_form(got, hint, given.parse)
        object.__setattr__(settings, field.name, value)  # frozen, and not yet complete
        if not (given.objects or fits(value, hint)):
            words = in_words(hint)
        elif value is not None and not _is_within(value, given):
            words = _bounds(given)
        else:
            continue
        default = field.default if given.usual is None else given.usual
        default = ", ".join(default) if isinstance(default, tuple) else default
        has_default = isinstance(default, str | int | float) and default != ""
        step = f"The default is {default}." if has_default else "Leave it out for the default."
        is_shown = "option" in field.metadata or get_origin(hint) is Literal  # other fields may hold keys
        shown = " ".join(repr(got).split())[:80] if is_shown else type(got).__name__
        raise SettingError(f"'{field.name}' must be {words}. Got {shown}. {step}")


def _is_within(value: Any, given: Option) -> bool:
    """Whether a number is within the bounds of its option."""
    low, high, above = given.at_least, given.at_most, given.above
    return (
        (low is None or value >= low) and (high is None or value <= high) and (above is None or value > above)
    )


def _bounds(given: Option) -> str:
    """The bounds of an option in words."""
    if given.above is not None:
        return f"more than {given.above} and at most {given.at_most}"
    return (
        f"{given.at_least} or more" if given.at_most is None else f"from {given.at_least} to {given.at_most}"
    )


def _in_form(value: Any, hint: Any, parse: Callable[[str], object] | None) -> object:
    """The value of an option as its settings have it."""
    if hasattr(value, "tolist"):  # a number or an array of numpy, a column of pandas
        value = value.tolist()
    if parse is not None and isinstance(value, str):
        value = parse(value)
    if get_origin(hint) is not tuple:
        return value
    if isinstance(value, Set):
        value = sorted(value, key=str)
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def settings_from(kind: type[Settings], given: Settings | None, options: Mapping[str, object]) -> Settings:
    """The settings of a Python call: given whole, or as keywords with the names of the options."""
    if given is not None and not isinstance(given, kind):
        raise SettingError(
            f"'settings' must be {kind.__name__}. Got {type(given).__name__}. Give options by name, such as seed=3."
        )
    known = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    options = _by_field(kind, options)
    if unknown := sorted(set(options) - set(known)):
        raise SettingError(
            f"There is no option {unknown[0]!r} in {kind.__name__}. The options are {', '.join(known)}."
        )
    if given is not None and options:
        if "paper" in options:  # options that still have their default follow it
            values = _paper_values(kind, given.paper)  # type: ignore[attr-defined]
            unset = {name: None for name, value in values.items() if getattr(given, name) == value}
            options = {**unset, **options}
        return dataclasses.replace(given, **options)  # type: ignore[type-var]
    if given is not None:
        return given
    return kind(**options)
