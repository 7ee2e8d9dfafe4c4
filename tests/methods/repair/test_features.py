"""Features of texts as numbers."""

from __future__ import annotations

import numpy as np

from longway.methods.repair.features import N_FEATURES, FeatureReader, number_of

TEXTS = ["It is not a film.", "A good day!", "", "a b c d e f g h i j k l m n o p"]


def read(texts, contexts=None, **options):
    return FeatureReader(texts, contexts, **options).read(texts, contexts)


def test_words_pairs_triples_and_ends_have_numbers():
    (found, *_) = read(TEXTS)
    for words, ends in [
        (["not"], {}),
        (["not", "a"], {}),
        (["is", "not", "a"], {}),
        (["it"], {"first": True}),
    ]:
        assert number_of(words, **ends) in found
    assert number_of(["good"]) not in found
    assert number_of(["a"], first=True) not in found
    assert number_of(["film", "."], last=True) in found


def test_numbers_do_not_depend_on_the_other_texts():
    alone, together = read(TEXTS[:1])[0], read(TEXTS)[0]
    words = [number_of([word]) for word in ("it", "is", "not", "a", "film")]
    assert set(words) <= set(alone.tolist()) & set(together.tolist())


def test_phrases_with_an_ignored_word_do_not_count():
    (_, found, *_) = read(TEXTS, ignored=["good"])
    assert number_of(["good"]) not in found
    assert number_of(["a", "good"]) not in found
    assert number_of(["day"]) in found


def test_negation_length_traits_and_overlap_are_features():
    texts = ["Ann sang.", "Ann did not sing!", *(f"word {'x ' * i}" for i in range(20))]
    contexts = ["Ann sang.", "Bob ate.", *[""] * 20]
    plain, denied = read(texts, contexts)[:2]
    only_denied = set(denied.tolist()) - set(plain.tolist())
    assert max(denied) < N_FEATURES
    # An exclamation mark, a negation, another length: beside the phrases.
    assert sum(number >= 1 << 22 for number in only_denied) >= 3


def test_each_feature_is_listed_once_in_order():
    for numbers in read(["a a a a", "b"]):
        assert np.array_equal(numbers, np.unique(numbers))
