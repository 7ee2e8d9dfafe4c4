"""Tokens that people recognise, in each language; the same for one text and for a column."""

import pytest

from longway.languages import words as module
from longway.languages.words import how_split, tokenizer_for, tokenizer_of, words
from longway.text.tokenizer import PLAIN, token_spans

CASES = [
    ("fr", "L’homme qu'il n'a pas vu aujourd'hui", "l' homme qu' il n' a pas vu aujourd'hui"),
    ("it", "Dell'uomo un'altra", "dell' uomo un' altra"),
    ("tr", "ISPARTA İyi", "ısparta iyi"),
    ("de", "Die Donaudampfschifffahrt ÜBER", "die donaudampfschifffahrt über"),
    ("ar", "كِتَابٌ جَدِيدٌ ومـــمتع", "كتاب جديد وممتع"),
    ("he", 'צה"ל שָׁלוֹם', 'צה"ל שלום'),
    ("hi", "यह फ़िल्म बहुत अच्छी थी।", "यह फ़िल्म बहुत अच्छी थी"),
    ("vi", "Bộ phim hay", "bộ phim hay"),
    ("vi", "Bo\u0323\u0302 phim", "bộ phim"),  # decomposed marks
    ("ko", "저는 영화를 친구와 극장에서 봤습니다", "저는 영화 를 친구 와 극장 에서 봤습니다"),
    ("th", "ฉันชอบหนังเรื่องนี้มาก", "ฉัน ชอบ หนัง เรื่อง นี้ มาก"),
    ("en", "It's 10/10, isn’t it?", "it's 10/10 isn't it"),
]
MIXED = [
    "İSTANBUL",
    "L’été à Paris, c'est 1.5 km",
    "कि़ताब",
    "ＡＢＣ 12：30",
    "ใครๆ ก็ 5 บาท",
    "각각",
    "ΟΔΟΣ",
    "مُحَمَّد",
    "a\u0301 b",
    "",
    "한국어는 어렵다",
]


@pytest.mark.parametrize(("language", "text", "expected"), CASES)
def test_words_are_those_that_people_recognise(language, text, expected):
    assert words(text, language) == expected.split()


@pytest.mark.parametrize("language", ["tr", "fr", "ar", "he", "hi", "ko", "th", "zh", "ja", "km", "el", "vi"])
@pytest.mark.parametrize("text", MIXED)
def test_one_text_is_split_as_in_a_column_and_spans_cover_the_original(language, text):
    tokenizer = tokenizer_of(language)
    spans = tokenizer.spans(text)
    (column,) = tokenizer.lists([text])
    assert [token for token, _, _ in spans] == tokenizer.tokens(text) == column
    ends = [0, *(end for _, _, end in spans)]
    assert all(start >= before and end > start for before, (_, start, end) in zip(ends, spans, strict=False))


def test_removed_marks_belong_to_the_span_of_their_word():
    spans = tokenizer_of("ar").spans("كِتَابٌ هنا")
    assert [(start, end) for _, start, end in spans] == [(0, 7), (8, 11)]


@pytest.mark.parametrize("text", ["It's 10/10, isn’t it?", "the 東京 office", "naïve İ"])
def test_english_is_split_as_before(text):
    expected = token_spans(text)
    assert tokenizer_for(["en"]) is tokenizer_for(["und"]) is PLAIN
    assert tokenizer_of("en").lists([text]) == [[token for token, _, _ in expected]]


def test_a_tokenizer_knows_its_languages():
    assert tokenizer_for(["tr"]).tokens("I") == ["ı"]
    assert tokenizer_for(["tr"]).languages == ("tr",)
    assert tokenizer_for(["und", "fr", "en"]).languages == ("fr", "en")


def test_rows_of_mixed_data_are_split_by_their_own_language():
    tokenizer = tokenizer_for(["fr", "en"])
    texts = ["L'homme n'est pas venu à la maison.", "It's not what we wanted to see.", "?"]
    found = tokenizer.lists(texts)
    assert found == [tokenizer.tokens(text) for text in texts]
    assert found == [[token for token, _, _ in tokenizer.spans(text)] for text in texts]
    assert found[0][:3] == ["l'", "homme", "n'"]
    assert found[1][0] == "it's"
    assert found[2] == ["?"]


def test_without_its_package_chinese_is_split_into_characters(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    tokenizer_of.cache_clear()
    try:
        assert words("电影很长", "zh") == list("电影很长")
        assert how_split("zh") == "single characters, so that words appear as n-grams"
    finally:
        tokenizer_of.cache_clear()


def test_chinese_words_by_rjieba():
    pytest.importorskip("rjieba")
    assert words("这部电影太长了，ＯＫ手机", "zh")[1] == "电影"
    assert how_split("zh") == "words by rjieba"


def test_japanese_words_by_fugashi():
    pytest.importorskip("fugashi")
    pytest.importorskip("ipadic")
    assert words("この映画はとても長かった", "ja")[:4] == ["この", "映画", "は", "とても"]


@pytest.mark.parametrize("language", ["de", "tr", "ru", "zh", "ja", "fr", "ko"])
def test_letters_of_full_width_are_usual_ones(language):
    assert words("ＡＢＣ １２ test", language) == words("ABC 12 test", language)
