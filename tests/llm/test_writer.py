"""The writer's adapter in the real model: zeros change nothing, other numbers change what merged weights would."""

import asyncio
import json

import numpy as np
import pytest

from longway.errors import EngineError, SettingError
from longway.llm import writer as module
from longway.llm.engine import Sampling
from longway.llm.gguf import fingerprint, loaded
from longway.llm.local import LocalEngine
from longway.llm.onnx_model import loaded_with
from longway.llm.prompt import judge_prompt, rewrite_prompt
from longway.llm.scoring.gguf_weights import GgufFile, read_gguf
from longway.llm.scoring.llama import Llama, tokenizer_of
from longway.llm.writer import ABOUT, FILE, Calibration, installed_writer, writer_at
from longway.records import Example
from longway.task import task_of
from tests.llm.adapters import ALPHA, RANK, writer_folder
from tests.llm.served_local import model_or_skip

HEAD, TAIL, OPTIONS = "Text: lovely\nLabel: positive\n\nText:", " awful\nLabel:", [" positive", " negative"]
SHORT = Sampling(max_tokens=12)
PAIRS = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")


@pytest.fixture(scope="module")
def model_path():
    return model_or_skip()


@pytest.fixture(scope="module")
def plain(model_path):
    return loaded(model_path)


@pytest.fixture(scope="module")
def nothing(model_path, tmp_path_factory):
    """A writer of zeros."""
    folder = tmp_path_factory.mktemp("nothing")
    writer_folder(folder, model_path, size=0.0)
    return folder


@pytest.fixture(scope="module")
def noise(model_path, tmp_path_factory):
    """A writer of random numbers, and its matrices."""
    folder = tmp_path_factory.mktemp("noise")
    return folder, writer_folder(folder, model_path, size=0.05)


def test_an_adapter_of_zeros_changes_nothing_in_llama_cpp(model_path, plain, nothing):
    model = loaded(model_path, nothing / FILE)
    assert model.likelihoods(HEAD, TAIL, OPTIONS) == plain.likelihoods(HEAD, TAIL, OPTIONS)


@pytest.mark.soak
def test_an_adapter_does_what_merged_weights_do(model_path, plain, noise):
    """The slow twin: W + alpha / rank * B A, in numpy. llama.cpp and ONNX Runtime round more, so single tokens differ a little."""
    folder, pairs = noise
    file = read_gguf(model_path)
    merged = dict(file.tensors)
    for name, (a, b) in pairs.items():
        merged[name] = merged[name] + ALPHA / RANK * b.astype(np.float32) @ a.astype(np.float32)
    tokenizer = tokenizer_of(file.settings)
    ids = [tokenizer.encode(HEAD + TAIL + option).ids for option in OPTIONS]
    found = Llama(GgufFile(file.settings, merged)).log_likelihoods([one[1:] for one in ids], start=ids[0][0])
    slow = np.array([log_p[-1] for log_p in found])
    without = np.array([sum(one) for one in plain.likelihoods(HEAD, TAIL, OPTIONS)])
    by_llama_cpp = loaded(model_path, folder / FILE).likelihoods(HEAD, TAIL, OPTIONS)
    by_onnx = loaded_with(model_path, folder / FILE).likelihoods(HEAD + TAIL, OPTIONS)
    for found in (by_llama_cpp, by_onnx):
        fast = np.array([sum(one) for one in found])
        assert np.abs(fast - slow).max() < 0.3
        assert np.abs(without - slow).max() > 3 * np.abs(fast - slow).max()


def test_engines_with_and_without_the_writer_are_told_apart(model_path, nothing):
    plain, written = LocalEngine(model_path, writer=None), LocalEngine(model_path, writer=nothing)
    assert (plain.name, written.name) == ("local:plain", "local")
    assert "writer" not in plain.identity
    told = written.identity["writer"]
    assert (told["version"], told["lines"]) == (7, module.LINES)
    assert told["sha256"] == fingerprint(nothing / FILE)
    assert json.dumps(dict(written.identity))  # it becomes part of a key


def test_an_engine_says_what_it_judges(model_path, nothing):
    plain, written = LocalEngine(model_path, writer=None), LocalEngine(model_path, writer=nothing)
    halves = task_of(["entailment", "not_entailment"], context_name="premise")
    tasks = [task_of(["a", "b"]), PAIRS, halves]
    assert [plain.judges(task) for task in tasks] == [True, False, False]
    assert [written.judges(task) for task in tasks] == [True, True, False]


def test_another_model_goes_without_the_writer(monkeypatch, nothing, tmp_path):
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF other")
    monkeypatch.setattr(module, "FOLDER", nothing)
    assert installed_writer() is not None
    assert LocalEngine(other).writer is None
    with pytest.raises(SettingError, match="trained on another model"):
        LocalEngine(other, writer=nothing).identity  # noqa: B018


def test_a_package_without_a_writer_has_none(monkeypatch, tmp_path, model_path):
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    assert installed_writer() is None
    assert LocalEngine(model_path).writer is None


@pytest.mark.parametrize(
    ("about", "why"),
    [
        ('{"version": 1}', "lines"),
        ("[]", "cannot be used"),
        ('{"version": 1, "lines": 999, "base": "", "rank": 4}', "Version 1 was expected, got 999"),
        ('{"version": 1, "lines": 1, "base": "", "rank": 4, "judge": {"pair": {"heat": 1}}}', "heat"),
    ],
)
def test_a_writer_that_cannot_be_used_says_why(tmp_path, about, why):
    (tmp_path / ABOUT).write_text(about)
    with pytest.raises(EngineError, match=why):
        writer_at(tmp_path)


@pytest.mark.parametrize("load", [loaded, loaded_with])
def test_a_broken_adapter_is_told(model_path, tmp_path, load):
    (tmp_path / FILE).write_bytes(b"GGUF\3\0\0\0 and no more")
    with pytest.raises(EngineError, match=r"could not be loaded with writer\.gguf"):
        load(model_path, tmp_path / FILE)


def test_probabilities_are_calibrated_by_a_temperature_and_a_bias():
    assert Calibration().shares(["a", "b"], [np.log(0.3), np.log(0.1)]) == pytest.approx([0.75, 0.25])
    cooled = Calibration(temperature=2.0).shares(["a", "b"], [np.log(0.9), np.log(0.1)])
    assert cooled == pytest.approx([0.75, 0.25])  # the square roots of 9 and 1
    biased = Calibration(bias={"b": float(np.log(3))}).shares(["a", "b"], [np.log(0.3), np.log(0.1)])
    assert biased == pytest.approx([0.5, 0.5])


def test_the_calibration_of_the_writers_file_is_used(model_path, nothing, tmp_path):
    hot = {"sentiment": {"temperature": 1e6}, "pair": {"bias": {"contradiction": 100.0}}}
    writer_folder(tmp_path, model_path, size=0.0, judge=hot)
    engine = LocalEngine(model_path, writer=tmp_path)
    review = judge_prompt(task_of(["neg", "pos"]), "a wonderful film")
    assert asyncio.run(engine.judge(review, ["neg", "pos"])).probabilities["pos"] == pytest.approx(
        0.5, abs=1e-4
    )
    claim = judge_prompt(PAIRS, "A claim.", context="Evidence.")
    assert asyncio.run(engine.judge(claim, PAIRS.labels)).best == "REFUTES"


def test_pairs_are_judged_with_the_writer_whatever_the_order_of_their_labels(model_path, nothing):
    engine = LocalEngine(model_path, writer=nothing)
    prompt = judge_prompt(PAIRS, "The shop is open.", context="The shop is closed.")
    judged = asyncio.run(engine.judge(prompt, ["SUPPORTS", "REFUTES"]))
    assert sum(judged.probabilities.values()) == pytest.approx(1)
    assert asyncio.run(engine.judge(prompt, ["REFUTES", "SUPPORTS"])).probabilities == judged.probabilities
    halves = task_of(["entailment", "not_entailment"], context_name="premise")
    refused = asyncio.run(engine.judge(judge_prompt(halves, "a", context="b"), halves.labels))
    assert "entails, contradicts" in refused.refusal


def test_labels_that_the_writer_did_not_learn_are_judged_as_without_it(model_path, noise):
    rows = [Example("1", "cheap flights", "travel"), Example("2", "cup final", "sport")]
    task = task_of(["travel", "sport"], examples=rows)
    prompt = judge_prompt(task, "The striker scored twice.")
    with_writer, without = (LocalEngine(model_path, writer=writer) for writer in (noise[0], None))
    assert (
        asyncio.run(with_writer.judge(prompt, task.labels)).probabilities
        == asyncio.run(without.judge(prompt, task.labels)).probabilities
    )


def test_the_same_call_gives_the_same_texts_whatever_came_between(model_path, noise):
    engine = LocalEngine(model_path, writer=noise[0])
    task = task_of(["neg", "pos"])
    prompt = rewrite_prompt(task, "The soup was cold.", label="neg", avoid=["cold"])
    first = asyncio.run(engine.write(prompt, 2, SHORT))
    engine._loaded_with_writer().likelihoods(HEAD + TAIL, OPTIONS)
    asyncio.run(engine.write(rewrite_prompt(task, "Nice.", label="pos"), 1, SHORT))
    again = asyncio.run(engine.write(prompt, 2, SHORT))
    assert (first.texts, first.refusals) == (again.texts, again.refusals)
    assert first.refusals or first.texts
