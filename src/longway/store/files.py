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

_TEMPORARY = re.compile(r"\..+\.([a-z0-9_]{8}(\.\w+)?|\d+\.part)")  # as `replacing` and `data.save` name them


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path to write to; what was written takes the place of `path` at the end, whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def left_behind(folder: Path) -> list[Path]:
    """Temporary files of a process that was killed before it could move or remove them."""
    return [path for path in folder.iterdir() if path.is_file() and _TEMPORARY.fullmatch(path.name)]


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
    except (ValueError, OSError) as error:
        raise RunError(
            f"{path} cannot be read: {error}. Delete the folder and start the run again."
        ) from None
