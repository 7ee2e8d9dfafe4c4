"""WEAT and SEAT tests: the published .jsonl files of sent-bias, one or a folder of them, or one file with a test per line.

A test is {"targ1": {"category", "examples"}, "targ2": ..., "attr1": ..., "attr2": ...}; its name is "test" or the name of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from longway.data.benchmarks.benchmark_file import BenchmarkRow, is_one_value, json_value, rows
from longway.errors import DataError

ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
FORM = "a test with targ1, targ2, attr1 and attr2, each with a category and a list of examples"


@dataclass(frozen=True, slots=True)
class Concept:
    """Words or sentences for one idea."""

    category: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AssociationWords:
    """A test: are targets X closer to attributes A, and targets Y to B?"""

    name: str
    x: Concept
    y: Concept
    a: Concept
    b: Concept

    @property
    def concepts(self) -> tuple[Concept, Concept, Concept, Concept]:
        """X, Y, A, B."""
        return self.x, self.y, self.a, self.b


def files_of(path: Path) -> list[Path]:
    """The file itself, or the tests in the folder, sorted by name."""
    if not path.is_dir():
        return [path]
    files = sorted(
        file for file in path.iterdir() if file.name.endswith(ENDINGS) and not file.name.startswith(".")
    )
    if not files:
        raise DataError(
            f"{path} has no tests. Expected files ending in {' or '.join(ENDINGS)}. "
            "Use the folder tests/ of the repository W4ngatang/sent-bias."
        )
    return files


def read_association_tests(path: Path) -> list[AssociationWords]:
    """The tests of a file or folder; DataError if two have the same name."""
    tests = [test for file in files_of(path) for test in _of_file(file)]
    names = [test.name for test in tests]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"{path} has two tests named {twice[0]!r}. Names must be unique. Rename one of them.")
    return tests


def _of_file(path: Path) -> list[AssociationWords]:
    stem = path.name.split(".json")[0]
    if is_one_value(path):
        return [_test(BenchmarkRow(json_value(path, FORM), f"{path}", FORM), stem)]
    return [_test(row, f"{stem}-{number}") for number, row in enumerate(rows(path, FORM), 1)]


def _test(row: BenchmarkRow, name: str) -> AssociationWords:
    named = row.text("test") if "test" in row.values else name
    concepts = []
    for key in ("targ1", "targ2", "attr1", "attr2"):
        concept = row.inner(key)
        concepts.append(Concept(concept.text("category"), concept.texts("examples")))
    return AssociationWords(named, *concepts)
