"""The engine that writes by rules: what it offers, in which order, the same each time."""

import asyncio
from types import SimpleNamespace

import pytest

from longway.data import load
from longway.data.dataset import examples_of
from longway.engines.engine import Sampling
from longway.engines.prompt import Prompt
from longway.engines.rules import LONGEST, RulesEngine, rules_version
from longway.sample import sample_path
from longway.task import task_of
from longway.text.tokenizer import is_longer_than

PAIRS = task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence")
TEXT = "Anna Bell did not direct the 1999 film Blue Harbor."


@pytest.fixture(scope="module")
def engine():
    return RulesEngine(model="longway")


def write(
    engine, text=TEXT, n=8, *, label="SUPPORTS", avoid=("not",), sampling=None, context="Some evidence."
):
    prompt = Prompt("rewrite.v2", PAIRS, text, context, label, avoid)
    return asyncio.run(engine.write(prompt, n, sampling or Sampling()))


def test_texts_are_new_different_and_say_how(engine):
    written = write(engine)
    assert len(written.texts) == len(set(written.texts)) == len(written.how) == 8
    assert TEXT not in written.texts
    assert written.refusals == ()
    assert written.usage.cost == 0


def test_telling_words_go_first_and_rules_are_spread(engine):
    written = write(engine, n=4)
    assert all(" not " not in text for text in written.texts)
    assert len(set(written.how)) == 4


def test_the_same_question_has_the_same_answer_and_another_sample_another_order(engine):
    again = write(RulesEngine(model="longway"))
    assert write(engine).texts == again.texts
    assert write(RulesEngine(1, model="longway")).texts != again.texts
    assert write(engine, sampling=Sampling(sample=1)).texts != again.texts


def test_a_text_that_no_rule_knows_is_refused_with_a_reason(engine):
    written = write(engine, text="Hm.")
    assert written.texts == ()
    assert written.refusals == ("no rule applies to this text",)


@pytest.fixture(scope="module")
def long_text():
    """Reviews of the sample, one behind the other: 20 KB."""
    text = " ".join(one.text for one in examples_of(load(sample_path("reviews"))))[:20_000]
    assert len(text) == 20_000
    return text


@pytest.mark.parametrize("template", ["rewrite.v2", "triples.v2"])
def test_a_long_text_is_refused_before_it_is_analysed(monkeypatch, long_text, template):
    fresh = RulesEngine(model="longway")
    seen = []
    monkeypatch.setattr(
        fresh, "_english", SimpleNamespace(analyse_all=lambda texts, **_: seen.extend(texts) or [])
    )
    prompt = Prompt(template, task_of(["negative", "positive"]), long_text, None, "positive", ("the",))
    fresh.prepare([prompt])
    written = asyncio.run(fresh.write(prompt, 4, Sampling()))
    assert (written.texts, written.refusals) == ((), ("longer than 1,500 words: too long for the rules",))
    assert seen == []


@pytest.mark.parametrize("text", ["(" * 1501, "a " * 1501, "x" * 30_001])
def test_words_marks_and_letters_without_spaces_count(text):
    assert is_longer_than(text, LONGEST)
    assert not is_longer_than(text[: len(text) * 9 // 10], LONGEST)


def test_a_long_text_among_others_is_left_alone(engine, long_text):
    fresh = RulesEngine(model="longway")
    prompts = [Prompt("rewrite.v2", PAIRS, text, "c", "SUPPORTS", ("not",)) for text in (long_text, TEXT)]
    fresh.prepare(prompts)
    assert write(fresh, long_text, context="c").texts == ()
    assert write(fresh, context="c").texts == write(engine, context="c").texts


def test_texts_prepared_together_are_written_the_same(engine):
    fresh = RulesEngine(model="longway")
    prompts = [
        Prompt("rewrite.v2", PAIRS, text, "c", "SUPPORTS", ("not",)) for text in (TEXT, "A man sleeps.", TEXT)
    ]
    fresh.prepare(prompts)
    assert [write(fresh, p.text, context="c").texts for p in prompts] == [
        write(engine, p.text, context="c").texts for p in prompts
    ]


def test_what_keeps_only_the_label_says_so(engine):
    claims = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")
    evidence = "Mira Sol (born 4 May 1959) is a Peruvian painter who has lived in Oslo since 1990."
    prompt = Prompt(
        "rewrite.v2", claims, "Mira Sol is not a Peruvian painter.", evidence, "REFUTES", ("not",)
    )
    written = asyncio.run(engine.write(prompt, 30, Sampling()))
    says_else = ["Peruvian painter" not in text for text in written.texts]
    assert any(says_else)
    assert all(how.startswith("label:") for how, other in zip(written.how, says_else, strict=True) if other)


def test_it_does_not_judge(engine):
    judged = asyncio.run(engine.judge(Prompt("judge.v2", PAIRS, TEXT), ["REFUTES", "SUPPORTS"]))
    assert judged.best is None
    assert "cannot judge" in judged.refusal
    assert engine.can == {"write"}


def test_identity_names_all_that_shapes_the_answers(engine):
    assert engine.identity["rules"] == rules_version()
    assert engine.identity["seed"] == 0
    assert RulesEngine(3, model="longway").identity != engine.identity


def test_closing_forgets_the_analyses():
    fresh = RulesEngine(model="longway")
    write(fresh)
    asyncio.run(fresh.close())
    assert fresh._documents == {}
