"""Wrong predictions: their saliency maps, and what the classifier predicts without the phrase of the rule."""

import numpy as np
import pytest

from longway.jobs.grammar.result import RuleRatio, WrongPrediction
from longway.models.bag_of_words import Linear
from longway.models.classifier import Inputs, Labelled
from longway.models.importance import word_importance
from longway.records import Example
from saliency import has_gradients, with_saliency, without_words
from tests.models.importance.toys import Rules

TREE = "(3 (14 (41 a/a) (32 man/woman)) (7 (78 sits/sits) (17 (49 ε/to) (50 ε/rest))))"
RULES = (RuleRatio("17 → 49 50", 3.0, "ε/to rest"),)


def wrong(mark):
    return WrongPrediction("1", "no", "yes", TREE, (mark,), RULES)


def pair(context="A man sits.", text="A woman sits to rest."):
    return Example("1", text, "no", context=context)


def test_the_map_has_the_words_with_the_highest_norms_where_they_are():
    texts = ["A woman sits to rest", "A man sits", "A dog sits to rest", "A dog runs"] * 6
    contexts = ["A man sits", "A man runs", "A dog sits", "A cat runs"] * 6
    model = Linear().fit(Labelled(Inputs(texts, contexts), ["yes", "no", "yes", "no"] * 6))
    row = Example("1", "A woman sits to rest", "no", context="A man sits")
    (found,) = with_saliency([wrong(0)], [row], model)
    (scores,) = word_importance(
        model, Inputs([row.text], [row.context]), method="ig", field="both", target="yes"
    )
    expected = sorted(scores.norms.tolist(), reverse=True)[:5]
    assert [word.norm for word in found.salient] == pytest.approx(expected)
    words = [getattr(row, word.field)[word.start : word.end].lower() for word in found.salient]
    assert words == [scores.words[i] for i in np.argsort(-scores.norms, kind="stable")[:5]]
    assert {word.field for word in found.salient} == {"text", "context"}


@pytest.mark.parametrize(
    ("mark", "weights", "expected"),
    [
        (6, {"rest": 3.0}, "no"),  # "to rest" is deleted
        (6, {"woman": 3.0}, "yes"),  # something else made it predict yes
        (2, {"woman": 3.0}, "no"),  # "a man/a woman"
    ],
)
def test_the_phrase_of_the_marked_rule_is_deleted_from_both_texts(mark, weights, expected):
    model = Rules(weights, bias=-1.0)
    (found,) = with_saliency([wrong(mark)], [pair()], model)
    assert found.without == expected
    context, text = {6: ("A man sits", "A woman sits"), 2: ("sits", "sits to rest")}[mark]
    assert [(t.rstrip(". "), c.rstrip(". ")) for t, c in model.asked] == [(text, context)]


def test_a_classifier_without_gradients_has_no_map_and_a_text_that_would_be_empty_no_answer():
    model = Rules({"rest": 1.0})
    assert not has_gradients(model)
    (found,) = with_saliency(
        [wrong(8)], [pair("A man sits", "A woman sits to rest")], model
    )  # the whole tree
    assert (found.salient, found.without, found.row.text) == ((), None, "A woman sits to rest")
    assert with_saliency([], [], model) == []


def test_words_that_are_not_found_are_not_deleted():
    assert without_words("İt is", {0}) is None  # two characters in lower case
    assert without_words("10/10, really", {1}) == "10 10, really"
