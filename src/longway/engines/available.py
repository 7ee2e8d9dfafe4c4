"""The engines, which of them can be used here, and which one "auto" selects. Loads no model, calls no server, and imports nothing large.

ENGINES        a row for each engine
choose()       the engine that "auto" selects here, and why
states()       every engine: whether it can be used, or what is missing

"auto" is a served model if a model or a server is named for Longway, otherwise the rules. A run grades that model on its own labelled
rows first, and uses the rules if it is no good judge of them (`jobs/engine_use.py`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NamedTuple
from urllib.parse import urlsplit

from longway.errors import install_command


class EngineKind(NamedTuple):
    """A row of `ENGINES`. form: of its names. module, engine: its class. extra, packages: what it needs. text: what it is."""

    form: str
    module: str
    engine: str
    extra: str
    packages: tuple[str, ...]
    text: str


ENGINES = {
    "gguf": EngineKind(
        "gguf:FILE", "longway.engines.gguf", "GgufEngine", "gguf", ("xllamacpp", "openai"),
        "a GGUF file of yours, run by llama.cpp on this machine: gguf:FILE",
    ),
    "served": EngineKind(
        "served:MODEL", "longway.engines.served", "ServedEngine", "served", ("openai",),
        "any server with an OpenAI-compatible API",
    ),
    "replay": EngineKind(
        "replay:FILE", "longway.engines.recording", "ReplayEngine", "", (), "plays recorded answers: replay:FILE"
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """The engine that "auto" selects, and why."""

    spec: str
    why: str


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The state of one engine. detail: what it is, or what is missing."""

    name: str
    ready: bool
    detail: str


def choose(base_url: str | None = None) -> Choice:
    """The engine that "auto" selects here: the best one that can be used, and why.

    Settings of other programs, such as OPENAI_BASE_URL, do not select a server: rows are sent only to one that was
    named for Longway.
    """
    model, address = os.environ.get("LONGWAY_MODEL", ""), base_url or os.environ.get("LONGWAY_BASE_URL", "")
    if not (model or address):
        return Choice("rules", "no served model is configured, and the rules need none")
    if missing := _not_installed("served"):
        return Choice("rules", f"the served model cannot be used ({missing}), and the rules need none")
    if model:
        return Choice(f"served:{model}", "LONGWAY_MODEL is set; a large model writes best")
    return Choice("served", f"a server is configured ({host_of(address)}); a large model writes best")


def states(base_url: str | None = None) -> list[EngineStatus]:
    """The state of every engine. Nothing is loaded and no server is called."""
    found = [EngineStatus("rules", True, "rewriting by rules, no model, English only")]
    for name, kind in ENGINES.items():
        missing, text = _not_installed(name), kind.text
        if name == "served":
            address = base_url or address_of_server()
            model = os.environ.get("LONGWAY_MODEL")
            text = f"{model or 'its first model'} on {host_of(address) if address else 'the OpenAI service'}"
            missing = missing or ("" if model or address else _without_model())
        found.append(EngineStatus(name, not missing, missing or text))
    return found


def _without_model() -> str:
    """Why a served model cannot be used if none is named."""
    missing = "no model is configured: set LONGWAY_MODEL or use served:MODEL"
    if os.environ.get("OPENAI_API_KEY") or os.environ.get("LONGWAY_API_KEY"):
        return f"a key is set, {missing}"
    return f"{missing}; LONGWAY_BASE_URL for your own server, OPENAI_API_KEY for a service"


def _not_installed(name: str) -> str:
    kind = ENGINES[name]
    missing = [package for package in kind.packages if find_spec(package) is None]
    return f"not installed: {', '.join(missing)}; {install_command(kind.extra)}" if missing else ""


def address_of_server() -> str:
    """The server of an engine that was named without an address."""
    return os.environ.get("LONGWAY_BASE_URL") or os.environ.get("OPENAI_BASE_URL") or ""


def host_of(address: str) -> str:
    """Host and port; the rest of an address may contain a password."""
    return urlsplit(address).netloc.rpartition("@")[2]
