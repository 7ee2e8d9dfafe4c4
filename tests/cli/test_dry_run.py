"""`--dry-run` as a user meets it."""

import json

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.report.numbers import approximate_time
from tests.engines.loopback import Loopback
from tests.jobs.toy_run import answer, write_csv

pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "reviews.csv", 20)


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def test_it_prints_the_estimate_and_leaves_nothing_behind(data, tmp_path):
    with Loopback(answer) as server:
        served = ["--engine", "served:toy", "--base-url", server.url]
        text = run("rewrite", data, *served, "--k", 4, "--candidates", 4, "--rounds", 1, "--dry-run")
        plain = run(
            "rewrite", data, *served, "--k", 4, "--candidates", 4, "--rounds", 1, "--dry-run", "--json"
        )
        added = run("augment", data, *served, "--method", "counterfactual", "--dry-run")
        assert not server.calls
    assert text.exit_code == plain.exit_code == added.exit_code == 0, text.output
    told = " ".join(text.output.split())
    assert "longway rewrite on 20 rows" in told
    assert "up to 20 calls (4 to write, 16 to judge)" in told
    assert "for a server, 32 calls at once" in told
    found = json.loads(plain.stdout)
    assert (found["command"], found["rows"], found["calls"], found["cost"]) == ("rewrite", 20, 20, 0)
    assert "(20 to write, 20 to judge)" in " ".join(added.output.split())
    assert [path.name for path in tmp_path.iterdir()] == ["reviews.csv"]


def test_an_estimate_from_some_of_the_texts_says_so(data, monkeypatch):
    monkeypatch.setattr("longway.jobs.perturb.job.DRY_SAMPLE", (5, 10_000))
    assert "(estimated from 5 of 20 texts):" in " ".join(run("perturb", data, "--dry-run").output.split())


def test_without_an_engine_it_says_so(data):
    done = run("perturb", data, "--dry-run")
    assert "it calls no engine and costs nothing." in done.output


def test_a_time_is_written_for_people():
    times = [approximate_time(seconds) for seconds in (0.2, 75, 119, 121, 7300, 200_000, 86_400 * 1000)]
    assert times == ["1 s", "75 s", "119 s", "2.0 min", "2.0 h", "2.3 days", "1,000 days"]
