"""Starting Ray for one job: embedded on this machine without any set-up, or an existing cluster.

    with session("ray"): ...                  this machine: Ray is started for the job, and stopped after it
    with session("ray://host:10001"): ...     a cluster, by the address of its Ray client server

Ray is imported when a session is opened, not before.
"""

from __future__ import annotations

import logging
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, cast

from longway.errors import EngineError, MissingExtra, SettingError

HERE = "ray"
TRIES = 2  # on a busy machine, its processes may not have started when it looks for them
# Defaults for variables that Ray reads when it starts.
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # do not send usage figures
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # no warning about a future version
    "RAY_worker_niceness": "0",  # normal priority: the workers do the job while this process waits
}
_ADDRESS = re.compile(r"ray://([^\s/:]+):(\d{1,5})")
_ERROR = re.compile(r"[\w.]+(?:Error|Exception|Extra): ")
_CONNECT_SECONDS = 10.0  # Ray itself would try for 40


def check_place(place: str) -> None:
    """Raises SettingError if this is not a place to run on, and MissingExtra if Ray is not installed."""
    if place != HERE and not _ADDRESS.fullmatch(place):
        raise SettingError(
            f"'on' must be 'ray' or the address of a Ray cluster. Got {place!r}. "
            "Try --on ray for this machine, or --on ray://HOST:10001."
        )
    if find_spec("ray") is None:
        raise MissingExtra("ray", extra="ray", purpose="--on ray")
    if place != HERE and find_spec("grpc") is None:
        raise MissingExtra("grpcio", extra="ray", purpose="--on ray://")


def is_far() -> bool:
    """Whether this process is connected by `ray://`, and so is not part of the cluster."""
    from ray.util.client import ray as client

    return bool(cast(Any, client).is_connected())


def cpus() -> float:
    """The number of processors of the cluster."""
    import ray

    resources: dict[str, float] = cast(Any, ray).cluster_resources()
    return resources.get("CPU", 1.0)


@contextmanager
def session(place: str, *, processors: int | None = None, store_bytes: int | None = None) -> Iterator[None]:
    """Ray at this place for the duration of the block; if it is open already, it is used and stays open.

    processors, store_bytes: limits of an embedded Ray; by default all processors and a share of the memory.
    """
    check_place(place)
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    import ray
    from ray.exceptions import RayError

    opened = not ray.is_initialized()
    if opened:
        _open(place, processors, store_bytes)
    try:
        yield
    except RayError as error:
        raise EngineError(
            f"The work on Ray failed: {_cause(error)}. Check that all machines have the same versions of Python, Ray "
            "and Longway, and enough memory. Or omit --on: the result is the same."
        ) from error
    finally:
        if opened:
            ray.shutdown()


def _open(place: str, processors: int | None, store_bytes: int | None) -> None:
    import ray

    how: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if place == HERE:
        # "local": never a cluster from an environment variable, which the user did not ask for
        how |= {"address": "local", "include_dashboard": False}
        how |= {"num_cpus": processors, "object_store_memory": store_bytes}
    else:
        _check_listening(place)
        how["address"] = place
    for left in reversed(range(TRIES)):
        try:
            ray.init(**how)
            return
        except Exception as error:  # Ray also raises plain exceptions
            ray.shutdown()
            if not left:
                raise EngineError(
                    f"Ray could not be opened at {place}: {_reason(error)}. Check the address, and that the cluster has the "
                    "same versions of Python, Ray and Longway as this machine. Or omit --on: the result is the same."
                ) from None


def _check_listening(place: str) -> None:
    """Raises EngineError if nothing listens at the address of a cluster."""
    host, port = _ADDRESS.fullmatch(place).groups()  # type: ignore[union-attr]
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise EngineError(
            f"No Ray cluster answers at {place}: {_reason(error)}. Check the address and that `ray start --head` runs there; its "
            "client port is usually 10001. Or omit --on: the result is the same."
        ) from None


def _reason(error: Exception) -> str:
    """The first line of an error message, with the last one if a traceback is between them."""
    first, *more = str(error).strip().splitlines() or [type(error).__name__]
    return f"{first} {more[-1]}".rstrip(". ") if more and first.endswith(":") else first.rstrip(". ")


def _cause(error: Exception) -> str:
    """The reason of a failed task: the first error in its tracebacks."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return next(filter(_ERROR.match, lines), lines[0]).rstrip(". ")


@contextmanager
def ordered_and_quiet() -> Iterator[None]:
    """Lets Ray Data return results in the order of its input, and print nothing."""
    from ray.data import DataContext

    context = DataContext.get_current()
    before = context.execution_options.preserve_order, context.enable_progress_bars
    log = logging.getLogger("ray.data")
    level = log.level
    context.execution_options.preserve_order, context.enable_progress_bars = True, False
    log.setLevel(logging.CRITICAL)  # errors are raised
    try:
        yield
    finally:
        context.execution_options.preserve_order, context.enable_progress_bars = before
        log.setLevel(level)
