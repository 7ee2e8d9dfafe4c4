"""Checks of pairs: new words against the context, and the entailment model's answer."""

import pytest

from longway.task import task_of
from longway.verify.content_checks import OtherLabelCheck
from longway.verify.form_checks import SameContextCheck
from longway.verify.model_cache import ModelCache
from longway.verify.model_checks import EntailmentCheck
from tests.verify.scenes import Stances, candidate, reason

TASK = task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence")
EVIDENCE = "Ann Lee was born in Oslo in 1968 and lives in Rome."


@pytest.mark.parametrize(
    ("before", "after", "label", "why"),
    [
        ("Ann Lee was born in 1971.", "Ann Lee was born in 1949.", "REFUTES", ""),
        ("Ann Lee was born in 1971.", "Ann Lee was born in 1968.", "REFUTES", "the context mentions '1968'"),
        ("Ann Lee was born in Paris.", "Ann Lee was born in Oslo.", "REFUTES", "the context mentions 'oslo'"),
        ("Ann Lee was not born in Oslo.", "Ann Lee was born in Paris.", "REFUTES", ""),
        ("Ann Lee is a painter.", "Ann Lee was born in Oslo in 1949.", "REFUTES", ""),
        ("Ann Lee was born in 1968.", "Ann Lee was born in the year 1968.", "SUPPORTS", ""),
        ("Ann Lee was born in Oslo.", "Ann Lee lives in Rome.", "SUPPORTS", ""),
        ("Ann Lee was born in Oslo.", "Ann Lee was born in Paris.", "SUPPORTS", "the context does not mention 'paris'"),
        ("Ann Lee was born in 1968.", "Ann Lee was not born in 1971.", "SUPPORTS", ""),
    ],
)  # fmt: skip
def test_what_is_new_must_not_make_another_label_true(before, after, label, why):
    assert reason(OtherLabelCheck(TASK), before, after, label=label, context=EVIDENCE, keeps="label") == why


def test_texts_that_keep_their_meaning_are_not_asked_for_new_words():
    assert (
        reason(
            OtherLabelCheck(TASK), "She was born.", "She lives in Rome.", label="REFUTES", context=EVIDENCE
        )
        == ""
    )


def test_the_context_must_be_the_rows_own():
    check = SameContextCheck(["one", "two"])
    assert reason(check, "a", "b", row=1, context="two") == ""
    assert reason(check, "a", "b", row=1, context="one") == "the context is not the row's own"
    assert reason(check, "a", "b", row=7, context="one") != ""


def entails(known, memory=None):
    return EntailmentCheck(
        TASK, Stances(known), memory or ModelCache(), least=0.5, share=0.8, mutual=0.9, least_label=0.6
    )


@pytest.mark.parametrize(
    ("old", "new", "keeps", "is_fine"),
    [
        ([0.1, 0.8, 0.1], [0.2, 0.7, 0.1], "meaning", True),  # as clear as before
        ([0.1, 0.8, 0.1], [0.7, 0.2, 0.1], "meaning", False),  # clearly supported now
        ([0.6, 0.3, 0.1], [0.6, 0.27, 0.1], "meaning", True),  # the model doubted the original as well
        ([0.6, 0.3, 0.1], [0.7, 0.2, 0.1], "meaning", False),  # and doubts this one more
        ([0.1, 0.8, 0.1], [0.2, 0.55, 0.2], "label", False),  # something else must be clearer
        ([0.6, 0.3, 0.1], [0.2, 0.65, 0.1], "label", True),
    ],
)
def test_a_refuted_claim_must_stay_refuted(old, new, keeps, is_fine):
    check = entails({"old": old, "new": new})
    check.mutual = 2.0
    verdict = check([candidate("old", "new", "REFUTES", context=EVIDENCE, keeps=keeps)])[0]
    assert verdict.passed == is_fine
    assert verdict.score == pytest.approx(new[1], abs=1e-6)


@pytest.mark.parametrize(("there", "back", "keeps", "is_fine"), [
    (0.95, 0.92, "meaning", True),
    (0.95, 0.5, "meaning", False),  # the new text says less
    (0.95, 0.92, "label", False),
])  # fmt: skip
def test_texts_that_entail_each_other_have_the_same_label(there, back, keeps, is_fine):
    doubted = {("E", "old"): [0.1, 0.8, 0.1], ("E", "new"): [0.7, 0.2, 0.1]}
    model = Stances({})
    model.probabilities = lambda pairs: [
        (doubted | {("old", "new"): [there, 0, 0], ("new", "old"): [back, 0, 0]})[pair] for pair in pairs
    ]
    check = EntailmentCheck(TASK, model, ModelCache(), least=0.5, share=0.8, mutual=0.9, least_label=0.6)
    assert check([candidate("old", "new", "REFUTES", context="E", keeps=keeps)])[0].passed == is_fine


def test_each_label_is_asked_for_its_own_stance():
    check = entails({"a": [0.9, 0.05, 0.05], "b": [0.8, 0.1, 0.1]})
    both = [candidate("a", "b", label, context=EVIDENCE) for label in ("SUPPORTS", "REFUTES")]
    assert [v.passed for v in check(both)] == [True, True]
    assert [round(v.score, 3) for v in check(both)] == [0.8, 0.1]


RTE = task_of(["entailment", "not_entailment"], text_name="hypothesis", context_name="premise")


@pytest.mark.parametrize(
    ("new", "keeps", "is_fine"),
    [
        ([0.1, 0.8, 0.1], "meaning", True),  # contradicted: that is not entailment
        ([0.1, 0.1, 0.8], "meaning", True),  # open: nor is that
        ([0.3, 0.35, 0.35], "label", True),  # the two together are enough
        ([0.8, 0.1, 0.1], "meaning", False),
    ],
)
def test_not_entailment_is_contradicted_or_open(new, keeps, is_fine):
    known = {"old": [0.1, 0.8, 0.1], "new": new}
    check = EntailmentCheck(
        RTE, Stances(known), ModelCache(), least=0.5, share=0.8, mutual=2.0, least_label=0.6
    )
    verdict = check([candidate("old", "new", "not_entailment", context=EVIDENCE, keeps=keeps)])[0]
    assert verdict.passed == is_fine
    assert verdict.score == pytest.approx(new[1] + new[2], abs=1e-6)
    assert is_fine or verdict.reason == "that the context does not entail it is 0.20 likely, 0.90 before"


def test_nothing_is_asked_for_no_candidates():
    assert entails({})([]) == []
