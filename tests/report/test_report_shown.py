"""Dataset text on its way to the page: harmless, short, marked in the right place."""

import io

import pytest
from rich.console import Console

from longway.report import html, markdown, terminal
from longway.report.excerpts import TEXT_LIMIT, clean, cut, isolated, pieces, token_spans
from longway.report.sections import Page


def marked(text, spans, **options):
    """The text with brackets around what is highlighted."""
    return "".join(
        f"[{piece.text}]" if piece.level else piece.text for piece in pieces(text, spans, **options)
    )


@pytest.mark.parametrize("code", [0x00, 0x1B, 0x7F, 0x9B, 0x200F, 0x202E, 0x2066, 0xD800, 0xFFFF])
def test_characters_that_must_not_be_shown_leave_a_visible_mark(code):
    assert clean(f"a{chr(code)}b") == "a\ufffdb"


HEADLINE = "Strongest: “أول”, “ليس”, “first word: حقا”, “not”."


def test_quotations_from_right_to_left_are_isolated_so_that_their_order_stays():
    assert isolated(HEADLINE) == (
        "Strongest: “\u2068أول\u2069”, “\u2068ليس\u2069”, “\u2068first word: حقا\u2069”, “not”."
    )


def test_every_renderer_isolates_the_patterns_of_a_headline():
    page = Page("", "Title", HEADLINE, facts=[], figures=[], sections=[], version="", fingerprint="")
    out = io.StringIO()
    terminal.show(page, Console(file=out, width=120))
    for text in (out.getvalue(), str(html.body(page)), markdown.render(page)):
        assert isolated(HEADLINE) in text


def test_emoji_joined_of_several_stay_whole():
    assert clean("👩\u200d🚀") == "👩\u200d🚀"


def test_a_text_of_white_space_is_shown_as_blank():
    assert cut(" \n\t", 10) == "(blank)"


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], "It is not so"),
        ([(6, 9, 3)], "It is [not] so"),
        ([(0, 2, 3), (6, 9, 3)], "[It] is [not] so"),
        ([(0, 5, 3), (3, 9, 3)], "[It is][ not] so"),  # an overlap is marked once
        ([(-3, 2, 3), (10, 999, 3)], "[It] is not [so]"),  # marks beyond the text
        ([(9, 6, 3), (500, 600, 3)], "It is not so"),
    ],
)
def test_spans_are_marked_where_they_stand(spans, expected):
    assert marked("It is not so", spans) == expected


def test_tokens_are_marked_in_reading_order():
    text = "not now, and not then"
    assert (
        marked(text, token_spans(text, [("not", 0.0), ("and", 0.0), ("not", 0.8)]))
        == "not now, and [not] then"
    )


def test_a_token_that_is_not_in_the_text_is_passed_over():
    assert marked("one two", token_spans("one two", [("three", 1.0), ("two", 1.0)])) == "one [two]"


def test_a_token_is_marked_as_a_word_or_as_it_is_written():
    text = "It doesn't fit"
    assert marked(text, token_spans(text, [("it", 0.0), ("n't", 1.0), ("fit", 1.0)])) == "It does[n't] [fit]"


def test_a_long_text_is_cut_around_what_is_marked():
    text = "word " * 500 + "never " + "word " * 500
    shown = marked(text, [(2500, 2505, 3)])
    assert "[never]" in shown
    assert shown.startswith("… ")
    assert len(shown) < TEXT_LIMIT + 10


def test_a_single_token_of_100_kb_is_cut():
    assert len(marked(clean("a" * 100_000), [])) < TEXT_LIMIT + 10
