"""Ray, opened for one job: embedded on this machine without any set-up, or a cluster that is there already.

    with session("ray"): ...                  this machine: Ray is started for the job, and stopped behind it
    with session("ray://host:10001"): ...     a cluster, by the address of its Ray client server

Ray is imported when a session is opened, and not before.
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
TRIES = 2  # to open Ray: on a busy machine its processes, here or at a cluster's door, may not be there when it looks for them
# What Ray reads when it starts, unless the user said something else.
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # it would send usage figures home
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # it would warn about a future version
    "RAY_worker_niceness": "0",  # it would let all others go before its workers; here they do the job, and this process waits
}
_ADDRESS = re.compile(r"ray://([^\s/:]+):(\d{1,5})")
_KNOCK_SECONDS = 10.0  # for the cluster to open its door; Ray itself would try for 40


def check_place(place: str) -> None:
    """Raise SettingError where this names no place to run on, MissingExtra where Ray is not installed."""
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
    """Whether the open Ray was reached by `ray://`, so that this process is no part of the cluster."""
    from ray.util.client import ray as client

    return bool(cast(Any, client).is_connected())


def cpus() -> float:
    """Processors that the open Ray has."""
    import ray

    resources: dict[str, float] = cast(Any, ray).cluster_resources()
    return resources.get("CPU", 1.0)


@contextmanager
def session(place: str, *, processors: int | None = None, store_bytes: int | None = None) -> Iterator[None]:
    """Ray at this place for as long as the block lasts; one that was open before is used, and stays open.

    processors, store_bytes: what an embedded Ray may take; without, all processors and a share of the memory.
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
        with ordered_and_quiet():
            yield
    except RayError as error:
        raise EngineError(
            f"The work on Ray failed: {_last_line(error)}. Check that all its machines have the same versions of Python, Ray "
            "and Longway, and enough memory. Or leave --on out: the result is the same."
        ) from error
    finally:
        if opened:
            ray.shutdown()


def _open(place: str, processors: int | None, store_bytes: int | None) -> None:
    import ray

    how: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if place == HERE:
        # "local": never a cluster that an environment variable names, and the user did not
        how |= {"address": "local", "include_dashboard": False}
        how |= {"num_cpus": processors, "object_store_memory": store_bytes}
    else:
        _knock(place)
        how["address"] = place
    for left in reversed(range(TRIES)):
        try:
            ray.init(**how)
            return
        except Exception as error:  # Ray raises plain ones, too
            ray.shutdown()
            if not left:
                raise EngineError(
                    f"Ray could not be opened at {place}: {_reason(error)}. Check the address, and that the cluster has the "
                    "same versions of Python, Ray and Longway as this machine. Or leave --on out: the result is the same."
                ) from None


def _knock(place: str) -> None:
    """EngineError where nothing listens at the address of a cluster."""
    host, port = _ADDRESS.fullmatch(place).groups()  # type: ignore[union-attr]
    try:
        socket.create_connection((host, int(port)), timeout=_KNOCK_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise EngineError(
            f"No Ray cluster answers at {place}: {_reason(error)}. Check the address and that `ray start --head` runs there; its "
            "client port is usually 10001. Or leave --on out: the result is the same."
        ) from None


def _reason(error: Exception) -> str:
    """The first line of what Ray says, and the last one where a traceback stands between them."""
    first, *more = str(error).strip().splitlines() or [type(error).__name__]
    return f"{first} {more[-1]}".rstrip(". ") if more and first.endswith(":") else first.rstrip(". ")


def _last_line(error: Exception) -> str:
    """What a failed task says: its traceback comes as text, with the reason at the end."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1].rstrip(". ")


@contextmanager
def ordered_and_quiet() -> Iterator[None]:
    """Ray Data that gives results in the order of its input, and prints nothing."""
    from ray.data import DataContext

    context = DataContext.get_current()
    before = context.execution_options.preserve_order, context.enable_progress_bars
    log = logging.getLogger("ray.data")
    level = log.level
    context.execution_options.preserve_order, context.enable_progress_bars = True, False
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        context.execution_options.preserve_order, context.enable_progress_bars = before
        log.setLevel(level)
