"""Running coroutines from ordinary functions: one event loop for the whole process, in its own thread.

It does not matter whether the caller already has a running loop (a notebook does), and connections stay open between calls. (anyio's portal was
looked at: it is no shorter, since it cannot wait for the clean-up of a call that was cancelled, and its thread would keep the process alive.)
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_starting = threading.Lock()
_running: tuple[int, threading.Thread, asyncio.AbstractEventLoop] | None = None


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of the coroutine. Ctrl-C cancels it and waits for its clean-up; a second Ctrl-C does not wait."""
    try:
        loop = _loop()
    except RuntimeError:
        coroutine.close()
        raise
    ended = threading.Event()
    task = asyncio.run_coroutine_threadsafe(_start(coroutine, ended), loop).result()
    try:
        _wait(ended)
    except BaseException:
        loop.call_soon_threadsafe(task.cancel)
        _wait(ended)
        raise
    return task.result()


async def _start(coroutine: Coroutine[Any, Any, T], ended: threading.Event) -> asyncio.Task[T]:
    task = asyncio.create_task(coroutine)
    task.add_done_callback(lambda done: ended.set())
    return task


def _wait(ended: threading.Event) -> None:
    # In short steps: on some systems a signal does not interrupt an endless wait.
    while not ended.wait(1.0):
        pass


def _loop() -> asyncio.AbstractEventLoop:
    global _running
    with _starting:
        if _running is None or _running[0] != os.getpid():  # threads do not survive a fork
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="longway-asking", daemon=True)
            thread.start()
            _running = os.getpid(), thread, loop
        if threading.current_thread() is _running[1]:
            raise RuntimeError("an engine must not use an Asker: it would wait for itself")
        return _running[2]
