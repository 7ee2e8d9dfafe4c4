"""The tokeniser against its plain twin."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.text.tokenizer import PLAIN, is_word, token_spans, tokenize, tokenize_column
from tests import oracles

texts = st.text(alphabet="abcXYZ019 .,/:'’-!?\n\téßñ(", max_size=40)


@given(texts)
def test_tokens_equal_the_plain_regular_expression(text):
    assert tokenize(text) == oracles.words(text)


@given(st.lists(texts, max_size=8))
def test_codes_spell_out_the_tokens_of_each_text(column):
    codes, words, lengths = PLAIN.encode(pl.Series(column, dtype=pl.String))
    spelled = [words[code] for code in codes]
    assert spelled == [token for text in column for token in oracles.words(text)]
    assert lengths.tolist() == [len(oracles.words(text)) for text in column]


def test_row_order_survives_a_long_column():
    column = [f"w{i} x{i % 7}" for i in range(60_000)]
    codes, words, _ = PLAIN.encode(pl.Series(column))
    assert [words[code] for code in codes[::2]] == [f"w{i}" for i in range(60_000)]


@pytest.mark.parametrize(
    "text", ["İstanbul is NOT far", "naïve café, 10/10!", "日本語 テスト", "a\u0300b c", "👍🏽 ok"]
)
def test_spans_point_at_the_token_in_the_original(text):
    spans = token_spans(text)
    assert [token for token, _, _ in spans] == tokenize(text)
    assert all(text[start:end].strip() for _, start, end in spans)
    assert [start for _, start, _ in spans] == sorted(start for _, start, _ in spans)


@given(st.text(max_size=30))
def test_any_text_has_spans(text):
    assert [token for token, _, _ in token_spans(text)] == tokenize(text)


@pytest.mark.parametrize(
    ("token", "expected"), [("not", True), ("10/10", True), ("!", False), ("_", False), ("日", True)]
)
def test_words_are_told_from_marks(token, expected):
    assert is_word(token) is expected


@given(st.lists(st.text(max_size=20), max_size=6))
def test_one_text_is_cut_as_a_column_is(column):
    assert [tokenize(text) for text in column] == tokenize_column(
        pl.Series(column, dtype=pl.String)
    ).to_list()


@given(st.lists(st.text(st.characters(max_codepoint=127), max_size=20), max_size=6))
def test_ascii_is_cut_as_a_column_is(column):
    found = tokenize_column(pl.Series(column, dtype=pl.String)).to_list()
    assert [tokenize(text) for text in column] == found
