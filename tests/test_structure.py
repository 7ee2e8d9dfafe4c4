"""The shape of the package: layers point one way, public names are the list, start-up is quick."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import longway

SOURCE = Path(longway.__file__).parent
# Lower number = lower layer; a module may import only from layers below its own, or from its own folder.
LAYERS = {
    "errors": 0, "records": 0,
    "text": 1, "data": 1, "store": 1, "sample": 1, "task": 1, "stats": 1,
    "metrics": 2, "shortcut_space": 2, "rules": 2, "demographics": 2, "classify": 2, "grammar": 2,
    "triples": 3, "live_space": 3, "plant": 3,
    "llm": 4,
    "verify": 5, "detect": 5, "report": 5, "evaluate": 5, "rewrite": 6, "on_ray": 6, "recipes": 7, "review": 8, "cli": 9,
}  # fmt: skip


def part_of(module):
    return module.split(".")[1] if "." in module else ""


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("longway"):
            yield node.module if node.module != "longway" else f"longway.{node.names[0].name}"
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("longway."))


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_downwards(path):
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if part == "__init__":
        return
    for module in imports_of(path):
        other = part_of(module)
        assert other == part or LAYERS[other] < LAYERS[part], f"{path.name} must not import {module}"


def test_public_names_are_the_list():
    assert sorted(longway.__all__) == longway.__all__
    for name in longway.__all__:
        assert getattr(longway, name).__doc__, name
    with pytest.raises(AttributeError, match="no_such_name"):
        longway.no_such_name  # noqa: B018


@pytest.mark.parametrize("command", ["", "audit", "plan", "review"])
def test_help_loads_nothing_that_computes(command):
    code = (
        f"import sys; sys.argv = 'longway {command} --help'.split()\n"
        "from longway.cli import main\n"
        "try: main()\n"
        "finally: print([m for m in ('numpy', 'polars', 'pyarrow', 'sklearn', 'torch', 'spacy', 'openai', 'onnxruntime', 'starlette') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.soak
def test_help_answers_within_half_a_second_of_processor_time():
    """Processor time, since the wall clock of a busy machine says nothing; the best of five."""
    code = (
        "import sys, time; sys.argv = ['longway', '--help']\n"
        "from longway.cli import main\n"
        "try: main()\n"
        "finally: print('seconds', time.process_time(), file=sys.stderr)"
    )
    best = min(_seconds(code) for _ in range(5))
    assert best < 0.5


def _seconds(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stderr.split()[-1])


def test_importing_longway_loads_nothing_else():
    code = "import sys, longway; print([m for m in ('numpy', 'polars', 'rich', 'typer') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
