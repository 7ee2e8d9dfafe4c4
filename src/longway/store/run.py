"""A run folder on disk: what was asked, what was found, and whether it is finished.

    run.json        settings, versions, dataset fingerprint, state: written last, says "done"
    findings.json   scores.parquet   report.html   edits.jsonl   dataset.<ext> ...
    journal.sqlite  what engines answered; no part of what "done" stands for, since opening it changes its size

Every file is written beside its place and moved there in one step, so a killed run leaves the old file or the
new one, never half of one.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from longway.errors import RunError
from longway.store.files import RUN_FILE, left_behind, read_json, replacing, sizes_in, write_json
from longway.store.hold import LOCK_FILE
from longway.store.journal import JOURNAL_FILE


@dataclass(frozen=True, slots=True)
class Run:
    """One run folder."""

    folder: Path

    @classmethod
    def open(cls, folder: Path, *, command: str, settings: dict[str, Any], fingerprint: str) -> Run:
        """The run in this folder, new or the same as before; RunError where the folder holds another run.

        Call it inside `holding(folder)`: what another process is about to move into place would be tidied up.
        """
        run = cls(folder)
        asked = {"command": command, "settings": settings, "fingerprint": fingerprint}
        if folder.exists() and not folder.is_dir():
            raise RunError(f"{folder} is a file. A run needs a folder. Choose another --out.")
        if folder.exists() and not (folder / RUN_FILE).exists() and _others(folder):
            raise RunError(
                f"{folder} has files that are not a run's. Nothing was written. Choose another --out."
            )
        if (folder / RUN_FILE).exists() and (differs := run._differences(asked)):
            raise RunError(
                f"{folder} holds another run. It differs in: {differs}. The same command would have resumed it. "
                "Choose another --out, or delete the folder."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{folder} cannot be made: {error.strerror}. Choose another --out.") from None
        if not run.is_done:
            for path in left_behind(folder):
                path.unlink(missing_ok=True)
            write_json(folder / RUN_FILE, {**asked, **_versions(), "state": "running", "started": now()})
        return run

    @classmethod
    def finished(
        cls, folder: Path, *, command: str, settings: dict[str, Any], fingerprint: str
    ) -> Run | None:
        """The run in this folder where it is this very one and done; nothing is written, so that anyone may look."""
        run = cls(folder)
        asked = {"command": command, "settings": settings, "fingerprint": fingerprint}
        is_same = (folder / RUN_FILE).exists() and not run._differences(asked)
        return run if is_same and run.is_done else None

    def reopen(self) -> None:
        """Say that a finished run goes on, as one can that stopped because its budget was spent."""
        about = {key: value for key, value in self._about().items() if key not in ("finished", "files")}
        write_json(self.folder / RUN_FILE, {**about, "state": "running"})

    @property
    def is_done(self) -> bool:
        """True where the run was finished and its files are as they were then."""
        if not (self.folder / RUN_FILE).exists():
            return False
        about = self._about()
        return about["state"] == "done" and about.get("files") == self._files()

    def _about(self) -> dict[str, Any]:
        path = self.folder / RUN_FILE
        about = read_json(path)
        if not (isinstance(about, dict) and isinstance(about.get("settings"), dict) and "state" in about):
            raise RunError(f"{path} is not what a run writes. Delete the folder, or choose another --out.")
        return about

    def _files(self) -> dict[str, int]:
        """The run's files and their sizes."""
        return {
            name: size
            for name, size in sizes_in(self.folder).items()
            if name != RUN_FILE and not name.startswith((".", JOURNAL_FILE))
        }

    def write(self, name: str, value: Any) -> Path:
        """Write one JSON file of the run."""
        write_json(self.folder / name, value)
        return self.folder / name

    def write_with(self, name: str, write: Callable[[Path], object]) -> Path:
        """Let `write` fill one file of the run."""
        with replacing(self.folder / name) as temporary:
            write(temporary)
        return self.folder / name

    def finish(self) -> None:
        """Say that the run is done. Call it last."""
        done = {"state": "done", "finished": now(), "files": self._files()}
        write_json(self.folder / RUN_FILE, {**self._about(), **done})

    def differences(self, *, command: str, settings: dict[str, Any], fingerprint: str) -> str:
        """What another run has been asked than the one in this folder, by name; "" where it is the same."""
        return self._differences({"command": command, "settings": settings, "fingerprint": fingerprint})

    def _differences(self, asked: dict[str, Any]) -> str:
        was, asked = self._about(), json.loads(json.dumps(asked))  # as it reads from a file: tuples are lists
        names = [key for key in ("command", "fingerprint") if was.get(key) != asked[key]]
        before, after = was.get("settings", {}), asked["settings"]
        names += [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
        return ", ".join("the data" if name == "fingerprint" else name for name in names)


def free_folder(folder: Path, *, command: str, settings: dict[str, Any], fingerprint: str) -> Path:
    """The folder, or the first of folder-2, folder-3 ... that is free or holds this very run."""
    asked = {"command": command, "settings": settings, "fingerprint": fingerprint}
    candidate, number = folder, 2
    while candidate.exists() and (
        Run(candidate)._differences(asked) if (candidate / RUN_FILE).exists() else _others(candidate)
    ):
        candidate = folder.with_name(f"{folder.name}-{number}")
        number += 1
    return candidate


def _others(folder: Path) -> bool:
    """Whether there is anything that no run of ours left behind when it was killed; True for what is no folder."""
    ours = {*left_behind(folder), folder / LOCK_FILE} if folder.is_dir() else set()
    return not folder.is_dir() or any(path not in ours for path in folder.iterdir())


def list_runs(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The runs below a folder, newest first, each with what its run.json says."""
    found = []
    for path in sorted(folder.glob(f"*/{RUN_FILE}")):
        try:
            found.append((path.parent, Run(path.parent)._about()))
        except RunError:
            found.append((path.parent, {"state": "damaged"}))
    return sorted(found, key=lambda item: str(item[1].get("started", "")), reverse=True)


def now() -> str:
    """The time as text, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _versions() -> dict[str, Any]:
    packages = ("longway", "numpy", "polars", "pyarrow", "scikit-learn", "scipy")
    return {"python": platform.python_version(), "versions": {name: version(name) for name in packages}}
