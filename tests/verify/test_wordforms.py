"""Words as checks compare them, in all scripts."""

import unicodedata

import pytest

from longway.verify.wordforms import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("यह हिन्दी फ़िल्म है।", ["यह", "हिन्दी", "फ़िल्म", "है"]),
        ("كِتَابٌ جَمِيلٌ", ["كتاب", "جميل"]),
        ("שָׁלוֹם עולם", ["שלום", "עולם"]),
        ("Café olé", ["café", "olé"]),
        ("Don’t go to İzmir", ["don't", "go", "to", "izmir"]),
        ("电影好 ok", ["电", "影", "好", "ok"]),
    ],
)
def test_marks_belong_to_their_words(text, expected):
    expected = [unicodedata.normalize("NFC", word) for word in expected]
    assert words(text) == words(unicodedata.normalize("NFD", text)) == expected


def test_turkish_letters_are_folded_by_its_rules():
    assert words("ISPARTA İYİ", "tr") == ["ısparta", "iyi"]
