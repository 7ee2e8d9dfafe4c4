"""The GGUF engine: a model file of the user's own, run by llama.cpp (package `xllamacpp`) in a process of its own.

    engine = GgufEngine("~/models/some-model.Q4_K_M.gguf")

llama.cpp serves the file on a free port of this machine, with a key that only this process and its server know; from there on it is a
served model like any other. Each engine has a server of its own (`llama_server.py`), which starts with the first call, and ends when the
engine is closed, and with this process. It is ended at once, even while it computes an answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longway.engines import llama_server
from longway.engines.costs import FREE, Call
from longway.engines.engine import Judgement, Sampling, Usage, Written
from longway.engines.prompt import Prompt
from longway.engines.requests import AnswerRoom
from longway.engines.secret import Secret
from longway.engines.served import READING, ServedEngine
from longway.errors import EngineError, MissingExtra, SettingError

ADDRESS = "http://127.0.0.1/v1"  # without the port, which differs from process to process
CONTEXT, SLOTS = 4096, 2
BATCH = 64  # tokens computed at once
TIMEOUT = 1800.0  # seconds for one answer; a large model on few cores is slow, but it does not hang


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
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._is_wanted = True  # False once it was ended, even while it starts

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
        await self._started()
        return await super().write(prompt, n, sampling, call)

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """The probability of each option."""
        await self._started()
        return await super().judge(prompt, options, call)

    async def responds(self, call: Call | None = None) -> tuple[bool, Usage | None]:
        """Whether the server answers one small request."""
        await self._started()
        return await super().responds(call)

    async def close(self) -> None:
        """Close the connections, and end the server."""
        await super().close()
        await asyncio.to_thread(self.end)

    async def _started(self) -> None:
        """Return once the server runs; it may have to be started again, such as after memory ran out."""
        self._is_wanted = True
        try:
            await asyncio.to_thread(self.start)
        except asyncio.CancelledError:
            self.end()  # it may still be loading
            raise

    def start(self) -> None:
        """Start the server unless it runs, and wait until it serves; EngineError if it cannot."""
        with self._starting:
            if self._process is not None and self._process.poll() is None:
                return
            if not self._is_wanted:
                raise EngineError(f"The start of {self.name} was cancelled.")
            command = [sys.executable, "-P", llama_server.__file__]
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
            self._process = process
            key = secrets.token_urlsafe(24)
            settings = llama_server.ServerSettings(
                path=str(self.path),
                name=self.path.stem,
                context=self.context,
                slots=self.slots,
                threads=self.threads,
                batch=BATCH,
                key=key,
            )
            assert process.stdin is not None
            assert process.stdout is not None
            with process.stdout as lines:
                # Not an argument of the command: others may read those.
                process.stdin.write(json.dumps(settings).encode() + b"\n")
                process.stdin.flush()
                said = json.loads(lines.readline() or '{"error": "it ended while it loaded the file"}')
            if "error" in said:
                self.end()
                size = self.path.stat().st_size / 1e9
                raise EngineError(
                    f"llama.cpp cannot load {self.path.name} ({size:.1f} GB): {said['error'].rstrip('.')}. Expected a language model in GGUF that fits "
                    "into memory. Check the download, install a newer llama.cpp (pip install -U xllamacpp), or use a smaller file."
                )
            self._key, self.address = Secret(key), f"{said['address']}/v1"
            self._loop = None  # the next call connects to this server

    def end(self) -> None:
        """End the server at once, if there is one."""
        self._is_wanted = False
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            process.stdin.close()


def _model_file(path: Path | str) -> Path:
    """The path of a GGUF file; SettingError if it is none."""
    path = Path(path).expanduser()
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
    return path.absolute()  # a link keeps its name


def _fingerprint(path: Path) -> str:
    """SHA-256 of a GGUF file, recomputed only if its size or modification time has changed."""
    stat = _model_file(path).stat()
    return _sha256(str(path), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _sha256(path: str, mtime_ns: int, size: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cores() -> int:
    """All cores but one, which is for Longway itself: llama.cpp is slow if it has to share a core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)
