"""Who writes: what the rules offer, in which order, the same each time; a model where the rules refuse."""

from types import SimpleNamespace

import pytest

from longway.data import load
from longway.data.dataset import examples_of
from longway.engines.engine import Sampling, Written
from longway.methods import parsed_texts
from longway.methods.method import RewriteRequest
from longway.methods.parsed_texts import LONGEST, ParsedTexts
from longway.methods.writers import FirstWriter, RuleWriter, writer_of
from longway.sample import sample_path
from longway.task import task_of
from longway.text.tokenizer import is_longer_than
from tests.methods.parts import Calls, model

PAIRS = task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence")
SENTIMENT = task_of(["negative", "positive"])
TEXT = "Anna Bell did not direct the 1999 film Blue Harbor."


def asked(text=TEXT, n=8, *, label="SUPPORTS", avoid=("not",), context="Some evidence.", **more):
    return RewriteRequest(0, text, label, n, context, avoid=avoid, **more)


def write(request=None, *, seed=0, task=PAIRS):
    (written,) = RuleWriter(task, seed)([request or asked()])
    return written


def test_texts_are_new_different_and_say_how():
    written = write()
    assert len(written.texts) == len(set(written.texts)) == len(written.how) == 8
    assert TEXT not in written.texts
    assert written.refusals == ()


def test_words_to_avoid_go_first_and_rules_are_spread():
    written = write(asked(n=4))
    assert all(" not " not in text for text in written.texts)
    assert len(set(written.how)) == 4


def test_the_same_request_has_the_same_answer_and_another_sample_another_order():
    assert write().texts == write().texts
    assert write(seed=1).texts != write().texts
    assert write(asked(sample=1)).texts != write().texts


def test_a_text_that_no_rule_knows_is_refused_with_a_reason():
    assert write(asked("Hm.")) == Written((), ("no rule applies to this text",))


@pytest.fixture(scope="module")
def long_text():
    """Reviews of the sample, one behind the other: 20 KB."""
    text = " ".join(one.text for one in examples_of(load(sample_path("reviews"))))[:20_000]
    assert len(text) == 20_000
    return text


def test_a_long_text_is_refused_before_it_is_parsed_and_others_are_written(monkeypatch, long_text):
    seen = []
    monkeypatch.setattr(parsed_texts, "read_all", lambda pipeline, texts: seen.extend(texts) or [])
    ParsedTexts().add([long_text, TEXT, TEXT])
    assert seen == [TEXT]
    monkeypatch.undo()
    long, other = RuleWriter(PAIRS)([asked(long_text), asked()])
    assert long == Written((), ("longer than 1,500 words: too long for the rules",))
    assert other == write()


@pytest.mark.parametrize("text", ["(" * 1501, "a " * 1501, "x" * 30_001])
def test_words_marks_and_letters_without_spaces_count(text):
    assert is_longer_than(text, LONGEST)
    assert not is_longer_than(text[: len(text) * 9 // 10], LONGEST)


def test_the_latest_parsed_texts_are_kept(monkeypatch):
    monkeypatch.setattr(parsed_texts, "MAX_CACHED", 2)
    monkeypatch.setattr(
        parsed_texts, "read_all", lambda pipeline, texts: [SimpleNamespace(text=text) for text in texts]
    )
    parse = ParsedTexts()
    parse.add(["one", "two", "three"])
    assert list(parse._documents) == ["two", "three"]
    assert parse("one").text == "one"


def test_texts_written_in_shards_elsewhere_are_the_same():
    requests = [asked(f"Anna Bell did not direct the {year} film Blue Harbor.") for year in range(1900, 1970)]
    shards = []

    def shard_map(function, parts):
        for part in parts:
            shards.append(len(part))
            yield function(part)

    assert list(RuleWriter(PAIRS, 0, shard_map)(requests)) == list(RuleWriter(PAIRS)(requests))
    assert shards == [64, 6]


def test_what_keeps_only_the_label_says_so():
    evidence = "Mira Sol (born 4 May 1959) is a Peruvian painter who has lived in Oslo since 1990."
    request = asked("Mira Sol is not a Peruvian painter.", 30, label="REFUTES", context=evidence)
    written = write(
        request, task=task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")
    )
    says_else = ["Peruvian painter" not in text for text in written.texts]
    assert any(says_else)
    assert all(how.startswith("label:") for how, other in zip(written.how, says_else, strict=True) if other)


def test_a_whole_text_is_turned_round():
    request = RewriteRequest(0, "It was not good.", "negative", 3, target="positive")
    written = write(request, task=SENTIMENT)
    assert written.texts[0] == "It was good."
    assert set(written.how) == {"rules.counterfactual"}


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (RewriteRequest(0, "It was long.", "negative", 1, target="positive"), "nothing in this text contradicts the label positive"),
        (RewriteRequest(0, "It was long.", "negative", 1, typical=()), "takes a language model"),
    ],
)  # fmt: skip
def test_what_the_rules_cannot_do_is_refused_with_a_reason(request_, reason):
    written = write(request_, task=SENTIMENT)
    assert written.texts == ()
    assert reason in written.refusals[0]


def test_a_model_writes_only_where_the_rules_have_nothing():
    prompts = []

    def ask(some, n, samplings):
        prompts.extend(prompt.text for prompt in some)
        return [Written(("What now?", "And now?"), ("one more was empty",)) for _ in some]

    both = FirstWriter(RuleWriter(PAIRS), model(ask, PAIRS, name="served:toy"))
    first, second = both([asked(), asked("Hm.")])
    assert first == write()
    assert prompts == ["Hm."]
    assert second.texts == ("What now?", "And now?")
    assert second.how == ("served:toy", "served:toy")
    assert second.refusals == ("rules: no rule applies to this text", "served:toy: one more was empty")
    assert both.name == "rules,served:toy"


def test_a_request_becomes_the_prompt_that_it_needs():
    seen = []

    def ask(prompts, n, samplings):
        seen.extend(zip(prompts, samplings, strict=True))
        return [Written((), ("no",))] * len(prompts)

    requests = [
        asked(refused=("A text.", "too short"), sample=3),
        asked(target="REFUTES"),
        asked(typical=("It is sad.",)),
    ]
    how = Sampling(0.1, 0.2, seed=4)
    list(model(ask, PAIRS, sampling=how, repeats=True)(requests))
    assert [prompt.kind for prompt, _ in seen] == ["rewrite", "counterfactual", "without"]
    assert seen[0][0].values["refused"] == ("A text.", "too short")
    assert (seen[0][1].temperature, seen[0][1].seed, seen[0][1].sample) == (0.1, 4, 3)
    seen.clear()
    list(model(ask, PAIRS)(requests[:1]))
    assert seen[0][0].values["refused"] is None


@pytest.mark.parametrize(
    ("name", "has_model", "expected"),
    [("none", False, None), ("rules", False, "rules"), ("served:toy", True, "served:toy"), ("rules,served:toy", True, "rules,served:toy")],
)  # fmt: skip
def test_a_name_says_who_writes(name, has_model, expected):
    writing = Calls(lambda *_: [], "served:toy") if has_model else None
    found = writer_of(name, PAIRS, writing=writing)
    assert (None if found is None else found.name) == expected
