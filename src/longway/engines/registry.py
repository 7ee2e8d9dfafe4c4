"""The engine for a name; `available.py` has those that can be used here.

engine_named("rules+served")     the engine for a name; several are joined by "+" or ","

rules           rewriting by rules; needs no model and costs nothing
gguf:FILE       a GGUF file of the user's own, run by llama.cpp on this machine
served:MODEL    any server with an OpenAI-compatible API (LONGWAY_BASE_URL, LONGWAY_MODEL, a key in the environment)
replay:FILE     recorded answers
auto            served if a model or a server is named for Longway, otherwise rules. A run grades that model on its own labelled
                rows first, and uses the rules if it is no good judge of them (`jobs/engine_use.py`)
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longway.engines.available import address_of_server, choose, host_of
from longway.engines.engine import CombinedEngine, Engine, FallbackEngine
from longway.engines.event_loop import run
from longway.engines.secret import Secret, find_key
from longway.engines.transport import ServerLimits, Transport
from longway.errors import EngineError, SettingError, with_checked_arguments

_PLUS = re.compile(r"\+(?=(?:auto|rules|gguf|served|replay)\b)")  # a model's name may contain "+"
_COMMA = re.compile(r",(?=(?:auto|rules|gguf|served|replay)\b)")
NAMES = ("auto", "rules", "gguf:FILE", "served:MODEL", "replay:FILE")


@with_checked_arguments
def engine_named(
    spec: str | Sequence[str],
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    seed: int = 0,
    **served: Any,
) -> Engine:
    """The engine for a name such as "rules", "served:gpt-4o-mini" or "rules+served".

    With "+", the next engine adds what the earlier ones did not provide. With ",", it is used only if they provided nothing.

    base_url, api_key: for a served model. seed: for the rules.
    served: further arguments of `ServedEngine`.
    """
    options = {"base_url": base_url, "api_key": api_key, "seed": seed, **served}
    if isinstance(spec, str) and len(alternatives := _COMMA.split(spec)) > 1:
        return FallbackEngine([engine_named(name, **options) for name in alternatives])
    names = _PLUS.split(spec) if isinstance(spec, str) else list(spec)
    if len(names) > 1:
        return CombinedEngine([engine_named(name, **options) for name in names])
    spec = names[0].strip() if names else ""
    name, _, rest = spec.partition(":")
    if name == "auto" and not rest:
        engine = engine_named(choose(base_url=base_url).spec, **options)
        engine.is_to_be_graded = engine.base_url is not None
        return engine
    if name == "rules" and not rest:
        from longway.engines.rules import RulesEngine

        return RulesEngine(seed=seed)
    if name == "gguf" and rest:
        from longway.engines.gguf import GgufEngine

        return GgufEngine(rest, **served)
    if name == "served":
        from longway.engines.served import ServedEngine

        model = rest or _default_model(base_url, api_key)
        return ServedEngine(model, base_url=base_url, api_key=api_key, **served)
    if name == "replay" and rest:
        from longway.engines.recording import ReplayEngine

        return ReplayEngine(Path(rest))
    raise SettingError(
        f"Unknown engine {spec!r}. Expected one of {', '.join(NAMES)}, or several joined by '+'. "
        "`longway doctor` lists the engines that can be used here."
    )


def is_engine(spec: str) -> bool:
    """Whether this names an engine, or several; not whether it can be used here.

    >>> is_engine("rules+served"), is_engine("served:some-model"), is_engine("rule"), is_engine("replay:")
    (True, True, False, False)
    """
    parts = [part.strip().partition(":") for name in _COMMA.split(spec) for part in _PLUS.split(name)]
    return all(
        name == "served" or (name in ("gguf", "replay") and rest) or (name in ("auto", "rules") and not rest)
        for name, _, rest in parts
    )


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
