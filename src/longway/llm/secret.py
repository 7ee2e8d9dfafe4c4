r"""A key that can be used but not shown, and where keys come from.

Keys live in the environment or a keyring. `Secret` keeps one out of `repr`, and takes it out of whatever a server sends back
before that reaches an error or a log. It knows the key in the spellings that programs give texts:

    letter by letter    as it is or reversed, with any letter as a code: of an address (%2F), of JSON or a programming language
                        (\/, \u002f, \x2f, \057), of HTML (&sol;, &#47;, &#x2f;), of mail (=2F)
    byte by byte        hexadecimal or decimal numbers, with or without something between them
    in blocks           base64, base32 and base85, wherever in the coded text the key begins

all of them in UTF-8, UTF-16 and UTF-32, and broken over lines. Any of these may be coded once more as an address, JSON or HTML
where its letters are kept; other codings of codings, compression and ciphers are not known.
"""

from __future__ import annotations

import os
import re
from base64 import a85encode, b32encode, b64encode, b85encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from functools import lru_cache
from html.entities import html5
from importlib import import_module
from importlib.util import find_spec

from longway.llm.prices import is_local

_BEARER = re.compile(r"(?i)\b(bearer|api[-_ ]?key)([\s\"':=]+)[\w.~+/=-]{6,}")
_LOOKS_LIKE_KEY = re.compile(r"\b(sk|pk|gsk|hf|xai)[-_][\w-]{8,}")
_HIDDEN = "[hidden]"
_SHORTEST = 8  # a key of a few letters stands in any text, above all in base64
_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_SLASHES = r"\\\\{0,3}"  # JSON inside of JSON doubles them
_PERCENT = "%(?:25){0,3}"  # so do addresses inside of addresses
_LINE_END = rf"(?:[\r\n]|=\r?\n|{_SLASHES}[rn]){{0,4}}"
# Wider encodings have zero bytes between the letters.
_BETWEEN = rf"(?:[\0\r\n]|=(?:00|\r?\n)|%00|&#0;|{_SLASHES}(?:[rn]|x00|u0000|0)){{0,4}}?"
_BETWEEN_NUMBERS = r"[\s:,;._-]{0,2}(?:0[xX])?"


class Secret:
    """A key that shows itself to `reveal` only; None where no key is needed."""

    __slots__ = ("_value",)

    def __init__(self, value: str | None) -> None:
        self._value = value or None

    def __repr__(self) -> str:
        return "Secret()" if self._value is None else f"Secret({_HIDDEN})"

    def __bool__(self) -> bool:
        return self._value is not None

    def __reduce__(self) -> tuple[object, ...]:
        return Secret, (None,)  # a copy that travels to another process or a file goes without the key

    def reveal(self) -> str | None:
        """The key itself; for the request's header only."""
        return self._value

    def is_in(self, text: str) -> bool:
        """Whether the text repeats the key in any of its forms; a key of a few letters stands in any text and does not count."""
        if self._value is None or len(self._value) < _SHORTEST:
            return False
        return any(pattern.search(text) for pattern in _patterns(self._value, text))

    def hide(self, text: str) -> str:
        """The text without the key, and without anything that looks like one.

        >>> Secret("abc-12345").hide("wrong key abc-12345 (Authorization: Bearer abc-12345)")
        'wrong key [hidden] (Authorization: Bearer [hidden])'
        """
        if self._value is not None:
            for pattern in list(_patterns(self._value, text)):
                text = pattern.sub(_HIDDEN, text)
        text = _BEARER.sub(rf"\1\2{_HIDDEN}", text)
        return _LOOKS_LIKE_KEY.sub(_HIDDEN, text)


def _patterns(key: str, text: str) -> Iterator[re.Pattern[str]]:
    """Those of the key's spellings that may stand in the text."""
    if len(key) < _SHORTEST:
        yield re.compile(re.escape(key))
        return
    yield from _everywhere(key)
    flat = text.replace("\r", "").replace("\n", "")
    # The signs that mark an end of line may be letters of base85, too.
    words = text.replace("\r", "").replace("=\n", "").replace("\n", "").replace("\\r", "").replace("\\n", "")
    for part, pattern in _blocks(key):
        if part in (words if part.isalnum() else flat):
            yield re.compile(pattern)


@lru_cache(maxsize=8)
def _everywhere(key: str) -> tuple[re.Pattern[str], ...]:
    r"""The key letter by letter and byte by byte.

    >>> letters, *_ = _everywhere("key/12+34")
    >>> [bool(letters.search(text)) for text in ("key%2F12%2b34", r"k\u0065y\/12+34", "key&sol;12&#43;34", "key 12+34")]
    [True, True, True, False]
    """
    # JSON doubles a backslash. As a spelling of that letter it would make a row of them a riddle with too many answers.
    spelled = [key, key[::-1], key.replace("\\", "\\" * 2), key.replace("\\", "\\" * 4)]
    found = [_BETWEEN.join(map(_letter, letters)) for letters in dict.fromkeys(spelled)]
    found += [_BETWEEN_NUMBERS.join(_hex(byte, 2) for byte in data) for data in _bytes_of(key)]
    found += [r"[\s,;]{1,3}".join(str(byte) for byte in key.encode("utf-8", "surrogatepass")) + r"(?!\d)"]
    return tuple(map(re.compile, found))


@lru_cache(maxsize=8)
def _blocks(key: str) -> tuple[tuple[str, str], ...]:
    """The key in blocks: a part to look for first, and the pattern of the whole, which takes longer."""
    found = {}
    for data in _bytes_of(key):
        for encode, bits, group in ((b64encode, 6, 3), (urlsafe_b64encode, 6, 3), (b32encode, 5, 5)):
            for letters in _in_bits(encode, data, bits, group):
                found[letters] = _line_by_line(letters)
                if encode is b32encode:
                    found[letters.lower()] = _line_by_line(letters.lower())
        for in_groups in (_in_groups(a85encode, data), _in_groups(b85encode, data)):
            for letters in in_groups:
                # The key's ends share a group of letters with their neighbours.
                found[letters] = f"[!-~]{{0,5}}{_line_by_line(letters)}[!-~]{{0,5}}"
    return tuple((_longest_word(letters), pattern) for letters, pattern in found.items())


def _bytes_of(key: str) -> list[bytes]:
    """The key's bytes in all encodings. Without zeros around them the two byte orders are mostly the same."""
    datas = [key.encode(name, "surrogatepass") for name in _ENCODINGS]
    return list(dict.fromkeys(data.strip(b"\0") or data for data in datas))


def _in_bits(encode: Callable[[bytes], bytes], data: bytes, bits: int, group: int) -> Iterator[str]:
    """The bytes in letters of so many bits, whatever stands around them: letters that hang on a neighbour's bits are left out."""
    for before in range(group):  # bytes of something else in the first group
        padded = bytes(before) + data
        yield encode(padded).decode()[-(-8 * before // bits) : 8 * len(padded) // bits]


def _in_groups(encode: Callable[[bytes], bytes], data: bytes) -> Iterator[str]:
    """The bytes in base85, where four bytes make five letters: whole groups only, and at least two of them."""
    for first in range(4):
        end = first + (len(data) - first) // 4 * 4
        if end - first >= 8:
            yield encode(data[first:end]).decode()


def _line_by_line(letters: str) -> str:
    return _LINE_END.join(letter if letter.isalnum() else _letter(letter) for letter in letters)


def _longest_word(letters: str) -> str:
    """The part that no further coding changes; all of it where that would be in many a text.

    >>> _longest_word("ab+cdefghijk/lm"), _longest_word("ab+cd/ef")
    ('cdefghijk', 'ab+cd/ef')
    """
    longest = max(re.findall("[A-Za-z0-9]+", letters), key=len, default="")
    return longest if len(longest) >= 6 else letters


@lru_cache(maxsize=512)
def _letter(letter: str) -> str:
    """A pattern of all that a letter may be written as; each begins with a fixed one, which makes the search fast."""
    code, datas = ord(letter), _bytes_of(letter)
    wide = letter.encode("utf-16-be", "surrogatepass")
    units = [_hex(int.from_bytes(wide[i : i + 2]), 4) for i in range(0, len(wide), 2)]
    named = sorted((name for name, meant in html5.items() if meant == letter), key=len, reverse=True)
    html = [f"#0{{0,5}}{code};?", f"#[xX]0{{0,6}}{_hex(code)};?", *named]
    slashed = [
        _SLASHES.join("u" + unit for unit in units),
        rf"u\{{0{{0,6}}{_hex(code)}\}}",
        f"U{_hex(code, 8)}",
    ]
    slashed += [_SLASHES.join("x" + _hex(byte, 2) for byte in data) for data in datas]
    slashed += [_SLASHES.join(f"{byte:03o}" for byte in data) for data in datas]
    slashed += [] if letter.isalnum() or letter == "\\" else [re.escape(letter)]
    percent = [_PERCENT.join("u" + unit for unit in units)]
    percent += [_PERCENT.join(_hex(byte, 2) for byte in data) for data in datas]
    found = [f"&(?:amp;){{0,3}}{_any(html)}", _SLASHES + _any(slashed), _PERCENT + _any(percent)]
    found += ["".join("=" + _hex(byte, 2) for byte in data) for data in datas]
    found += [re.escape(data.decode("latin-1")) for data in datas]
    return _any([*found, re.escape(letter)])


def _any(patterns: list[str]) -> str:
    """One of the patterns. None of them twice: in a text that nearly is the key, each letter would double the time."""
    return f"(?:{'|'.join(dict.fromkeys(patterns))})"


def _hex(number: int, digits: int = 1) -> str:
    """A pattern of a hexadecimal number, in small or capital letters.

    >>> _hex(0x2f, 4)
    '002[fF]'
    """
    return "".join(f"[{d}{d.upper()}]" if d.isalpha() else d for d in f"{number:0{digits}x}")


def find_key(base_url: str) -> Secret:
    """The key for a server: LONGWAY_API_KEY, else OPENAI_API_KEY, else what the keyring holds for "longway".

    OPENAI_API_KEY is meant for a service: it goes neither to a server on this machine nor over an unencrypted line.
    """
    if own := os.environ.get("LONGWAY_API_KEY"):
        return Secret(own)
    if is_local(base_url) or not base_url.startswith("https://"):
        return Secret(None)
    return Secret(os.environ.get("OPENAI_API_KEY") or _from_keyring())


def _from_keyring() -> str | None:
    if find_spec("keyring") is None:
        return None
    keyring = import_module("keyring")
    try:
        found: str | None = keyring.get_password("longway", "api_key")
    except keyring.errors.KeyringError:
        return None  # no keyring is running: the same as none installed
    return found
