"""`longway perturb score` as a person calls it: help that teaches, mistakes told with the next step, figures as JSON."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import ColumnError, LongwayError
from tests.cli.test_ending import check_command, last_lines
from tests.environment import without_settings_of_the_user

pytest.importorskip("spacy")
ROWS = [
    {"original": "She sold her hat.", "selected_word": "She", "target_attribute": "man", "perturbed": "He sold his hat."},
    {"original": "My aunt left.", "selected_word": "aunt", "target_attribute": "gender:man", "perturbed": "My uncle left."},
]  # fmt: skip


@pytest.fixture(autouse=True)
def files(monkeypatch, tmp_path):
    without_settings_of_the_user(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    write("my people.jsonl", ROWS)
    return tmp_path


def write(name, rows):
    Path(name).write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")


def run(*options):
    return CliRunner().invoke(app, ["perturb", "score", *options])


def test_help_teaches(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    told = " ".join(run("--help").output.split())
    for words in ("Table 2", "Table 8", "--perturber", "--limit", "--json", "--out", "--budget", "resumes the run"):  # fmt: skip
        assert words in told
    assert "perturb score" in CliRunner().invoke(app, ["--help"]).output


def test_the_figures_are_printed_and_the_next_command_can_be_pasted(files):
    told = run("my people.jsonl")
    assert told.exit_code == 0, told.output
    verdict, (command,) = last_lines(told.output)
    assert "rules writes 100.0% word for word" in verdict
    assert command.startswith("longway perturb score 'my people.jsonl' --perturber rules --perturber ")
    check_command(command)
    assert (files / "longway-runs" / "my-people-perturb-score" / "report.html").exists()


def test_the_next_command_of_some_rows_scores_all(files):
    _, (command,) = last_lines(run("my people.jsonl", "--limit", "1", "--out", "some").output)
    assert command == "longway perturb score 'my people.jsonl'"


def test_the_figures_are_json(files):
    found = json.loads(run("my people.jsonl", "--json", "--seed", "3").stdout)
    assert (found["rows"], found["settings"]["seed"]) == (2, 3)
    assert [one["name"] for one in found["perturbers"]] == ["source copied", "rules"]


def test_a_run_is_listed_and_another_one_gets_another_folder(files):
    run("my people.jsonl")
    run("my people.jsonl", "--limit", "1")
    folders = sorted(path.name for path in (files / "longway-runs").iterdir())
    assert folders == ["my-people-perturb-score", "my-people-perturb-score-2"]
    assert "perturb-score" in CliRunner().invoke(app, ["runs"]).output


@pytest.mark.parametrize(
    ("rows", "options", "why"),
    [
        (
            [{"original": "He left.", "target_attribute": "woman"}],
            (),
            "has no column selected_word and no column perturbed",
        ),
        ([{**ROWS[0], "target_attribute": "elf"}], (), "'elf' is not a demographic attribute"),
        ([{**ROWS[0], "selected_word": "king"}], (), "the selected word does not occur in the text"),
        (ROWS, ("--perturber", "magic"), "Unknown engine 'magic'"),
        (ROWS, ("--perturber", "neural:."), "Expected a folder with config.json"),
        ([], (), "is empty"),
    ],
)
def test_a_mistake_is_told_with_the_next_step(rows, options, why):
    if "neural:." in options:
        pytest.importorskip("transformers")
    write("rows.jsonl", rows)
    told = run("rows.jsonl", *options)
    assert isinstance(told.exception, LongwayError), told.output
    assert why in str(told.exception)


def test_a_folder_called_score_is_data_and_another_file_has_other_columns(files):
    (files / "notes.csv").write_text("text,label\nShe left.,a\nHe stayed.,b\n")
    assert isinstance(run("notes.csv").exception, ColumnError)
    (files / "score").mkdir()
    (files / "notes.csv").rename(files / "score" / "part.csv")
    told = CliRunner().invoke(app, ["perturb", "./score", "--json"])
    assert json.loads(told.stdout)["rows"] == 2
