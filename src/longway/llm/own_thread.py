"""A thread of its own for a model that answers one call at a time; the event loop is left free meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class OwnThread:
    """What is given to it is done in turn."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="longway-model")

    async def in_worker(self, call: Callable[..., T], *values: Any) -> T:
        """What the call returns, computed in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, call, *values)
