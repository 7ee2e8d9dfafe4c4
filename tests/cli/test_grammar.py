"""`longway grammar` and the levels of `longway audit` as a stranger meets them."""

import json

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import LongwayError
from tests.jobs.toy_pairs import inference_pairs, toy_pairs

COLUMNS = ["--text", "hypothesis", "--context", "premise", "--label", "label"]
TINY = ["--nonterminals", "3", "--preterminals", "6", "--dimension", "8", "--epochs", "2", "--device", "cpu"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a file of pairs and a finished run."""
    made = tmp_path_factory.mktemp("grammar")
    lines = "\n".join(map(json.dumps, toy_pairs(150)))
    (made / "pairs.jsonl").write_text(lines, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        result = CliRunner().invoke(app, ["grammar", "pairs.jsonl", *COLUMNS, *TINY])
    assert result.exit_code == 0, result.exception
    (made / "told.txt").write_text(result.output, encoding="utf-8")
    return made


@pytest.fixture
def run(folder, monkeypatch):
    """Run a command beside the pairs; gives the result."""
    monkeypatch.chdir(folder)
    return lambda *args: CliRunner().invoke(app, list(args))


def test_it_says_what_was_learned_and_lists_phrases_rules_and_the_classifier(folder):
    told = (folder / "told.txt").read_text(encoding="utf-8")
    for words in (
        "Classifier bag of words",
        "Patterns that go with a label",
        "What to do with a pattern",
        "“added: to or for”: 100.0% of 29 rows with it are maybe",
        "Does a classifier rely on it?",
        "pairs-grammar/report.html",
    ):
        assert words in told
    for technical in ("ε", "3 + 6", "Nats per word", "a/a", "→ 1"):
        assert technical not in told
    page = (folder / "longway-runs" / "pairs-grammar" / "report.html").read_text(encoding="utf-8")
    assert '<svg role="img" class="tree' in page


def test_symbols_are_printed_on_request(run):
    told = run("grammar", "pairs.jsonl", *COLUMNS, *TINY, "--symbols").output
    for words in ("3 + 6 symbols", "Nats per word", "ε/to · ε/for", "ε stands for no word", "Rules"):
        assert words in " ".join(told.split())


def test_json_is_json_and_the_finished_run_is_not_repeated(run):
    result = run("grammar", "pairs.jsonl", *COLUMNS, *TINY, "--json")
    found = json.loads(result.stdout)
    assert found["version"] == 1
    assert found["grammar"]["kind"] == "pair"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--device", "tpu"], "auto, cpu, cuda"),
        (["--limit", "6"], "At least 20 are needed"),
        (["--max-q", "2"], "max_q"),
    ],
)
def test_a_mistake_is_an_error_with_the_next_step(run, args, words):
    result = run("grammar", "pairs.jsonl", *COLUMNS, *TINY, *args)
    assert isinstance(result.exception, LongwayError)
    assert words in str(result.exception)


def test_contrast_examples_are_told_and_written(run, folder):
    pytest.importorskip("spacy")
    numbers = {"entailment": "0", "neutral": "1", "contradiction": "2"}
    rows = [row | {"label": numbers[row["label"]]} for row in inference_pairs(90)]
    (folder / "inference.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    args = ["grammar", "inference.jsonl", *COLUMNS, *TINY, "--out", "contrast", "--contrast-labels"]
    args.append(",".join(f"{name}={label}" for name, label in numbers.items()))
    told = run(*args)
    assert told.exit_code == 0, told.exception
    assert "Contrast sets" in told.output
    tables = json.loads(run(*args, "--json").stdout)
    text = (folder / "contrast" / "contrast.jsonl").read_text(encoding="utf-8")
    examples = [json.loads(line) for line in text.splitlines()]
    assert sum(row["examples"] for row in tables["contrast"]) == len(examples) > 0
    for row in tables["contrast"]:
        assert row["edit"] in told.output
        assert row["example"]["after"] in {one["after"] for one in examples}
    page = (folder / "contrast" / "report.html").read_text(encoding="utf-8")
    assert "Contrast sets" in page
    assert "<ins>" in page


def test_levels_of_an_audit_are_named_or_left_out(run):
    result = run("audit", "pairs.jsonl", *COLUMNS, "--levels", "-grammar,-pair", "--json", "--out", "few")
    assert result.exit_code == 0, result.exception
    assert not {"grammar", "pair"} & set(json.loads(result.stdout)["tested"])
    result = run("audit", "pairs.jsonl", *COLUMNS, "--levels", "words")
    assert isinstance(result.exception, LongwayError)
    assert "token" in str(result.exception)
