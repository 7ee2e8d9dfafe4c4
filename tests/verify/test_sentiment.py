"""The embedded model's opinion of short texts: asked once for each text, and only where it is good at it."""

import numpy as np
import pytest

from longway.engines.engine import Engine, Judgement
from longway.engines.local import LocalEngine
from longway.task import task_of
from longway.verify.check import Candidate
from longway.verify.counterbias import counterbias_verifier
from longway.verify.model_cache import ModelCache
from longway.verify.model_checks import MOST_WORDS, SentimentCheck
from longway.verify.verifier import verifier_for

TASK = task_of(["negative", "positive"])


def candidate(text, label="negative"):
    return Candidate(0, "It was shown.", text, label, keeps="label")


class Scripted(Engine):
    """Takes texts with "bad" for negative and has no opinion of texts with "hm"."""

    name, can = "scripted", frozenset({"judge"})

    def __init__(self):
        self.asked = []

    async def judge(self, prompt, options):
        self.asked.append(prompt.text)
        if "hm" in prompt.text:
            return Judgement({}, "no opinion")
        p = 0.95 if "bad" in prompt.text else 0.2
        return Judgement({"negative": p, "positive": 1 - p})


def checked(*texts, model=None):
    check = SentimentCheck(TASK, model or Scripted(), ModelCache(), least=0.9)
    return check([candidate(text) for text in texts])


def test_the_label_must_be_likely():
    first, second, third = checked("It is bad.", "It is good.", "hm")
    assert first.passed
    assert first.score == pytest.approx(0.95)
    assert (second.passed, second.reason) == (False, "negative is only 0.20 likely")
    assert not third.passed


def test_equal_texts_are_judged_once():
    model = Scripted()
    checked("It is bad.", "It is bad.", "It is good.", model=model)
    assert sorted(model.asked) == ["It is bad.", "It is good."]


def test_long_texts_are_left_to_the_other_checks():
    check = SentimentCheck(TASK, Scripted(), ModelCache(), least=0.9)
    assert check.concerns(candidate("bad " * MOST_WORDS))
    assert not check.concerns(candidate("bad " * (MOST_WORDS + 1)))


def names(verifier):
    return [check.name for check in verifier.checks]


def test_only_rows_added_to_english_sentiment_data_are_judged():
    assert "sentiment" in names(counterbias_verifier(TASK, is_english=True))
    assert "sentiment" not in names(counterbias_verifier(TASK))
    assert "sentiment" not in names(counterbias_verifier(task_of(["low", "high"]), is_english=True))
    assert "sentiment" not in names(
        verifier_for(TASK, ["a", "b"], ["negative", "positive"], None, is_english=True)
    )


def test_the_embedded_model_knows_praise_from_blame():
    check = SentimentCheck(TASK, LocalEngine(), ModelCache(), least=0.9)
    good, bad = (
        candidate(text, label=label)
        for text, label in (("A wonderful, moving film.", "positive"), ("A dull, lifeless film.", "negative"))
    )
    wrong = candidate("A wonderful, moving film.", label="negative")
    assert np.array_equal([v.passed for v in check([good, bad, wrong])], [True, True, False])
