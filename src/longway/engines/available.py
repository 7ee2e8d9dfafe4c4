"""Which engines can be used here, and which one "auto" selects. Loads no model, calls no server, and imports nothing large.

choose()       the engine that "auto" selects here, and why
available()    every engine: whether it can be used, or what is missing
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import urlsplit

from longway.errors import install_command


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
    if (model or address) and find_spec("openai") is not None:
        spec = f"served:{model}" if model else "served"
        reason = "LONGWAY_MODEL is set" if model else f"a server is configured ({host_of(address)})"
        return Choice(spec, f"{reason}; a large model writes best")
    why = "no served model is configured"
    if model or address:
        why = f"the served model cannot be used (not installed: openai; {install_command('served')})"
    return Choice("rules", f"{why}, and the rules need none")


def available(base_url: str | None = None) -> list[EngineStatus]:
    """The status of every engine. Nothing is loaded and no server is called."""
    gguf, served = _not_installed("gguf", "xllamacpp", "openai"), _why_not_served(base_url)
    address = base_url or address_of_server()
    model = os.environ.get("LONGWAY_MODEL") or "its first model"
    where = host_of(address) if address else "the OpenAI service"
    return [
        EngineStatus("rules", True, "rewriting by rules, no model, English only"),
        EngineStatus(
            "gguf", not gguf, gguf or "a GGUF file of yours, run by llama.cpp on this machine: gguf:FILE"
        ),
        EngineStatus("served", not served, served or f"{model} on {where}"),
        EngineStatus("replay", True, "plays recorded answers: replay:FILE"),
    ]


def _why_not_served(base_url: str | None) -> str:
    """Why a served model cannot be used; "" if it can."""
    if missing := _not_installed("served", "openai"):
        return missing
    if os.environ.get("LONGWAY_MODEL") or base_url or address_of_server():
        return ""
    missing = "no model is configured: set LONGWAY_MODEL or use served:MODEL"
    if os.environ.get("OPENAI_API_KEY") or os.environ.get("LONGWAY_API_KEY"):
        return f"a key is set, {missing}"
    return f"{missing}; LONGWAY_BASE_URL for your own server, OPENAI_API_KEY for a service"


def _not_installed(extra: str, *packages: str) -> str:
    missing = [package for package in packages if find_spec(package) is None]
    return f"not installed: {', '.join(missing)}; {install_command(extra)}" if missing else ""


def address_of_server() -> str:
    """The server of an engine that was named without an address."""
    return os.environ.get("LONGWAY_BASE_URL") or os.environ.get("OPENAI_BASE_URL") or ""


def host_of(address: str) -> str:
    """Host and port; the rest of an address may contain a password."""
    return urlsplit(address).netloc.rpartition("@")[2]
