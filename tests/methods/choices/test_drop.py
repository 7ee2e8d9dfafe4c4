"""Questions that are left out: the rules of found patterns must reach the goal, and nothing goes because of noise."""

import numpy as np

from longway.data.choices import Question
from longway.detect.choices.patterns import Candidates
from longway.detect.choices.ranker import hits
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


def chosen(share, *, rules):
    given = Candidates.of(questions(200, share))
    has = np.array([text.startswith("X") for text in given.texts])
    found = choose(
        given,
        is_ordered=False,
        goal=lambda chance: chance + 0.02,
        fewest=20,
        clear=(),
        seed=0,
        rules=[has] if rules else [],
    )
    keep = np.array([at for at in range(200) if at not in found.margins])
    sets, rows = given.sets.part(keep)
    return found, float(hits(has[rows].astype(float), sets).mean())


def test_the_rule_of_a_found_pattern_reaches_the_goal():
    found, accuracy = chosen(0.1, rules=True)
    assert found.reached
    assert 0 < len(found.margins) < 40
    assert accuracy <= 0.27


def test_a_pattern_that_was_not_found_costs_no_question():
    found, _ = chosen(0.0, rules=False)
    assert found.margins == {}
    assert found.reached
