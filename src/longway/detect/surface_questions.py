"""Yes/no questions about the raw text, before it is cut into lower-case words: one bit each.

Adding one is adding a row to `QUESTIONS` (at most 32). The regular expressions run in compiled code over a
whole column (Rust syntax: no look-around).
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

# (family, what a person reads, regular expression)
QUESTIONS: tuple[tuple[str, str, str], ...] = (
    ("punctuation", "an exclamation mark", r"[!！]"),
    ("punctuation", "two or more exclamation marks", r"[!！]\s*[!！]"),
    ("punctuation", "a question mark", r"[?？؟]"),
    ("punctuation", "an ellipsis", r"\.\s?\.\s?\.|…"),
    ("punctuation", "a comma", r"[,，،、]"),
    ("punctuation", "a semicolon", r"[;；؛]"),
    ("punctuation", "a colon", r"[:：]"),
    ("punctuation", "a dash between words", r"\s(?:-{1,3}|–|—)\s|\w—\w|\w--\w"),
    ("punctuation", "brackets", r"[(\[（【]|-lrb-"),
    ("punctuation", "double quotation marks", "[\"“”„«»「」『』]|``|''"),
    ("punctuation", "an apostrophe", r"\w['’]\w"),
    ("punctuation", "no mark at the end", r"[\p{L}\p{M}\p{N}]\s*$"),
    ("punctuation", "a space at either end", r"^\s|\s$"),
    ("punctuation", "two spaces in a row", r"\S[ \u{a0}]{2,}\S"),
    ("casing", "a word in capitals", r"\b\p{Lu}{2,}\b"),
    ("casing", "no capital letter", r"^\P{Lu}*$"),
    ("casing", "a lower-case first letter", r"^\P{L}*\p{Ll}"),
    ("casing", "a capital inside the sentence", r"\p{Ll}[,;]?\s+\p{Lu}\p{Ll}"),
    ("markup", "an HTML tag or entity", r"</?[A-Za-z][^<>]*>|&(?:[a-z]+|#\d+);"),
    ("markup", "a web address", r"https?://|www\.\w"),
    ("markup", "a mention or hashtag", r"(?:^|\s)[@#]\w"),
    ("markup", "a line break", r"\n"),
    ("markup", "an emoji", r"\p{Extended_Pictographic}"),
    (  # in scripts that have most letters with their accents, and in Korean, parts of syllables
        "encoding",
        "an accent as a separate character",
        r"[\p{Latin}\p{Greek}\p{Cyrillic}][\u{300}-\u{36f}]"
        r"|[\u{3041}-\u{30ff}][\u{3099}\u{309a}]|[\u{1100}-\u{11ff}]",
    ),
    (  # spaces without width and joiners only where no script needs them: Thai, Hindi, Persian and emoji do
        "encoding",
        "an invisible character",
        r"[\p{Cc}&&\S]|[\u{ad}\u{34f}\u{61c}\u{180e}\u{200e}\u{200f}\u{3164}\u{feff}]"
        r"|[\u{202a}-\u{202e}\u{2060}-\u{206f}]"
        r"|(?:^|[\s!-~\p{Latin}\p{Greek}\p{Cyrillic}\p{Han}])[\u{200b}-\u{200d}]",
    ),
    ("markup", "a letter beyond ASCII", r"[^\x00-\x7F]"),
    ("digits", "a digit", r"\p{Nd}"),
    ("digits", "a four-digit year", r"\b(?:1[5-9]|20)\d\d\b"),
    ("digits", "a rating like 7/10", r"\b\d+(?:\.\d+)?\s?/\s?\d+\b"),
    ("digits", "a percentage", r"\d\s?[%٪％]|\bper ?cent\b"),
    ("digits", "an amount of money", r"[$€£¥￥₹₽₩฿]\s?\d|\d\s?[₽₹元円원฿]"),
)


def read(texts: pl.Series) -> NDArray[np.uint32]:
    """For each text the answers to all questions, question i in bit i."""
    bits = [
        pl.col("text").fill_null("").str.contains(pattern).cast(pl.UInt32) * (1 << i)
        for i, (_, _, pattern) in enumerate(QUESTIONS)
    ]
    frame = texts.alias("text").to_frame().lazy().select(pl.sum_horizontal(bits).cast(pl.UInt32))
    return frame.collect(engine="streaming").to_series().to_numpy()
