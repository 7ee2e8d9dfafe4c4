"""A key is recognised in the spellings that servers use, and removed."""

import base64
import json
from functools import partial
from urllib.parse import quote

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from longway.engines.secret import Secret

KEY = "lw+canary/7f3A=0b5d29c4e81"


def of_letters(code):
    """Each letter by its number."""
    return lambda text: "".join(code.format(ord(letter)) for letter in text)


SPELLED = {
    "plain": str,
    "address": quote,
    "address, all": partial(quote, safe=""),
    "address, small": lambda text: "".join(
        letter if letter.isalnum() else f"%{ord(letter):02x}" for letter in text
    ),
    "percent": of_letters("%{:02X}"),
    "json": json.dumps,
    "json, slashes": lambda text: json.dumps(text).replace("/", "\\/"),
    "json, small codes": of_letters("\\u{:04x}"),
    "json, capital codes": of_letters("\\u{:04X}"),
    "hex": lambda text: text.encode().hex(),
    "capital hex": lambda text: text.encode().hex().upper(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
}
keys = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60)
around = st.text(st.characters(min_codepoint=97, max_codepoint=122), max_size=9)


@pytest.mark.parametrize("how", SPELLED)
@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "abcd"])
def test_each_spelling_is_found_and_hidden_wherever_it_begins(how, before):
    shown = f"wrong key: {SPELLED[how](before + KEY + 'z')} !"
    assert Secret(KEY).is_in(shown)
    hidden = Secret(KEY).hide(shown)
    assert "[hidden]" in hidden
    assert hidden.startswith("wrong key")
    assert not Secret(KEY).is_in(hidden)


@given(keys, st.sampled_from(sorted(SPELLED)), around, around)
def test_any_key_is_found_and_hidden(key, how, before, after):
    shown = SPELLED[how](before + key + after)
    assert Secret(key).is_in(shown)
    assert not Secret(key).is_in(Secret(key).hide(shown))


@given(st.text(max_size=300))
@example("\ud800 \0 \udfff %u &# \\u \\x =\n")
@example("wrong key: lw+canary/7f3A and 0b5d29c4e81")
def test_other_texts_stay_as_they_are(text):
    assert not Secret(KEY).is_in(text)
    assert Secret(KEY).hide(text) == Secret(None).hide(text)


@given(keys, keys, st.sampled_from(sorted(SPELLED)))
def test_another_key_is_not_taken_for_this_one(key, other, how):
    assume(key not in other)
    assert not Secret(key).is_in(SPELLED[how](other))


@given(st.text(min_size=8, max_size=20), st.text(max_size=50))
@example("łódź-ключ-鍵-😀", "")
@example("\ud800" * 8, "\udfff")
@example("\0" * 9, "\0")
def test_no_key_and_no_text_is_too_odd(key, text):
    assert Secret(key).is_in(text + key + text)
    assert key not in Secret(key).hide(text + key + text)
    assert not Secret(key).is_in("")


@pytest.mark.parametrize("how", ["json", "address", "hex", "base64"])
def test_a_key_of_other_letters_is_found(how):
    key = "łódź-ключ-鍵-😀"
    assert Secret(key).is_in(SPELLED[how](key))


def test_what_stands_around_a_key_stays():
    told = 'the key "lw%2Bcanary%2F7f3A%3D0b5d29c4e81" and the key lw+canary\\/7f3A=0b5d29c4e81, twice'
    assert Secret(KEY).hide(told) == 'the key "[hidden]" and the key [hidden], twice'


@pytest.mark.parametrize("key", [None, "", "abc", "a/b=c+d"])
def test_no_key_and_a_short_one_are_in_no_text(key):
    text = f"abc cba YWJj 616263 a%2Fb%3Dc%2Bd {key}"
    assert not Secret(key).is_in(text)
    assert Secret(key).hide("abc-key") == "abc-key".replace(key or "-", "[hidden]" if key else "-")


@pytest.mark.parametrize(
    "part", ["Some words, and 100% = a & b\n", KEY[:-1] + " ", "l\0", "=", "%2", "\\", "A"]
)
def test_a_long_text_that_nearly_is_the_key_is_read_to_its_end(part):
    """A pattern that tries each letter in two ways would not come back."""
    assert not Secret(KEY).is_in(part * (1_000_000 // len(part)))
