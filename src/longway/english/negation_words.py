"""What counts as a negation or a restriction: the word lists for detectors, rules, engines and checks.

is_negation("isn't")                             True: an explicit negation; used by detectors and rules
count_denials(["fails", "to", "win"])            1: words that deny something by their meaning count as well
merge_negation_phrases("it is far from good")    "it is  not  good": phrases that deny or restrict become one sign each
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from longway.english.listed_words import listed_words

_LISTS = listed_words(__name__)
_CORE = _LISTS["core"]
NEGATIONS = _CORE | {"n't", "nt"}
# "not" as a token, in all spellings.
NOT_TOKENS = frozenset({"n't", "n’t", "nt", "not", "n`t", "n´t", "'t", "’t"})

# Words that deny something, explicitly or by their meaning. The common ones are those of short plain claims.
DENIALS = _CORE | _LISTS["common_denials"] | _LISTS["other_denials"]

# Words that restrict a statement. The weak ones may have another meaning ("just", "entirely").
ONLY_SIGN = "<only>"
RESTRICTIONS = frozenset("only solely exclusively merely sole alone lone".split()) | {ONLY_SIGN}
WEAK_RESTRICTIONS = RESTRICTIONS | frozenset("just simply purely wholly entirely completely nothing".split())

# Phrases with a negative word that restrict, and phrases that neither deny nor restrict.
_ONLY_PHRASE = re.compile(
    r"\b(?:and )?(?:nothing|nowhere|no ?one|nobody|none) (?:but|except|other than|else|more)\b|\band no more\b|"
    r"\b(?:and )?at no other time\b|\bno more than\b|\bno other \w+ (?:but|than)\b|\bnot more than\b|\bno longer than\b"
)
_NEUTRAL_PHRASE = re.compile(
    r"\bno (?:fewer|less) than\b|\bnot (?:only|just|merely|solely)\b|\bno doubt\b|\bno matter\b|\bno wonder\b|"
    r"\bwhether or not\b|\bnot to mention\b|\bnone other than\b|\bnothing short of\b|\bif not\b|\bno\. ?\d|\bnever ?mind\b"
)
# "alone" in the sense of "without company".
_WITHOUT_COMPANY = re.compile(
    r"\b(?<=(?:live|left|home) )alone\b|\b(?<=(?:lives|lived|stand|stood|alone) )alone\b|\b(?<=living )alone\b"
)
# Several words that deny once.
_DENYING_PHRASE = re.compile(
    r"\banything but\b|\bfar from\b|\bby no means\b|\bin no way\b|\bat no (?:time|point)\b|\bnot (?:at all|once|ever|even once)\b|"
    r"\bnot (?:a|one) single\b|\bnot one\b|\byet to\b|\bno longer\b|\b(?:turn|turns|turned) down\b|\bfree (?:of|from)\b|\bleft out\b|"
    r"\bmiss(?:es|ed)? out on\b|\bnever once\b|\bnever ever\b|\bdevoid of\b|"
    r"\boutside\b(?= (?!in |on |at |with |while |and |near |for |during |by |as |to )\w)"
)
_NEITHER_NOR = re.compile(r"\bneither\b(.{0,80}?)\bnor\b")


def is_negation(word: str) -> bool:
    """True for the words of `NEGATIONS` and for every word that ends in n't.

    >>> is_negation("isn't"), is_negation("note")
    (True, False)
    """
    return word in NEGATIONS or word.endswith("n't")


def count_denials(words: Iterable[str]) -> int:
    """How many of the words are in `DENIALS` or end in n't.

    >>> count_denials("she failed and isn't sorry".split())
    2
    """
    return sum(word in DENIALS or word.endswith("n't") for word in words)


def merge_negation_phrases(text: str) -> str:
    """The text in lower case; phrases that deny become "not", phrases that restrict become `ONLY_SIGN`.

    >>> " ".join(merge_negation_phrases("It is nothing but a film.").split())
    'it is <only> a film.'
    """
    text = text.lower().replace("’", "'")
    text = re.sub(r"\bcan't\b|\bcan not\b", "cannot", text)
    text = _WITHOUT_COMPANY.sub(" ", text)
    text = _NEUTRAL_PHRASE.sub(" ", _ONLY_PHRASE.sub(f" {ONLY_SIGN} ", text))
    return _NEITHER_NOR.sub(r" not \1 ", _DENYING_PHRASE.sub(" not ", text))
