"""What the scripts of the perturbation paper share: the functions of runs/common.py, files of rows, and rows
perturbed by Algorithm 1."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import longway as lw

sys.path.append(str(Path(__file__).resolve().parents[2] / "runs"))
from common import data, each, finish

__all__ = ["Row", "data", "dataset_of", "each", "finish", "perturbed", "rows_in", "write"]
Row = dict[str, Any]


def rows_in(path: Path) -> list[Row]:
    """The rows of a file of JSON lines, compressed or not."""
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        return [json.loads(line) for line in lines]


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as JSON lines; the file appears when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    part.replace(path)


def dataset_of(rows: Sequence[Row]) -> lw.Dataset:
    """Rows with id, text, label and perhaps context, as a dataset."""
    context = "context" if "context" in rows[0] else ""
    return lw.load(list(rows), text="text", label="label", id="id", context=context, split="")


def perturbed(what: str, rows: Sequence[Row], **settings: Any) -> list[Row]:
    """The rows with one person changed in each that mentions one, as by `longway perturb`; "changed": axis,
    source and target."""
    made = lw.perturb(dataset_of(rows), **settings)
    taken = {edit.id: edit.trace for edit in made.edits if edit.accepted}
    refused = {edit.id for edit in made.edits} - taken.keys()
    print(f"{what}: {len(taken)} of {len(rows)} rows perturbed, {len(refused)} refused", flush=True)
    changed = []
    for old, new in zip(rows, made.data.frame.iter_rows(named=True), strict=True):
        row = {name: new[name] for name in old}
        if (trace := taken.get(old["id"])) is not None:
            row["changed"] = [trace[name] for name in ("axis", "source", "target")]
        changed.append(row)
    return changed
