"""croissant.json and card.md of an audit, read by the tools that they are for."""

import hashlib
import json
from pathlib import Path

import pytest
import yaml

import longway as lw
from tests.jobs.test_gate import rows_of


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The run folder of an audit of a file with an odd name."""
    folder = tmp_path_factory.mktemp("croissant")
    data = folder / "my data (1).jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows_of()), encoding="utf-8")
    lw.audit(data, levels="token,length", out=folder / "run")
    return folder


def test_mlcroissant_reads_it_without_an_error(run):
    mlcroissant = pytest.importorskip("mlcroissant")
    metadata = mlcroissant.Dataset(run / "run" / "croissant.json").metadata
    assert not metadata.ctx.issues.errors
    assert any("“sadly” in text predicts the label bad: 100% of" in bias for bias in metadata.data_biases)
    assert any(limit.startswith("From text a simple model predicts") for limit in metadata.data_limitations)
    (file,) = metadata.distribution
    assert file.sha256 == hashlib.sha256((run / "my data (1).jsonl").read_bytes()).hexdigest()
    (records,) = metadata.record_sets
    assert [field.name for field in records.fields] == ["text", "label"]


def test_mlcroissant_reads_the_rows(run):
    mlcroissant = pytest.importorskip("mlcroissant")
    content = json.loads((run / "run" / "croissant.json").read_text(encoding="utf-8"))
    (run / "croissant.json").write_text(json.dumps(content), encoding="utf-8")
    rows = list(mlcroissant.Dataset(run / "croissant.json").records("rows"))
    assert len(rows) == len(rows_of())


def test_data_that_is_no_file_has_no_files(tmp_path):
    lw.audit(rows_of(), levels="token", out=tmp_path / "run")
    content = json.loads((tmp_path / "run" / "croissant.json").read_text(encoding="utf-8"))
    assert "distribution" not in content
    assert content["name"] == "list-of-dicts"


def test_the_card_begins_with_what_the_hub_reads(run):
    card = (run / "run" / "card.md").read_text(encoding="utf-8")
    _, head, body = card.split("---\n", 2)
    assert yaml.safe_load(head) == {
        "pretty_name": "my data (1).jsonl", "task_categories": ["text-classification"], "size_categories": ["n<1K"],
    }  # fmt: skip
    assert "Strongest: “sadly" in body
    assert Path(run / "run" / "report.html").exists()
