"""Every command ends with a verdict in one sentence and the next command, which can be pasted as it is."""

import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from longway import cli
from longway.cli import app
from longway.cli.ending import on_candidates, on_data
from longway.cli.options import ColumnOptions
from longway.cli.screen import Step, end, one_sentence
from longway.data import load
from longway.data.choices import load_choices
from longway.errors import ColumnError
from tests.environment import without_encoder
from tests.jobs.toy_run import write_csv

NAMED = ["--text", "review", "--label", "label"]
CASES = {
    "audit": ["audit", "my reviews.csv", "--levels", "token"],
    "explain": ["explain", "my reviews.csv", "--model", "bow", "--rows", "4"],
    "plan of a repair": ["repair", "my reviews.csv", "--remedy", "drop", "--dry-run"],
    "repair": ["repair", "my reviews.csv", "--remedy", "drop"],
    "plan of a rewrite": ["rewrite", "my reviews.csv", "--method", "none", "--dry-run"],
    "rewrite": ["rewrite", "my reviews.csv", "--method", "none"],
    "augment": ["augment", "my reviews.csv", "--method", "eda"],
    "perturb": ["perturb", "my reviews.csv"],
    "doctor": ["doctor"],
    "trial of an engine": ["doctor", "--try", "rules"],
    "runs": ["runs"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    without_encoder(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "my reviews.csv", 60)
    return tmp_path


def run(*args):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    return result.output


def last_lines(output):
    """Where the report is, or the verdict of a command without one; and the commands at the end."""
    lines = output.rstrip().splitlines()
    commands = [line[line.index(": longway ") + 2 :] for line in lines if ": longway " in line]
    assert all(": longway " in line for line in lines[-len(commands) :]), lines  # nothing comes behind them
    return [line for line in lines if line.startswith(("Verdict: ", "Report: "))][-1], commands


def check_command(command):
    """Parse a command without running it: its options exist, and so do the files that it reads."""
    program, *words = shlex.split(command)
    assert program == "longway"
    name, *given = words
    context = typer.main.get_command(app).get_command(None, name).make_context(name, given)
    for argument in ("data", "before"):
        if context.params.get(argument) is not None:
            assert Path(context.params[argument]).exists(), command
    return context


@pytest.mark.parametrize("name", CASES)
def test_each_command_ends_with_its_report_and_a_command_that_can_be_pasted(name, folder):
    ending, commands = last_lines(run(*CASES[name]))
    assert ending.endswith((".", "!", ".html"))
    assert commands
    for command in commands:
        check_command(command)


def test_after_a_repair_the_printed_commands_work_one_after_the_other(folder):
    _, (repair,) = last_lines(run("audit", "my reviews.csv", *NAMED, "--levels", "token"))
    shown = run(*shlex.split(repair)[1:], "--remedy", "drop")
    assert "It has the columns, separator and encoding of my reviews.csv" in " ".join(shown.split())
    _, (_, prove) = last_lines(shown)
    assert (
        prove
        == "longway prove 'my reviews.csv' 'longway-runs/my-reviews-repair' --text review --label label".replace(
            "'longway-runs/my-reviews-repair'", "longway-runs/my-reviews-repair"
        )
    )
    shown = run(*shlex.split(prove)[1:], "--model", "bow")
    assert "Test sets: held-out rows" in shown
    _, commands = last_lines(shown)
    assert commands == ["longway review longway-runs/my-reviews-repair"]


def test_a_plan_ends_with_the_command_that_carries_it_out(folder):
    _, (command,) = last_lines(run("repair", "my reviews.csv", *NAMED, "--remedy", "drop", "--dry-run"))
    assert command == "longway repair 'my reviews.csv' --text review --label label --remedy drop"


def test_the_verdict_is_one_sentence_and_long_commands_are_not_wrapped(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    end("It is 99.5% right. More follows.", Step("Then", "longway audit " + "x" * 200))
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["", "Verdict: It is 99.5% right.", "Then: longway audit " + "x" * 200]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Of 3 texts, 1.5% are new.", "Of 3 texts, 1.5% are new."),
        ("It has “a b.” Then more.", "It has “a b.”"),
        ("No end", "No end"),
        ("", ""),
    ],
)
def test_the_first_sentence_of_a_verdict(text, first):
    assert one_sentence(text) == first


def test_columns_that_are_not_recognised_are_suggested(tmp_path, capsys):
    path = tmp_path / "table.csv"
    rows = [f"{i},Some longer opinion about place {i},{i % 2},{'web' if i % 3 else 'app'}" for i in range(40)]
    path.write_text("\n".join(["nr,opinion,good,channel", *rows]))
    error = CliRunner().invoke(app, ["audit", str(path)]).exception
    assert isinstance(error, ColumnError)
    assert error.likely == {"text": "opinion", "label": "good"}
    cli._print(error)
    command = f"longway audit {path} --text opinion --label good"
    assert f"Most likely, if these are the right columns: {command}\n" in capsys.readouterr().err


def test_a_review_with_decisions_ends_with_the_reviewed_dataset_and_its_audit(folder, capsys):
    from longway.cli.review import _end
    from longway.data import load
    from longway.review.edit_list import EditFilter
    from longway.review.run_contents import RunContents
    from tests.review.made_runs import an_edit, made_run

    rows = [{"text": f"text {i}", "label": ("pos", "neg")[i % 2], "longway_id": str(i)} for i in range(4)]
    rows[1]["text"] = "b"
    made = made_run(folder / "made", [an_edit("1", "a", "b", accepted=True)], rows=rows)
    contents = RunContents(made)
    try:
        _end(contents, made)
        assert last_lines(capsys.readouterr().out)[1] == [f"longway review {made}"]
        key = contents.edits.page(EditFilter()).rows[0].key
        contents.decisions.write("edit", key, {"choice": "reject"}, author="ada")
        _end(contents, made)
    finally:
        contents.close()
    verdict, (command,) = last_lines(capsys.readouterr().out)
    assert verdict == "Verdict: 1 edit and 0 findings are decided."
    assert command == f"longway audit {made / 'dataset-reviewed.jsonl'} --text text --label label"
    assert load(made / "dataset-reviewed.jsonl").frame["text"][1] == "a"


def test_a_review_leaves_the_run_finished_and_decisions_taken_back_do_not_count(folder, capsys):
    from longway.cli.review import _end
    from longway.review.edit_list import EditFilter
    from longway.review.run_contents import RunContents
    from longway.store import Run

    run("repair", "my reviews.csv", *NAMED, "--remedy", "drop")
    made = folder / "longway-runs" / "my-reviews-repair"
    assert Run(made).is_done
    contents = RunContents(made)
    try:
        key = contents.edits.page(EditFilter()).rows[0].key
        contents.decisions.write("edit", key, {"choice": "accept"}, author="ada")
        _end(contents, made)
        assert list(made.glob("dataset-reviewed.*"))
        assert Run(made).is_done
        contents.decisions.write("edit", key, {"choice": "none"}, author="ada")
        capsys.readouterr()
        _end(contents, made)
    finally:
        contents.close()
    assert last_lines(capsys.readouterr().out)[0] == "Verdict: 0 edits and 0 findings are decided."


def test_a_password_in_an_address_is_not_repeated(folder):
    address = "http://ada:topsecret@127.0.0.1:9/v1"
    options = ("--engine", "served:toy", "--base-url", address, "--judge", "none", "--dry-run")
    shown = run("rewrite", "my reviews.csv", *NAMED, *options)
    assert "topsecret" not in shown
    assert "--base-url http://127.0.0.1:9/v1" in shown


def test_what_else_is_wrong_is_not_suggested_again(tmp_path):
    path = tmp_path / "table.csv"
    rows = [f"{i},Some longer opinion about place {i},{i % 2}" for i in range(40)]
    path.write_text("\n".join(["nr,opinion,good", *rows]))
    error = CliRunner().invoke(app, ["audit", str(path), "--context", "evidnce"]).exception
    assert isinstance(error, ColumnError)
    assert error.likely == {}


@pytest.mark.parametrize(
    ("limit", "code", "verdict"),
    [("leak=1.0", 0, "The gate passed."), ("leak=0.5", 1, "The gate failed for 1 reason.")],
)
def test_an_audit_with_a_gate_ends_with_its_verdict(folder, limit, code, verdict):
    arguments = ["audit", "my reviews.csv", *NAMED, "--levels", "token", "--fail-over", limit]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code
    assert f"Verdict: {verdict}" in result.stdout


def test_streamed_data_without_a_test_set_is_audited_again_instead_of_proved(folder):
    made = run("rewrite", "my reviews.csv", "--method", "eda", "--stream")
    _, (_, command) = last_lines(made)
    assert shlex.split(command)[:3] == ["longway", "audit", "longway-runs/my-reviews-rewrite/dataset.csv"]
    assert "Report: " in run(*shlex.split(command)[1:], "--levels", "token")


@pytest.mark.parametrize(("given", "is_named"), [({"answer_base": 1}, True), ({}, False)])
def test_the_next_command_has_the_answer_base_that_was_given(given, is_named):
    rows = [{"question": f"Ask {i}", "choices": ["a", "b", "c"], "answer": 1 + i % 2} for i in range(4)]
    command = on_candidates("repair", "quiz.jsonl", load_choices(rows, **given).columns)
    assert ("--set answer-base=1" in command) == is_named


def test_the_next_command_keeps_the_language(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,label\na,x\nb,y\n")
    source = ColumnOptions(language="de")
    assert "--language de" in on_data("repair", str(path), source, load(path))
