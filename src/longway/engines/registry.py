"""The engine for a name; `available.py` has those that can be used here.

engine_named("served:gpt-4o-mini")           the engine for a name
split_writer("rules,served:gpt-4o-mini")     whether rules write first, and the model that writes the rest

gguf:FILE       a GGUF file of the user's own, run by llama.cpp on this machine
served:MODEL    any server with an OpenAI-compatible API (LONGWAY_BASE_URL, LONGWAY_MODEL, a key in the environment)
replay:FILE     recorded answers
auto            served if a model or a server is named for Longway, otherwise rules. A run grades that model on its own labelled
                rows first, and uses the rules if it is no good judge of them (`jobs/engine_use.py`)
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from longway.engines.available import address_of_server, choose, host_of
from longway.engines.engine import Engine
from longway.engines.event_loop import run
from longway.engines.secret import Secret, find_key
from longway.engines.transport import ServerLimits, Transport
from longway.errors import EngineError, SettingError, with_checked_arguments

RULES = "rules"  # no engine: texts are written by rules, without a model
NAMES = ("auto", "rules", "gguf:FILE", "served:MODEL", "replay:FILE")


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
    if name == "gguf" and rest:
        from longway.engines.gguf import GgufEngine

        return GgufEngine(rest, **served)
    if name == "served":
        from longway.engines.served import ServedEngine

        model = rest or _default_model(base_url, api_key)
        engine = ServedEngine(model, base_url=base_url, api_key=api_key, **served)
        engine.is_to_be_graded = is_auto
        return engine
    if name == "replay" and rest:
        from longway.engines.recording import ReplayEngine

        return ReplayEngine(Path(rest))
    raise SettingError(
        f"Unknown engine {spec!r}. Expected one of {', '.join(NAMES)}, or rules,served:MODEL. "
        "`longway doctor` lists the engines that can be used here."
    )


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
    is_model = name == "served" or (name in ("gguf", "replay") and rest) or (name == "auto" and not rest)
    return bool(is_model or (by_rules and not model))


def models_of(base_url: str, *, api_key: str | None = None, timeout: float = 10.0) -> list[str]:
    """The models that a server lists, in its order."""
    if "@" in base_url:  # a password in the address would appear in messages
        raise SettingError(
            "The server was not asked for its models: its address contains a password. Name the model: --engine served:MODEL."
        )
    key = Secret(api_key) if api_key else find_key(base_url)
    return run(Transport(base_url, key, ServerLimits(timeout=timeout)).models())


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
