"""BLEU: how many of a text's words and phrases stand in a reference (Papineni et al. 2002), from 0 to 1.

    corpus_bleu(texts, references)      each text against its own reference or references; counts are added up
    sentence_bleu(text, references)     one text; smoothed, since short texts often share no phrase of four words
    shared_bleu(texts, references)      each text against all references at once

    BLEU = min(1, e^(1 - r / c)) * (p_1 p_2 p_3 p_4)^(1/4)

p_n is the share of n-grams found in a reference, each at most as often as the reference has it; c is the length of the
texts and r that of the references, for each text the one nearest in length.

RAZOR's Table 4 gives corpus-level BLEU, times 100, of a training set "evaluated on" a test set. Which sentence is compared with which is not
said; `shared_bleu(train, test)` takes every test sentence as a reference of every training text: high where the
training texts are made of the test texts' phrases. Words are those of `text/tokens.py`, in lower case.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from math import exp, log
from typing import Literal

import polars as pl

from longway.text.tokens import tokenize_column

Smoothing = Literal["none", "epsilon", "add_one"]
EPSILON = 0.1  # what a phrase length without a match counts as (Chen and Cherry 2014, method 1)
Ngram = tuple[str, ...]


def corpus_bleu(
    texts: Sequence[str],
    references: Sequence[str | Sequence[str]],
    *,
    n: int = 4,
    smoothing: Smoothing = "none",
) -> float:
    """BLEU of texts against their references, one or several for each; 0 where no phrase of n words is shared.

    >>> round(corpus_bleu(["the cat sat on the mat"], ["the cat sat on a mat"]), 3)
    0.537
    """
    several = [[r] if isinstance(r, str) else list(r) for r in references]
    flat = iter(_words([r for group in several for r in group]))
    tally = _Tally(n)
    for words, group in zip(_words(texts), several, strict=True):
        theirs = [next(flat) for _ in group]
        allowed = [_most(_ngrams(one, size) for one in theirs) for size in range(1, n + 1)]
        tally.add(words, allowed, sorted(map(len, theirs)))
    return tally.bleu(smoothing)


def sentence_bleu(
    text: str, references: str | Sequence[str], *, n: int = 4, smoothing: Smoothing = "add_one"
) -> float:
    """BLEU of one text against one reference or several.

    smoothing: "add_one" adds 1 to both counts of pairs and longer phrases (Lin and Och 2004); "epsilon" counts a phrase
    length without a match as 0.1 matches; "none" gives 0 there.
    """
    return corpus_bleu([text], [references], n=n, smoothing=smoothing)


def shared_bleu(texts: Sequence[str], references: Sequence[str], *, n: int = 4) -> float:
    """BLEU of texts that all have the same references; the references are counted once."""
    theirs = _words(references)
    allowed = [_most(_ngrams(one, size) for one in theirs) for size in range(1, n + 1)]
    lengths = sorted(set(map(len, theirs)))
    tally = _Tally(n)
    for words in _words(texts):
        tally.add(words, allowed, lengths)
    return tally.bleu("none")


class _Tally:
    """Matches and totals for each phrase length, and the lengths, added up over texts."""

    def __init__(self, n: int) -> None:
        self.matches = [0] * n
        self.totals = [0] * n
        self.length = self.reference_length = 0

    def add(self, words: list[str], allowed: Sequence[Counter[Ngram]], lengths: Sequence[int]) -> None:
        """Take in one text. allowed: how often each phrase may count; lengths: of its references, ascending."""
        for size, most in enumerate(allowed, start=1):
            found = _ngrams(words, size)
            self.matches[size - 1] += sum(min(count, most[phrase]) for phrase, count in found.items())
            self.totals[size - 1] += max(0, len(words) - size + 1)
        self.length += len(words)
        self.reference_length += _nearest(lengths, len(words))

    def bleu(self, smoothing: Smoothing) -> float:
        """The score from the counts."""
        if not self.matches[0]:  # no word in common
            return 0.0
        logs = 0.0
        for place, (match, total) in enumerate(zip(self.matches, self.totals, strict=True)):
            share = _share(match, total, "none" if place == 0 else smoothing)
            if share == 0:
                return 0.0
            logs += log(share) / len(self.matches)
        return min(1.0, exp(1 - self.reference_length / self.length)) * exp(logs)


def _share(match: int, total: int, smoothing: Smoothing) -> float:
    if smoothing == "add_one":
        return (match + 1) / (total + 1)
    if match == 0 and smoothing == "epsilon":
        return EPSILON / max(total, 1)
    return match / total if total else 0.0


def _words(texts: Sequence[str]) -> list[list[str]]:
    return tokenize_column(pl.Series(list(texts), dtype=pl.String)).to_list()


def _ngrams(words: list[str], size: int) -> Counter[Ngram]:
    return Counter(zip(*(words[i:] for i in range(size)), strict=False))


def _most(counts: Iterable[Counter[Ngram]]) -> Counter[Ngram]:
    """For each phrase, the most that one of the counts has."""
    most: Counter[Ngram] = Counter()
    for one in counts:
        most |= one
    return most


def _nearest(lengths: Sequence[int], length: int) -> int:
    """The reference length nearest to a text's; the shorter of two that are as near."""
    place = bisect_left(lengths, length)
    return min(
        lengths[max(0, place - 1) : place + 1], key=lambda other: (abs(other - length), other), default=0
    )
