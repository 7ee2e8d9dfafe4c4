"""Atomic files: written to a temporary file next to the target and renamed, so a killed process leaves the old file or the new one.

Errors of the disk (full, read-only, no permission) become a RunError that names the file and the next step.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longway.errors import RunError

RUN_FILE = "run.json"
# Names given by `replacing` and `data.save`.
_TEMPORARY = re.compile(r"\..+\.([a-z0-9_]{8}(\.\w+)?|\d+\.part)")
_NEXT_STEPS = {
    errno.ENOSPC: "Make room on the disk, and on the disk of temporary files (TMPDIR)",
    errno.EDQUOT: "Make room within your quota",
    errno.EFBIG: "Files may not grow that large here: lift the limit (ulimit -f), or choose another --out",
    errno.EROFS: "Make the disk writable, or choose another --out",
    errno.EACCES: "Get permission to write there, or choose another --out",
    errno.EPERM: "Get permission to write there, or choose another --out",
    errno.EIO: "Check the disk, or choose another --out",
}


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path to write to; it replaces `path` at the end.

    RunError if the disk is full or cannot be written to; `path` is then unchanged.
    """
    with disk_errors(path):
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
    """Force the bytes of a file to disk; must precede a rename, or a power cut could leave an incomplete file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def left_behind(folder: Path) -> list[Path]:
    """Temporary files of a killed process, in the folder and its subfolders; folders of other runs are skipped."""
    paths = []
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink() and not (path / RUN_FILE).exists():
            paths += left_behind(path)
        elif path.is_file() and _TEMPORARY.fullmatch(path.name):
            paths.append(path)
    return paths


def write_json(path: Path, value: object) -> None:
    """Write a value as readable JSON, atomically."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    with replacing(path) as temporary:
        # A dataset may contain lone surrogates; they are replaced by question marks.
        temporary.write_text(text + "\n", encoding="utf-8", errors="replace")


def read_json(path: Path) -> Any:
    """The value of a JSON file; RunError if it is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(
            f"{path} does not exist. Expected a finished run. Start it again with the same command."
        ) from None
    except (ValueError, OSError, RecursionError) as error:
        raise RunError(
            f"{path} cannot be read: {error}. Delete the folder and start the run again."
        ) from None


def sizes_in(folder: Path) -> dict[str, int]:
    """The files of a folder with their sizes; a folder of shards (`dataset.parquet`) counts as one file."""
    return {
        path.name: path.stat().st_size
        if path.is_file()
        else sum(shard.stat().st_size for shard in path.iterdir())
        for path in sorted(folder.iterdir())
        if path.is_file() or path.suffix
    }


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn errors of the disk into a RunError; other errors pass through."""
    try:
        yield
    except OSError as error:
        if (translated := disk_error(error, path)) is None:
            raise
        raise translated from None


def disk_error(error: OSError, path: Path | str | None = None) -> RunError | None:
    """The RunError for an error of the disk; None for other errors.

    path: the file that was written; by default the file that the error names.

    >>> print(disk_error(OSError(errno.EDQUOT, "Disk quota exceeded"), Path("run/edits.jsonl")))
    run/edits.jsonl cannot be written: Disk quota exceeded. Finished work is kept. Make room within your quota, and run the same command again.
    """
    if error.errno not in _NEXT_STEPS:
        return None
    where = path or error.filename or "The output"
    return RunError(
        f"{where} cannot be written: {error.strerror}. Finished work is kept. "
        f"{_NEXT_STEPS[error.errno]}, and run the same command again."
    )
