"""The GGUF engine: a model file of the user's own, run by llama.cpp (package `xllamacpp`) in this process.

    engine = GgufEngine("~/models/some-model.Q4_K_M.gguf")

llama.cpp serves the file on a free port of this machine, with a key that only this process knows; from there on it is a served
model like any other. The server starts with the first call. Engines for the same file share one server, which ends when the last
of them is closed, and with the process.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longway.engines.costs import FREE
from longway.engines.engine import Judgement, Sampling, Usage, Written
from longway.engines.model_files import check_gguf, fingerprint
from longway.engines.prompt import Prompt
from longway.engines.secret import Secret
from longway.engines.served import READING, ServedEngine
from longway.engines.transport import AnswerRoom, Transport
from longway.errors import EngineError, MissingExtra, SettingError

ADDRESS = "http://127.0.0.1/v1"  # without the port, which differs from process to process
CONTEXT, SLOTS = 4096, 2
BATCH = 64  # tokens computed at once; the server cannot end in between, so that Ctrl-C waits for them
TIMEOUT = 1800.0  # seconds for one answer; a large model on few cores is slow, but it does not hang


@dataclass(slots=True)
class _Running:
    """A server in this process. server: the object of `xllamacpp`; the server ends with it. users: engines that use it."""

    server: Any
    key: str
    users: int = 0


_servers: dict[tuple[object, ...], _Running] = {}
_starting = threading.Lock()


class GgufEngine(ServedEngine):
    """A GGUF file. context: tokens of a question and its answer. slots: calls at once. threads: by default all cores but one."""

    def __init__(
        self,
        path: Path | str,
        *,
        context: int = CONTEXT,
        slots: int = SLOTS,
        threads: int | None = None,
        **limits: Any,
    ) -> None:
        self.path = _model_file(path)
        if context < 512 or slots < 1:
            raise SettingError(
                f"'context' must be 512 or more and 'slots' 1 or more. Got {context} and {slots}. Try {CONTEXT} and {SLOTS}."
            )
        for package in ("xllamacpp", "openai"):
            if find_spec(package) is None:
                raise MissingExtra(package, extra="gguf", purpose="Running a GGUF file")
        limits = {"timeout": TIMEOUT, **limits, "max_in_flight": slots}
        super().__init__(self.path.stem, base_url=ADDRESS, price=FREE, **limits)
        self.context, self.slots, self.threads = context, slots, threads or _cores()
        self.room = AnswerRoom(usual=context // 2, longest=context)  # the question needs the rest
        self.name = f"gguf:{self.path.name}"
        self._running: _Running | None = None

    def __repr__(self) -> str:
        return f"GgufEngine({str(self.path)!r})"

    @property
    def identity(self) -> Mapping[str, object]:
        """The contents of the file, not its path, and how answers are read."""
        return {
            "engine": "gguf",
            "sha256": fingerprint(self.path),
            "context": self.context,
            "judge_tokens": self.judge_tokens,
            "reading": READING,
        }

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts."""
        await self._start()
        return await super().write(prompt, n, sampling)

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judgement:
        """The probability of each option."""
        await self._start()
        return await super().judge(prompt, options)

    async def responds(self) -> tuple[bool, Usage | None]:
        """Whether the server answers one small request."""
        await self._start()
        return await super().responds()

    async def close(self) -> None:
        """Close the connections, and end the server if no other engine uses it."""
        await super().close()
        if self._running is not None:
            self._running = None
            await asyncio.to_thread(_leave, self._key_of_server())

    async def _start(self) -> None:
        if self._is_started():
            return
        running = await asyncio.to_thread(self._join)
        if self._is_started():  # another call was faster
            await asyncio.to_thread(_leave, self._key_of_server())
            return
        self._key = Secret(running.key)
        self._transport = Transport(f"{running.server.listening_address}/v1", self._key, self.limits)
        self._running = running

    def _is_started(self) -> bool:
        return self._running is not None

    def _join(self) -> _Running:
        """The server of this file, started if there is none."""
        key = self._key_of_server()
        with _starting:
            if key not in _servers:
                _servers[key] = _started(self.path, self.context, self.slots, self.threads)
            _servers[key].users += 1
            return _servers[key]

    def _key_of_server(self) -> tuple[object, ...]:
        return os.getpid(), str(self.path), self.context, self.slots, self.threads


def _started(path: Path, context: int, slots: int, threads: int) -> _Running:
    xllamacpp = import_module("xllamacpp")
    key = secrets.token_urlsafe(24)
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(path), {path.stem}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [key]
    params.verbosity, params.ui, params.warmup = -1, False, False
    params.n_ctx, params.n_parallel = context * slots, slots
    params.n_batch = params.n_ubatch = BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    try:
        server = xllamacpp.Server(params)
        # Its loop starts a little later; a server that ends before its loop has begun waits for it forever.
        server.handle_completions({"prompt": "a", "n_predict": 0})
    except RuntimeError as error:
        size = path.stat().st_size / 1e9
        raise EngineError(
            f"llama.cpp cannot load {path.name} ({size:.1f} GB): {str(error).rstrip('.')}. Expected a language model in GGUF that fits "
            "into memory. Check the download, install a newer llama.cpp (pip install -U xllamacpp), or use a smaller file."
        ) from None
    return _Running(server, key)


def _leave(key: tuple[object, ...]) -> None:
    with _starting:
        running = _servers[key]
        running.users -= 1
        if running.users == 0:
            del _servers[key]
            running.server = None  # the server ends with its last reference


@atexit.register
def _end_all() -> None:
    """End servers while Python still works; one that is left to the end of the interpreter can block it."""
    for running in _servers.values():
        running.server = None


def _model_file(path: Path | str) -> Path:
    """The path of a GGUF file; SettingError if it is none."""
    file = Path(path).expanduser()
    check_gguf(file)
    return file.absolute()  # a link keeps its name


def _cores() -> int:
    """All cores but one, which is for Longway itself: llama.cpp is slow if it has to share a core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)
