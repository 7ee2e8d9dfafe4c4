"""Engines by name; `available.py` has the list of them.

engine_named("served:gpt-4o-mini")           the engine for a name
split_writer("rules,served:gpt-4o-mini")     whether rules write first, and the model that writes the rest
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from longway.engines.available import ENGINES, address_of_server, choose, host_of
from longway.engines.engine import RULES, Engine
from longway.errors import EngineError, SettingError, with_checked_arguments

NAMES = ("auto", RULES, *(kind.form for kind in ENGINES.values()))


@with_checked_arguments
def engine_named(
    spec: str, *, base_url: str | None = None, api_key: str | None = None, **served: Any
) -> Engine:
    """The engine for a name such as "served:gpt-4o-mini".

    base_url, api_key: for a served model. served: further arguments of `ServedEngine`.
    """
    is_auto = spec.strip() == "auto"
    spec = choose(base_url=base_url).spec if is_auto else spec.strip()
    name, _, rest = spec.partition(":")
    if spec == RULES:
        raise SettingError(
            "The engine rules cannot judge, and is no model. Expected a language model. Try served:MODEL."
        )
    if not _is_model(name, rest):
        raise SettingError(
            f"Unknown engine {spec!r}. Expected one of {', '.join(NAMES)}, or rules,served:MODEL. "
            "`longway doctor` lists the engines that can be used here."
        )
    engine_class = getattr(import_module(ENGINES[name].module), ENGINES[name].engine)
    if name == "served":
        rest = rest or _default_model(base_url, api_key)
        served |= {"base_url": base_url, "api_key": api_key}
    engine: Engine = engine_class(rest, **({} if name == "replay" else served))
    engine.is_to_be_graded = is_auto
    return engine


def split_writer(spec: str, *, base_url: str | None = None) -> tuple[bool, str]:
    """Whether rules write first, and the name of the model that writes where they do not; "" for none.

    >>> split_writer("rules"), split_writer("rules,served:some-model"), split_writer("served:a,b")
    ((True, ''), (True, 'served:some-model'), (False, 'served:a,b'))
    """
    spec = spec.strip()
    if spec == "auto" and choose(base_url=base_url).spec == RULES:
        spec = RULES
    name, _, model = spec.partition(",")
    return (True, model.strip()) if name == RULES else (False, spec)


def is_engine(spec: str) -> bool:
    """Whether this names the rules, an engine, or both; not whether it can be used here.

    >>> is_engine("rules,served"), is_engine("served:some-model"), is_engine("rule"), is_engine("replay:")
    (True, True, False, False)
    """
    by_rules, model = split_writer(spec)
    name, _, rest = model.partition(":")
    return model == "auto" or _is_model(name, rest) or (by_rules and not model)


def _is_model(name: str, rest: str) -> bool:
    """Whether an engine has this name; a served model may be left to its server."""
    return name in ENGINES and bool(rest or name == "served")


def models_of(base_url: str, *, api_key: str | None = None, timeout: float = 10.0) -> list[str]:
    """The models that a server lists, in its order."""
    from longway.engines.event_loop import run
    from longway.engines.served import ServedEngine

    if "@" in base_url:  # a password in the address would appear in messages
        raise SettingError(
            "The server was not asked for its models: its address contains a password. Name the model: --engine served:MODEL."
        )
    return run(ServedEngine("any", base_url=base_url, api_key=api_key, timeout=timeout).models())


def _default_model(base_url: str | None, api_key: str | None) -> str:
    """LONGWAY_MODEL, or the first model that the server lists."""
    if model := os.environ.get("LONGWAY_MODEL"):
        return model
    address = base_url or address_of_server()
    if not address:
        raise SettingError(
            "No served model is configured. Expected served:MODEL, or LONGWAY_MODEL in the environment. "
            "Try --engine served:gpt-4o-mini."
        )
    models = models_of(address, api_key=api_key)
    if not models:
        raise EngineError(f"{host_of(address)} lists no models. Load one there, or name it: served:MODEL.")
    return models[0]
