"""Words and pairs of words as columns, against counting one by one."""

from collections import Counter
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.models.bag_of_words import WordFeatures, idf_of, tf_idf
from longway.models.classifier import Inputs
from longway.text.tokenizer import tokenize
from tests.models.toy import column_names

texts = st.lists(st.sampled_from("a b c d .".split()), max_size=6).map(" ".join)


def slow_columns(text, context):
    """The columns of one row, counted by hand."""
    words = tokenize(text)
    found = Counter(words) + Counter(f"{v} {w}" for v, w in pairwise(words))
    if context is not None:
        there = tokenize(context)
        found += Counter(f"({word})" for word in there)
        for word in words:
            mark = "+" if word in there else "-"
            found[f"{word}{mark}"] += 1
            found[mark] += 1
    return found


def rows_of(inputs):
    contexts = [None] * len(inputs) if inputs.contexts is None else inputs.contexts
    return [slow_columns(*row) for row in zip(inputs.texts, contexts, strict=True)]


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6), st.booleans())
def test_columns_equal_counting_one_by_one(pairs, with_contexts):
    inputs = Inputs([t for t, _ in pairs], [c for _, c in pairs] if with_contexts else None)
    features, counts = WordFeatures.learned(inputs)
    expected = rows_of(inputs)
    having = Counter(name for row in expected for name in row)
    # "a b" of one row and "a", "b" of two others: a pair is kept where two rows have the pair.
    names = column_names(features)
    assert sorted(names) == sorted(name for name, n in having.items() if n >= 2)
    for row, found in zip(expected, counts.toarray(), strict=True):
        assert found.tolist() == [row[name] for name in names]
    assert (features.counts(inputs) != counts).nnz == 0


@given(st.lists(texts, min_size=2, max_size=5))
def test_weights_equal_the_formula(some):
    _, counts = WordFeatures.learned(Inputs(some))
    weighted = tf_idf(counts, idf_of(counts)).toarray()
    dense = counts.toarray()
    n = len(some)
    for i, row in enumerate(dense):
        raw = [
            (1 + log(c)) * (1 + log((1 + n) / (1 + (dense[:, j] > 0).sum()))) if c else 0.0
            for j, c in enumerate(row)
        ]
        length = sqrt(sum(x * x for x in raw)) or 1
        np.testing.assert_allclose(weighted[i], [x / length for x in raw])


def test_new_words_have_no_column_but_still_count_as_shared():
    features, _ = WordFeatures.learned(Inputs(["a b", "a b"], ["a", "c"]))
    found = dict(
        zip(
            column_names(features), features.counts(Inputs(["x y"], ["x"])).toarray()[0].tolist(), strict=True
        )
    )
    assert {name: n for name, n in found.items() if n} == {"-": 1}  # "+" stood in one training row only


def test_texts_alone_do_not_fit_what_learned_from_pairs():
    features, _ = WordFeatures.learned(Inputs(["a"], ["b"]))
    with pytest.raises(SettingError, match="learned from pairs, got texts alone"):
        features.counts(Inputs(["a"]))
