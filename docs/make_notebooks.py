"""Executes the notebooks of the documentation and stores their output.

    python docs/make_notebooks.py               # all of docs/notebooks/, in a temporary folder: some minutes
    python docs/make_notebooks.py --runs FOLDER # in a folder in which `longway demo` ran, whose repairs are finished

It runs the cells as Jupyter does (one namespace, the value of the last expression is shown), without Jupyter. A report is shown by
its text: it is too large to be stored.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parent / "notebooks"
HTML_LIMIT = 20_000  # characters of one output

Json = dict[str, Any]


def execute(notebook: Json) -> list[list[Json]]:
    """The outputs of the code cells, in order. Runs in the current folder."""
    names: Json = {"__name__": "__main__"}
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [run_cell("".join(cell["source"]), names, number) for number, cell in enumerate(codes, 1)]


def run_cell(source: str, names: Json, number: int) -> list[Json]:
    """What one cell prints, and the value of its last expression."""
    tree = ast.parse(source)
    shown = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if isinstance(shown, ast.Expr):
            value = eval(compile(ast.Expression(shown.value), f"cell {number}", "eval"), names)
    outputs: list[Json] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)})
    if value is not None:
        outputs.append(
            {"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": _data(value)}
        )
    return outputs


def _data(value: object) -> dict[str, list[str]]:
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    to_html = getattr(value, "_repr_html_", None)
    html = to_html() if to_html else None
    if html and len(html) <= HTML_LIMIT:
        data["text/html"] = html.splitlines(keepends=True)
    return data


def plain_outputs(outputs: list[list[Json]]) -> list[str]:
    """The text of each cell's outputs."""
    return [
        "".join("".join(one.get("text") or one["data"]["text/plain"]) for one in cell) for cell in outputs
    ]


def store(path: Path) -> None:
    """Execute a notebook and write its outputs into it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    outputs = iter(execute(notebook))
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["outputs"], cell["execution_count"] = next(outputs), number
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Execute all notebooks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, help="the folder to work in")
    given = parser.parse_args().runs
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as temporary, contextlib.chdir(given or temporary):
        for path in sorted(NOTEBOOKS.glob("*.ipynb")):
            print(path.name)
            store(path)


if __name__ == "__main__":
    main()
