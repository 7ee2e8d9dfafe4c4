"""The languages of a dataset: identified from some of its rows, or given by the user.

    languages_in(dataset)        {"en": 0.98, "de": 0.02}: shares of the rows whose language is known, most frequent first
    dataset.columns.language     what the user gave: "de", "German", or "en,de"

A few hundred rows are sampled; more only if there seem to be several languages. A language that is rarer than `RAREST`
is not counted, since short texts are misidentified about as often. Close languages are confused more often: the rarer ones count as the
more frequent one, unless they are also frequent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import polars as pl

from longway.data import Dataset
from longway.language_names import ENGLISH, UNKNOWN, codes_of, name_of
from longway.languages.identify import language_of
from longway.languages.lemmas import PACKAGE, has_lemmas
from longway.languages.row_languages import drawn, foreign_language
from longway.languages.words import how_split, tokenizer_for
from longway.text.tokenizer import Tokenizer

FIRST, MORE = 200, 2000  # rows in the first sample, and in the second if there are several languages
RAREST, SUSPECT = 0.02, 0.015  # share of the rows; in the first look
CLEAR_SHARE = (
    0.3  # of the texts that look like another language than English: those in which it must be clear
)
RAREST_CLOSE = 0.2  # of a language, as a share of the rows in a more frequent one that it is close to
_CLOSE = [
    {"da", "nb", "sv"}, {"de", "nl"}, {"cs", "sk"}, {"hr", "sl"}, {"es", "pt", "ca", "it"}, {"ru", "uk", "be", "bg", "mk", "sr", "kk", "mn"}, {"hi", "mr", "ne"},
    {"ar", "fa", "ur", "ckb", "ug"}, {"zh", "ja"},
]  # fmt: skip


def languages_in(dataset: Dataset) -> dict[str, float]:
    """The share of each language, most frequent first; English if nothing is known, the given ones if the user gave some."""
    if not dataset.languages:
        dataset.languages = _identified(dataset)
    return dataset.languages


def tokenizer_of(dataset: Dataset) -> Tokenizer:
    """What splits the texts of a dataset."""
    return tokenizer_for(languages_in(dataset))


def _identified(dataset: Dataset) -> dict[str, float]:
    if dataset.columns.language:
        given = codes_of(dataset.columns.language)
        return _shares(_counts(dataset, MORE, given), 0.0, given[0]) if len(given) > 1 else {given[0]: 1.0}
    shares = _shares(_counts(dataset, FIRST), SUSPECT)
    return _shares(_counts(dataset, MORE), RAREST) if len(shares) > 1 else shares


def described(shares: Mapping[str, float]) -> str:
    """The languages as a report names them.

    >>> described({"en": 0.9, "de": 0.1}), described({"ja": 1.0})
    ('English (90%), German (10%)', 'Japanese')
    """
    if len(shares) == 1:
        return name_of(next(iter(shares)))
    return ", ".join(f"{name_of(language)} ({share:.0%})" for language, share in shares.items())


def splitting_of(languages: Sequence[str]) -> str:
    """How the words of these languages are found, in one phrase; "" for English alone.

    >>> splitting_of(["en", "de", "th", "fr"])
    'Thai: words by the longest match in a word list; others: words between spaces'
    """
    if tuple(languages) == (ENGLISH,):
        return ""
    ways = {language: how_split(language) for language in languages}
    if len(languages) == 1 and has_lemmas(languages[0]):
        return f"{ways[languages[0]]}, forms of a word joined by {PACKAGE}"
    if len(set(ways.values())) == 1:
        return next(iter(ways.values()))
    by_way: dict[str, list[str]] = {}
    for language, way in ways.items():
        by_way.setdefault(way, []).append(name_of(language))
    most = max(by_way, key=lambda way: len(by_way[way]))
    others = [f"{', '.join(names)}: {way}" for way, names in by_way.items() if way != most]
    return "; ".join([*others, f"others: {most}" if len(by_way[most]) > 1 else f"{by_way[most][0]}: {most}"])


def _shares(counts: Counter[str], rarest: float, default: str = ENGLISH) -> dict[str, float]:
    """Shares of the languages that are not too rare, most frequent first. default: if none is known."""
    known = Counter({language: n for language, n in counts.items() if language != UNKNOWN})
    frequent: dict[str, int] = {}
    for language, n in known.most_common():
        close = [frequent[other] for other in _close_to(language) & frequent.keys()] if rarest else []
        if n >= max([rarest * known.total(), *(RAREST_CLOSE * n_other for n_other in close)]):
            frequent[language] = n
    return {language: n / sum(frequent.values()) for language, n in frequent.items()} or {default: 1.0}


def _close_to(language: str) -> set[str]:
    """The languages with which a language is confused."""
    return {other for group in _CLOSE if language in group for other in group} - {language}


def _counts(dataset: Dataset, n_rows: int, among: Sequence[str] = ()) -> Counter[str]:
    """The number of texts by language. Beside English, another one counts only if it is clear in enough of them: names and headlines
    look foreign."""
    texts = list(_some_texts(dataset, n_rows))
    found = [language_of(text, among=among) for text in texts]
    counts = Counter(found)
    if among or counts[ENGLISH] < max(
        (n for language, n in counts.items() if language != UNKNOWN), default=1
    ):
        return counts
    clear = Counter(
        language
        for text, language in zip(texts, found, strict=True)
        if language == ENGLISH or (language != UNKNOWN and foreign_language(text) == language)
    )
    return Counter({language: n for language, n in counts.items() if clear[language] >= CLEAR_SHARE * n})


def _some_texts(dataset: Dataset, n_rows: int) -> Iterator[str]:
    """Texts from all over the data; from the first batch, if it is streamed."""
    batches = islice(dataset.batches(), 1 if dataset.streamed else None)
    texts = pl.concat([pl.Series([], dtype=pl.String), *(batch.texts for batch in batches)])
    yield from texts.gather(drawn(len(texts), n_rows))
