"""Production rules as features, against a slow twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longway.grammars.production import START, Production, production_matrix, productions
from longway.grammars.trees import read_brackets
from tests.grammar.toy_trees import any_tree, documents_of


def rules_by_hand(tree):
    """The rules of a tree as text, without the start: a recursion over its nodes."""
    if tree.parts is None:
        first, second = (word or "ε" for word in tree.words)
        return {f"{tree.symbol} → {first}/{second}"}
    left, right = tree.parts
    return {f"{tree.symbol} → {left.symbol} {right.symbol}"} | rules_by_hand(left) | rules_by_hand(right)


@given(st.lists(st.lists(any_tree(), max_size=3), max_size=5))
def test_every_row_of_the_matrix_has_exactly_the_rules_of_its_trees(documents):
    matrix, rules = production_matrix(documents)
    names = np.array([*map(str, rules)], dtype=object)
    assert len(set(names)) == len(names)
    assert matrix.shape == (len(documents), len(names))
    assert set(matrix.data) <= {1.0}
    for row, trees in zip(matrix.toarray(), documents, strict=True):
        expected = set().union(*({f"start → {tree.symbol}"} | rules_by_hand(tree) for tree in trees))
        assert set(names[row > 0]) == expected


def test_a_rule_counts_once_in_a_row_and_is_the_same_column_in_all_rows():
    documents = documents_of("(2 (5 a/a) (2 (5 a/a) (6 man/ε)))", "(2 (5 a/a) (6 man/ε))")
    matrix, rules = production_matrix([*documents, []])
    same = [Production(START, (2,)), Production(2, (5, 6)), Production(5, words=("a", "a")), Production(6, words=("man", ""))]  # fmt: skip
    assert set(rules) == {*same, Production(2, (5, 2))}
    for rule in same:
        assert matrix[:, rules.index(rule)].toarray().ravel().tolist() == [1, 1, 0]
    assert matrix[:, rules.index(Production(2, (5, 2)))].toarray().ravel().tolist() == [1, 0, 0]


def test_the_rules_of_a_tree_are_one_for_each_node_and_the_start():
    tree = read_brackets("(14 (41 a/a) (32 man/woman))")
    assert [str(rule) for rule in productions(tree)] == ["start → 14", "41 → a/a", "32 → man/woman", "14 → 41 32"]  # fmt: skip
