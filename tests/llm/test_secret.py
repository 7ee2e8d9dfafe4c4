"""A key is known in whatever spelling a text repeats it, and taken out of it."""

import base64
import html
import json
import quopri
from functools import partial
from urllib.parse import quote

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from longway.llm.secret import Secret

KEY = "lw+canary/7f3A=0b5d29c4e81"
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


def of_letters(code):
    """Each letter by its number."""
    return lambda text: "".join(code.format(ord(letter)) for letter in text)


def of_bytes(spell):
    """The text's bytes in each encoding, spelled."""
    return {name: lambda text, name=name: spell(text.encode(name)) for name in ENCODINGS}


def named_html(text):
    names = {"+": "&plus;", "/": "&sol;", "=": "&equals;", "_": "&lowbar;", ".": "&period;"}
    return "".join(names.get(letter, html.escape(letter)) for letter in text)


def lines_of(text, *, end="\n"):
    return end.join(text[i : i + 7] for i in range(0, len(text), 7))


def in_mail(text):
    return quopri.encodestring(text.encode(), quotetabs=True).decode()


BY_LETTER = {
    "plain": str,
    "reversed": lambda text: text[::-1],
    "address": quote,
    "address, all": partial(quote, safe=""),
    "address, small": lambda text: "".join(
        letter if letter.isalnum() else f"%{ord(letter):02x}" for letter in text
    ),
    "address twice": lambda text: quote(quote(text)),
    "address of code": of_letters("%u{:04X}"),
    "percent": of_letters("%{:02X}"),
    "json": json.dumps,
    "json, slashes": lambda text: json.dumps(text).replace("/", "\\/"),
    "json in json": lambda text: json.dumps(json.dumps(text).replace("/", "\\/")),
    "json, small codes": of_letters("\\u{:04x}"),
    "json, capital codes": of_letters("\\u{:04X}"),
    "code in braces": of_letters("\\u{{{:x}}}"),
    "long code": of_letters("\\U{:08x}"),
    "small bytes": of_letters("\\x{:02x}"),
    "capital bytes": of_letters("\\x{:02X}"),
    "octal": of_letters("\\{:03o}"),
    "html": html.escape,
    "html, named": named_html,
    "html, decimal": of_letters("&#{};"),
    "html, padded": of_letters("&#{:04d};"),
    "html, hexadecimal": of_letters("&#x{:x};"),
    "html, capital": of_letters("&#X{:X};"),
    "html twice": lambda text: html.escape(of_letters("&#{};")(text)),
    "mail": in_mail,
    "mail, all": of_letters("={:02X}"),
    "lines": lines_of,
    "soft lines": partial(lines_of, end="=\r\n"),
    "numbers": lambda text: json.dumps(list(text.encode())),
}
IN_BYTES = {
    "raw": lambda data: data.decode("latin-1"),
    "repr": repr,
    "hex": bytes.hex,
    "capital hex": lambda data: data.hex().upper(),
    **{f"hex with {sign!r}": lambda data, sign=sign: data.hex(sign) for sign in " :-,"},
    "hex in fours": lambda data: data.hex(" ", 2),
    "hex numbers": lambda data: ", ".join(map(hex, data)) if min(data) > 15 else data.hex(),
    "percent": lambda data: "".join(f"%{byte:02x}" for byte in data),
    "base64": lambda data: base64.b64encode(data).decode(),
    "base64 for addresses": lambda data: base64.urlsafe_b64encode(data).decode(),
    "base64 in an address": lambda data: quote(base64.b64encode(data), safe=""),
    "base64 in json": lambda data: base64.b64encode(data).decode().replace("/", "\\/"),
    "base64 in lines": lambda data: lines_of(base64.b64encode(data).decode(), end="\r\n"),
    "base32": lambda data: base64.b32encode(data).decode(),
    "small base32": lambda data: base64.b32encode(data).decode().lower(),
    "base85": lambda data: base64.b85encode(data).decode(),
    "ascii85": lambda data: base64.a85encode(data).decode(),
    "ascii85 in lines": lambda data: base64.a85encode(data, wrapcol=20, adobe=True).decode(),
}
SPELLED = BY_LETTER | {
    f"{how} of {name}": spell for how, each in IN_BYTES.items() for name, spell in of_bytes(each).items()
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
    assume(key not in other and key[::-1] not in other)
    assert not Secret(key).is_in(SPELLED[how](other))


@given(st.text(min_size=8, max_size=20), st.text(max_size=50))
@example("łódź-ключ-鍵-😀", "")
@example("\ud800" * 8, "\udfff")
@example("\0" * 9, "\0")
def test_no_key_and_no_text_is_too_odd(key, text):
    assert Secret(key).is_in(text + key + text)
    assert key not in Secret(key).hide(text + key + text)
    assert not Secret(key).is_in("")


@pytest.mark.parametrize("how", sorted(set(SPELLED) & {"json", "address", "html, decimal", "lines"}))
def test_a_key_of_other_letters_is_found(how):
    key = "łódź-ключ-鍵-😀"
    assert Secret(key).is_in(SPELLED[how](key))
    assert all(Secret(key).is_in(spell(key)) for spell in of_bytes(IN_BYTES["base64"]).values())


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
