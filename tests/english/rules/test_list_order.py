"""Order of lists."""

import pytest

from longway.english.rules.word_order import list_order
from tests.english.rules.put import put


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jane Moor is a singer and actor.", "Jane Moor is an actor and singer."),
        ("The soup is hot and salty.", "The soup is salty and hot."),
        ("They sell shoes, hats and gloves.", "They sell gloves, hats and shoes."),
        ("The film stars Mary Cole and James Hill.", "The film stars James Hill and Mary Cole."),
        ("She lived in France and Italy.", "She lived in Italy and France."),
    ],
)
def test_the_ends_of_a_list_change_places(text, expected):
    assert put(list_order, text) == [("list_order.swapped", expected)]


@pytest.mark.parametrize(
    "text",
    [
        "They play rock and roll.",
        "Jane Moor and her brother left.",
        "First the soup and then the fish came.",
        "She woke up and dressed.",
        "Smith and Wesson is a firm.",
        "He saw old men and women.",
        "They finished second and third, respectively.",
        "It is a book and a film about bees.",
        "She works between Rome and Milan.",
    ],
)
def test_lists_whose_order_may_matter_stay(text):
    assert put(list_order, text) == []
