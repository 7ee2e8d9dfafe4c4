"""The process of a GGUF file: llama.cpp serves it until the standard input ends, which it does with the process that started it.

    python llama_server.py        reads one line of JSON (see `ServerSettings`), and prints {"address": ...} or {"error": ...}

It is a process of its own so that it can be ended at any moment: llama.cpp does not stop while it computes, which may take a minute. It
imports nothing of Longway, and is started by `gguf.py`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module
from typing import Any, TypedDict


class ServerSettings(TypedDict):
    """What to serve. context: tokens per slot. batch: tokens computed at once. key: every request must have it."""

    path: str
    name: str
    context: int
    slots: int
    threads: int
    batch: int
    key: str


def main() -> None:
    """Serve until the standard input ends."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches all processes of a terminal; the other one decides
    answers = os.dup(1)
    os.dup2(2, 1)  # llama.cpp may print
    settings: ServerSettings = json.loads(sys.stdin.readline())
    try:
        server = _started(settings)
        answer = {"address": server.listening_address}
    except Exception as error:  # told by the other process; nobody reads what this one prints
        answer = {"error": str(error) or type(error).__name__}
    os.write(answers, json.dumps(answer).encode() + b"\n")
    sys.stdin.read()
    os._exit(0)  # without waiting for what it computes


def _started(settings: ServerSettings) -> Any:
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = settings["path"], {settings["name"]}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [settings["key"]]
    params.verbosity, params.ui, params.warmup = -1, False, False
    params.n_ctx, params.n_parallel = settings["context"] * settings["slots"], settings["slots"]
    params.n_batch = params.n_ubatch = settings["batch"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    server = xllamacpp.Server(params)
    server.handle_completions(
        {"prompt": "a", "n_predict": 0}
    )  # its loop starts a little later than it listens
    return server


if __name__ == "__main__":
    main()
