"""Rewriting methods by name: RAZOR, EDA, CrossAug, and one that changes nothing, as control.

All have `run(rows)`, which yields rounds of edits (`method.py`). Engines and checks are constructor arguments.
"""

from longway.errors import SettingError
from longway.methods.crossaug import CrossAug, CrossAugSettings
from longway.methods.eda import Eda, EdaSettings
from longway.methods.method import Method, NoOp, Objection, Rows
from longway.methods.razor import Razor, RazorSettings

__all__ = [
    "METHODS",
    "CrossAug",
    "CrossAugSettings",
    "NoOp",
    "Razor",
    "RazorSettings",
    "Rows",
    "plain_method",
]
METHODS: dict[str, type[Method]] = {"razor": Razor, "eda": Eda, "crossaug": CrossAug, "none": NoOp}


def plain_method(name: str, *, seed: int = 0, objection: Objection | None = None) -> Method:
    """A method that needs no engine, as published: "eda", "crossaug" (with negations by rules) or "none".

    objection: why a text may not be used; None, as published, for no objection.
    """
    if name == "eda":
        return Eda(EdaSettings(seed=seed), objection=objection)
    if name == "crossaug":
        return CrossAug(CrossAugSettings(seed=seed), objection=objection)
    if name == "none":
        return NoOp()
    raise SettingError(
        f"'name' must be a method that needs no engine: eda, crossaug, none. Got {name!r}. "
        "RAZOR is made with an engine: Razor(settings, write=..., verify=...)."
    )
