"""`longway augment` as a stranger meets it: help that teaches, mistakes told in words, tables that say what became of it."""

import json

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.cli.live import Live
from longway.errors import LongwayError, SettingError
from tests.engines.loopback import Loopback
from tests.jobs.test_augment import say
from tests.jobs.toy_augment import answer
from tests.jobs.toy_run import label_of, write_csv


@pytest.fixture(autouse=True)
def sensible(alone, monkeypatch):
    """A bag of words that judges sensibly."""
    say(monkeypatch, lambda text, label: 0.9 if label_of(text) == label else 0.1)


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "reviews.csv", 20)


@pytest.fixture
def server():
    with Loopback(answer) as running:
        yield running


def run(*args, typed=None):
    return CliRunner().invoke(app, [str(arg) for arg in args], input=typed)


def served(server, data, *more):
    told = ["--method", "counterfactual", "--engine", "served:toy", "--model", "bow", "--spurious", "sadly"]
    return run("augment", data, *told, "--base-url", server.url, *more)


def test_help_teaches(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    result = run("augment", "--help")
    assert result.exit_code == 0
    told = " ".join(result.output.split())
    for words in (
        "resumes the run", "--engine", "--budget", "--spurious", "--dry-run", "--json",
        "longway augment reviews.csv --engine served:gpt-4o-mini --budget 2",
    ):  # fmt: skip
        assert words in told
    assert "--mixed" not in told
    everything = run("augment", "--help-all").output
    assert all(name in everything for name in ("--model ", "alter:", "--rewrites", "--target", "--seed"))
    assert "augment" in run("--help").output


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--engine", "magic"], "Unknown engine 'magic'"),
        (["--model", "magic"], "'model' must be one of"),
        (["--method", "given", "--rewrites", "nothing.csv"], "nothing.csv"),
        (["--target", "stars", "--label", "label"], "--target and --label were both given"),
        (["--method", "crossaug"], "CrossAug needs pairs"),
        (["--text", "revue"], "review"),
    ],
)
def test_a_mistake_is_told_in_words_with_the_next_step(data, args, words):
    result = (
        run("augment", data, "--model", "bow", *args)
        if "--model" not in args
        else run("augment", data, *args)
    )
    assert isinstance(result.exception, LongwayError), result.output
    assert words in str(result.exception)


def test_a_run_prints_what_was_added_and_what_to_do_next(data, server):
    result = served(server, data)
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    for words in (
        "Written by served:toy, judged by served:toy", "round 1: 20 rows added, made from 20 texts, 20 candidates",
        "20 rows were added to 20", "New texts accepted 100.0% of 20 candidates",
        "bad 10 10 20", "sadly bad 6 → 12", "Right from review alone", "longway-runs/reviews-augment/dataset.csv",
        "longway-runs/reviews-augment/report.html", f"longway prove {data} longway-runs/reviews-augment --text",
        "Look at every edit and decide: longway review longway-runs/reviews-augment",
    ):  # fmt: skip
        assert words in told, words


def test_json_is_json_and_nothing_else(data, server):
    found = json.loads(served(server, data, "--json").stdout)
    assert (found["method"], found["added"]) == ("counterfactual", 20)
    assert found == json.loads((data.parent / "longway-runs/reviews-augment/augment.json").read_text())


def test_money_is_not_spent_without_a_word(data, server, prices):
    result = served(server, data)
    assert isinstance(result.exception, SettingError)
    assert "up to 40 calls (20 to write, 20 to judge)" in str(result.exception)
    assert "Give --budget DOLLARS, or --yes" in str(result.exception)
    assert not server.calls


def test_the_bar_counts_each_step_anew_and_its_clock_goes_on_over_parts():
    live = Live(quiet=True)
    live.step("finding the words that matter: bow, model 1 of 5")
    live.progress(24, 24)
    live.progress(1, 24)
    (task,) = live._bar.tasks
    assert (task.total, task.completed, task.finished) == (24, 1, False)
    live.step("writing new texts")
    (task,) = live._bar.tasks
    assert (task.description, task.total, task.completed) == ("writing new texts", None, 0)
