"""Sets of words that are enough for wrong answers, counted over the whole dataset."""

import numpy as np

from longway.detect.findings import recurring, recurring_sets
from longway.detect.words import SufficientDetector
from longway.models.importance.sufficient_words import Sufficient
from tests.conftest import reading_of

TEXTS = ["not good film", "good not", "a film", "good film day", "not a film", "film not good"] * 10
TEXTS = [f"{text} {i}" for i, text in enumerate(TEXTS)]
LABELS = ["no", "no", "yes", "yes", "yes", "no"] * 10


def enough(*words, row=0, by_default=False):
    return Sufficient(row, tuple(range(len(words))), words, "no", "yes", 9, exact=True, by_default=by_default)


def test_counts_are_those_of_texts_that_have_all_words_whatever_their_order():
    sets = [("good", "not"), ("film",), ("good",), ("never", "not")]
    reading = reading_of(TEXTS, LABELS)
    found = SufficientDetector(reading, "text", sets).count(reading)
    expected = {}
    for key, words in enumerate(sets):
        having = [label for text, label in zip(TEXTS, LABELS, strict=True) if set(words) <= set(text.split())]
        if 5 <= len(having) <= len(TEXTS) - 5:
            expected[key] = [having.count(label) for label in reading.label_names]
    assert dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True)) == expected
    assert expected[0] == [30, 0]


def test_the_matrix_says_which_texts_have_which_set():
    reading = reading_of(TEXTS, LABELS)
    detector = SufficientDetector(reading, "text", [("a", "film"), ("unheard",), ("day",)])
    (piece,) = reading.pieces()
    found = detector.matrix(piece, np.array([2, 0, 1])).toarray()
    expected = [["day" in text.split(), {"a", "film"} <= set(text.split()), False] for text in TEXTS]
    assert found.astype(bool).tolist() == expected
    assert detector.matrix(piece, np.array([], dtype=np.int64)).shape == (60, 0)


def test_sets_recur_where_several_wrong_answers_rest_on_them():
    found = [enough("not", "good", row=0), enough("good", "not", row=1), enough("film", row=2), None]
    assert recurring_sets(found) == {("good", "not"): 2}
    found += [enough("film", row=3, by_default=True)]  # no words at all would do: counts nothing
    assert recurring_sets(found, min_rows=1) == {("good", "not"): 2, ("film",): 1}


def test_what_recurs_and_is_tied_to_a_label_is_a_finding_with_its_figures():
    found = [enough("good", "not"), enough("not", "good", row=1), enough("film"), enough("film", row=1)]
    chosen = recurring(reading_of(TEXTS, LABELS), found)
    finding = chosen[0].finding
    assert (finding.level, finding.pattern.name, finding.label) == ("sufficient", "good + not", "no")
    assert (finding.count, finding.label_share, finding.base_rate) == (30, 1.0, 0.5)
    assert finding.q <= 0.05
    assert len(chosen[0].supporting) == 20
    assert recurring(reading_of(TEXTS, LABELS), []) == []


def test_labels_drawn_at_random_give_no_finding():
    labels = np.random.default_rng(0).permutation(LABELS).tolist()
    found = [enough("good", "not", row=i) for i in range(3)]
    assert recurring(reading_of(TEXTS, labels), found) == []
