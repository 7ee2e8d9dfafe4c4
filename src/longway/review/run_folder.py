"""A run folder as the review reads it: finished and complete, or an error that says what to do.

    read_run(folder)      ->  RunFolder: run.json, the summary of its command, the files
    edits_in(path)        ->  each line of edits.jsonl, with the records.Edit it holds
    findings of the run   ->  RunFinding

A damaged file raises RunError with the file and the line. The remedy is always the same: run the command again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longway.data.formats import is_known
from longway.errors import RunError
from longway.json_values import from_json
from longway.records import Edit, Pattern
from longway.store import DROPPED, RUN_FILE, holding, read_json, sizes_in

EDITS, FINDINGS, SCORES = "edits.jsonl", "findings.json", "scores.parquet"
DATASETS = ("dataset.", "train.")
SUMMARIES = {
    "repair": "repair.json",
    "rewrite": "rewrite.json",
    "augment": "augment.json",
    "perturb": "perturb.json",
    "audit": FINDINGS,
    "grammar": "tables.json",
    "prove": "results.json",
    "fairness": "fairness.json",
    "explain": "explain.json",
}
FIGURES = ("count", "share", "gain", "points")


@dataclass(frozen=True, slots=True)
class PatternFigures:
    """How a pattern relates to its label on one version of the data: texts with it, the label's share, the gain in nats, the points."""

    count: int | None = None
    share: float | None = None
    gain: float | None = None
    points: float | None = None


@dataclass(frozen=True, slots=True)
class VariantName:
    """A weaker pattern that means the same as a finding."""

    pattern: str


@dataclass(frozen=True, slots=True)
class RunFinding:
    """A finding of an audit or a grammar, or of a rewrite, which has figures before and after.

    Fields are as in findings.json; None if the run did not measure or name them. marked: how a reviewer had marked it.
    now: the figures, those after a rewrite. before: those before it; None for a finding of another command.
    """

    level: str
    pattern: str
    label: str
    field: str = ""
    match: object = None
    base_rate: float | None = None
    z: float | None = None
    q: float | None = None
    variants: tuple[VariantName, ...] = ()
    supporting: tuple[str, ...] | None = None
    counter: tuple[str, ...] | None = None
    marked: str | None = ""
    now: PatternFigures = PatternFigures()
    before: PatternFigures | None = None

    @classmethod
    def of(cls, value: Any) -> RunFinding:
        """The finding of a JSON object; raises TypeError if it is none."""
        if not isinstance(value, dict):
            raise TypeError(f"an object was expected, not {value!r:.40}")
        figures = {
            when: {name: value.get(name + when) for name in FIGURES} for when in ("", "_before", "_after")
        }
        figures[""]["share"] = value.get("label_share")
        is_change = figures["_before"]["count"] is not None
        versions = (
            {"before": figures["_before"], "now": figures["_after"]}
            if is_change
            else {"before": None, "now": figures[""]}
        )
        finding: RunFinding = from_json(cls, {**value, **versions})
        return finding

    @property
    def shape(self) -> Pattern:
        """The pattern as a value."""
        values = {"level": self.level, "pattern": self.pattern, "field": self.field, "match": self.match}
        return Pattern.from_dict(values)

    @property
    def strongest(self) -> PatternFigures:
        """The figures with the larger gain."""
        before, now = self.before, self.now
        return now if before is None or (now.gain or 0) > (before.gain or 0) else before


@dataclass(frozen=True)
class RunFolder:
    """A finished run. about: run.json. summary: what its command wrote. files: sizes by name."""

    folder: Path
    about: dict[str, Any]
    command: str
    summary: dict[str, Any]
    files: dict[str, int]

    @property
    def edits_path(self) -> Path | None:
        """The edits, if the command makes any."""
        return self.folder / EDITS if EDITS in self.files else None

    @property
    def scores_path(self) -> Path | None:
        """What an audit measured for each row: scores.parquet, a file or a folder of shards; None for other commands."""
        path = self.folder / SCORES
        return path if self.command == "audit" and path.exists() else None

    @property
    def dataset_path(self) -> Path | None:
        """The dataset that the run wrote; the training part if it wrote several."""
        names = [name for name in self.files if is_known(Path(name))]
        matches = (name for stem in DATASETS for name in names if name.startswith(stem))
        return next((self.folder / name for name in matches), None)

    @property
    def dropped_path(self) -> Path | None:
        """The rows that the run left out, as they were; None if there are none, or if an earlier version wrote the run."""
        names = (name for name in self.files if Path(name).stem.partition(".")[0] == DROPPED)
        return next((self.folder / name for name in names), None)

    def findings(self) -> list[tuple[RunFinding, dict[str, object]]]:
        """The findings of an audit, a grammar or a rewrite, strongest first, each with its JSON. A proof has none."""
        if self.command == "prove":
            return []
        name = FINDINGS if FINDINGS in self.files else SUMMARIES.get(self.command, "")
        values = read_json(self.folder / FINDINGS) if FINDINGS in self.files else self.summary
        found = []
        for part in ("findings", "worse"):
            listed = values.get(part) if isinstance(values, dict) else None
            for number, value in enumerate(listed if isinstance(listed, list) else (), 1):
                try:
                    value = _of_candidates(value)
                    found.append((RunFinding.of(value), value))
                except TypeError as error:
                    raise _damaged(self.folder / name, f'"{part}", number {number}', error) from None
        return found


def _of_candidates(value: Any) -> Any:
    """A pattern of candidates before and after a repair as a finding; any other value as it is."""
    if not isinstance(value, dict) or "applies_before" not in value:
        return value
    figures = {
        f"{name}_{when}": value.get(f"{of}_{when}")
        for when in ("before", "after")
        for name, of in (("count", "applies"), ("share", "share"), ("points", "points"), ("gain", "points"))
    }
    return {
        "level": value.get("family"),
        "pattern": value.get("name"),
        "label": "right",
        **figures,
        "base_rate": value.get("base_before"),
    }


def read_run(folder: Path) -> RunFolder:
    """The run in this folder; raises RunError if there is none, or it is unfinished or was changed."""
    if not (folder / RUN_FILE).is_file():
        what = "holds no run" if folder.is_dir() else "is a file" if folder.exists() else "does not exist"
        raise RunError(
            f"{folder} {what}. Expected the folder of a finished run, which has a {RUN_FILE}. "
            "List the runs with: longway runs"
        )
    about = read_json(folder / RUN_FILE)
    if not (isinstance(about, dict) and isinstance(about.get("settings"), dict) and "state" in about):
        raise RunError(
            f"{folder / RUN_FILE} was not written by a run. Delete the folder and start the run again."
        )
    command = str(about.get("command", ""))
    if command == "audit-labels":
        raise RunError(
            f"{folder} holds the audits of several labels, each in a folder of its own. Expected one run. Open one of these folders."
        )
    if about["state"] != "done":
        raise RunError(_unfinished(folder, command))
    files = sizes_in(folder)
    name = SUMMARIES.get(command, "")
    changed = [
        other
        for other, size in dict(about.get("files") or {}).items()
        if files.get(other) != size and (other in (EDITS, FINDINGS, name) or other.startswith(DATASETS))
    ]  # a report may be edited or deleted
    if changed:
        raise RunError(
            f"{folder} has changed since its run finished: {', '.join(sorted(changed)[:5])}. "
            f"Expected the files of the finished run. Run the same `longway {command}` again, which repairs it."
        )
    summary = read_json(folder / name) if name in files else {}
    return RunFolder(folder, about, command, summary if isinstance(summary, dict) else {}, files)


def _unfinished(folder: Path, command: str) -> str:
    try:
        with holding(folder):
            pass
    except RunError:
        return (
            f"{folder} is still being written by `longway {command}`. Expected a finished run. "
            "Wait until it has ended, then open the review again."
        )
    return (
        f"{folder} was interrupted before it finished. Expected a finished run. "
        f"Run the same `longway {command}` again: it resumes."
    )


def edits_in(path: Path) -> Iterator[tuple[int, dict[str, object], Edit]]:
    """The lines of edits.jsonl: bytes read so far, the JSON object, the edit."""
    read = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            read += len(line)
            try:
                values = json.loads(line)
                edit: Edit = from_json(Edit, values)
            except (ValueError, TypeError) as error:
                raise _damaged(path, f"line {number}", error) from None
            yield read, values, edit


def _damaged(path: Path, where: str, error: Exception) -> RunError:
    why = "not JSON" if isinstance(error, ValueError) else error
    return RunError(
        f"{path}, {where}, is damaged: {why}. Expected what a run writes. Run the same command again in a new folder."
    )
