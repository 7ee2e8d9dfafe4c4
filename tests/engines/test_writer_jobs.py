"""The writer that comes with the package, one short call for each of its jobs. Wordings differ between machines; what they must be like does not."""

import asyncio

import pytest

from longway.engines.engine import Sampling
from longway.engines.local import LocalEngine
from longway.engines.plausible import n_changed, refusal, words_of
from longway.engines.prompt import (
    alter_prompt,
    counterfactual_prompt,
    judge_prompt,
    perturb_prompt,
    realise_prompt,
    rewrite_prompt,
    triples_prompt,
)
from longway.english.people.demographics import parse_attribute
from longway.english.triples.triple import Triple, parse
from longway.task import task_of
from tests.engines.llama_cpp import model_or_skip

REVIEWS = task_of(["neg", "pos"])
PAIRS = task_of(["entailment", "neutral", "contradiction"], text_name="hypothesis", context_name="premise")
GREEDY = Sampling(temperature=0.0, max_tokens=40)
MILL = "The old mill near the river burned down in 1953."


@pytest.fixture(scope="module")
def engine():
    return LocalEngine(model_or_skip())


@pytest.fixture(scope="module")
def ask(engine):
    return lambda prompt, n=1, sampling=GREEDY: asyncio.run(engine.write(prompt, n, sampling)).texts


@pytest.fixture(scope="module")
def judge(engine):
    def judged(task, text, context=None):
        return asyncio.run(engine.judge(judge_prompt(task, text, context=context), task.labels)).best

    return judged


def test_a_text_is_rewritten_without_the_words_to_avoid(ask):
    prompt = rewrite_prompt(REVIEWS, MILL, label="neg", avoid=["near"])
    texts = ask(prompt, 3, Sampling(max_tokens=40))
    assert texts
    assert not any(refusal(MILL, text) for text in texts)
    assert "near" not in words_of(texts[0])


def test_counterfactuals_stand_in_the_order_of_how_likely_their_label_is(ask, engine):
    premise, hypothesis = "A man in a blue shirt is reading a newspaper on a bench.", "A man is sleeping."
    prompt = counterfactual_prompt(
        PAIRS, hypothesis, label="contradiction", target="neutral", context=premise
    )
    texts = ask(prompt, 4, Sampling(max_tokens=40))
    assert len(texts) > 1
    likely = [
        asyncio.run(engine.judge(judge_prompt(PAIRS, text, context=premise), PAIRS.labels)).probabilities[
            "neutral"
        ]
        for text in texts
    ]
    assert likely == sorted(likely, reverse=True)


def test_a_review_and_a_hypothesis_are_turned_by_few_words(ask):
    review = "The soup was cold and the waiter was rude."
    (praise,) = ask(counterfactual_prompt(REVIEWS, review, label="neg", target="pos"))
    assert 0 < n_changed(words_of(review), words_of(praise)) <= 5
    hypothesis = "A man is sleeping."
    prompt = counterfactual_prompt(
        PAIRS,
        hypothesis,
        label="entailment",
        target="contradiction",
        context="A tired man sleeps on a bench.",
    )
    (other,) = ask(prompt)
    assert 0 < n_changed(words_of(hypothesis), words_of(other)) <= 5


def test_a_sentence_becomes_triples_and_triples_become_a_sentence(ask):
    (taken,) = ask(triples_prompt(REVIEWS, "The soup was cold and the waiter was rude."))
    triples = parse(taken)
    assert {"cold", "rude"} <= set(words_of(taken))
    (text,) = ask(realise_prompt(REVIEWS, triples, label=None, text="An original."))
    assert {"soup", "cold", "waiter", "rude"} <= set(words_of(text))


def test_a_triple_is_altered(ask):
    triple = Triple("The soup", "was", "cold and bland")
    texts = ask(
        alter_prompt(REVIEWS, [triple], label="neg", target="pos", text="The soup was cold and bland."), 3
    )
    assert texts
    assert parse(texts[0])[0].subject == triple.subject


def test_a_triple_of_a_pair_becomes_a_sentence_that_the_context_contradicts(ask, judge):
    triple, premise = Triple("A man", "is sleeping on", "a bench"), "A man in a red coat sleeps on a bench."
    texts = ask(
        alter_prompt(
            PAIRS, [triple], label="entailment", target="contradiction", text=triple.text, context=premise
        )
    )
    (sentence,) = parse(texts[0], may_be_whole=True)
    assert sentence.is_whole
    assert judge(PAIRS, sentence.text, premise) == "contradiction"


def test_a_person_is_changed_and_nothing_else(ask):
    text = "The actress said that she had lost her keys."
    (changed,) = ask(perturb_prompt([text], (0, 22, 25), parse_attribute("man")))
    assert {"he", "his"} <= set(words_of(changed.removeprefix("1. ")))
    assert n_changed(words_of(text), words_of(changed.removeprefix("1. "))) <= 3


def test_the_clearest_reviews_and_pairs_are_judged_right(judge):
    assert judge(REVIEWS, "a wonderful , funny film .") == "pos"
    assert judge(REVIEWS, "a boring , awful mess .") == "neg"
    premise = "A man in a red coat sleeps on a bench."
    assert judge(PAIRS, "A man is sleeping.", premise) == "entailment"
    assert judge(PAIRS, "A man is running a race.", premise) == "contradiction"
    assert judge(PAIRS, "A tall man is sleeping because he is tired.", premise) == "neutral"
