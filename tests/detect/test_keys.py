"""Keys of words and phrases, against looking at every place of every text."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longway.detect.people import inside_a_longer
from longway.text.corpus import Corpus, hash_of
from longway.text.keys import END, START, key_of, phrases, words_and_phrases

texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=9), min_size=1, max_size=6)


def block_of(texts):
    corpus = Corpus.from_texts([" ".join(text) for text in texts])
    (block,) = corpus.blocks()
    return block, corpus.vocabulary.hashes[block.codes]


@given(texts=texts, size=st.integers(1, 5))
def test_phrases_are_all_neighbouring_tokens_of_one_text_that_are_wanted(texts, size):
    block, hashes = block_of(texts)
    for unwanted in ("", "b"):
        wanted = None if not unwanted else hashes != np.uint64(hash_of(unwanted))
        found = phrases(block.rows(), hashes, size, wanted)
        expected, first = [], 0
        for row, text in enumerate(texts):
            for i in range(len(text) - size + 1):
                if unwanted not in text[i : i + size]:
                    expected.append((row, key_of(text[i : i + size]), first + i, first + i + size))
            first += len(text)
        assert list(zip(*(part.tolist() for part in found), strict=True)) == expected


@given(texts)
def test_ends_of_a_text_are_words_of_pairs_and_triples(texts):
    block, hashes = block_of(texts)
    found = words_and_phrases(block.lengths, hashes)
    for size, each in enumerate(found, start=1):
        marked = texts if size == 1 else [[START, *text, END] for text in texts]
        expected = [
            (row, key_of(text[i : i + size]))
            for row, text in enumerate(marked)
            for i in range(len(text) - size + 1)
        ]
        assert list(zip(each.row.tolist(), each.key.tolist(), strict=True)) == expected


def test_a_key_depends_on_words_and_their_order_alone():
    assert key_of(["not", "a"]) == -7713615289958021753  # in every process, and in runs of earlier versions
    assert len({key_of(words) for words in (["a"], ["a", "a"], ["a", "b"], ["b", "a"], ["ab"])}) == 5


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
