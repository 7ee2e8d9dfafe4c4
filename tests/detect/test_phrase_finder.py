"""Finding many phrases at once, against looking at every place of every text."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longway.detect.phrase_finder import PhraseFinder, inside_a_longer
from longway.text.corpus import Corpus

WORDS = list("abcd")
phrase = st.lists(st.sampled_from([*WORDS, "z"]), min_size=1, max_size=4).map(tuple)  # no text has a "z"
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=9), min_size=1, max_size=6)


@given(phrases=st.lists(phrase, unique=True, max_size=12), texts=texts)
def test_the_finder_sees_what_looking_everywhere_sees(phrases, texts):
    corpus = Corpus.from_texts([" ".join(text) for text in texts])
    (block,) = corpus.blocks()
    found = PhraseFinder(phrases, corpus.vocabulary.codes).find(block)
    expected, first = [], 0
    for text in texts:
        for i in range(len(text)):
            for j in range(i + 1, len(text) + 1):
                if tuple(text[i:j]) in phrases:
                    expected.append((first + i, first + j, phrases.index(tuple(text[i:j]))))
        first += len(text)
    assert sorted(zip(*(part.tolist() for part in found), strict=True)) == sorted(expected)


stretches = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 5)).map(lambda one: (one[0], one[0] + one[1])), unique=True
)


@given(stretches)
def test_a_stretch_inside_another_is_known_however_they_are_ordered(stretches):
    starts, stops = (np.array([one[i] for one in stretches], dtype=np.int64) for i in range(2))
    expected = [
        any(a <= start and stop <= b and (a, b) != (start, stop) for a, b in stretches)
        for start, stop in stretches
    ]
    assert inside_a_longer(starts, stops).tolist() == expected
