"""The words of a text in its language.

    words("L'homme n'a rien vu.", "fr")        l'  homme  n'  a  rien  vu
    words("电影太长了", "zh")                    电影  太  长  了      (with rjieba; otherwise one token per character)
    tokenizer_for(["de"])                      what splits texts in these languages

English keeps the rules of `text/tokenizer.py`. Other languages share them, with what each needs:

    Turkish            I is the capital of ı, and İ that of i
    French, Italian ...  an elided word is a word: l', qu', dell'
    Arabic, Hebrew     optional vowel marks are removed; Hebrew abbreviations keep their quotation mark
    Korean             particles after words of two or more syllables are separate tokens
    Thai               the longest words of a list that ships with Longway (words_th.txt of PyThaiNLP, CC0)
    Chinese, Japanese  words by rjieba, and by fugashi with the dictionary ipadic; without them, single characters
    Lao, Khmer, Burmese  single characters with their vowel signs
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from gzip import decompress
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec

import polars as pl

from longway.language_names import ENGLISH, UNKNOWN
from longway.languages.identify import language_of
from longway.text.tokenizer import PATTERN, PLAIN, UNSPACED, LanguageTokenizer, Tokenizer, is_word

_NUMBER = r"\d+(?:[.,/:]\d+)+"
_WORD = rf"{_NUMBER}|\w+(?:'\w+)*|[^\w\s]"  # where spaces separate all words, or were put between them
_CLUSTERS = PATTERN.replace(f"|{UNSPACED}|", rf"|{UNSPACED}\p{{M}}*|")
_ELISIONS = {
    "fr": "l|d|j|m|n|s|t|c|qu|jusqu|lorsqu|puisqu|quoiqu",
    "it": "l|d|c|m|t|s|v|un|all|dall|dell|nell|sull|coll|quell|quest|bell|dov|com|cos|anch|sant|tutt|senz|mezz|nessun",
    "ca": "l|d|m|t|s|n",
}
_OPTIONAL_MARKS = {
    "he": "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]",
    **dict.fromkeys(("ar", "fa", "ur", "ckb", "ug"), "[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]"),
}
_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {ord("’"): "'"}
_ANY_OPTIONAL_MARK = re.compile("|".join(sorted(set(_OPTIONAL_MARKS.values()))))
# Accents, vowel signs and joiners, for the brackets of a regular expression: \w of Python lacks them.
MARKS = "\u200c\u200d" + "".join(
    chr(code) for code in range(0x300, 0x1100) if unicodedata.category(chr(code))[0] == "M"
)
_HEBREW = r"""\p{Hebrew}+(?:["'׳״]\p{Hebrew}+)+"""
_HAN_RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]+")
_JAPANESE_RUN = re.compile(
    r"[\u3005\u3006\u3041-\u3096\u309d\u309e\u30a1-\u30ff\uff66-\uff9f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]+"
)
# A Korean syllable ends in a consonant unless its number is a multiple of 28. After "l" (8), 로 is written as after a vowel.
_OPEN = "".join(chr(code) for code in range(0xAC00, 0xD7A4, 28))
_OPEN_OR_L = _OPEN + "".join(chr(code + 8) for code in range(0xAC00, 0xD7A4, 28))
_CLOSED = "".join(f"{chr(code + 1)}-{chr(code + 27)}" for code in range(0xAC00, 0xD7A4, 28))
_PARTICLES = "|".join(
    [
        rf"([가-힣][{_CLOSED}])(은|이|을|과|으로|이나|이라는|이란|으로서|으로써)\b",
        rf"([가-힣][{_OPEN_OR_L}])(로|로서|로써)\b",
        rf"([가-힣][{_OPEN}])(는|가|를|와|나|라는|란)\b",
        r"([가-힣]{2})(에서는|에서도|에서|에게서|에게|에는|에도|에|의|도|만|부터|까지|처럼|보다|께서|한테|마다|조차|밖에)\b",
    ]
)
_THAI_SIGNS = "ะ-ฺๅ็-๎"  # vowels and tones that belong to the letter before
EXTRAS = {"zh": ("rjieba",), "ja": ("fugashi", "ipadic")}  # the packages of `longway[zh]`, `longway[ja]`
_BY_CLUSTER = ("lo", "km", "my")


@dataclass(frozen=True, slots=True)
class MixedTokenizer(Tokenizer):
    """Splits each text by the rules of its own language, and by those of the first of `languages` if it is unclear."""

    def column(self, texts: pl.Series) -> pl.Series:
        """One list of tokens per text."""
        spoken = pl.Series([self._language(text or "") for text in texts], dtype=pl.String)
        frame = pl.DataFrame({"text": texts.cast(pl.String), "language": spoken}).with_row_index()
        parts = [
            part.select("index", tokens=tokenizer_of(str(language)).column(part["text"]))
            for (language,), part in frame.group_by("language")
        ]
        return pl.concat(parts).sort("index")["tokens"] if parts else pl.Series([], dtype=pl.List(pl.String))

    def tokens(self, text: str) -> list[str]:
        """The tokens of one text, in order."""
        return tokenizer_of(self._language(text)).tokens(text)

    def spans(self, text: str) -> list[tuple[str, int, int]]:
        """The tokens of one text with their start and end in the original."""
        return tokenizer_of(self._language(text)).spans(text)

    def _language(self, text: str) -> str:
        found = language_of(text, among=self.languages)
        return self.languages[0] if found == UNKNOWN else found


def words(text: str, language: str) -> list[str]:
    """The words of a text in lower case, without punctuation marks.

    >>> words("L'homme n'a rien vu.", "fr"), words("ISPARTA'DA İYİ", "tr")
    (["l'", 'homme', "n'", 'a', 'rien', 'vu'], ["ısparta'da", 'iyi'])
    """
    return list(filter(is_word, tokenizer_of(language).tokens(text)))


def lowered(text: str, language: str = "") -> str:
    """A text as its words are compared: in lower case, letters and their marks as one character, without optional marks and stretching dashes.

    >>> lowered("İYİ IŞIK", "tr"), lowered("Cafe\u0301"), lowered("كِتَابٌ")
    ('iyi ışık', 'café', 'كتاب')
    """
    if language == "tr":
        text = text.replace("İ", "i").replace("I", "ı")
    if text.isascii():
        return text.lower()
    plain = _ANY_OPTIONAL_MARK.sub("", unicodedata.normalize("NFC", text.translate(_FULL_WIDTH)))
    return plain.lower().replace("i\u0307", "i")


def tokenizer_for(languages: Iterable[str]) -> Tokenizer:
    """What splits texts in these languages, the most frequent one first; `PLAIN` for English alone, and if nothing is known."""
    known = tuple(language for language in languages if language != UNKNOWN)
    return MixedTokenizer(known) if len(known) > 1 else tokenizer_of(*known or (ENGLISH,))


@cache
def tokenizer_of(language: str) -> Tokenizer:
    """What splits texts in one language."""
    if language in (ENGLISH, UNKNOWN):
        return PLAIN
    cut, pattern = None, PATTERN
    if language in _CUTS and is_installed(language):
        cut, pattern = _CUTS[language], _WORD
    elif language in _ELISIONS:
        pattern = rf"\b(?:{_ELISIONS[language]})'|{PATTERN}"
    elif language == "he":
        pattern = f"{_HEBREW}|{PATTERN}"
    elif language in _BY_CLUSTER:
        pattern = _CLUSTERS
    return LanguageTokenizer((language,), partial(_folded, language=language), cut, pattern)


def is_installed(language: str) -> bool:
    """Whether the packages that find the words of a language are installed; True if it needs none."""
    return all(find_spec(package) is not None for package in EXTRAS.get(language, ()))


def how_split(language: str, *, has_packages: bool | None = None) -> str:
    """How the words of a language are found, for a report. has_packages: whether those of its extra are installed; default: as they are here.

    >>> how_split("de"), how_split("th")
    ('words between spaces', 'words by the longest match in a word list')
    """
    if language in EXTRAS and (is_installed(language) if has_packages is None else has_packages):
        return f"words by {' and '.join(EXTRAS[language])}"
    if language in EXTRAS or language in _BY_CLUSTER:
        return "single characters, so that words appear as n-grams"
    return _HOW.get(language, "words between spaces")


_HOW = {
    "th": "words by the longest match in a word list",
    "ko": "words between spaces, particles apart",
    "vi": "syllables between spaces, so that words appear as n-grams",
}

NOTES = {  # what else the rules of a language do
    **dict.fromkeys(_ELISIONS, "elided words are separate: l'"),
    **dict.fromkeys(_OPTIONAL_MARKS, "optional marks are removed"),
    "tr": "I is the capital of ı, İ that of i",
}


# Folding


def _folded(texts: pl.Series, *, language: str) -> pl.Series:
    if language == "tr":
        texts = texts.str.replace_all("İ", "i", literal=True).str.replace_all("I", "ı", literal=True)
    if language in _OPTIONAL_MARKS:
        texts = texts.str.replace_all(_OPTIONAL_MARKS[language], "")
    lowered = _half_width(texts).str.to_lowercase()
    return lowered.str.replace_all("’", "'", literal=True).str.normalize("NFC")


def _half_width(texts: pl.Series) -> pl.Series:
    """Latin letters, digits and marks of full width as usual ones."""
    if not texts.str.contains("[\uff01-\uff5e]").any():
        return texts
    return pl.Series([text.translate(_FULL_WIDTH) for text in texts], dtype=pl.String)


# Words without spaces between them


def _cut_runs(
    texts: pl.Series, *, run: re.Pattern[str], cutter: Callable[[], Callable[[str], str]]
) -> pl.Series:
    cut = cutter()
    return pl.Series([run.sub(lambda match: f" {cut(match[0])} ", text) for text in texts], dtype=pl.String)


@cache
def _chinese() -> Callable[[str], str]:
    rjieba = import_module("rjieba")
    return lambda run: " ".join(rjieba.cut(run))


@cache
def _japanese() -> Callable[[str], str]:
    tagger = import_module("fugashi").GenericTagger(f"{import_module('ipadic').MECAB_ARGS} -Owakati")
    return lambda run: tagger.parse(run)


def _thai(texts: pl.Series) -> pl.Series:
    pieces = texts.str.replace_all(_thai_pattern(), " $0 ")
    return pieces.str.replace_all(rf" +([{_THAI_SIGNS}])", "$1")


@cache
def _thai_pattern() -> str:
    """Any listed word, the longest first, or a single letter. Nothing but literals: such a pattern becomes an automaton, however long it is."""
    listed = (
        decompress((files("longway.languages") / "thai_words.txt.gz").read_bytes()).decode("utf-8").split()
    )
    letters = [chr(code) for code in range(0xE01, 0xE4F)]
    return "|".join([*sorted(listed, key=len, reverse=True), *letters])


def _korean(texts: pl.Series) -> pl.Series:
    return texts.str.replace_all(_PARTICLES, "$1$3$5$7 $2$4$6$8")


_CUTS: Mapping[str, Callable[[pl.Series], pl.Series]] = {
    "zh": partial(_cut_runs, run=_HAN_RUN, cutter=_chinese),
    "ja": partial(_cut_runs, run=_JAPANESE_RUN, cutter=_japanese),
    "th": _thai,
    "ko": _korean,
}
