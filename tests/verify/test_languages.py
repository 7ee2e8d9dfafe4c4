"""The language of a dataset, by its frequent words and letters."""

import pytest

from longway.verify.languages import other_language

TEXTS = {
    "German": ["Der Film war nicht gut.", "Ich habe das Buch sehr gern gelesen."],
    "French": ["Le film est trop long.", "Je ne suis pas allé au cinéma avec elle."],
    "Spanish": ["La película no es muy buena.", "El servicio fue lento y caro para todos."],
    "Italian": ["Il film non è molto bello.", "Una storia che si dimentica con la sera."],
    "Portuguese": ["O filme não é muito bom.", "A comida do hotel foi uma surpresa."],
    "Dutch": ["De film was niet erg goed.", "Het eten in dit hotel is heel lekker."],
    "Polish": ["Film nie był dobry, ale muzyka tak.", "To jest bardzo długi film o wojnie."],
    "a language in Cyrillic script": ["Фильм был долгим.", "Мне не понравилось."],
    "a language in Arabic script": ["كان الفيلم طويلا", "لم يعجبني"],
    "Chinese, Japanese or Korean": ["这部电影很好看", "映画は長かった", "영화가 길었다"],
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_in_another_language_are_named(name):
    assert other_language(TEXTS[name]) == name
    english = ["The film is long, and we left.", "It was not what I had in mind."]
    assert other_language([*english, *english, *TEXTS[name][:1]]) == ""


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["", "12 / 7", "!!!"],
        ["Oscar nominee!", "Citizen Kane", "blue cotton shirt XL"],  # no word that tells a language
        ["The café was très chic.", "A film with a lot of jazz in it."],
    ],
)
def test_nothing_is_said_about_english_or_unknown_texts(texts):
    assert other_language(texts) == ""
