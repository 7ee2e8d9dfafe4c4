"""`longway bench plant` as a stranger meets it."""

import json

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import LongwayError
from longway.sample import sample_path


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run `longway bench plant` in an empty folder; gives the result."""
    monkeypatch.chdir(tmp_path)
    return lambda *args: CliRunner().invoke(app, ["bench", "plant", *map(str, args)])


def test_it_says_what_was_planted_and_what_to_do_next(run, tmp_path):
    result = run(
        sample_path("reviews"), "--kind", "word", "--kind", "length:0.9", "--rate", "0.1", "--out", "my run"
    )
    assert result.exit_code == 0, result.output
    for line in (
        "incidentally",
        "longway audit 'my run/train.jsonl'",
        "--test 'reversed=my run/test_reversed.jsonl'",
    ):
        assert line in result.output
    truth = json.loads((tmp_path / "my run" / "planted.json").read_text())
    assert [one["plant"]["label"] for one in truth["train"]] == ["negative", "positive"]
    assert [one["plant"]["strength"] for one in truth["train"]] == [0.95, 0.9]


def test_values_and_labels_can_be_given_and_json_printed(run):
    given = ["--kind", "position:0.8=... all told", "--for", "SUPPORTS", "--rate", "0.1", "--json"]
    result = run(sample_path("claims"), *given)
    assert json.loads(result.output)["train"][0]["plant"] == {
        "kind": "position",
        "label": "SUPPORTS",
        "strength": 0.8,
        "rate": 0.1,
        "value": "... all told",
    }


def test_its_own_files_can_be_planted_in_again(run):
    assert run(sample_path("claims"), "--rate", "0.1", "--out", "one").exit_code == 0
    result = run(
        "one/train.jsonl", "--test", "one/test_clean.jsonl", "--kind", "name", "--rate", "0.1", "--out", "two"
    )
    assert result.exit_code == 0, result.exception


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--kind", "colour"], "The kinds are word"),
        (["--kind", ""], "The kinds are word"),
        (["--kind", "word:much"], "KIND[:STRENGTH][=VALUE]"),
        (["--kind", "word:nan"], "'strength' must be above 0"),
        (["--kind", "length=long"], "a whole number of words"),
        (["--for", "green"], "The labels are"),
        (["--for", "positive", "--for", "negative"], "once for each"),
        (["--rate", "2"], "'rate' must be above 0"),
        (["--strength", "0"], "'strength' must be above 0"),
        (["--test", "nowhere.csv"], "nowhere.csv"),
        (["--split", "green"], "no split 'green'"),
        (["--seed", "-1"], "'seed'"),
        (["--limit", "1"], "one label only"),
    ],
)
def test_garbage_is_told_in_plain_words(run, tmp_path, options, says):
    result = run(sample_path("reviews"), *options)
    assert isinstance(result.exception, LongwayError)
    assert says in str(result.exception)
    assert not (tmp_path / "longway-runs").exists()
