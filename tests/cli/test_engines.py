"""`longway engines` as a stranger meets it; engines that take long to load are not tested here but listed."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from longway.cli.engines import app
from longway.engines import install as installing
from longway.engines import registry
from longway.engines.install import Package
from longway.engines.registry import EngineStatus
from longway.errors import SettingError
from longway.sample import sample_path
from tests.engines.loopback import Loopback

FOUND = [
    EngineStatus("rules", True, "rewriting by rules", "Put [red] otherwise.", 20.0),
    EngineStatus("gguf", True, "a small model", "Said differently.", 0.5, 41.0),
    EngineStatus("served", False, "no model is named"),
]


@pytest.fixture
def run(monkeypatch):
    """Run the command; gives the result."""
    for name in ("LONGWAY_MODEL", "LONGWAY_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return lambda *args, **more: CliRunner().invoke(app, list(args), **more)


@pytest.fixture
def missing(monkeypatch):
    """Two packages are missing; gives the list of engines that were installed."""
    installed = []
    parts = [Package("one>=2", False, 30), Package("two", True, 94)]
    monkeypatch.setattr(installing, "parts_missing", lambda engine: parts)
    monkeypatch.setattr(installing, "install", installed.append)
    return installed


def test_the_table_shows_state_speed_self_test_and_what_auto_takes(run, monkeypatch):
    monkeypatch.setattr(registry, "available", lambda **_: FOUND)
    result = run()
    assert result.exit_code == 0
    assert "20 texts/s" in result.output
    assert "2.0 s per text, 41 tokens/s" in result.output
    assert "Put [red] otherwise." in result.output
    assert "not ready" in result.output
    assert "--engine auto uses rules" in result.output


def test_json_holds_every_engine_and_the_choice(run):
    result = run("--json")
    found = json.loads(result.output)
    assert [engine["name"] for engine in found["engines"]] == ["rules", "gguf", "served", "replay"]
    assert all(engine["self_test"] == "" for engine in found["engines"])
    assert found["auto"]["why"]


def test_the_list_loads_no_model():
    code = (
        "import sys; sys.argv = ['longway', 'engines']\n"
        "from longway.cli import main\n"
        "try: main()\n"
        "finally: print([m for m in ('torch', 'spacy', 'nltk', 'sklearn', 'onnxruntime') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_engines_are_tested_only_on_request(run, monkeypatch):
    asked = []
    monkeypatch.setattr(registry, "available", lambda *, test, base_url: asked.append(test) or FOUND)
    run()
    run("--test")
    assert asked == [False, True]


def test_install_says_what_and_how_big_and_asks(run, missing):
    result = run("install", "local", input="n\n")
    assert result.exit_code == 1
    assert missing == []
    for part in ("124 MB", "one>=2", "pip install --no-deps two", "Install them now?"):
        assert part in result.output


def test_install_goes_on_when_told_to(run, missing):
    assert run("install", "local", input="y\n").exit_code == 0
    result = run("install", "local", "--yes")
    assert missing == ["local", "local"]
    assert "Install them now?" not in result.output


def test_install_says_when_nothing_is_missing(run, monkeypatch):
    monkeypatch.setattr(installing, "parts_missing", lambda engine: [])
    assert "is complete" in run("install", "rules").output


def test_an_unknown_engine_is_told_with_the_known_ones(run):
    result = run("install", "magic")
    assert "local, rules, served" in str(result.exception)


@pytest.fixture
def own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("LONGWAY_DATA", str(tmp_path / "data"))
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"toy" = { input = 1.0, output = 1.0 }\n')
    monkeypatch.setenv("LONGWAY_PRICES", str(prices))
    return tmp_path / "data"


def test_an_exam_prints_a_table_a_verdict_and_the_next_command(run, own_data):
    result = run("exam", "rules", "--limit", "8")
    assert result.exit_code == 0, result.output
    assert "changing a person" in result.output
    assert "Skipped: judging; the engine cannot judge." in result.output
    *_, command, own = result.output.strip().splitlines()
    sample = sample_path("claims")
    assert command.endswith(f": longway rewrite {sample} --limit 100 --engine rules")
    assert own == f"To use a file of your own, write its name instead of {sample}."


def test_an_exam_as_json_is_what_is_stored(run, own_data):
    with Loopback() as server:
        result = run("exam", "served:toy", "--base-url", server.url, "--limit", "1", "--yes", "--json")
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert content["version"] == 1
    assert content["engine"] == "served:toy"
    assert content["jobs"][0]["name"] == "judge"
    (file,) = own_data.glob("exams/*/exam.json")
    assert json.loads(file.read_text()) == content


def test_an_exam_that_costs_money_is_not_taken_unasked(run, own_data):
    with Loopback() as server:
        result = run("exam", "served:toy", "--base-url", server.url, "--limit", "1")
    assert isinstance(result.exception, SettingError)
    assert "about $0.0" in str(result.exception)
    assert not server.calls
