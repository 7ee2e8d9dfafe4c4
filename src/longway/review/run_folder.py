"""A run folder as a review finds it: finished and whole, or an error that says what to do.

folder  ->  RunFolder: run.json, the summary its command wrote, the files that are there
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longway.data.formats import is_known
from longway.errors import RunError
from longway.review.damaged import is_finding
from longway.store import RUN_FILE, holding, read_json, sizes_in

EDITS, FINDINGS = "edits.jsonl", "findings.json"
DATASETS = ("dataset.", "train.")
SUMMARIES = {
    "rewrite": "rewrite.json",
    "augment": "augment.json",
    "perturb": "perturb.json",
    "audit": FINDINGS,
    "grammar": "tables.json",
    "prove": "results.json",
    "fairness": "fairness.json",
    "explain": "explain.json",
    "plant": "planted.json",
}


@dataclass(frozen=True)
class RunFolder:
    """What a finished run left. about: run.json. summary: what its command found. files: sizes by name."""

    folder: Path
    about: dict[str, Any]
    command: str
    summary: dict[str, Any]
    files: dict[str, int]

    @property
    def edits_path(self) -> Path | None:
        """The edits, where the command makes some."""
        return self.folder / EDITS if EDITS in self.files else None

    @property
    def dataset_path(self) -> Path | None:
        """The dataset that the run wrote; the one to learn from where it wrote several."""
        names = [name for name in self.files if is_known(Path(name))]
        for stem in DATASETS:
            if found := [name for name in names if name.startswith(stem)]:
                return self.folder / found[0]
        return None

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Patterns that give the label away: those of an audit or a grammar, or what became of them in a rewrite.

        A proof has no such patterns: its "worse" are scores. Those that are damaged are left out, and `n_damaged` counts them.
        """
        return [one for one in self._listed if is_finding(one)]

    @property
    def n_damaged(self) -> int:
        """How many findings are not what a run writes."""
        return len(self._listed) - len(self.findings)

    @property
    def _listed(self) -> list[Any]:
        if self.command == "prove":
            return []
        told = read_json(self.folder / FINDINGS) if FINDINGS in self.files else self.summary
        lists = [told.get(name) for name in ("findings", "worse")] if isinstance(told, dict) else []
        return [one for listed in lists if isinstance(listed, list) for one in listed]


def read_run(folder: Path) -> RunFolder:
    """The run in this folder; RunError where it is none, is not finished, or was changed since."""
    if not (folder / RUN_FILE).is_file():
        what = "holds no run" if folder.is_dir() else "is not there" if not folder.exists() else "is a file"
        raise RunError(
            f"{folder} {what}. The folder of a finished run was expected, which has a {RUN_FILE}. "
            "List the runs with: longway runs"
        )
    about = read_json(folder / RUN_FILE)
    if not (isinstance(about, dict) and isinstance(about.get("settings"), dict) and "state" in about):
        raise RunError(
            f"{folder / RUN_FILE} is not what a run writes. Delete the folder and start the run again."
        )
    command = str(about.get("command", ""))
    if about["state"] != "done":
        raise RunError(_not_done(folder, command))
    files = sizes_in(folder)
    name = SUMMARIES.get(command, "")
    _check_files(folder, command, dict(about.get("files") or {}), files, reads={EDITS, FINDINGS, name})
    summary = read_json(folder / name) if name in files else {}
    return RunFolder(folder, about, command, summary if isinstance(summary, dict) else {}, files)


def _check_files(
    folder: Path, command: str, were: dict[str, int], are: dict[str, int], *, reads: set[str]
) -> None:
    """RunError where a file that a review reads is not as the run left it; a report may go or change."""
    changed = [
        name
        for name, size in were.items()
        if are.get(name) != size and (name in reads or name.startswith(DATASETS))
    ]
    if changed:
        raise RunError(
            f"{folder} is not as its run left it: {', '.join(sorted(changed)[:5])} changed or went. "
            f"The files of the finished run were expected. Run the same `longway {command}` again, which mends it."
        )


def _not_done(folder: Path, command: str) -> str:
    try:
        with holding(folder):
            pass
    except RunError:
        return (
            f"{folder} is still being written by `longway {command}`. A finished run was expected. "
            "Wait until it has ended, then open the review again."
        )
    return (
        f"{folder} was broken off before it was finished. A finished run was expected. "
        f"Run the same `longway {command}` again: it goes on where it stopped."
    )
