"""The opinion of the sentiment model on short texts: compared with its opinion of their sources, and only where it can have one."""

import numpy as np
import pytest

from longway.errors import RunError
from longway.models import sentiment
from longway.models.encoders import CachedEncoder
from longway.models.minilm import MiniLM
from longway.models.sentiment import SentimentHead, readable
from longway.task import task_of
from longway.verify.calibration import bounds
from longway.verify.check import Candidate
from longway.verify.counterbias import MOST_WORDS, SentimentCheck
from longway.verify.model_cache import ModelCache
from longway.verify.verifier import ADDED, verifier_for

TASK = task_of(["negative", "positive"])
SCORES = {
    "It is bad.": -2.0,
    "It is odd.": 0.5,
    "It is good.": 2.0,
    "It was shown.": 0.0,
    "It is fair.": 0.2,
    "It is bad. It is good.": 0.0,
}


def vectors(texts):
    """The score of each text, as a vector of one number."""
    return np.array([[SCORES[text]] for text in texts], np.float32)


def check(labels=()):
    head = SentimentHead(np.ones(1, np.float32), 0.0)
    return SentimentCheck(TASK.sides, labels, head, vectors, least=2.0, fall=0.5)


def candidate(before, after, label="negative", **more):
    return Candidate(0, before, after, label, keeps="label", **more)


@pytest.mark.parametrize(
    ("before", "after", "label", "passed"),
    [
        ("It is good.", "It is bad.", "negative", True),
        ("It is bad.", "It is good.", "positive", True),
        ("It is bad.", "It is odd.", "positive", False),  # 0.5, and half of a rise of 2.5
        ("It was shown.", "It is bad.", "negative", True),  # 2.0, and half of a rise of 2.0
        ("It was shown.", "It is odd.", "positive", False),
        ("It is good.", "It is good.", "negative", False),
        ("It is good.", "It is bad. It is good.", "negative", False),  # the last sentence is as it was
    ],
)
def test_the_label_must_be_likelier_than_before_in_every_sentence(before, after, label, passed):
    (found,) = check()([candidate(before, after, label)])
    assert found.passed is passed


def test_a_refusal_names_the_probabilities():
    (found,) = check()([candidate("It is good.", "It is odd.")])
    assert found.score == pytest.approx(0.38, abs=0.005)
    assert found.reason == "negative is 0.38 likely, 0.12 for its source, and 0.38 for a sentence of it"


def test_a_text_that_keeps_its_label_may_lose_a_little():
    (found,) = check(["positive"])([candidate("It is odd.", "It is fair.", "positive")])
    assert found.passed
    (found,) = check(["positive"])([candidate("It is good.", "It is odd.", "positive")])
    assert not found.passed


def test_what_was_put_in_on_purpose_is_not_judged():
    given = candidate("It is good.", "It is bad. Truly.", asides=frozenset({"Truly."}))
    assert check()([given])[0].passed


def test_long_texts_are_left_to_the_other_checks():
    assert check().concerns(candidate("", "bad " * MOST_WORDS))
    assert not check().concerns(candidate("", "bad " * (MOST_WORDS + 1)))


def names(verifier):
    return [check.name for check in verifier.checks]


@pytest.mark.parametrize(
    "labels", [["low", "high"], ["good", "positive"], ["negative", "neutral", "positive"]]
)
def test_only_labels_of_two_sides_are_judged(labels):
    assert "sentiment" not in names(verifier_for(task_of(labels), kind=ADDED, is_english=True))


def test_only_rows_added_to_english_sentiment_data_are_judged():
    assert "sentiment" in names(verifier_for(TASK, kind=ADDED, is_english=True))
    assert "sentiment" not in names(verifier_for(TASK, kind=ADDED))
    assert "sentiment" not in names(verifier_for(TASK, ["a", "b"], ["negative", "positive"], None))


def test_the_model_knows_praise_from_blame():
    encoder = CachedEncoder(MiniLM.load().rounded, ModelCache())
    model = SentimentCheck(TASK.sides, (), SentimentHead.load(), encoder, **bounds("sentiment"))
    praise, blame = "A wonderful, moving film.", "A dull, lifeless film."
    given = [candidate(praise, blame), candidate(blame, praise, "positive"), candidate(blame, praise)]
    assert [found.passed for found in model(given)] == [True, True, False]


def test_the_marks_of_a_treebank_make_no_difference():
    assert readable(["it 's a charming journey ."]) == ["it's a charming journey."]


def test_a_package_without_the_model_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(sentiment, "MODEL", tmp_path / "sentiment_model")
    with pytest.raises(RunError, match="Install longway again"):
        sentiment._load.__wrapped__()
