"""A key that can be used but not shown, and where keys come from.

Keys live in the environment or a keyring. `Secret` keeps one out of `repr`, and takes it out of whatever a server sends back
before that reaches an error or a log.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from importlib.util import find_spec

from longway.llm.prices import is_local

_BEARER = re.compile(r"(?i)\b(bearer|api[-_ ]?key)([\s\"':=]+)[\w.~+/=-]{6,}")
_LOOKS_LIKE_KEY = re.compile(r"\b(sk|pk|gsk|hf|xai)[-_][\w-]{8,}")
_HIDDEN = "[hidden]"


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
        """Whether the text repeats the key; a key of a few letters stands in any text and does not count."""
        return self._value is not None and len(self._value) >= 8 and self._value in text

    def hide(self, text: str) -> str:
        """The text without the key, and without anything that looks like one.

        >>> Secret("abc-12345").hide("wrong key abc-12345 (Authorization: Bearer abc-12345)")
        'wrong key [hidden] (Authorization: Bearer [hidden])'
        """
        if self._value is not None:
            text = text.replace(self._value, _HIDDEN)
        text = _BEARER.sub(rf"\1\2{_HIDDEN}", text)
        return _LOOKS_LIKE_KEY.sub(_HIDDEN, text)


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
