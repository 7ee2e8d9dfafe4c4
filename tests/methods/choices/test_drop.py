"""Questions that are left out: the rules of found patterns must reach the goal, and nothing goes because of noise."""

import numpy as np

from longway.data.choices import Question
from longway.detect.choices.candidates import Candidates, hits
from longway.methods.choices.drop import choose


def questions(n, share, seed=0):
    """Options of two random words; in a share of the questions the right one is the only one with a capital letter."""
    draw = np.random.default_rng(seed)
    made = []
    for i in range(n):
        texts = [f"{draw.integers(10**6)} w{draw.integers(10**6)}" for _ in range(4)]
        right = int(draw.integers(4))
        marked = right if draw.random() < share else int(draw.integers(4))
        texts[marked] = f"X {texts[marked]}"
        made.append(Question(str(i), i, f"q{i}", tuple(texts), right))
    return made


def chosen(share, *, n=200, rules=False, rankers=()):
    given = Candidates.of(questions(n, share), "ranking")
    has = np.array([text.startswith("X") for text in given.texts])
    found = choose(
        given,
        goal=lambda chance: chance + 0.02,
        fewest=20,
        rankers=rankers,
        seed=0,
        rules=[has] if rules else [],
    )
    keep = np.array([at for at in range(n) if at not in found.margins])
    sets, rows = given.sets.part(keep)
    return found, float(hits(has[rows].astype(float), sets).mean())


def test_the_rule_of_a_found_pattern_reaches_the_goal():
    found, accuracy = chosen(0.1, n=600, rules=True)
    assert found.reached
    assert 0 < len(found.margins) < 120
    assert 0.26 < accuracy <= 0.27


def test_in_few_questions_a_rule_may_be_a_standard_error_above_chance():
    found, accuracy = chosen(0.1, rules=True)
    n = 200 - len(found.margins)
    assert found.margins
    assert 0.27 < accuracy <= 0.25 + (0.25 * 0.75 / n) ** 0.5


def test_a_ranker_that_is_clearly_better_than_chance_reaches_the_goal():
    found, accuracy = chosen(0.5, rankers=["cues"])
    assert found.reached
    assert accuracy < 0.3


def test_without_a_ranker_or_a_rule_nothing_is_left_out():
    found, accuracy = chosen(0.5)
    assert accuracy > 0.5
    assert found.margins == {}
    assert found.reached
