"""Words that judge, in all their forms, and whether the labels 0 and 1 of some texts are a judgement.

    word_sides()["boring"]                 "negative"
    sentiment_agreement(texts, is_high)    do the texts with the higher label praise, and those with the lower one find fault?

The words are those of `opposites.tsv` with their inflected forms, listed in `sentiment_words.tsv` (train/sentiment_words.py), so that nothing
heavy is imported to look one up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from pathlib import Path

from longway.english.negation_words import is_negation
from longway.task import Side
from longway.text.tokenizer import tokenize

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
