"""`longway demo`: the three commands that it prints are the commands that it runs."""

import json
import shlex

import polars as pl
import pytest
from typer.testing import CliRunner

from longway.cli import app, demo
from longway.sample import sample_path
from tests.environment import without_encoder


def run(*args):
    return CliRunner().invoke(app, ["demo", *map(str, args)])


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A sample of sixty rows in place of the built-in one, and neither encoder nor small language model."""
    rows = pl.read_ndjson(sample_path("reviews"))
    parts = [rows.filter(pl.col("split") == split).head(n) for split, n in (("train", 60), ("test", 20))]
    path = tmp_path / "shipped" / "reviews.jsonl"
    path.parent.mkdir()
    pl.concat(parts).write_ndjson(path)
    monkeypatch.setattr("longway.sample.sample_path", lambda name: path)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}" if name == "xdg-open" else None)
    monkeypatch.chdir(tmp_path)
    without_encoder(monkeypatch)
    return path


def printed_commands(output):
    return [
        shlex.split(line.removeprefix("$ ")) for line in output.splitlines() if line.startswith("$ longway")
    ]


def test_the_commands_that_are_printed_work_and_the_report_comes_last(small, tmp_path):
    pytest.importorskip("spacy")
    result = run()
    assert result.exit_code == 0, result.output
    assert "The planted shortcuts, before and after the repair" in result.output
    *_, report, review, opening, explain, own = result.output.strip().splitlines()
    assert report == "Report: longway-runs/reviews-prove/report.html"
    assert review == "Look at every edit and decide: longway review longway-runs/reviews-repair"
    assert opening == "Open the report: xdg-open longway-runs/reviews-prove/report.html"
    assert explain == "See which words a model looks at: longway explain longway-runs/reviews.jsonl"
    assert own == "To use a file of your own, write its name instead of longway-runs/reviews.jsonl."
    commands = printed_commands(result.output)
    assert [command[1] for command in commands] == ["audit", "repair", "prove"]
    state = json.loads((tmp_path / "longway-runs/reviews-repair/run.json").read_text(encoding="utf-8"))
    for _, *given in commands:  # the same commands again show the finished runs
        assert CliRunner().invoke(app, given).exit_code == 0
    assert (
        json.loads((tmp_path / "longway-runs/reviews-repair/run.json").read_text(encoding="utf-8")) == state
    )
    assert not [*(tmp_path / "longway-runs").glob("*-2")]


def test_another_folder_is_part_of_the_printed_commands(tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr(
        demo, "_run", lambda command, *arguments: given.append([str(one) for one in arguments])
    )
    run("claims", "--out", tmp_path / "here")
    assert given == [
        [
            "audit",
            str(tmp_path / "here/claims.jsonl"),
            "--levels",
            "-grammar",
            "--out",
            str(tmp_path / "here/claims-audit"),
        ],
        ["repair", str(tmp_path / "here/claims.jsonl"), "--out", str(tmp_path / "here/claims-repair")],
    ]
    assert (tmp_path / "here/claims.jsonl").read_bytes() == sample_path("claims").read_bytes()
