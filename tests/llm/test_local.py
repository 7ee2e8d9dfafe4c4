"""The small model itself, without the writer: few and short calls. What it writes differs between machines, so no text is expected."""

import asyncio

import pytest

from longway.errors import CallFailed, MissingExtra, SettingError
from longway.llm import gguf
from longway.llm.engine import Sampling
from longway.llm.few_shot_steps import LONGEST_TO_WRITE
from longway.llm.gguf import fingerprint, loaded, serve
from longway.llm.local import LONGEST_TO_JUDGE, LocalEngine
from longway.llm.plausible import refusal
from longway.llm.prompt import Prompt, judge_prompt, rewrite_prompt
from longway.records import Example
from longway.task import task_of
from tests.llm.served_local import model_or_skip

SENTIMENT = task_of(["neg", "pos"])
PAIRS = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")
SHORT = Sampling(max_tokens=24)
TEXT = "The old mill stands near the river."


@pytest.fixture(scope="module")
def engine():
    return LocalEngine(model_or_skip(), writer=None)


def asked(text=TEXT, **more):
    return rewrite_prompt(SENTIMENT, text, label="pos", **more)


@pytest.mark.soak
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


def test_banned_words_are_not_written(engine):
    model = loaded(engine.model_path)
    head, tail = "Fruit: apple, pear\nFruit:", " apple, pear\nFruit: apple,"
    plain = model.draw(head, tail, 2, sampling=Sampling(0.01, max_tokens=3), seed=1)
    banned = model.draw(head, tail, 2, sampling=Sampling(0.01, max_tokens=3), seed=1, banned=[" pear"])
    assert any("pear" in draw.text for draw in plain)
    assert not any(" pear" in f" {draw.text}" for draw in banned)


def test_the_clearest_reviews_are_judged_right(engine):
    loved = asyncio.run(engine.judge(judge_prompt(SENTIMENT, "a wonderful , funny film ."), ["neg", "pos"]))
    hated = asyncio.run(engine.judge(judge_prompt(SENTIMENT, "a boring , awful mess ."), ["neg", "pos"]))
    assert (loved.best, hated.best) == ("pos", "neg")
    assert sum(loved.probabilities.values()) == pytest.approx(1)
    assert list(loved.probabilities) == ["neg", "pos"]


def test_examples_of_the_task_are_shown_with_the_labels_taking_turns(engine):
    rows = [Example("1", "cheap flights", "travel"), Example("2", "train fares", "travel")]
    rows += [Example("3", "goal in the last minute", "sport"), Example("4", "cup final", "sport")]
    task = task_of(["travel", "sport"], examples=rows)
    judged = asyncio.run(engine.judge(judge_prompt(task, "The striker scored twice."), task.labels))
    assert judged.best == "sport"


def test_the_likelihood_of_an_option_is_the_one_in_the_whole_distribution(engine):
    """The slow twin: ask for the distribution over all tokens and look the option's token up."""
    model = loaded(engine.model_path)
    head, tail = "Text: lovely\nLabel: positive\n\nText: awful\nLabel: negative\n\nText:", " superb\nLabel:"
    fast = [sum(tokens) for tokens in model.likelihoods(head, tail, [" positive", " negative"])]
    answer = model._ask(head + tail, max_tokens=1, temperature=0.0, n_probs=50_000)
    everything = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    slow = [next(t["logprob"] for t in everything if t["token"] == o) for o in (" positive", " negative")]
    assert fast == pytest.approx(slow, abs=1e-4)


def test_pairs_are_never_judged_by_the_small_model(engine):
    judged = asyncio.run(engine.judge(judge_prompt(PAIRS, "A claim.", context="Evidence."), PAIRS.labels))
    assert judged.best is None
    assert "pairs" in judged.refusal


def test_what_is_too_long_or_not_a_rewriting_is_refused_with_a_reason(engine):
    long = asyncio.run(engine.write(asked("word " * LONGEST_TO_WRITE), 2, SHORT))
    other = asyncio.run(engine.write(Prompt("triple.v1", SENTIMENT, TEXT), 2, SHORT))
    empty = asyncio.run(engine.write(asked("  "), 2, SHORT))
    review = asyncio.run(engine.judge(judge_prompt(SENTIMENT, "x" * (LONGEST_TO_JUDGE + 1)), ["neg", "pos"]))
    assert [w.texts for w in (long, other, empty)] == [(), (), ()]
    assert "too long" in long.refusals[0]
    assert "triple.v1" in other.refusals[0]
    assert "no text" in empty.refusals[0]
    assert "too long" in review.refusal


def test_the_model_says_why_when_a_text_does_not_fit(engine):
    with pytest.raises(CallFailed, match="context size"):
        loaded(engine.model_path).draw("Text:", " word" * 5000, 1, sampling=SHORT, seed=0)


def test_identity_names_the_file_by_its_hash(engine, tmp_path):
    copy = tmp_path / "other.gguf"
    copy.write_bytes(b"GGUF one")
    first = fingerprint(copy)
    copy.write_bytes(b"GGUF another")
    assert first != fingerprint(copy)
    assert engine.identity["sha256"] == fingerprint(engine.model_path)
    assert "xllamacpp" in engine.identity["back_end"]


def test_engines_share_one_loaded_model(engine):
    assert loaded(engine.model_path) is LocalEngine(engine.model_path, writer=None)._loaded()


def test_nothing_of_the_back_end_reaches_the_terminal(capfd):
    with serve(model_or_skip()):
        pass
    assert capfd.readouterr() == ("", "")


def test_files_that_are_no_models_are_told_apart(tmp_path):
    (tmp_path / "model.bin").write_bytes(b"\x80\x04pickle")
    with pytest.raises(SettingError, match="GGUF"):
        fingerprint(tmp_path / "model.bin")
    with pytest.raises(SettingError, match="cannot be read"):
        fingerprint(tmp_path / "none.gguf")


def test_a_missing_back_end_is_told_with_the_line_that_installs_it(monkeypatch, tmp_path):
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(gguf, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"longway\[local\]"):
        loaded(tmp_path / "m.gguf")
    with pytest.raises(Exception, match="engines install local"):
        LocalEngine()


def test_vectors_are_refused(engine):
    with pytest.raises(SettingError, match="vectors"):
        asyncio.run(engine.embed(["a"]))
