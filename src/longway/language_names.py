"""The names and codes of languages (ISO 639)."""

from __future__ import annotations

from longway.errors import SettingError

UNKNOWN = "und"  # ISO 639-2: undetermined
ENGLISH = "en"
NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch", "pl": "Polish",
    "ru": "Russian", "tr": "Turkish", "ar": "Arabic", "zh": "Chinese", "ja": "Japanese", "hi": "Hindi", "th": "Thai", "ko": "Korean",
    "vi": "Vietnamese", "he": "Hebrew", "sv": "Swedish", "da": "Danish", "nb": "Norwegian", "fi": "Finnish", "cs": "Czech", "sk": "Slovak",
    "hu": "Hungarian", "ro": "Romanian", "id": "Indonesian", "ca": "Catalan", "hr": "Croatian", "sl": "Slovenian", "et": "Estonian",
    "lt": "Lithuanian", "lv": "Latvian", "eu": "Basque", "uk": "Ukrainian", "bg": "Bulgarian", "be": "Belarusian", "sr": "Serbian",
    "mk": "Macedonian", "kk": "Kazakh", "mn": "Mongolian", "fa": "Persian", "ur": "Urdu", "ckb": "Central Kurdish", "ug": "Uyghur",
    "mr": "Marathi", "ne": "Nepali", "el": "Greek", "hy": "Armenian", "ka": "Georgian", "bn": "Bengali", "pa": "Punjabi", "gu": "Gujarati",
    "ta": "Tamil", "te": "Telugu", "kn": "Kannada", "ml": "Malayalam", "si": "Sinhala", "lo": "Lao", "my": "Burmese", "km": "Khmer",
    "am": "Amharic", UNKNOWN: "unknown",
}  # fmt: skip
_CODES = {name.lower(): code for code, name in NAMES.items()}


def name_of(language: str) -> str:
    """The English name of a language.

    >>> name_of("de"), name_of("xx")
    ('German', 'xx')
    """
    return NAMES.get(language, language)


def codes_of(given: str) -> tuple[str, ...]:
    """The codes of languages by code or English name, separated by commas; SettingError if one is unknown.

    >>> codes_of("German, en")
    ('de', 'en')
    """
    names = [name.strip().lower() for name in given.split(",") if name.strip()]
    codes = tuple(dict.fromkeys(_CODES.get(name, name) for name in names))
    unknown = [code for code in codes if code not in NAMES or code == UNKNOWN]
    if unknown or not codes:
        known = ", ".join(code for code in NAMES if code != UNKNOWN)
        raise SettingError(
            f"'language' must be the code of a language. Got {(unknown or [given])[0]!r}. The codes are {known}."
        )
    return codes
