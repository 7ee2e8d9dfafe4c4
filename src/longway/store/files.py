"""Files that are whole or not there: written beside their place and moved there in one step."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longway.errors import RunError
from longway.store.disk_errors import told_of_disk

RUN_FILE = "run.json"
_TEMPORARY = re.compile(r"\..+\.([a-z0-9_]{8}(\.\w+)?|\d+\.part)")  # as `replacing` and `data.save` name them


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path to write to; what was written takes the place of `path` at the end, whole or not at all.

    RunError where the disk is full or cannot be written to: what stood at `path` before still stands there.
    """
    with told_of_disk(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(0o644)
            flush(temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Have the bytes of a file on the disk: its name must not get there before them, or a power cut leaves half of it."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def left_behind(folder: Path) -> list[Path]:
    """Temporary files of a process that was killed before it could move or remove them, in the folder and below it.

    Folders that are runs of their own are left to these.
    """
    found = []
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink() and not (path / RUN_FILE).exists():
            found += left_behind(path)
        elif path.is_file() and _TEMPORARY.fullmatch(path.name):
            found.append(path)
    return found


def write_json(path: Path, value: Any) -> None:
    """Write a value as readable JSON, whole or not at all."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    with replacing(path) as temporary:
        # A dataset may hold lone surrogates; they become question marks rather than an error.
        temporary.write_text(text + "\n", encoding="utf-8", errors="replace")


def read_json(path: Path) -> Any:
    """The value in a JSON file; RunError where it is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(
            f"{path} is not there. Expected a finished run. Start it again with the same command."
        ) from None
    except (ValueError, OSError, RecursionError) as error:
        raise RunError(
            f"{path} cannot be read: {error}. Delete the folder and start the run again."
        ) from None


def sizes_in(folder: Path) -> dict[str, int]:
    """The files of a folder and their sizes; a folder of shards that stands for a file (`dataset.parquet`) counts as one."""
    return {
        path.name: path.stat().st_size
        if path.is_file()
        else sum(one.stat().st_size for one in path.iterdir())
        for path in sorted(folder.iterdir())
        if path.is_file() or path.suffix
    }
