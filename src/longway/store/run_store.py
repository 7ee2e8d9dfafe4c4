"""A run folder: its settings and files, its state, and the lock that keeps other processes out.

    run.json        settings, versions, dataset fingerprint, state: written last, with the state "done"
    findings.json   scores.parquet   report.html   edits.jsonl   dataset.<ext> ...
    journal.sqlite  the answers of engines; its size is not checked, because opening it changes it

Every file is written atomically (`atomic.py`), so a killed run leaves the old file or the new one.

    with holding(folder): ...       RunError if another process holds the folder

The lock is one of the operating system, which releases it when the process ends for any reason: a killed run does not block the
next one. On a file system without locks, nothing is locked.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from longway.errors import RunError
from longway.store.atomic import RUN_FILE, left_behind, read_json, replacing, sizes_in, write_json
from longway.store.journal import JOURNAL_FILE

LOCK_FILE = ".longway-lock"  # on Windows only; elsewhere the folder itself is locked
_IS_HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
DROPPED = "dropped"  # rows that a repair left out, as they were
REVIEWED = "dataset-reviewed"  # written by a review, which does not change the run


@dataclass(frozen=True, slots=True)
class Run:
    """One run folder."""

    folder: Path

    @classmethod
    def open(cls, folder: Path, *, command: str, settings: Mapping[str, object], fingerprint: str) -> Run:
        """Start or resume the run in this folder; RunError if the folder contains another run.

        Call it inside `holding(folder)`, because it deletes temporary files.
        """
        run = cls(folder)
        identity = {"command": command, "settings": settings, "fingerprint": fingerprint}
        if folder.exists() and not folder.is_dir():
            raise RunError(f"{folder} is a file. A run needs a folder. Choose another --out.")
        if folder.exists() and not (folder / RUN_FILE).exists() and _has_other_files(folder):
            raise RunError(
                f"{folder} contains files that do not belong to a run. Nothing was written. Choose another --out."
            )
        if (folder / RUN_FILE).exists() and (differs := run._differences(identity)):
            raise RunError(
                f"{folder} contains another run. It differs in: {differs}. The same command would have resumed it. "
                "Choose another --out, or delete the folder."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{folder} cannot be created: {error.strerror}. Choose another --out.") from None
        if not run.is_done:
            for path in left_behind(folder):
                path.unlink(missing_ok=True)
            write_json(folder / RUN_FILE, {**identity, **_versions(), "state": "running", "started": now()})
        return run

    @classmethod
    def finished(
        cls, folder: Path, *, command: str, settings: Mapping[str, object], fingerprint: str
    ) -> Run | None:
        """The run in this folder if it is the same and done, otherwise None. Writes nothing."""
        run = cls(folder)
        is_same = (folder / RUN_FILE).exists() and not run.differences(
            command=command, settings=settings, fingerprint=fingerprint
        )
        return run if is_same and run.is_done else None

    def reopen(self) -> None:
        """Set a finished run to running again, for example after its budget was raised."""
        about = {key: value for key, value in self.about().items() if key not in ("finished", "files")}
        write_json(self.folder / RUN_FILE, {**about, "state": "running"})

    @property
    def is_done(self) -> bool:
        """Whether the run is finished and its files have not changed since."""
        if not (self.folder / RUN_FILE).exists():
            return False
        about = self.about()
        return about["state"] == "done" and about.get("files") == self._files()

    def about(self) -> dict[str, Any]:
        """The content of run.json; RunError if it is damaged."""
        path = self.folder / RUN_FILE
        about = read_json(path)
        if not (isinstance(about, dict) and isinstance(about.get("settings"), dict) and "state" in about):
            raise RunError(f"{path} was not written by a run. Delete the folder, or choose another --out.")
        return about

    def _files(self) -> dict[str, int]:
        """The run's files and their sizes."""
        return {
            name: size
            for name, size in sizes_in(self.folder).items()
            if name != RUN_FILE and not name.startswith((".", JOURNAL_FILE, REVIEWED))
        }

    def write(self, name: str, value: object) -> Path:
        """Write one JSON file of the run."""
        write_json(self.folder / name, value)
        return self.folder / name

    def write_with(self, name: str, write: Callable[[Path], object]) -> Path:
        """Write one file of the run atomically; `write` gets the path to write to."""
        with replacing(self.folder / name) as temporary:
            write(temporary)
        return self.folder / name

    def finish(self) -> None:
        """Set the state to done. Call it last."""
        done = {"state": "done", "finished": now(), "files": self._files()}
        write_json(self.folder / RUN_FILE, {**self.about(), **done})

    def differences(self, *, command: str, settings: Mapping[str, object], fingerprint: str) -> str:
        """The names of the settings in which another run differs from this one; "" if it is the same."""
        return self._differences({"command": command, "settings": settings, "fingerprint": fingerprint})

    def _differences(self, identity: Mapping[str, object]) -> str:
        was, new = self.about(), json.loads(json.dumps(identity))  # as read from a file: tuples are lists
        names = [key for key in ("command", "fingerprint") if was.get(key) != new[key]]
        before, after = was.get("settings", {}), new["settings"]
        names += [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
        return ", ".join("the data" if name == "fingerprint" else name for name in names)


def free_folder(folder: Path, *, command: str, settings: Mapping[str, object], fingerprint: str) -> Path:
    """The folder, or the first of folder-2, folder-3 ... that is free or contains the same run."""
    identity = {"command": command, "settings": settings, "fingerprint": fingerprint}
    candidate, number = folder, 2
    while candidate.exists() and (
        Run(candidate)._differences(identity)
        if (candidate / RUN_FILE).exists()
        else _has_other_files(candidate)
    ):
        candidate = folder.with_name(f"{folder.name}-{number}")
        number += 1
    return candidate


def _has_other_files(folder: Path) -> bool:
    """Whether a folder contains anything but temporary files of a killed run; True if it is not a folder."""
    ours = {*left_behind(folder), folder / LOCK_FILE} if folder.is_dir() else set()
    return not folder.is_dir() or any(path not in ours for path in folder.iterdir())


def list_runs(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The runs in a folder, newest first, each with the content of its run.json."""
    runs = []
    for path in sorted(folder.glob(f"*/{RUN_FILE}")):
        try:
            runs.append((path.parent, Run(path.parent).about()))
        except RunError:
            runs.append((path.parent, {"state": "damaged"}))
    return sorted(runs, key=lambda item: str(item[1].get("started", "")), reverse=True)


def now() -> str:
    """The current time as text, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _versions() -> dict[str, object]:
    packages = ("longway", "numpy", "polars", "pyarrow", "scikit-learn", "scipy")
    return {"python": platform.python_version(), "versions": {name: version(name) for name in packages}}


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Lock a run folder, creating it if needed; RunError if another process holds it."""
    with suppress(OSError):  # `Run.open` reports why a folder cannot be created
        folder.mkdir(parents=True, exist_ok=True)
    handle = None
    try:
        handle = _open(folder)
        _lock(handle)
    except OSError as error:
        if handle is not None and error.errno in _IS_HELD:
            os.close(handle)
            raise RunError(
                f"{folder} is in use: another process is writing this run. Only one process can write to a run folder. "
                "Wait until it has ended, or choose another folder."
            ) from None
    try:
        yield
    finally:
        if handle is not None:
            _release(handle, folder)


if sys.platform == "win32":
    import msvcrt

    def _open(folder: Path) -> int:
        return os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT)

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _release(handle: int, folder: Path) -> None:
        os.close(handle)
        with suppress(OSError):
            (folder / LOCK_FILE).unlink()

else:
    import fcntl

    def _open(folder: Path) -> int:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(handle: int, folder: Path) -> None:
        os.close(handle)
