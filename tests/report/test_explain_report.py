"""The page of an explanation: words in colour, everything escaped, everything capped."""

import pytest
from invented_explain import explanation
from seen import Elements

from conftest import render_explain
from longway.report.excerpts import css_class, scored_words
from longway.report.html import inline


def test_words_are_coloured_by_how_much_they_speak_for_the_answer():
    page = render_explain(explanation())
    assert '<span class="w for5" title="+40.0 points for REFUTES">not</span>' in page
    assert '<span class="w against2" title="−10.0 points for REFUTES">mill</span>' in page
    assert '"w for1" title="+1.0' not in page  # too faint


def test_the_page_tells_models_sets_overlap_and_parts_of_speech():
    page = render_explain(explanation())
    for words in (
        "✗ wrong",
        "Enough for this prediction",
        "115",
        "84.0%",
        "25.0%",
        "adjective or adverb",
        "It opened in 1903.",
    ):
        assert words in page


def test_the_strongest_words_stand_beside_those_with_the_highest_scores():
    told = explanation()
    view = told["texts"][0]["explanations"][0]
    view["top"], view["strongest"] = ["not"], ["not", "<i>mill</i>"]
    page = render_explain(told)
    assert "Strongest in either direction: not, <i>mill</i>*" in Elements(page).text
    assert "<i>mill" not in page
    assert "Bastings" not in page
    told["settings"]["method"] = "ig"
    assert "Bastings" in render_explain(told)
    assert "Strongest" not in render_explain(explanation())


def test_the_other_side_is_coloured_where_it_was_explained():
    told = explanation()
    told["settings"]["field"] = "context"
    told["texts"][0]["explanations"][0]["words"] = [[0, 2, 0.3]]
    assert '<span class="w for5" title="+30.0 points for REFUTES">It</span> opened' in render_explain(told)


def colours(text, words, **options):
    """The coloured words as a report shows them."""
    return inline(scored_words(text, words, **options))


def test_highlighting_keeps_the_text_and_escapes_it():
    found = colours("a<b & \u202ec", [[0, 1, 1.0], [1, 2, -1.0], [7, 8, 0.5]], label='"x"')
    assert found.striptags() == "a<b & \ufffdc"
    assert "&#34;x&#34;" in found


def test_texts_side_by_side_can_share_one_scale():
    assert "for1" in colours("not", [[0, 3, 0.1]], strongest=1.0)
    assert "for5" in colours("not", [[0, 3, 0.1]])


def test_a_long_text_is_cut_and_what_overlaps_is_marked_once():
    assert colours("word " * 1000, [[0, 4, 1.0], [4990, 4994, 1.0]], limit=50).endswith(" …")
    assert colours("abc", [[0, 2, 1.0], [1, 3, 1.0]]).count("<span") == 1


@pytest.mark.parametrize("score", [float("nan"), 0.0])
def test_a_score_that_says_nothing_has_no_colour(score):
    assert css_class(score, 1.0) == ""
    assert css_class(1.0, score) == ""


def test_what_is_left_out_is_counted():
    assert "50 more texts are in explain.json" in render_explain(explanation(n_texts=250))


def test_an_explanation_of_little_has_a_page():
    told = explanation() | {
        "texts": [],
        "findings": [],
        "sufficient": [],
        "overlap": None,
        "parts_of_speech": None,
    }
    told["models"][0] |= {"wrong": 0, "searched": 0, "sets": 0, "mean_size": None}
    assert "no prediction was wrong" in render_explain(told)
