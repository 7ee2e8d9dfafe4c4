"""Which languages the texts of a job may have."""

from __future__ import annotations

from collections.abc import Mapping

from longway.errors import SettingError
from longway.language_names import ENGLISH
from longway.languages.dataset import described

ENGLISH_ONLY = frozenset({"rules"})  # engines that write no other language
SERVED = "Use --engine served:MODEL, which writes in the language of each row, or `longway repair`, which also takes out, normalises and drops."


def check_english(languages: Mapping[str, float], what: str, next_step: str) -> None:
    """SettingError if no text is English. what: the start of a sentence that ends with "English only"."""
    if ENGLISH not in languages:
        raise SettingError(f"{what} English only. The texts look like {described(languages)}. {next_step}")


def check_writer(languages: Mapping[str, float], writer: str) -> None:
    """SettingError if no text is English and only rules write. Rows of mixed data are refused one by one. writer: its name."""
    if writer in ENGLISH_ONLY:
        check_english(languages, f"The engine {writer} supports", SERVED)
