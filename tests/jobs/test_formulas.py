"""Cells that a spreadsheet would run: counted in what was written, told, and left as they came."""

import csv
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from longway.cli import app
from longway.jobs.run import FORMULA, formula_cells, formulas_in
from longway.store import read_json
from tests.hostile.corpus import cases

ROWS = 40


def is_formula(cell):
    """The slow twin."""
    shown = cell.lstrip(" ")
    try:
        float(shown.rstrip(" ").removesuffix("%").replace(",", ""))
        return False
    except ValueError:
        return shown.startswith(FORMULA)


def written(path, rows, delimiter=","):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    return path


@pytest.mark.parametrize("name", ["dataset.csv", "dataset.tsv"])
def test_cells_and_column_names_are_counted(tmp_path, name):
    rows = [["=text", "label"], ["@SUM(A1)", "a"], ["fine", "-b"], [" =1+1", "-1.5"], ["a=b", "+3"]]
    assert formula_cells(written(tmp_path / name, rows, "\t" if name.endswith("tsv") else ",")) == 4


def test_other_files_hold_no_formulas_and_shards_are_added_up(tmp_path):
    (tmp_path / "dataset.jsonl").write_text('{"text": "=1"}\n')
    assert formulas_in(tmp_path) == 0
    (tmp_path / "dataset.jsonl").unlink()
    (tmp_path / "dataset.csv").mkdir()
    for number in range(3):
        written(tmp_path / "dataset.csv" / f"part-{number}.csv", [["text"], ["=1+1"]])
    assert formulas_in(tmp_path) == 3


@given(st.lists(st.text("=+-@ 1.,e%ab＝", min_size=1, max_size=6).filter(str.strip), min_size=1, max_size=8))
def test_the_count_is_that_of_looking_at_every_cell(tmp_path_factory, cells):
    path = written(tmp_path_factory.mktemp("cells") / "dataset.csv", [["text"], *([cell] for cell in cells)])
    odd = [
        cell for cell in cells if re.search(r"\d[^\d]*[.,e%]", cell)
    ]  # numbers in forms that spreadsheets differ on
    n = sum(map(is_formula, cells))
    assert n - len(odd) <= formula_cells(path) <= n + len(odd)


@pytest.mark.parametrize("command", [["rewrite", "--method", "eda"], ["augment", "--method", "eda"]])
def test_a_run_tells_it_in_the_report_and_leaves_the_cells(tmp_path, command):
    formulas = [case.text for case in cases("formula")]
    texts = [f"the {'fine' if i % 2 else 'dull'} film of day {i} was long" for i in range(ROWS)]
    rows = [["text", "label", "note"], *([text, "ab"[i % 2], "n"] for i, text in enumerate(texts))]
    for row, formula in zip(rows[1:], formulas, strict=False):
        row[2] = formula
    data = written(tmp_path / "films.csv", rows)
    expected = formula_cells(data)
    assert expected >= 5
    out = tmp_path / "run"
    done = CliRunner(env={"COLUMNS": "200"}).invoke(
        app, [command[0], str(data), *command[1:], "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    found = read_json(out / f"{command[0]}.json")["dataset"]["formulas"]
    assert found == formula_cells(out / "dataset.csv") >= expected
    assert f"{found} cells of the dataset would run as a formula" in " ".join(done.output.split())
    assert f"{found} cells of the dataset would run as a formula" in (out / "report.html").read_text("utf-8")
    with (out / "dataset.csv").open(encoding="utf-8", newline="") as file:
        assert [row["note"] for row in csv.DictReader(file)][:ROWS] == [row[2] for row in rows[1:]]
