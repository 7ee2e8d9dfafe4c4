"""Running coroutines from ordinary functions: one event loop for the whole process, in its own thread.

It does not matter whether the caller already has a running loop (a notebook does), and connections stay open between calls.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
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
    outcome: Future[T] = Future()
    tasks: list[asyncio.Task[T]] = []

    def start() -> None:
        task = loop.create_task(coroutine)
        tasks.append(task)
        task.add_done_callback(lambda done: _pass_on(done, outcome))

    loop.call_soon_threadsafe(start)
    try:
        _wait(outcome)
    except BaseException:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
        _wait(outcome)
        raise
    return outcome.result()


def _wait(outcome: Future[Any]) -> None:
    # In short steps: on some systems a signal does not interrupt an endless wait.
    while not wait([outcome], timeout=1.0).done:
        pass


def _pass_on(task: asyncio.Task[T], outcome: Future[T]) -> None:
    if task.cancelled():
        outcome.set_exception(asyncio.CancelledError())
    elif (error := task.exception()) is not None:
        outcome.set_exception(error)
    else:
        outcome.set_result(task.result())


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
