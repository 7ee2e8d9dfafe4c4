"""The GGUF engine: a model file of the user's own, run by llama.cpp (package `xllamacpp`) in a process of its own.

    engine = GgufEngine("~/models/some-model.Q4_K_M.gguf")

llama.cpp serves the file on a free port of this machine, with a key that only this process and its server know; from there on it is a
served model like any other. The server (`llama_server.py`) starts with the first call. Engines for the same file share one server,
which is ended when the last of them is closed, and with this process. It is ended at once, even while it computes an answer.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from longway.engines import llama_server
from longway.engines.costs import FREE, Call
from longway.engines.engine import Judgement, Sampling, Usage, Written
from longway.engines.prompt import Prompt
from longway.engines.secret import Secret
from longway.engines.served import READING, ServedEngine
from longway.engines.transport import AnswerRoom, Transport
from longway.errors import EngineError, MissingExtra, SettingError

ADDRESS = "http://127.0.0.1/v1"  # without the port, which differs from process to process
CONTEXT, SLOTS = 4096, 2
BATCH = 64  # tokens computed at once
TIMEOUT = 1800.0  # seconds for one answer; a large model on few cores is slow, but it does not hang


@dataclass(slots=True)
class _Running:
    """A server of this process. address: without /v1. users: engines that use it."""

    process: subprocess.Popen[bytes]
    key: str
    address: str = ""
    users: int = 0

    @classmethod
    def start(cls, path: Path, context: int, slots: int, threads: int) -> Self:
        """Begin to load a file."""
        command = [sys.executable, "-P", llama_server.__file__]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        assert process.stdin is not None
        key = secrets.token_urlsafe(24)
        settings = llama_server.ServerSettings(
            path=str(path),
            name=path.stem,
            context=context,
            slots=slots,
            threads=threads,
            batch=BATCH,
            key=key,
        )
        process.stdin.write(json.dumps(settings).encode() + b"\n")  # not an argument: others may read those
        process.stdin.flush()
        return cls(process, key)

    def wait(self, path: Path) -> Self:
        """Wait until it serves; EngineError if it cannot."""
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            said = json.loads(lines.readline() or '{"error": "it ended while it loaded the file"}')
        if "error" in said:
            self.end()
            size = path.stat().st_size / 1e9
            raise EngineError(
                f"llama.cpp cannot load {path.name} ({size:.1f} GB): {said['error'].rstrip('.')}. Expected a language model in GGUF that fits "
                "into memory. Check the download, install a newer llama.cpp (pip install -U xllamacpp), or use a smaller file."
            )
        self.address = said["address"]
        return self

    @property
    def is_alive(self) -> bool:
        """Whether its process is still there."""
        return self.process.poll() is None

    def end(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()


_servers: dict[tuple[int, str, int, int, int], _Running] = {}
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
        self._is_wanted = True  # False once the start was cancelled

    def __repr__(self) -> str:
        return f"GgufEngine({str(self.path)!r})"

    @property
    def identity(self) -> Mapping[str, object]:
        """The contents of the file, not its path, and how answers are read."""
        return {
            "engine": "gguf",
            "sha256": _fingerprint(self.path),
            "context": self.context,
            "judge_tokens": self.judge_tokens,
            "reading": READING,
        }

    async def write(self, prompt: Prompt, n: int, sampling: Sampling, call: Call | None = None) -> Written:
        """Up to n different texts."""
        await self._start()
        return await super().write(prompt, n, sampling, call)

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """The probability of each option."""
        await self._start()
        return await super().judge(prompt, options, call)

    async def responds(self, call: Call | None = None) -> tuple[bool, Usage | None]:
        """Whether the server answers one small request."""
        await self._start()
        return await super().responds(call)

    async def close(self) -> None:
        """Close the connections, and end the server if no other engine uses it."""
        await super().close()
        if self._running is not None:
            self._running = None
            await asyncio.to_thread(_leave, self._key_of_server())

    async def _start(self) -> None:
        if self._is_started():
            return
        self._is_wanted = True
        try:
            running = await asyncio.to_thread(self._join)
        except asyncio.CancelledError:
            self._is_wanted = False
            _end(self._key_of_server())  # it may still be loading
            raise
        if self._is_started():  # another call was faster
            await asyncio.to_thread(_leave, self._key_of_server())
            return
        self._key = Secret(running.key)
        self._transport = Transport(f"{running.address}/v1", self._key, self.limits)
        self._running = running

    def _is_started(self) -> bool:
        return self._running is not None and self._running.is_alive

    def _join(self) -> _Running:
        """The server of this file, started if there is none."""
        key = self._key_of_server()
        with _starting:
            if not self._is_wanted:
                raise EngineError(f"The start of {self.name} was cancelled.")
            running = _servers.get(key)
            if (
                running is None or not running.is_alive
            ):  # it may have been killed, such as when memory ran out
                running = _servers[key] = _Running.start(self.path, *key[2:])
                try:
                    running.wait(self.path)
                except EngineError:
                    _servers.pop(key, None)
                    raise
            running.users += 1
            return running

    def _key_of_server(self) -> tuple[int, str, int, int, int]:
        return os.getpid(), str(self.path), self.context, self.slots, self.threads


def _leave(key: tuple[int, str, int, int, int]) -> None:
    with _starting:
        running = _servers[key]
        running.users -= 1
        if running.users == 0:
            _end(key)


def _end(key: tuple[int, str, int, int, int]) -> None:
    """End a server, if it is still there."""
    if (running := _servers.pop(key, None)) is not None:
        running.end()


@atexit.register
def _end_all() -> None:
    for key in list(_servers):
        if key[0] == os.getpid():  # a copy of this process must leave them alone
            _end(key)


def _model_file(path: Path | str) -> Path:
    """The path of a GGUF file; SettingError if it is none."""
    file = Path(path).expanduser()
    _check_gguf(file)
    return file.absolute()  # a link keeps its name


def _check_gguf(path: Path) -> None:
    """Raise SettingError if a file is no GGUF file."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise SettingError(
            f"The model file {path} cannot be read: {error.strerror}. Expected a GGUF file. Check the path."
        ) from None
    if magic != b"GGUF":
        raise SettingError(
            f"{path.name} is not a GGUF file: it starts with {magic!r}. Expected a model in llama.cpp's format. "
            "Download one whose name ends in .gguf."
        )


def _fingerprint(path: Path) -> str:
    """SHA-256 of a GGUF file, recomputed only if its size or modification time has changed."""
    _check_gguf(path)
    stat = path.stat()
    return _sha256(str(path), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _sha256(path: str, mtime_ns: int, size: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cores() -> int:
    """All cores but one, which is for Longway itself: llama.cpp is slow if it has to share a core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)
