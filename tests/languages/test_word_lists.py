"""The word tables of other languages, on sentences that were written before them."""

import tomllib

import pytest

from longway.languages.word_lists import (
    FOLDER,
    KINDS,
    LANGUAGES,
    WITHOUT_SPACES,
    find,
    has_words,
    may_start,
    word_list,
)
from longway.languages.words import tokenizer_of
from longway.text.tokenizer import tokenize
from longway.verify.check import Candidate
from longway.verify.content_checks import NegationCheck
from tests.languages.sentences import (
    ABSOLUTES,
    ABSOLUTES_REVIEWED,
    HEDGES,
    HEDGES_REVIEWED,
    NEGATION,
    REVIEWED,
    SECOND_READING,
)

SENTENCES = [
    ("negation", NEGATION),
    ("negation", SECOND_READING),
    ("hedges", HEDGES),
    ("absolutes", ABSOLUTES),
]
OF_REVIEW = [("negation", REVIEWED), ("hedges", HEDGES_REVIEWED), ("absolutes", ABSOLUTES_REVIEWED)]


def cases(tables):
    """Each sentence of some tables, and whether it is one that says it."""
    return [
        (kind, language, sentence, bool(1 - side))
        for kind, table in tables
        for language, both in table.items()
        for side, sentences in enumerate(both)
        for sentence in sentences
    ]


def split(sentence, language):
    """The tokens of a sentence by the rules of its language."""
    return tokenizer_of(language).tokens(sentence)


def check(tokens, kind, language, is_there):
    """It is found where it is, and begins in a token that may start it."""
    spans = find(tokens, kind, language)
    assert bool(spans) == is_there
    starts = {i for i, token in enumerate(tokens) if may_start(token, kind, language)}
    assert all(starts & set(range(*span)) for span in spans)


@pytest.mark.parametrize(("kind", "language", "sentence", "is_there"), cases(SENTENCES))
def test_a_table_finds_what_a_sentence_says(kind, language, sentence, is_there):
    check(tokenize(sentence), kind, language, is_there)


@pytest.mark.parametrize(("kind", "language", "sentence", "is_there"), cases(OF_REVIEW))
def test_a_table_finds_what_a_sentence_says_by_the_rules_of_its_language(kind, language, sentence, is_there):
    check(split(sentence, language), kind, language, is_there)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_enough_sentences(language):
    for sentences in REVIEWED[language]:
        assert len(sentences) >= 12


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_word_of_a_table_is_one_token_or_characters(language, kind):
    words = word_list(kind, language)
    assert len(words) >= 10
    assert [word for word in words if "".join(tokenize(word)) != word] == []
    if language not in WITHOUT_SPACES:
        assert [word for word in words if [word] not in (tokenize(word), split(word, language))] == []


@pytest.mark.parametrize(
    ("sentence", "language", "elided"),
    [
        ("L'hiver, d'abord, n'a duré qu'un mois.", "fr", {"l'", "d'", "n'", "qu'"}),
        ("L'inverno c'è.", "it", {"l'", "c'"}),
    ],
)
def test_function_words_include_elided_words_as_tokens_and_as_parts_of_a_word(sentence, language, elided):
    listed = word_list("function_words", language)
    assert elided <= set(split(sentence, language)) & listed
    assert {"fr": "c'est", "it": "c'è"}[language] in listed


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - WITHOUT_SPACES))
def test_phrases_are_written_as_their_tokens(language):
    tables = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8")).values()
    phrases = [each for table in tables for name in ("phrases", "except") for each in table.get(name, ())]
    assert [each for each in phrases if " ".join(tokenize(each)) != each] == []


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_the_segmentation_of_a_text_does_not_matter(language):
    for sentences in NEGATION[language]:
        for sentence in sentences:
            assert bool(find([sentence], "negation", language)) == bool(
                find(list(sentence), "negation", language)
            )


def test_the_span_is_that_of_the_words():
    assert find("der zug ist auf keinen fall da".split(), "negation", "de") == [(4, 5)]
    assert find("el precio no es para nada malo".split(), "negation", "es") == [(2, 3), (4, 6)]
    assert find(list("他没有来"), "negation", "zh") == [(1, 2)]


def test_arabic_vowel_signs_and_the_russian_yo_do_not_matter():
    assert find(tokenize("لَمْ يَصِلْ"), "negation", "ar") == [(0, 1)]
    assert find(tokenize("ни при чём"), "negation", "ru") == [(0, 1)]


def test_a_language_without_tables_has_no_words():
    assert not has_words("ko")
    assert word_list("hedges", "ko") == frozenset()
    assert find(["안", "좋아요"], "negation", "ko") == []


@pytest.mark.parametrize(
    ("language", "sentence", "is_there"),
    [
        ("fr", "N'importe qui peut venir.", False),
        ("fr", "C'est bon, n'est-ce pas ?", False),
        ("fr", "Il ne passe que le soir.", False),
        ("fr", "Il n'aime pas attendre.", True),
        ("zh", "我不同意这个观点。", True),
        ("zh", "这个产品不过关", True),
        ("zh", "主要不足", True),
        ("zh", "颜色不同", False),
        ("ru", "Я пока не знаю.", True),
        ("ru", "Это не просто.", True),
        ("ru", "Это не просто дом, а дворец.", False),
        ("tr", "Ali Sönmez geldi.", False),
        ("tr", "Yılmaz'ın evi büyük.", False),
        ("tr", "Bunu bilmem.", True),
        ("tr", "Biz gelmeyiz.", True),
        ("ja", "切なかったです", False),
        ("ja", "敵と見なした", False),
        ("ja", "何も知らず、帰った。", True),
        ("ja", "水を飲まずに寝た", True),
        ("ja", "まず、店に入った。", False),
    ],
)
def test_negations_in_texts_split_by_the_rules_of_their_language(language, sentence, is_there):
    assert bool(find(split(sentence, language), "negation", language)) == is_there


def test_elided_words_of_a_phrase_are_found():
    tokens = split("D'habitude il pleut.", "fr")
    assert find(tokens, "hedges", "fr") == [(0, 2)]
    assert may_start(tokens[0], "hedges", "fr")


@pytest.mark.parametrize("language", ["de", "zh"])
def test_every_span_of_a_long_text_is_found(language):
    tokens = (["das", "ist", "nicht", "gut"] if language == "de" else ["这", "不", "好"]) * 2_000
    found = find(tokens, "negation", language)
    assert [tokens[first:last] for first, last in found] == [[tokens[found[0][0]]]] * 2_000


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("de", "Die Behauptung ist nicht wahr.", "Die Behauptung ist wahr."),
        ("ar", "ما أعجبني الفندق.", "أعجبني الفندق."),
        ("tr", "Bunu yapamam.", "Bunu yaparım."),
        ("zh", "此言非也。", "此言是也。"),
    ],
)
def test_a_rewrite_that_drops_a_negation_fails_the_check(language, before, after):
    candidate = Candidate(row=0, before=before, after=after, label="a", language=language)
    assert not NegationCheck().verdict(candidate).passed
