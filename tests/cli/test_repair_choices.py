"""`longway repair` on data with candidates, as it is typed."""

import json

import pytest
from typer.testing import CliRunner

from longway.cli import app
from tests.jobs.planted_choices import quiz


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "quiz.jsonl"
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in quiz("position", n=60, share=0.9)), encoding="utf-8"
    )
    return path


def run(*words):
    return CliRunner().invoke(app, ["repair", *map(str, words)])


def test_the_data_are_recognised_and_repaired(file, tmp_path):
    done = run(file, "--out", tmp_path / "run")
    assert done.exit_code == 0, done.output
    assert "at every place equally often" in " ".join(done.output.split())
    assert "longway audit" in done.output
    assert "Report:" in run(file, "--out", tmp_path / "run").output  # the same command shows the finished run


def test_a_dry_run_prints_the_plan_and_writes_nothing(file, tmp_path):
    done = run(file, "--dry-run")
    assert done.exit_code == 0
    assert "Nothing was changed: this is the plan." in done.output
    assert list(tmp_path.iterdir()) == [file]


def test_the_plan_is_json(file):
    plan = json.loads(run(file, "--dry-run", "--json", "--remedy", "positions").stdout)
    assert [step["remedy"] for step in plan["steps"]] == ["positions"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--keep", "x"], "--keep is for labelled texts"),
        (["--remedy", "counterpart"], "There is no remedy 'counterpart' for data with candidates"),
        (["--remedy", "rewrite"], "needs an engine"),
        (["--answer", "missing"], "missing"),
        (["--language", "de"], "--language applies to labelled texts."),
    ],
)
def test_what_does_not_fit_is_explained(file, words, said):
    done = run(file, *words)
    assert done.exit_code != 0
    assert said in " ".join(f"{done.output} {done.exception}".split())
