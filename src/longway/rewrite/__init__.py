"""Rewriting methods, one a file: RAZOR, EDA, CrossAug, and one that does nothing, as control.

`METHODS` finds them by name. All have `run(rows)`, which gives rounds (`rewrite/method.py`); what else each needs is given
when it is made.
"""

from collections.abc import Callable

from longway.errors import SettingError
from longway.rewrite.crossaug import CrossAug, CrossAugSettings
from longway.rewrite.eda import Eda, EdaSettings
from longway.rewrite.method import Asked, Figures, Method, Objection, Round, Rows
from longway.rewrite.noop import NoOp
from longway.rewrite.razor import Razor, RazorSettings

METHODS: dict[str, type[Method]] = {"razor": Razor, "eda": Eda, "crossaug": CrossAug, "none": NoOp}


def plain_method(name: str, *, seed: int = 0, objection: Objection | None = None) -> Method:
    """A method that needs no engine, as published: "eda", "crossaug" (its negations by rules) or "none".

    objection: what speaks against a text; None, as published, for nothing.
    """
    plain: dict[str, Callable[[], Method]] = {
        "eda": lambda: Eda(EdaSettings(seed=seed), objection=objection),
        "crossaug": lambda: CrossAug(CrossAugSettings(seed=seed), objection=objection),
        "none": NoOp,
    }
    if name not in plain:
        raise SettingError(
            f"'name' must be a method that needs no engine: {', '.join(plain)}. Got {name!r}. "
            "RAZOR is made with an engine: Razor(settings, write=..., verify=...)."
        )
    return plain[name]()


__all__ = [
    "METHODS",
    "Asked",
    "CrossAug",
    "CrossAugSettings",
    "Eda",
    "EdaSettings",
    "Figures",
    "Method",
    "NoOp",
    "Razor",
    "RazorSettings",
    "Round",
    "Rows",
    "plain_method",
]
