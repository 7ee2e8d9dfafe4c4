"""Counting terms, against counting in plain Python."""

from hypothesis import given
from hypothesis import strategies as st

from longway.metrics.versions import compare_terms, term_counts

texts = st.lists(
    st.lists(st.sampled_from("no not never No, NOT. nothing".split()), max_size=6).map(" ".join), max_size=5
)


def occurrences(text, term):
    """Whole words, in lower case, marks left out."""
    words = [w.strip(".,").lower() for w in text.split()]
    return words.count(term)


@given(texts=texts, term=st.sampled_from(["no", "not", "never", "nothing"]))
def test_single_words_are_counted_as_in_plain_python(texts, term):
    counts = [occurrences(text, term) for text in texts]
    assert term_counts(texts, [term]) == [(sum(counts), sum(n > 0 for n in counts))]


def test_phrases_and_marks_are_counted_as_whole_words():
    found = term_counts(
        ["At no time, at no times.", "no time", "it isn’t"], ["at no time", "no time", ",", "isn't"]
    )
    assert found == [(1, 1), (2, 2), (1, 1), (1, 1)]


def test_a_term_without_words_is_nowhere():
    assert term_counts(["a b", ""], ["", " "]) == [(0, 0), (0, 0)]


def test_a_term_that_was_not_there_has_no_change():
    gone, new = compare_terms(["not", "not not"], ["new", ""], ["not", "new"])
    assert (gone.before, gone.texts_before, gone.after, gone.change) == (3, 2, 0, -1.0)
    assert new.change is None
    assert new.to_dict()["after"] == 1
