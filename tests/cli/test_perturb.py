"""`longway perturb` as a stranger meets it: help that teaches, mistakes told in words, tables that say what became of it."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import LongwayError, SettingError
from tests.engines.loopback import Loopback
from tests.jobs.toy_perturb import answer, bakers_of, rows_of, write

pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture
def data(tmp_path):
    return write(tmp_path / "notes.csv", rows_of(16))


def run(*args, typed=None):
    return CliRunner().invoke(app, [str(arg) for arg in args], input=typed)


def test_help_teaches(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    result = run("perturb", "--help")
    assert result.exit_code == 0
    told = " ".join(result.output.split())
    for words in (
        "resumes the run", "--axis", "--to", "--keep-entities", "--add", "--dry-run", "--json", "does not make a model fair", "longway perturb claims.jsonl --axis gender --to non-binary --keep-entities",
    ):  # fmt: skip
        assert words in told
    everything = run("perturb", "--help-all").output
    assert all(
        name in everything
        for name in ("--set", "sampling:", "--keep-names", "--keep-warned", "--at-least", "m0:", "--device")
    )
    assert "--names" not in everything


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--to", "elf"], "'elf' is not a demographic attribute"),
        (["--axis", "age", "--to", "woman"], "--axis gender"),
        (["--engine", "served", "--everyone"], "Only the rules have --everyone"),
        (["--text", "revue"], "There is no column 'revue'"),
    ],
)
def test_a_mistake_is_told_in_words_with_the_next_step(data, args, words):
    result = run("perturb", data, *args)
    assert isinstance(result.exception, LongwayError), result.output
    assert words in str(result.exception)


def test_a_run_prints_who_is_mentioned_and_what_to_do_next(data):
    result = run("perturb", data)
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    for words in (
        "Changed by rules; run folder longway-runs/notes-perturb",
        "12 of 16 rows mention a gender, race or age that can be changed; one person was changed in 12 of them, and all labels stay the same.",
        "Who is mentioned, before and after",
        "longway-runs/notes-perturb/dataset.csv", "longway-runs/notes-perturb/report.html",
        f"longway prove {data} longway-runs/notes-perturb --fairscore --text", "does not make a model fair",
        "Look at every edit and decide: longway review longway-runs/notes-perturb",
    ):  # fmt: skip
        assert words in told, words


def test_the_options_reach_the_run(data, tmp_path):
    told = "--axis gender --to non-binary --reflexive themself --keep-names --share 0.9 --set tries=2 --set m0=0 --seed 5 --add --limit 8"
    result = run("perturb", data, *told.split(), "--out", tmp_path / "out", "--json")
    found = json.loads(result.stdout)
    expected = {
        "axes": ["gender"], "to": ["non-binary"], "reflexive": "themself", "names": False, "share": 0.9, "tries": 2, "m0": 0, "m1": 1,
        "seed": 5, "add": True, "everyone": False, "keep_entities": False, "keep_warned": False, "sampling": "balanced", "engine": "rules",
    }  # fmt: skip
    assert {name: found["settings"][name] for name in expected} == expected
    assert found["rows"] == 8
    assert found == json.loads((tmp_path / "out" / "perturb.json").read_text(encoding="utf-8"))
    assert len(pl.read_csv(tmp_path / "out" / "dataset.csv")) == 8 + found["added"]


def test_markup_and_codes_in_the_data_stay_text(tmp_path):
    rows = [{"text": f"She said [bold]no[/] \x1b[31m{i}.", "label": "[red]x[/]"} for i in range(3)]
    result = run("perturb", write(tmp_path / "odd.csv", rows), "--to", "man")
    assert result.exit_code == 0
    assert "\x1b[31m" not in result.output
    report = next(Path("longway-runs").glob("*/report.html")).read_text(encoding="utf-8")
    assert "said [bold]no[/]" in report
    assert "\x1b" not in report


def test_money_is_not_spent_without_a_word(prices, tmp_path):
    data = write(tmp_path / "bakers.csv", bakers_of(6))
    with Loopback(answer) as server:
        told = [
            "perturb",
            data,
            "--base-url",
            server.url,
            *"--engine served:toy --to woman --axis gender".split(),
        ]
        result = run(*told)
        assert isinstance(result.exception, SettingError)
        assert "up to 12 calls (12 to write, 0 to judge)" in str(result.exception)
        assert "Give --budget DOLLARS, or --yes" in str(result.exception)
        assert not server.calls
        result = run(*told, "--yes")
        assert result.exit_code == 0, result.output
        assert len(server.calls) == 6
        assert "In total $" in result.output
