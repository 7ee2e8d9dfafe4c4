"""The rules engine asked about triples: what it answers, and what it says where it cannot."""

import asyncio
from dataclasses import replace

import pytest

from longway.engines.engine import Sampling
from longway.engines.prompt import Prompt
from longway.engines.rules import RulesEngine, _texts_of, rules_version
from longway.english.triples.triple import parse, parse_pair
from longway.task import task_of
from longway.text.tokenizer import tokenize

SENTIMENT = task_of(["negative", "positive"])
PAIRS = task_of(["entailment", "contradiction", "neutral"], text_name="hypothesis", context_name="premise")
TOPICS = task_of(["sport", "politics"])
PREMISE = "A man sleeps on a bench in the park."


@pytest.fixture(scope="module")
def engine():
    return RulesEngine(model="longway")


def ask(engine, prompt, n=1):
    return asyncio.run(engine.write(prompt, n, Sampling()))


def alter(triples, target, *, task=SENTIMENT, label="positive", context=None, keep=()):
    values = {"triples": triples, "target": target, "keep": list(keep)}
    return Prompt("alter.v2", task, "some text", context, label, values=values)


def test_a_text_becomes_numbered_triples(engine):
    written = ask(engine, Prompt("triples.v2", SENTIMENT, "The film was great. What now?"))
    assert written.texts == ("1. The film | was | great\n2. |  | What now?",)
    assert len(parse(written.texts[0], may_be_whole=True)) == 2
    assert written.usage.cost == 0


def test_a_pair_becomes_two_lists(engine):
    written = ask(engine, Prompt("triples.v2", PAIRS, "A man is asleep.", PREMISE))
    context, text = parse_pair(written.texts[0])
    assert context[0].predicate == "sleeps on"
    assert text[0].object == "asleep"


def test_a_text_without_words_is_refused(engine):
    assert ask(engine, Prompt("triples.v2", SENTIMENT, "...")).refusals == ("the text has no words",)


def test_triples_are_altered_in_several_ways(engine):
    written = ask(engine, alter([["The film", "was", "great"], ["I", "loved", "it"]], "negative"), n=3)
    assert len(set(written.texts)) == 3
    for answer in written.texts:
        assert [t.subject for t in parse(answer, n=2)] == ["The film", "I"]
        assert "great" not in answer


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        (alter([["The film", "was", "long"]], "negative"), "nothing in the principal triples contradicts the label negative"),
        (alter([["A", "is", "b"]], "sport", task=TOPICS, label="politics"), "no opposite of the label politics"),
        (alter([["A man", "is", "asleep"]], "neutral", task=PAIRS, label="entailment", context=PREMISE), "neutral to its context"),
        (Prompt("identify.v2", SENTIMENT, "x"), "takes a language model"),
    ],
)  # fmt: skip
def test_what_the_rules_cannot_do_is_refused_with_a_reason(engine, prompt, reason):
    written = ask(engine, prompt)
    assert written.texts == ()
    assert len(written.refusals) == 1
    assert reason in written.refusals[0]


@pytest.mark.parametrize(
    ("label", "target", "triple", "expected"),
    [
        ("entailment", "contradiction", ["A man", "is sleeping", ""], "1. A man | is not sleeping |"),
        ("contradiction", "entailment", ["A man", "is not sleeping", ""], "1. A man | is sleeping |"),
        ("neutral", "entailment", ["A man", "is", "rich"], "1. A man | sleeps on | a bench"),
        ("neutral", "contradiction", ["A man", "is", "rich"], "1. A man | does not sleep on | a bench"),
    ],
)
def test_what_a_context_says_decides_for_pairs(engine, monkeypatch, label, target, triple, expected):
    monkeypatch.setattr("longway.english.opposites.antonyms", lambda word, document: [])  # denials only
    written = ask(engine, alter([triple], target, task=PAIRS, label=label, context=PREMISE), n=4)
    assert expected in written.texts


def test_a_triple_in_which_nothing_speaks_for_the_other_side_stays_beside_others(engine):
    written = ask(engine, alter([["The film", "was", "great"], ["The film", "was", "long"]], "negative"))
    assert parse(written.texts[0], n=2)[1].text == "The film was long"


def test_words_to_keep_are_not_altered(engine):
    written = ask(engine, alter([["A great film", "was", "funny"]], "negative", keep=["great"]))
    assert "great" in written.texts[0]
    assert "funny" not in parse(written.texts[0])[0].object.split()


def test_triples_become_texts_joined_and_apart(engine):
    values = {
        "triples": [["The soup", "was", "cold"], ["The soup", "smelled", "odd"]],
        "context_triples": None,
    }
    written = ask(engine, Prompt("realise.v2", SENTIMENT, "Another text.", values=values), n=3)
    assert written.texts == ("The soup was cold and smelled odd.", "The soup was cold. The soup smelled odd.")


def test_a_text_has_every_word_of_its_triples(engine):
    triples = [
        ["The soup", "was", "cold"],
        ["the soup", "was", "odd"],
        ["It", "rained", ""],
    ]
    values = {"triples": triples, "keep": ["odd"], "context_triples": None, "context_keep": []}
    for text in ask(engine, Prompt("realise.v2", SENTIMENT, "Another text.", values=values), n=3).texts:
        assert {word for parts in triples for word in tokenize(" ".join(parts))} <= set(tokenize(text))


def test_a_context_that_may_change_is_left_alone(engine):
    given = alter(
        [["A man", "is", "asleep"]], "contradiction", task=PAIRS, label="entailment", context="A man sleeps."
    )
    values = {**given.values, "context_triples": [["A man", "sleeps", ""]]}
    (first,) = ask(engine, replace(given, values=values)).texts
    kept, changed = parse(first, n=2)
    assert (kept.text, changed.text) == ("A man sleeps", "A man is not asleep")
    alone = replace(given, values={**values, "triples": []})
    assert ask(engine, alone).refusals == ("the rules change the text of a pair, not its context",)


def test_a_pair_becomes_two_lines(engine):
    values = {"triples": [["A man", "is", "asleep"]], "context_triples": [["A man", "sleeps", ""]]}
    written = ask(engine, Prompt("realise.v2", PAIRS, "Another text.", values=values))
    assert written.texts == ("context: A man sleeps.\ntext: A man is asleep.",)


def test_a_whole_text_is_turned_round(engine):
    prompt = Prompt(
        "counterfactual.v2", SENTIMENT, "It was not good.", label="negative", values={"target": "positive"}
    )
    assert ask(engine, prompt).texts == ("It was good.",)


def test_triples_are_analysed_together_beforehand(engine):
    prompt = alter([["The film", "was", "great"]], "negative")
    assert _texts_of(prompt) == ["The film was great."]
    engine.prepare([prompt])
    assert "The film was great." in engine._documents


@pytest.mark.parametrize(
    "name", ["opposites.tsv", "triples/oppose.py", "people/pronouns.py", "listed_words.toml"]
)
def test_the_identity_covers_the_english_code_and_word_lists(name, tmp_path, monkeypatch):
    for path in (name, "README.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("before", encoding="utf-8")
    monkeypatch.setattr("longway.engines.rules.ENGLISH_FOLDER", tmp_path)
    before = rules_version.__wrapped__()
    (tmp_path / "README.md").write_text("after", encoding="utf-8")
    assert rules_version.__wrapped__() == before
    (tmp_path / name).write_text("after", encoding="utf-8")
    assert rules_version.__wrapped__() != before
