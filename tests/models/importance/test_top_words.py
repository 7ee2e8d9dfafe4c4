"""What several models look at: overlap and parts of speech, on scores made by hand."""

import numpy as np
import pytest

from longway.english.pipeline import load_pipeline
from longway.models.importance.top_words import group_of, overlap, parts_of_speech
from longway.models.importance.word_scores import MaskableText, WordScores


def scored(text, **scores):
    """A text whose named words have these scores."""
    words = MaskableText.of(text)
    values = np.array([float(scores.get(word, 0)) for word in words.words])
    return WordScores(words.words, words.spans, values, "yes")


def test_overlap_counts_texts_and_words_as_in_the_table_of_coba():
    first = "cats dogs birds", "red green blue"
    models = {
        "a": [scored(first[0], cats=2, dogs=1), scored(first[1], red=1)],
        "b": [scored(first[0], cats=2, birds=1), scored(first[1], green=1)],
        "c": [scored(first[0], cats=1, birds=2), scored(first[1], blue=1, green=-1)],
    }
    found = overlap(models, k=2)
    assert found.every == 0.5  # cats
    assert found.some == 0.5  # birds
    assert found.words == pytest.approx(2 / 6)  # cats and birds, of cats, dogs, birds, red, green, blue
    assert found.pairs == {
        "a + b": pytest.approx(1 / 6),  # (1/3 + 0) / 2
        "a + c": pytest.approx(1 / 6),
        "b + c": pytest.approx(1 / 2),
    }


def test_models_without_texts_have_no_overlap():
    assert overlap({"a": [], "b": []}).every == 0.0


def test_parts_of_speech_are_those_of_the_top_words():
    text = "The old sailor quickly sang a wonderful song to Maria."
    scores = [scored(text, sailor=5, sang=4, wonderful=3, quickly=2, to=1, song=0.5)]
    found = parts_of_speech({"model": scores}, [text], k=5)
    assert found == {"model": {"noun": 0.2, "verb": 0.2, "adjective or adverb": 0.4, "other": 0.2}}


def test_a_word_that_is_cut_differently_has_the_part_of_speech_of_its_larger_part():
    document = load_pipeline().analyse("It doesn't bore me.")
    assert group_of(document, (3, 10)) == "verb"
    assert group_of(document, (16, 18)) == "other"
    assert group_of(document, (90, 95)) == "other"
