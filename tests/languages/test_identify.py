"""Which language a text is in. The sentences were written for this test."""

import pytest

from longway.language_names import NAMES, name_of
from longway.languages.identify import language_of, scripts

SENTENCES = {
    "en": "We waited for an hour, and the soup was still cold when it came.",
    "de": "Wir haben eine Stunde gewartet, und die Suppe war immer noch kalt.",
    "fr": "Nous avons attendu une heure, et la soupe était encore froide.",
    "es": "Esperamos una hora y la sopa todavía estaba fría cuando llegó.",
    "it": "Abbiamo aspettato un'ora e la zuppa era ancora fredda.",
    "pt": "Esperamos uma hora e a sopa ainda não estava quente quando chegou.",
    "nl": "We hebben een uur gewacht en de soep was nog steeds koud.",
    "pl": "Czekaliśmy godzinę, a zupa nadal była zimna, kiedy ją podano.",
    "ru": "Мы ждали целый час, и суп всё ещё был холодным.",
    "tr": "Bir saat bekledik ve çorba geldiğinde hâlâ soğuktu.",
    "ar": "انتظرنا ساعة كاملة وكان الحساء لا يزال باردا عندما وصل.",
    "zh": "我们等了一个小时，汤端上来的时候还是凉的。",
    "ja": "一時間待ったのに、スープはまだ冷たかった。",
    "hi": "हमने एक घंटे तक इंतज़ार किया और सूप फिर भी ठंडा था।",
    "th": "เรารอหนึ่งชั่วโมง แต่ซุปก็ยังเย็นอยู่",
    "ko": "한 시간을 기다렸는데 수프는 여전히 차가웠다.",
    "vi": "Chúng tôi đã đợi một tiếng mà món súp vẫn còn nguội.",
    "he": "חיכינו שעה והמרק עדיין היה קר כשהוא הגיע.",
    "uk": "Ми чекали цілу годину, а суп усе ще був холодний.",
    "el": "Περιμέναμε μία ώρα και η σούπα ήταν ακόμα κρύα.",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_is_identified(language):
    assert language_of(SENTENCES[language]) == language


@pytest.mark.parametrize("text", ["", "42!", "ok", "!!!", "😀", "\ud800"])
def test_too_little_text_has_no_language(text):
    assert language_of(text) == "und"


def test_a_few_words_of_another_script_do_not_change_the_language():
    assert language_of("The word 東京 means Tokyo, and everybody knows it.") == "en"
    assert language_of("iPhone手机很好用") == "zh"


def test_only_the_languages_that_are_possible_are_considered():
    assert language_of(SENTENCES["pt"], among=["es", "en"]) != "pt"
    assert language_of(SENTENCES["ja"], among=["en", "de"]) == "und"


def test_scripts_of_one_language_have_its_code():
    assert dict(scripts("ab ไทย")) == {"Latin": 2, "th": 3}
    assert name_of("th") == NAMES["th"] == "Thai"
