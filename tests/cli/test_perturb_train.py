"""`longway perturb train` as a person calls it: a network from scratch, on a file of a few sentences."""

import json

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import LongwayError
from longway.methods.perturb.neural import NeuralPerturber
from longway.methods.perturb.panda import write_panda
from tests.environment import without_settings_of_the_user
from tests.methods.perturb.toy_sentences import request_of, toy_rows

pytest.importorskip("torch")
pytest.importorskip("transformers")
ROWS = toy_rows(24)
QUICK = ("--base", "tiny", "--epochs", "2", "--batch-size", "8")


@pytest.fixture(autouse=True)
def files(monkeypatch, tmp_path):
    without_settings_of_the_user(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    write_panda(ROWS, "pairs.csv")
    write_panda(toy_rows(6, seed=9), "others.jsonl")
    return tmp_path


def run(*options):
    return CliRunner().invoke(app, ["perturb", "train", *options])


def test_training_says_what_it_learned_and_where_the_perturber_is(files):
    told = run("pairs.csv", *QUICK)
    assert told.exit_code == 0, told.output
    assert "Trained on 22 rows, stopped on 2." in told.output
    assert told.output.count("kept") == 1
    said = " ".join(told.output.split())
    assert "On the validation rows, the perplexity of the rewrites in the file is " in said
    assert " against the source (the paper: 88.0 on PANDA) and of " in said
    assert " of 2 are word for word as in the file; " in said
    assert "Perturber: longway-runs/pairs-perturber\nVerdict: The perturber of epoch " in told.output
    assert told.output.strip().endswith("--engine neural:longway-runs/pairs-perturber")
    perturber = NeuralPerturber(files / "longway-runs" / "pairs-perturber")
    assert len(perturber.perturb([request_of(ROWS[0])])) == 1


def test_the_same_command_again_prints_the_same_as_json(files):
    first, again = (run("pairs.csv", *QUICK, "--validation", "others.jsonl", "--json") for _ in range(2))
    about = json.loads(first.output)
    assert again.output == first.output
    assert (about["rows"], about["validation_rows"], len(about["epochs"])) == (24, 6, 2)
    assert about["settings"]["learning_rate"] == 3e-3
    assert len(list((files / "longway-runs").iterdir())) == 1


def test_options_reach_the_training(files):
    options = (
        "--lr",
        "0.001",
        "--seed",
        "7",
        "--patience",
        "3",
        "--lr-decay",
        "0.5",
        "--lr-patience",
        "1",
        "--device",
        "cpu",
        "--out",
        "mine",
        "--limit",
        "20",
    )
    told = run("pairs.csv", *QUICK, *options, "--json")
    about = json.loads(told.output)
    settings = about["settings"]
    assert [settings[name] for name in ("learning_rate", "seed", "patience", "batch_size")] == [
        0.001,
        7,
        3,
        8,
    ]
    assert (settings["decay"], settings["decay_patience"]) == (0.5, 1)
    assert about["rows"] + about["validation_rows"] == 20
    assert (files / "mine" / "model.safetensors").exists()


def test_without_the_packages_for_bleu_the_command_says_which_are_missing(monkeypatch):
    monkeypatch.setattr("longway.methods.perturb.training.find_spec", lambda name: None)
    told = run("pairs.csv", *QUICK)
    assert told.exit_code == 0, told.output
    assert "BLEU was not computed: it needs `pip install 'longway[prove]'`." in " ".join(told.output.split())


def test_rows_that_are_left_out_are_told(files):
    rows = [json.loads(line) for line in (files / "others.jsonl").read_text().splitlines()]
    bad = [*rows, {**rows[0], "target_attribute": "martian"}, {**rows[0], "perturbed": ""}]
    (files / "bad.jsonl").write_text("\n".join(map(json.dumps, bad)))
    told = run("bad.jsonl", *QUICK)
    assert told.exit_code == 0, told.output
    assert "Rows left out: 1. 'martian' is not a demographic attribute." in told.stderr
    assert "Rows left out: 1. perturbed is empty." in told.stderr


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("nothing.csv",), "does not exist"),
        (("pairs.csv", "--base", "."), "cannot be read"),
        (("pairs.csv", "--base", "tiny", "--lr", "7"), "'learning_rate'"),
        (("pairs.csv", "--base", "tiny", "--lr-decay", "0"), "'decay' must be above 0"),
        (("pairs.csv", "--base", "tiny", "--device", "cuda"), "no GPU"),
    ],
)
def test_a_mistake_is_told_with_the_next_step(options, why):
    if "cuda" in options:
        import torch

        if torch.cuda.is_available():
            pytest.skip("there is a GPU here")
    told = run(*options)
    assert isinstance(told.exception, LongwayError)
    assert why in str(told.exception)
