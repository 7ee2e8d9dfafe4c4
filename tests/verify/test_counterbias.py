"""The checks of texts that are added."""

from dataclasses import replace
from functools import partial
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.task import task_of
from longway.text.tokenizer import tokenize
from longway.verify.check import Candidate
from longway.verify.counterbias import (
    LabelShiftCheck,
    LikelyLabelCheck,
    likely_by_stance,
    likely_by_words,
    without,
    words_accuracy,
    words_needed,
)
from longway.verify.form_checks import KeptWordsCheck, NewContextCheck
from longway.verify.verifier import ADDED, passed, verifier_for


def candidate(after, *, label="negative", keep=(), before="Nancy is great here.", context=None):
    return Candidate(0, before, after, label, context, keeps="label", keep=frozenset(keep))


@pytest.mark.parametrize(
    ("after", "keep", "ok"),
    [
        ("Nancy is awful here.", ["nancy"], True),
        ("She is awful here.", ["nancy"], False),
        ("Nancy is awful.", ["nancy", "here"], False),
    ],
)
def test_spurious_words_must_still_be_there(after, keep, ok):
    (verdict,) = KeptWordsCheck()([candidate(after, keep=keep)])
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


def test_words_of_a_changed_context_are_looked_for_there():
    given = replace(
        candidate("She is outside.", context="A girl sits."), context_keep=frozenset({"outside", "girl"})
    )
    (verdict,) = KeptWordsCheck()([given])
    assert (verdict.reason, verdict.score) == ("'outside' went away", 0.5)


def test_a_text_without_words_to_keep_is_not_its_concern():
    assert not KeptWordsCheck().concerns(candidate("Anything."))


def shown(after, before, own="positive"):
    """The check with given probabilities of the label."""
    return LabelShiftCheck(
        "shown", lambda candidates: (np.array([after]), np.array([before])), [own], least=0.5, fall=0.5
    )


CHANCES = st.floats(0, 1)


@given(CHANCES, CHANCES, st.booleans())
def test_a_label_must_be_likely_and_likelier_than_before(after, before, stays):
    check = shown(after, before, own="negative" if stays else "positive")
    (verdict,) = check([candidate("Nancy is awful here.")])
    a, b = (np.log(p / (1 - p)) for p in np.clip([after, before], 0.001, 0.999))
    assert verdict.passed == (2 * a - b >= 0.5 or (stays and a - b >= -0.5))
    assert verdict.score == pytest.approx(after)
    assert bool(verdict.reason) != verdict.passed


def test_a_label_that_nobody_could_learn_is_refused():
    (verdict,) = shown(nan, 0.5)([candidate("It is bad.", label="mixed")])
    assert verdict.reason == "too few other rows have the label mixed to learn it from"


class Classifiers:
    """Classifiers that find a text negative if it has the word "awful"; texts they were shown are kept."""

    def __init__(self):
        self.shown = []

    def own(self, rows, texts, names):
        self.shown += texts
        return [(nan, 0.9 if "awful" in text else 0.2) for text in texts]


def test_classifiers_see_neither_text_with_its_spurious_words():
    classifiers = Classifiers()
    likely = partial(likely_by_words, classifiers)
    check = LabelShiftCheck("new label", likely, ["positive"], least=0.5, fall=0.5, shortest=3)
    changed = candidate("Nancy is awful here.", keep=["nancy"])
    assert check.concerns(changed)
    assert not check.concerns(candidate("Awful."))
    assert check([changed])[0].passed
    assert classifiers.shown == ["is awful here.", "is great here."]
    assert not check([candidate("Nancy is tall here.")])[0].passed


def test_a_source_is_judged_beside_its_own_context():
    class Entailment:
        def __init__(self):
            self.shown = []

        def likely(self, pairs, labels):
            self.shown += pairs
            return np.array([0.9 if context == "It rains." else 0.1 for context, _ in pairs])

    model = Entailment()
    likely = partial(likely_by_stance, model, ["The sun shines."])
    check = LabelShiftCheck("new entailment", likely, ["contradiction"], least=-0.8, fall=0.5)
    given = candidate("It is wet.", label="entailment", before="It is dry.", context="It rains.")
    assert check([given])[0].passed
    assert model.shown == [("It rains.", "It is wet."), ("The sun shines.", "It is dry.")]


def test_a_bag_of_words_decides_only_where_it_learns_the_labels():
    rng = np.random.default_rng(0)
    words = [" ".join(rng.choice(list("abcdefgh"), 12)) for _ in range(120)]
    labels = ["positive", "negative"] * 60
    clear = [
        f"{word} {'fine' if label == 'positive' else 'awful'}"
        for word, label in zip(words, labels, strict=True)
    ]
    task = task_of(["negative", "positive"])
    found, without_it = (verifier_for(task, texts, labels, kind=ADDED) for texts in (clear, words))
    (check,) = [check for check in found.checks if check.name == "new label"]
    assert "new label" not in [check.name for check in without_it.checks]
    assert without_it.missing[0].startswith("new label: a bag of words predicts ")
    assert words_accuracy(check.likely.args[0]) == 1.0
    assert words_needed(labels) == 0.75
    turned = Candidate(0, clear[0], clear[0].replace("fine", "awful"), "negative", keeps="label")
    same = Candidate(0, clear[0], clear[0] + " a", "negative", keeps="label")
    assert [passed(verdicts) for verdicts in found.verify([turned, same])] == [True, False]


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
        check.name
        for check in verifier_for(task_of(["negative", "positive"]), kind=ADDED, likely=likely).checks
    ]
    assert "new label" in names
    pairs = task_of(["SUPPORTS", "REFUTES"], context_name="evidence")
    assert "new label" not in [check.name for check in verifier_for(pairs, kind=ADDED, likely=likely).checks]


def test_the_verifier_refuses_copies_prompt_text_and_lost_words():
    verifier = verifier_for(task_of(["negative", "positive"]), kind=ADDED)
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
