"""The language of a text: by its script, and within a script by its character n-grams.

    language_of("Der Film war nicht gut.")     "de"
    language_of("映画は長かった。")               "ja"
    language_of("ok")                          "und": too short, or unclear

Scripts that one language uses (Thai, Hangul, Hebrew ...) decide without a model, and so do kana and Chinese characters. Latin, Cyrillic,
Arabic and Devanagari letters have one small linear model each: hashed n-grams of one to five characters, counts by their square root,
vectors of length one, softmax regression. `train/languages.py` made them from the translated messages of free software.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from longway.arrays import Floats, Floats32, Ints
from longway.language_names import NAMES, UNKNOWN

MODEL = "identifier.npz"
LONGEST = 300  # characters of a text that are looked at
LONGEST_N = 5
FEWEST_LETTERS = 6  # of a text in a script that several languages use
CLEAR = 0.6  # probability that a language must have
KANA_SHARE = 0.05  # of kana and Chinese characters together, above which a text is Japanese
LETTERS_OF_ONE = 3  # letters of an alphabet that say as much as a kana or Chinese character

# Where the letters of each script begin and end. A name in lower case is a language: no other one of `NAMES` uses the script.
_RANGES = [
    (0x41, 0x5A, "Latin"), (0x61, 0x7A, "Latin"), (0xC0, 0x2AF, "Latin"), (0x370, 0x3FF, "el"), (0x400, 0x52F, "Cyrillic"),
    (0x531, 0x58F, "hy"), (0x590, 0x5FF, "he"), (0x600, 0x6FF, "Arabic"), (0x750, 0x77F, "Arabic"), (0x900, 0x97F, "Devanagari"),
    (0x980, 0x9FF, "bn"), (0xA00, 0xA7F, "pa"), (0xA80, 0xAFF, "gu"), (0xB80, 0xBFF, "ta"), (0xC00, 0xC7F, "te"), (0xC80, 0xCFF, "kn"),
    (0xD00, 0xD7F, "ml"), (0xD80, 0xDFF, "si"), (0xE00, 0xE7F, "th"), (0xE80, 0xEFF, "lo"), (0x1000, 0x109F, "my"), (0x10A0, 0x10FF, "ka"),
    (0x1100, 0x11FF, "ko"), (0x1200, 0x137F, "am"), (0x1780, 0x17FF, "km"), (0x1E00, 0x1EFF, "Latin"), (0x3041, 0x30FF, "kana"),
    (0x3400, 0x4DBF, "Han"), (0x4E00, 0x9FFF, "Han"), (0xAC00, 0xD7A3, "ko"), (0xF900, 0xFAFF, "Han"), (0xFF21, 0xFF3A, "Latin"), (0xFF41, 0xFF5A, "Latin"),
    (0xFF66, 0xFF9D, "kana"), (0x20000, 0x323AF, "Han"),
]  # fmt: skip
_FULL_WIDTH = {code: code - 0xFEE0 for code in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
_STARTS = np.array([start for start, _, _ in _RANGES], dtype=np.uint32)
_ENDS = np.array([end for _, end, _ in _RANGES], dtype=np.uint32)
_SCRIPT_NAMES = sorted({name for _, _, name in _RANGES})
_SCRIPT = np.array([_SCRIPT_NAMES.index(name) for _, _, name in _RANGES])


@dataclass(frozen=True, slots=True)
class ScriptModel:
    """Distinguishes the languages of one script.

    weights: buckets x languages.
    """

    languages: tuple[str, ...]
    weights: Floats32
    intercepts: Floats32

    def probabilities(self, text: str) -> Floats:
        """The probability of each language."""
        counts = np.bincount(buckets(text, n_buckets=len(self.weights)), minlength=len(self.weights))
        present = counts.nonzero()[0]
        values = np.sqrt(counts[present])
        scores = values / np.linalg.norm(values) @ self.weights[present] + self.intercepts
        odds = np.exp(scores - scores.max())
        return odds / odds.sum()


def language_of(text: str, *, among: Collection[str] = (), clear: float = CLEAR) -> str:
    """The ISO 639 code of a text's language; "und" if it is too short or unclear.

    among: the languages that it can be in; default: all. clear: the probability that a language must have.

    >>> language_of("The film was far too long."), language_of("Фильм был слишком длинным."), language_of("42!")
    ('en', 'ru', 'und')
    """
    return _language_of(unicodedata.normalize("NFC", text[:LONGEST]), tuple(among), clear)


@lru_cache(maxsize=20_000)  # a job asks several times about a row: the dataset, the prompt, the checks
def _language_of(text: str, among: tuple[str, ...], clear: float) -> str:
    script, n = main_script(text)
    if not n:
        return UNKNOWN
    if script in NAMES:
        return script if not among or script in among else UNKNOWN
    if n < FEWEST_LETTERS:
        return UNKNOWN
    model = _models()[script]
    odds = model.probabilities(text)
    if among:
        odds = odds * np.isin(model.languages, among)
        odds = odds / max(odds.sum(), 1e-12)
    best = int(odds.argmax())
    return model.languages[best] if odds[best] >= clear else UNKNOWN


def may_be_in(text: str, language: str) -> bool:
    """Whether the script of a text is one of a language; texts without letters may be in any.

    >>> may_be_in("Круто", "ru"), may_be_in("Круто", "de"), may_be_in("最高傑作", "ja"), may_be_in("42!", "ru")
    (True, False, True, True)
    """
    script, n = main_script(text)
    if not n or script == language or (script, language) == ("zh", "ja"):
        return True
    return script not in NAMES and language in _models()[script].languages


def main_script(text: str) -> tuple[str, int]:
    """The script of most letters, and how many there are; "ja" or "zh" for kana and Chinese characters."""
    letters = scripts(text[:LONGEST])
    kana = letters.pop("kana", 0)
    if chinese := letters.pop("Han", 0) + kana:
        letters["ja" if kana > KANA_SHARE * chinese else "zh"] = LETTERS_OF_ONE * chinese
    return letters.most_common(1)[0] if letters else ("", 0)


def languages_of_models() -> frozenset[str]:
    """The languages that share their script with others, so that a model tells them apart."""
    return frozenset(language for model in _models().values() for language in model.languages)


def scripts(text: str) -> Counter[str]:
    """The letters of a text by script; for a script that only one language uses, the code of the language.

    >>> dict(scripts("Фильм «Heat»"))
    {'Cyrillic': 5, 'Latin': 4}
    """
    codes = _code_points(text)
    place = np.searchsorted(_STARTS, codes, side="right") - 1
    is_letter = (place >= 0) & (codes <= _ENDS[place])
    counts = np.bincount(_SCRIPT[place[is_letter]], minlength=len(_SCRIPT_NAMES))
    return Counter({name: int(n) for name, n in zip(_SCRIPT_NAMES, counts, strict=True) if n})


@lru_cache(maxsize=20_000)
def script_of(character: str) -> str:
    """The script of a letter, as `scripts` names it; "" for other characters.

    >>> script_of("ф"), script_of("가"), script_of("7")
    ('Cyrillic', 'ko', '')
    """
    if not character.isalpha():
        return ""
    return next(iter(scripts(character)), unicodedata.name(character, "").partition(" ")[0].title())


def buckets(text: str, *, n_buckets: int) -> Ints:
    """The bucket of each character n-gram of a text; n_buckets: a power of two."""
    lowered = unicodedata.normalize("NFC", text[:LONGEST]).translate(_FULL_WIDTH).lower()
    words = "".join(c if c.isalpha() or c in "'’" or "\u0300" <= c <= "\u0fff" else " " for c in lowered)
    codes = _code_points(f" {' '.join(words.split())} ").astype(np.uint64)
    shift = np.uint64(64 - (n_buckets.bit_length() - 1))
    found, hashes = [], np.zeros(len(codes), dtype=np.uint64)
    for n in range(1, min(LONGEST_N, len(codes)) + 1):
        hashes = (hashes[: len(codes) - n + 1] * np.uint64(1_000_003)) ^ codes[n - 1 :]
        mixed = (hashes ^ np.uint64(n * 0x9E3779B97F4A7C15 % 2**64)) * np.uint64(0xBF58476D1CE4E5B9)
        found.append((mixed >> shift).astype(np.int64))
    return np.concatenate(found)


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)


@cache
def _models() -> Mapping[str, ScriptModel]:
    with as_file(files("longway.languages") / MODEL) as path, np.load(path, allow_pickle=False) as saved:
        return {
            str(script): ScriptModel(
                tuple(map(str, saved[f"{script}_languages"])),
                saved[f"{script}_weights"].astype(np.float32) * saved[f"{script}_scale"],
                saved[f"{script}_intercepts"],
            )
            for script in saved["scripts"]
        }
