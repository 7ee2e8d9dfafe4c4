"""Files given with a name: --test NAME=FILE."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longway.errors import SettingError


def named_files(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Name to path; a plain FILE is named after itself.

    >>> named_files(["dev=my.csv", "data/other.jsonl.gz"], "test")
    {'dev': 'my.csv', 'other': 'data/other.jsonl.gz'}
    """
    found: dict[str, str] = {}
    for item in given or ():
        name, equals, path = item.partition("=")
        if not equals or Path(item).exists():
            name, path = Path(item).name.split(".")[0], item
        if name in found:
            raise SettingError(
                f"--{option} names {name!r} twice. Each needs a name of its own: --{option} NAME=FILE."
            )
        found[name] = path
    return found
