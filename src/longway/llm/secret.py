"""A key that can be used but not shown, and where keys come from.

Keys live in the environment or a keyring. `Secret` keeps one out of `repr`, and takes it out of whatever a server sends back
before that reaches an error or a log: as it is, and in the forms that programs write texts in (`forms_of`).
"""

from __future__ import annotations

import os
import re
from base64 import b64encode, urlsafe_b64encode
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from urllib.parse import quote

from longway.llm.prices import is_local

_BEARER = re.compile(r"(?i)\b(bearer|api[-_ ]?key)([\s\"':=]+)[\w.~+/=-]{6,}")
_LOOKS_LIKE_KEY = re.compile(r"\b(sk|pk|gsk|hf|xai)[-_][\w-]{8,}")
_HIDDEN = "[hidden]"
_SHORTEST = 8  # a key of a few letters stands in any text, above all in base64


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
        return any(form in text for form in forms_of(self._value))

    def hide(self, text: str) -> str:
        """The text without the key, and without anything that looks like one.

        >>> Secret("abc-12345").hide("wrong key abc-12345 (Authorization: Bearer abc-12345)")
        'wrong key [hidden] (Authorization: Bearer [hidden])'
        """
        if self._value is not None:
            for form in forms_of(self._value):
                text = text.replace(form, _HIDDEN)
        text = _BEARER.sub(rf"\1\2{_HIDDEN}", text)
        return _LOOKS_LIKE_KEY.sub(_HIDDEN, text)


@lru_cache(maxsize=8)
def forms_of(key: str) -> tuple[str, ...]:
    """The key as programs may repeat it: plain, reversed, base64 wherever it begins, hexadecimal, for addresses, as JSON codes, UTF-16.

    >>> "c2VjcmV0LWtleS0x" in forms_of("secret-key-1"), "312d79656b2d746572636573" in forms_of("secret-key-1")
    (True, False)
    """
    if len(key) < _SHORTEST:
        return (key,)
    data = key.encode("utf-8", "surrogatepass")
    found = [key, key[::-1], data.hex(), data.hex().upper(), data.hex(" "), data.hex(":"), "\0".join(key)]
    found += [
        quote(key, safe=""),
        "".join(f"%{byte:02X}" for byte in data),
        "".join(f"%{byte:02x}" for byte in data),
    ]
    found += ["".join(f"\\u{ord(letter):04x}" for letter in key), "".join(f"\\x{byte:02x}" for byte in data)]
    wide = key.encode("utf-16-le", "surrogatepass")
    found += [wide.hex(), *_in_base64(data), *_in_base64(wide)]
    # The longest first: a shorter one may be a part of it, and would leave the rest.
    return tuple(sorted(dict.fromkeys(found), key=lambda form: (-len(form), form)))


def _in_base64(data: bytes) -> list[str]:
    """What base64 makes of the bytes whatever stands around them: letters that hang on a neighbour's bits are left out."""
    found = []
    for before in range(3):  # bytes of something else in the first group
        padded = bytes(before) + data
        whole = len(padded) // 3 * 4  # a last group that is not full hangs on what follows
        first = (0, 2, 3)[before]
        found += [encode(padded).decode()[first:whole] for encode in (b64encode, urlsafe_b64encode)]
    return found


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
