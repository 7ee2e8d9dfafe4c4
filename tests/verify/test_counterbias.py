"""The checks of texts that are added."""

from math import nan
from types import SimpleNamespace

import numpy as np
import pytest

from longway.classify.classifier import Inputs
from longway.task import task_of
from longway.tokens.tokenizer import tokenize
from longway.verify.check import Candidate
from longway.verify.counterbias import (
    KeptWordsCheck,
    LikelyLabelCheck,
    NewContextCheck,
    NewLabelCheck,
    counterbias_verifier,
    without,
)
from longway.verify.verifier import passed


def candidate(after, *, label="negative", keep=(), before="Nancy is great here.", context=None):
    return Candidate(0, before, after, label, context, keeps="label", keep=frozenset(keep))


@pytest.mark.parametrize(
    ("after", "keep", "least", "ok"),
    [
        ("Nancy is awful here.", ["nancy"], 1.0, True),
        ("She is awful here.", ["nancy"], 1.0, False),
        ("Nancy is awful.", ["nancy", "here"], 1.0, False),
        ("Nancy is awful.", ["nancy", "here"], 0.5, True),
    ],
)
def test_spurious_words_must_still_be_there(after, keep, least, ok):
    (verdict,) = KeptWordsCheck(least)([candidate(after, keep=keep)])
    assert verdict.passed == ok
    assert ok or verdict.reason.endswith("went away")


@pytest.mark.parametrize("text", ["It’s bad, isn’t it?", "你好 世界", "a_b is bad", "e\u0301tude 😀"])
def test_words_are_cut_as_those_that_found_them_cut_them(text):
    words = tokenize(text)
    assert KeptWordsCheck()([candidate(text, keep=words)])[0].passed
    assert without(f"{text} so", words) == "so"


def test_a_word_of_the_context_is_not_kept_in_the_text():
    lost = candidate("She is asleep.", keep=["outside"], context="A girl sits outside.")
    assert KeptWordsCheck()([lost])[0].reason == "'outside' went away"


def test_a_text_without_words_to_keep_is_not_its_concern():
    assert not KeptWordsCheck().concerns(candidate("Anything."))


class Vote:
    """An ensemble that gives each text what a function of it says; texts it was shown are kept."""

    labels = ("negative", "positive")

    def __init__(self, said, own="positive"):
        self.said, self.data, self.shown = said, SimpleNamespace(labels=[own]), []

    def probabilities(self, rows, inputs):
        self.shown += inputs.texts
        return np.array([self.said(text) for text in inputs.texts]).transpose(1, 0, 2)


def votes(n_for, n):
    """(models, labels): so many models for "negative"."""
    return [[0.8, 0.2]] * n_for + [[0.2, 0.8]] * (n - n_for)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_a_majority_decides_and_must_not_have_said_so_before(n):
    for now in range(n + 1):
        for then in range(n + 1):
            vote = Vote(lambda text, now=now, then=then: votes(now if "awful" in text else then, n))
            (verdict,) = NewLabelCheck(vote)([candidate("Nancy is awful here.")])
            assert verdict.passed == (now > n / 2 >= then)
            assert verdict.score == pytest.approx((0.8 * now + 0.2 * (n - now)) / n)


def test_a_text_that_keeps_its_label_may_have_had_it_before():
    vote = Vote(lambda text: votes(3, 3), own="negative")
    assert NewLabelCheck(vote)([candidate("It is a bad one.")])[0].passed


def test_classifiers_see_neither_text_with_its_spurious_words():
    vote = Vote(lambda text: votes(3, 3) if "Nancy" not in text and "awful" in text else votes(0, 3))
    assert NewLabelCheck(vote)([candidate("Nancy is awful here.", keep=["nancy"])])[0].passed
    assert vote.shown == ["is awful here.", "is great here."]


def test_a_source_is_judged_beside_its_own_context():
    class Pairs(Vote):
        def probabilities(self, rows, inputs):
            self.shown += zip(inputs.texts, inputs.contexts, strict=True)
            return np.array([votes(3, 3)] * len(inputs)).transpose(1, 0, 2)

    vote = Pairs(None)
    vote.data.inputs = Inputs(["It is dry."], ["The sun shines."])
    NewLabelCheck(vote)([candidate("It is wet.", before="It is dry.", context="It rains.")])
    assert vote.shown == [("It is wet.", "It rains."), ("It is dry.", "The sun shines.")]


def test_a_context_that_was_written_anew_must_be_a_text_too():
    check = NewContextCheck(["SUPPORTS", "REFUTES"], ["The sun shines on the old town."])
    for context, reason in {
        "The sun shines on the new town.": "",
        "the sun shines on the old town": "",
        "Sure, here is the context: The sun shines.": "prompt text: 'Sure, here'",
        "It REFUTES that the sun shines on the town.": "the label's name 'REFUTES' came in",
        " ": "no text",
    }.items():
        found = candidate("It is dry.", context=context)
        assert check.concerns(found)
        assert check([found])[0].reason == reason
    assert not check.concerns(candidate("It is dry.", context="The sun shines on the old town."))


def test_least_asks_for_more_than_a_majority():
    vote = Vote(lambda text: [[0.6, 0.4] if "bad" in text else [0.4, 0.6]])
    assert NewLabelCheck(vote, least=0.7)([candidate("It is bad.")])[0].reason == (
        "the label negative is only 0.60 likely"
    )
    assert not NewLabelCheck(vote)([candidate("It is bad.", label="mixed")])[0].passed
    assert NewLabelCheck(vote)([candidate("It is bad.")])[0].passed


def test_a_label_that_classifiers_rule_out_is_refused():
    class Classifiers:
        def own(self, rows, texts, names):
            self.shown = texts
            return [
                (nan if name == "mixed" else 0.9 if "bad" in text else 0.1, nan)
                for text, name in zip(texts, names, strict=True)
            ]

    check = LikelyLabelCheck(Classifiers(), telling={"nancy drew"}, least=0.3)
    given = [
        candidate("Nancy Drew is bad."),
        candidate("Nancy Drew is on."),
        candidate("It is bad.", label="mixed"),
    ]
    assert [verdict.passed for verdict in check(given)] == [True, False, False]
    assert check(given)[1].reason == "the label negative is only 0.10 likely"
    assert check.classifiers.shown[0] == "is bad."


def test_a_repair_asks_the_classifiers_about_single_texts_only():
    likely = LikelyLabelCheck(None, telling=(), least=0.3)
    names = [
        check.name for check in counterbias_verifier(task_of(["negative", "positive"]), likely=likely).checks
    ]
    assert "new label" in names
    pairs = task_of(["SUPPORTS", "REFUTES"], context_name="evidence")
    assert "new label" not in [check.name for check in counterbias_verifier(pairs, likely=likely).checks]


def test_the_verifier_refuses_copies_prompt_text_and_lost_words():
    verifier = counterbias_verifier(task_of(["negative", "positive"]))
    texts = {
        "Nancy is great here.": "surface",
        "Sure, here is the text: Nancy is awful here.": "surface",
        "Peter is awful here.": "kept words",
        "Nancy is awful here.": None,
    }
    found = list(verifier.verify([candidate(text, keep=["nancy"]) for text in texts]))
    for verdicts, failed in zip(found, texts.values(), strict=True):
        assert passed(verdicts) == (failed is None)
        assert failed is None or verdicts[-1].check == failed
    assert verifier.missing == (
        "new label: no classifiers were given",
        "judge: no engine that can judge was given",
    )
