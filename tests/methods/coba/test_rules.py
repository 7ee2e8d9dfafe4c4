"""The steps of CoBA by rules: what they make of triples, and what they say where they cannot."""

import pytest

from longway.english.triples.triple import Triple, numbered
from longway.methods.coba.steps import Alteration, Pick, Realisation, Split
from longway.methods.loop import Refused
from longway.methods.writers import FirstWriter, RuleWriter
from longway.task import task_of
from longway.text.tokenizer import tokenize
from tests.methods.parts import model

SENTIMENT = task_of(["negative", "positive"])
PAIRS = task_of(["entailment", "contradiction", "neutral"], text_name="hypothesis", context_name="premise")
TOPICS = task_of(["sport", "politics"])
PREMISE = "A man sleeps on a bench in the park."


def taken(step, task=SENTIMENT, seed=0):
    (answer,) = RuleWriter(task, seed).take([step])
    return answer


def alter(*triples, target="negative", label="positive", context=None, context_triples=(), keep=()):
    return Alteration(
        "some text",
        context,
        label=label,
        target=target,
        triples=[Triple(*parts) for parts in triples],
        context_triples=list(context_triples),
        keep=keep,
    )


def test_a_text_becomes_triples():
    context, text = taken(Split("The film was great. What now?"))
    assert context == []
    assert text == [Triple("The film", "was", "great"), Triple.whole("What now?")]


def test_a_pair_becomes_two_lists():
    context, text = taken(Split("A man is asleep.", PREMISE), PAIRS)
    assert context[0].predicate == "sleeps on"
    assert text[0].object == "asleep"


@pytest.mark.parametrize(
    ("step", "task", "reason"),
    [
        (Split("..."), SENTIMENT, "the text has no words"),
        (Split("It rains.", "..."), PAIRS, "the context has no words"),
        (alter(("The film", "was", "long")), SENTIMENT, "nothing in the principal triples contradicts the label negative"),
        (alter(("A", "is", "b"), target="sport", label="politics"), TOPICS, "no opposite of the label politics"),
        (alter(("A man", "is", "asleep"), target="neutral", label="entailment", context=PREMISE), PAIRS, "neutral to its context"),
        (Pick("x", pair=([], [])), SENTIMENT, "takes a language model"),
    ],
)  # fmt: skip
def test_what_the_rules_cannot_do_is_refused_with_a_reason(step, task, reason):
    answer = taken(step, task)
    assert isinstance(answer, Refused)
    assert reason in answer.reason


def test_triples_are_altered_in_their_places():
    subjects = [one.subject for one in taken(alter(("The film", "was", "great"), ("I", "loved", "it")))]
    assert subjects == ["The film", "I"]
    assert "great" not in numbered(taken(alter(("The film", "was", "great"))))


@pytest.mark.parametrize(
    ("label", "target", "triple", "expected"),
    [
        ("entailment", "contradiction", ("A man", "is sleeping", ""), "A man | is not sleeping |"),
        ("contradiction", "entailment", ("A man", "is not sleeping", ""), "A man | is sleeping |"),
        ("neutral", "entailment", ("A man", "is", "rich"), "A man | sleeps on | a bench"),
        ("neutral", "contradiction", ("A man", "is", "rich"), "A man | does not sleep on | a bench"),
    ],
)
def test_what_a_context_says_decides_for_pairs(monkeypatch, label, target, triple, expected):
    monkeypatch.setattr("longway.english.opposites.antonyms", lambda word, document: [])  # denials only
    found = {
        str(taken(alter(triple, target=target, label=label, context=PREMISE), PAIRS, seed)[0])
        for seed in range(8)
    }
    assert expected in found


def test_a_triple_in_which_nothing_speaks_for_the_other_side_stays_beside_others():
    assert (
        taken(alter(("The film", "was", "great"), ("The film", "was", "long")))[1].text == "The film was long"
    )


def test_words_to_keep_are_not_altered():
    (new,) = taken(alter(("A great film", "was", "funny"), keep=["great"]))
    assert "great" in new.text
    assert "funny" not in new.object.split()


def test_triples_become_a_text_joined_unless_that_is_the_source():
    triples = [Triple("The soup", "was", "cold"), Triple("The soup", "smelled", "odd")]
    joined = "The soup was cold and smelled odd."
    assert taken(Realisation("Another text.", triples=triples)) == (None, joined)
    assert taken(Realisation(joined, triples=triples)) == (None, "The soup was cold. The soup smelled odd.")


def test_a_text_has_every_word_of_its_triples():
    triples = [
        Triple("The soup", "was", "cold"),
        Triple("the soup", "was", "odd"),
        Triple("It", "rained", ""),
    ]
    _, text = taken(Realisation("Another text.", triples=triples, keep=["odd"]))
    assert {word for triple in triples for word in triple.words} <= set(tokenize(text))


def test_a_context_that_may_change_is_left_alone():
    of_context = Triple("A man", "sleeps", "")
    more = {"target": "contradiction", "label": "entailment", "context": "A man sleeps."}
    step = alter(("A man", "is", "asleep"), context_triples=[of_context], **more)
    kept, changed = taken(step, PAIRS)
    assert (kept.text, changed.text) == ("A man sleeps", "A man is not asleep")
    alone = taken(alter(context_triples=[of_context], **more), PAIRS)
    assert alone == Refused("the rules change the text of a pair, not its context")


def test_a_pair_becomes_a_context_and_a_text():
    step = Realisation(
        "Another text.",
        triples=[Triple("A man", "is", "asleep")],
        context_triples=[Triple("A man", "sleeps", "")],
    )
    assert taken(step, PAIRS) == ("A man sleeps.", "A man is asleep.")


def test_a_model_takes_the_steps_that_the_rules_refuse():
    from longway.engines.engine import Written

    prompts = []

    def ask(some, n, samplings):
        prompts.extend(some)
        return [Written(("1. It | is | odd",)) for _ in some]

    both = FirstWriter(RuleWriter(SENTIMENT), model(ask, SENTIMENT))
    by_rules, by_model = both.take([Split("The film was great."), Split("...")])
    assert by_rules == ([], [Triple("The film", "was", "great")])
    assert by_model == ([], [Triple("It", "is", "odd")])
    assert [prompt.text for prompt in prompts] == ["..."]
