"""WEAT and SEAT tests: the published .jsonl files of sent-bias, one or a folder of them, or one file with a test a line.

A test: {"targ1": {"category", "examples"}, "targ2": ..., "attr1": ..., "attr2": ...}; its name is that of its file, or stands under "test".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from longway.data.benchmarks.reading import Row, is_one_value, json_value, rows
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
    """Do targets X lie nearer to attributes A, and Y to B?"""

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
    """The files that a path stands for: itself, or the tests in the folder, sorted by name."""
    if not path.is_dir():
        return [path]
    found = sorted(
        one for one in path.iterdir() if one.name.endswith(ENDINGS) and not one.name.startswith(".")
    )
    if not found:
        raise DataError(
            f"{path} has no tests. Files ending in {' or '.join(ENDINGS)} were expected. "
            "Give the folder tests/ of the repository W4ngatang/sent-bias."
        )
    return found


def read_association_tests(path: Path) -> list[AssociationWords]:
    """The tests of a file or folder; an error where two have the same name."""
    found = [test for file in files_of(path) for test in _of_file(file)]
    names = [test.name for test in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(
            f"{path} has two tests called {twice[0]!r}. Each name must stand once. Rename one of them."
        )
    return found


def _of_file(path: Path) -> list[AssociationWords]:
    stem = path.name.split(".json")[0]
    if is_one_value(path):
        return [_test(Row(json_value(path, FORM), f"{path}", FORM), stem)]
    return [_test(row, f"{stem}-{number}") for number, row in enumerate(rows(path, FORM), 1)]


def _test(row: Row, name: str) -> AssociationWords:
    named = row.text("test") if "test" in row.values else name
    concepts = []
    for key in ("targ1", "targ2", "attr1", "attr2"):
        one = row.inner(key)
        concepts.append(Concept(one.text("category"), one.texts("examples")))
    return AssociationWords(named, *concepts)
