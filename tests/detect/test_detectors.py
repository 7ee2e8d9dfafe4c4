"""Each detector against a loop over the texts that asks the same question."""

from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from longway.detect.levels import detectors_for
from longway.detect.negation import is_negation
from longway.detect.reading import Reading
from longway.detect.surface_questions import QUESTIONS, read
from longway.detect.words import PLACES
from longway.levels import AUDITED, CONCEPT, GRAMMAR
from tests import oracles
from tests.conftest import reading_of

import polars as pl  # isort: skip

WORDS = "a b not never c d . !".split()
text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
rows = st.lists(st.tuples(text, text, st.sampled_from("xyz")), min_size=12, max_size=30).filter(
    lambda rows: len({label for *_, label in rows}) > 1
)


def only_words(tokens):
    return [token for token in tokens if token.isalnum()]


def has_token(word):
    return lambda text, context: word in oracles.words(text)


def has_ngram(phrase):
    n = len(phrase.split())

    def asks(text, context):
        tokens = oracles.words(text)
        return phrase.split() in [tokens[i : i + n] for i in range(len(tokens) - n + 1)]

    return asks


def has_at_place(place, word):
    def asks(text, context):
        words = only_words(oracles.words(text))
        n = len(words)
        if place == "first word":
            return words[:1] == [word]
        if place == "last word":
            return words[-1:] == [word]
        quarter = 0 if place == "in the first quarter" else 3
        return n >= 8 and word in [w for i, w in enumerate(words) if 4 * i // n == quarter]

    return asks


def has_length(pattern):
    bound, _, side, _ = pattern.split()
    return lambda text, context: (
        len(only_words(oracles.words(text))) >= int(bound)
        if side == "more"
        else len(only_words(oracles.words(text))) <= int(bound)
    )


def has_negation(pattern):
    def asks(text, context):
        in_text, in_context = (any(map(is_negation, oracles.words(t))) for t in (text, context))
        return {
            "negation in text": in_text,
            "negation in text only": in_text and not in_context,
            "negation in context only": in_context and not in_text,
            "negation in text and context": in_text and in_context,
        }[pattern]

    return asks


def has_pair(pattern):
    context_word, text_word = (part.split()[0] for part in pattern.split(" + "))
    return lambda text, context: text_word in oracles.words(text) and context_word in oracles.words(context)


def has_overlap(pattern):
    def asks(text, context):
        words = set(only_words(oracles.words(text)))
        share = round(len(words & set(only_words(oracles.words(context)))) / max(len(words), 1), 2)
        if pattern.startswith("no word"):
            return share <= 0
        if pattern.startswith("every word"):
            return share >= 1
        bound = int(pattern.split("%")[0].split()[-1]) / 100
        return share >= bound if pattern.startswith("at least") else share <= bound

    return asks


QUESTION = {
    "token": has_token,
    "ngram": has_ngram,
    "position": lambda pattern: has_at_place(*pattern.split(": ")),
    "length": has_length,
    "negation": has_negation,
    "pair": has_pair,
    "overlap": has_overlap,
}


@settings(phases=[Phase.explicit, Phase.generate])  # shrinking takes minutes
@given(rows=rows)
def test_counts_and_matrix_equal_asking_every_text(rows):
    texts, contexts, labels = zip(*rows, strict=True)
    reading = reading_of(list(texts), list(labels), list(contexts))
    for detector in detectors_for(reading):
        if detector.level not in QUESTION or detector.field == "context":
            continue
        features = detector.count(reading)
        (piece,) = reading.pieces()
        matrix = detector.matrix(piece, features.keys).toarray()
        for i, key in enumerate(features.keys.tolist()):
            ask = QUESTION[detector.level](detector.describe(key).pattern.name)
            answers = np.array([bool(ask(t, c)) for t, c in zip(texts, contexts, strict=True)])
            counts = [int((answers & (np.array(labels) == name)).sum()) for name in reading.label_names]
            assert features.counts[i].tolist() == counts, detector.describe(key)
            assert matrix[:, i].astype(bool).tolist() == answers.tolist(), detector.describe(key)


def test_counts_do_not_depend_on_how_the_data_is_cut_into_pieces(monkeypatch):
    texts = [f"the film {i % 4} was {'not ' * (i % 2)}good number{i % 9}" for i in range(90)]
    labels = ["xy"[i % 2] for i in range(90)]
    whole = reading_of(texts, labels)
    monkeypatch.setattr("longway.text.corpus._BLOCK_BYTES", 300)
    pieces = reading_of(texts, labels)
    assert len(list(pieces.pieces())) > 3
    for a, b in zip(detectors_for(whole), detectors_for(pieces), strict=True):
        counted = [
            {
                d.describe(k).pattern.name: row
                for k, row in zip(f.keys.tolist(), f.counts.tolist(), strict=True)
            }
            for d, f in ((a, a.count(whole)), (b, b.count(pieces)))
        ]
        assert counted[0] == counted[1]


def test_every_level_has_a_detector_that_answers_for_it():
    reading = reading_of(["a b"] * 3 + ["c d"] * 3, list("xyxyxy"), ["a"] * 6)
    assert {detector.level for detector in detectors_for(reading)} == set(AUDITED) - {GRAMMAR, CONCEPT}
    assert isinstance(reading, Reading)
    assert len(PLACES) == 4


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("Great!", "an exclamation mark"),
        ("Great!! Wow", "two or more exclamation marks"),
        ("Why?", "a question mark"),
        ("well...", "an ellipsis"),
        ("one, two", "a comma"),
        ("one; two", "a semicolon"),
        ("note: this", "a colon"),
        ("this - that", "a dash between words"),
        ("a (b) c", "brackets"),
        ('a "b" c', "double quotation marks"),
        ("it's", "an apostrophe"),
        ("no mark", "no mark at the end"),
        (" padded.", "a space at either end"),
        ("two  spaces.", "two spaces in a row"),
        ("an AMAZING film.", "a word in capitals"),
        ("all lower.", "no capital letter"),
        ("lower First.", "a lower-case first letter"),
        ("We met Bob.", "a capital inside the sentence"),
        ("line<br />break.", "an HTML tag or entity"),
        ("see https://x.y.", "a web address"),
        ("hi @you.", "a mention or hashtag"),
        ("a\nb.", "a line break"),
        ("nice 👍.", "an emoji"),
        ("café.", "a letter beyond ASCII"),
        ("7 of them.", "a digit"),
        ("In 1999.", "a four-digit year"),
        ("I give 7/10.", "a rating like 7/10"),
        ("Up 5%.", "a percentage"),
        ("It cost $5.", "an amount of money"),
        ("Cafe\u0301.", "an accent as a separate character"),
        ("Zero\u200bwidth.", "an invisible character"),
    ],
)
def test_a_trait_is_seen_and_a_plain_sentence_has_none(text, trait):
    place = [name for _, name, _ in QUESTIONS].index(trait)
    with_trait, plain = read(pl.Series([text, "Plain words here."]))
    assert with_trait >> place & 1
    assert plain == 0


def test_every_trait_is_tested_above():
    assert len(QUESTIONS) == 31 <= 32


def shows(text, trait):
    place = [name for _, name, _ in QUESTIONS].index(trait)
    return bool(read(pl.Series([text])).item() >> place & 1)


@pytest.mark.parametrize(
    "text",
    ["Ünlü café", "Ёлка и йод", "Ελλάδα ήταν", "한국어 글", "ガラスのペン", "naïve Ångström", "Việt Nam"],
)
def test_an_accent_of_any_script_is_separate_only_in_the_decomposed_form(text):
    trait = "an accent as a separate character"
    assert not shows(normalize("NFC", text), trait)
    assert shows(normalize("NFD", text), trait)


@pytest.mark.parametrize("text", ["हिन्दी में", "ภาษาไทยที่นี่", "עִבְרִית", "العَرَبِيَّة", "தமிழ்"])
def test_marks_that_a_script_needs_are_no_separate_accents(text):
    for form in ("NFC", "NFD"):
        assert not shows(normalize(form, text), "an accent as a separate character")


@pytest.mark.parametrize(
    "code", [0x0, 0x7, 0x7F, 0x9D, 0xAD, 0x200B, 0x200D, 0x200E, 0x202E, 0x2060, 0x3164, 0xFEFF]
)
@pytest.mark.parametrize(
    "text", ["{}At the start.", "In the mid{}dle.", "Before {}a word.", "At the end.{}", "汉{}字"]
)
def test_an_invisible_character_is_seen_wherever_it_is(text, code):
    assert shows(text.format(chr(code)), "an invisible character")
    assert not shows(text.format(""), "an invisible character")


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",
        "क्\u200dष",
        "ภาษา\u200bไทย",
        "👩\u200d👩\u200d👧",
        "❤\ufe0f",
        "a\tb\r\nc",
        "a\u00a0b\u2009c\u3000d",
        "e\u0301",
    ],
)
def test_characters_that_a_script_or_an_emoji_needs_are_not_invisible(text):
    assert not shows(text, "an invisible character")
