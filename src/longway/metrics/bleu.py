"""BLEU: how many of a text's words and phrases are in a reference (Papineni et al. 2002).

    corpus_bleu(texts, references)      each text against its own reference or references; counts are summed
    sacre_bleu(texts, references)       as papers report it, by the package sacrebleu

    BLEU = min(1, e^(1 - r / c)) * (p_1 p_2 p_3 p_4)^(1/4)

p_n is the share of n-grams found in a reference, each counted at most as often as in the reference; c is the length of the
texts and r that of the references, for each text the one closest in length.

**Scale.** Scores run from 0 to 100, as in papers. `Bleu.share` is the same number from 0 to 1, which rewrite.json stores.

**Which one.** `sacre_bleu` compares two versions of the same rows, as the perturbation paper does; sacrebleu has its own
tokenizer (13a) and smooths n-gram lengths without a match. The others use the words of `text/tokenizer.py`, in lower case,
without smoothing; on the same words they give sacrebleu's score.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import exp, log

import polars as pl

from longway.errors import MissingExtra
from longway.text.tokenizer import tokenize_column

Ngram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bleu:
    """A BLEU score."""

    share: float  # from 0 to 1

    @property
    def score(self) -> float:
        """From 0 to 100."""
        return 100 * self.share


def corpus_bleu(texts: Sequence[str], references: Sequence[str | Sequence[str]], *, n: int = 4) -> Bleu:
    """BLEU of texts against their references, one or several per text; 0 if no phrase of n words is shared.

    >>> round(corpus_bleu(["the cat sat on the mat"], ["the cat sat on a mat"]).score, 1)
    53.7
    """
    grouped = [[group] if isinstance(group, str) else list(group) for group in references]
    flat = iter(_words([reference for group in grouped for reference in group]))
    tally = _Tally(n)
    for words, group in zip(_words(texts), grouped, strict=True):
        group_words = [next(flat) for _ in group]
        tally.add(words, _allowed(group_words, n), sorted(map(len, group_words)))
    return tally.bleu()


def sacre_bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU of texts with one reference each, 0 to 100, by sacrebleu with its default settings."""
    _require_sacrebleu()
    from sacrebleu.metrics.bleu import BLEU

    return float(BLEU().corpus_score(list(texts), [list(references)]).score)


def _require_sacrebleu() -> None:
    if find_spec("sacrebleu") is None:
        raise MissingExtra("sacrebleu", extra="prove", purpose="BLEU between two versions")


class _Tally:
    """Matches and totals per n-gram length, and lengths, summed over texts."""

    def __init__(self, n: int) -> None:
        self.matches, self.totals = [0] * n, [0] * n
        self.length = self.reference_length = 0

    def add(self, words: list[str], allowed: Sequence[Counter[Ngram]], lengths: Sequence[int]) -> None:
        """Add one text. allowed: how often each n-gram may count; lengths: of its references, ascending."""
        for i, most in enumerate(allowed):
            self.matches[i] += sum(min(count, most[ngram]) for ngram, count in _ngrams(words, i + 1).items())
            self.totals[i] += max(0, len(words) - i)
        self.length += len(words)
        self.reference_length += _nearest(lengths, len(words))

    def bleu(self) -> Bleu:
        """The score from the counts."""
        if not all(self.matches):
            return Bleu(0.0)
        logs = 0.0
        for match, total in zip(self.matches, self.totals, strict=True):
            logs += log(match / total) / len(self.matches)
        return Bleu(min(1.0, exp(1 - self.reference_length / self.length)) * exp(logs))


def _words(texts: Sequence[str]) -> list[list[str]]:
    return tokenize_column(pl.Series(list(texts), dtype=pl.String)).to_list()


def _ngrams(words: list[str], size: int) -> Counter[Ngram]:
    return Counter(zip(*(words[i:] for i in range(size)), strict=False))


def _allowed(references: Sequence[list[str]], n: int) -> list[Counter[Ngram]]:
    """For each n-gram length, the highest count of each n-gram in one reference."""
    return [_most(_ngrams(words, size) for words in references) for size in range(1, n + 1)]


def _most(counts: Iterable[Counter[Ngram]]) -> Counter[Ngram]:
    most: Counter[Ngram] = Counter()
    for count in counts:
        most |= count
    return most


def _nearest(lengths: Sequence[int], length: int) -> int:
    """The reference length closest to a text's; the shorter of two at the same distance."""
    i = bisect_left(lengths, length)
    return min(lengths[max(0, i - 1) : i + 1], key=lambda other: (abs(other - length), other), default=0)
