"""A recording as hashes and figures, without any text, so that it can be kept in the repository.

    digest(recording)        {"machine": ..., "cases": {case: {"rows": "1f0a…", "edits": "77c2…", "findings": "…", "figures": {…}}}}
    differences(one, other)  for each case: how many rows, edits and findings differ, and which figures

Each row, edit and finding is four hexadecimal digits of its hash, in order, so that a change is counted where it is. One change in 65,536
is missed. Figures are the numbers of the result's JSON that say how good the data are: leaks, accuracies, counts.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from importlib.metadata import version
from pathlib import Path
from typing import Any

DIGITS = 4
# What an edit is; who wrote it and how long it took may change its name.
OF_EDIT = ("id", "field", "before", "after", "label_before", "label_after", "accepted")
OF_FINDING = ("level", "pattern", "field", "label", "count", "texts")
# Keys of a result under which each number is a figure.
FIGURES = (
    "leak goal changed added dropped accuracy tested significant comparison results labels_after".split()
)
PACKAGES = ("numpy", "scikit-learn", "onnxruntime", "spacy")


def machine() -> dict[str, str]:
    """What results may depend on: the processor, which decides how the 8-bit encoder rounds, and versions."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.processor(),
    )
    return {"processor": model, "python": platform.python_version()} | {
        name: version(name) for name in PACKAGES
    }


def digest(recording: Path) -> dict[str, Any]:
    """The hashes and figures of all cases of a recording."""
    names = json.loads((recording / "times.json").read_text(encoding="utf-8"))
    return {"machine": machine(), "cases": {name: _case(recording / name) for name in sorted(names)}}


def _case(folder: Path) -> dict[str, Any]:
    """One case; a command that leaves no run folder has figures only."""
    run = folder / "run"
    found: dict[str, Any] = {"codes": json.loads((folder / "codes.json").read_text(encoding="utf-8"))}
    for file in sorted(run.glob("dataset.*")):
        found["rows"] = hashes(_rows(file))
    for file in sorted(run.glob("edits.jsonl")):
        edits = _lines(file)
        found["edits"] = hashes({key: edit.get(key) for key in OF_EDIT} for edit in edits)
    figures: dict[str, float] = {}
    for file in sorted(run.glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(content, dict):
            if findings := content.get("findings"):
                found["findings"] = hashes({key: one.get(key) for key in OF_FINDING} for one in findings)
            for key in FIGURES:
                figures |= dict(numbers(content.get(key), f"{file.stem}.{key}"))
    return found | {"figures": figures}


def _rows(file: Path) -> list[Any]:
    """The rows of a dataset that a run wrote."""
    import polars as pl

    if file.suffix == ".jsonl":
        return _lines(file)
    if file.suffix == ".json":
        content = json.loads(file.read_text(encoding="utf-8"))
        return content if isinstance(content, list) else [content]
    read = {".csv": pl.read_csv, ".parquet": pl.read_parquet}[file.suffix]
    return list(read(file).iter_rows(named=True))


def _lines(file: Path) -> list[Any]:
    """The objects of a JSONL file. A text may hold other ends of lines, such as U+2028."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


def hashes(items: Iterable[Any]) -> str:
    """The hashes of items, one behind the other.

    >>> hashes([{"a": 1}, {"a": 2}, {"a": 1}])[:4] == hashes([{"a": 1}])
    True
    """
    written = (json.dumps(one, sort_keys=True, ensure_ascii=False, default=str) for one in items)
    return "".join(
        hashlib.sha256(one.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS] for one in written
    )


def numbers(value: Any, path: str) -> Iterator[tuple[str, float]]:
    """The numbers under a key, by their path; times and costs are not among them.

    >>> dict(numbers({"text": {"accuracy": 0.5, "n": 3, "seconds": 2.0}}, "leak"))
    {'leak.text.accuracy': 0.5, 'leak.text.n': 3}
    """
    if isinstance(value, Mapping):
        for key, one in value.items():
            if "seconds" not in str(key):
                yield from numbers(one, f"{path}.{key}")
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from numbers(one, f"{path}[{number}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, round(value, 6)


def n_different(one: str, other: str) -> int:
    """How many items of two lists of hashes differ; those that moved as a block count once each.

    >>> n_different("aaaabbbbcccc", "aaaacccc"), n_different("aaaa", "bbbb"), n_different("", "aaaa")
    (1, 1, 1)
    """
    first, second = ([text[i : i + DIGITS] for i in range(0, len(text), DIGITS)] for text in (one, other))
    if len(first) == len(second):
        return sum(a != b for a, b in zip(first, second, strict=True))
    same = sum(
        block.size for block in SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    )
    return max(len(first), len(second)) - same


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What differs in each case that both have: numbers of rows, edits and findings, and the figures before and after."""
    found: dict[str, dict[str, Any]] = {}
    for name, one in before["cases"].items():
        other = after["cases"].get(name)
        if other is None:
            continue
        changed = {
            key: n_different(one.get(key, ""), other.get(key, "")) for key in ("rows", "edits", "findings")
        }
        old, new = one["figures"], other["figures"]
        figures = {key: (old[key], new.get(key)) for key in old if old[key] != new.get(key)}
        found[name] = {**changed, "figures": figures, "codes": one["codes"] != other["codes"]}
    return found


def lines_of(before: Mapping[str, Any], after: Mapping[str, Any], *, most: int = 3) -> Iterator[str]:
    """A table for people: each case that differs, and what is missing."""
    if before["machine"] != after["machine"]:
        yield f"recorded on different machines: {before['machine']} and {after['machine']}"
    found = differences(before, after)
    yield f"{'case':38} {'rows':>6} {'edits':>6} {'findings':>9} {'figures':>8}"
    for name, one in found.items():
        if any(one.values()):
            yield f"{name:38} {one['rows']:>6} {one['edits']:>6} {one['findings']:>9} {len(one['figures']):>8}"
            if one["codes"]:
                yield "    another exit code"
            for key, (old, new) in list(one["figures"].items())[:most]:
                yield f"    {key}: {old} -> {new}"
    gone = sorted(before["cases"].keys() - after["cases"].keys())
    total = {key: sum(one[key] for one in found.values()) for key in ("rows", "edits", "findings")}
    yield (
        f"{len(found)} cases compared, {sum(any(one.values()) for one in found.values())} differ: "
        + ", ".join(f"{n} {key}" for key, n in total.items())
    )
    if gone:
        yield f"not in the second: {', '.join(gone)}"
