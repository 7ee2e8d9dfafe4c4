"""Word-level tests of small-model output, and its surface form.

    refusal(text, candidate)           why the candidate is no paraphrase of the text; "" if it may be one
    in_form_of(original, candidate)    the candidate with the case, final mark and spacing of the original
    invented_words(line, given, ...)   words that do not exist: "visualities", "sparusing"

The tests look at words only and take microseconds, because most samples of a small model must be discarded: copies, other
names, other numbers, a negation added or lost. Whether the label still holds is decided later by `verify`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from longway.english.articles import article_before
from longway.english.inflection import lemmas
from longway.english.listed_words import listed_words
from longway.english.negation_words import COMMON_DENIALS, count_denials
from longway.english.wordnet import senses
from longway.errors import MissingExtra
from longway.tokens.tokenizer import is_word, tokenize

_PREAMBLE = re.compile(
    r"^(sure\b|certainly\b|of course[,!]|here(?:'s| is| are)\b|okay\b|ok,|yes,|as an ai\b|i'm sorry\b|sorry,|"
    r"i am sorry\b|rewritten\b|paraphrase\b|answer:|text:|output:|note:|in other words\b|to rewrite\b)",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<\||\|>|```|https?://|\[/?inst\]|^[#>*-] |\bas an ai\b", re.IGNORECASE)
_NAME = re.compile(r"(?<![.!?:\"“] )(?<!^)\b[A-Z][\w'’-]*")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
    if number != 1  # "one" is more often a pronoun than a number
} | {"thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "thousand": "1000", "million": "1000000"}
# "first" and "1st" count as different.
_ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth last".split())

_WORDS = listed_words(__name__)
_LIMITS = _WORDS["limits"]
_FUNCTION_WORDS = _WORDS["function_words"]
# Words that add no information: "in the year 2010", "the film named X".
_EMPTY_WORDS = "called named known titled one example year month kind type sort case fact thing person"
_FIRST_PERSON = _WORDS["first_person"]
_THIRD_PERSON = _WORDS["third_person"]

_SPACED_MARK = re.compile(r" (?:[.,!?;:]|n't|'(?:s|re|ve|ll|d|m))(?= |$)")  # "it 's good ."
_JOIN = re.compile(r" (?=(?:[.,!?;:%]|n't|'(?:s|re|ve|ll|d|m))(?: |$))")
_SPLIT = re.compile(r"(?<=\w)(?=(?:n't|'(?:s|re|ve|ll|d|m))\b)|(?<=[\w'\")])(?=[.,!?;:]+(?:\s|$))")
_ARTICLE = re.compile(r"\b([Aa])n? (?=([^\W_][\w'’-]*))")
_AFTER_A_LETTER = frozenset("is was and or of as in on at if are".split())  # "vitamin A is": no article
_FINAL = re.compile(r"\s*[.!?]+$")

SHORTEST = 4  # letters; shorter words are a single token
UNCERTAIN_TOKENS = 2  # without a dictionary, a word of so many tokens counts as real
_UPOS = ("NOUN", "VERB", "ADJ", "ADV")
_LOWER_CASE = re.compile(r"(?<![\w'’])[^\W\d_A-Z][^\W\d_]+(?![\w'’])")  # no capitals, no marks inside


def refusal(text: str, candidate: str) -> str:
    """Why the candidate cannot be a paraphrase of the text; "" if it can.

    >>> refusal("The battery died.", "The battery was not dead.")
    'negation changed'
    >>> refusal("The shop opened in June.", "In June the shop began to sell.")
    ''
    """
    if not candidate or not any(c.isalpha() for c in candidate):
        return "empty"
    if "\n" in candidate or _MARKUP.search(candidate) or _PREAMBLE.match(candidate):
        return "not a plain text"
    before, after = words_of(text), words_of(candidate)
    if before == after:
        return "copy"
    for test in (
        _nearly_a_copy,
        length_differs,
        _numbers,
        _negation,
        _persons,
        _other_words,
        _repeats,
        _swaps,
    ):
        if reason := test(before, after):
            return reason
    return _names(text, candidate)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    return [token for token in tokenize(text) if is_word(token)]


def n_changed(before: list[str], after: list[str]) -> int:
    """The smallest number of words inserted, deleted or replaced (the edit distance).

    >>> n_changed(words_of("She lost her hat."), words_of("He lost his old hat."))
    3
    """
    row = list(range(len(after) + 1))  # distance of the words so far to the first 0, 1, 2 ... of `after`
    for n, old in enumerate(before, 1):
        left, row[0] = row[0], n
        for place, new in enumerate(after, 1):
            left, row[place] = row[place], min(left + (old != new), row[place] + 1, row[place - 1] + 1)
    return row[-1]


def is_subsequence(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether all items of one list occur in the other, in the same order.

    >>> is_subsequence(["was", "slow"], ["it", "was", "very", "slow"]), is_subsequence(["b", "a"], ["a", "b"])
    (True, False)
    """
    rest = iter(long)
    return all(word in rest for word in short)


def length_differs(before: list[str], after: list[str]) -> str:
    """Refuses a text that became much shorter or longer."""
    n = len(before)
    return "" if 0.5 * n <= len(after) <= 1.6 * n + 4 else "length"


def content_of(words: list[str]) -> Counter[str]:
    """The stems of the content words."""
    return Counter(_stems(words))


def _numbers(before: list[str], after: list[str]) -> str:
    return "" if _numbers_of(before) == _numbers_of(after) else "numbers changed"


def _numbers_of(words: list[str]) -> Counter[str]:
    numbers = (
        _NUMBER_WORDS.get(word, word if _NUMBER.match(word) or word in _ORDINALS else "") for word in words
    )
    return Counter(filter(None, numbers))


def _negation(before: list[str], after: list[str]) -> str:
    """Refuses a change between an even and an odd number of denials, and a restriction added or lost."""
    if count_denials(before, COMMON_DENIALS) % 2 != count_denials(after, COMMON_DENIALS) % 2:
        return "negation changed"
    limited = [any(word in _LIMITS for word in words) for words in (before, after)]
    return "" if limited[0] == limited[1] else "restriction changed"


def _nearly_a_copy(before: list[str], after: list[str]) -> str:
    """Refuses the same content words in the same order: "a film", "the film"."""
    return "nearly a copy" if _stems(before) == _stems(after) else ""


def _persons(before: list[str], after: list[str]) -> str:
    """Refuses a new "I" or "you", or "he" for a name: small models insert both."""
    for persons in (_FIRST_PERSON, _THIRD_PERSON):
        if set(after) & persons and not set(before) & persons:
            return "refers to another person"
    return ""


def _other_words(before: list[str], after: list[str]) -> str:
    """Refuses a text that rephrases nothing but omits or adds something."""
    old, new = content_of(before), content_of(after)
    if not new - old and old - new:
        return "only leaves words out"
    if set(new - old) - _EMPTY and is_subsequence(_stems(before), _stems(after)):
        return "only adds words"
    old, new = (
        Counter({word: n for word, n in words.items() if word not in COMMON_DENIALS}) for words in (old, new)
    )
    kept = sum((old & new).values())
    return "" if kept >= 0.25 * sum(old.values()) else "little in common"


def _repeats(before: list[str], after: list[str]) -> str:
    old = content_of(before)
    repeated = [word for word, count in content_of(after).items() if count > max(1, old[word])]
    return "repeats a word" if repeated else ""


def _swaps(before: list[str], after: list[str]) -> str:
    """Refuses two words that only changed places, unless they are coordinated ("salt and pepper")."""
    if len(before) != len(after):
        return ""
    places = [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    if len(places) != 2 or sorted(before[i] for i in places) != sorted(after[i] for i in places):
        return ""
    between = before[places[0] + 1 : places[1]]
    return "" if between in (["and"], ["or"]) else "swaps two words"


def _stems(words: list[str]) -> list[str]:
    return [_stem(word) for word in words if word not in _FUNCTION_WORDS]


def _stem(word: str) -> str:
    for ending in ("'s", "ing", "ed", "es", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


_EMPTY = frozenset(content_of(_EMPTY_WORDS.split()))


def _names(text: str, candidate: str) -> str:
    """Refuses a name that is missing, or one that the text does not have."""
    before, after = ({word.lower() for word in words_of(t)} for t in (text, candidate))
    missing = {name.lower() for name in _NAME.findall(text)} - after
    added = {name.lower() for name in _NAME.findall(candidate)} - before
    bare = {name.removesuffix("'s").removesuffix("’s") for name in missing | added} - {"i"}
    return "names changed" if bare - (before & after) else ""


def plain(text: str) -> str:
    """The text on one line with ordinary spacing, and without a model's control codes.

    >>> plain("it 's a fine film , is n't it ?")
    "it's a fine film, isn't it?"
    """
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    return _JOIN.sub("", line).replace("<|", "< |")


def in_form_of(original: str, candidate: str) -> str:
    """The candidate with the case, the final mark and the spacing of the original, and with correct "a" and "an".

    A full stop that no other row has would itself predict the label.

    >>> in_form_of("the film is bad .", "It isn't a good film.")
    "it is n't a good film ."
    >>> in_form_of("The film is strange", "It is a odd film")
    'It is an odd film'
    >>> in_form_of("A good singer", "She sings well.")
    'She sings well'
    """
    text = _with_articles(" ".join(candidate.split()), original.lower())
    if original == original.lower():
        text = text.lower()
    final = _FINAL.search(original.rstrip())
    if final is None:
        text = _FINAL.sub("", text)
    elif not _FINAL.search(text):
        text += final.group().strip()
    return _SPLIT.sub(" ", text) if _SPACED_MARK.search(original) else text


def _with_articles(text: str, original: str) -> str:
    """The text with "a" or "an" as the next word requires; articles that the original has are kept as they are."""

    def corrected(match: re.Match[str]) -> str:
        letter, word = match.groups()
        if word.lower() in _AFTER_A_LETTER or f"{match.group()}{word}".lower() in original:
            return match.group()
        return f"{letter}{article_before(word)[1:]} "

    return _ARTICLE.sub(corrected, text)


def invented_words(line: str, given: Collection[str], tokenizer: Any) -> list[str]:
    """The words of a line that do not exist. Names are not checked: no dictionary has them all.

    A word exists if it is in `given`, if the model has a token for it, or if the dictionary has it (WordNet and
    lemminflect, extra `rules`). Without lemminflect, only words of three or more tokens count as invented.
    """
    new = (word for word in _LOWER_CASE.findall(line) if len(word) >= SHORTEST and word not in given)
    return [word for word in dict.fromkeys(new) if not _exists(word, tokenizer)]


def _exists(word: str, tokenizer: Any) -> bool:
    n_tokens = len(tokenizer.encode(f" {word}", add_special_tokens=False).ids)
    if n_tokens == 1:
        return True
    in_dictionary = _in_dictionary(word)
    return n_tokens <= UNCERTAIN_TOKENS if in_dictionary is None else in_dictionary


@lru_cache(maxsize=50_000)
def _in_dictionary(word: str) -> bool | None:
    """Whether the dictionary has the word or its lemma; None without lemminflect."""
    try:
        return any(lemmas(word, upos) or senses(word, upos) for upos in _UPOS)
    except MissingExtra:
        return None
