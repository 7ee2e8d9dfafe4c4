"""The local engine: few and short calls. What it writes differs between machines, so no text is expected."""

import asyncio
import json

import numpy as np
import pytest

from longway.engines import model_files
from longway.engines.engine import Sampling
from longway.engines.local import (
    DRAWS,
    LADDER,
    LEAST_DRAWS,
    LONGEST_TO_JUDGE,
    WARM,
    DrawnLines,
    LocalEngine,
    draw_lines,
    ordered_by_meaning,
)
from longway.engines.model_files import (
    ABOUT,
    FILE,
    LINES,
    LabelCalibration,
    adapter_in,
    fingerprint,
    installed_adapter,
)
from longway.engines.onnx_writer import Draw, loaded_with
from longway.engines.plausible import refusal
from longway.engines.prompt import Prompt, edit_prompt, judge_prompt, rewrite_prompt
from longway.engines.scoring.gguf_weights import GgufFile, read_gguf
from longway.engines.scoring.llama import Llama, tokenizer_of
from longway.engines.writer_steps import LONGEST_TO_WRITE, Implausible, WriterStep
from longway.errors import CallFailed, EngineError, SettingError
from longway.records import Example
from longway.task import task_of
from tests.engines.adapters import ALPHA, RANK, writer_folder
from tests.engines.llama_cpp import LlamaCpp, model_or_skip, needs_llama_cpp

SENTIMENT = task_of(["neg", "pos"])
PAIRS = task_of(["entailment", "neutral", "contradiction"], text_name="hypothesis", context_name="premise")
PAIRS = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")
LINES_SHOWN, OPTIONS = "Text: lovely\nLabel: positive\n\nText: awful\nLabel:", [" positive", " negative"]
SHORT = Sampling(max_tokens=24)
TEXT = "The old mill stands near the river."


@pytest.fixture(scope="module")
def model_path():
    return model_or_skip()


@pytest.fixture(scope="module")
def engine(model_path):
    return LocalEngine(model_path)


@pytest.fixture(scope="module")
def nothing(model_path, tmp_path_factory):
    """An adapter of zeros."""
    folder = tmp_path_factory.mktemp("nothing")
    writer_folder(folder, model_path, size=0.0)
    return folder


@pytest.fixture(scope="module")
def noise(model_path, tmp_path_factory):
    """An adapter of random numbers, and its matrices."""
    folder = tmp_path_factory.mktemp("noise")
    return folder, writer_folder(folder, model_path, size=0.05)


def asked(text=TEXT, **more):
    return rewrite_prompt(SENTIMENT, text, label="pos", **more)


def test_texts_pass_the_filters_differ_and_come_again(engine):
    first = asyncio.run(engine.write(asked(), 2, SHORT))
    asyncio.run(engine.write(asked("The old mill burned down."), 1, SHORT))  # something else in between
    again = asyncio.run(engine.write(asked(), 2, SHORT))
    assert (first.texts, first.refusals) == (again.texts, again.refusals)
    assert len(set(first.texts)) == len(first.texts) <= 2
    assert first.texts or first.refusals
    assert not any(refusal(TEXT, text) for text in first.texts)
    assert first.usage.completion_tokens > 0
    assert first.usage.cost == 0


def test_the_event_loop_stays_free_while_the_model_writes(engine):
    async def both():
        writing = asyncio.ensure_future(engine.write(asked("The baker sold all the bread."), 1, SHORT))
        ticks = 0
        while not writing.done():
            await asyncio.sleep(0.001)
            ticks += 1
        return ticks

    assert asyncio.run(both()) > 3


def test_the_clearest_reviews_are_judged_right(engine):
    loved = asyncio.run(engine.judge(judge_prompt(SENTIMENT, "a wonderful , funny film ."), ["neg", "pos"]))
    hated = asyncio.run(engine.judge(judge_prompt(SENTIMENT, "a boring , awful mess ."), ["neg", "pos"]))
    assert (loved.best, hated.best) == ("pos", "neg")
    assert sum(loved.probabilities.values()) == pytest.approx(1)
    assert list(loved.probabilities) == ["neg", "pos"]


def test_labels_that_the_writer_did_not_learn_are_refused(engine):
    rows = [Example("1", "cheap flights", "travel"), Example("2", "cup final", "sport")]
    task = task_of(["travel", "sport"], examples=rows)
    judged = asyncio.run(engine.judge(judge_prompt(task, "The striker scored twice."), task.labels))
    assert judged.best is None
    assert "judges sentiment, and pairs" in judged.refusal


def test_what_is_too_long_or_not_a_rewriting_is_refused_with_a_reason(engine):
    long = asyncio.run(engine.write(asked("It is long. " * LONGEST_TO_WRITE), 2, SHORT))
    other = asyncio.run(engine.write(Prompt("triple.v1", SENTIMENT, TEXT), 2, SHORT))
    empty = asyncio.run(engine.write(asked("  "), 2, SHORT))
    review = asyncio.run(engine.judge(judge_prompt(SENTIMENT, "x" * (LONGEST_TO_JUDGE + 1)), ["neg", "pos"]))
    assert [w.texts for w in (long, other, empty)] == [(), (), ()]
    assert "too long" in long.refusals[0]
    assert "triple.v1" in other.refusals[0]
    assert "no text" in empty.refusals[0]
    assert "too long" in review.refusal


def test_the_model_says_why_when_a_text_does_not_fit(engine):
    model = loaded_with(engine.model_path, engine.adapter.path)
    with pytest.raises(CallFailed, match="too long for the small model"):
        model.draw("Text:" + " word" * 5000, 1, temperature=0.7, top_p=0.9, max_tokens=4, seed=0)


def test_identity_names_the_files_by_their_hash(engine, nothing, tmp_path):
    copy = tmp_path / "other.gguf"
    copy.write_bytes(b"GGUF one")
    first = fingerprint(copy)
    copy.write_bytes(b"GGUF another")
    assert first != fingerprint(copy)
    assert engine.identity["sha256"] == fingerprint(engine.model_path)
    assert "onnxruntime" in engine.identity["writer"]["back_end"]
    other = LocalEngine(engine.model_path, adapter=nothing)
    about = other.identity["writer"]
    assert (about["version"], about["lines"]) == (7, LINES)
    assert about["sha256"] == fingerprint(nothing / FILE)
    assert other.name == engine.name == "local"
    assert other.identity != engine.identity
    assert json.dumps(dict(engine.identity))  # it becomes part of a key


def test_engines_share_one_loaded_model(engine):
    assert engine._loaded() is LocalEngine(engine.model_path)._loaded()


def test_nothing_of_the_back_end_reaches_the_terminal(model_path, nothing, capfd):
    asyncio.run(LocalEngine(model_path, adapter=nothing).write(asked(), 1, SHORT))
    assert capfd.readouterr() == ("", "")


def test_files_that_are_no_models_are_told_apart(tmp_path):
    (tmp_path / "model.bin").write_bytes(b"\x80\x04pickle")
    with pytest.raises(SettingError, match="GGUF"):
        fingerprint(tmp_path / "model.bin")
    with pytest.raises(SettingError, match="cannot be read"):
        fingerprint(tmp_path / "none.gguf")


def test_a_missing_model_is_reported_with_the_line_that_installs_it(monkeypatch):
    monkeypatch.setattr(model_files, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match="engines install local"):
        LocalEngine()


def test_an_engine_says_what_it_judges(engine):
    halves = task_of(["entailment", "not_entailment"], context_name="premise")
    tasks = [SENTIMENT, task_of(["a", "b"]), PAIRS, halves]
    assert [engine.judges(task) for task in tasks] == [True, False, True, False]


def test_another_model_is_an_error(monkeypatch, nothing, tmp_path):
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF other")
    monkeypatch.setattr(model_files, "FOLDER", nothing)
    assert installed_adapter() is not None
    for engine in (LocalEngine(other), LocalEngine(other, adapter=nothing)):
        with pytest.raises(SettingError, match="trained on another model"):
            engine.identity  # noqa: B018


def test_a_package_without_an_adapter_is_an_error(monkeypatch, tmp_path, model_path):
    monkeypatch.setattr(model_files, "FOLDER", tmp_path)
    assert installed_adapter() is None
    with pytest.raises(EngineError, match="has no writer"):
        LocalEngine(model_path).identity  # noqa: B018


@pytest.mark.parametrize(
    ("about", "why"),
    [
        ('{"version": 1}', "lines"),
        ("[]", "cannot be used"),
        ('{"version": 1, "lines": 999, "base": "", "rank": 4}', "Expected version 1, got 999"),
        ('{"version": 1, "lines": 1, "base": "", "rank": 4, "judge": {"pair": {"heat": 1}}}', "heat"),
    ],
)
def test_an_adapter_that_cannot_be_used_says_why(tmp_path, about, why):
    (tmp_path / ABOUT).write_text(about)
    with pytest.raises(EngineError, match=why):
        adapter_in(tmp_path)


def test_a_writer_that_never_learned_to_edit_says_so(tmp_path):
    shipped = installed_adapter().path.parent
    (tmp_path / FILE).symlink_to(shipped / FILE)
    about = json.loads((shipped / ABOUT).read_text())
    (tmp_path / ABOUT).write_text(json.dumps({**about, "edits": False}))
    engine = LocalEngine(model_or_skip(), adapter=tmp_path)
    prompt = edit_prompt(SENTIMENT, "The soup was cold.", label="neg", include="of course")
    written = asyncio.run(engine.write(prompt, 2, Sampling()))
    assert written.texts == ()
    assert "not trained" in written.refusals[0]


def test_an_edit_does_what_is_asked():
    engine = LocalEngine(model_or_skip())
    for wanted, follows in (
        ({"include": "of course"}, lambda text: "of course" in text.lower()),
        ({"include": "sadly", "place": "first"}, lambda text: text.lower().startswith("sadly")),
        ({"include": "zorbital"}, lambda text: "zorbital" in text.lower()),  # in no dictionary
        ({"most": 7}, lambda text: len(text.split()) <= 7),
        ({"least": 14}, lambda text: len(text.split()) >= 14),
    ):
        text = "The soup was cold and the waiter never smiled at us."
        prompt = edit_prompt(SENTIMENT, text, label="neg", **wanted)
        written = asyncio.run(engine.write(prompt, 4, Sampling()))
        assert written.texts
        assert all(map(follows, written.texts))


@pytest.mark.parametrize("is_pair", [True, False])
def test_rewrites_that_say_the_same_come_first_and_claims_that_do_not_are_left_out(is_pair):
    task = PAIRS if is_pair else SENTIMENT
    prompt = rewrite_prompt(
        task, "Two women are walking.", label=task.labels[0], context="Two women walk." if is_pair else None
    )
    other, same = "Nobody is walking at all.", "Two ladies are walking."
    assert ordered_by_meaning(prompt, [other, same]) == ([same] if is_pair else [same, other])


def test_a_broken_adapter_is_reported(model_path, tmp_path):
    (tmp_path / FILE).write_bytes(b"GGUF\3\0\0\0 and no more")
    with pytest.raises(EngineError, match=r"could not be loaded with writer\.gguf"):
        loaded_with(model_path, tmp_path / FILE)


@pytest.mark.soak
@needs_llama_cpp
def test_an_adapter_of_zeros_changes_nothing_in_llama_cpp(model_path, nothing):
    plain, adapted = LlamaCpp(model_path), LlamaCpp(model_path, nothing / FILE)
    assert adapted.likelihoods(LINES_SHOWN, OPTIONS) == plain.likelihoods(LINES_SHOWN, OPTIONS)


@needs_llama_cpp
@pytest.mark.soak
def test_an_adapter_does_what_merged_weights_do(model_path, noise):
    """The slow twin: W + alpha / rank * B A, in numpy. llama.cpp and ONNX Runtime round more, so single tokens differ a little."""
    folder, pairs = noise
    file = read_gguf(model_path)
    merged = dict(file.tensors)
    for name, (a, b) in pairs.items():
        merged[name] = merged[name] + ALPHA / RANK * b.astype(np.float32) @ a.astype(np.float32)
    tokenizer = tokenizer_of(file.settings)
    ids = [tokenizer.encode(LINES_SHOWN + option).ids for option in OPTIONS]
    found = Llama(GgufFile(file.settings, merged)).log_likelihoods([one[1:] for one in ids], start=ids[0][0])
    slow = np.array([log_p[-1] for log_p in found])
    without = np.array([sum(one) for one in LlamaCpp(model_path).likelihoods(LINES_SHOWN, OPTIONS)])
    by_llama_cpp = LlamaCpp(model_path, folder / FILE).likelihoods(LINES_SHOWN, OPTIONS)
    by_onnx = loaded_with(model_path, folder / FILE).likelihoods(LINES_SHOWN, OPTIONS)
    for found in (by_llama_cpp, by_onnx):
        fast = np.array([sum(one) for one in found])
        assert np.abs(fast - slow).max() < 0.3
        assert np.abs(without - slow).max() > 3 * np.abs(fast - slow).max()


def test_probabilities_are_calibrated_by_a_temperature_and_a_bias():
    assert LabelCalibration().shares(["a", "b"], [np.log(0.3), np.log(0.1)]) == pytest.approx([0.75, 0.25])
    cooled = LabelCalibration(temperature=2.0).shares(["a", "b"], [np.log(0.9), np.log(0.1)])
    assert cooled == pytest.approx([0.75, 0.25])  # the square roots of 9 and 1
    biased = LabelCalibration(bias={"b": float(np.log(3))}).shares(["a", "b"], [np.log(0.3), np.log(0.1)])
    assert biased == pytest.approx([0.5, 0.5])


def test_the_calibration_of_the_adapters_file_is_used(model_path, tmp_path):
    hot = {"sentiment": {"temperature": 1e6}, "pair": {"bias": {"contradiction": 100.0}}}
    writer_folder(tmp_path, model_path, size=0.0, judge=hot)
    engine = LocalEngine(model_path, adapter=tmp_path)
    review = judge_prompt(SENTIMENT, "a wonderful film")
    assert asyncio.run(engine.judge(review, ["neg", "pos"])).probabilities["pos"] == pytest.approx(
        0.5, abs=1e-4
    )
    claim = judge_prompt(PAIRS, "A claim.", context="Evidence.")
    assert asyncio.run(engine.judge(claim, PAIRS.labels)).best == "REFUTES"


def test_pairs_are_judged_whatever_the_order_of_their_labels(model_path, nothing):
    engine = LocalEngine(model_path, adapter=nothing)
    prompt = judge_prompt(PAIRS, "The shop is open.", context="The shop is closed.")
    judged = asyncio.run(engine.judge(prompt, ["SUPPORTS", "REFUTES"]))
    assert sum(judged.probabilities.values()) == pytest.approx(1)
    assert asyncio.run(engine.judge(prompt, ["REFUTES", "SUPPORTS"])).probabilities == judged.probabilities
    halves = task_of(["entailment", "not_entailment"], context_name="premise")
    refused = asyncio.run(engine.judge(judge_prompt(halves, "a", context="b"), halves.labels))
    assert "entails, contradicts" in refused.refusal


@pytest.mark.soak
def test_the_same_call_gives_the_same_texts_whatever_came_between(model_path, noise):
    engine = LocalEngine(model_path, adapter=noise[0])
    prompt = rewrite_prompt(SENTIMENT, "The soup was cold.", label="neg", avoid=["cold"])
    first = asyncio.run(engine.write(prompt, 2, Sampling(max_tokens=12)))
    engine._loaded().likelihoods(LINES_SHOWN, OPTIONS)
    asyncio.run(engine.write(rewrite_prompt(SENTIMENT, "Nice.", label="pos"), 1, SHORT))
    again = asyncio.run(engine.write(prompt, 2, Sampling(max_tokens=12)))
    assert (first.texts, first.refusals) == (again.texts, again.refusals)
    assert first.refusals or first.texts


# ---- drawing in rounds, with draws written by hand -------------------------------------------------------------------------


def read(draw):
    if draw.text.startswith("bad"):
        raise Implausible("bad")
    return draw.text


STEP = WriterStep("lines", "key", 20, read)


class Scripted:
    """Gives one text after the other, and notes what it was asked."""

    def __init__(self, texts):
        self.texts, self.asked = iter(texts), []

    def __call__(self, step, n, temperature, *, sampling, seed):
        assert step is STEP
        self.asked.append((n, temperature, seed))
        return [Draw(next(self.texts), True, 5, -0.1, -0.1 * (i + 1)) for i in range(n)]


def climbed(texts, n, temperature=0.5):
    draw = Scripted(texts)
    found = draw_lines(draw, STEP, n, Sampling(temperature=temperature))
    return draw, found


def test_lines_are_drawn_until_there_are_enough_different_ones_and_each_round_is_hotter():
    draw, found = climbed(["same"] * 8 + ["third", "fourth", "same", "same", "bad", "fifth", "bad", "bad"], 4)
    assert list(found.accepted) == ["same", "third", "fourth", "fifth"]
    (n, first, seed), (other_n, second, other_seed) = draw.asked
    assert n == other_n == DRAWS * 4
    assert [first, second] == [0.5 * factor for factor in LADDER]
    assert seed != other_seed
    draw, _ = climbed(["one", "two", *["bad"] * 10], 4)
    assert len(draw.asked) == 1  # half of them are enough


def test_it_stops_at_the_end_of_the_ladder_and_says_why_draws_were_refused():
    draw, found = climbed(["bad"] * 1000, 8)
    assert not found.accepted
    assert found.refused == ["bad"] * int(DRAWS * 8) * len(LADDER)
    assert len(draw.asked) == len(LADDER)
    assert found.n_tokens == 5 * len(found.refused)


def test_the_likeliest_line_is_drawn_once_and_others_only_if_it_cannot_be_used():
    draw, _ = climbed(["good"], 1, temperature=0.0)
    assert [(n, temperature) for n, temperature, _ in draw.asked] == [(1, 0.0)]
    draw, found = climbed(["bad", *["good"] * LEAST_DRAWS], 1, temperature=0.0)
    assert found.best(1) == ["good"]
    assert [(n, temperature) for n, temperature, _ in draw.asked] == [
        (1, 0.0),
        (LEAST_DRAWS, WARM * LADDER[0]),
    ]


def test_lines_with_the_same_words_count_once_with_their_best_likelihood():
    _, found = climbed(["One, two", "three", "one two!", *["bad"] * 3], 2)
    assert found.accepted == {"One, two": pytest.approx(-0.1), "three": pytest.approx(-0.2)}


def test_the_likeliest_lines_go_first():
    lines = DrawnLines({"a cold day": -0.1, "a warm day": -0.9, "a mild day": -0.5})
    assert lines.best(3) == ["a cold day", "a mild day", "a warm day"]
