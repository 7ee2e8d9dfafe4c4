"""Definition 1 and Lemma 1 of RAZOR, against brute force."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longway.models.classifier import Inputs, Labelled
from longway.models.importance import word_importance
from longway.models.importance.sufficient_words import sufficient_sets
from longway.models.importance.word_scores import MaskableText

from .toys import Rules, smallest_sets

MODEL = Rules({"good": 2.0, "bad": -2.5, "fine": 0.4}, together={("not", "good"): -4.0}, bias=-0.3)
WORDS = st.sampled_from(["good", "bad", "fine", "not", "film"])
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


def search(texts, labels, model=MODEL, contexts=None, field="text", **options):
    data = Labelled(Inputs(texts, contexts), labels)
    importance = word_importance(model, data.inputs, method="shapley", field=field)
    return sufficient_sets(model, data, importance, **options)


def wrong_label(text):
    return "no" if MODEL.predict(Inputs([text])) == ["yes"] else "yes"


@given(TEXTS)
def test_the_exact_search_finds_a_smallest_set(text):
    truth = wrong_label(text)
    (found,) = search([text], [truth])
    expected = smallest_sets(MODEL, text, "no" if truth == "yes" else "yes")
    assert (found.places in expected) if expected else found is None
    assert found is None or (found.exact and found.predicted != truth)


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_the_greedy_search_keeps_to_the_definition_and_spares_no_word(texts):
    labels = [wrong_label(text) for text in texts]
    for text, label, found in zip(texts, labels, search(texts, labels, exact_up_to=0), strict=True):
        answer = "no" if label == "yes" else "yes"
        if found is None:
            continue
        words = MaskableText.of(text)
        assert MODEL.predict(Inputs([without_the_rest(words, found.places)])) == [answer]  # Eq. 1
        assert found.predicted == answer != found.truth  # Eq. 2
        assert 1 <= len(found.places) <= len(words) - len(found.places)  # Eq. 3
        for place in found.places if len(found.places) > 1 else ():
            fewer = [other for other in found.places if other != place]
            assert MODEL.predict(Inputs([without_the_rest(words, fewer)])) != [answer]


def without_the_rest(words, places):
    return words.without(set(range(len(words))) - set(places))


def test_the_word_that_misleads_is_found_among_many():
    text = "a long and winding tale of two cities that is good to no end"
    (found,) = search([text], ["no"])
    assert (found.words, found.predicted, found.by_default) == (("good",), "yes", False)


def test_words_that_are_no_longer_needed_are_dropped():
    model = Rules({"fine": 1.0, "great": 3.0}, bias=-2.0)
    data = Labelled(Inputs(["fine and great was this old and rather long film"]), ["no"])
    scores = word_importance(model, data.inputs, method="shapley", target="yes")
    turned = type(scores[0])(scores[0].words, scores[0].spans, np.arange(10, 0, -1.0), "yes")
    (found,) = sufficient_sets(model, data, [turned], exact_up_to=0)
    assert found.words == ("great",)


def test_right_answers_and_single_words_have_no_set():
    assert search(["good film", "good", ""], ["yes", "no", "yes"]) == [None, None, None]


def test_an_answer_that_no_words_at_all_would_get_is_said_to_be_so():
    (found,) = search(["film day"], ["yes"])
    assert found.by_default


def test_the_context_stays_beside_the_words_of_the_text_and_the_other_way_round():
    model = Rules({"good": 1.0, "fine": 1.0}, bias=-1.5)
    texts, contexts = ["fine day in a town"], ["a good sea"]
    assert search(texts, ["no"], model, contexts)[0].words == ("fine",)
    assert search(texts, ["no"], model, contexts, field="context")[0].words == ("good",)


def test_rows_keep_their_numbers_whatever_the_group(monkeypatch):
    monkeypatch.setattr("longway.models.importance.sufficient_words.AT_ONCE", 2)
    data = Labelled(Inputs(["good film"] * 5), ["no", "yes", "no", "yes", "no"])
    importance = word_importance(MODEL, data.inputs, method="shapley")
    found = sufficient_sets(MODEL, data, importance)
    assert [one.row for one in found if one] == [0, 2, 4]
