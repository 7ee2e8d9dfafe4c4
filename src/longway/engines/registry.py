"""The engines: which exist, which can be used here, and the engine for a name.

engine_named("rules+served")     the engine for a name; several are joined by "+" or ","
choose()                         the engine that "auto" selects here, and why
available()                      every engine: whether it can be used; with test=True also a self-test and its speed

rules           rewriting by rules; needs no model and costs nothing
gguf:FILE       a GGUF file of the user's own, run by llama.cpp on this machine
served:MODEL    any server with an OpenAI-compatible API (LONGWAY_BASE_URL, LONGWAY_MODEL, a key in the environment)
replay:FILE     recorded answers
auto            served if a model or a server is named for Longway and is no weak writer by its exam, otherwise rules
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from longway.engines.engine import CombinedEngine, Engine, FallbackEngine, Sampling
from longway.engines.event_loop import run
from longway.engines.exams import grades_of
from longway.engines.prompt import rewrite_prompt
from longway.engines.secret import Secret, find_key
from longway.engines.transport import ServerLimits, Transport
from longway.errors import EngineError, LongwayError, SettingError, with_checked_arguments
from longway.task import task_of

_PLUS = re.compile(r"\+(?=(?:auto|rules|gguf|served|replay)\b)")  # a model's name may contain "+"
_COMMA = re.compile(r",(?=(?:auto|rules|gguf|served|replay)\b)")
NAMES = ("auto", "rules", "gguf:FILE", "served:MODEL", "replay:FILE")
# Our own sentences for the self-test. Only the last one is timed, so that loading does not count.
TEST_TEXTS = (
    "The old library did not open on Sunday.",
    "The gardener has never planted roses behind the house.",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """The engine that "auto" selects, and why. note: what a run says about it, if the exam of a model decided."""

    spec: str
    why: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The state of one engine.

    detail: what it is, or what is missing. self_test: its rewriting of a test sentence; "" if it was not tested.
    """

    name: str
    ready: bool
    detail: str
    self_test: str = ""
    texts_per_second: float | None = None
    tokens_per_second: float | None = None

    def to_dict(self) -> dict[str, object]:
        """The status as JSON values."""
        return asdict(self)


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
        return engine_named(choose(base_url=base_url).spec, **options)
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
        "`longway engines` lists the engines that can be used here."
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


def choose(*, base_url: str | None = None) -> Choice:
    """The engine that "auto" selects here: the best one that can be used, and why.

    Settings of other programs, such as OPENAI_BASE_URL, do not select a server: rows are sent only to one that was
    named for Longway.
    """
    model, address = os.environ.get("LONGWAY_MODEL", ""), base_url or os.environ.get("LONGWAY_BASE_URL", "")
    if (model or address) and find_spec("openai") is not None:
        spec = f"served:{model}" if model else "served"
        reason = "LONGWAY_MODEL is set" if model else f"a server is configured ({_host(address)})"
        return _after_exam(spec, base_url) or Choice(spec, f"{reason}; a large model writes best")
    why = "no served model is configured"
    if model or address:
        why = "the served model cannot be used (not installed: openai; longway engines install served)"
    return offline(why)


def _after_exam(spec: str, base_url: str | None) -> Choice | None:
    """What the exam of a served model suggests; None if there was none, or the model is not weak."""
    if spec == "served":  # its model is not known before the server is asked
        return None
    try:
        grades = grades_of(engine_named(spec, base_url=base_url))
    except SettingError:  # told when the engine is used
        return None
    if grades is not None and not grades.is_current:
        note = f"the exam of {spec} ({grades.created[:10]}) had other questions or prompts and does not count: take it again with longway engines exam {spec}"
        return Choice(spec, note, note)
    if grades is None or "weak" not in (grades.judge, grades.writer):
        return None
    exam = f"in its exam ({grades.created[:10]}) {spec} was"
    if grades.writer != "weak":  # a weak judge rejects right texts, but accepts no more wrong ones
        note = f"{exam} a weak judge, which rejects many right texts; --judge none does without it"
        return Choice(spec, note, note)
    note = f"{exam} a weak writer"
    if grades.judge in ("good", "fair"):
        note += f", but a {grades.judge} judge: add --judge {spec}"
    try:
        return replace(offline(note), note=f"{note}; other engines write instead")
    except EngineError:  # no other engine can be used here
        return Choice(spec, note, note)


def offline(why: str = "no model is configured") -> Choice:
    """The best engine that needs no key and no server. why: the first part of the reason."""
    if missing := _missing_for_rules():
        raise EngineError(
            f"No engine can be used here. Expected one of: rules ({missing}), or a served model (LONGWAY_MODEL). "
            "Install the rules with: longway engines install rules"
        )
    return Choice("rules", f"{why}, and the rules need none")


def available(*, test: bool = False, base_url: str | None = None) -> list[EngineStatus]:
    """The status of every engine.

    test: also rewrite two sentences with each engine, and time it. Otherwise nothing is loaded and no server is called.
    """
    return [
        _status("rules", _missing_for_rules(), "rewriting by rules, no model", test),
        _gguf_status(),
        _served_status(test, base_url),
        EngineStatus("replay", True, "plays recorded answers: replay:FILE"),
    ]


def models_of(base_url: str, *, api_key: str | None = None, timeout: float = 10.0) -> list[str]:
    """The models that a server lists, in its order."""
    if "@" in base_url:  # a password in the address would appear in messages
        raise SettingError(
            "The server was not asked for its models: its address contains a password. Name the model: --engine served:MODEL."
        )
    key = Secret(api_key) if api_key else find_key(base_url)
    return run(Transport(base_url, key, ServerLimits(timeout=timeout)).models())


def _gguf_status() -> EngineStatus:
    if missing := _not_installed("gguf", "xllamacpp", "openai"):
        return EngineStatus("gguf", False, missing)
    return EngineStatus("gguf", True, "a GGUF file of your own, run by llama.cpp on this machine: gguf:FILE")


def _served_status(test: bool, base_url: str | None) -> EngineStatus:
    model, address = os.environ.get("LONGWAY_MODEL", ""), base_url or _address()
    missing = ""
    if find_spec("openai") is None:
        missing = "the package 'openai' is not installed: longway engines install served"
    elif not model and not address:
        missing = "no model is configured: set LONGWAY_MODEL or use served:MODEL"
        if os.environ.get("OPENAI_API_KEY") or os.environ.get("LONGWAY_API_KEY"):
            missing = f"a key is set, {missing}"
        else:
            missing += "; LONGWAY_BASE_URL for your own server, OPENAI_API_KEY for a service"
    detail = f"{model or 'its first model'} on {_host(address) if address else 'the OpenAI service'}"
    return _status("served", missing, detail, test, base_url)


def _status(name: str, missing: str, detail: str, test: bool, base_url: str | None = None) -> EngineStatus:
    if missing:
        return EngineStatus(name, False, missing)
    if not test:
        return EngineStatus(name, True, detail)
    try:
        return _tested(engine_named(name, base_url=base_url), name, detail)
    except LongwayError as error:  # becomes the engine's status; the other engines are still listed
        return EngineStatus(name, False, str(error))


def _tested(engine: Engine, name: str, detail: str) -> EngineStatus:
    task = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")

    async def write() -> tuple[list[str], float, int]:
        try:
            texts: list[str] = []
            seconds, tokens = 0.0, 0
            for text in TEST_TEXTS:
                prompt = rewrite_prompt(task, text, label="REFUTES", context="")
                started = time.perf_counter()
                written = await engine.write(prompt, 2, Sampling(max_tokens=64))
                seconds, tokens = time.perf_counter() - started, written.usage.completion_tokens
                texts += written.texts[:1]
            return texts, seconds, tokens
        finally:
            await engine.close()

    texts, seconds, tokens = run(write())
    if not texts:
        return EngineStatus(name, False, "the self-test failed: it wrote no usable text for two sentences")
    speed = 1 / max(seconds, 1e-6)
    return EngineStatus(name, True, detail, texts[-1], speed, tokens / max(seconds, 1e-6) if tokens else None)


def _missing_for_rules() -> str:
    return _not_installed("rules", "spacy", "lemminflect")


def _not_installed(engine: str, *packages: str) -> str:
    missing = [package for package in packages if find_spec(package) is None]
    return f"not installed: {', '.join(missing)}; longway engines install {engine}" if missing else ""


def _default_model(base_url: str | None, api_key: str | None) -> str:
    """LONGWAY_MODEL, or the first model that the server lists."""
    if model := os.environ.get("LONGWAY_MODEL"):
        return model
    address = base_url or _address()
    if not address:
        raise SettingError(
            "No served model is configured. Expected served:MODEL, or LONGWAY_MODEL in the environment. "
            "Try --engine served:gpt-4o-mini."
        )
    models = models_of(address, api_key=api_key)
    if not models:
        raise EngineError(f"{_host(address)} lists no models. Load one there, or name it: served:MODEL.")
    return models[0]


def _address() -> str:
    """The server of an engine that was named without an address."""
    return os.environ.get("LONGWAY_BASE_URL") or os.environ.get("OPENAI_BASE_URL") or ""


def _host(address: str) -> str:
    """Host and port; the rest of an address may contain a password."""
    return urlsplit(address).netloc.rpartition("@")[2]
