"""The language of a text in Latin script, by its function words."""

import pytest

from longway.verify.languages import is_english, language

TEXTS = {
    "de": ["Der Film war nicht gut.", "Ich habe das Buch sehr gern gelesen."],
    "fr": ["Le film est trop long.", "Je ne suis pas allé au cinéma avec elle."],
    "es": ["La película no es muy buena.", "El servicio fue lento y caro para todos."],
    "it": ["Il film non è molto bello.", "Una storia che si dimentica con la sera."],
    "pt": ["O filme não é muito bom.", "A comida do hotel foi uma surpresa."],
    "nl": ["De film was niet erg goed.", "Het eten in dit hotel is heel lekker."],
    "pl": ["Film nie był dobry, ale muzyka tak.", "To jest bardzo długi film o wojnie."],
    "en": ["The film is long, and we left.", "It was not what I had in mind."],
}


@pytest.mark.parametrize("name", TEXTS)
def test_function_words_show_the_language(name):
    assert [language(text) for text in TEXTS[name]] == [name] * 2
    assert [is_english(text) for text in TEXTS[name]] == [name == "en"] * 2


@pytest.mark.parametrize("text", ["", "12 / 7", "Oscar nominee!", "Citizen Kane", "The café was très chic."])
def test_texts_without_function_words_may_be_english(text):
    assert is_english(text)
