"""A server's key that can be used but not shown, and where keys come from.

Keys are read from the environment or a keyring. `Secret` keeps a key out of `repr` and pickles, and removes it from whatever a server
sends back before that reaches an error message or a log. It recognises the key as it is, with any characters URL-encoded
(%2F) or JSON-escaped (\\/, \\u002f), in base64 at any offset, and in hexadecimal.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode, urlsafe_b64encode
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec

from longway.engines.costs import is_local

_BEARER = re.compile(r"(?i)\b(bearer|api[-_ ]?key)([\s\"':=]+)[\w.~+/=-]{6,}")
_LOOKS_LIKE_KEY = re.compile(r"\b(sk|pk|gsk|hf|xai)[-_][\w-]{8,}")
_HIDDEN = "[hidden]"
_SHORTEST = 8  # characters; a shorter key occurs in ordinary text, above all in base64


class Secret:
    """A key that only `reveal` returns; None if no key is needed."""

    __slots__ = ("_value",)

    def __init__(self, value: str | None) -> None:
        self._value = value or None

    def __repr__(self) -> str:
        return "Secret()" if self._value is None else f"Secret({_HIDDEN})"

    def __bool__(self) -> bool:
        return self._value is not None

    def __reduce__(self) -> tuple[object, ...]:
        return Secret, (None,)  # a pickle, for another process or a file, does not contain the key

    def reveal(self) -> str | None:
        """The key itself; only for the header of a request."""
        return self._value

    def is_in(self, text: str) -> bool:
        """Whether the text contains the key in any spelling; always False for a very short key."""
        if self._value is None or len(self._value) < _SHORTEST:
            return False
        return any(pattern.search(text) for pattern in _patterns(self._value))

    def hide(self, text: str) -> str:
        """The text without the key, and without anything that looks like one.

        >>> Secret("abc-12345").hide("wrong key abc-12345 (Authorization: Bearer abc-12345)")
        'wrong key [hidden] (Authorization: Bearer [hidden])'
        """
        if self._value is not None:
            for pattern in _patterns(self._value):
                text = pattern.sub(_HIDDEN, text)
        text = _BEARER.sub(rf"\1\2{_HIDDEN}", text)
        return _LOOKS_LIKE_KEY.sub(_HIDDEN, text)


@lru_cache(maxsize=8)
def _patterns(key: str) -> tuple[re.Pattern[str], ...]:
    """The spellings of a key.

    >>> plain, *_ = _patterns("key/12+34")
    >>> [bool(plain.search(text)) for text in ("key%2F12%2b34", r"k\\u0065y\\/12+34", "key 12+34")]
    [True, True, False]
    """
    if len(key) < _SHORTEST:
        return (re.compile(re.escape(key)),)
    data = key.encode("utf-8", "surrogatepass")
    # A backslash is doubled by JSON. As an alternative of that character, it would make the pattern exponential.
    spellings = ["".join(map(_character, text)) for text in dict.fromkeys((key, key.replace("\\", "\\\\")))]
    spellings += [re.escape(part) for part in dict.fromkeys(_base64(data))]
    spellings.append("".join(_hex(byte) for byte in data))
    return tuple(map(re.compile, spellings))


def _character(character: str) -> str:
    """A pattern of one character: as it is, URL-encoded or JSON-escaped."""
    units = character.encode("utf-16-be", "surrogatepass")
    codes = [int.from_bytes(units[i : i + 2]) for i in range(0, len(units), 2)]
    options = [re.escape(character)]
    options.append("".join(f"%{_hex(byte)}" for byte in character.encode("utf-8", "surrogatepass")))
    options.append("".join(rf"\\u{_hex(code >> 8)}{_hex(code & 255)}" for code in codes))
    if character in '/"':
        options.append(r"\\" + re.escape(character))
    return f"(?:{'|'.join(options)})"


def _base64(data: bytes) -> list[str]:
    """The bytes in base64 at each offset, without the characters that depend on neighbouring bytes."""
    parts = []
    for before in range(3):
        padded = bytes(before) + data
        start, stop = -(-8 * before // 6), 8 * len(padded) // 6
        parts += [encode(padded).decode()[start:stop] for encode in (b64encode, urlsafe_b64encode)]
    return parts


def _hex(byte: int) -> str:
    """A pattern of two hexadecimal digits in either case.

    >>> _hex(0x2f)
    '2[fF]'
    """
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{byte:02x}")


def find_key(base_url: str) -> Secret:
    """The key for a server: LONGWAY_API_KEY, then OPENAI_API_KEY, then the keyring's entry for "longway".

    OPENAI_API_KEY is meant for a service: it is not sent to a server on this machine or over an unencrypted connection.
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
        password: str | None = keyring.get_password("longway", "api_key")
    except keyring.errors.KeyringError:
        return None  # no keyring is running: the same as none installed
    return password
