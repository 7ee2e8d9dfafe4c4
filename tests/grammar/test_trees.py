"""Trees and brackets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import DataError
from longway.grammars.trees import Tree, brackets, leaves, nodes, outline, read_brackets, sides, span
from tests.grammar.toy_trees import any_tree

PAIR = "(14 (41 a/a) (24 (49 ε/tall) (32 man/woman)))"


def by_recursion(tree):
    """Brackets of words that need no backslash, by the plain recursion."""
    if tree.parts is None:
        return f"({tree.symbol} {tree.words[0] or 'ε'}/{tree.words[1] or 'ε'})"
    return f"({tree.symbol} {by_recursion(tree.parts[0])} {by_recursion(tree.parts[1])})"


@given(any_tree(st.text(min_size=1, max_size=4)))
def test_brackets_are_one_line_and_read_back_exactly(tree):
    written = brackets(tree)
    assert len(written.splitlines()) == 1
    assert read_brackets(written) == tree


@given(any_tree(st.sampled_from(["(", ")", "/", "\\", "ε", " ", "\n", "\\{20}", "a/b", "a b"]), pair=False))
def test_brackets_of_one_text_read_back_exactly_too(tree):
    assert read_brackets(brackets(tree)) == tree
    assert read_brackets(brackets(tree, pair=True)) == tree


@given(any_tree())
def test_brackets_equal_the_plain_recursion(tree):
    assert brackets(tree, pair=True) == by_recursion(tree)


def test_a_tree_of_one_text_is_written_without_its_second_side():
    tree = Tree(3, (Tree(40, words=("the", "")), Tree(41, words=("film", ""))))
    assert brackets(tree) == "(3 (40 the) (41 film))"
    assert brackets(tree, pair=True) == "(3 (40 the/ε) (41 film/ε))"


def test_words_with_marks_are_written_with_backslashes():
    assert brackets(Tree(5, words=("/", "ε"))) == "(5 \\//\\ε)"
    assert brackets(Tree(5, words=("(a b)", ""))) == "(5 \\(a\\{20}b\\))"


def test_blanks_between_brackets_do_not_matter():
    assert read_brackets(" ( 14 (41\ta/a)\n(32 man/woman) ) ") == read_brackets(
        "(14 (41 a/a) (32 man/woman))"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("(3 (40 the) (41 film)", "not closed"),
        ("(3 (40 the) (41 film)))", "text follows"),
        ("(3 (40 the)) (41 film)", "node 3 must hold two nodes"),
        ("(3 (40 the) film)", "node 3 must hold two nodes"),
        ("(3 the film)", "node 3 must hold two nodes"),
        ("(3)", "node 3 must hold two nodes"),
        ("(NP the)", "a number must follow"),
        ("the film", "outside of the brackets"),
        ("(3 a/b/c)", "not a word or pair of words"),
        ("(3 a/)", "not a word or pair of words"),
        ("(3 /a)", "not a word or pair of words"),
        ("(3 a\\ b)", "a backslash escapes nothing"),
    ],
)
def test_what_is_no_tree_is_told_with_the_reason(text, why):
    with pytest.raises(DataError, match=why):
        read_brackets(text)


def test_nodes_come_parts_first_and_leaves_from_left_to_right():
    tree = read_brackets(PAIR)
    assert [node.symbol for node in nodes(tree)] == [41, 49, 32, 24, 14]
    assert [leaf.words for leaf in leaves(tree)] == [("a", "a"), ("", "tall"), ("man", "woman")]


def test_sides_are_what_the_tree_writes_in_each_text():
    assert sides(read_brackets(PAIR)) == (("a", "man"), ("a", "tall", "woman"))


@pytest.mark.parametrize(
    ("text", "pair", "expected"),
    [
        (PAIR, True, "a man/a tall woman"),
        ("(17 (49 ε/to) (35 ε/work))", True, "ε/to work"),
        ("(16 (50 in/ε) (51 the/ε))", True, "in the/ε"),
        ("(16 (50 in) (51 the))", False, "in the"),
    ],
)
def test_spans_read_as_in_the_paper(text, pair, expected):
    assert span(read_brackets(text), pair=pair) == expected


def test_an_outline_shows_the_rule_at_the_root():
    assert outline(read_brackets(PAIR), pair=True) == "(14 (41 a/a) (24 man/tall woman))"
    assert outline(read_brackets("(41 a/a)"), pair=True) == "(41 a/a)"


def test_a_tree_may_be_thousands_of_nodes_deep():
    tree = Tree(9, words=("word", ""))
    for _ in range(5000):
        tree = Tree(1, (Tree(9, words=("word", "")), tree))
    assert brackets(read_brackets(brackets(tree))) == brackets(tree)
    assert len(sides(tree)[0]) == 5001
