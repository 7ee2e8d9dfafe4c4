"""Rewriting methods by name: RAZOR, EDA, CrossAug, and one that changes nothing, as control.

All have `run(rows)`, which yields rounds of edits (`method.py`). Engines and checks are constructor arguments.
"""

from collections.abc import Callable

from longway.errors import SettingError
from longway.methods.crossaug import CrossAug, CrossAugSettings
from longway.methods.eda import Eda, EdaSettings
from longway.methods.method import Figures, Method, NoOp, Objection, RewriteRequest, Round, Rows
from longway.methods.razor import Razor, RazorSettings

METHODS: dict[str, type[Method]] = {"razor": Razor, "eda": Eda, "crossaug": CrossAug, "none": NoOp}


def plain_method(name: str, *, seed: int = 0, objection: Objection | None = None) -> Method:
    """A method that needs no engine, as published: "eda", "crossaug" (with negations by rules) or "none".

    objection: why a text may not be used; None, as published, for no objection.
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
    "CrossAug",
    "CrossAugSettings",
    "Eda",
    "EdaSettings",
    "Figures",
    "Method",
    "NoOp",
    "Razor",
    "RazorSettings",
    "RewriteRequest",
    "Round",
    "Rows",
    "plain_method",
]
