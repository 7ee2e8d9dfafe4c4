"""`longway plan` as a stranger meets it."""

import json

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.cli.plan import _time
from longway.errors import SettingError
from tests.llm.loopback import Loopback
from tests.recipes.toy_run import answer, write_csv

pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "reviews.csv", 20)


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def test_a_plan_is_a_table_and_leaves_nothing_behind(data, tmp_path):
    with Loopback(answer) as server:
        served = ["--engine", "served:toy", "--base-url", server.url, "--k", 4, "--rounds", 1]
        done = run("plan", data, *served, "--levels", "-grammar")
        assert not server.calls
    assert done.exit_code == 0, done.output
    assert "longway audit: 20 rows" in done.output
    assert "longway rewrite: 20 rows" in done.output
    assert "served:toy" in done.output
    assert "The server was not asked" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["reviews.csv"]


def test_a_plan_is_also_json(data):
    with Loopback(answer) as server:
        served = ["--engine", "served:toy", "--base-url", server.url, "--k", 4, "--rounds", 1]
        done = run("plan", data, *served, "--for", "rewrite", "--tokens-per-minute", 1000, "--json")
    (plan,) = json.loads(done.stdout)["plans"]
    assert (plan["command"], plan["rows"], plan["calls"]) == ("rewrite", 20, 4 + 16)
    assert plan["seconds"] >= 60 * (plan["prompt_tokens"] + plan["completion_tokens"]) / 1000


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--for", "review"], "must be some of audit, rewrite, augment"),
        (["--for", ","], "must be some of"),
        (["--requests-per-minute", 0], "'requests_per_minute' must be a number above 0"),
        (["--k", "many"], "'k' must be"),
    ],
)
def test_a_mistake_is_told_in_words(data, more, told):
    done = run("plan", data, *more)
    assert isinstance(done.exception, SettingError)
    assert told in str(done.exception)


def test_a_time_is_said_as_people_say_it():
    told = [_time(seconds) for seconds in (0.2, 75, 119, 121, 7300, 200_000, 86_400 * 1000)]
    assert told == ["< 1 s", "75 s", "119 s", "2.0 min", "2.0 h", "2.3 days", "1,000 days"]
