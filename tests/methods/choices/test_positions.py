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


REFERENCES = [
    "All of the above", "none of these", "Both A and B", "A, B and C", "B or C", "(A) and (C)", "Neither of the other options",
    "Option C", "the first choice", "as given above", "Only B is true", "Both are correct", "Both", "Neither",
    "Neither.", "Both (1) and (2)", "1 and 3", "same as A", "Same as (B)", "the latter", "The former",
    "More than one of these", "More than one of the above", "B is correct but not C", "A but not B",
    "B only", "Only A", "All except D", "Neither A nor B", "Either A or B", "All are correct", "None is true",
    "A and B are correct", "It is true that B is wrong", "Todas las anteriores", "Ninguna de las anteriores",
    "Ambas son correctas", "A y B son correctas", "Alle genannten", "Keine der genannten", "Keine der genannten Antworten",
    "Alle Antworten sind richtig", "Nichts davon", "Toutes ces réponses", "Aucune de ces réponses", "Toutes les réponses sont correctes",
    "Todas as anteriores", "Nenhuma das alternativas anteriores", "Tutte le precedenti", "Nessuna delle precedenti",
    "Все перечисленное", "Ничего из перечисленного", "Все ответы верны", "以上皆是", "以上都不是", "以上皆非", "上記すべて",
    "上記のいずれでもない", "Alle bovenstaande", "Geen van de bovenstaande", "Wszystkie powyższe", "Żadna z powyższych",
    "Yukarıdakilerin hepsi", "Hiçbiri", "جميع ما سبق", "위의 모두",
]  # fmt: skip
ORDINARY = [
    "A cat and a dog", "A dog", "vitamin", "vitamin A", "Vitamins A and C", "Vitamin A or vitamin C",
    "hepatitis C", "hepatitis B or C", "Plan B worked", "Plan A is better than nothing", "above sea level",
    "he chose to answer", "both of his parents", "I and II only", "Both sides of the road", "Neither rain nor snow",
    "None of his friends came", "All dogs bark", "Only a few of the trees", "Only A-level students",
    "Not A problem", "the former president", "the latter half of the century", "A is for apple", "Grade B beef",
    "Group A streptococcus", "12 and 15", "3.5", "-2", "the 1 and only", "Type O blood", "B cells", "C major",
    "F and G", "same as always", "Todo el mundo", "Alle Hunde", "Toutes les semaines", "Все люди", "以上の年齢",
    "両親", "all morning long", "any two points", "One of the brothers", "Some of the water evaporates",
    "Two of the planets", "The line AB", "E. coli", "any correct statement of the rule", "AB", "A", "O",
]  # fmt: skip


@pytest.mark.parametrize("text", REFERENCES)
def test_options_that_refer_to_others_are_seen(text):
    assert refers(text)
    assert must_stay(question("red", "blue", "green", text)) == REFERS


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_options_may_move(text):
    assert not must_stay(question("red", "blue", "green", text))


def test_letters_and_numbers_beyond_the_options_are_no_references():
    assert refers("F and G", n=7)
    assert not refers("F and G", n=6)
    assert not refers("5 and 8", n=4)


def test_a_prompt_that_names_an_option_keeps_the_order():
    assert must_stay(question("red", "blue", prompt="Why is option B wrong?"))


def test_is_balanced_compares_questions_of_one_size():
    assert is_balanced(
        [question("a", "b", right=0), question("a", "b", right=1), question("a", "b", "c", right=0)]
    )
    assert not is_balanced([question("a", "b", right=0), question("a", "b", right=0)])
