"""Word lists: those of every module that knows English, negations and restrictions, and words that judge.

    listed_words(__name__).vague_nouns          the words of a list in `listed_words.toml`
    listed_phrases(__name__, "contraries")      a table: a word, and its words or phrases in order

Each module has a table of its own in the file, named after it: `[rules.claims]` for `longway.english.rules.claims`, `[methods.eda]`
for `longway.methods.eda`.

    is_negation("isn't")                             True: an explicit negation; used by detectors and rules
    count_denials(["fails", "to", "win"])            1: words that deny something by their meaning count as well
    merge_negation_phrases("it is far from good")    "it is  not  good": phrases that deny or restrict become one sign each

    word_sides()["boring"]                 "negative": a word that judges
    sentiment_agreement(texts, is_high)    do the texts with the higher label praise, and those with the lower one find fault?

Words that judge are those of `opposites.tsv` with their inflected forms, listed in `sentiment_words.tsv` (train/sentiment_words.py), so that
nothing heavy is imported to look one up.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import Any

from longway.task import Side

LISTS_PATH = Path(__file__).with_name("listed_words.toml")


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    return tomllib.loads(LISTS_PATH.read_text(encoding="utf-8"))


def _table_of(module: str) -> dict[str, Any]:
    table = _tables()
    for name in module.removeprefix("longway.").removeprefix("english.").split("."):
        table = table[name]
    return table


class WordSets(dict[str, frozenset[str]]):
    """Sets of words by name, as items and as attributes."""

    def __getattr__(self, name: str) -> frozenset[str]:
        if name not in self:
            raise AttributeError(name)
        return self[name]


def listed_words(module: str) -> WordSets:
    """Return the lists of a module by name. module: its `__name__`."""
    lists = _table_of(module).items()
    return WordSets((name, frozenset(words.split())) for name, words in lists if isinstance(words, str))


def listed_phrases(module: str, name: str) -> dict[str, tuple[str, ...]]:
    """Return a table of a module: each word with its phrases (a TOML array) or words (a string), in order."""
    rows = _table_of(module)[name].items()
    return {word: tuple(row.split() if isinstance(row, str) else row) for word, row in rows}


_LISTS = listed_words(__name__)
_CORE = _LISTS["core"]
STOP_WORDS = _LISTS["stop_words"]  # say little about a text
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


FILE = Path(__file__).parent / "sentiment_words.tsv"
NEAR = 3  # words after a negation that it turns round
# A dataset is about sentiment if both hold (runs/sentiment_labels.py has the error rates).
LEAST_DECIDED = 0.25  # share of the texts with more words for one side than for the other
LEAST_AGREEMENT = 0.65  # lower bound of the agreement with the labels; 0.5 is chance
Z = 1.96


@lru_cache(maxsize=1)
def word_sides() -> Mapping[str, Side]:
    """The side of each word.

    >>> word_sides()["boring"], word_sides()["loved"]
    ('negative', 'positive')
    """
    lines = (line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines())
    return {word: "positive" if side == "+" else "negative" for word, side in lines}


def balance(text: str) -> int:
    """The words of a text that praise, less those that find fault; those shortly after a negation count for the other side.

    >>> balance("A charming film, and never boring."), balance("Not good.")
    (2, -1)
    """
    from longway.text.tokenizer import tokenize

    sides, tokens, total = word_sides(), tokenize(text), 0
    for place, token in enumerate(tokens):
        side = sides.get(token)
        if side is not None:
            turned = any(map(is_negation, tokens[max(0, place - NEAR) : place]))
            total += 1 if (side == "positive") != turned else -1
    return total


@dataclass(frozen=True, slots=True)
class SentimentAgreement:
    """How well labels agree with the words of their texts.

    decided: the share of the texts that praise more than they find fault, or the other way round. agreement: of these, the share whose words agree with the label, the mean
    of both labels; low: its lower bound.
    """

    decided: float
    agreement: float
    low: float

    @property
    def is_obvious(self) -> bool:
        """Whether the labels are a judgement beyond reasonable doubt."""
        return self.decided >= LEAST_DECIDED and self.low >= LEAST_AGREEMENT


def sentiment_agreement(texts: Sequence[str], is_high: Sequence[bool]) -> SentimentAgreement:
    """The agreement of two labels with the words of the texts, if the higher label means a positive judgement."""
    return agreement_of([balance(text) for text in texts], is_high)


def agreement_of(balances: Sequence[int], is_high: Sequence[bool]) -> SentimentAgreement:
    """The agreement of two labels with the balances of the texts."""
    right, wrong = [0, 0], [0, 0]
    for total, high in zip(balances, is_high, strict=True):
        if total:
            (right if (total > 0) == high else wrong)[int(high)] += 1
    counts = [yes + no for yes, no in zip(right, wrong, strict=True)]
    if not all(counts):
        return SentimentAgreement(sum(counts) / max(1, len(balances)), 0.5, 0.0)
    shares = [yes / n for yes, n in zip(right, counts, strict=True)]
    smoothed = [(yes + 1) / (n + 2) for yes, n in zip(right, counts, strict=True)]
    error = sqrt(sum(share * (1 - share) / n for share, n in zip(smoothed, counts, strict=True))) / 2
    low = sum(smoothed) / 2 - Z * error
    return SentimentAgreement(sum(counts) / len(balances), sum(shares) / 2, low)
