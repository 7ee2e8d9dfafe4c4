"""The page of a grammar run, and the pictures of trees."""

import re
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import settings as options
from invented_grammar import TREE, hostile_tables, tables
from rich.console import Console
from seen import Elements
from tests.grammar.toy_trees import any_tree

from conftest import hostile_text, render_grammar
from longway import GrammarResult
from longway.grammars.trees import leaves, nodes, read_brackets
from longway.report.terminal import show
from longway.report.tree_picture import MAX_LEAVES, tree_picture


def drawn(tree, marks=(), pair=True):
    return Elements(str(tree_picture(tree, marks, colour="l0", pair=pair, key="k")))


def test_a_picture_has_a_dot_for_every_node_and_both_texts_in_order():
    tree = read_brackets(TREE)
    found = drawn(tree)
    leaves_of_both = "a a man woman sits sits – to – rest".split()
    assert found.words == ["a man sits → a woman sits to rest", *leaves_of_both]
    assert sum(name == "circle" for name, _ in found.elements) == len(list(nodes(tree)))


@options(max_examples=30)
@given(any_tree(max_leaves=8))
def test_words_stand_from_left_to_right_and_parts_below_their_whole(tree):
    found = drawn(tree).elements
    at = [float(a["x"]) for name, a in found if name == "text" and a["class"].startswith(("word", "nothing"))]
    assert at[::2] == sorted(at[::2])
    assert len(at) == 2 * len(leaves(tree))
    lines = [a for name, a in found if name == "line"]
    assert len(lines) == len(list(nodes(tree))) - 1
    assert all(float(line["y1"]) < float(line["y2"]) for line in lines)
    width = float(next(a for name, a in found if name == "svg")["width"])
    assert all(0 < float(a["x"]) < width for name, a in found if name == "text")


def test_a_marked_subtree_is_in_colour_and_the_rest_is_not():
    found = drawn(read_brackets(TREE), [2])  # (14 (41 a/a) (32 man/woman))
    told = [
        words
        for words, (name, a) in zip(_texts(found), _elements(found), strict=True)
        if "told" in a["class"]
    ]
    assert sorted(told) == sorted(["a", "a", "man", "woman"])
    assert len([a for name, a in found.elements if a.get("class") == "telling"]) == 1


def _elements(found):
    return [(name, a) for name, a in found.elements if name == "text"]


def _texts(found):
    return found.words[1:]  # behind the title


def test_a_marked_subtree_inside_another_has_no_band_of_its_own():
    found = drawn(read_brackets(TREE), [0, 2, 2])
    assert len([a for name, a in found.elements if a.get("class") == "telling"]) == 1


def test_a_single_text_has_one_line_of_words():
    assert drawn(read_brackets("(3 (40 the) (41 film))"), pair=False).words[-2:] == ["the", "film"]


def test_a_tree_that_nobody_could_see_is_not_drawn():
    tree = read_brackets("(40 a/a)")
    for _ in range(MAX_LEAVES):
        tree = type(tree)(1, (read_brackets("(40 a/a)"), tree))
    assert tree_picture(tree, [], colour="l0", pair=True, key="k") is None


def test_the_page_tells_kinds_trees_accuracies_rules_and_wrong_answers():
    text = Elements(render_grammar(tables())).text
    for words in (
        "Phrase patterns of pairs.jsonl",
        "“a ___ (man → woman, boy → girl or 7 more)”: 85.0% of 90 rows with it are no, compared with 50.0% of all rows.",
        "of 58 kinds of phrases",
        "76.2% to 90.9%",
        "The text has “woman” where its context has “man”.",
        "pairs, without their labels",
        "a man → a woman premise: A man sits. hypothesis: A woman sits.",
        "counter-example",
        "8 of 10",
        "1 of 4",
        "too few",
        "that reads both texts was tested on 90 held-out rows: it is right on 71.0%.",
        "What to do with a pattern",
        "3 → 14 7",
        "a man → a woman built in a way that is 6.5 times as frequent in rows of the predicted label",
        "12 pairs were not parsed.",
    ):
        assert words in text


def test_contrast_sets_are_told_with_what_changed_in_an_example():
    page = render_grammar(tables())
    text = Elements(page).text
    for words in (
        "Contrast sets",
        "25.0%",
        "11.2% to 46.9%",
        "A man sails.",
        "The error of the classifier (bag of words)",
    ):
        assert words in text
    assert "A <del>man</del> bakes." in page
    assert "A <ins>person</ins> bakes." in page


def test_contrast_sets_without_a_classifier_without_an_edit_and_not_asked_for():
    made = tables()
    row = made["contrast"][0]
    unknown = row | {"counted": None, "error": None, "low": None, "high": None}
    unknown["example"] = row["example"] | {"answer": None}
    page = render_grammar(made | {"classifier": None, "contrast": [unknown]})
    assert "A <ins>person</ins> bakes." in page
    assert "The error of" not in page
    assert "No held-out row could be edited" in Elements(render_grammar(made | {"contrast": []})).text
    assert "Contrast sets" not in Elements(render_grammar(made | {"contrast": None})).text


def test_a_run_that_found_nothing_has_a_page():
    made = tables() | {"classifier": None, "contrast": None}
    made |= {key: [] for key in ("composites", "rules", "pictures", "wrong", "problems")}
    text = Elements(render_grammar(made)).text
    assert "No kind of phrase is correlated with a label beyond chance." in text
    assert "Wrong predictions" not in text


def test_kinds_without_evidence_are_not_listed():
    made = tables()
    page = render_grammar(made)
    assert "man → woman, boy → girl" in page
    assert "added: to rest" not in page
    without = [row | {"q": None} for row in made["composites"]]
    text = Elements(render_grammar(made | {"composites": without, "pictures": []})).text
    assert "No kind of phrase is correlated with a label beyond chance." in text
    assert "85.0% of 90 rows" not in text


def test_kinds_in_nearly_the_same_rows_are_listed_with_the_first():
    made = tables()
    other = made["composites"][1] | {"q": 0.01, "name": "man → woman", "label": "no", "same_as": 0}
    text = Elements(render_grammar(made | {"composites": [made["composites"][0], other]})).text
    assert "in nearly the same rows: man → woman" in text
    assert text.count("85.0% all rows 50.0%") == 1


def test_symbols_are_folded_in_the_report():
    page = render_grammar(tables())
    visible, folded = page.split("Show symbols, rules and training")
    assert "ε" not in visible
    assert "a man/a woman" not in visible
    assert "ε/to rest" in folded
    assert "3 → 14 7" in folded
    assert "32 + 64 symbols" in folded


def with_sides(first, second):
    """The tables with the classifier's right answers among rows of the first kind: (right, rows) with its label and with others."""
    made = tables()
    sides = [
        {"group": "supporting", "n": n, "accuracy": right / n, "low": 0.0, "high": 1.0}
        for right, n in (first, second)
    ]
    gap = sides[0]["accuracy"] - sides[1]["accuracy"]
    made["composites"][0]["accuracy"] |= {
        "supporting": sides[0],
        "counter": sides[1],
        "gap": gap,
    }
    return made


@pytest.mark.parametrize(
    ("first", "second", "cells"),
    [
        ((24, 30), (10, 25), ["24 of 30", "10 of 25", "+40.0"]),
        ((10, 30), (20, 25), ["10 of 30", "20 of 25", "no gap"]),
        ((24, 30), (1, 9), ["24 of 30", "1 of 9", "too few"]),
    ],
)
def test_a_gap_needs_ten_rows_on_each_side_and_is_no_sign_if_it_is_not_above_zero(first, second, cells):
    assert " ".join(cells) in Elements(render_grammar(with_sides(first, second))).text


def printed(made, width=80):
    console = Console(file=StringIO(), width=width, highlight=False)
    show(GrammarResult.from_dict(made).page(), console)
    return console.file.getvalue()


def test_the_terminal_has_the_figures_of_the_report_and_the_difference_is_that_of_the_printed_shares():
    made = tables()
    made["composites"][0] |= {"tested_share": 0.8305, "tested": 59}
    made["grammar"]["labels"] = {"no": 100, "yes": 200}
    told, page = printed(made, width=130), Elements(render_grammar(made)).text
    for words in ("83.0%", "59", "76.2% to 90.9%", "33.3%", "+49.7"):
        assert words in told
        assert words in page
    assert "83.0% all rows 33.3%" in printed(made)


def test_the_legend_explains_names():
    told = printed(tables())
    for entry in ("man → woman: ", "to ___ (work or get): ", "[rare word]: "):
        assert entry in told


def test_nothing_of_the_data_becomes_markup_and_everything_is_capped():
    page = render_grammar(hostile_tables(hostile_text))
    assert not re.search(r"<script|<img|onerror=alert\(1\)>|style=", page)
    assert len(page) < 1_500_000
    assert "too large to draw" in page
