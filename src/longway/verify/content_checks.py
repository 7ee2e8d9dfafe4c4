"""Checks of the content of a text: negations, numbers, names, and for pairs words that make another label true.

    negation      the same is denied and restricted as before
    numbers       the same numbers and dates, however they are written
    names         no name lost, no new name
    other label   for pairs: new words fit the label, given the context

They compare words and use no model. Texts that keep only their label have more freedom than texts that keep their meaning.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from longway.english.inflection import ONES, ORDINALS, TENS
from longway.english.rules.nominal import nominal_words as nation_words
from longway.english.words import DENIALS, merge_negation_phrases
from longway.languages.word_lists import find, has_words
from longway.languages.words import MARKS, lowered, tokenizer_of
from longway.records import Verdict
from longway.task import Task
from longway.verify.check import Candidate, Check
from longway.verify.wordforms import (
    FUNCTION_WORDS,
    flips,
    forms_of,
    is_restricted,
    negations,
    new_words,
    words,
)

# ---------------------------------------------------------------- negation


class NegationCheck(Check):
    """The check of what is denied and restricted. labels: the dataset's, by row.

        "The battery died."     "The battery was not dead."       fails: one more negation, no opposite
        "He was not alive."     "He was dead."                    passes: one negation less, one opposite
        "She failed to win."    "She did not win."                passes

    Sentence similarity does not notice a "not"; this check does. A text that keeps only its label may deny something else, but not the
    same statement with a negation added or removed. In other languages a text that keeps its meaning must deny something if and only if the
    row does; languages without a table of negations (`languages/word_lists.py`) are not checked. If the intended label differs from the row's (CrossAug's negative claims), a
    change of negation is expected.
    """

    name = "negation"

    def __init__(self, labels: Sequence[str] = ()) -> None:
        self.labels = labels

    def concerns(self, candidate: Candidate) -> bool:
        """Only languages whose negations are known."""
        return not candidate.language or has_words(candidate.language)

    def verdict(self, candidate: Candidate) -> Verdict:
        """score: negations added minus negations removed."""
        before, after = map(candidate.without, (candidate.before, candidate.after))
        is_meant = candidate.row < len(self.labels) and self.labels[candidate.row] != candidate.label
        if candidate.language:
            old, new = (n_negations(text, candidate.language) for text in (before, after))
            # Their number says little: "ne ... pas", "ni ... ni".
            is_fine = is_meant or candidate.keeps == "label" or bool(old) == bool(new)
            return Verdict(self.name, is_fine, float(new - old), "" if is_fine else "negation changed")
        reason = "" if is_meant else negation_fault(before, after, keeps=candidate.keeps)
        return Verdict(self.name, not reason, float(negations(after) - negations(before)), reason)


def n_negations(text: str, language: str) -> int:
    """The number of negations of a language in a text.

    >>> n_negations("Der Film war nicht gut.", "de")
    1
    """
    return len(find(tokenizer_of(language).tokens(text), "negation", language))


def negation_fault(before: str, after: str, *, keeps: str = "meaning") -> str:
    """What is wrong with the new text's negations, "" if nothing.

    >>> negation_fault("The battery died.", "The battery was not dead.")
    'negation changed'
    >>> negation_fault("It did not rain.", "It failed to rain.")
    ''
    """
    exchanged = flips(before, after)
    is_odd = (negations(before) + negations(after) + len(exchanged)) % 2 == 1
    if keeps == "label":
        return "only the negation changed" if is_odd and not _says_something_else(before, after) else ""
    if is_odd:
        return "an opposite came in" if exchanged else "negation changed"
    if abs(negations(before) - negations(after)) > 1 + len(exchanged):
        return "negation changed"
    if is_restricted(before) and not is_restricted(after, weakly=True):
        return "restriction lost"
    if is_restricted(after) and not is_restricted(before, weakly=True):
        return "restriction added"
    return ""


def _says_something_else(before: str, after: str) -> bool:
    """Whether words other than negations were exchanged."""
    old, new = merge_negation_phrases(before), merge_negation_phrases(after)
    return any(w not in DENIALS for w in new_words(old, new)) and any(
        w not in DENIALS for w in new_words(new, old)
    )


# ---------------------------------------------------------------- numbers

_TEN_ORDINALS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth".split()
_SCALES = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_SMALL = {word: float(i) for i, word in enumerate(ONES)} | {
    word: 20.0 + 10 * i for i, word in enumerate(TENS)
}
_RANKS = {word: i for i, word in enumerate(ORDINALS)} | {
    word: 20 + 10 * i for i, word in enumerate(_TEN_ORDINALS)
}
_DECADES = {
    word: f"19{20 + 10 * i}s"
    for i, word in enumerate("twenties thirties forties fifties sixties seventies eighties nineties".split())
}
_TIMES = {"twice": 2.0, "thrice": 3.0}
# May is more often a verb.
_MONTHS = "january february march april june july august september october november december".split()
_MONTH = "(?:" + "|".join([*_MONTHS, "may"]) + ")"
_DAY = re.compile(
    rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)(?: of)? ({_MONTH})\b|\b({_MONTH}) (?:the )?(\d{{1,2}})(?:st|nd|rd|th)\b"
)  # "the 5th of June" is "5 June"
_COMPOUND = re.compile(r"\b(?:first|second|third)-[a-z]")  # "first-rate", "second-hand" count nothing
_DIGITS = re.compile(r"\d+(?:[.,:/]\d+)*")
# 1.200, 1,200, 1'200, with a thin space, and in India 12,34,567: a mark between groups of digits says nothing.
_GROUPED = re.compile(
    r"(?<![\d.,])[1-9]\d{0,2}([.,'’\u00a0\u2009\u202f٬])\d{2,3}(?:\1\d{2,3})*(?<=\1\d{3})(?![\d])"
)
_TOKEN = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:st|nd|rd|th|s)?\b|[a-z]+")


class NumbersCheck(Check):
    """The check of numbers and dates: the same values, equally often. "three" is 3, "the eighties" are the 1980s.

    In other languages than English only numbers in digits count."""

    name = "numbers"

    def verdict(self, candidate: Candidate) -> Verdict:
        """score: how many numbers differ."""
        count = digits if candidate.language else numbers
        before, after = (count(candidate.without(text)) for text in (candidate.before, candidate.after))
        lost, new = before - after, after - before
        for phrase in candidate.telling:  # meant to be removed
            lost -= count(phrase)
        return _compared(self.name, candidate, lost.elements(), new.elements())


def digits(text: str) -> Counter[str]:
    """The numbers of a text in digits, of whatever script.

    >>> dict(digits("Am 5. Juni kamen 1.200 Leute, ٣ davon früh."))
    {'5': 1, '1200': 1, '3': 1}
    """
    plain = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    return Counter(_DIGITS.findall(_GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), plain)))


def _compared(check: str, candidate: Candidate, lost: Iterable[str], new: Iterable[str]) -> Verdict:
    """The verdict of a check of numbers or names: none may differ if the text keeps its meaning. score: how many do."""
    gone, come = sorted(lost), sorted(new)
    n = float(len(gone) + len(come))
    if candidate.keeps == "label" or not n:
        return Verdict(check, True, n)
    reasons = [f"{name} lost" for name in dict.fromkeys(gone)] + [
        f"{name} new" for name in dict.fromkeys(come)
    ]
    return Verdict(check, False, n, ", ".join(reasons))


def numbers(text: str) -> Counter[str]:
    """The numbers of a text by value. "one" and "no" are left out, being mostly a pronoun and a negation.

    >>> sorted(numbers("Three songs in the 1990s, the 11th on 5 June 2001, 2.5 million sold."))
    ['#11', '1990s', '2001', '2500000', '3', '5', 'june']
    >>> numbers("twenty-one") == numbers("21")
    True
    """
    counts: Counter[str] = Counter()
    tokens = _TOKEN.findall(_COMPOUND.sub("", _DAY.sub(_plain_day, text.lower())))
    place = 0
    while place < len(tokens):
        name, length = _number_at(tokens, place)
        if name:
            counts[name] += 1
        place += length
    return counts


def _plain_day(match: re.Match[str]) -> str:
    return " ".join(part for part in match.groups() if part)


def _number_at(tokens: list[str], place: int) -> tuple[str, int]:
    """The number that begins at a token ("" if none does) and its length in tokens."""
    token = tokens[place]
    if token in _DECADES or token in _MONTHS:
        return _DECADES.get(token, token), 1
    if re.fullmatch(r"\d+s", token):
        return token, 1
    if match := re.fullmatch(r"(\d+)(?:st|nd|rd|th)", token):
        return f"#{int(match.group(1))}", 1
    if token in _RANKS:
        return f"#{_RANKS[token]}", 1
    if token in _TIMES:
        return _digits(_TIMES[token]), 1
    value, length, rank = _cardinal(tokens, place)
    if rank:
        return f"#{rank}", length
    return ("", max(1, length)) if value is None or value in (0, 1) else (_digits(value), length)


def _cardinal(tokens: list[str], place: int) -> tuple[float | None, int, int]:
    """A number in digits or words, its length in tokens, and its rank if it ends as an ordinal ("twenty-first")."""
    total, part, i = 0.0, None, place
    while i < len(tokens):
        token = tokens[i]
        value = _value(token)
        if value is not None and (part is None or (part % 100 >= 20 and part % 10 == 0 and value < 10)):
            part = value if part is None else part + value
        elif (
            value is not None
            and part is not None
            and part % 100 == 0
            and value < 100
            and not token[0].isdigit()
        ):
            part += value  # two hundred (and) five
        elif token in _SCALES:
            scale = _SCALES[token]
            part = (1.0 if part is None else part) * scale
            if scale >= 1000:
                total, part = total + part, None
        elif (
            token in _RANKS
            and part is not None
            and part % 10 == 0
            and 20 <= part < 100
            and _RANKS[token] < 10
        ):
            return None, i - place + 1, int(part) + _RANKS[token]
        elif not (
            token == "and" and i + 1 < len(tokens) and part and part >= 100 and tokens[i + 1] in _SMALL
        ):
            break
        i += 1
    if i == place:
        return None, 1, 0
    return total + (part or 0.0), i - place, 0


def _value(token: str) -> float | None:
    if token[0].isdigit() and token[-1].isdigit():
        return float(token.replace(",", ""))
    return _SMALL.get(token)


def _digits(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


# ---------------------------------------------------------------- names

_CAPITAL = re.compile(r"(?<![\w'])[^\W\d_a-z][\w'’.&-]*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;][\"'”)]*\s+|[\"“(]\s*)$")
_FOREIGN_WORD = re.compile(rf"[^\W\d_](?:[\w-]|[{MARKS}])*")  # "d'Anna" is two words
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_WITHIN_NAMES = (" ", "'", "’")
_NOT_NAMES = frozenset("i i'm i've i'll i'd".split())


class NamesCheck(Check):
    """The check of names: none lost, none new. A name is a capitalized word inside a sentence, or a word never written in lower case.

    "Ann Lee sang." and "Ann Kay sang." differ; "The song was sung by Ann Lee." has the names of "Ann Lee sang the song." "American"
    equals the United States, and TV equals television.

    known: words that the dataset writes in lower case; at the start of a sentence they are not names.
    """

    name = "names"

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = FUNCTION_WORDS | frozenset(known)

    @classmethod
    def of(cls, texts: Iterable[str]) -> NamesCheck:
        """The check for a dataset; words in lower case are read from these texts."""
        return cls({word for text in texts for word in re.findall(r"(?<![\w'])[a-z]+(?![\w'])", text)})

    def verdict(self, candidate: Candidate) -> Verdict:
        """score: how many names differ. In other languages names are compared by how they begin, since many of them inflect names."""
        before, after = map(candidate.without, (candidate.before, candidate.after))
        if language := candidate.language:
            known = " ".join([after, *candidate.telling])
            lost = {name for name in foreign_names(before, language) if not _has_start(known, name, language)}
            new = {name for name in foreign_names(after, language) if not _has_start(before, name, language)}
            return _compared(self.name, candidate, lost, new)
        before, after = _unified(before), _unified(after)
        removed = {part for phrase in candidate.telling for part in _parts(phrase)}
        lost = self.names(before) - set(_parts(after)) - removed
        return _compared(self.name, candidate, lost, self.names(after) - set(_parts(before)))

    def names(self, text: str) -> set[str]:
        """The words of a text's names, in lower case.

        >>> sorted(NamesCheck().names("In May, Ann Lee sang The Hill's song."))
        ['ann', 'hill', 'lee', 'may', 'the']
        """
        if text.isupper():
            return set()  # all capitals: they say nothing
        names = set()
        for match in _CAPITAL.finditer(text):
            lower = match.group().lower()
            if _SENTENCE_START.search(text[: match.start()]) and (
                lower in self.known or _bare(lower) in self.known
            ):
                continue
            names.update(_parts(match.group()))
        return names - _NOT_NAMES


def foreign_names(text: str, language: str) -> set[str]:
    """The words of the names of a text in another language, in lower case: capitalized words inside a sentence, in German two or more in a row;
    in scripts without capitals, words in Latin letters.

    >>> sorted(foreign_names("Gestern sang Anna Lehmann ein Lied.", "de")), sorted(foreign_names("Dün İzmir'e gitti.", "tr"))
    (['anna', 'lehmann'], ['izmir'])
    """
    if text.isupper():
        return set()  # all capitals: they say nothing
    text = unicodedata.normalize("NFC", text)
    # Letters that are not Latin may have capitals, too: Cyrillic, Greek.
    has_case = any(c > "\u024f" and c.lower() != c.upper() for c in text)
    if 2 * len(_LATIN.findall(text)) < sum(map(str.isalpha, text)) and not has_case:
        return {match.group().lower() for match in _LATIN_WORD.finditer(text)}
    found: set[str] = set()
    run: list[re.Match[str]] = []
    for match in (*_FOREIGN_WORD.finditer(text), None):
        is_name = match is not None and match.group()[0].isupper()
        goes_on = (
            is_name and match is not None and run and text[run[-1].end() : match.start()] in _WITHIN_NAMES
        )
        if not goes_on and run:
            named = run[1:] if _SENTENCE_START.search(text[: run[0].start()]) else run
            if len(named) >= (2 if language == "de" else 1):
                found.update(lowered(word.group(), language) for word in named if len(word.group()) > 1)
            run = []
        if is_name and match is not None:
            run.append(match)
    return found


def _has_start(text: str, name: str, language: str) -> bool:
    """Whether a word of a text, or its part behind an apostrophe, begins as a name does, but for an ending."""
    start = name[: max(3, len(name) - 3)]
    return any(part.startswith(start) for word in words(text, language) for part in (word, *word.split("'")))


def _unified(text: str) -> str:
    """The text with each country replaced by its adjective, and abbreviations spelled out."""
    pattern, spellings = _spellings()
    return pattern.sub(lambda match: spellings[match.group().removeprefix("the ")], text)


@cache
def _spellings() -> tuple[re.Pattern[str], dict[str, str]]:
    spellings = {country.removeprefix("the "): nation for nation, country in nation_words().nations.items()}
    spellings |= {"U.S.": "American", "USA": "American", "America": "American", "UK": "British"}
    spellings |= {"U.K.": "British", "United Kingdom": "British", "TV": "television", "T.V.": "television"}
    names = "|".join(re.escape(name) for name in sorted(spellings, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:the )?(?:{names})(?!\w)"), spellings


def _parts(text: str) -> list[str]:
    return [_bare(word) for word in words(text)]


def _bare(word: str) -> str:
    return word.replace("’", "'").removesuffix("'s").strip(".'")


# ---------------------------------------------------------------- other label

# Words without content: "in the year 1968", "it so happens that".
_IDLE = frozenset(
    "year years happen happens happened case true truth fact matter indeed actually known".split()
)


def _says_the_same(before: str, after: str) -> bool:
    """Whether a text has the negations, numbers and names of another one."""
    names = NamesCheck()
    return (
        not negation_fault(before, after)
        and numbers(before) == numbers(after)
        and names.names(before) <= set(_parts(after))
        and names.names(after) <= set(_parts(before))
    )


def _goes_beyond(text: str, context: str) -> bool:
    """Whether a text has a name or a number that its context does not have: what made it false may still be there."""
    return bool(numbers(text) - numbers(context)) or not NamesCheck().names(text) <= set(_parts(context))


class OtherLabelCheck(Check):
    """The check of new words against the context, for candidates that keep only their label.

        refuted     "born in 1971" becomes "born in 1968": fails if the context mentions 1968 and nothing else is new
        supported   everything new must be in the context

    The entailment check decides; this one notices single words and numbers that it may miss.
    """

    name = "other label"
    english_only = True

    def __init__(self, task: Task) -> None:
        self.stances = task.stances

    def verdict(self, candidate: Candidate) -> Verdict:
        """Texts that keep their meaning pass."""
        stance = self.stances.get(candidate.label)
        if candidate.keeps != "label" or candidate.context is None or stance is None:
            return Verdict(self.name, True)
        context = frozenset().union(*map(forms_of, words(candidate.context)))
        new = [w for w in new_words(candidate.before, candidate.after) if w not in DENIALS and w not in _IDLE]
        counted = numbers(candidate.after) - numbers(candidate.before)
        said = numbers(candidate.context)
        inside = [w for w in new if forms_of(w) & context] + [n for n in counted if n in said]
        outside = [w for w in new if not forms_of(w) & context] + [n for n in counted if n not in said]
        if (
            stance == "contradicts"
            and inside
            and not outside
            and not _goes_beyond(candidate.after, candidate.context)
        ):
            return Verdict(self.name, False, float(len(inside)), f"the context mentions {inside[0]!r}")
        # A supported "was not born in 1979" mentions what the context does not.
        is_same = _says_the_same(candidate.before, candidate.after)  # "movie" for "film"
        if stance == "entails" and outside and not negations(candidate.after) and not is_same:
            reason = f"the context does not mention {outside[0]!r}"
            return Verdict(self.name, False, float(len(outside)), reason)
        return Verdict(self.name, True)
