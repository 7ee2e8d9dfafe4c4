"""Places of right candidates, compared with an enumeration of all assignments."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.data.choices import Question
from longway.methods.choices.positions import REFERS, balanced, is_balanced, must_stay, new_order, refers


def spread(places, size):
    counts = Counter(places)
    return max(counts[i] for i in range(size)) - min(counts[i] for i in range(size))


@pytest.mark.parametrize(("size", "n", "n_fixed"), [(2, 5, 0), (3, 4, 2), (3, 5, 3), (4, 4, 1), (2, 6, 5)])
def test_places_are_as_equal_as_any_assignment_makes_them(size, n, n_fixed):
    places = [0] * n
    fixed = [i < n_fixed for i in range(n)]
    new = balanced(places, [size] * n, fixed, seed=3)
    free = n - n_fixed
    best = min(spread([*places[:n_fixed], *chosen], size) for chosen in product(range(size), repeat=free))
    assert spread(new, size) == best
    assert new[:n_fixed] == places[:n_fixed]


@given(st.lists(st.tuples(st.integers(2, 6), st.integers(0, 5)), max_size=60), st.integers(0, 99))
def test_each_number_of_candidates_is_balanced(questions, seed):
    sizes = [size for size, _ in questions]
    places = [right % size for size, right in questions]
    new = balanced(places, sizes, [False] * len(sizes), seed=seed)
    assert new == balanced(places, sizes, [False] * len(sizes), seed=seed)
    for size in set(sizes):
        assert spread([place for place, one in zip(new, sizes, strict=True) if one == size], size) <= 1


def question(*texts, right=0, prompt="", row=0):
    return Question("1", row, prompt, texts, right)


@given(st.integers(2, 6), st.data())
def test_a_new_order_has_every_candidate_once_and_the_right_one_at_its_place(n, data):
    one = question(*map(str, range(n)), right=data.draw(st.integers(0, n - 1)))
    place = data.draw(st.integers(0, n - 1))
    order = new_order(one, place, seed=data.draw(st.integers(0, 9)))
    assert sorted(order) == list(range(n))
    assert order[place] == one.right


def test_wrong_candidates_move_too():
    """In a sorted list the only one out of order would be the right one."""
    orders = {new_order(question("1", "2", "3", "4", row=row), 0, seed=0) for row in range(200)}
    assert len(orders) == 6  # 3! orders of the others


@pytest.mark.parametrize(
    "text",
    [
        "All of the above",
        "none of these",
        "Both A and B",
        "A, B and C",
        "B or C",
        "(A) and (C)",
        "Neither of the other options",
        "Option C",
        "the first choice",
        "as given above",
    ],
)
def test_options_that_refer_to_others_are_seen(text):
    assert refers(text)
    assert must_stay(question("red", text)) == REFERS


@pytest.mark.parametrize(
    "text",
    [
        "A cat and a dog",
        "I and II only",
        "vitamin",
        "Plan B worked",
        "above sea level",
        "he chose to answer",
        "both of his parents",
    ],
)
def test_ordinary_options_may_move(text):
    assert not must_stay(question("red", text))


def test_a_prompt_that_names_an_option_keeps_the_order():
    assert must_stay(question("red", "blue", prompt="Why is option B wrong?"))


def test_is_balanced_compares_questions_of_one_size():
    assert is_balanced(
        [question("a", "b", right=0), question("a", "b", right=1), question("a", "b", "c", right=0)]
    )
    assert not is_balanced([question("a", "b", right=0), question("a", "b", right=0)])
