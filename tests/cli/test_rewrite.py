"""`longway rewrite` as a stranger meets it: help that teaches, mistakes told in words, money asked for first."""

import json
import re

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import LongwayError, SettingError
from tests.jobs.toy_run import write_csv

pytestmark = pytest.mark.usefixtures("alone")

SHORT = ["--paper", "--rounds", 1, "--k", 4, "--candidates", 2, "--stop", "never"]


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "reviews.csv", 20)


def run(*args, typed=None):
    return CliRunner().invoke(app, [str(arg) for arg in args], input=typed)


def served(server, data, *more, typed=None):
    return run(
        "rewrite", data, "--engine", "served:toy", "--base-url", server.url, *SHORT, *more, typed=typed
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--method", "magic"], "razor, eda, crossaug, none"),
        (["--engine", "magic"], "Unknown engine 'magic'"),
        (["--engine", "rules", "--judge", "magic"], "Unknown engine 'magic'"),
        (["--engine", "rules", "--judge", "rules"], "rules cannot judge"),
        (["--choose", "best"], "gamma, leak"),
        (["--paper", "--keep", "great"], "'keep' is for the choice by 'leak'"),
        (["--keep", " "], "'keep' must be words"),
        (["--k", "many"], "Try 500, 0.1 or 10%"),
        (["--k", "0"], "'k' must be"),
        (["--k", "1.5"], "'k' must be"),
        (["--stop", "soon"], "'stop' must be one of"),
        (["--balance", "fair"], "'balance' must be one of"),
        (["--space", "outer"], "'space' must be one of"),
        (["--engine", "replay:nothing.jsonl"], "nothing.jsonl"),
        (["--base-url", "ftp://x", "--engine", "served:toy"], "http"),
        (["--text", "revue"], "review"),
    ],
)
def test_a_mistake_is_told_in_words_with_the_next_step(data, tmp_path, args, words):
    result = run("rewrite", data, *args)
    assert isinstance(result.exception, LongwayError)
    assert words in str(result.exception)
    assert not (tmp_path / "longway-runs").exists()


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], {"paper": False, "choose": "leak", "stop": "leak", "k": 0.25, "candidates": 12}),
        (["--paper"], {"paper": True, "choose": "gamma", "stop": "cosine", "k": 0.1, "candidates": 4}),
        (["--paper", "--k", "5", "--stop", "kl"], {"choose": "gamma", "stop": "kl", "k": 5}),
    ],
)
def test_paper_sets_what_is_not_given(data, args, expected):
    result = run("rewrite", data, "--engine", "rules", "--rounds", 1, "--limit", 6, *args, "--json")
    settings = json.loads(result.stdout)["settings"]
    assert {name: settings[name] for name in expected} == expected


def test_numbers_out_of_range_are_told_by_the_option(data):
    for option, value in (
        ("--rounds", 0),
        ("--candidates", 0),
        ("--budget", -1),
        ("--seed", -1),
    ):
        result = run("rewrite", data, option, value)
        assert result.exit_code == 2
        assert option in result.output


def test_a_run_prints_what_became_of_the_leak_and_where_the_files_are(data, server):
    result = served(server, data)
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    for words in (
        "Written by served:toy, judged by served:toy", "round 1", "4 of 20 texts were rewritten and no label changed.",
        "Right from review alone", "Not checked", "all other checks: not asked for",
        "longway-runs/reviews-rewrite/dataset.csv", "longway-runs/reviews-rewrite/report.html",
    ):  # fmt: skip
        assert words in told


def test_json_is_json_and_nothing_else(data, server):
    result = served(server, data, "--json")
    found = json.loads(result.stdout)
    assert found["engine"] == "served:toy"
    assert found == json.loads((data.parent / "longway-runs/reviews-rewrite/rewrite.json").read_text())
    assert json.loads(served(server, data, "--json").stdout) == found  # and again, from the folder


def test_another_setting_goes_to_another_folder_and_says_so(data, server):
    served(server, data)
    result = served(server, data, "--seed", 1)
    assert (
        "longway-runs/reviews-rewrite holds another run (differs in: seed); "
        "this run goes to longway-runs/reviews-rewrite-2." in result.output
    )


def test_nothing_is_spent_without_a_word_where_no_one_can_be_asked(data, server, prices):
    result = served(server, data)
    assert isinstance(result.exception, SettingError)
    assert "up to 12 calls (4 to write, 8 to judge)" in str(result.exception)
    assert "Give --budget DOLLARS, or --yes." in str(result.exception)
    assert not server.calls


@pytest.mark.parametrize("answer_to_it", ["--yes", "--budget"])
def test_an_answer_given_beforehand_is_enough(data, server, prices, answer_to_it):
    result = served(server, data, answer_to_it, *([] if answer_to_it == "--yes" else [50]))
    assert result.exit_code == 0, result.output
    assert "This may take up to 12 calls" in result.output
    assert re.search(r"Cost +\$", result.output)


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 1)])
def test_on_a_terminal_it_asks(data, server, prices, monkeypatch, typed, code):
    monkeypatch.setattr("longway.cli.live._can_ask", lambda: True)
    result = served(server, data, typed=typed)
    assert result.exit_code == code, result.output
    assert "Continue? [y/N]" in result.output
    assert bool(server.calls) == (code == 0)
    if code:
        assert "Nothing was spent" in result.output


def test_a_model_without_a_price_is_asked_about_too(data, server, monkeypatch):
    monkeypatch.setattr("longway.engines.costs.is_local", lambda base_url: False)
    result = served(server, data)
    assert isinstance(result.exception, SettingError)
    assert "its price is not known" in str(result.exception)
    assert not server.calls
