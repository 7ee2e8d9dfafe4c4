"""How much memory this process can still allocate: the least of what machine, container and ulimit allow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

SHARE = 0.4  # of the available memory that a dataset may use; the rest is for processing it


def available_bytes() -> int:
    """Bytes that can still be allocated."""
    limits = [_machine(), _address_space(), *_cgroups()]
    return max(0, min(limit for limit in limits if limit is not None))


def fits(n_bytes: int) -> bool:
    """Whether a dataset of this size leaves enough memory to process it."""
    return n_bytes <= SHARE * available_bytes()


def can_hold(n_bytes: int) -> bool:
    """Whether a dataset of this size and one copy of it fit into memory."""
    return 2 * n_bytes <= available_bytes()


def _machine() -> int:
    kib = _proc_field(Path("/proc/meminfo"), "MemAvailable")
    return 4 * 2**30 if kib is None else kib * 1024  # not Linux: assume a small laptop


def _cgroups(
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> Iterator[int | None]:
    """What each control group of this process allows, in versions 2 and 1 of the interface."""
    for folder in _own_folders(root, own):
        yield _allowed(folder, "memory.max", "memory.current", "inactive_file")
        yield _allowed(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def _own_folders(root: Path, own: Path) -> Iterator[Path]:
    """The folders of the control group of this process and of its parents."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        lines = []
    yield from (root, root / "memory")
    for line in lines:
        _, kinds, path = line.split(":", 2)
        top = root if not kinds else root / kinds
        parts = [part for part in path.split("/") if part not in ("", "..")]
        yield from (top.joinpath(*parts[: n + 1]) for n in range(len(parts)))


def _allowed(folder: Path, limit_name: str, used_name: str, cache_name: str) -> int | None:
    limit, used = _number(folder / limit_name), _number(folder / used_name)
    if limit is None:
        return None
    cache = (
        _proc_field(folder / "memory.stat", cache_name) or 0
    )  # file pages that the kernel frees when needed
    return limit - max(0, (used or 0) - cache)


def _address_space() -> int | None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    return limit - (_proc_field(Path("/proc/self/status"), "VmSize") or 0) * 1024


def _number(path: Path) -> int | None:
    """The number in the file; None if the file is absent or says "max"."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _proc_field(path: Path, name: str) -> int | None:
    """The number after the name in a file of lines such as "MemAvailable: 123 kB"."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.split()[0].rstrip(":") == name), None)
