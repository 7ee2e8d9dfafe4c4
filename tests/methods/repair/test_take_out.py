import pytest

from longway.english.parts import is_optional_adverb
from longway.english.pipeline import load_pipeline
from longway.methods.repair.recurring import Recurring
from longway.methods.repair.take_out import TakeOut
from longway.records import Pattern
from tests.methods.repair.conftest import PLAIN, first, surface, token

NEGATION = Pattern("negation", "text", place="text")
GERMAN = [
    "Der Zug war schon wieder spät.",
    "Das Haus am See ist alt.",
    "Sie malt den Zaun.",
    "Er kauft Brot und Käse.",
    "Die Lampe flackert.",
]


@pytest.fixture(scope="module")
def sentences(read):
    return Recurring([*(f"{text} Copied by the night desk." for text in PLAIN), *PLAIN], read=read)


def test_a_sentence_that_many_rows_have_is_taken_out(texts_of, sentences):
    text = "The ferry leaves at noon. Copied by the night desk."
    assert texts_of(TakeOut(sentences), text, token("desk"))[0] == "The ferry leaves at noon."


def test_a_sentence_that_is_the_whole_text_stays(texts_of, sentences):
    assert texts_of(TakeOut(sentences), "Copied by the night desk.", token("copied")) == []


def test_a_sentence_that_no_other_row_has_stays(texts_of, sentences):
    assert texts_of(TakeOut(sentences), "The ferry leaves at noon. A bell rings.", token("bell")) == []


def test_a_sentence_that_judges_stays(texts_of, read):
    recurring = Recurring([f"{text} It is a wonderful film." for text in PLAIN], read=read)
    assert texts_of(TakeOut(recurring), "The ferry leaves. It is a wonderful film.", token("wonderful")) == []


def test_sentences_much_like_each_other_recur(texts_of, read):
    days = ["Monday", "Tuesday", "Friday"]
    texts = [
        f"{text} The parcel was weighed at the counter on {days[i % 3]}." for i, text in enumerate(PLAIN)
    ]
    recurring = Recurring(texts, read=read)
    text = "The ferry leaves. The parcel was weighed at the counter on Sunday."
    assert texts_of(TakeOut(recurring), text, token("parcel"))[0] == "The ferry leaves."


def test_a_negation_is_taken_out_with_its_sentence_only(texts_of, read):
    recurring = Recurring([f"{text} Nothing else was checked." for text in PLAIN], read=read)
    remedy = TakeOut(recurring)
    assert texts_of(remedy, "The ferry leaves. Nothing else was checked.", NEGATION) == ["The ferry leaves."]
    assert texts_of(remedy, "The ferry never leaves.", NEGATION) == []
    assert texts_of(remedy, "The ferry never leaves. Nothing else was checked.", NEGATION) == []


@pytest.mark.parametrize("opening", ["As a reminder,", "Someone noted this:", "All things considered,"])
def test_an_opening_is_taken_out(texts_of, read, opening):
    small = [text[0].lower() + text[1:] for text in PLAIN]
    recurring = Recurring([*(f"{opening} {text}" for text in small), *PLAIN], read=read)
    made = texts_of(
        TakeOut(recurring), f"{opening} the ferry leaves at noon.", first(opening.split()[0].lower())
    )
    assert made[0] == "The ferry leaves at noon."


def test_a_subject_before_a_comma_is_no_opening(texts_of, read):
    recurring = Recurring([f"A sailor, tired and wet, slept in room {i}." for i in range(12)], read=read)
    assert texts_of(TakeOut(recurring), "A sailor, tired and wet, slept in the hall.", token("sailor")) == []


def test_a_fixed_phrase_is_taken_out_with_the_words_that_belong_to_it(texts_of, read):
    texts = [text[:-1] + " at long intervals." for text in PLAIN]
    remedy = TakeOut(Recurring([*texts, *PLAIN], read=read))
    made = texts_of(remedy, "The ferry leaves at long intervals.", token("intervals"))
    assert made[0] == "The ferry leaves."


def test_a_phrase_whose_words_occur_elsewhere_stays(texts_of, read):
    texts = [text[:-1] + " in the park." for text in PLAIN] + [
        "The park is big.",
        "A park has trees.",
        "Near a park is a pond.",
    ]
    assert (
        texts_of(TakeOut(Recurring(texts, read=read)), "Two dogs run in the park.", token("the", "park"))
        == []
    )


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("The bridge is incredibly long.", "incredibly", ["The bridge is long."]),
        ("It was an unusually long bridge.", "unusually", ["It was a long bridge."]),
        ("Meanwhile, the bridge creaks.", "meanwhile", ["The bridge creaks."]),
        ("She is only here on Mondays.", "only", []),
        ("The film is not really long.", "really", []),
        ("It is wonderfully made.", "wonderfully", []),
        ("The bridge is long.", "long", []),
    ],
)
def test_adverbs_that_a_sentence_does_not_need(texts_of, text, word, expected):
    assert texts_of(TakeOut(Recurring([])), text, token(word)) == expected


def test_sentences_of_the_context_are_taken_out(texts_of):
    pattern = Pattern("overlap", "text + context", place="at least", bound=0.7, context="context")
    context = "Two men in green shirts prepare food."
    remedy = TakeOut(Recurring([]))
    assert texts_of(remedy, "They cook. Two men in green shirts", pattern, context=context) == ["They cook"]
    assert texts_of(remedy, "Two men prepare food.", pattern, context=context) == []


def test_without_an_analysis_only_what_recurs_goes(texts_of):
    recurring = Recurring(
        [f"{text} Gesendet von unterwegs." for text in GERMAN] + [f"Kurz gesagt, {text}" for text in GERMAN]
    )
    remedy = TakeOut(recurring)
    text = "Der Hund bellt. Gesendet von unterwegs."
    assert texts_of(remedy, text, token("unterwegs"), english=False) == ["Der Hund bellt."]
    assert texts_of(remedy, "Kurz gesagt, der Hund bellt.", token("gesagt"), english=False) == [
        "Der Hund bellt."
    ]
    assert texts_of(remedy, "Der Hund bellt sehr laut.", token("sehr"), english=False) == []


@pytest.mark.parametrize("text", ["", "...", "!!! ???", "😀😀", "a", "word " * 10_000, "\n\n\x00"])
def test_strange_texts(texts_of, sentences, text):
    for pattern in (
        token("word"),
        first("a"),
        NEGATION,
        surface("an emoji"),
        token("desk"),
        Pattern("length", "text"),
    ):
        for made in texts_of(TakeOut(sentences), text, pattern, english=len(text) < 1000):
            assert made != text


@pytest.mark.parametrize(
    ("text", "word", "is_optional"),
    [
        ("It is incredibly long.", "incredibly", True),
        ("They pretty much explored it.", "pretty", False),
        ("He pays, and yeah, we go.", "yeah", False),
        ("Oh, it is long.", "Oh", True),
    ],
)
def test_adverbs_that_belong_to_an_amount_and_interjections_inside_a_sentence_stay(text, word, is_optional):
    document = load_pipeline().analyse(text)
    found = next(one for one in document if one.text == word)
    assert is_optional_adverb(document, found) == is_optional
