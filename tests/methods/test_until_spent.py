"""Answers that were paid for before the budget ended are used."""

from longway.errors import BudgetSpent
from longway.methods.loop import until_spent


def test_answers_made_together_are_used_up_to_the_first_that_is_missing():
    def ask():
        raise BudgetSpent("spent", answers=["a", "b", None, "d"])

    assert until_spent(ask) == (["a", "b"], True)


def test_answers_one_by_one_are_used():
    def ask():
        yield "a"
        raise BudgetSpent("spent")

    assert until_spent(ask) == (["a"], True)
    assert until_spent(lambda: ["a", "b"]) == (["a", "b"], False)
