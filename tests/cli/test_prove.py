"""`longway prove` as a person calls it."""

import json
import re

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import LongwayError
from tests.jobs.cooks import cooks
from tests.jobs.shortcut_data import soups


@pytest.fixture(autouse=True)
def files(alone, tmp_path):
    soups(120, honest_with="good", seed=1).frame.write_csv("before.csv")
    soups(120, honest_with=None, seed=1).frame.write_csv("after.csv")
    soups(60, honest_with="bad", seed=2).frame.write_csv("reversed.csv")
    return tmp_path


def prove(*options):
    return CliRunner().invoke(app, ["prove", *options])


def test_a_proof_prints_what_changed_and_begins_with_the_verdict(files):
    asked = "before.csv after.csv --test reversed=reversed.csv --seeds 1 --method drift".split()
    told = prove(*asked)
    assert told.exit_code == 0, told.output
    assert "reversed: 60 rows, chance is 50.0%" in told.output
    assert "▲ better" in told.output
    _, verdict, *_, report, following = told.output.strip().splitlines()
    assert report == "Report: longway-runs/before-prove/report.html"
    assert verdict.startswith("It helped on reversed: ")
    assert told.output.count(verdict) == 1
    assert following == "See which shortcuts are left: longway audit after.csv --text text --label label"
    results = json.loads(prove(*asked, "--json").output)
    assert {row["method"] for row in results["rows"]} == {"erm", "drift"}
    assert len(list((files / "longway-runs").iterdir())) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("before.csv", "after.csv"), "--test NAME=FILE"),
        (("before.csv", "nothing.csv", "--test", "reversed.csv"), "does not exist"),
        (("before.csv", "after.csv", "--test", "reversed.csv", "--model", "gpt"), "gpt"),
        (("before.csv", "after.csv", "--test", "x=before.csv"), "--drop-overlap"),
        (("before.csv", "before.csv", "--test", "reversed.csv"), "the same data"),
        (("before.csv", "after.csv", "--test", "a=reversed.csv", "--test", "a=after.csv"), "twice"),
    ],
)
def test_a_mistake_is_told_with_the_next_step(options, told):
    result = prove(*options, "--seeds", "1")
    assert isinstance(result.exception, LongwayError)
    assert told in str(result.exception)


def test_what_a_method_could_not_do_is_told_once_under_the_tables():
    options = ("--method", "clever", "--method", "rew", "--keep", "salty", "--model", "bow")
    told = prove("before.csv", "after.csv", "--test", "reversed.csv", "--seeds", "2", *options)
    assert told.exit_code == 0, told.output
    assert told.output.count("needs pairs") == 1
    said = " ".join(told.output.split())
    assert "bag of words, CLEVER trained on before and after, seeds 0, 1: The method 'clever'" in said
    assert told.output.count("all seeds gave the same model") == 1


def test_the_fairscore_is_printed_for_each_test_set_with_its_axes():
    cooks(60, she_is_good=0.95, seed=1).frame.write_csv("before.csv")
    cooks(60, she_is_good=0.5, seed=1).frame.write_csv("after.csv")
    cooks(30, she_is_good=0.5, seed=2, others=True).frame.write_csv("dev.csv")
    asked = "before.csv after.csv --test dev.csv --seeds 1 --fairscore".split()
    told = prove(*asked)
    assert told.exit_code == 0, told.output
    assert "dev, fairscore: 30 of 30 rows perturbed (gender " in told.output
    assert re.search(r"bag of words +race", told.output)
    results = json.loads(prove(*asked, "--json").output)
    figures = [row for row in results["rows"] if row["metric"] == "fairscore"]
    assert all(f"{row['mean']:.1f}%" in told.output for row in figures)
    assert results["fairscore"]["tests"][0]["file"] == "perturbed/dev.jsonl"
