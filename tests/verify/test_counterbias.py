"""The checks of texts that are added."""

import numpy as np
import pytest

from longway.task import task_of
from longway.verify.check import Candidate
from longway.verify.counterbias import KeptWords, NewLabel, counterbias_verifier
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
    (verdict,) = KeptWords(least)([candidate(after, keep=keep)])
    assert verdict.passed == ok
    assert ok or verdict.reason.endswith("went away")


def test_a_text_without_words_to_keep_is_not_its_concern():
    assert not KeptWords().concerns(candidate("Anything."))


@pytest.mark.parametrize("n", [1, 3, 5])
def test_a_majority_decides(n):
    for votes in range(n + 1):
        found = np.array([[[0.8, 0.2]]] * votes + [[[0.2, 0.8]]] * (n - votes)).reshape(n, 1, 2)
        (verdict,) = NewLabel(lambda rows, inputs, found=found: found, ["negative", "positive"])(
            [candidate("It is bad.")]
        )
        assert verdict.passed == (votes > n / 2)
        assert verdict.score == pytest.approx((0.8 * votes + 0.2 * (n - votes)) / n)


def test_least_asks_for_more_than_a_majority():
    check = NewLabel(lambda rows, inputs: np.array([[[0.6, 0.4]]]), ["negative", "positive"], least=0.7)
    assert check([candidate("It is bad.")])[0].reason == "the new label is only 0.60 likely"
    assert not check([candidate("It is bad.", label="mixed")])[0].passed


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
