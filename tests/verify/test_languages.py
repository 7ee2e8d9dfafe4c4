"""Whether a rewrite is in the language of its row."""

from itertools import pairwise

import pytest

from longway.verify.form_checks import AddedWordsCheck, SurfaceCheck
from longway.verify.languages import language_fault
from tests.languages.foreign_sentences import FOREIGN

# By language, sentences of our own about the same things, in the same order.
TEXTS = {
    "en": ["The train was late again and nobody said why.", "The soup was cold, but the bread was very good."],
    "de": ["Der Zug hatte wieder Verspätung und niemand sagte warum.", "Die Suppe war kalt, aber das Brot war sehr gut."],
    "es": ["El tren llegó tarde otra vez y nadie dijo por qué.", "La sopa estaba fría, pero el pan era muy bueno."],
    "sv": ["Tåget var sent igen och ingen sa varför.", "Soppan var kall, men brödet var mycket gott."],
    "fi": ["Juna oli taas myöhässä eikä kukaan kertonut miksi.", "Keitto oli kylmää, mutta leipä oli erittäin hyvää."],
    "vi": ["Tàu lại đến muộn và không ai nói lý do.", "Món súp nguội, nhưng bánh mì rất ngon."],
    "ru": ["Поезд снова опоздал, и никто не сказал почему.", "Суп был холодным, но хлеб оказался очень вкусным."],
    "bg": ["Влакът отново закъсня и никой не каза защо.", "Супата беше студена, но хлябът беше много вкусен."],
    "ar": ["تأخر القطار مرة أخرى ولم يقل أحد السبب.", "كان الحساء باردا لكن الخبز كان لذيذا جدا."],
    "fa": ["قطار دوباره دیر رسید و هیچ‌کس نگفت چرا.", "سوپ سرد بود، اما نان خیلی خوشمزه بود."],
    "hi": ["ट्रेन फिर देर से आई और किसी ने नहीं बताया कि क्यों।", "सूप ठंडा था, लेकिन रोटी बहुत अच्छी थी।"],
    "mr": ["गाडी पुन्हा उशिरा आली आणि कोणीही कारण सांगितले नाही.", "सूप थंड होते, पण पाव खूप छान होता."],
    "zh": ["火车又晚点了，没有人说是为什么。", "汤是凉的，但是面包非常好吃。"],
    "ja": ["電車はまた遅れたが、誰も理由を言わなかった。", "スープは冷たかったが、パンはとてもおいしかった。"],
    "ko": ["기차가 또 늦었지만 아무도 이유를 말하지 않았다.", "수프는 차가웠지만 빵은 아주 맛있었다."],
}  # fmt: skip
CHANGED = [
    ("ja", "zh"), ("zh", "ja"), ("ko", "zh"), ("ko", "ja"), ("zh", "ko"), ("vi", "en"), ("fi", "en"), ("sv", "en"), ("es", "en"), ("de", "en"),
    ("ru", "bg"), ("bg", "ru"), ("fa", "ar"), ("ar", "fa"), ("hi", "mr"), ("mr", "hi"), ("en", "de"), ("en", "sv"), ("de", "es"), ("ru", "en"),
]  # fmt: skip
CLOSE = [("ru", "bg"), ("bg", "ru"), ("hi", "mr"), ("mr", "hi")]


def code(language):
    return "" if language == "en" else language


@pytest.mark.parametrize(("language", "other"), CHANGED)
def test_a_rewrite_in_another_language_is_refused(language, other):
    before, after = " ".join(TEXTS[language]), " ".join(TEXTS[other])
    assert language_fault(before, after, code(language)) != ""


@pytest.mark.parametrize(("language", "other"), [pair for pair in CHANGED if pair not in CLOSE])
def test_one_sentence_is_enough_unless_the_languages_are_close(language, other):
    for before, after in zip(TEXTS[language], TEXTS[other], strict=True):
        assert language_fault(before, after, code(language)) != "", after


@pytest.mark.parametrize("language", TEXTS)
def test_a_rewrite_in_the_language_of_the_row_passes(language):
    first, second = TEXTS[language]
    assert language_fault(first, second, code(language)) == ""
    assert language_fault(second, first, code(language)) == ""


def test_short_rewrites_are_refused_only_if_they_are_clear():
    pairs = [
        (language, before, after) for language, texts in FOREIGN.items() for before, after in pairwise(texts)
    ]
    refused = [
        (language, after) for language, before, after in pairs if language_fault(before, after, language)
    ]
    assert len(refused) <= 0.01 * len(pairs), refused


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("ja", "この映画は最高傑作だ。", "最高傑作"),
        ("ja", "駅まで歩いた。", "徒歩で駅へ。"),
        ("ru", "Отличный фильм.", "Классный фильм."),
        ("fr", "Film super.", "Super film."),
        ("de", "Gestern kam das Buch mit der Post.", "„The Hobbit“ kam gestern mit der Post."),
    ],
)
def test_short_texts_and_titles_pass(language, before, after):
    assert language_fault(before, after, language) == ""


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("fr", "Nous sommes partis tous ensemble hier soir.", "Hier soir, nous nous en sommes allés tous ensemble."),
        ("de", "Das ist ein Mann, welcher der Bank traut.", "Das ist ein Mann, der der Bank traut."),
        ("tr", "Adam yokuştan ağır bir şekilde indi.", "Adam yokuştan yavaş yavaş indi."),
    ],
)  # fmt: skip
def test_a_word_may_occur_twice_in_other_languages(language, before, after):
    assert SurfaceCheck().fault(before, after, language=language) == ""


def test_in_english_a_word_twice_is_a_slip():
    assert "twice" in SurfaceCheck().fault(
        "The man walked down the hill.", "Down the the hill walked the man."
    )


def test_added_function_words_of_the_language_are_no_added_words():
    from longway.verify.check import Candidate

    candidate = Candidate(0, "Der Film war nicht gut, und nicht lang.", "Der Film war nicht gut, und auch nicht nicht lang.", "a", language="de")  # fmt: skip
    assert AddedWordsCheck().verdict(candidate).passed
