"""BLEU of texts that all have the same references.

RAZOR's Table 4 reports corpus BLEU of a training set "evaluated on" a test set, without saying which sentence is compared with which.
`shared_bleu(train, test)` uses every test sentence as a reference of every training text, which sacrebleu cannot do; it is high if the
training texts consist of phrases of the test texts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from math import exp, log

from longway.metrics.bleu import Ngram, ngrams
from longway.text.tokenizer import PLAIN


def shared_bleu(texts: Sequence[str], references: Sequence[str], *, n: int = 4) -> float:
    """BLEU of each text against all references at once, from 0 to 100. It rises with the number of references.

    The length of a text's reference is that of the one closest in length.
    """
    reference_words = PLAIN.lists(references)
    allowed = _allowed(reference_words, n)
    lengths = sorted(set(map(len, reference_words)))
    tally = Tally(n)
    for words in PLAIN.lists(texts):
        tally.add(words, allowed, _nearest(lengths, len(words)))
    return 100 * tally.bleu()


class Tally:
    """Matches and totals per n-gram length, and lengths, summed over texts."""

    def __init__(self, n: int) -> None:
        self.matches, self.totals = [0] * n, [0] * n
        self.length = self.reference_length = 0

    def add(self, words: list[str], allowed: Sequence[Counter[Ngram]], length: int) -> None:
        """Add one text. allowed: how often each n-gram may count; length: of its reference."""
        for i, most in enumerate(allowed):
            self.matches[i] += sum(min(count, most[ngram]) for ngram, count in ngrams(words, i + 1).items())
            self.totals[i] += max(0, len(words) - i)
        self.length += len(words)
        self.reference_length += length

    def bleu(self) -> float:
        """The score from the counts, from 0 to 1."""
        if not all(self.matches):
            return 0.0
        logs = 0.0
        for match, total in zip(self.matches, self.totals, strict=True):
            logs += log(match / total) / len(self.matches)
        return min(1.0, exp(1 - self.reference_length / self.length)) * exp(logs)


def _allowed(references: Sequence[list[str]], n: int) -> list[Counter[Ngram]]:
    """For each n-gram length, the highest count of each n-gram in one reference."""
    return [_most(ngrams(words, size) for words in references) for size in range(1, n + 1)]


def _most(counts: Iterable[Counter[Ngram]]) -> Counter[Ngram]:
    most: Counter[Ngram] = Counter()
    for count in counts:
        most |= count
    return most


def _nearest(lengths: Sequence[int], length: int) -> int:
    """The reference length closest to a text's; the shorter of two at the same distance."""
    i = bisect_left(lengths, length)
    return min(lengths[max(0, i - 1) : i + 1], key=lambda other: (abs(other - length), other), default=0)
