"""Windows of long texts: nothing is lost, sentences stay whole, and no window is too long."""

import random

import pytest

from longway.english.people.change import Perturbed, Place, Request, as_one, unchanged
from longway.english.people.words import parse_attribute
from longway.english.pipeline import load_pipeline
from longway.errors import SettingError
from longway.methods.perturb.segments import Unfit
from longway.methods.perturb.windows import NAMED_TWICE, in_windows, windows_of
from longway.text.sentences import sentences_of
from longway.text.tokenizer import tokenize


def text_of(rng, n_sentences):
    """Sentences of 2 to 31 words with line breaks between some of them."""
    sentences = ("She " + " ".join(rng.choices(["She", "met", "Dr. Okoye's", "3.5", "dogs,"], k=rng.randint(1, 30))) for _ in range(n_sentences))  # fmt: skip
    return "".join(sentence + rng.choice([". ", "!\n\n", ".  "]) for sentence in sentences)


@pytest.mark.parametrize("seed", range(20))
def test_windows_joined_are_the_text_and_none_is_too_long(seed):
    rng = random.Random(seed)
    text, most = text_of(rng, rng.randint(0, 40)), rng.choice([3, 16, 64])
    windows = windows_of(text, most=most)
    assert "".join(windows) == text
    assert all(0 < len(tokenize(window)) <= most for window in windows)


@pytest.mark.parametrize("seed", range(10))
def test_a_window_ends_where_a_sentence_ends(seed):
    text = text_of(random.Random(seed), 30)
    windows = windows_of(text, most=150)
    assert len(windows) > 1
    assert [sentence for window in windows for sentence in sentences_of(window)] == sentences_of(text)


def test_windows_are_as_full_as_whole_sentences_allow():
    sentence = "One two three four. "
    assert windows_of(sentence * 5, most=12) == [sentence * 2, sentence * 2, sentence]


def test_a_blank_text_has_no_window_and_white_space_at_the_start_is_kept():
    assert windows_of(" \n ") == []
    assert windows_of("\n  She left.") == ["\n  She left."]


def test_a_window_without_tokens_is_refused():
    with pytest.raises(SettingError, match="at least 1 token"):
        windows_of("She left.", most=0)


# Rows that a network cannot read at once

RAIN = "It rained on the old road all day. " * 3


def windowed(*segments, word, target="man", source="woman", most=32):
    number, start = next((number, text.index(word)) for number, text in enumerate(segments) if word in text)
    place = Place(number, start, start + len(word))
    request = Request(segments, place, parse_attribute(source), parse_attribute(target))
    return in_windows(request, load_pipeline().analyse(as_one(segments)), most=most)


def test_only_the_window_of_the_person_is_sent():
    parts = windowed(f"{RAIN}Mary sold her boat. {RAIN}", word="Mary")
    ((_, sent),) = parts.sent.items()
    assert sent.word == "Mary"
    assert "her boat" in sent.segments[0]
    assert len(sent.segments[0]) < len(parts.request.segments[0])
    new = sent.segments[0].replace("Mary sold her", "Al sold his")
    assert parts.joined([Perturbed((new,))]).segments == (f"{RAIN}Al sold his boat. {RAIN}",)


def test_windows_with_pronouns_of_the_person_are_sent_too_and_all_or_none_is_changed():
    text = f"Mary sold a boat. {RAIN}Then she left."
    parts = windowed(text, word="Mary", most=28)
    first, second = parts.sent.values()
    assert (first.word, second.word) == ("Mary", "she")
    good = [
        Perturbed((one.segments[0].replace("Mary", "Al").replace("she", "he"),)) for one in (first, second)
    ]
    assert parts.joined(good).segments == (f"Al sold a boat. {RAIN}Then he left.",)
    half = parts.joined([good[0], unchanged(second, "nothing was changed")])
    assert half.segments == (text,)
    assert half.reason == "nothing was changed"


def test_a_person_who_is_named_in_two_windows_is_refused():
    with pytest.raises(Unfit, match=NAMED_TWICE):
        windowed(f"Mary sold a boat. {RAIN}Mary left.", word="Mary", most=28)
    with pytest.raises(Unfit, match=NAMED_TWICE):
        windowed("Mary sold a boat.", "Then Mary left.", word="Mary")


def test_a_pronoun_says_nothing_of_race_and_its_window_is_not_sent():
    text = f"An Asian poet sold her boat. {RAIN}Then she left."
    parts = windowed(text, word="Asian", source="asian", target="white", most=28)
    assert [one.word for one in parts.sent.values()] == ["Asian"]
