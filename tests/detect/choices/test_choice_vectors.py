"""What the sentence encoder sees in candidates, with an encoder that counts letters."""

import numpy as np
import pytest

from longway.detect.choices.candidates import Candidates, Sets, fit
from longway.detect.choices.leak import (
    ENCODER,
    FOLDS,
    REPEATS,
    closeness,
    encoder_features,
    feature_sets,
    leak_of,
    leaks,
    repeated_hits,
    sampled,
    vectors_of,
    within,
)
from tests.detect.choices.quizzes import question, random_questions


class Letters:
    """Vectors of the counts of letters, scaled to length 1. A text has a token per letter."""

    def __init__(self):
        self.read = []

    def embedded(self, texts):
        self.read += texts
        counts = np.array([[text.count(chr(97 + i)) for i in range(26)] for text in texts], float)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-12)

    def n_tokens(self, texts):
        return np.array([len(text) for text in texts])


def test_each_text_is_read_once_and_has_its_own_vector():
    encoder = Letters()
    texts = ["bb", "a", "bb", "ab"]
    found = vectors_of(texts, encoder.embedded)
    assert sorted(encoder.read) == ["a", "ab", "bb"]
    assert found == pytest.approx(Letters().embedded(texts), abs=1e-6)


def test_the_budget_is_spent_on_a_random_part_of_the_questions():
    given = Candidates.of(random_questions(200))
    tokens = np.array([sum(len(text) for text in one.candidates) for one in given.questions])
    rows = sampled(given, Letters(), seed=0, budget=2000)
    assert 0 < tokens[rows].sum() <= 2000
    assert len(set(rows)) == len(rows) < 200
    assert rows.tolist() == sorted(rows) != list(range(len(rows)))
    assert sampled(given, Letters(), seed=0, budget=10**6).tolist() == list(range(200))


def test_closeness_is_the_mean_and_the_highest_cosine_with_the_others():
    sets = Sets(np.array([0, 3, 5]), np.array([0, 3]))
    vectors = Letters().embedded(["ab", "ac", "d", "aab", "b"])
    for start, end in ((0, 3), (3, 5)):
        for i in range(start, end):
            cosines = [float(vectors[i] @ vectors[j]) for j in range(start, end) if j != i]
            assert closeness(vectors, sets)[i] == pytest.approx([np.mean(cosines), max(cosines)])


def test_what_all_candidates_of_a_question_share_is_not_seen():
    sets = Sets(np.array([0, 3, 5]), np.array([0, 3]))
    values = np.random.default_rng(0).normal(size=(5, 4))
    shifted = values + np.repeat([[3.0], [-5.0]], [3, 2], axis=0)
    assert within(shifted, sets) == pytest.approx(within(values, sets))


def test_a_meaning_that_words_do_not_show_is_found():
    """The right option has most a's; every word occurs once."""
    random = np.random.default_rng(0)

    def word(letters):
        return "".join(random.choice(list(letters), 14))

    questions = [
        question(word("aaab"), word("bcde"), word("cdef"), prompt=f"{i}?", number=i) for i in range(80)
    ]
    found = leaks(Candidates.of(questions, "ranking"), columns=("o",), seed=0, encoder=Letters())
    assert found[ENCODER].accuracy > 0.75
    assert found["words"].accuracy == pytest.approx(1 / 3, abs=0.1)
    assert found[ENCODER].rows == 80


def test_the_leak_is_the_mean_of_cross_validations_done_by_hand():
    given = Candidates.of(random_questions(30, sizes=(2, 3)))
    features, penalty = feature_sets(given)["cues"]
    shares = []
    for seed in (4, *([4, number] for number in range(1, REPEATS))):
        fold = np.random.default_rng(seed).permutation(len(given.questions)) % FOLDS
        order = np.unique(given.group, return_inverse=True)[1]
        for i in range(len(given.questions)):
            learned, rows = given.sets.part(np.flatnonzero(fold[order] != fold[order][i]))
            weights = fit(features[rows], learned, penalty)
            mine = features[given.sets.starts[i] : given.sets.starts[i + 1]] @ weights
            right = given.sets.right[i] - given.sets.starts[i]
            best = np.flatnonzero(mine >= mine.max() - 1e-12)
            shares.append((right in best) / len(best))
    found = leaks(given, columns=("o",), seed=4)
    assert found["cues"].accuracy == pytest.approx(np.mean(shares))


def test_intervals_of_random_answers_contain_chance():
    """Many weak features and few questions, where rankers of different folds are related most."""
    random = np.random.default_rng(1)
    questions = random_questions(40, sizes=(3,))
    given = Candidates.of(questions)
    features = random.normal(size=(120, 10))
    missed = 0
    for _ in range(30):
        sets = Sets(given.sets.starts, given.sets.starts[:-1] + random.integers(3, size=40))
        drawn = Candidates(questions, sets, given.cues, given.group)
        hit = repeated_hits(features, 1.0, drawn, 0)
        leak = leak_of("cues", hit, drawn, ("o",), REPEATS)
        missed += not leak.low <= leak.majority <= leak.high
    assert missed <= 4


def test_repeating_narrows_the_interval():
    given = Candidates.of(random_questions(60))
    hit = np.full(60, 0.25)
    once, often = (leak_of("cues", hit, given, ("o",), repeats) for repeats in (1, REPEATS))
    assert often.high - often.low < once.high - once.low
    assert "repeated 5 times" in often.how
    assert "repeated" not in once.how


def test_penalties_are_those_of_cues_and_vectors():
    given = Candidates.of(random_questions(20))
    features, penalty = encoder_features(given, Letters())
    assert features.shape == (len(given.texts), len(penalty))
    assert (penalty == penalty[-1]).sum() == 26
