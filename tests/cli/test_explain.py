"""`longway explain` as a stranger meets it."""

import json

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import LongwayError
from longway.sample import sample_path

QUICK = ["--rows", "4", "--samples", "30", "--folds", "2", "--search", "20"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run `longway explain` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *args: CliRunner().invoke(app, ["explain", str(sample_path("claims")), *QUICK, *args])


def test_it_prints_models_words_and_the_report(run, tmp_path):
    result = run("--model", "bow", "--model", "nb")
    assert result.exit_code == 0, result.exception
    for words in (
        "bow predicts",
        "nb predicts",
        "Top 5 words",
        "texts in which all models share",
        "top words:",
        "claims-explain/report.html",
    ):
        assert words in result.output
    page = (tmp_path / "longway-runs" / "claims-explain" / "report.html").read_text(encoding="utf-8")
    assert 'class="w for5"' in page


def test_json_is_json_and_nothing_else(run):
    found = json.loads(run("--json", "--wrong").stdout)
    assert found["version"] == 1
    assert all(one["explanations"][0]["predicted"] != one["label"] for one in found["texts"])


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--model", "oracle"], "oracle"),
        (["--method", "guess"], "lime, shapley, ig"),
        (["--ids", "nobody"], "nobody"),
        (["--field", "title"], "text, context"),
    ],
)
def test_a_mistake_is_an_error_with_the_next_step(run, args, words):
    result = run(*args)
    assert isinstance(result.exception, LongwayError)
    assert words in str(result.exception)
