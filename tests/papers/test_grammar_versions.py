"""Table 10 and Figure 2 of the grammar paper: a feature in its simpler versions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figure2 import drawn
from longway.errors import SettingError
from longway.grammars.forest import Forest
from longway.grammars.information import Composite, composites
from longway.grammars.trees import read_brackets, sides
from side_charts import SideGroup, SideLine, side_bars
from tests.detect.test_grammar import pair_reading, pair_tree
from tests.grammar.toy_trees import any_tree
from tests.report.seen import Elements
from versions import compare_versions


def stands_in(phrase, text):
    return any(tuple(text[i : i + len(phrase)]) == phrase for i in range(len(text) - len(phrase) + 1))


WORDS = "a b c d".split()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)


@given(
    st.lists(
        st.tuples(any_tree(st.sampled_from(WORDS), max_leaves=4), st.integers(0, 1)), min_size=1, max_size=6
    ),
    st.lists(st.tuples(TEXTS, TEXTS), min_size=6, max_size=6),
    st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_simpler_versions_equal_looking_for_the_words(rows, texts, correct):
    """Table 10's indicators, word by word."""
    trees, labels = zip(*rows, strict=True)
    texts, correct, labels = texts[: len(rows)], correct[: len(rows)], np.array(labels)
    forest = Forest([[tree] for tree in trees])
    for feature in composites(forest, labels, 2, top=4):
        phrases = [sides(forest.subtrees.tree(number)) for number in feature.subtrees]
        slow = {
            "grammar": [bool(has) for has in forest.has_any(feature.subtrees)],
            "n-gram pair": [
                any(stands_in(a, xa) and stands_in(b, xb) for a, b in phrases) for xa, xb in texts
            ],
            "second only": [any(b and stands_in(b, xb) for _, b in phrases) for _, xb in texts],
        }
        if not any(second for _, second in phrases):
            del slow["second only"]
        found = compare_versions(feature, forest, texts, labels, correct=correct)
        assert [version.name for version in found] == list(slow)
        for version in found:
            having = [i for i, has in enumerate(slow[version.name]) if has]
            supporting = [i for i in having if labels[i] == feature.label]
            counter = [i for i in having if labels[i] != feature.label]
            assert (list(version.supporting), list(version.counter)) == (supporting, counter)
            for rows_of, told in (
                (supporting, version.accuracy.supporting),
                (counter, version.accuracy.counter),
            ):
                share = np.mean([correct[i] for i in rows_of]) if rows_of else float("nan")
                assert told.n == len(rows_of)
                assert told.accuracy == pytest.approx(share, nan_ok=True)


def test_what_was_found_in_training_is_looked_for_in_validation():
    train, reading = pair_reading()
    forest = Forest(train)
    feature = next(
        one for one in composites(forest, reading.labels.astype(np.int64), 2, min_leaves=2)
        if (one.root, reading.label_names[one.label]) == (14, "no")
    )  # fmt: skip
    held_out = [[pair_tree("man", "woman", "sits")], [pair_tree("girl", "girl", "naps")]]
    texts = [(["a", "man", "sits"], ["a", "woman", "sits"]), (["the", "girl"], ["a", "boy", "a", "man"])]
    no = reading.label_names.index("no")
    grammar, pair, second = compare_versions(
        feature, Forest(held_out, like=forest), texts, np.array([no, 1 - no]), correct=[1, 0]
    )
    assert (grammar.supporting, grammar.counter) == ((0,), ())
    assert (pair.supporting, pair.counter) == ((0,), ())
    assert (second.supporting, second.counter) == ((0,), (1,))
    assert (second.accuracy.supporting.accuracy, second.accuracy.counter.accuracy) == (1, 0)


def test_versions_without_answers_have_no_accuracy():
    forest = Forest([[read_brackets("(14 (41 a/a) (32 man/woman))")]])
    feature = Composite(14, 0, (2,), ("a man/a woman",), (1, 0), 0.1)
    (version, *_) = compare_versions(feature, forest, [(["a", "man"], ["a", "woman"])], np.array([0]))
    assert (version.name, version.supporting, version.counter, version.accuracy) == (
        "grammar",
        (0,),
        (),
        None,
    )
    with pytest.raises(SettingError, match=r"one entry for each of 1 documents\. Got 0 and 1"):
        compare_versions(feature, forest, [], np.array([0]))


def feature(tested):
    rows = {"grammar": [108, 12], "second only": [300, 100]}
    return {"label": "no", "spans": ["a man/a woman", "a boy/a girl"], "rows": rows, "tested": tested}


def test_each_kind_is_drawn_in_its_versions_with_both_sides():
    tested = {"bow": {"grammar": [[0.8, 10], [None, 0]], "second only": [[0.8, 10], [0.25, 4]]}}
    rows, accuracy = (Elements(str(chart)) for chart in drawn([feature(tested)]))
    assert "in its tree: 108 with its label, 12 with another" in rows.text
    assert "in the second text: right on 8 of 10 with its label, 1 of 4 with another" in accuracy.text
    circles = [attributes["class"] for name, attributes in accuracy.elements if name == "circle"]
    assert circles == ["dot-full", "dot-full"], "fewer than ten rows are not drawn"
    assert len(drawn([feature({})])) == 1


def test_a_bar_is_as_long_as_its_share_of_the_longest():
    lines = [SideLine("a", 30, 10, "x"), SideLine("b", 10, 0, "y")]
    svg = side_bars([SideGroup("g", "no", "l0", lines)], key="k", title="t", desc="d", full=40)
    bars = [a for _, a in Elements(svg).elements if a.get("class") == "bar"]
    pale = [a for _, a in Elements(svg).elements if a.get("class") == "bar second"]
    widths = [float(a["width"].rstrip("%")) for a in (*bars, *pale)]
    assert widths[0] == pytest.approx(3 * widths[1], abs=0.01)
    assert widths[0] == pytest.approx(3 * widths[2], abs=0.01)
    assert widths[3] == 0
